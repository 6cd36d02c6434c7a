// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/air_interfaces.h"
#include "phyd/service.h"
#include "phyd/service_commands.h"

#include "common/daemon.h"
#include "sap/transport.h"

#include <cstdlib>

using namespace wimax;

namespace {

tl::expected<void, DaemonFault> serve(const phyd::PhydConfig& config, DaemonParts& parts) {
    auto port = sap::open_phy_port(config.sap_endpoint);
    if (!port) return tl::unexpected(DaemonFault{{"sap.endpoint", {}, port.error().str()}, port.error().status});
    phyd::Service service(config, **port, &phyd::open_transceiver);
    phyd::serve_service(parts.control, service);
    const std::array fds{parts.stop.fd(), parts.control.fd()};
    while (!parts.stop.raised()) {
        service.step(std::chrono::milliseconds(50), fds);
        parts.control.poll();
        if (parts.status.due())
            parts.status.write(service.status_line(),
                               parts.status.wants_json() ? service.status().dump(-1, ' ', true) : "");
    }
    // The thread that waits for the device cannot be stopped. So only sockets and locks are destroyed.
    if (service.opening()) {
        parts.control.close();
        port->reset();
        log::stop();
        std::_Exit(0);
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    phyd::PhydConfig config;
    config::Schema schema(
        "wimax-phyd", "PHY of a base or subscriber station: GNU Radio flowgraph behind the PHY service access point");
    phyd::declare(schema, config);
    // UHD looks for its configuration in the home folder and gives up without one; services of a system have none.
    ::setenv("HOME", "/", 0);
    return run_daemon(
        argc, argv, schema, config.daemon, [&] { return phyd::derived(config); },
        [&](DaemonParts& parts) { return serve(config, parts); });
}
