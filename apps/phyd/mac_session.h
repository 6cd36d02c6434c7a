// SPDX-License-Identifier: GPL-3.0-or-later
// The session of a MAC with an open radio: its ticks and responses, the bursts that it receives. While no MAC is
// attached the radio's reports are not forwarded.
#pragma once

#include "phyd/convert.h"
#include "phyd/outages.h"
#include "phyd/transceiver.h"
#include "phyd/turn_gaps.h"

#include "sap/frame_bounds.h"
#include "sap/port.h"

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace wimax::phyd {

class MacSession {
public:
    /// Errors of the MAC's responses.
    using OnError = std::function<void(const gr::wimax::ErrorReport&)>;
    MacSession(sap::Role role, sap::Port& port, OnError on_error);

    /// Confirms the MAC's request. From here on the MAC gets the ticks of `air`, which lives until end(). Responses
    /// that the former MAC owes are released first.
    void attach(Transceiver& air, const sap::ConfigRequest& request);
    /// Releases the radio from a MAC that has disconnected.
    void watch_mac(sap::FrameNumber frame);
    /// Reports the result of listening before transmission to log and MAC, when it is known.
    void watch_listening(sap::FrameNumber frame);
    /// The gains were changed: levels at the antenna change with them.
    void use_levels(const Transceiver::Radio& radio);
    /// The radio is closed.
    void end();

    bool attached() const { return attached_; }
    double rx_reference_dbm() const { return context_.rx_reference_dbm; }
    const OutageFigures& outages() const { return outages_.figures(); }
    /// MACs that were lost.
    uint64_t losses() const { return losses_; }

    void handle(const sap::ProfilesRequest& m);
    void handle(sap::TxFrame& m);
    void handle(sap::RxExpect& m);
    template <typename T> void handle(const T&) {}  // not for a PHY: counted by the port

    void forward(const gr::wimax::Tick& tick);
    void forward(gr::wimax::BurstReport&& report);
    void forward(const gr::wimax::ContentionReport& report);
    void forward(const gr::wimax::ErrorReport& error);

private:
    bool is_bs() const { return context_.role == sap::Role::base_station; }
    void release();
    void confirm(const Transceiver::Radio& radio, const sap::ConfigRequest& request);
    const gr::wimax::Tick* tick_of(sap::FrameNumber frame) const;
    sap::FrameInForce frame_in_force(gr::wimax::phy::CyclicPrefix cp, int64_t frame_samples) const;
    sap::FrameInForce frame_of(const gr::wimax::Tick& tick) const;
    void invalid(sap::FrameNumber frame, const std::string& what);

    struct Broadcast {
        sap::FrameNumber number;
        sap::FrameInForce frame;
    };

    sap::Port& port_;
    const OnError on_error_;
    Transceiver* air_ = nullptr;  ///< open radio
    bool attached_ = false;
    bool listening_ = false;  ///< and nothing was reported yet
    AirContext context_;
    bool one_carrier_ = true;                 ///< of both directions
    std::array<gr::wimax::Tick, 8> ticks_{};  ///< the last ones; responses to them may still arrive
    size_t tick_count_ = 0;
    std::optional<Broadcast> broadcast_;  ///< SS: the last frame whose maps the MAC got
    Outages outages_;
    TurnGaps turn_gaps_;  ///< base station
    uint64_t losses_ = 0;
};

}  // namespace wimax::phyd
