// SPDX-License-Identifier: GPL-3.0-or-later
// The status of the service: as JSON and as a line for the console.
#include "phyd/service.h"
#include "phyd/signal.h"

#include "common/json_object.h"

#include <fmt/format.h>

namespace wimax::phyd {
namespace {

constexpr double kNothingDbfs = -200, kNothingDb = -100;  // before the first measurement

/// "  answers 0.61 ms, 99 % 1.4, at most 2.9": median, 99 % quantile and maximum.
std::string answers_line(const gr::wimax::AnswerTimes& answers) {
    const auto ms = [](uint64_t us) { return static_cast<double>(us) / 1000; };
    if (answers.count() == 0) return "";
    return fmt::format("  answers {:.2g} ms, 99 % {:.2g}, at most {:.2g}", ms(answers.quantile_us(0.5)),
                       ms(answers.quantile_us(0.99)), ms(answers.longest_us));
}

}  // namespace

nlohmann::json Service::status() {
    ServiceFigures s;
    s.role = config_.role;
    s.mac_attached = session_.attached();
    s.frame = frame_;
    s.counters = {lateness_.responses(),        errors_, session_.losses(), sessions_, radio_losses_,
                  lateness_.worst_response_us()};
    s.outages = session_.outages();
    s.sap = port_.counters();
    s.transmitter = {transmit_limits(config_)};
    s.lates = lateness_.last();
    if (graph_) {
        const auto* signal = graph_->signal();
        s.air = {graph_->radio(), graph_->status(),      session_.rx_reference_dbm(),
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

std::string Service::status_line() {
    const char* mac = session_.attached() ? "MAC" : "no MAC";
    if (!graph_)
        return fmt::format("{}  {}", opener_.opening() || opener_.wanted() ? "opening the radio" : "waiting for a MAC",
                           mac);
    const auto s = graph_->status();
    const bool bs = config_.role == sap::Role::base_station;
    const auto known = [](bool is, auto value, const char* unit) {
        return is ? fmt::format("{:.1f} {}", value, unit) : std::string("-");
    };
    const uint64_t radio = s.radio.late + s.radio.underflows;
    const auto& outages = session_.outages();
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
        known(s.rssi_dbfs > kNothingDbfs, s.rssi_dbfs + session_.rx_reference_dbm(), "dBm"), headroom,
        known(s.cinr_db > kNothingDb, s.cinr_db, "dB"), known(!bs && s.synchronised, s.frequency_offset_hz, "Hz"),
        lateness_.responses() + radio, lateness_.responses(), radio, radio_watch_.line(s.radio),
        answers_line(graph_->answer_times()), mac, transmitter);
}

}  // namespace wimax::phyd
