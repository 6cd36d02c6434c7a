// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-macd: MAC of a base station or a subscriber station.
#include "common/daemon.h"
#include "macd/make_daemon.h"

#include "sap/decorators.h"
#include "sap/transport.h"

#include <fmt/format.h>

using namespace wimax;

namespace {

tl::unexpected<DaemonFault> refuse(Fault fault, ExitStatus status) {
    return tl::unexpected(DaemonFault{std::move(fault), status});
}

using Port = tl::expected<std::unique_ptr<sap::Port>, DaemonFault>;

/// Port to the PHY, with a recorder if configured.
Port open_port(const macd::MacdConfig& config) {
    auto port = sap::open_mac_port(config.sap_endpoint);
    if (!port) return refuse({"sap.endpoint", {}, port.error().str()}, port.error().status);
    if (config.sap_record.empty()) return std::move(*port);
    auto recorded = sap::with_recorder(std::move(*port), config.sap_record, config.sap_rotation);
    if (!recorded) return refuse({"sap.record", {}, recorded.error().str()}, ExitStatus::failed);
    return std::move(*recorded);
}

/// A recording in place of the PHY, at whose end the MAC stops.
tl::expected<std::unique_ptr<sap::Replayer>, DaemonFault> open_recording(const std::string& path, StopSignal& stop) {
    auto replayer = sap::open_replayer(path, [&stop] { stop.raise(); });
    if (!replayer) return refuse({"sap.replay", {}, replayer.error().str()}, ExitStatus::configuration_refused);
    return std::move(*replayer);
}

/// Fault: the recording has more, because this MAC sends other messages.
tl::expected<void, DaemonFault> end_of(const sap::Replayer& recording) {
    const auto& counters = recording.counters();
    const std::string said = fmt::format("{} messages received, {} sent, {} of them different from the recording",
                                         counters.received, counters.sent, recording.differences());
    if (!recording.finished())
        return refuse({"sap.replay", {}, said + "; this MAC sent fewer messages than the recording has"},
                      ExitStatus::failed);
    fmt::print("replayed: {}\n", said);
    return {};
}

tl::expected<void, DaemonFault> serve(const macd::MacdConfig& config, DaemonParts& parts) {
    const sap::Replayer* recording = nullptr;
    Port port;
    if (config.sap_replay.empty()) {
        port = open_port(config);
    } else if (auto opened = open_recording(config.sap_replay, parts.stop)) {
        recording = opened->get();
        port = std::move(*opened);
    } else {
        port = tl::unexpected(opened.error());
    }
    if (!port) return tl::unexpected(port.error());
    auto daemon = macd::make_daemon(config, std::move(*port), parts);
    if (!daemon) return tl::unexpected(daemon.error());
    if (const int status = (*daemon)->run(); status != 0)
        return refuse({{}, {}, "the PHY refuses the configuration"}, static_cast<ExitStatus>(status));
    if (recording != nullptr) return end_of(*recording);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    macd::MacdConfig config;
    config::Schema schema("wimax-macd", "MAC of an IEEE 802.16-2004 WirelessMAN-OFDM base or subscriber station");
    macd::declare(schema, config);
    return run_daemon(
        argc, argv, schema, config.daemon, [&] { return macd::derived(config); },
        [&](DaemonParts& parts) { return serve(config, parts); });
}
