/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The PHY's side of the service access point: takes a MAC's configuration, opens the radio, carries messages between
 * the MAC and the flowgraph, and keeps the PHY ticking when the MAC dies. One thread; the radio is opened in a second
 * one, so that a device that takes its time does not hold up a signal.
 */
#pragma once

#include "phyd/capturing.h"
#include "phyd/convert.h"
#include "phyd/outages.h"
#include "phyd/service_figures.h"
#include "phyd/turn_gaps.h"

#include <nlohmann/json.hpp>
#include "common/stop.h"
#include "sap/frame_bounds.h"

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

namespace wimax::phyd {

class Service {
public:
    Service(const PhydConfig& config, sap::Port& port, OpenAir open);
    ~Service();

    /// Waits up to `timeout` for something to do and does it. `wake`: descriptors that end the wait.
    void step(std::chrono::milliseconds timeout, std::span<const int> wake);
    /// A radio is being opened: leaving then means leaving the thread behind.
    bool opening() const { return opening_ != nullptr; }

    /// Of the open radio, between this frame and the next; the MAC asks for others when it starts.
    Faults set_gain(bool tx, const nlohmann::json& value_db);
    nlohmann::json gain(bool tx) const;

    Faults capture(const nlohmann::json& value) { return capturing_.arm(value, capture_air()); }
    nlohmann::json capture() const { return capturing_.state(); }

    nlohmann::json status();
    /// What is heard, from the first question until kSignalWatched after the last.
    nlohmann::json signal();
    static constexpr std::chrono::seconds kSignalWatched{3};
    /// The status for people.
    std::string status_line();

private:
    struct Opening;

    void handle(const sap::ConfigRequest& m);
    void handle(const sap::ProfilesRequest& m);
    void handle(sap::TxFrame& m);
    void handle(sap::RxExpect& m);
    template <typename T>
    void handle(const T&) {}  // not for a PHY: counted by the port

    void handle(const gr::wimax::Tick& m);
    void handle(gr::wimax::BurstReport& m);
    void handle(const gr::wimax::ContentionReport& report);
    void handle(const gr::wimax::ErrorReport& m);

    Faults faults(const sap::ConfigRequest& m) const;
    void open();
    void poll_opening();
    void start_air();
    void open_again(std::chrono::steady_clock::time_point at);
    void attach();
    void watch_mac();
    void watch_refusals();
    void watch_radio();
    void note_late(sap::FrameNumber frame, int64_t late_us, uint64_t count = 1);
    void watch_radio_counts();
    int64_t lateness_at_gate(const gr::wimax::RadioCounters& radio);
    Capturing::Air capture_air() const;
    void event(CaptureTrigger what, std::optional<int64_t> sample = {});
    /// Whoever changes gains does it here (settings, a new MAC, automatic control): the receiver forgets what it knew
    /// of its front end at another gain. A new frequency is a new radio, whose receiver knows nothing anyway.
    Faults use_gains(const Air::Gains& gains);
    std::string radio_line(const gr::wimax::RadioCounters& radio);
    void watch_listening();
    void describe_radio();
    void tell_failure(const std::string& fault, bool unavailable);
    void refuse(const std::string& fault);
    const gr::wimax::Tick* tick_of(sap::FrameNumber frame) const;
    sap::FrameInForce frame_of(const gr::wimax::Tick& tick) const;
    void invalid(sap::FrameNumber frame, const std::string& what);

    const PhydConfig& config_;
    sap::Port& port_;
    const OpenAir open_air_;
    Outbox outbox_;
    std::vector<Report> reports_;
    std::unique_ptr<Air> graph_;
    std::shared_ptr<Opening> opening_;
    std::chrono::steady_clock::time_point retry_at_{};
    std::string described_;  ///< the radio that the log has
    std::string failure_;    ///< of opening it, the last one that was told
    uint32_t failures_ = 0;  ///< in a row
    bool wanted_ = false;    ///< a configuration waits for its radio
    bool attached_ = false;  ///< a MAC answers
    bool first_tick_ = false;
    sap::ConfigRequest request_;
    AirContext air_;
    std::array<gr::wimax::Tick, 8> ticks_{};  ///< the last ones, answers to which may still come
    size_t tick_count_ = 0;
    struct Broadcast {
        sap::FrameNumber number;
        sap::FrameInForce frame;
    };
    std::optional<Broadcast> broadcast_;  ///< SS: the last frame whose maps the MAC got
    sap::FrameNumber frame_;
    ServiceCounters counters_;
    std::array<LateFrame, 64> lates_{};
    size_t late_count_ = 0;
    uint64_t radio_lates_ = 0;  ///< that are in lates_
    uint64_t gate_lates_ = 0;   ///< of them, by a gate in the radio
    uint64_t clipped_ = 0;      ///< that were seen
    Capturing capturing_;
    Outages outages_;
    TurnGaps turn_gaps_;  ///< base station
    std::chrono::steady_clock::time_point signal_until_{}, refusals_at_{};
    uint64_t refused_ = 0;           ///< that was told
    gr::wimax::RadioCounters said_;  ///< in the last status line
    bool listening_ = false;         ///< and nothing was told yet
};

}  // namespace wimax::phyd
