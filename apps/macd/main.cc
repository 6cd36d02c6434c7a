// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-macd: MAC of a base station or a subscriber station.
#include "common/daemon.h"
#include "macd/mac_daemon.h"

#include "sap/decorators.h"
#include "sap/transport.h"

#include <fmt/format.h>

using namespace wimax;

namespace {

tl::unexpected<DaemonFault> refuse(Fault fault, ExitStatus status) {
    return tl::unexpected(DaemonFault{std::move(fault), status});
}

/// The BSID, or the station's MAC address.
macd::EthernetAddress own_address(const macd::MacdConfig& config) {
    if (config.role == sap::Role::subscriber_station) return config.ss.mac;
    macd::EthernetAddress address;
    for (size_t i = 0; i < address.size(); ++i) address[i] = static_cast<uint8_t>(config.bs.bsid >> (40 - 8 * i));
    return address;
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
    std::unique_ptr<macd::Tun> tun;
    if (config.tun.enabled && recording == nullptr) {
        auto opened = macd::Tun::open(config.tun);
        if (!opened) return refuse(opened.error(), ExitStatus::failed);
        tun = std::move(*opened);
    }
    std::unique_ptr<macd::PcapWriter> pcap;
    if (!config.pcap_file.empty()) {
        auto opened = macd::PcapWriter::open(config.pcap_file, own_address(config), config.pcap_rotation);
        if (!opened) return refuse(opened.error(), ExitStatus::failed);
        pcap = std::move(*opened);
        if (config.role == sap::Role::base_station) pcap->set_basic_cids(static_cast<uint16_t>(config.bs.basic_cids));
    }
    const auto key_log = macd::open_key_log(config.privacy);
    if (!key_log) return refuse(key_log.error(), ExitStatus::failed);
    auto bs = config.bs;
    auto ss = config.ss;
    bs.privacy.key_log = ss.privacy.key_log = *key_log;
    auto station = config.role == sap::Role::base_station ? macd::ServedStation(mac::make_base_station(bs))
                                                          : macd::ServedStation(mac::make_subscriber_station(ss));
    macd::Daemon daemon(config, std::move(station), sap::with_log(std::move(*port)), std::move(tun), parts);
    if (pcap) daemon.capture(std::move(pcap));
    if (!config.events_file.empty())
        if (const auto opened = daemon.journal().open(config.events_file, config.events_rotation); !opened)
            return refuse(opened.error(), ExitStatus::failed);
    if (const int status = daemon.run(); status != 0)
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
