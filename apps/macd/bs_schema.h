// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the MAC library's structures: numbers and switches as mac/config_fields.h describes them, and in addition
// texts, choices and lists. Key and member have the same name, so that faults found by the library are reported at the
// right line.
#pragma once

#include "common/config.h"
#include "mac/config_fields.h"

#include <array>
#include <functional>
#include <set>
#include <string>

namespace wimax::macd {

/// Prefix of a structure's keys in a program's file, and the keys that other keys of the file replace.
struct KeyPlace {
    std::string prefix = "";
    std::set<std::string, std::less<>> without{};
    bool has(std::string_view key) const { return !without.contains(key); }
};

/// Visitor of mac/config_fields.h that declares each field as a key.
class Declare {
public:
    explicit Declare(config::Schema& schema, std::string prefix = "") : Declare(schema, KeyPlace{std::move(prefix)}) {}
    Declare(config::Schema& schema, KeyPlace place) : schema_(schema), place_(std::move(place)) {}

    template <class T>
    void operator()(const std::string& key, T& value, mac::Limits limits, const char* unit, const char* help) {
        if (place_.has(key)) schema_.number(place_.prefix + key, value, {limits.low, limits.high}, unit, help);
    }
    void operator()(const std::string& key, bool& value, const char* help) {
        if (place_.has(key)) schema_.flag(place_.prefix + key, value, help);
    }
    template <class T, size_t N>
    void each(const std::string& key, std::array<T, N>& values, mac::Limits limits, const char* unit,
              const char* help) {
        const auto element = [limits, unit](config::Schema& item, T& value) {
            item.number("", value, {limits.low, limits.high}, unit, "");
        };
        schema_.list(place_.prefix + key, values, element, help);
    }

private:
    config::Schema& schema_;
    const KeyPlace place_;
};

/// `profile`: where the base station profile's keys are.
void declare_base_station(config::Schema& schema, mac::BaseStationConfig& bs, const KeyPlace& place = {"bs."},
                          const std::string& profile = "bs.profile.");
void declare_subscriber(config::Schema& schema, mac::SubscriberConfig& ss, const KeyPlace& place = {"ss."});
/// Keys of one provisioned station below `prefix` ("" in a list), of a flow and of a rule; names and what refers to
/// them are the provisioning's.
void declare_station(config::Schema& schema, const std::string& prefix, mac::StationConfig& station);
void declare_flow(config::Schema& schema, mac::ServiceFlowConfig& flow);
void declare_classifier(config::Schema& schema, mac::ClassifierConfig& rule);

/// Key in the file for a member of the library's structures that its validation names; `section`: "bs" or "ss".
std::string file_key(const std::string& section, const std::string& member);

}  // namespace wimax::macd
