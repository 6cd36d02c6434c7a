/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax-macd: MAC of a base station or a subscriber station.
 */
#include "macd/daemon.h"

#include "sap/decorators.h"
#include "sap/transport.h"

#include <cstdio>

namespace {

constexpr int kFailed = 1, kFaulty = 2;

int fail(int status, const std::string& text) {
    std::fprintf(stderr, "wimax-macd: %s\n", text.c_str());
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace wimax;
    macd::MacdConfig config;
    config::Schema schema("wimax-macd", "MAC of an IEEE 802.16-2004 WirelessMAN-OFDM base or subscriber station");
    macd::declare(schema, config);
    if (const auto done = config::configure(argc, argv, schema, [&] { return macd::derived(config); })) return *done;

    StopSignal stop;
    if (const auto why = log::start(config.log); !why.empty()) return fail(kFaulty, why);
    StatusWriter status(config.console, config.stats);
    if (!status.fault().empty()) return fail(kFaulty, "stats: " + status.fault());
    ControlServer control(config.control_endpoint);
    if (!control.fault().empty()) return fail(kFailed, "control.endpoint: " + control.fault());

    auto port = sap::open_mac_port(config.phy_endpoint);
    if (!port) return fail(kFaulty, "phy.endpoint: " + port.error());
    if (!config.phy_record.empty()) {
        port = sap::with_recorder(std::move(*port), config.phy_record);
        if (!port) return fail(kFailed, "phy.record: " + port.error());
    }
    std::unique_ptr<macd::Tun> tun;
    if (config.tun.enabled) {
        auto opened = macd::Tun::open(config.tun);
        if (!opened) return fail(kFailed, opened.error());
        tun = std::move(*opened);
    }
    auto station = config.role == sap::Role::base_station ? mac::make_base_station(config.bs)
                                                          : mac::make_subscriber_station(config.ss);
    int result = 0;
    {
        macd::Daemon daemon(config, std::move(station), sap::with_log(std::move(*port)), std::move(tun), stop, control,
                            status);
        result = daemon.run();
    }
    log::stop();
    return result;
}
