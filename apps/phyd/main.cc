/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phyd/flowgraph.h"
#include "phyd/service.h"

#include "common/control.h"
#include "common/status_writer.h"
#include "sap/transport.h"

#include <cstdio>
#include <cstdlib>

using namespace wimax;

int main(int argc, char** argv) {
    phyd::PhydConfig config;
    config::Schema schema(
        "wimax-phyd", "PHY of a base or subscriber station: GNU Radio flowgraph behind the PHY service access point");
    phyd::declare(schema, config);
    if (const auto done = config::configure(argc, argv, schema, [&] { return phyd::derived(config); })) return *done;

    // UHD looks for its configuration in the home folder and gives up without one; services of a system have none.
    ::setenv("HOME", "/", 0);
    StopSignal stop;
    const auto refuse = [](const std::string& text) {
        std::fprintf(stderr, "wimax-phyd: %s\n", text.c_str());
        return 2;
    };
    if (const std::string fault = log::start(config.log); !fault.empty()) return refuse(fault);
    StatusWriter writer(config.console, config.status_json);
    if (!writer.fault().empty()) return refuse("status.json: " + writer.fault());
    auto port = sap::open_phy_port(config.sap_endpoint);
    if (!port) return refuse("sap: " + port.error());
    ControlServer control(config.control_endpoint);
    if (!control.fault().empty()) return refuse("control: " + control.fault());

    bool opening = false;
    {
        phyd::Service service(config, **port, [](const auto& c, const auto& request, auto& outbox) {
            return std::make_unique<phyd::Flowgraph>(c, request, outbox);
        });
        control.on_get("status", [&] { return service.status(); });
        control.serve_log_levels();
        control.on_stop([&] { stop.raise(); });
        const std::array fds{stop.fd(), control.fd()};
        while (!stop.raised()) {
            service.step(std::chrono::milliseconds(50), fds);
            control.poll();
            if (writer.due()) writer.write(service.status_line(), writer.wants_json() ? service.status().dump() : "");
        }
        opening = service.opening();
        if (opening) {  // the thread that waits for the device cannot be told to stop
            log::stop();
            std::_Exit(0);
        }
    }
    log::stop();
    return 0;
}
