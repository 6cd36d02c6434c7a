/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/messages.h>
#include <gnuradio/wimax/phy/stc.h>

#include <cmath>
#include <string_view>

namespace gr::wimax {
namespace {

using pmt::pmt_t;
constexpr size_t kMaxBursts = 4096;
constexpr int64_t kMaxSlots = int64_t{1} << 31;
constexpr int64_t kMaxIndex = int64_t{phy::kStcZoneIndex} * phy::kMaxFrameSymbols;
constexpr double kNoLimit = 1e30;

/// Builds a dict; keys are unique by construction, so pairs go to the front without a search.
class Writer {
public:
    Writer() = default;
    explicit Writer(const char* message_name) { text(key::message, message_name); }
    void number(const char* name, int64_t v) { add(name, pmt::from_long(v)); }
    void real(const char* name, double v) { add(name, pmt::from_double(v)); }
    void flag(const char* name, bool v) { add(name, pmt::from_bool(v)); }
    void text(const char* name, const std::string& v) { add(name, pmt::intern(v)); }
    void direction(phy::Direction d) { text(key::direction, d == phy::Direction::uplink ? "uplink" : "downlink"); }
    void add(const char* name, const pmt_t& v) { dict_ = pmt::acons(pmt::mp(name), v, dict_); }
    void format(const phy::BurstFormat& f) {
        number(key::rate_id, f.rate_id);
        number(key::iuc, f.iuc);
        number(key::bsid_lsb, f.bsid_lsb);
        number(key::frame_lsb, f.frame_lsb);
        number(key::preamble_symbols, phy::preamble_symbols(f.preamble));
        number(key::data_symbols, f.data_symbols);
        number(key::midamble_interval, f.midamble_interval);
        number(key::subchannel_index, f.subchannel_index);
        if (f.stc) flag(key::stc, true);
    }
    const pmt_t& dict() const { return dict_; }
    pmt_t pdu() const { return pmt::cons(dict_, pmt::make_u8vector(0, 0)); }
    pmt_t pdu(const std::vector<uint8_t>& payload) const {
        return pmt::cons(dict_, pmt::init_u8vector(payload.size(), payload));
    }

private:
    pmt_t dict_ = pmt::make_dict();
};

/// Reads a dict and remembers the first fault.
class Reader {
public:
    explicit Reader(const pmt_t& dict) : dict_(dict) {
        if (!pmt::is_dict(dict) && !pmt::is_null(dict)) fault("PDU metadata: not a dictionary");
    }
    bool has(const char* name) const {
        return fault_.empty() && !pmt::is_null(dict_) && pmt::dict_has_key(dict_, pmt::mp(name));
    }
    int64_t number(const char* name, int64_t low = std::numeric_limits<int64_t>::min(),
                   int64_t high = std::numeric_limits<int64_t>::max()) {
        const pmt_t v = get(name);
        if (!v) return low;
        if (!pmt::is_integer(v)) {
            fault(std::string(name) + ": not an integer");
            return low;
        }
        const int64_t n = pmt::to_long(v);
        if (n < low || n > high)
            fault(std::string(name) + ": " + std::to_string(n) + ", allowed " + std::to_string(low) + " .. " +
                  std::to_string(high));
        return n;
    }
    float real(const char* name) {
        const pmt_t v = get(name);
        if (!v) return 0;
        if (!pmt::is_real(v) && !pmt::is_integer(v)) {
            fault(std::string(name) + ": not a number");
            return 0;
        }
        const double d = pmt::to_double(v);
        if (!std::isfinite(d) || std::abs(d) > kNoLimit) fault(std::string(name) + ": not a finite number");
        return static_cast<float>(d);
    }
    bool flag(const char* name) {
        const pmt_t v = get(name);
        if (!v) return false;
        if (!pmt::is_bool(v)) {
            fault(std::string(name) + ": not a boolean");
            return false;
        }
        return pmt::to_bool(v);
    }
    std::string text(const char* name) {
        const pmt_t v = get(name);
        if (!v) return {};
        if (!pmt::is_symbol(v)) {
            fault(std::string(name) + ": not a symbol");
            return {};
        }
        return pmt::symbol_to_string(v);
    }
    phy::Direction direction() {
        const std::string name = text(key::direction);
        if (name != "downlink" && name != "uplink") fault(std::string(key::direction) + ": allowed downlink, uplink");
        return name == "uplink" ? phy::Direction::uplink : phy::Direction::downlink;
    }
    phy::CyclicPrefix cp() {
        const int64_t d = number(key::cp_denominator, 4, 32);
        for (auto cp : phy::kCyclicPrefixes)
            if (static_cast<int64_t>(cp) == d) return cp;
        fault(std::string(key::cp_denominator) + ": allowed 4, 8, 16, 32");
        return phy::CyclicPrefix::g1_8;
    }
    phy::BurstFormat format() {
        phy::BurstFormat f;
        f.rate_id = static_cast<uint8_t>(number(key::rate_id, 0, phy::kRates - 1));
        f.iuc = static_cast<uint8_t>(number(key::iuc, 0, 15));
        f.bsid_lsb = static_cast<uint8_t>(number(key::bsid_lsb, 0, 15));
        f.frame_lsb = static_cast<uint8_t>(number(key::frame_lsb, 0, 15));
        f.preamble = static_cast<phy::Preamble>(number(key::preamble_symbols, 0, 2));
        f.data_symbols = static_cast<int>(number(key::data_symbols, 0, phy::kMaxFrameSymbols));
        f.midamble_interval = static_cast<uint8_t>(number(key::midamble_interval, 0, 3));
        f.subchannel_index = static_cast<uint8_t>(number(key::subchannel_index, 0, 31));
        f.stc = has(key::stc) && flag(key::stc);
        return f;
    }
    pmt_t get(const char* name) {
        if (!fault_.empty()) return nullptr;
        const pmt_t v = pmt::is_null(dict_) ? nullptr : pmt::dict_ref(dict_, pmt::mp(name), pmt_t{});
        if (!v) fault(std::string(name) + ": missing");
        return v;
    }
    void fault(std::string text) {
        if (fault_.empty()) fault_ = std::move(text);
    }
    const std::string& fault() const { return fault_; }

private:
    pmt_t dict_;
    std::string fault_;
};

template <typename T, typename Fill>
Parsed<T> parse(const pmt_t& pdu, Fill fill) {
    if (!pmt::is_pair(pdu)) return tl::unexpected(std::string("not a PDU (dict . vector)"));
    T m{};
    Reader r(pmt::car(pdu));
    if (r.fault().empty()) fill(r, m);
    if (!r.fault().empty()) return tl::unexpected(r.fault());
    return m;
}

std::vector<uint8_t> payload_of(Reader& r, const pmt_t& pdu) {
    const pmt_t data = pmt::cdr(pdu);
    if (!pmt::is_u8vector(data)) {
        r.fault("payload: not a u8vector");
        return {};
    }
    size_t n = 0;
    const uint8_t* p = pmt::u8vector_elements(data, n);
    return n == 0 ? std::vector<uint8_t>{} : std::vector<uint8_t>(p, p + n);
}

/// A list of dictionaries; each element's faults carry its position.
template <typename T, typename Fill>
std::vector<T> list_of(Reader& r, const char* name, Fill fill) {
    std::vector<T> out;
    const pmt_t list = r.get(name);
    if (!list) return out;
    if (!pmt::is_vector(list) || pmt::length(list) > kMaxBursts) {
        r.fault(std::string(name) + ": not a vector of at most " + std::to_string(kMaxBursts) + " dictionaries");
        return out;
    }
    out.resize(pmt::length(list));
    for (size_t i = 0; i < out.size(); ++i) {
        Reader item(pmt::vector_ref(list, i));
        if (item.fault().empty()) fill(item, out[i]);
        if (!item.fault().empty()) r.fault(std::string(name) + "[" + std::to_string(i) + "]." + item.fault());
    }
    return out;
}

std::vector<uint32_t> slots(Reader& r, const char* name) {
    const pmt_t list = r.get(name);
    if (!list) return {};
    if (!pmt::is_u32vector(list) || pmt::length(list) > kMaxBursts) {
        r.fault(std::string(name) + ": not a u32vector of at most " + std::to_string(kMaxBursts) + " numbers");
        return {};
    }
    auto out = pmt::u32vector_elements(list);
    for (const auto slot : out)
        if (slot > kMaxSlots) r.fault(std::string(name) + ": beyond " + std::to_string(kMaxSlots));
    return out;
}

uint32_t frame_number(Reader& r) { return static_cast<uint32_t>(r.number(key::frame_number, 0, kFrameNumberMask)); }
uint8_t nibble(Reader& r, const char* name) { return static_cast<uint8_t>(r.number(name, 0, 15)); }

}  // namespace

std::string message_name(const pmt_t& pdu) {
    if (!pmt::is_pair(pdu) || !pmt::is_dict(pmt::car(pdu))) return {};
    const pmt_t name = pmt::dict_ref(pmt::car(pdu), pmt::mp(key::message), pmt::PMT_NIL);
    return pmt::is_symbol(name) ? pmt::symbol_to_string(name) : std::string{};
}

pmt_t to_pdu(const TransmitFrame& m) {
    Writer w(port::tx);
    w.direction(m.direction);
    w.number(key::frame_number, m.frame_number);
    w.number(key::frame_start_sample, m.frame_start_sample);
    w.number(key::deadline_sample, m.deadline_sample);
    w.number(key::cp_denominator, static_cast<int64_t>(m.cp));
    w.number(key::bsid_lsb, m.bsid_lsb);
    w.number(key::change_count_lsb, m.change_count_lsb);
    w.number(key::timing_advance_samples, m.timing_advance_samples);
    w.real(key::frequency_hz, m.frequency_hz);
    w.real(key::power_dbfs, m.power_dbfs);
    const pmt_t list = pmt::make_vector(m.bursts.size(), pmt::PMT_NIL);
    for (size_t i = 0; i < m.bursts.size(); ++i) {
        Writer b;
        b.number(key::start_slot, m.bursts[i].start_slot);
        b.format(m.bursts[i].format);
        b.number(key::payload_bytes, m.bursts[i].payload_bytes);
        pmt::vector_set(list, i, b.dict());
    }
    w.add(key::bursts, list);
    const pmt_t codes = pmt::make_vector(m.codes.size(), pmt::PMT_NIL);
    for (size_t i = 0; i < m.codes.size(); ++i) {
        Writer c;
        c.number(key::start_slot, m.codes[i].start_slot);
        c.number(key::channel, m.codes[i].what.channel);
        c.number(key::code, m.codes[i].what.code);
        c.real(key::boost_db, m.codes[i].boost_db);
        pmt::vector_set(codes, i, c.dict());
    }
    if (!m.codes.empty()) w.add(key::codes, codes);
    return w.pdu(m.payload);
}

Parsed<TransmitFrame> parse_transmit_frame(const pmt_t& pdu) {
    return parse<TransmitFrame>(pdu, [&](Reader& r, TransmitFrame& m) {
        m.direction = r.direction();
        m.frame_number = frame_number(r);
        m.frame_start_sample = r.number(key::frame_start_sample);
        m.deadline_sample = r.has(key::deadline_sample) ? r.number(key::deadline_sample) : kNoDeadline;
        m.cp = r.cp();
        m.bsid_lsb = nibble(r, key::bsid_lsb);
        m.change_count_lsb = nibble(r, key::change_count_lsb);
        m.timing_advance_samples =
            static_cast<int32_t>(r.number(key::timing_advance_samples, std::numeric_limits<int32_t>::min() / 2,
                                          std::numeric_limits<int32_t>::max() / 2));
        m.frequency_hz = r.real(key::frequency_hz);
        m.power_dbfs = r.real(key::power_dbfs);
        m.bursts = list_of<TransmitBurst>(r, key::bursts, [](Reader& item, TransmitBurst& b) {
            b.start_slot = static_cast<uint32_t>(item.number(key::start_slot, 0, kMaxSlots));
            b.format = item.format();
            b.payload_bytes = static_cast<uint32_t>(item.number(key::payload_bytes, 0, kMaxSlots));
        });
        if (r.has(key::codes))
            m.codes = list_of<TransmitCode>(r, key::codes, [](Reader& item, TransmitCode& c) {
                c.start_slot = static_cast<uint32_t>(item.number(key::start_slot, 0, kMaxSlots));
                c.what.channel = static_cast<uint8_t>(item.number(key::channel, 0, phy::kContentionChannels - 1));
                c.what.code = static_cast<uint8_t>(item.number(key::code, 0, phy::kContentionCodes.size() - 1));
                c.boost_db = item.real(key::boost_db);
            });
        m.payload = payload_of(r, pdu);
        uint64_t sum = 0;
        for (const auto& b : m.bursts) sum += b.payload_bytes;
        if (sum != m.payload.size()) r.fault("payload: its length is not the sum of payload_bytes");
    });
}

pmt_t to_pdu(const Expectation& m) {
    Writer w(port::expect);
    w.number(key::frame_number, m.frame_number);
    w.number(key::first_uplink_slot, m.first_uplink_slot);
    w.number(key::next_uplink_slot, m.next_uplink_slot);
    w.flag(key::want_prefix_bursts, m.want_prefix_bursts);
    if (!m.contention_slots.empty())
        w.add(key::contention_slots, pmt::init_u32vector(m.contention_slots.size(), m.contention_slots));
    if (!m.stc_zone_slots.empty())
        w.add(key::stc_zone_slots, pmt::init_u32vector(m.stc_zone_slots.size(), m.stc_zone_slots));
    const pmt_t list = pmt::make_vector(m.bursts.size(), pmt::PMT_NIL);
    for (size_t i = 0; i < m.bursts.size(); ++i) {
        Writer b;
        b.number(key::start_slot, m.bursts[i].start_slot);
        b.format(m.bursts[i].format);
        b.number(key::search_slots, m.bursts[i].search_slots);
        b.number(key::reference, m.bursts[i].reference);
        pmt::vector_set(list, i, b.dict());
    }
    w.add(key::bursts, list);
    return w.pdu();
}

Parsed<Expectation> parse_expectation(const pmt_t& pdu) {
    return parse<Expectation>(pdu, [](Reader& r, Expectation& m) {
        m.frame_number = frame_number(r);
        m.first_uplink_slot = static_cast<uint32_t>(r.number(key::first_uplink_slot, 0, kMaxSlots));
        m.next_uplink_slot = static_cast<uint32_t>(r.number(key::next_uplink_slot, 0, kMaxSlots));
        m.want_prefix_bursts = r.flag(key::want_prefix_bursts);
        if (r.has(key::contention_slots)) m.contention_slots = slots(r, key::contention_slots);
        if (r.has(key::stc_zone_slots)) m.stc_zone_slots = slots(r, key::stc_zone_slots);
        m.bursts = list_of<ExpectedBurst>(r, key::bursts, [](Reader& item, ExpectedBurst& b) {
            b.start_slot = static_cast<uint32_t>(item.number(key::start_slot, 0, kMaxSlots));
            b.format = item.format();
            b.search_slots = static_cast<uint32_t>(item.number(key::search_slots, 0, 65535));
            b.reference = static_cast<uint32_t>(item.number(key::reference, 0, 0xFFFFFFFFLL));
        });
    });
}

pmt_t to_pdu(const BurstReport& m) {
    Writer w(port::burst);
    w.direction(m.direction);
    w.number(key::frame_number, m.frame_number);
    w.number(key::reference, m.reference);
    w.number(key::start_slot, m.start_slot);
    w.format(m.burst.format);
    w.number(key::index, m.burst.index);
    w.number(key::start_sample, m.burst.start_sample);
    w.flag(key::detected, m.burst.detected);
    w.flag(key::fec_ok, m.burst.fec_ok);
    w.number(key::failed_blocks, m.burst.failed_blocks);
    w.number(key::corrected_bytes, m.burst.corrected_bytes);
    w.real(key::rssi_dbfs, m.burst.measured.rssi_dbfs);
    w.real(key::cinr_db, m.burst.measured.cinr_db);
    w.real(key::evm_db, m.burst.measured.evm_db);
    w.real(key::timing_offset_samples, m.burst.measured.timing_offset_samples);
    w.real(key::frequency_offset_hz, m.burst.measured.frequency_offset_hz);
    w.flag(key::attached, m.attached);
    w.number(key::frame_start_sample, m.frame_start_sample);
    w.number(key::prefix_bsid_lsb, m.bsid_lsb);
    w.number(key::change_count_lsb, m.change_count_lsb);
    w.number(key::prefix_frame_lsb, m.frame_lsb);
    w.number(key::cp_denominator, static_cast<int64_t>(m.cp));
    w.number(key::frame_samples, m.frame_samples);
    return w.pdu(m.burst.payload);
}

Parsed<BurstReport> parse_burst_report(const pmt_t& pdu) {
    return parse<BurstReport>(pdu, [&](Reader& r, BurstReport& m) {
        m.direction = r.direction();
        m.frame_number = frame_number(r);
        m.reference = static_cast<uint32_t>(r.number(key::reference, 0, 0xFFFFFFFFLL));
        m.start_slot = static_cast<uint32_t>(r.number(key::start_slot, 0, kMaxSlots));
        m.burst.format = r.format();
        m.burst.index = static_cast<int>(r.number(key::index, 0, kMaxIndex));
        m.burst.start_sample = r.number(key::start_sample);
        m.burst.detected = r.flag(key::detected);
        m.burst.fec_ok = r.flag(key::fec_ok);
        m.burst.failed_blocks = static_cast<int>(r.number(key::failed_blocks, 0, 1 << 24));
        m.burst.corrected_bytes = static_cast<int>(r.number(key::corrected_bytes, 0, 1 << 24));
        m.burst.measured.rssi_dbfs = r.real(key::rssi_dbfs);
        m.burst.measured.cinr_db = r.real(key::cinr_db);
        m.burst.measured.evm_db = r.real(key::evm_db);
        m.burst.measured.timing_offset_samples = r.real(key::timing_offset_samples);
        m.burst.measured.frequency_offset_hz = r.real(key::frequency_offset_hz);
        m.attached = r.flag(key::attached);
        m.frame_start_sample = r.number(key::frame_start_sample);
        m.bsid_lsb = nibble(r, key::prefix_bsid_lsb);
        m.change_count_lsb = nibble(r, key::change_count_lsb);
        m.frame_lsb = nibble(r, key::prefix_frame_lsb);
        m.cp = r.cp();
        m.frame_samples = r.number(key::frame_samples, 0, int64_t{1} << 32);
        m.burst.payload = payload_of(r, pdu);
    });
}

pmt_t to_pdu(const ContentionReport& m) {
    Writer w(port::contention);
    w.number(key::frame_number, m.frame_number);
    w.number(key::start_slot, m.start_slot);
    w.flag(key::attached, m.attached);
    const pmt_t list = pmt::make_vector(m.codes.size(), pmt::PMT_NIL);
    for (size_t i = 0; i < m.codes.size(); ++i) {
        Writer c;
        c.number(key::channel, m.codes[i].what.channel);
        c.number(key::code, m.codes[i].what.code);
        c.real(key::snr_db, m.codes[i].snr_db);
        c.real(key::rssi_dbfs, m.codes[i].rssi_dbfs);
        c.real(key::certainty, m.codes[i].certainty);
        pmt::vector_set(list, i, c.dict());
    }
    w.add(key::codes, list);
    return w.pdu();
}

pmt_t to_pdu(const Tick& m) {
    Writer w(port::tick);
    w.number(key::frame_number, m.frame_number);
    w.number(key::frame_start_sample, m.frame_start_sample);
    w.number(key::deadline_sample, m.deadline_sample);
    w.number(key::sample_rate_hz, m.sample_rate_hz);
    w.flag(key::attached, m.attached);
    w.flag(key::synchronised, m.synchronised);
    w.number(key::cp_denominator, static_cast<int64_t>(m.cp));
    w.number(key::frame_samples, m.frame_samples);
    w.number(key::bsid_lsb, m.bsid_lsb);
    w.real(key::rssi_dbfs, m.rssi_dbfs);
    w.real(key::cinr_db, m.cinr_db);
    w.real(key::frequency_offset_hz, m.frequency_offset_hz);
    w.real(key::clock_offset_ppm, m.clock_offset_ppm);
    return w.pdu();
}

Parsed<Tick> parse_tick(const pmt_t& pdu) {
    return parse<Tick>(pdu, [](Reader& r, Tick& m) {
        m.frame_number = frame_number(r);
        m.frame_start_sample = r.number(key::frame_start_sample);
        m.deadline_sample = r.number(key::deadline_sample);
        m.sample_rate_hz = r.number(key::sample_rate_hz, 0, int64_t{1} << 32);
        m.attached = r.flag(key::attached);
        m.synchronised = r.flag(key::synchronised);
        m.cp = r.cp();
        m.frame_samples = r.number(key::frame_samples, 0, int64_t{1} << 32);
        m.bsid_lsb = nibble(r, key::bsid_lsb);
        m.rssi_dbfs = r.real(key::rssi_dbfs);
        m.cinr_db = r.real(key::cinr_db);
        m.frequency_offset_hz = r.real(key::frequency_offset_hz);
        m.clock_offset_ppm = r.real(key::clock_offset_ppm);
    });
}

pmt_t to_pdu(const Done& m) {
    Writer w(port::done);
    w.number(key::frame_number, m.frame_number);
    return w.pdu();
}

Parsed<Done> parse_done(const pmt_t& pdu) {
    return parse<Done>(pdu, [](Reader& r, Done& m) { m.frame_number = frame_number(r); });
}

pmt_t to_pdu(const ErrorReport& m) {
    Writer w(port::error);
    w.text(key::kind, m.kind);
    w.number(key::frame_number, m.frame_number);
    w.number(key::microseconds, m.microseconds);
    // A string that differs each time must not be interned for ever: it travels as the payload.
    return w.pdu(std::vector<uint8_t>(m.detail.begin(), m.detail.end()));
}

Parsed<ErrorReport> parse_error_report(const pmt_t& pdu) {
    return parse<ErrorReport>(pdu, [&](Reader& r, ErrorReport& m) {
        m.kind = r.text(key::kind);
        m.frame_number = frame_number(r);
        m.microseconds = r.number(key::microseconds);
        const auto detail = payload_of(r, pdu);
        m.detail.assign(detail.begin(), detail.end());
    });
}

pmt_t to_pdu(const Control& m) {
    Writer w(port::control);
    if (m.attached) w.flag(key::attached, *m.attached);
    if (m.first_frame_number) w.number(key::first_frame_number, *m.first_frame_number);
    if (m.diuc_rates)
        w.add(key::diuc_rates,
              pmt::init_s32vector(16, std::vector<int32_t>(m.diuc_rates->begin(), m.diuc_rates->end())));
    return w.pdu();
}

Parsed<Control> parse_control(const pmt_t& pdu) {
    return parse<Control>(pdu, [](Reader& r, Control& m) {
        if (r.has(key::attached)) m.attached = r.flag(key::attached);
        if (r.has(key::first_frame_number))
            m.first_frame_number = static_cast<uint32_t>(r.number(key::first_frame_number, 0, kFrameNumberMask));
        if (!r.has(key::diuc_rates)) return;
        const pmt_t v = r.get(key::diuc_rates);
        if (!pmt::is_s32vector(v) || pmt::length(v) != 16) return r.fault("diuc_rates: not an s32vector of 16");
        m.diuc_rates.emplace();
        for (size_t i = 0; i < 16; ++i) {
            const int32_t rate = pmt::s32vector_ref(v, i);
            if (rate < -1 || rate >= phy::kRates) return r.fault("diuc_rates: allowed -1 .. 6");
            (*m.diuc_rates)[i] = static_cast<int8_t>(rate);
        }
    });
}

}  // namespace gr::wimax
