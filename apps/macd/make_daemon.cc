// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/make_daemon.h"

#include "sap/decorators.h"

#include <utility>

namespace wimax::macd {
namespace {

tl::unexpected<DaemonFault> failed(Fault fault) {
    return tl::unexpected(DaemonFault{std::move(fault), ExitStatus::failed});
}

/// The BSID, or the station's MAC address.
EthernetAddress own_address(const MacdConfig& config) {
    return config.role == sap::Role::subscriber_station ? config.ss.mac : address_of(config.bs.bsid);
}

}  // namespace

tl::expected<std::unique_ptr<Daemon>, DaemonFault> make_daemon(const MacdConfig& config,
                                                               std::unique_ptr<sap::Port> port, DaemonParts& parts) {
    std::unique_ptr<Tun> tun;
    if (config.tun.enabled && config.sap_replay.empty()) {
        auto opened = Tun::open(config.tun);
        if (!opened) return failed(opened.error());
        tun = std::move(*opened);
    }
    std::unique_ptr<PcapWriter> pcap;
    if (!config.pcap_file.empty()) {
        auto opened = PcapWriter::open(config.pcap_file, own_address(config), config.pcap_rotation);
        if (!opened) return failed(opened.error());
        pcap = std::move(*opened);
        if (config.role == sap::Role::base_station) pcap->set_basic_cids(static_cast<uint16_t>(config.bs.basic_cids));
    }
    const auto key_log = open_key_log(config.privacy);
    if (!key_log) return failed(key_log.error());
    auto bs = config.bs;
    auto ss = config.ss;
    bs.privacy.key_log = ss.privacy.key_log = *key_log;
    auto station = config.role == sap::Role::base_station ? ServedStation(mac::make_base_station(bs))
                                                          : ServedStation(mac::make_subscriber_station(ss));
    auto daemon =
        std::make_unique<Daemon>(config, std::move(station), sap::with_log(std::move(port)), std::move(tun), parts);
    if (pcap) daemon->capture(std::move(pcap));
    if (config.role == sap::Role::base_station && config.managed.network.policy != mac::ManagedPolicy::off &&
        config.sap_replay.empty()) {
        auto opened = Tun::open(management_interface(config.managed, config.tun));
        if (!opened) return failed(opened.error());
        daemon->manage(std::move(*opened));
    }
    if (!config.events_file.empty())
        if (const auto opened = daemon->journal().open(config.events_file, config.events_rotation); !opened)
            return failed(opened.error());
    return daemon;
}

}  // namespace wimax::macd
