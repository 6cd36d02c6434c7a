/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sap/codec.h>

#include <phy_sap.pb.h>

#include <limits>

namespace wimax::sap {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// --- struct -> wire ------------------------------------------------------------------------------------------------

void to_wire(const ConfigRequest& m, wire::ConfigRequest& w) {
    w.set_role(static_cast<uint32_t>(m.role));
    w.set_bandwidth_hz(m.bandwidth_hz);
    w.set_frequency_hz(m.frequency_hz);
    w.set_tx_gain_db(m.tx_gain_db);
    w.set_rx_gain_db(m.rx_gain_db);
    w.set_cp_denominator(m.cp_denominator);
    w.set_frame_duration_code(m.frame_duration_code);
    w.set_bsid(m.bsid);
    w.set_first_frame_number(m.first_frame_number);
}

void to_wire(const ConfigConfirm& m, wire::ConfigConfirm& w) {
    for (size_t i = 0; i < m.faults.size() && i < kMaxTexts; ++i) w.add_faults(m.faults[i].substr(0, kMaxTextBytes));
    w.set_sample_rate_hz(m.sample_rate_hz);
    w.set_rx_reference_dbm(m.rx_reference_dbm);
    w.set_tx_reference_dbm(m.tx_reference_dbm);
    w.set_lock_step(m.lock_step);
    w.set_superseded(m.superseded);
}

void to_wire(const ProfilesRequest& m, wire::ProfilesRequest& w) {
    w.set_dcd_count(m.dcd_count);
    for (const int8_t rate : m.diuc_rates) w.add_diuc_rates(rate);
}

void to_wire(const FrameTick& m, wire::FrameTick& w) {
    w.set_frame_number(m.frame_number);
    w.set_frame_start_sample(m.frame_start_sample);
    w.set_sample_rate_hz(m.sample_rate_hz);
    w.set_deadline_sample(m.deadline_sample);
    w.set_synchronised(m.synchronised);
    w.set_cp_denominator(m.cp_denominator);
    w.set_frame_samples(m.frame_samples);
    w.set_rssi_dbm(m.rssi_dbm);
    w.set_cinr_db(m.cinr_db);
    w.set_frequency_offset_hz(m.frequency_offset_hz);
    w.set_clock_offset_ppm(m.clock_offset_ppm);
}

/// The fields TxBurst and RxAllocation have in common.
template <typename M, typename W>
void format_to_wire(const M& m, W& w) {
    w.set_start_slot(m.start_slot);
    w.set_rate_id(m.rate_id);
    w.set_iuc(m.iuc);
    w.set_preamble_symbols(m.preamble_symbols);
    w.set_data_symbols(m.data_symbols);
    w.set_midamble_interval(m.midamble_interval);
    w.set_subchannel_index(m.subchannel_index);
    w.set_seed_frame_lsb(m.seed_frame_lsb);
}

void to_wire(const TxFrame& m, wire::TxFrame& w) {
    w.set_frame_number(m.frame_number);
    w.set_dcd_count(m.dcd_count);
    w.set_timing_advance_samples(m.timing_advance_samples);
    w.set_frequency_adjust_hz(m.frequency_adjust_hz);
    w.set_power_dbm(m.power_dbm);
    for (const auto& burst : m.bursts) format_to_wire(burst, *w.add_bursts());
}

void to_wire(const RxExpect& m, wire::RxExpect& w) {
    w.set_frame_number(m.frame_number);
    w.set_first_uplink_slot(m.first_uplink_slot);
    w.set_next_uplink_slot(m.next_uplink_slot);
    w.set_want_prefix_bursts(m.want_prefix_bursts);
    for (const auto& allocation : m.allocations) {
        auto& a = *w.add_allocations();
        format_to_wire(allocation, a);
        a.set_kind(static_cast<uint32_t>(allocation.kind));
        a.set_search_slots(allocation.search_slots);
        a.set_cid(allocation.cid);
    }
}

void to_wire(const RxBurst& m, wire::RxBurst& w) {
    w.set_frame_number(m.frame_number);
    w.set_kind(static_cast<uint32_t>(m.kind));
    w.set_index(m.index);
    w.set_start_slot(m.start_slot);
    w.set_rate_id(m.rate_id);
    w.set_iuc(m.iuc);
    w.set_cid(m.cid);
    w.set_detected(m.detected);
    w.set_fec_ok(m.fec_ok);
    w.set_failed_blocks(m.failed_blocks);
    w.set_corrected_bytes(m.corrected_bytes);
    w.set_rssi_dbm(m.rssi_dbm);
    w.set_cinr_db(m.cinr_db);
    w.set_evm_db(m.evm_db);
    w.set_timing_offset_samples(m.timing_offset_samples);
    w.set_frequency_offset_hz(m.frequency_offset_hz);
    w.set_frame_start_sample(m.frame_start_sample);
    w.set_bsid_lsb(m.bsid_lsb);
    w.set_change_count_lsb(m.change_count_lsb);
    w.set_frame_lsb(m.frame_lsb);
    w.set_cp_denominator(m.cp_denominator);
    w.set_frame_samples(m.frame_samples);
}

void to_wire(const ErrorIndication& m, wire::ErrorIndication& w) {
    w.set_kind(static_cast<uint32_t>(m.kind));
    w.set_frame_number(m.frame_number);
    w.set_microseconds(m.microseconds);
    w.set_detail(m.detail.substr(0, kMaxTextBytes));
}

// --- wire -> struct ------------------------------------------------------------------------------------------------

/// Copies fields, reporting those that do not fit their type; ranges inside the type are validate()'s.
class Reader {
public:
    Reader(Faults& faults, std::string prefix) : faults_(faults), prefix_(std::move(prefix)) {}

    template <typename T, typename W>
    void operator()(const char* key, W value, T& target) {
        if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> raw{};
            (*this)(key, value, raw);
            target = static_cast<T>(raw);
        } else if (value > static_cast<W>(std::numeric_limits<T>::max()) ||
                   static_cast<int64_t>(value) < static_cast<int64_t>(std::numeric_limits<T>::min())) {
            faults_.add(
                prefix_ + key, std::to_string(value),
                std::to_string(+std::numeric_limits<T>::min()) + ".." + std::to_string(+std::numeric_limits<T>::max()));
        } else {
            target = static_cast<T>(value);
        }
    }
    Faults& faults() { return faults_; }
    const std::string& prefix() const { return prefix_; }
    Reader sub(const char* key, int i) const { return {faults_, prefix_ + key + "[" + std::to_string(i) + "]."}; }

private:
    Faults& faults_;
    std::string prefix_;
};

bool too_many(Reader& read, const char* key, int size, size_t limit) {
    if (static_cast<size_t>(size) <= limit) return false;
    read.faults().add(read.prefix() + key, std::to_string(size) + " elements", "0.." + std::to_string(limit));
    return true;
}

ConfigRequest from_wire(const wire::ConfigRequest& w, Reader& read) {
    ConfigRequest m;
    read("role", w.role(), m.role);
    m.bandwidth_hz = w.bandwidth_hz();
    m.frequency_hz = w.frequency_hz();
    m.tx_gain_db = w.tx_gain_db();
    m.rx_gain_db = w.rx_gain_db();
    read("cp_denominator", w.cp_denominator(), m.cp_denominator);
    read("frame_duration_code", w.frame_duration_code(), m.frame_duration_code);
    m.bsid = w.bsid();
    m.first_frame_number = w.first_frame_number();
    return m;
}

ConfigConfirm from_wire(const wire::ConfigConfirm& w, Reader& read) {
    ConfigConfirm m;
    if (!too_many(read, "faults", w.faults_size(), kMaxTexts)) m.faults.assign(w.faults().begin(), w.faults().end());
    m.sample_rate_hz = w.sample_rate_hz();
    m.rx_reference_dbm = w.rx_reference_dbm();
    m.tx_reference_dbm = w.tx_reference_dbm();
    m.lock_step = w.lock_step();
    m.superseded = w.superseded();
    return m;
}

ProfilesRequest from_wire(const wire::ProfilesRequest& w, Reader& read) {
    ProfilesRequest m;
    read("dcd_count", w.dcd_count(), m.dcd_count);
    if (static_cast<size_t>(w.diuc_rates_size()) != m.diuc_rates.size()) {
        read.faults().add(read.prefix() + "diuc_rates", std::to_string(w.diuc_rates_size()) + " elements", "16");
        return m;
    }
    for (size_t i = 0; i < m.diuc_rates.size(); ++i)
        read("diuc_rates", w.diuc_rates(static_cast<int>(i)), m.diuc_rates[i]);
    return m;
}

FrameTick from_wire(const wire::FrameTick& w, Reader& read) {
    FrameTick m;
    m.frame_number = w.frame_number();
    m.frame_start_sample = w.frame_start_sample();
    m.sample_rate_hz = w.sample_rate_hz();
    m.deadline_sample = w.deadline_sample();
    m.synchronised = w.synchronised();
    read("cp_denominator", w.cp_denominator(), m.cp_denominator);
    m.frame_samples = w.frame_samples();
    m.rssi_dbm = w.rssi_dbm();
    m.cinr_db = w.cinr_db();
    m.frequency_offset_hz = w.frequency_offset_hz();
    m.clock_offset_ppm = w.clock_offset_ppm();
    return m;
}

template <typename M, typename W>
void format_from_wire(const W& w, M& m, Reader& read) {
    m.start_slot = w.start_slot();
    read("rate_id", w.rate_id(), m.rate_id);
    read("iuc", w.iuc(), m.iuc);
    read("preamble_symbols", w.preamble_symbols(), m.preamble_symbols);
    read("data_symbols", w.data_symbols(), m.data_symbols);
    read("midamble_interval", w.midamble_interval(), m.midamble_interval);
    read("subchannel_index", w.subchannel_index(), m.subchannel_index);
    read("seed_frame_lsb", w.seed_frame_lsb(), m.seed_frame_lsb);
}

TxFrame from_wire(const wire::TxFrame& w, Reader& read) {
    TxFrame m;
    m.frame_number = w.frame_number();
    read("dcd_count", w.dcd_count(), m.dcd_count);
    m.timing_advance_samples = w.timing_advance_samples();
    m.frequency_adjust_hz = w.frequency_adjust_hz();
    m.power_dbm = w.power_dbm();
    if (too_many(read, "bursts", w.bursts_size(), kMaxBursts)) return m;
    m.bursts.resize(static_cast<size_t>(w.bursts_size()));
    for (int i = 0; i < w.bursts_size(); ++i) {
        Reader sub = read.sub("bursts", i);
        format_from_wire(w.bursts(i), m.bursts[static_cast<size_t>(i)], sub);
    }
    return m;
}

RxExpect from_wire(const wire::RxExpect& w, Reader& read) {
    RxExpect m;
    m.frame_number = w.frame_number();
    m.first_uplink_slot = w.first_uplink_slot();
    m.next_uplink_slot = w.next_uplink_slot();
    m.want_prefix_bursts = w.want_prefix_bursts();
    if (too_many(read, "allocations", w.allocations_size(), kMaxBursts)) return m;
    m.allocations.resize(static_cast<size_t>(w.allocations_size()));
    for (int i = 0; i < w.allocations_size(); ++i) {
        Reader sub = read.sub("allocations", i);
        const auto& from = w.allocations(i);
        auto& to = m.allocations[static_cast<size_t>(i)];
        format_from_wire(from, to, sub);
        sub("kind", from.kind(), to.kind);
        sub("search_slots", from.search_slots(), to.search_slots);
        sub("cid", from.cid(), to.cid);
    }
    return m;
}

RxBurst from_wire(const wire::RxBurst& w, Reader& read) {
    RxBurst m;
    m.frame_number = w.frame_number();
    read("kind", w.kind(), m.kind);
    read("index", w.index(), m.index);
    m.start_slot = w.start_slot();
    read("rate_id", w.rate_id(), m.rate_id);
    read("iuc", w.iuc(), m.iuc);
    read("cid", w.cid(), m.cid);
    m.detected = w.detected();
    m.fec_ok = w.fec_ok();
    read("failed_blocks", w.failed_blocks(), m.failed_blocks);
    read("corrected_bytes", w.corrected_bytes(), m.corrected_bytes);
    m.rssi_dbm = w.rssi_dbm();
    m.cinr_db = w.cinr_db();
    m.evm_db = w.evm_db();
    m.timing_offset_samples = w.timing_offset_samples();
    m.frequency_offset_hz = w.frequency_offset_hz();
    m.frame_start_sample = w.frame_start_sample();
    read("bsid_lsb", w.bsid_lsb(), m.bsid_lsb);
    read("change_count_lsb", w.change_count_lsb(), m.change_count_lsb);
    read("frame_lsb", w.frame_lsb(), m.frame_lsb);
    read("cp_denominator", w.cp_denominator(), m.cp_denominator);
    m.frame_samples = w.frame_samples();
    return m;
}

ErrorIndication from_wire(const wire::ErrorIndication& w, Reader& read) {
    ErrorIndication m;
    read("kind", w.kind(), m.kind);
    m.frame_number = w.frame_number();
    m.microseconds = w.microseconds();
    m.detail = w.detail();
    return m;
}

std::optional<Message> body(const wire::Envelope& e, Faults& faults) {
    const auto read = [&faults](const auto& w, const char* name) -> Message {
        Reader reader(faults, std::string(name) + ".");
        return from_wire(w, reader);
    };
    switch (e.body_case()) {
        case wire::Envelope::kConfigRequest: return read(e.config_request(), "config_request");
        case wire::Envelope::kConfigConfirm: return read(e.config_confirm(), "config_confirm");
        case wire::Envelope::kProfilesRequest: return read(e.profiles_request(), "profiles_request");
        case wire::Envelope::kFrameTick: return read(e.frame_tick(), "frame_tick");
        case wire::Envelope::kTxFrame: return read(e.tx_frame(), "tx_frame");
        case wire::Envelope::kRxExpect: return read(e.rx_expect(), "rx_expect");
        case wire::Envelope::kRxBurst: return read(e.rx_burst(), "rx_burst");
        case wire::Envelope::kErrorIndication: return read(e.error_indication(), "error_indication");
        case wire::Envelope::kProbe: return std::nullopt;
        case wire::Envelope::BODY_NOT_SET: break;
    }
    faults.add("body", "(none)", "a message of this schema version");
    return std::nullopt;
}

/// Session numbers travel once, in the envelope.
void set_sessions(Message& message, uint64_t mac_session, uint64_t phy_session) {
    std::visit(
        [&](auto& m) {
            if constexpr (requires { m.mac_session; }) m.mac_session = mac_session;
            if constexpr (requires { m.phy_session; }) m.phy_session = phy_session;
        },
        message);
}

void take_payloads(Message& message, std::span<const Part> parts, Faults& faults) {
    size_t expected = 0;
    if (auto* tx = std::get_if<TxFrame>(&message)) {
        expected = tx->bursts.size();
        if (parts.size() == expected)
            for (size_t i = 0; i < expected; ++i) tx->bursts[i].payload.assign(parts[i].begin(), parts[i].end());
    } else if (auto* rx = std::get_if<RxBurst>(&message)) {
        expected = 1;
        if (parts.size() == 1) rx->payload.assign(parts[0].begin(), parts[0].end());
    }
    if (parts.size() != expected) faults.add("payload parts", std::to_string(parts.size()), std::to_string(expected));
}

template <typename Answer, typename W>
Message empty_answer(const W& w) {
    Answer m;
    m.frame_number = w.frame_number() & kFrameNumberMask;
    return m;
}

}  // namespace

struct Codec::Impl {
    wire::Envelope out, in;
};

Codec::Codec() : impl_(std::make_unique<Impl>()) {}
Codec::~Codec() = default;
Codec::Codec(Codec&&) noexcept = default;

void Codec::encode(const std::optional<MessageRef>& message, uint32_t sequence, uint64_t mac_session,
                   uint64_t phy_session) {
    wire::Envelope& e = impl_->out;
    e.Clear();
    e.set_schema_version(kSchemaVersion);
    e.set_sequence(sequence);
    e.set_mac_session(mac_session);
    e.set_phy_session(phy_session);
    payloads_.clear();
    if (!message) {
        e.mutable_probe();
    } else {
        std::visit(Overloaded{
                       [&](const ConfigRequest* m) { to_wire(*m, *e.mutable_config_request()); },
                       [&](const ConfigConfirm* m) { to_wire(*m, *e.mutable_config_confirm()); },
                       [&](const ProfilesRequest* m) { to_wire(*m, *e.mutable_profiles_request()); },
                       [&](const FrameTick* m) { to_wire(*m, *e.mutable_frame_tick()); },
                       [&](const TxFrame* m) {
                           to_wire(*m, *e.mutable_tx_frame());
                           for (const auto& burst : m->bursts) payloads_.emplace_back(burst.payload);
                       },
                       [&](const RxExpect* m) { to_wire(*m, *e.mutable_rx_expect()); },
                       [&](const RxBurst* m) {
                           to_wire(*m, *e.mutable_rx_burst());
                           payloads_.emplace_back(m->payload);
                       },
                       [&](const ErrorIndication* m) { to_wire(*m, *e.mutable_error_indication()); },
                   },
                   *message);
    }
    header_.clear();
    e.AppendToString(&header_);
}

tl::expected<Envelope, Faults> Codec::decode(std::span<const Part> parts) {
    Faults faults;
    wire::Envelope& e = impl_->in;
    refused_answer_.reset();
    if (parts.empty() || parts[0].size() > (1U << 20) ||
        !e.ParseFromArray(parts[0].data(), static_cast<int>(parts[0].size()))) {
        faults.add("header", std::to_string(parts.empty() ? 0 : parts[0].size()) + " bytes", "an Envelope");
        return tl::unexpected(std::move(faults));
    }
    if (e.schema_version() != kSchemaVersion) {
        faults.add("schema_version", std::to_string(e.schema_version()), std::to_string(kSchemaVersion));
        return tl::unexpected(std::move(faults));
    }
    Envelope envelope{e.sequence(), e.mac_session(), e.phy_session(), body(e, faults)};
    if (envelope.message && faults.empty()) {
        take_payloads(*envelope.message, parts.subspan(1), faults);
        set_sessions(*envelope.message, envelope.mac_session, envelope.phy_session);
        if (faults.empty()) faults = validate(as_ref(*envelope.message));
    }
    if (faults.empty()) return envelope;
    if (e.has_tx_frame()) envelope.message = empty_answer<TxFrame>(e.tx_frame());
    if (e.has_rx_expect()) envelope.message = empty_answer<RxExpect>(e.rx_expect());
    if (e.has_tx_frame() || e.has_rx_expect()) refused_answer_ = std::move(envelope);
    return tl::unexpected(std::move(faults));
}

}  // namespace wimax::sap
