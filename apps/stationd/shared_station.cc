// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/shared_station.h"

#include "phyd/polled_transceiver.h"
#include "phyd/service_commands.h"
#include "sap/local_ports.h"

#include <utility>

namespace wimax::stationd {
namespace {

phyd::OpenTransceiver opener(const std::function<void(int)>& watch) {
    return [watch](const phyd::PhydConfig& config, const sap::ConfigRequest& request, phyd::Outbox& outbox) {
        return phyd::PolledTransceiver::open(config, request, outbox, watch);
    };
}

}  // namespace

tl::expected<void, DaemonFault> SharedStation::Desk::open(const DaemonOptions& options, StopSignal& stop) {
    if (!options.status_json.empty())
        if (const auto opened = status.open(options.status_json, options.status_rotation); !opened)
            return tl::unexpected(DaemonFault{opened.error(), ExitStatus::failed});
    if (!options.control_endpoint.empty())
        if (const auto opened = control.open(options.control_endpoint); !opened) return tl::unexpected(opened.error());
    control.serve_log_levels();
    control.on_stop([&stop] { stop.raise(); });
    return {};
}

tl::expected<std::unique_ptr<SharedStation>, DaemonFault> SharedStation::open(const SharedStationConfig& config,
                                                                              StopSignal& stop,
                                                                              const std::function<void(int)>& watch) {
    const log::Speaker speaker(config.name);
    auto ports = sap::make_local_ports();
    std::unique_ptr<SharedStation> station(new SharedStation(config, stop, std::move(ports.phy), watch));
    if (const auto opened = station->open_parts(std::move(ports.mac)); !opened) {
        auto fault = opened.error();
        fault.key = config.name + ": " + fault.key;
        return tl::unexpected(std::move(fault));
    }
    return station;
}

SharedStation::SharedStation(const SharedStationConfig& config, StopSignal& stop, std::unique_ptr<sap::Port> phy_port,
                             const std::function<void(int)>& watch)
    : config_(config),
      stop_(stop),
      phy_port_(std::move(phy_port)),
      service_(config.phy, *phy_port_, opener(watch)),
      parts_{config.mac_schema, stop, mac_.status, mac_.control} {}

SharedStation::~SharedStation() = default;

tl::expected<void, DaemonFault> SharedStation::open_parts(std::unique_ptr<sap::Port> mac_port) {
    if (auto opened = mac_.open(config_.mac.daemon, stop_); !opened) return opened;
    if (auto opened = phy_.open(config_.phy.daemon, stop_); !opened) return opened;
    phyd::serve_service(phy_.control, service_);
    auto daemon = macd::make_daemon(config_.mac, std::move(mac_port), parts_);
    if (!daemon) return tl::unexpected(daemon.error());
    daemon_ = std::move(*daemon);
    return {};
}

void SharedStation::begin() {
    const log::Speaker speaker(config_.name);
    daemon_->begin();
}

bool SharedStation::take_messages() {
    bool any = false;
    while (daemon_->take(std::chrono::milliseconds(0))) any = true;
    return any;
}

/// The MAC's responses let the PHY continue, which may have more for the MAC.
void SharedStation::work() {
    const log::Speaker speaker(config_.name);
    do service_.step(std::chrono::milliseconds(0), {});
    while (take_messages());
}

void SharedStation::attend() {
    const log::Speaker speaker(config_.name);
    daemon_->attend();
    phy_.control.poll();
    if (phy_.status.wants_json() && phy_.status.due()) phy_.status.write({}, service_.status().dump(-1, ' ', true));
}

void SharedStation::close() {
    mac_.control.close();
    phy_.control.close();
}

}  // namespace wimax::stationd
