// SPDX-License-Identifier: GPL-3.0-or-later
// Maximum weight: the product of queue and rate decides, in both directions. Compile it, and name it in the
// configuration:
//
//     g++ -std=c++20 -O2 -shared -fPIC -I apps/policy apps/policy/examples/max_weight.cc -o max_weight.so
//
//     bs: {dl_scheduler: {library: ./max_weight.so}, ul_scheduler: {library: ./max_weight.so}}
#include <wimax_policy.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

class MaxWeight final : public wimax::policy::FrameScheduler {
public:
    explicit MaxWeight(const wimax_policy_cell&) {}

    void schedule(const wimax_policy_frame& frame, std::span<double> units) override {
        const auto stations = wimax::policy::stations_of(frame);
        left_ = frame.units;
        bursts_ = frame.map_elements > 0 ? frame.map_elements : frame.station_count;
        order_.resize(stations.size());
        std::iota(order_.begin(), order_.end(), size_t{0});
        const auto weight = [&](size_t i) {
            return stations[i].weight * stations[i].wanted_units * stations[i].octets_per_unit *
                   stations[i].octets_per_unit;
        };
        std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return weight(a) > weight(b); });
        constexpr double kRequestUnits = 2;  // room for a request of an active station
        for (const size_t i : order_)
            give(frame, units[i], std::max(stations[i].owed_units, stations[i].active != 0 ? kRequestUnits : 0));
        for (const size_t i : order_) give(frame, units[i], stations[i].wanted_units - units[i]);
    }

private:
    void give(const wimax_policy_frame& frame, double& units, double wanted) {
        const bool first = units == 0;
        const double overhead = first ? frame.burst_overhead_units : 0;
        double given = std::min(wanted, left_ - overhead);
        if (frame.map_elements > 0) given = std::floor(given);  // the uplink has whole units
        if (given <= 0 || (first && bursts_ == 0)) return;
        units += given;
        left_ -= given + overhead;
        bursts_ -= first ? 1 : 0;
    }

    double left_ = 0;
    uint32_t bursts_ = 0;
    std::vector<size_t> order_;
};

}  // namespace

WIMAX_POLICIES(MaxWeight)
