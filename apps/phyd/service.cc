// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/service.h"

#include "phyd/air_interfaces.h"
#include "phyd/phyd_log.h"

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <utility>

namespace wimax::phyd {
namespace {

constexpr uint64_t kErrorsLogged = 10;  // then every hundredth, so that many errors do not fill the log

}  // namespace

Service::Service(const PhydConfig& config, sap::Port& port, OpenTransceiver open)
    : config_(config),
      port_(port),
      opener_(config, std::move(open), outbox_),
      session_(config.role, port, [this](const auto& error) { handle(error); }) {}
Service::~Service() = default;

void Service::step(std::chrono::milliseconds timeout, std::span<const int> wake) {
    std::array<int, 8> fds{};
    size_t n = 0;
    fds[n++] = outbox_.fd();
    for (const int fd : wake)
        if (n < fds.size() && fd >= 0) fds[n++] = fd;
    auto message = port_.poll(timeout, std::span(fds).first(n));
    while (message) {
        std::visit(
            [this]<typename M>(M& m) {
                if constexpr (std::same_as<M, sap::ConfigRequest>) configure(m);
                else session_.handle(m);
            },
            *message);
        message = port_.poll(std::chrono::milliseconds(0));
    }
    if (graph_) graph_->process();
    outbox_.take(reports_);
    for (auto& r : reports_) std::visit([this](auto& m) { handle(m); }, r);
    watch_radio();
    poll_opening();
    session_.watch_mac(frame_);
    if (graph_) radio_watch_.warn_of_refusals(*graph_, frame_);
    session_.watch_listening(frame_);
    capturing_.poll(graph_ ? graph_->ring() : nullptr);
    auto* signal = graph_ ? graph_->signal() : nullptr;
    if (signal && signal->watched() && std::chrono::steady_clock::now() >= signal_until_) signal->watch(false);
}

void Service::configure(const sap::ConfigRequest& m) {
    ++sessions_;
    if (const auto f = config_faults(config_, m); !f.empty()) {
        auto lines = f.lines();
        for (const auto& fault : lines)
            phyd_log().error(log::kNoFrame, "MAC session {:016x} refused: {}", m.mac_session, fault);
        return refuse(m, std::move(lines));
    }
    if (!opener_.take(m))
        phyd_log().info(log::kNoFrame, "MAC session {:016x}: {} Hz channel at {}", m.mac_session, m.bandwidth_hz,
                        text_of(m.carriers));
    if (graph_ && graph_->serves(m)) {
        if (const auto f = use_gains({m.tx_gain_db, m.rx_gain_db}); !f.empty()) return refuse(m, {f.lines().front()});
        return session_.attach(*graph_, m);
    }
    close_radio();
    opener_.want();
}

void Service::refuse(const sap::ConfigRequest& m, std::vector<std::string> reasons) {
    sap::ConfigConfirm confirm;
    confirm.mac_session = m.mac_session;
    confirm.faults = std::move(reasons);
    port_.send(confirm);
}

void Service::poll_opening() {
    auto opened = opener_.poll();
    if (opened.refusal) return refuse(opener_.request(), {*opened.refusal});
    if (!opened.air) return;
    graph_ = std::move(opened.air);
    lateness_.restart_radio();
    radio_watch_.restart();
    if (!transmit_limits(config_).enable)
        radio_log().warn(log::kNoFrame, "nothing is transmitted: {}",
                         config_.tx_enable == TransmitSwitch::off
                             ? "radio.tx_enable is false"
                             : "radio.tx_enable is virtual, and this is not the virtual radio (type=vrf)");
    // Before the first sample: what follows does not depend on the host's speed.
    session_.attach(*graph_, opener_.request());
    if (!opener_.start(*graph_)) close_radio();
}

void Service::close_radio() {
    session_.end();
    graph_.reset();
}

/// A device that was unplugged or is silent is opened again, as often as it takes.
void Service::watch_radio() {
    if (!graph_) return;
    const auto why = graph_->lost();
    if (!why) return;
    ++radio_losses_;
    radio_log().error(frame_.value(), "the radio is lost ({}), opening it again", *why);
    close_radio();
    opener_.reopen();
}

Capturing::OpenRadio Service::capture_air() const {
    if (!graph_) return {};
    const auto& radio = graph_->radio();
    const auto& request = opener_.request();
    return {graph_->ring(), static_cast<double>(radio.sample_rate_hz),
            fmt::format("{} at {} Hz, bandwidth {} Hz, rx gain {} dB", config_.radio.device_args,
                        request.carriers.received_by(request.role), request.bandwidth_hz, graph_->gains().rx_db),
            graph_->status().position};
}

/// Without `sample`, the event is at the newest sample.
void Service::event(CaptureTrigger what, std::optional<int64_t> sample) {
    if (!graph_ || !capturing_.waits_for(what)) return;
    capturing_.happened(sample ? *sample : graph_->status().position, graph_->ring());
}

/// Late or interrupted samples belong to the frame in which the radio reports them.
void Service::watch_radio_counts() {
    const auto radio = graph_->status().radio;
    if (radio_watch_.clips(radio)) event(CaptureTrigger::clip);
    if (lateness_.radio(frame_, radio, graph_->radio().sample_rate_hz)) event(CaptureTrigger::late);
}

Faults Service::use_gains(const Transceiver::Gains& gains) {
    Faults f;
    const double rx_before_db = graph_->gains().rx_db;
    try {
        if (const auto set = graph_->set_gains(gains); !set) return set.error();
        session_.use_levels(graph_->radio());
        if (graph_->gains().rx_db != rx_before_db) {
            gr::wimax::Control control;
            control.forget_front_end = true;
            graph_->post(control);
        }
    } catch (const std::exception& e) {
        f.add({{}, {}, e.what()});
    }
    return f;
}

Faults Service::set_gain(bool tx, const nlohmann::json& value_db) {
    Faults f;
    if (!graph_) f.add({{}, value_db.dump(), "only while the radio is open"});
    else if (!value_db.is_number()) f.add({{}, value_db.dump(), "a number of dB"});
    if (!f.empty()) return f;
    Transceiver::Gains gains = graph_->gains();
    double& wanted = tx ? gains.tx_db : gains.rx_db;
    wanted = value_db.get<double>();
    return use_gains(gains);
}

nlohmann::json Service::gain(bool tx) const {
    if (!graph_) return nullptr;
    const auto gains = graph_->gains();
    return tx ? gains.tx_db : gains.rx_db;
}

void Service::handle(const gr::wimax::Tick& t) {
    frame_ = t.frame_number;
    if (graph_) watch_radio_counts();
    phyd_log().debug(t.frame_number.value(), "tick: start {}, synchronised {}, CFO {} Hz, clock {} ppm, CINR {:.2f} dB",
                     t.frame_start_sample, t.synchronised, t.frequency_offset_hz, t.clock_offset_ppm, t.cinr_db);
    session_.forward(t);
}

void Service::handle(gr::wimax::BurstReport& r) {
    phyd_log().debug(
        r.frame_number.value(),
        "burst {}: detected {}, rate {}, {} bytes, failed blocks {}, timing {} samples, CFO {} Hz, CINR {:.2f} dB",
        r.burst.index, r.burst.detected, r.burst.format.rate_id, r.burst.payload.size(), r.burst.failed_blocks,
        r.burst.measured.timing_offset_samples, r.burst.measured.frequency_offset_hz, r.burst.measured.cinr_db);
    if (r.burst.detected && !r.burst.fec_ok) event(CaptureTrigger::fec_failure, r.burst.start_sample);
    session_.forward(std::move(r));
}

void Service::handle(const gr::wimax::ContentionReport& r) {
    phyd_log().debug(r.frame_number.value(), "contention at slot {}: {} codes", r.start_slot.value(), r.codes.size());
    session_.forward(r);
}

void Service::handle(const gr::wimax::ErrorReport& r) {
    if (r.kind == gr::wimax::ErrorKind::late) {
        lateness_.response(r.frame_number, r.microseconds);
        event(CaptureTrigger::late);
    } else {
        ++errors_;
    }
    if (r.kind == gr::wimax::ErrorKind::sync_lost) event(CaptureTrigger::sync_loss);
    if (const uint64_t n = lateness_.responses() + errors_; n <= kErrorsLogged || n % 100 == 0)
        phyd_log().warn(r.frame_number.value(), "{} ({} so far): {} us {}", to_string(r.kind), n, r.microseconds,
                        r.detail);
    session_.forward(r);
}

}  // namespace wimax::phyd
