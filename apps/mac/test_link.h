// SPDX-License-Identifier: GPL-3.0-or-later
// One station near its base station, and whether packets get through: for tests of link robustness.
#pragma once

#include "mac/test_air.h"

namespace wimax::mac::test {

inline constexpr float kNearDb = 50;  // path loss at which a station sends 30 dB below its limit

struct Cell : Air {
    explicit Cell(Link link = {10, kNearDb, 0}, BaseStationConfig config = {})
        : Air(std::move(config)), station(add(link)) {
        total_damage = true;
        entered = run_until([&] { return all_operational() && bs->operational(); }, frames(6)) >= 0;
        run(50);
    }
    /// One packet each way; both arrive within a few frames.
    bool pings() {
        const auto down = station.dl_packets, up = ul_packets;
        const bool taken = bs->push_sdu(ip_packet(kServer, station_address(0), 100)) &
                           station.mac->push_sdu(ip_packet(station_address(0), kServer, 100));
        for (int i = 0; i < 8 && (station.dl_packets == down || ul_packets == up); ++i) step();
        return taken && station.dl_packets > down && ul_packets > up;
    }
    /// Seconds until a ping is answered.
    double healed_after(double limit_s) {
        const phy::FrameNumber begin = frame;
        const auto gone_by = [&] { return static_cast<int>(frame.since(begin)); };
        while (!pings())
            if (gone_by() > frames(limit_s)) return 1e9;
        return gone_by() * layout.frame_seconds();
    }
    float power_dbm() const { return station.status()["power_dbm"].get<float>(); }
    Json entry() { return bs_status()["stations"].at(0); }

    Terminal& station;
    bool entered = false;
};

}  // namespace wimax::mac::test
