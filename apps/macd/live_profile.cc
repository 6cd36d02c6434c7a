// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/live_profile.h"

#include "mac/config_fields.h"

#include <nlohmann/json.hpp>

#include <set>
#include <type_traits>

namespace wimax::macd {
namespace {

using nlohmann::json;

/// Visitor of config_fields.h.
class Read {
public:
    Read(const json& value, Faults& faults) : value_(value), faults_(faults) {}

    template <class T>
    void operator()(const std::string& key, T& member, mac::Limits limits, const char*, const char*) {
        known_.insert(key);
        if (value_.contains(key)) read(key, value_[key], limits, member);
    }
    template <class T, size_t N>
    void each(const std::string& key, std::array<T, N>& members, mac::Limits limits, const char*, const char*) {
        known_.insert(key);
        if (!value_.contains(key)) return;
        const json& all = value_[key];
        if (!all.is_array() || all.size() != N)
            return faults_.add(key, all.dump(), "a list of " + std::to_string(N) + " numbers");
        for (size_t i = 0; i < N; ++i) read(key + "[" + std::to_string(i) + "]", all[i], limits, members[i]);
    }
    void refuse_others() {
        std::string all;
        for (const auto& key : known_) all += (all.empty() ? "" : ", ") + key;
        for (const auto& [key, unused] : value_.items())
            if (!known_.contains(key)) faults_.add(key, "", "only " + all + " may change while stations are served");
    }

private:
    template <class T> void read(const std::string& key, const json& value, mac::Limits limits, T& member) {
        const auto text = [](double number) { return json(number).dump(); };
        const bool number = value.is_number() && (std::is_floating_point_v<T> || value.is_number_integer());
        if (!number || value.get<double>() < limits.low || value.get<double>() > limits.high)
            return faults_.add(key, value.dump(), text(limits.low) + ".." + text(limits.high));
        member = value.get<T>();
    }

    const json& value_;
    Faults& faults_;
    std::set<std::string> known_;
};

}  // namespace

Faults read_live_profile(const json& value, mac::BaseStationProfile& profile) {
    Faults faults;
    if (!value.is_object()) return Fault{"", value.dump(), "an object of keys of bs.profile"};
    Read read(value, faults);
    mac::visit_contention(read, profile);
    mac::visit_thresholds(read, profile);
    read.refuse_others();
    return faults;
}

}  // namespace wimax::macd
