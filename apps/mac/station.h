// SPDX-License-Identifier: GPL-3.0-or-later
// The MAC seen from outside: a pure state machine without sockets, threads or clock. Inputs are the PHY's indications
// and SDUs from the convergence sublayer's user, outputs are the PHY's requests and SDUs. Each user knows the roles
// that it needs. Station has the roles that base and subscriber stations share, so that one daemon, one test bench and
// one simulator drive both.
//
// Time is the sample count in FrameTick; it starts with the first tick. Call an object from one thread only.
#pragma once

#include "common/faults.h"
#include "sap/messages.h"

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wimax {
class FigureReader;  // common/figure_reader.h
}

namespace wimax::mac {

struct BaseStationProfile;

using Octets = std::span<const uint8_t>;
class PduTap;
class ReadBurst;  // mac/pdu/read_burst.h
struct Event;     // mac/report/events.h

struct BaseStationConfig;
struct FlowCommand;     // mac/flow/flow_command.h
struct StationCommand;  // mac/station_command.h

/// The user of a PHY, frame by frame.
class FrameUser {
public:
    virtual ~FrameUser() = default;

    /// Configuration for the PHY (the daemon assigns session numbers).
    virtual sap::ConfigRequest phy_config() const = 0;
    /// A PHY has started or restarted: all air-interface state is reset.
    virtual void on_phy_start(const sap::ConfigConfirm& confirm) = 0;
    /// Fills the response to the tick. BS: also `expect`, the uplink of the same frame. SS: `expect` is left alone.
    /// Best called with the response to the previous tick in `tx` and `expect`: its buffers are used again, its
    /// contents are not.
    virtual void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) = 0;
    /// Returns true if `expect` was filled and must be sent (SS, broadcast burst).
    virtual bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) = 0;
    virtual void on_error(const sap::ErrorIndication& error) = 0;
};

/// Takes and delivers the packets of the convergence sublayer's user.
class PacketService {
public:
    virtual ~PacketService() = default;

    /// IP packet from the user. False: no flow takes it or its queue is full (counted).
    virtual bool push_sdu(Octets packet) = 0;
    /// SDU octets waiting in the flow that would take this packet, for a user that limits its queue; 0: no flow would.
    /// The packet is not changed.
    virtual size_t waiting_octets(Octets packet) = 0;
    /// Delivered packets, in order, from within on_burst().
    std::function<void(Octets packet)> on_sdu;
};

/// Changes of service flows that a user asks for.
class FlowOperator {
public:
    virtual ~FlowOperator() = default;

    /// Fills in the current parameters of the service flow that the command names. False: there is none.
    virtual bool describe(FlowCommand& command) const = 0;
    /// Begins a change; status() has the result under the command's number. Fault: the reason for refusal.
    virtual Outcome change_flow(const FlowCommand& command) = 0;
};

/// What a station reports about itself.
class StationReport {
public:
    virtual ~StationReport() = default;

    /// Counters and gauges for JSON lines and control socket: an object. Its texts may be received from the air: not
    /// always UTF-8.
    virtual nlohmann::json status() const = 0;
    /// The same figures without JSON.
    virtual void report(FigureReader& reader) const = 0;
    /// SS: registered with its provisioned flows set up. BS: number of such stations > 0.
    virtual bool operational() const = 0;
    /// Called for each event: state changes, entry, loss. `frame` as far as known.
    std::function<void(uint32_t frame, const Event& event)> on_event;
    /// Receives every PDU sent and received (mac/report/pdu_tap.h); may be null. Outlives the station.
    PduTap* tap = nullptr;
};

/// What base and subscriber stations have in common.
class Station : public FrameUser, public PacketService, public FlowOperator, public StationReport {};

/// Commands of the operator of a cell.
class CellOperator {
public:
    virtual ~CellOperator() = default;

    /// Sends an operator's command to a station. Fault: the reason for refusal.
    virtual Outcome command_station(const StationCommand& command) = 0;
    /// Adopts provisioning and profile of a valid configuration; stations are still served, and unchanged parts are not
    /// touched. Returns the keys that differ and cannot change while it runs, or why nothing was done.
    virtual tl::expected<std::vector<std::string>, Faults> reprovision(const BaseStationConfig& config) = 0;
    /// Thresholds, backoff windows and reservation timeout of the profile come into force by a change of the
    /// descriptors; its other values are unchanged. Faults: values not allowed, or a change in progress; then nothing
    /// happens.
    virtual Faults change_profile(const BaseStationProfile& profile) = 0;
};

/// Codes of focused contention, which only a base station receives.
class CodeReceiver {
public:
    virtual ~CodeReceiver() = default;

    virtual void on_contention(const sap::RxContention& contention) = 0;
};

/// Takes and delivers the IP packets of managed stations' secondary management connections, which a base station has.
class ManagementGateway {
public:
    virtual ~ManagementGateway() = default;

    /// A packet of the management network. False: it is for no station, or there is no room (counted).
    virtual bool push_management_packet(Octets packet) = 0;
    /// Packets for that network.
    std::function<void(Octets packet)> on_management_packet;
};

/// Changes of the PHY's configuration that a subscriber station asks for, while it searches and follows a base station.
class PhyChanges {
public:
    virtual ~PhyChanges() = default;

    /// The PHY refuses the requested configuration after it has served another one: another channel is searched.
    virtual void on_phy_refusal() = 0;
    /// True once, when DIUC -> rate changed and a ProfilesRequest is due.
    virtual bool profiles_changed(sap::ProfilesRequest& profiles) = 0;
    /// True once when it searches another channel: the PHY is to be configured again, and restarts.
    virtual bool phy_config_changed(sap::ConfigRequest& request) = 0;
};

/// Stations of one process that receive the same burst, and read it once.
class SharedReceiver {
public:
    virtual ~SharedReceiver() = default;

    /// As on_burst(). `reading`: of the burst's payload.
    virtual bool on_read_burst(const sap::RxBurst& burst, ReadBurst& reading, sap::RxExpect& expect) = 0;
};

class BaseStationMac : public Station, public CellOperator, public CodeReceiver, public ManagementGateway {};
class SubscriberMac : public Station, public PhyChanges, public SharedReceiver {};

}  // namespace wimax::mac
