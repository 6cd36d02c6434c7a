// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/level_calibration.h"

#include "phy/base/decibels.h"
#include "phyd/calibration_file.h"
#include "tools/cli/command.h"
#include "tools/radio/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace wimax::radio {
namespace {

using gr::wimax::CalibrationPoint;
using nlohmann::ordered_json;

constexpr double kWeakestDbfs = -60;  // a generator's tone below it is noise as much as tone
constexpr int kBursts = 16, kLevelBurstSymbols = 24;
constexpr double kPieceMs = 5;
constexpr int kPausedPiece = 1000;  // one in this number is skipped: no radio may send for ever, and 0.004 dB is little

CalibrationPoint place(const BenchRadio& radio, bool transmit) {
    const auto plug = radio.frontend().plug();
    return {plug.serial,
            transmit,
            transmit ? plug.tx_antenna : plug.rx_antenna,
            radio.choice().frequency_hz,
            transmit ? radio.choice().tx_gain_db : radio.choice().rx_gain_db,
            0};
}

bool same_place(const CalibrationPoint& a, const CalibrationPoint& b) {
    return a.serial == b.serial && a.transmit == b.transmit && a.antenna == b.antenna &&
           a.frequency_hz == b.frequency_hz && a.gain_db == b.gain_db;
}

/// Text in YAML as JSON has it.
std::string line_of(const CalibrationPoint& p) {
    return fmt::format(
        "- {{serial: {}, direction: {}, antenna: {}, frequency_hz: {:.12g}, gain_db: {:g}, full_scale_dbm: {:.2f}}}\n",
        ordered_json(p.serial).dump(), p.transmit ? "tx" : "rx", ordered_json(p.antenna).dump(), p.frequency_hz,
        p.gain_db, p.full_scale_dbm);
}

Outcome calibrated(const BenchRadio& peer, bool transmit) {
    const auto at = place(peer, transmit);
    if (gr::wimax::full_scale_dbm(peer.choice().calibration,
                                  {at.serial, transmit, at.antenna, at.frequency_hz, at.gain_db}))
        return {};
    return failure("--peer",
                   fmt::format("the calibration file has no point of serial {}, {}, port {}: calibrate the peer first",
                               at.serial, transmit ? "tx" : "rx", at.antenna));
}

/// Mean level of bursts as the receiver has them, dBFS.
tl::expected<double, Fault> level_of_bursts(BenchRadio& from, BenchRadio& to) {
    const auto burst = KnownBurst::make(from.numerology(), kLevelBurstSymbols);
    Exchange exchange(from, to, burst);
    double sum = 0;
    int heard = 0;
    for (int i = 0; i < kBursts; ++i) {
        const auto once = exchange.once();
        if (!once) return tl::unexpected(once.error());
        if (!*once) continue;
        if ((**once).clipped_samples > 0)
            return failure("calibrate",
                           "the receiver clips: a lower --peer-gain-db or --rx-gain-db, or more attenuation");
        sum += phy::power_of_db((**once).level_dbfs);
        ++heard;
    }
    if (heard < kBursts / 2)
        return failure("calibrate", fmt::format("{} of {} bursts were heard: cable, ports, gains", heard, kBursts));
    return phy::decibels(sum / heard);
}

}  // namespace

tl::expected<std::vector<CalibrationPoint>, Fault> known_points(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return std::vector<CalibrationPoint>();
    auto points = phyd::read_calibration(file);
    if (!points) return failure("--file", points.error().str());
    return std::move(*points);
}

Outcome keep_point(const std::string& file, const CalibrationPoint& point) {
    auto points = known_points(file);
    if (!points) return tl::unexpected(points.error());
    const auto old = std::find_if(points->begin(), points->end(), [&](const auto& p) { return same_place(p, point); });
    if (old != points->end()) *old = point;
    else points->push_back(point);
    std::string text = "# dBm at the port for full scale of the converters; radio.calibration_file of wimax-phyd\n";
    for (const auto& p : *points) text += line_of(p);
    cli::ResultFile out;
    return out.open(file, "--file").and_then([&] { return out.write(text); });
}

tl::expected<ordered_json, Fault> send_to_meter(BenchRadio& radio, const CalibrateOptions& options, const GoOn& go_on) {
    const auto& n = radio.numerology();
    const int symbols =
        std::max(1, static_cast<int>(kPieceMs * 1e-3 * static_cast<double>(n.sample_rate_hz) / n.symbol_samples()));
    const auto burst = KnownBurst::make(n, symbols);
    const auto length = static_cast<int64_t>(burst.samples.size());
    while (radio.kept().empty())
        if (const auto on = radio.listen(kListenTimeoutS); !on) return tl::unexpected(on.error());
    const int64_t begin = radio.next_start(),
                  end = begin + static_cast<int64_t>(options.seconds * static_cast<double>(radio.rate_hz()));
    int64_t next = begin;
    uint64_t missed = 0;
    int pieces = 0;
    while (radio.now() < end &&
           go_on(static_cast<double>(radio.now() - begin) / static_cast<double>(end - begin), "sending")) {
        while (next < std::min(end, radio.next_start() + 4 * length)) {
            if (++pieces % kPausedPiece != 0 && !radio.send(next, burst.samples)) ++missed;
            next += length;
        }
        if (const auto on = radio.listen(kListenTimeoutS); !on) return tl::unexpected(on.error());
        next = std::max(next, radio.promised());
    }
    return ordered_json{{"sent_s", options.seconds},
                        {"tx_gain_db", radio.choice().tx_gain_db},
                        {"missed_pieces", missed + radio.frontend().counters().refused.all()},
                        {"expected_dbm", radio.frontend().tx_reference_dbm()}};
}

tl::expected<CalibrationPoint, Fault> by_meter(BenchRadio& radio, const CalibrateOptions& options) {
    auto point = place(radio, true);
    point.full_scale_dbm = *options.measured_dbm + radio.frontend().headroom_db();
    return point;
}

tl::expected<CalibrationPoint, Fault> by_generator(BenchRadio& radio, const CalibrateOptions& options,
                                                   const GoOn& go_on) {
    const auto wanted = static_cast<int64_t>(options.seconds * static_cast<double>(radio.rate_hz()));
    double sum = 0;
    int64_t taken = 0;
    while (taken < wanted && go_on(static_cast<double>(taken) / static_cast<double>(wanted), "listening")) {
        if (const auto on = radio.listen(kListenTimeoutS); !on) return tl::unexpected(on.error());
        for (const auto& s : radio.newest()) sum += std::norm(s);
        taken += static_cast<int64_t>(radio.newest().size());
    }
    const double level = phy::decibels(sum / static_cast<double>(std::max<int64_t>(1, taken)));
    if (radio.frontend().counters().clipped_samples > 0)
        return failure("calibrate", "the receiver clips: a lower --rx-gain-db or a weaker signal");
    if (level < kWeakestDbfs)
        return failure(
            "calibrate",
            fmt::format("{:.1f} dBFS is too near the noise: a higher --rx-gain-db or a stronger signal", level));
    auto point = place(radio, false);
    point.full_scale_dbm = *options.measured_dbm - level;
    return point;
}

tl::expected<CalibrationPoint, Fault> by_peer(BenchRadio& radio, BenchRadio& peer, const CalibrateOptions& options) {
    if (const auto known = calibrated(peer, !options.transmit); !known) return tl::unexpected(known.error());
    const auto level = options.transmit ? level_of_bursts(radio, peer) : level_of_bursts(peer, radio);
    if (!level) return tl::unexpected(level.error());
    auto point = place(radio, options.transmit);
    if (options.transmit)
        point.full_scale_dbm =
            peer.frontend().rx_reference_dbm() + *level + *options.attenuation_db + radio.frontend().headroom_db();
    else point.full_scale_dbm = peer.frontend().tx_reference_dbm() - *options.attenuation_db - *level;
    return point;
}

ordered_json point_json(const CalibrationPoint& p) {
    return {{"serial", p.serial},   {"direction", p.transmit ? "tx" : "rx"},
            {"antenna", p.antenna}, {"frequency_hz", p.frequency_hz},
            {"gain_db", p.gain_db}, {"full_scale_dbm", p.full_scale_dbm}};
}

}  // namespace wimax::radio
