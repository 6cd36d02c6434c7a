// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/air_spectrum.h"

#include "phy/base/decibels.h"
#include "tools/radio/power_spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace wimax::radio {
namespace {

using nlohmann::ordered_json;

constexpr double kSilentS = 5;
constexpr size_t kColumns = 72, kRows = 14;

double hundredth(double value) { return std::round(value * 100) / 100; }

/// Adds the samples of `options.seconds` to the meter and counts those that clip.
tl::expected<size_t, Fault> listen(BenchRadio& radio, const SpectrumOptions& options, SpectrumMeter& meter,
                                   const std::function<bool(double, const std::string&)>& go_on) {
    const auto wanted = static_cast<int64_t>(options.seconds * static_cast<double>(radio.rate_hz()));
    radio.keep(1 << 12);
    size_t clipped = 0;
    auto heard = std::chrono::steady_clock::now();
    for (int64_t taken = 0;
         taken < wanted && go_on(static_cast<double>(taken) / static_cast<double>(wanted), "listening");) {
        if (const auto on = radio.listen(kListenTimeoutS); !on) return tl::unexpected(on.error());
        const auto now = std::chrono::steady_clock::now();
        if (!radio.newest().empty()) heard = now;
        if (std::chrono::duration<double>(now - heard).count() > kSilentS)
            return failure(radio.choice().device, "sends no samples");
        const auto packet = radio.newest().first(std::min(radio.newest().size(), static_cast<size_t>(wanted - taken)));
        taken += static_cast<int64_t>(packet.size());
        meter.add(packet);
        clipped += static_cast<size_t>(std::count_if(packet.begin(), packet.end(), [](const Complex& s) {
            return std::max(std::abs(s.real()), std::abs(s.imag())) >= 1;
        }));
    }
    return clipped;
}

}  // namespace

tl::expected<ordered_json, Fault> air_spectrum(BenchRadio& radio, const SpectrumOptions& options,
                                               const std::function<bool(double, const std::string&)>& go_on) {
    const auto bins = static_cast<size_t>(options.bins);
    SpectrumMeter meter(bins);
    const auto clipped = listen(radio, options, meter, go_on);
    if (!clipped) return tl::unexpected(clipped.error());
    const auto powers = meter.powers();
    const double rate = static_cast<double>(radio.rate_hz()), reference = radio.frontend().rx_reference_dbm();
    const double whole = std::accumulate(powers.begin(), powers.end(), 0.0), centre = radio.choice().frequency_hz;
    const double bin_hz = rate / static_cast<double>(bins);
    ordered_json result{{"frequency_hz", centre},
                        {"sample_rate_hz", radio.rate_hz()},
                        {"level_dbfs", hundredth(phy::decibels(whole))},
                        {"level_dbm", hundredth(phy::decibels(whole) + reference)},
                        {"floor_dbm_per_hz", hundredth(phy::decibels(noise_floor(powers) / bin_hz) + reference)},
                        {"clipped_samples", *clipped}};
    result["bands"] = ordered_json::array();
    for (const auto& band : occupied_bands(powers, rate, options.threshold_db))
        result["bands"].push_back({{"low_hz", centre + band.low_hz},
                                   {"high_hz", centre + band.high_hz},
                                   {"power_dbm", hundredth(phy::decibels(band.power) + reference)}});
    result["bin_hz"] = bin_hz;
    result["first_bin_hz"] = centre - rate / 2;
    for (const double power : powers) result["bins_dbm"].push_back(hundredth(phy::decibels(power) + reference));
    return result;
}

std::string spectrum_table(const ordered_json& result) {
    const auto bins = result["bins_dbm"].get<std::vector<double>>();
    const size_t columns = std::min(kColumns, bins.size());
    std::vector<double> tops(columns, -1e9);
    for (size_t i = 0; i < bins.size(); ++i)
        tops[i * columns / bins.size()] = std::max(tops[i * columns / bins.size()], bins[i]);
    const auto [low, high] = std::minmax_element(tops.begin(), tops.end());
    const double step = std::max(1.0, std::ceil((*high - *low) / static_cast<double>(kRows - 1)));
    const double top = std::ceil(*high);
    std::string text;
    for (size_t row = 0; row < kRows; ++row) {
        const double level = top - step * static_cast<double>(row + 1);
        text += fmt::format("{:>7.0f} |", level);
        for (const double value : tops) text += value >= level ? '#' : ' ';
        text += '\n';
    }
    const double from = result["first_bin_hz"].get<double>(), rate = result["sample_rate_hz"].get<double>();
    const std::string left = fmt::format("{:.6g}", from / 1e6), right = fmt::format("{:.6g} MHz", (from + rate) / 1e6);
    text += fmt::format("dBm/bin |{}{:>{}}\n\n", left, right, columns - left.size());
    text += fmt::format("level   {:.1f} dBm ({:.1f} dBFS), noise floor {:.1f} dBm/Hz, {} samples clipped\n",
                        result["level_dbm"].get<double>(), result["level_dbfs"].get<double>(),
                        result["floor_dbm_per_hz"].get<double>(), result["clipped_samples"].get<size_t>());
    for (const auto& band : result["bands"])
        text += fmt::format("occupied {:.4f} .. {:.4f} MHz, {:.1f} dBm\n", band["low_hz"].get<double>() / 1e6,
                            band["high_hz"].get<double>() / 1e6, band["power_dbm"].get<double>());
    return text + (result["bands"].empty() ? "nothing stands out of the noise\n" : "");
}

}  // namespace wimax::radio
