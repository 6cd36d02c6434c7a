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

/// Curves are extrapolated on either side from this many of their last points.
constexpr size_t kSlopePoints = 3;

struct Measured {
    uint8_t rate_id = 0;
    Direction direction = Direction::downlink;
    double snr_db = 0, per = 0;
};

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
                model.curves_[static_cast<size_t>(m.direction)][m.rate_id].push_back(
                    {m.snr_db, std::log(m.per / (1 - m.per))});
    }
    for (auto& direction : model.curves_)
        for (auto& curve : direction) {
            std::sort(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.snr_db < b.snr_db; });
            // Points of few errors and of long bursts deviate a little. Only points of a falling curve are used.
            Curve falling;
            for (const auto& p : curve)
                if (falling.empty() || (p.snr_db > falling.back().snr_db && p.logit < falling.back().logit))
                    falling.push_back(p);
            curve = std::move(falling);
            if (curve.size() < 2)
                return tl::unexpected(Fault{"curves", {}, "has less than two points for a rate and direction"});
        }
    return model;
}

const ErrorModel& ErrorModel::white_noise() {
    static const ErrorModel model = [] {
        auto parsed = parse({kMeasuredDownlink, kMeasuredUplink});
        assert(parsed && "the build's own curves");
        return std::move(*parsed);
    }();
    return model;
}

double ErrorModel::block_error(uint8_t rate_id, Direction direction, double snr_db) const {
    const Curve& curve = curves_[static_cast<size_t>(direction)][rate_id];
    const size_t last = curve.size() - 1, reach = std::min(kSlopePoints - 1, last);
    const auto line = [&](size_t from, size_t to, const Point& through) {
        const double slope = (curve[to].logit - curve[from].logit) / (curve[to].snr_db - curve[from].snr_db);
        return through.logit + slope * (snr_db - through.snr_db);
    };
    double logit = 0;
    if (snr_db <= curve.front().snr_db) {
        logit = line(0, reach, curve.front());
    } else if (snr_db >= curve.back().snr_db) {
        logit = line(last - reach, last, curve.back());
    } else {
        const auto above = std::lower_bound(curve.begin(), curve.end(), snr_db,
                                            [](const Point& p, double snr) { return p.snr_db < snr; });
        const auto to = static_cast<size_t>(above - curve.begin());
        logit = line(to - 1, to, curve[to]);
    }
    static const double kNeverLogit = std::log(kNever / (1 - kNever));
    return logit < kNeverLogit ? 0 : 1 / (1 + std::exp(-logit));
}

}  // namespace wimax::sim
