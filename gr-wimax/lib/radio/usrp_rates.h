// SPDX-License-Identifier: GPL-3.0-or-later
// Adapts multi_usrp to the interface of plan_rate().
#pragma once

#include "radio/rate_plan.h"

#include <uhd/usrp/multi_usrp.hpp>

#include <vector>

namespace gr::wimax {

/// If the clock cannot be changed, the device may throw: it is then unchanged.
class UsrpRates final : public RateDevice {
public:
    explicit UsrpRates(uhd::usrp::multi_usrp& usrp);

    double set_rate(double hz) override;
    std::vector<double> rates() override;
    double master_clock() override;
    double set_master_clock(double hz) override;
    double nearest_master_clock(double hz) override;
    double lowest_master_clock() override;
    double highest_master_clock() override;
    std::vector<double> master_clocks() override;

private:
    uhd::usrp::multi_usrp& usrp_;
    const uhd::meta_range_t clocks_;
};

}  // namespace gr::wimax
