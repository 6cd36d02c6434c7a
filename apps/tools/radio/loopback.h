// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax radio loopback`: known bursts through a cable of stated attenuation, over a grid of gains, then at the best.
#pragma once

#include "tools/radio/exchange.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <vector>

namespace wimax::radio {

struct LoopbackOptions {
    double attenuation_db = 0;
    double max_input_dbm = -15;  ///< at the receiver's port, mean: more would harm it
    double coarse_step_db = 10;  ///< of the first grid; the second one has a quarter
    int bursts = 16;             ///< at the best pair
};

/// Highest transmit power that the receiver's input permits: RadioChoice::max_power_dbm.
double highest_sent_dbm(const LoopbackOptions& options);

struct GainPoint {
    double tx_gain_db = 0, rx_gain_db = 0;
    std::optional<double> evm_db;  ///< absent: nothing found
    double level_dbfs = 0;
    size_t clipped_samples = 0;
};

/// The weakest transmitter among the points without clipping (if any) whose error is within 0.3 dB of the least.
const GainPoint* best_of(const std::vector<GainPoint>& points);

class Loopback {
public:
    /// Reports the `share` of the work that is done. False: stop.
    using GoOn = std::function<bool(double share, const std::string& what)>;

    Loopback(BenchRadio& from, BenchRadio& to, const LoopbackOptions& options, GoOn go_on);
    /// Result in the format of `wimax radio loopback`.
    tl::expected<nlohmann::ordered_json, Fault> run();

private:
    Outcome search(const std::vector<double>& tx_gains, const std::vector<double>& rx_gains, const std::string& what,
                   double share);
    tl::expected<std::optional<BurstAnalysis>, Fault> measure(double tx_gain_db, double rx_gain_db);
    bool harmful(double tx_gain_db) const;
    tl::expected<nlohmann::ordered_json, Fault> look_closely(const GainPoint& best);
    tl::expected<double, Fault> delay();

    BenchRadio& from_;
    BenchRadio& to_;
    const LoopbackOptions options_;
    const GoOn go_on_;
    const KnownBurst burst_;
    Exchange there_, back_;
    std::vector<GainPoint> points_;
    size_t harmful_ = 0;
};

std::string loopback_table(const nlohmann::ordered_json& result);

}  // namespace wimax::radio
