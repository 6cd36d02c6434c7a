// SPDX-License-Identifier: GPL-3.0-or-later
// The PHY's side of the service access point: takes a MAC's configuration, has the radio opened, carries messages
// between the MAC and the flowgraph, and keeps the PHY ticking when the MAC dies. One thread.
#pragma once

#include "phyd/capturing.h"
#include "phyd/mac_session.h"
#include "phyd/radio_opener.h"
#include "phyd/radio_watch.h"
#include "phyd/service_figures.h"

#include <nlohmann/json.hpp>
#include "common/stop.h"

#include <chrono>
#include <memory>
#include <optional>

namespace wimax::phyd {

class Service {
public:
    Service(const PhydConfig& config, sap::Port& port, OpenTransceiver open);
    ~Service();

    /// Waits up to `timeout` for something to do and does it. `wake`: descriptors that end the wait.
    void step(std::chrono::milliseconds timeout, std::span<const int> wake);
    /// True while a radio is being opened: then the program ends without joining the thread.
    bool opening() const { return opener_.opening(); }

    /// Gain of the open radio, changed between this frame and the next. The MAC requests other gains when it starts.
    Faults set_gain(bool tx, const nlohmann::json& value_db);
    nlohmann::json gain(bool tx) const;

    Faults capture(const nlohmann::json& value) { return capturing_.arm(value, capture_air()); }
    nlohmann::json capture() const { return capturing_.state(); }

    nlohmann::json status();
    /// The received signal, collected from the first query until kSignalWatched after the last.
    nlohmann::json signal();
    static constexpr std::chrono::seconds kSignalWatched{3};
    /// The status as a text line.
    std::string status_line();

private:
    void configure(const sap::ConfigRequest& request);
    void refuse(const sap::ConfigRequest& request, std::vector<std::string> reasons);
    void handle(const gr::wimax::Tick& tick);
    void handle(gr::wimax::BurstReport& report);
    void handle(const gr::wimax::ContentionReport& report);
    void handle(const gr::wimax::ErrorReport& error);

    void poll_opening();
    void close_radio();
    void watch_radio();
    void watch_radio_counts();
    Capturing::OpenRadio capture_air() const;
    void event(CaptureTrigger what, std::optional<int64_t> sample = {});
    /// Every change of gains is made here (settings, a new MAC): the receiver discards the front-end state of another
    /// gain. A new frequency is a new radio, whose receiver has no state.
    Faults use_gains(const Transceiver::Gains& gains);

    const PhydConfig& config_;
    sap::Port& port_;
    Outbox outbox_;
    std::vector<Report> reports_;
    RadioOpener opener_;
    std::unique_ptr<Transceiver> graph_;  ///< null: no radio is open
    MacSession session_;
    Lateness lateness_;
    RadioWatch radio_watch_;
    Capturing capturing_;
    sap::FrameNumber frame_;
    uint64_t sessions_ = 0, errors_ = 0, radio_losses_ = 0;
    std::chrono::steady_clock::time_point signal_until_{};
};

}  // namespace wimax::phyd
