// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/usrp_rates.h"

#include <uhd/exception.hpp>

#include <cmath>

namespace gr::wimax {

UsrpRates::UsrpRates(uhd::usrp::multi_usrp& usrp) : usrp_(usrp), clocks_(usrp.get_master_clock_rate_range()) {}

double UsrpRates::set_rate(double hz) {
    usrp_.set_rx_rate(hz);
    usrp_.set_tx_rate(hz);
    const double rx = usrp_.get_rx_rate(), tx = usrp_.get_tx_rate();
    constexpr double kRounding = 1e-12;  // both directions have one time
    return std::abs(rx - tx) <= kRounding * rx ? rx : 0;
}

std::vector<double> UsrpRates::rates() {
    std::vector<double> both;
    const auto tx = usrp_.get_tx_rates();
    for (const auto& range : usrp_.get_rx_rates())
        for (const double hz : {range.start(), range.stop()})
            if (same_rate(tx.clip(hz, true), hz)) both.push_back(hz);
    return both;
}

double UsrpRates::master_clock() { return usrp_.get_master_clock_rate(); }

double UsrpRates::set_master_clock(double hz) {
    try {
        usrp_.set_master_clock_rate(hz);
    } catch (const uhd::exception&) {
    }
    return master_clock();
}

double UsrpRates::nearest_master_clock(double hz) { return clocks_.clip(hz); }
double UsrpRates::lowest_master_clock() { return clocks_.start(); }
double UsrpRates::highest_master_clock() { return clocks_.stop(); }

std::vector<double> UsrpRates::master_clocks() {
    std::vector<double> fixed;
    for (const auto& range : clocks_)
        if (range.start() == range.stop()) fixed.push_back(range.start());
    return fixed;
}

}  // namespace gr::wimax
