// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: captures of a base station and two subscriber stations in one process, from their entry to packets both
// ways. Arguments: folder for bs.pcap, ss-1.pcap and ss-2.pcap.
#include "mac/test_air.h"
#include "macd/pcap_writer.h"

#include <cstdio>

using namespace wimax;

namespace {

constexpr int kFramesWithPackets = 20, kStations = 2;
constexpr uint16_t kPort = 5000;

std::unique_ptr<macd::PcapWriter> capture(mac::Station& station, const mac::test::Air& air, const std::string& path,
                                          const macd::EthernetAddress& own) {
    auto writer = macd::PcapWriter::open(path, own);
    if (!writer) {
        std::fprintf(stderr, "%s\n", writer.error().str().c_str());
        return nullptr;
    }
    (*writer)->set_sample_rate(air.layout.sample_rate_hz());
    station.tap = writer->get();
    return std::move(*writer);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const std::string folder = argv[1];
    mac::test::Air air(mac::test::Air::with_stations(kStations));
    std::vector<std::unique_ptr<macd::PcapWriter>> writers;
    writers.push_back(capture(*air.bs, air, folder + "/bs.pcap", {0x20, 0xE9, 0xFA, 0, 0, 1}));
    for (int i = 0; i < kStations; ++i) {
        auto& terminal = air.add();
        const std::string name = "/ss-" + std::to_string(i + 1) + ".pcap";
        writers.push_back(capture(*terminal.mac, air, folder + name, terminal.config.mac));
    }
    for (const auto& writer : writers)
        if (!writer) return 1;
    if (air.run_until([&] { return air.all_operational(); }) < 0) return 1;
    for (uint32_t n = 0; n < kFramesWithPackets; ++n) {
        for (size_t i = 0; i < kStations; ++i) {
            const uint32_t there = mac::test::station_address(i);
            air.bs->push_sdu(mac::test::ip_packet(mac::test::kServer, there, n % 2 ? 1400 : 100, kPort, n));
            air.terminals[i]->mac->push_sdu(
                mac::test::ip_packet(there, mac::test::kServer, n % 3 ? 1500 : 60, kPort, n));
        }
        air.step();
    }
    air.run(10);
    for (const auto& writer : writers)
        if (writer->figures().dropped > 0) return 1;
    return 0;
}
