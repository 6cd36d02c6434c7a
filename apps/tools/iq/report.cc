/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/iq/report.h"
#include "tools/cli/python.h"

#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wimax::iq {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

bool write_samples(const fs::path& path, std::span<const Complex> samples) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(samples.data()), static_cast<std::streamsize>(samples.size_bytes()));
    return file.good();
}

// Three rows of 201 carriers a symbol: points, response, response of an STC zone's second antenna.
bool write_symbols(const fs::path& path, const std::vector<SeenSymbol>& symbols) {
    std::vector<Complex> rows;
    rows.reserve(symbols.size() * 3 * SeenSymbol::kCarriers);
    for (const auto& symbol : symbols) {
        rows.insert(rows.end(), symbol.points.begin(), symbol.points.end());
        rows.insert(rows.end(), symbol.response.begin(), symbol.response.end());
        rows.insert(rows.end(), symbol.second_response.begin(), symbol.second_response.end());
    }
    return write_samples(path, rows);
}

ordered_json limits() {
    ordered_json json{{"constellation_error_db", phy::kConstellationErrorLimitDb},
                      {"neighbour_db", phy::kNeighbourLimitDb},
                      {"carrier_zero_db", phy::kCarrierZeroLimitDb}};
    for (const auto& limit : phy::kFlatnessLimits)
        json["flatness"].push_back(
            {{"last_offset", limit.last_offset}, {"low_db", limit.low_db}, {"high_db", limit.high_db}});
    for (const auto& point : phy::kTransmitMask)
        json["mask"].push_back({{"bandwidths", point.bandwidths}, {"level_db", point.level_db}});
    return json;
}

// What the result for users leaves out.
void add_details(const DecodedFrame& frame, ordered_json& json) {
    json["start_fraction"] = frame.sync.start_fraction;
    for (size_t b = 0; b < frame.bursts.size(); ++b) {
        const auto& format = frame.bursts[b].format;
        auto& burst = json["bursts"][b];
        burst["end_symbol"] = frame.bursts[b].start_symbol + format.total_symbols();
        burst["rate"] = phy::kRateTable[format.rate_id].name;
        burst["bits_per_carrier"] = phy::kRateTable[format.rate_id].bits_per_carrier;
        burst["subchannel_index"] = format.subchannel_index;
    }
    for (size_t c = 0; c < frame.codes.size(); ++c)
        json["contention"][c]["end_symbol"] = (frame.codes[c].opportunity + 1) * phy::kContentionSymbols;
    for (size_t z = 0; z < frame.zones.size(); ++z)
        json["stc_zones"][z]["end_symbol"] = frame.zones[z].start_symbol + phy::kStcFirstBurstSymbol;
    json["symbols"] = ordered_json::array();
    for (const auto& symbol : frame.symbols)
        json["symbols"].push_back({{"burst_index", symbol.burst_index},
                                   {"symbol", symbol.symbol},
                                   {"response_window", symbol.response_window},
                                   {"phase_rad", symbol.phase_rad},
                                   {"delay_samples", symbol.delay_samples}});
}

// From a little before the first frame to a little behind the last one that is measured.
std::pair<size_t, size_t> measured_part(const Spec& spec, size_t size, const std::vector<DecodedFrame>& frames) {
    if (frames.empty()) return {0, std::min<size_t>(size, 1U << 20)};
    const auto& last = frames[std::min(frames.size(), kReportFrames) - 1];
    const int symbol_samples = phy::kFftSize + phy::kFftSize / static_cast<int>(last.sync.cp);
    int symbols = spec.direction == phy::Direction::downlink ? 3 : 0;
    for (const auto& burst : last.bursts)
        symbols = std::max(symbols, burst.start_symbol + burst.format.total_symbols());
    for (const auto& code : last.codes) symbols = std::max(symbols, (code.opportunity + 1) * phy::kContentionSymbols);
    for (const auto& zone : last.zones) symbols = std::max(symbols, zone.start_symbol + phy::kStcFirstBurstSymbol);
    const int64_t margin = 4 * symbol_samples, end = static_cast<int64_t>(size);
    const int64_t from = std::clamp<int64_t>(frames[0].sync.start_sample - margin, 0, end);
    const int64_t to = last.sync.start_sample + int64_t{symbols} * symbol_samples + margin;
    return {static_cast<size_t>(from), static_cast<size_t>(std::clamp(to, from, end))};
}

}  // namespace

Outcome make_report_folder(const std::string& directory) {
    const auto failed = [&](const std::string& why) { return tl::unexpected(Fault{"--report", "", why, directory}); };
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) return failed("cannot be made: " + error.message());
    if (access(directory.c_str(), W_OK) != 0) return failed("cannot be written");
    return {};
}

Outcome write_report(const std::string& directory, const Spec& spec, std::span<const Complex> samples,
                     const std::vector<DecodedFrame>& frames) {
    const fs::path base(directory);
    auto data = to_json(spec, frames);
    data["bandwidth_hz"] = spec.bandwidth_hz;
    data["sample_rate_hz"] = spec.numerology().sample_rate_hz;
    data["direction"] = spec.direction == phy::Direction::uplink ? "uplink" : "downlink";
    data["limits"] = limits();
    const auto [from, to] = measured_part(spec, samples.size(), frames);
    data["first_sample"] = from;
    bool good = write_samples(base / "recording.cf32", samples.subspan(from, to - from));
    for (size_t i = 0; i < std::min(frames.size(), kReportFrames); ++i) {
        add_details(frames[i], data["frames"][i]);
        good = write_symbols(base / ("symbols-" + std::to_string(i) + ".cf32"), frames[i].symbols) && good;
    }
    good = static_cast<bool>(std::ofstream(base / "decoded.json") << data.dump(1) << "\n") && good;
    if (!good) return tl::unexpected(Fault{"--report", "", "cannot be written", directory});
    return cli::run_python("wimax_tools.signal.report", base.string());
}

}  // namespace wimax::iq
