// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/transmit_limits.h>

#include "radio/refusal.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax {
namespace {

std::string band_text(const Band& band) {
    return number_text(band.low_hz / 1e6) + " .. " + number_text(band.high_hz / 1e6) + " MHz";
}

void check_range(std::vector<phy::Fault>& faults, const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
        faults.push_back(phy::out_of_range(key, number_text(value), number_text(low), number_text(high)));
}

}  // namespace

std::string describe(const std::vector<Band>& bands) {
    std::string all;
    for (const auto& band : bands) all += (all.empty() ? "" : ", ") + band_text(band);
    return all.empty() ? "none" : all;
}

std::vector<phy::Fault> limit_faults(const TransmitLimits& limits) {
    std::vector<phy::Fault> faults;
    if (limits.enable && limits.allowed_bands.empty())
        faults.push_back({"allowed_bands", "(none)",
                          "with tx_enable: a list of {low_hz: ..., high_hz: ...}, the bands you may transmit in"});
    for (size_t i = 0; i < limits.allowed_bands.size(); ++i) {
        const auto& band = limits.allowed_bands[i];
        if (band.low_hz >= 0 && band.low_hz < band.high_hz && std::isfinite(band.high_hz)) continue;
        faults.push_back(
            {"allowed_bands[" + std::to_string(i) + "]", band_text(band), "low_hz below high_hz, neither below 0"});
    }
    if (limits.enable && !limits.max_power_dbm)
        faults.push_back({"max_power_dbm", "null",
                          "with tx_enable: " + number_text(kMinPowerLimitDbm) + ".." + number_text(kMaxPowerLimitDbm)});
    if (limits.max_power_dbm)
        check_range(faults, "max_power_dbm", *limits.max_power_dbm, kMinPowerLimitDbm, kMaxPowerLimitDbm);
    if (limits.longest_burst_ms)
        check_range(faults, "longest_burst_ms", *limits.longest_burst_ms, kMinBurstMs, kMaxBurstMs);
    check_range(faults, "max_duty_cycle", limits.max_duty_cycle, kMinDutyCycle, 1);
    check_range(faults, "duty_window_ms", limits.duty_window_ms, kMinDutyWindowMs, kMaxDutyWindowMs);
    return faults;
}

std::vector<phy::Fault> continuity_faults(const TransmitLimits& limits) {
    std::vector<phy::Fault> faults;
    if (!limits.enable) return faults;
    if (limits.longest_burst_ms)
        faults.push_back({"longest_burst_ms", number_text(*limits.longest_burst_ms),
                          "null with two carriers (FDD): its frames follow each other without a pause"});
    if (limits.max_duty_cycle < 1)
        faults.push_back({"max_duty_cycle", number_text(limits.max_duty_cycle),
                          "1 with two carriers (FDD): its frames follow each other without a pause"});
    return faults;
}

std::optional<phy::Fault> band_fault(const TransmitLimits& limits, double frequency_hz, double bandwidth_hz) {
    if (!limits.enable) return std::nullopt;
    const Band channel{frequency_hz - bandwidth_hz / 2, frequency_hz + bandwidth_hz / 2};
    const bool inside = std::any_of(limits.allowed_bands.begin(), limits.allowed_bands.end(), [&](const Band& b) {
        return channel.low_hz >= b.low_hz && channel.high_hz <= b.high_hz;
    });
    if (inside) return std::nullopt;
    return phy::Fault{
        "allowed_bands", describe(limits.allowed_bands),
        "bands that hold the whole channel at " + number_text(frequency_hz) + " Hz, " + band_text(channel)};
}

}  // namespace gr::wimax
