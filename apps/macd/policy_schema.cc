// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/policy_schema.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace wimax::macd {
namespace {

using config::Schema;

template <class Kind> using Words = std::span<const std::pair<std::string_view, Kind>>;

constexpr std::array<std::pair<std::string_view, mac::SchedulerPolicy>, 5> kSchedulers{
    {{"fair", mac::SchedulerPolicy::fair},
     {"priority_drr", mac::SchedulerPolicy::priority_drr},
     {"proportional_fair", mac::SchedulerPolicy::proportional_fair},
     {"weighted", mac::SchedulerPolicy::weighted},
     {"weighted_channel", mac::SchedulerPolicy::weighted_channel}}};
constexpr std::array<std::pair<std::string_view, mac::RatePolicyKind>, 2> kRatePolicies{
    {{"outcome", mac::RatePolicyKind::outcome}, {"thresholds", mac::RatePolicyKind::thresholds}}};

constexpr std::string_view kBuiltIn = "built-in";

/// `what`: for the help, "scheduler".
void declare_files(Schema& s, const std::string& key, const std::string& what, const std::string& help,
                   mac::PolicyFile& file) {
    s.group(key, help + ". The keys name a policy of the user (docs/policies.md)");
    s.text(key + ".python", file.python,
           what + " in Python, as FILE:CLASS, for instance my_rules.py:MyRule; empty: none");
    s.text(key + ".library", file.library, what + " in a shared library, as FILE; empty: none");
}

/// A policy with one built-in rule.
void declare_builtin(Schema& s, const std::string& key, const std::string& what, const std::string& help,
                     mac::PolicyFile& file) {
    declare_files(s, key, what, help, file);
    s.word(
        key,
        [&file](std::string_view text) {
            if (text == kBuiltIn) file = {};
            return text == kBuiltIn;
        },
        [&file] { return std::string(file.given() ? std::string_view() : kBuiltIn); }, std::string(kBuiltIn));
}

/// A policy with several built-in rules. `words`: of static storage.
template <class Kind>
void declare_policy(Schema& s, const std::string& key, const std::string& what, const std::string& help, Kind& kind,
                    mac::PolicyFile& file, Words<Kind> words) {
    declare_files(s, key, what, help, file);
    std::string names;
    for (const auto& [name, value] : words) names += (names.empty() ? "" : ", ") + std::string(name);
    s.word(
        key,
        [words, &kind, &file](std::string_view text) {
            const auto named = std::ranges::find(words, text, [](const auto& pair) { return pair.first; });
            if (named == words.end()) return false;
            kind = named->second;
            file = {};
            return true;
        },
        [words, &kind, &file] {
            const auto named = std::ranges::find(words, kind, [](const auto& pair) { return pair.second; });
            return std::string(file.given() ? std::string_view() : named->first);
        },
        names);
}

}  // namespace

void declare_scheduler(Schema& s, const std::string& key, mac::SchedulerPolicy& policy, mac::PolicyFile& file) {
    declare_policy(s, key, "scheduler",
                   "division of capacity that is not reserved. fair: equal symbols (max-min over time); priority_drr: "
                   "strict priority of services, deficit round robin within each; proportional_fair: by rate over "
                   "recent throughput; weighted: bytes by weight; weighted_channel: bytes by weight and rate",
                   policy, file, Words<mac::SchedulerPolicy>(kSchedulers));
}

void declare_rate_policy(Schema& s, const std::string& key, mac::RatePolicyKind& policy, mac::PolicyFile& file) {
    declare_policy(s, key, "link adaptation",
                   "how rates are chosen. outcome: by the receivers' error rates and the losses on this link; "
                   "thresholds: by the mean CINR and the thresholds of the burst profiles alone",
                   policy, file, Words<mac::RatePolicyKind>(kRatePolicies));
}

void declare_admission(Schema& s, const std::string& key, mac::PolicyFile& file) {
    declare_builtin(s, key, "admission",
                    "which stations and service flows are admitted. built-in: all stations that the configuration "
                    "allows, and flows whose reservation fits (admission_control)",
                    file);
}

void declare_queue_management(Schema& s, const std::string& key, mac::PolicyFile& file) {
    declare_builtin(s, key, "queue management",
                    "which packets are dropped or marked so that queues stay short. built-in: CoDel in each queue "
                    "(codel_target_frames, codel_interval_ms, ecn)",
                    file);
}

void declare_classifier(Schema& s, const std::string& key, mac::PolicyFile& file) {
    declare_builtin(s, key, "classifier",
                    "which service flow of a station carries a packet that this end sends. built-in: the flow with the "
                    "rule of the highest priority that the packet matches",
                    file);
}

void declare_policy_limit(Schema& s, const std::string& key, uint32_t& limit_us, const std::string& at) {
    s.number(key, limit_us, {50, 1e6}, "us",
             "on hardware and in rt mode: time that one call of a user's policy may take, less than half of the PHY's "
             "timing.tick_lead_us" +
                 at +
                 ". A longer call is a fault; after three faults the built-in policy replaces it. In lock-step the "
                 "limit is 2 s, because simulated time waits");
}

}  // namespace wimax::macd
