// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/report.h"
#include "tools/cli/provenance.h"
#include "tools/cli/python.h"

#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace wimax::iq {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

bool write_samples(const fs::path& path, std::span<const Complex> samples) {
    OutputStream file;
    if (!file.open(path.string())) return false;
    file.write(reinterpret_cast<const char*>(samples.data()), static_cast<std::streamsize>(samples.size_bytes()));
    return file.close();
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

constexpr std::array kTrendColumns{"start_sample", "snr_db", "rssi_dbfs", "cfo_hz",          "sfo_ppm",
                                   "fch_ok",       "bursts", "failed",    "corrected_bytes", "payload_bytes"};
/// Frames whose bursts the page lists, and samples that it measures at most (128 MiB).
constexpr int64_t kListedFrames = 400;
constexpr int64_t kMeasuredSamples = int64_t{1} << 24;

int symbol_samples(const DecodedFrame& frame) {
    return phy::kFftSize + phy::kFftSize / static_cast<int>(frame.sync.cp);
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

// Samples of a frame from its start on.
int64_t frame_length(const Spec& spec, const DecodedFrame& frame) {
    int symbols = spec.direction == phy::Direction::downlink ? phy::kFirstBurstSymbol : 0;
    for (const auto& burst : frame.bursts)
        symbols = std::max(symbols, burst.start_symbol + burst.format.total_symbols());
    for (const auto& code : frame.codes) symbols = std::max(symbols, (code.opportunity + 1) * phy::kContentionSymbols);
    for (const auto& zone : frame.zones) symbols = std::max(symbols, zone.start_symbol + phy::kStcFirstBurstSymbol);
    return int64_t{symbols} * symbol_samples(frame);
}

// A row of the trends: kTrendColumns, then the worst EVM of each rate.
using TrendRow = std::array<double, kTrendColumns.size() + phy::kRates>;

TrendRow trend_row(const Spec& spec, const DecodedFrame& frame) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const bool downlink = spec.direction == phy::Direction::downlink;
    const auto& sync = frame.sync;
    double failed = 0, corrected = 0, octets = 0;
    TrendRow row;
    row.fill(kNone);
    for (const auto& burst : frame.bursts) {
        failed += burst.fec_ok ? 0 : 1;
        corrected += burst.corrected_bytes;
        octets += burst.fec_ok ? static_cast<double>(burst.payload.size()) : 0;
        auto& worst = row[kTrendColumns.size() + burst.format.rate_id];
        worst = std::fmax(worst, burst.measured.evm_db);
    }
    const std::array<double, kTrendColumns.size()> values{static_cast<double>(sync.start_sample),
                                                          spec.contention ? kNone : sync.snr_db,
                                                          spec.contention ? kNone : sync.rssi_dbfs,
                                                          spec.contention ? kNone : sync.frequency_offset_hz,
                                                          downlink ? sync.clock_offset_ppm : kNone,
                                                          downlink ? (sync.fch_ok ? 1.0 : 0.0) : kNone,
                                                          static_cast<double>(frame.bursts.size()),
                                                          failed,
                                                          corrected,
                                                          octets};
    std::copy(values.begin(), values.end(), row.begin());
    return row;
}

}  // namespace

Outcome make_report_folder(const std::string& directory) {
    const auto failed = [&](const std::string& why) { return tl::unexpected(Fault{"--report", "", why, directory}); };
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) return failed("cannot be made: " + error.message());
    if (access(directory.c_str(), W_OK) != 0) return failed("cannot be written");
    if (const auto checked = SafeFolder::open(directory, SafeFolder::Kind::files); !checked)
        return failed(checked.error().allowed);
    return {};
}

ReportWriter::ReportWriter(std::string directory, const Spec& spec) : directory_(std::move(directory)), spec_(spec) {
    (void)trend_.open((fs::path(directory_) / "trend.f64").string());  // looked at when it is closed
}

// Adds details that the result for users omits.
void ReportWriter::add_details(const DecodedFrame& frame, ordered_json& json) {
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
    const auto name = "symbols-" + std::to_string(measured_++) + ".cf32";
    good_ = write_symbols(fs::path(directory_) / name, frame.symbols) && good_;
}

void ReportWriter::add(const DecodedFrame& frame) {
    const TrendRow row = trend_row(spec_, frame);
    trend_.write(reinterpret_cast<const char*>(row.data()), sizeof row);
    bursts_ += static_cast<int64_t>(frame.bursts.size());
    if (count_ < kListedFrames) {
        auto json = frame_json(spec_, frame);
        // Starts a little before the first frame and ends a little after the last one that is measured.
        const int64_t margin = 4 * symbol_samples(frame), start = frame.sync.start_sample;
        if (count_ == 0) from_ = std::max<int64_t>(0, start - margin);
        const int64_t end = start + frame_length(spec_, frame) + margin;
        if (count_ < static_cast<int64_t>(kReportFrames) && end - from_ <= kMeasuredSamples) {
            to_ = end;
            add_details(frame, json);
        }
        frames_.push_back(std::move(json));
    }
    ++count_;
}

bool ReportWriter::write_recording(const ReportSource& source, const Survey& survey, int64_t& first) {
    const fs::path path = fs::path(directory_) / "recording.cf32";
    first = count_ == 0 ? survey.excerpt_start() : from_;
    if (count_ == 0) return write_samples(path, survey.excerpt());
    auto reader = RecordingReader::open(source.path, source.format);
    if (!reader || !reader->seek(from_)) return false;
    OutputStream file;
    if (!file.open(path.string())) return false;
    for (int64_t at = from_; at < to_;) {
        const auto part = reader->next();
        if (part.empty()) break;  // it may end with the last symbol
        const auto now = part.first(std::min(part.size(), static_cast<size_t>(to_ - at)));
        file.write(reinterpret_cast<const char*>(now.data()), static_cast<std::streamsize>(now.size_bytes()));
        at += static_cast<int64_t>(part.size());
    }
    return file.close();
}

Outcome ReportWriter::finish(const ReportSource& source, const Survey& survey) {
    const fs::path base(directory_);
    ordered_json data{{"frames", std::move(frames_)}, {"frame_count", count_}, {"burst_count", bursts_}};
    data["bandwidth_hz"] = spec_.bandwidth_hz;
    data["sample_rate_hz"] = spec_.numerology().sample_rate_hz;
    data["direction"] = spec_.direction == phy::Direction::uplink ? "uplink" : "downlink";
    data["limits"] = limits();
    for (const auto& rate : phy::kRateTable) data["limits"]["receiver_snr_db"].push_back(rate.snr_db);
    data["transmitter"] = source.transmitter;
    data["provenance"] = source.provenance;
    data["recording"] = {
        {"name", source.name}, {"date", cli::file_time_utc(source.path)}, {"samples", survey.samples()}};
    data["trend_columns"] = kTrendColumns;
    data["reasons"] = source.reasons;
    auto& power = data["power"];
    power = {{"bin_samples", survey.bin_samples()}, {"energy", ordered_json::array()}, {"peak", ordered_json::array()}};
    for (const auto& bin : survey.bins()) {
        power["energy"].push_back(bin.energy);
        power["peak"].push_back(bin.peak);
    }
    if (count_ == 0)
        data["repetition"] = {{"hop_samples", Repetition::kHop},
                              {"long_preamble", source.repetition.long_preamble},
                              {"short_preamble", source.repetition.short_preamble}};
    int64_t first = 0;
    good_ = write_recording(source, survey, first) && good_;
    data["first_sample"] = first;
    good_ = trend_.close() && good_;
    OutputStream decoded;
    good_ = decoded.open((base / "decoded.json").string()).has_value() && good_;
    decoded << data.dump(1) << "\n";
    good_ = decoded.close() && good_;
    if (!good_) return tl::unexpected(Fault{"--report", "", "cannot be written", directory_});
    return cli::run_python("wimax_tools.signal.report", base.string());
}

}  // namespace wimax::iq
