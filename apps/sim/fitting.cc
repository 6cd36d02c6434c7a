/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fitting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace wimax::sim {
namespace {

/// Contexts of stations that range, beside those that are registered.
constexpr uint32_t kEntering = 64;
/// Unicast grants for nothing but to hear whether a station is there, a second, that leave the uplink to data.
constexpr double kMostPolls = 200;

class Fitter {
public:
    Fitter(Scenario& scenario, const std::function<bool(std::string_view)>& given)
        : c_(scenario), p_(scenario.bs.profile), given_(given) {}

    void run() {
        identifiers();
        polls();
        maps();
        entry();
    }

private:
    /// Keys that the scenario gives stay as they are.
    template <class T>
    void set(const std::string& key, T& member, double value) {
        if (!given_(key)) member = static_cast<T>(value);
    }
    template <class T>
    void at_least(const std::string& key, T& member, double value) {
        if (static_cast<double>(member) < value) set(key, member, value);
    }
    void base(const std::string& key, auto& member, double value) { at_least("base_station." + key, member, value); }

    void identifiers() {
        base("max_stations", c_.bs.max_stations, c_.stations);
        base("basic_cids", c_.bs.basic_cids, c_.bs.max_stations + kEntering);
    }
    /// An idle station is heard every T27; it waits for that several times before it ranges again (T4).
    void polls() {
        const double interval_ms = 1000.0 * c_.stations / kMostPolls;
        base("t27_idle_ms", c_.bs.t27_idle_ms, std::ceil(interval_ms));
        base("t27_active_ms", c_.bs.t27_active_ms, std::ceil(interval_ms / 4));
        at_least("subscriber_station.t4_ms", c_.ss.t4_ms, 4.0 * c_.bs.t27_idle_ms);
    }
    /// Maps and descriptors go as far as the data.
    void maps() {
        if (c_.rate.value_or(0) != 0) return;
        const auto before = p_.broadcast_rate_id;
        set("base_station.broadcast_rate_id", p_.broadcast_rate_id, 0);
        const auto wrong = mac::validate(c_.bs);
        if (std::ranges::any_of(wrong.list(), [](const auto& f) { return f.key == "profile.broadcast_rate_id"; }))
            p_.broadcast_rate_id = before;
    }
    /// All stations begin to range at once.
    void entry() {
        constexpr uint32_t kFew = 16, kMany = 64;
        if (c_.stations <= kFew) return;
        const auto exponent = std::bit_width(c_.stations - 1);
        if (c_.stations > kMany) set("base_station.ranging_interval_ms", p_.ranging_interval_ms, 0);
        windows("ranging_backoff", p_.ranging_backoff_start, p_.ranging_backoff_end, exponent - 3, exponent);
        windows("request_backoff", p_.request_backoff_start, p_.request_backoff_end, exponent - 4, exponent);
    }
    /// The last window is no shorter than the first, whichever of them the scenario says.
    void windows(const std::string& key, uint8_t& start, uint8_t& end, int least_start, int least_end) {
        if (given_("base_station." + key + "_end")) least_start = std::min<int>(least_start, end);
        base(key + "_start", start, least_start);
        base(key + "_end", end, std::max<int>(least_end, start));
    }

    Scenario& c_;
    mac::BaseStationProfile& p_;
    const std::function<bool(std::string_view)>& given_;
};

}  // namespace

void fit(Scenario& scenario, const std::function<bool(std::string_view)>& given) { Fitter(scenario, given).run(); }

double enter_limit_s(const Scenario& scenario) {
    constexpr double kFew = 120, kEach = 0.5;
    return scenario.enter_limit_s > 0 ? scenario.enter_limit_s : kFew + kEach * scenario.stations;
}

}  // namespace wimax::sim
