// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/ofdm256/error_model.h"
#include "sim/ofdm256/measured_curves.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace wimax::sim {
namespace {

using nlohmann::json;

struct Measured {
    uint8_t rate_id = 0;
    Direction direction = Direction::downlink;
    double snr_db = 0, per = 0;
};

double logit_of(double probability) { return std::log(probability / (1 - probability)); }

/// Points of one curve, given in columns; none of a curve that is malformed or not of the real receiver.
std::vector<Measured> read_curve(const json& curve) {
    std::vector<Measured> points;
    if (!curve.is_object() || curve.value("estimation", "") != "real") return points;
    const int rate = curve.value("rate_id", -1);
    if (rate < 0 || rate >= phy::kRates) return points;
    const auto direction = curve.value("direction", "") == "uplink" ? Direction::uplink : Direction::downlink;
    const auto column = [&](const char* name) { return curve.value(name, std::vector<double>{}); };
    const auto snrs_db = column("snr_db"), blocks = column("blocks"), errors = column("block_errors");
    for (size_t i = 0; i < std::min({snrs_db.size(), blocks.size(), errors.size()}); ++i)
        if (errors[i] >= ErrorModel::kLeastErrors && errors[i] < blocks[i])
            points.push_back({static_cast<uint8_t>(rate), direction, snrs_db[i], errors[i] / blocks[i]});
    return points;
}

}  // namespace

tl::expected<ErrorModel, Fault> ErrorModel::parse(std::initializer_list<std::string_view> curves) {
    ErrorModel model;
    for (const auto text : curves) {
        const json file = json::parse(text, nullptr, false);
        if (!file.is_object() || !file.contains("curves"))
            return tl::unexpected(Fault{"curves", {}, "is no file of curves as docs/curves has them"});
        for (const auto& curve : file["curves"])
            for (const auto& m : read_curve(curve))
                model.curves_[static_cast<size_t>(m.direction)][m.rate_id].points.push_back(
                    {m.snr_db, logit_of(m.per)});
    }
    for (auto& direction : model.curves_)
        for (auto& curve : direction) {
            curve.keep_falling();
            if (curve.points.size() < 2)
                return tl::unexpected(Fault{"curves", {}, "has less than two points for a rate and direction"});
            curve.never_db = curve.end_db(logit_of(kNever));
        }
    return model;
}

/// Points of few errors and of long bursts deviate a little. Only points of a falling curve are used.
void ErrorModel::Curve::keep_falling() {
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.snr_db < b.snr_db; });
    std::vector<Point> falling;
    for (const auto& p : points)
        if (falling.empty() || (p.snr_db > falling.back().snr_db && p.logit < falling.back().logit))
            falling.push_back(p);
    points = std::move(falling);
}

const ErrorModel& ErrorModel::white_noise() {
    static const ErrorModel model = [] {
        auto parsed = parse({kMeasuredDownlink, kMeasuredUplink});
        assert(parsed && "the build's own curves");
        return std::move(*parsed);
    }();
    return model;
}

double ErrorModel::Curve::slope(size_t from, size_t to) const {
    return (points[to].logit - points[from].logit) / (points[to].snr_db - points[from].snr_db);
}

double ErrorModel::Curve::end_db(double logit) const {
    const size_t last = points.size() - 1;
    return points[last].snr_db + (logit - points[last].logit) / slope(last - reach(), last);
}

/// The line through two points, moved to go through a third one.
double ErrorModel::Curve::logit_on(size_t from, size_t to, const Point& through, double snr_db) const {
    return through.logit + slope(from, to) * (snr_db - through.snr_db);
}

double ErrorModel::Curve::logit_at(double snr_db) const {
    const size_t last = points.size() - 1;
    if (snr_db <= points.front().snr_db) return logit_on(0, reach(), points.front(), snr_db);
    if (snr_db >= points.back().snr_db) return logit_on(last - reach(), last, points.back(), snr_db);
    const auto above = std::lower_bound(points.begin(), points.end(), snr_db,
                                        [](const Point& p, double snr) { return p.snr_db < snr; });
    const auto to = static_cast<size_t>(above - points.begin());
    return logit_on(to - 1, to, points[to], snr_db);
}

}  // namespace wimax::sim
