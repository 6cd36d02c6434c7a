/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the service tells of itself: on the console, as JSON, and in the log what the transmitter keeps back.
 */
#include "phyd/service.h"
#include "phyd/signal.h"

#include "common/json_object.h"
#include "common/log.h"

#include <fmt/format.h>

namespace wimax::phyd {
namespace {

constexpr std::chrono::seconds kTold{1};
constexpr double kNothingDbfs = -200, kNothingDb = -100;  // before the first measurement

/// "3 too often (radio.max_duty_cycle)"
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

/// "  answers 0.61 ms, 1.4, at most 2.9": half and 99 % of them took no longer.
std::string answers_line(const gr::wimax::AnswerTimes& answers) {
    const auto ms = [](uint64_t us) { return static_cast<double>(us) / 1000; };
    if (answers.count() == 0) return "";
    return fmt::format("  answers {:.2g} ms, 99 % {:.2g}, at most {:.2g}", ms(answers.quantile_us(0.5)),
                       ms(answers.quantile_us(0.99)), ms(answers.longest_us));
}

}  // namespace

/// Once a second at most. That nothing is transmitted at all was said when the radio was opened.
void Service::watch_refusals() {
    const auto now = std::chrono::steady_clock::now();
    if (!graph_ || now < refusals_at_) return;
    refusals_at_ = now + kTold;
    const auto refused = graph_->status().radio.refused;
    const uint64_t all = refused.all() - refused.switched_off;
    if (all > refused_) log::layer("radio").warn(frame_.value(), "not sent: {}", refusal_words(refused));
    refused_ = all;
}

nlohmann::json Service::status() {
    ServiceFigures s;
    s.role = config_.role;
    s.mac_attached = attached_;
    s.frame = frame_;
    s.counters = counters_;
    s.outages = outages_.figures();
    s.sap = port_.counters();
    s.transmitter = {transmit_limits(config_)};
    for (size_t i = late_count_ - std::min(late_count_, lates_.size()); i < late_count_; ++i)
        s.lates.push_back(lates_[i % lates_.size()]);
    if (graph_) {
        const auto* signal = graph_->signal();
        s.air = {graph_->radio(), graph_->status(),      air_.rx_reference_dbm,
                 graph_->gains(), graph_->gains_now(),   signal && signal->watched(),
                 graph_->heard(), graph_->answer_times()};
    }
    return to_json_object(s);
}

nlohmann::json Service::signal() {
    auto* tap = graph_ ? graph_->signal() : nullptr;
    if (!tap) return {{"radio_open", false}};
    signal_until_ = std::chrono::steady_clock::now() + kSignalWatched;
    tap->watch(true);
    return signal_picture(*tap, graph_->radio());
}

/// What the radio has suffered, in all and since the line before, in the letters that UHD's users know.
std::string Service::radio_line(const gr::wimax::RadioCounters& radio) {
    std::string line;
    const auto add = [&](const char* name, auto member) {
        if (const uint64_t all = radio.*member; all > 0)
            line += fmt::format("  {} {} (+{})", name, all, all - std::min(all, said_.*member));
    };
    add("U", &gr::wimax::RadioCounters::underflows);
    add("O", &gr::wimax::RadioCounters::overflows);
    add("L", &gr::wimax::RadioCounters::late);
    add("S", &gr::wimax::RadioCounters::sequence_errors);
    add("clipped", &gr::wimax::RadioCounters::clipped_samples);
    said_ = radio;
    return line;
}

std::string Service::status_line() {
    const char* mac = attached_ ? "MAC" : "no MAC";
    if (!graph_) return fmt::format("{}  {}", opening_ || wanted_ ? "opening the radio" : "waiting for a MAC", mac);
    const auto s = graph_->status();
    const bool bs = config_.role == sap::Role::base_station;
    const auto known = [](bool is, auto value, const char* unit) {
        return is ? fmt::format("{:.1f} {}", value, unit) : std::string("-");
    };
    const uint64_t radio = s.radio.late + s.radio.underflows;
    const auto& outages = outages_.figures();
    const bool on = transmit_limits(config_).enable;
    const std::string refused = refusal_words(s.radio.refused);
    const std::string headroom =
        s.peak_dbfs > gr::wimax::kNoPeakDbfs ? fmt::format("  headroom {:.1f} dB", -s.peak_dbfs) : std::string();
    const std::string transmitter = !on               ? "  TRANSMITTER OFF (radio.tx_enable)"
                                    : refused.empty() ? ""
                                                      : "  NOT SENT: " + refused;
    return fmt::format(
        "phy {} frame {}  {}  bursts {}, undecoded {}{}  RSSI {}{}  CINR {}  CFO {}  late {} (software {}, radio "
        "{}){}{} "
        " "
        "{}{}",
        bs ? "bs" : "ss", frame_.value(),
        bs               ? (on ? "transmitting" : "ticking")
        : s.synchronised ? "synchronised"
                         : "searching",
        s.bursts, s.fec_failures,
        outages.count > 0 ? fmt::format(", outages {} of {} frames at most", outages.count, outages.longest) : "",
        known(s.rssi_dbfs > kNothingDbfs, s.rssi_dbfs + air_.rx_reference_dbm, "dBm"), headroom,
        known(s.cinr_db > kNothingDb, s.cinr_db, "dB"), known(!bs && s.synchronised, s.frequency_offset_hz, "Hz"),
        counters_.late + radio, counters_.late, radio, radio_line(s.radio), answers_line(graph_->answer_times()), mac,
        transmitter);
}

}  // namespace wimax::phyd
