// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/radio_watch.h"

#include "phyd/phyd_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wimax::phyd {
namespace {

constexpr std::chrono::seconds kBetweenWarnings{1};

}  // namespace

std::string refusal_words(const gr::wimax::TransmitRefusals& refused) {
    std::string words;
    const auto add = [&](uint64_t n, const char* what) {
        if (n > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", n, what);
    };
    add(refused.too_long, "too long (radio.longest_burst_ms)");
    add(refused.too_often, "too often (radio.max_duty_cycle)");
    add(refused.too_strong, "too strong (radio.max_power_dbm)");
    return words;
}

void RadioWatch::restart() {
    clipped_ = refused_ = 0;
    line_before_ = {};
}

bool RadioWatch::clips(const gr::wimax::RadioCounters& counters) {
    return counters.clipped_samples > std::exchange(clipped_, counters.clipped_samples);
}

void RadioWatch::warn_of_refusals(const Transceiver& air, sap::FrameNumber frame) {
    const auto now = std::chrono::steady_clock::now();
    if (now < refusals_at_) return;
    refusals_at_ = now + kBetweenWarnings;
    const auto refused = air.status().radio.refused;
    const uint64_t all = refused.all() - refused.switched_off;
    if (all > refused_) radio_log().warn(frame.value(), "not sent: {}", refusal_words(refused));
    refused_ = all;
}

std::string RadioWatch::line(const gr::wimax::RadioCounters& counters) {
    std::string line;
    const auto add = [&](const char* name, auto member) {
        if (const uint64_t all = counters.*member; all > 0)
            line += fmt::format("  {} {} (+{})", name, all, all - std::min(all, line_before_.*member));
    };
    add("U", &gr::wimax::RadioCounters::underflows);
    add("O", &gr::wimax::RadioCounters::overflows);
    add("L", &gr::wimax::RadioCounters::late);
    add("S", &gr::wimax::RadioCounters::sequence_errors);
    add("clipped", &gr::wimax::RadioCounters::clipped_samples);
    line_before_ = counters;
    return line;
}

}  // namespace wimax::phyd
