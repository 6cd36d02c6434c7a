// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/loopback.h"

#include "phy/base/decibels.h"
#include "radio/transmit_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace wimax::radio {
namespace {

using nlohmann::ordered_json;

constexpr int kGridBurstSymbols = 24;
constexpr double kAsGoodDb = 0.3;
constexpr double kPreambleDb = gr::wimax::TransmitGuard::kPreambleDb;  // its limits think of preambles
constexpr double kPresentDbPerMille = 1000;                            // figures are written to a thousandth

double rounded(double value) { return std::round(value * kPresentDbPerMille) / kPresentDbPerMille; }

/// Gains from the lowest to the highest, both included, at most `step` apart and on the device's grid.
std::vector<double> ladder(const gr::wimax::GainRange& range, double low, double high, double step) {
    const double grid = std::max(range.step_db, 0.01);
    std::vector<double> all;
    for (double gain = low; gain < high; gain += step)
        all.push_back(range.low_db + std::round((gain - range.low_db) / grid) * grid);
    all.push_back(high);
    return all;
}

std::vector<double> around(const gr::wimax::GainRange& range, double centre, double step) {
    return ladder(range, std::max(range.low_db, centre - 3 * step), std::min(range.high_db, centre + 3 * step), step);
}

double mean_db(const std::vector<double>& powers) {
    return phy::decibels(std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size()));
}

}  // namespace

double highest_sent_dbm(const LoopbackOptions& options) {
    return std::min(options.max_input_dbm + options.attenuation_db + kPreambleDb, gr::wimax::kMaxPowerLimitDbm);
}

const GainPoint* best_of(const std::vector<GainPoint>& points) {
    const bool some_clean =
        std::any_of(points.begin(), points.end(), [](const auto& p) { return p.evm_db && p.clipped_samples == 0; });
    const auto counts = [&](const GainPoint& p) { return p.evm_db && (p.clipped_samples == 0 || !some_clean); };
    double least = 0;
    for (const auto& p : points)
        if (counts(p)) least = std::min(least, *p.evm_db);
    const auto rank = [](const GainPoint& p) { return std::pair(p.tx_gain_db, *p.evm_db); };
    const GainPoint* best = nullptr;
    for (const auto& p : points)
        if (counts(p) && *p.evm_db <= least + kAsGoodDb && (!best || rank(p) < rank(*best))) best = &p;
    return best;
}

Loopback::Loopback(BenchRadio& from, BenchRadio& to, const LoopbackOptions& options, GoOn go_on)
    : from_(from),
      to_(to),
      options_(options),
      go_on_(std::move(go_on)),
      burst_(KnownBurst::make(from.numerology(), kGridBurstSymbols)),
      there_(from, to, burst_),
      back_(to, from, burst_) {}

bool Loopback::harmful(double tx_gain_db) const {
    const auto& radio = from_.frontend();
    const double sent_dbm = radio.tx_reference_dbm() + tx_gain_db - radio.tx_gain_db();
    return sent_dbm > highest_sent_dbm(options_) - kPreambleDb;
}

tl::expected<std::optional<BurstAnalysis>, Fault> Loopback::measure(double tx_gain_db, double rx_gain_db) {
    if (harmful(tx_gain_db)) {
        ++harmful_;
        return std::nullopt;
    }
    const bool alone = &from_ == &to_;
    const auto set = from_.set_gains(tx_gain_db, alone ? rx_gain_db : from_.frontend().rx_gains().low_db).and_then([&] {
        return alone ? Outcome() : to_.set_gains(to_.frontend().tx_gains().low_db, rx_gain_db);
    });
    if (!set) return tl::unexpected(set.error());
    return there_.once();
}

Outcome Loopback::search(const std::vector<double>& tx_gains, const std::vector<double>& rx_gains,
                         const std::string& what, double share) {
    double done = 0;
    for (const double tx : tx_gains)
        for (const double rx : rx_gains) {
            if (!go_on_(share + 0.45 * done++ / static_cast<double>(tx_gains.size() * rx_gains.size()), what))
                return failure("", "stopped");
            const auto heard = measure(tx, rx);
            if (!heard) return tl::unexpected(heard.error());
            GainPoint point{tx, rx, {}, 0, 0};
            if (*heard) point = {tx, rx, evm_db(**heard), (*heard)->level_dbfs, (*heard)->clipped_samples};
            points_.push_back(point);
        }
    return {};
}

tl::expected<ordered_json, Fault> Loopback::run() {
    const auto tx = from_.frontend().tx_gains(), rx = to_.frontend().rx_gains();
    const double step = options_.coarse_step_db;
    if (const auto coarse =
            search(ladder(tx, tx.low_db, tx.high_db, step), ladder(rx, rx.low_db, rx.high_db, step), "coarse grid", 0);
        !coarse)
        return tl::unexpected(coarse.error());
    const auto* best = best_of(points_);
    if (best) {
        const auto fine =
            search(around(tx, best->tx_gain_db, step / 4), around(rx, best->rx_gain_db, step / 4), "fine grid", 0.45);
        if (!fine) return tl::unexpected(fine.error());
        best = best_of(points_);
    }
    if (!best) {
        const std::string strong = harmful_ > 0 ? fmt::format(
                                                      "; {} of {} gain pairs were left out, which could have given the "
                                                      "receiver more than {:g} dBm (--max-input-dbm)",
                                                      harmful_, points_.size(), options_.max_input_dbm)
                                                : "";
        return failure(
            "loopback",
            "no burst was heard at any gains: cable, antenna ports, frequency and --attenuation-db" + strong);
    }
    return look_closely(*best);
}

/// Delay in samples from port to port; for two radios, half of the round trip. The forward path is measured before and
/// after the return path, since the radios' counts drift apart.
tl::expected<double, Fault> Loopback::delay() {
    struct Way {
        double sent = 0, took = 0;
    };
    const auto measure = [](Exchange& exchange) -> tl::expected<Way, Fault> {
        const auto heard = exchange.once();
        if (!heard) return tl::unexpected(heard.error());
        if (!*heard) return failure("loopback", "a burst was lost while the delay was measured");
        return Way{static_cast<double>(exchange.sent_at()), (**heard).start};
    };
    const auto before = measure(there_);
    if (!before) return tl::unexpected(before.error());
    const auto back = measure(back_);
    if (!back) return tl::unexpected(back.error());
    const auto after = measure(there_);
    if (!after) return tl::unexpected(after.error());
    const double moment = back->sent + back->took;  // by the first radio's count, as the others are
    const double share = (moment - before->sent) / (after->sent - before->sent);
    return (std::lerp(before->took, after->took, share) + back->took) / 2;
}

tl::expected<ordered_json, Fault> Loopback::look_closely(const GainPoint& best) {
    std::vector<double> first, middle, last, all, image, carrier, starts;
    size_t clipped = 0;
    double level = 0, margin = 200, frequency = 0;
    int lost = 0;
    for (int i = 0; i < options_.bursts; ++i) {
        if (!go_on_(0.9 + 0.1 * i / options_.bursts, "best pair")) return failure("", "stopped");
        const auto heard = measure(best.tx_gain_db, best.rx_gain_db);
        if (!heard) return tl::unexpected(heard.error());
        if (!*heard) {
            ++lost;
            continue;
        }
        const BurstAnalysis& a = **heard;
        first.push_back(a.error.front());
        middle.push_back(a.error[a.error.size() / 2]);
        last.push_back(a.error.back());
        all.push_back(phy::power_of_db(evm_db(a)));
        image.push_back(a.image);
        carrier.push_back(a.carrier);
        starts.push_back(a.start);
        clipped += a.clipped_samples;
        level = a.level_dbfs;
        frequency = a.frequency_hz;
        margin = std::min(margin, a.mask_margin_db);
    }
    if (all.empty()) return failure("loopback", "no burst was heard at the best pair of gains any more");
    double delay_samples = std::accumulate(starts.begin(), starts.end(), 0.0) / static_cast<double>(starts.size());
    if (&from_ != &to_) {
        const auto set =
            to_.set_gains(std::min(best.tx_gain_db, to_.frontend().tx_gains().high_db), best.rx_gain_db).and_then([&] {
                return from_.set_gains(best.tx_gain_db, std::min(best.rx_gain_db, from_.frontend().rx_gains().high_db));
            });
        if (!set) return tl::unexpected(set.error());
        const auto measured = delay();
        if (!measured) return tl::unexpected(measured.error());
        delay_samples = *measured;
    }
    ordered_json grid = ordered_json::array();
    for (const auto& p : points_) {
        ordered_json point{{"tx_gain_db", p.tx_gain_db}, {"rx_gain_db", p.rx_gain_db}};
        if (p.evm_db)
            point.update({{"evm_db", rounded(*p.evm_db)},
                          {"level_dbfs", rounded(p.level_dbfs)},
                          {"clipped_samples", p.clipped_samples}});
        grid.push_back(std::move(point));
    }
    return ordered_json{
        {"delay_samples", rounded(delay_samples)},
        {"best", {{"tx_gain_db", best.tx_gain_db}, {"rx_gain_db", best.rx_gain_db}, {"evm_db", rounded(mean_db(all))}}},
        {"dc_dbc", rounded(mean_db(carrier))},
        {"image_dbc", rounded(mean_db(image))},
        {"burst_edge_evm_db",
         {{"first", rounded(mean_db(first))}, {"middle", rounded(mean_db(middle))}, {"last", rounded(mean_db(last))}}},
        {"clipped_samples", clipped},
        {"level_dbfs", rounded(level)},
        {"frequency_offset_hz", rounded(frequency)},
        {"mask_margin_db", rounded(margin)},
        {"bursts", all.size()},
        {"bursts_lost", lost},
        {"grid", std::move(grid)}};
}

std::string loopback_table(const ordered_json& result) {
    std::set<double> tx, rx;
    for (const auto& p : result["grid"]) {
        tx.insert(p["tx_gain_db"].get<double>());
        rx.insert(p["rx_gain_db"].get<double>());
    }
    std::string text = "EVM in dB (* some samples clipped)\n  tx gain \\ rx";
    for (const double r : rx) text += fmt::format("{:>7g}", r);
    for (const double t : tx) {
        text += fmt::format("\n{:>14g}", t);
        for (const double r : rx) {
            const auto at = std::find_if(result["grid"].begin(), result["grid"].end(),
                                         [&](const auto& p) { return p["tx_gain_db"] == t && p["rx_gain_db"] == r; });
            if (at == result["grid"].end()) text += "       ";
            else if (!at->contains("evm_db")) text += "      -";
            else
                text += fmt::format("{:>6.1f}{}", (*at)["evm_db"].template get<double>(),
                                    (*at)["clipped_samples"] > 0 ? "*" : " ");
        }
    }
    const auto& best = result["best"];
    const auto& edge = result["burst_edge_evm_db"];
    const auto number = [&](const char* key) { return result[key].get<double>(); };
    text += fmt::format("\n\nbest          tx {:g} dB, rx {:g} dB: EVM {:.1f} dB at {:.1f} dBFS\n",
                        best["tx_gain_db"].get<double>(), best["rx_gain_db"].get<double>(),
                        best["evm_db"].get<double>(), number("level_dbfs"));
    text += fmt::format("burst edges   first symbol {:.1f} dB, middle {:.1f} dB, last {:.1f} dB\n",
                        edge["first"].get<double>(), edge["middle"].get<double>(), edge["last"].get<double>());
    text += fmt::format("delay         {:.3f} samples\n", number("delay_samples"));
    text += fmt::format("DC            {:.1f} dBc\nimage         {:.1f} dBc\n", number("dc_dbc"), number("image_dbc"));
    text += fmt::format("mask          {:.1f} dB of margin within the sample rate\n", number("mask_margin_db"));
    text += fmt::format("clipped       {} samples\n", result["clipped_samples"].get<size_t>());
    return text;
}

}  // namespace wimax::radio
