/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sap/codec.h>

#include <gnuradio/wimax/phy/numerology.h>

#include <cmath>
#include <cstdio>

namespace wimax::sap {
namespace {

namespace phy = gr::wimax::phy;

// 2047 symbols of 80 slots (cyclic prefix 1/4) is the longest frame the maps can describe.
constexpr uint32_t kMaxSlot = phy::kMaxFrameSymbols * 80;
constexpr uint32_t kMaxFrameSamples = kMaxSlot * phy::kSamplesPerSlot;
constexpr double kMaxHz = 1e12;

class Checker {
public:
    Checker(Faults& faults, std::string prefix) : faults_(faults), prefix_(std::move(prefix)) {}

    template <typename T, typename L, typename H>
    void operator()(const char* key, T value, L low, H high) {
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isfinite(value) && value >= low && value <= high) return;
            add(key, number(value), number(low) + ".." + number(high));
        } else {
            if (static_cast<int64_t>(value) >= static_cast<int64_t>(low) &&
                static_cast<int64_t>(value) <= static_cast<int64_t>(high))
                return;
            add(key, std::to_string(+value), std::to_string(+low) + ".." + std::to_string(+high));
        }
    }
    void add(const char* key, std::string value, std::string allowed) {
        faults_.add(prefix_ + key, std::move(value), std::move(allowed));
    }
    void prefix_code(const char* key, uint8_t cp) {
        if (cp != 4 && cp != 8 && cp != 16 && cp != 32) add(key, std::to_string(cp), "4, 8, 16, 32");
    }
    Checker sub(const char* key, size_t i) const { return {faults_, prefix_ + key + "[" + std::to_string(i) + "]."}; }

private:
    static std::string number(double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", value);
        return text;
    }
    Faults& faults_;
    std::string prefix_;
};

template <typename E>
int raw(E e) {
    return static_cast<int>(e);
}

void check(const ConfigRequest& m, Checker& check) {
    check("role", raw(m.role), 0, 1);
    check("bandwidth_hz", m.bandwidth_hz, 1'250'000, 28'000'000);
    check("frequency_hz", m.frequency_hz, 1'000'000, 100'000'000'000);
    check("tx_gain_db", m.tx_gain_db, -200.0, 200.0);
    check("rx_gain_db", m.rx_gain_db, -200.0, 200.0);
    check.prefix_code("cp_denominator", m.cp_denominator);
    check("frame_duration_code", m.frame_duration_code, 0, 6);
    check("bsid", m.bsid, 0, 0xFFFFFFFFFFFF);
    check("first_frame_number", m.first_frame_number, 0, kFrameNumberMask);
}

void check(const ConfigConfirm& m, Checker& check) {
    check("faults", m.faults.size(), 0, kMaxTexts);
    for (size_t i = 0; i < m.faults.size(); ++i) check.sub("faults", i)("bytes", m.faults[i].size(), 0, kMaxTextBytes);
    check("sample_rate_hz", m.sample_rate_hz, 0, 1'000'000'000);
    check("rx_reference_dbm", m.rx_reference_dbm, -400.0, 400.0);
    check("tx_reference_dbm", m.tx_reference_dbm, -400.0, 400.0);
}

void check(const ProfilesRequest& m, Checker& check) {
    for (size_t i = 0; i < m.diuc_rates.size(); ++i)
        if (m.diuc_rates[i] < -1 || m.diuc_rates[i] >= phy::kRates)
            check.add(("diuc_rates[" + std::to_string(i) + "]").c_str(), std::to_string(m.diuc_rates[i]), "-1..6");
}

void check(const FrameTick& m, Checker& check) {
    check("frame_number", m.frame_number, 0, kFrameNumberMask);
    check("sample_rate_hz", m.sample_rate_hz, 1, 1'000'000'000);
    check.prefix_code("cp_denominator", m.cp_denominator);
    check("frame_samples", m.frame_samples, 0, kMaxFrameSamples);
    check("rssi_dbm", m.rssi_dbm, -1000.0, 1000.0);
    check("cinr_db", m.cinr_db, -1000.0, 1000.0);
    check("frequency_offset_hz", m.frequency_offset_hz, -kMaxHz, kMaxHz);
    check("clock_offset_ppm", m.clock_offset_ppm, -1e6, 1e6);
}

template <typename M>
void check_format(const M& m, Checker& check) {
    check("start_slot", m.start_slot, 0, kMaxSlot);
    check("rate_id", m.rate_id, 0, phy::kRates - 1);
    check("iuc", m.iuc, 0, 15);
    check("preamble_symbols", m.preamble_symbols, 0, 2);
    check("data_symbols", m.data_symbols, 0, phy::kMaxFrameSymbols);
    check("midamble_interval", m.midamble_interval, 0, 3);
    check("subchannel_index", m.subchannel_index, 1, 31);
    check("seed_frame_lsb", m.seed_frame_lsb, 0, 15);
}

void check(const TxFrame& m, Checker& checker) {
    checker("frame_number", m.frame_number, 0, kFrameNumberMask);
    checker("timing_advance_samples", m.timing_advance_samples, -1'000'000, 1'000'000);
    checker("frequency_adjust_hz", m.frequency_adjust_hz, -1e6, 1e6);
    checker("power_dbm", m.power_dbm, -400.0, 400.0);
    checker("bursts", m.bursts.size(), 0, kMaxBursts);
    for (size_t i = 0; i < m.bursts.size(); ++i) {
        Checker sub = checker.sub("bursts", i);
        const TxBurst& burst = m.bursts[i];
        check_format(burst, sub);
        if (burst.rate_id >= phy::kRates) continue;
        const int capacity = phy::burst_capacity_bytes(burst.rate_id, burst.data_symbols);
        sub("payload bytes", burst.payload.size(), 0, std::max(capacity, 0));
    }
}

void check(const RxExpect& m, Checker& checker) {
    checker("frame_number", m.frame_number, 0, kFrameNumberMask);
    checker("first_uplink_slot", m.first_uplink_slot, 0, kMaxSlot);
    checker("next_uplink_slot", m.next_uplink_slot, 0, kMaxSlot);
    checker("allocations", m.allocations.size(), 0, kMaxBursts);
    for (size_t i = 0; i < m.allocations.size(); ++i) {
        Checker sub = checker.sub("allocations", i);
        check_format(m.allocations[i], sub);
        sub("kind", raw(m.allocations[i].kind), 0, 2);
    }
}

void check(const RxBurst& m, Checker& check) {
    check("frame_number", m.frame_number, 0, kFrameNumberMask);
    check("kind", raw(m.kind), 0, 2);
    check("start_slot", m.start_slot, 0, kMaxSlot);
    check("rate_id", m.rate_id, 0, phy::kRates - 1);
    check("iuc", m.iuc, 0, 15);
    check("rssi_dbm", m.rssi_dbm, -1000.0, 1000.0);
    check("cinr_db", m.cinr_db, -1000.0, 1000.0);
    check("evm_db", m.evm_db, -1000.0, 1000.0);
    check("timing_offset_samples", m.timing_offset_samples, -1e6, 1e6);
    check("frequency_offset_hz", m.frequency_offset_hz, -kMaxHz, kMaxHz);
    check("bsid_lsb", m.bsid_lsb, 0, 15);
    check("change_count_lsb", m.change_count_lsb, 0, 15);
    check("frame_lsb", m.frame_lsb, 0, 15);
    check.prefix_code("cp_denominator", m.cp_denominator);
    check("frame_samples", m.frame_samples, 0, kMaxFrameSamples);
    check("payload bytes", m.payload.size(), 0, phy::burst_capacity_bytes(phy::kRates - 1, phy::kMaxFrameSymbols));
}

void check(const ErrorIndication& m, Checker& check) {
    check("kind", raw(m.kind), 0, raw(ErrorKind::time_jump));
    check("frame_number", m.frame_number, 0, kFrameNumberMask);
    check("detail bytes", m.detail.size(), 0, kMaxTextBytes);
}

const char* name(const ConfigRequest&) { return "ConfigRequest"; }
const char* name(const ConfigConfirm&) { return "ConfigConfirm"; }
const char* name(const ProfilesRequest&) { return "ProfilesRequest"; }
const char* name(const FrameTick&) { return "FrameTick"; }
const char* name(const TxFrame&) { return "TxFrame"; }
const char* name(const RxExpect&) { return "RxExpect"; }
const char* name(const RxBurst&) { return "RxBurst"; }
const char* name(const ErrorIndication&) { return "ErrorIndication"; }

}  // namespace

void Faults::add(std::string key, std::string value, std::string allowed) {
    if (list.size() < kMax)
        list.push_back({std::move(key), std::move(value), std::move(allowed)});
    else
        ++suppressed;
}

std::string Faults::str() const {
    std::string out;
    for (const auto& fault : list)
        out += (out.empty() ? "" : "; ") + fault.key + ": value " + fault.value + ": allowed " + fault.allowed;
    if (suppressed > 0) out += "; " + std::to_string(suppressed) + " more";
    return out;
}

Faults validate(const MessageRef& message) {
    Faults faults;
    std::visit(
        [&faults](const auto* m) {
            Checker checker(faults, std::string(name(*m)) + ".");
            check(*m, checker);
        },
        message);
    return faults;
}

std::string summary(const MessageRef& message) {
    return std::visit(
        [](const auto* m) {
            std::string out = name(*m);
            if constexpr (requires { m->frame_number; }) out += " " + std::to_string(m->frame_number);
            if constexpr (requires { m->bursts; }) {
                size_t bytes = 0;
                for (const auto& burst : m->bursts) bytes += burst.payload.size();
                out += ": " + std::to_string(m->bursts.size()) + " bursts, " + std::to_string(bytes) + " bytes";
            }
            if constexpr (requires { m->allocations; })
                out += ": " + std::to_string(m->allocations.size()) + " allocations";
            if constexpr (requires { m->fec_ok; })
                out += ": index " + std::to_string(m->index) + " rate " + std::to_string(m->rate_id) +
                       (!m->detected ? " nothing"
                        : m->fec_ok  ? " ok"
                                     : " bad") +
                       ", " + std::to_string(m->payload.size()) + " bytes";
            if constexpr (requires { m->faults; }) out += ": " + std::to_string(m->faults.size()) + " faults";
            if constexpr (requires { m->detail; })
                out += ": kind " + std::to_string(raw(m->kind)) + ", " + std::to_string(m->microseconds) + " us " +
                       m->detail;
            return out;
        },
        message);
}

}  // namespace wimax::sap
