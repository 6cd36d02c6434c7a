// SPDX-License-Identifier: GPL-3.0-or-later
// One subscriber station of the program: its MAC (macd) and PHY (phyd) in one thread, connected by two queues.
#pragma once

#include "stationd/stationd_config.h"

#include "macd/make_daemon.h"
#include "phyd/service.h"

#include <functional>
#include <memory>

namespace wimax::stationd {

class SharedStation {
public:
    /// Opens sockets and interfaces of the station; its radio is opened later, by a thread. `config` and `stop` outlive
    /// it, and so does what `watch` refers to, which gets the radio's descriptor: readable when work() is needed.
    static tl::expected<std::unique_ptr<SharedStation>, DaemonFault> open(const SharedStationConfig& config,
                                                                          StopSignal& stop,
                                                                          const std::function<void(int)>& watch);
    ~SharedStation();

    /// Requests the radio.
    void begin();
    /// Processes the samples and messages that there are.
    void work();
    /// Control sockets and status: several times a second, and on a request.
    void attend();

    const std::string& name() const { return config_.name; }
    /// The PHY has refused the station's first configuration.
    bool refused() const { return daemon_->refused(); }
    /// A thread opens the radio and cannot be stopped.
    bool opening() const { return service_.opening(); }
    /// Closes the control sockets.
    void close();
    /// MAC, PHY: readable when there is a request.
    int mac_fd() const { return mac_.control.fd(); }
    int phy_fd() const { return phy_.control.fd(); }
    /// As the MAC's status has them.
    nlohmann::json status() const { return daemon_->status(); }

private:
    SharedStation(const SharedStationConfig& config, StopSignal& stop, std::unique_ptr<sap::Port> phy_port,
                  const std::function<void(int)>& watch);
    tl::expected<void, DaemonFault> open_parts(std::unique_ptr<sap::Port> mac_port);
    bool take_messages();

    /// What a daemon has for itself.
    struct Desk {
        ControlServer control;
        StatusWriter status{false};
        tl::expected<void, DaemonFault> open(const DaemonOptions& options, StopSignal& stop);
    };

    const SharedStationConfig& config_;
    StopSignal& stop_;
    const std::unique_ptr<sap::Port> phy_port_;
    Desk mac_, phy_;
    phyd::Service service_;
    DaemonParts parts_;
    std::unique_ptr<macd::Daemon> daemon_;
};

}  // namespace wimax::stationd
