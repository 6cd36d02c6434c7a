// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the MAC daemon, in addition to those of its station. The keys are the description's
// (common/json_object.h).
#pragma once

#include "macd/pcap_writer.h"
#include "macd/tun.h"
#include "sap/port.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

namespace wimax::macd {

/// Names by sap::ErrorKind.
inline constexpr std::array<const char*, 7> kErrorNames{"late",    "underflow", "overflow",    "sync_lost",
                                                        "invalid", "time_jump", "another_cell"};

/// Silence of the PHY or a station, in seconds, from which on it is reported; frames are far shorter.
inline constexpr double kStalledS = 1;

inline double simulated_seconds(const sap::FrameTick& tick) {
    return tick.sample_rate_hz ? static_cast<double>(tick.frame_start_sample) / tick.sample_rate_hz : 0.0;
}

inline std::string hex(uint64_t value) { return fmt::format("{:016x}", value); }

struct PacketCounters {
    uint64_t in = 0, in_bytes = 0, refused = 0, too_long = 0, fragmented = 0, frag_needed = 0, out = 0, out_bytes = 0;
};

struct DaemonCounters {
    uint64_t frames = 0, missed_frames = 0, phy_starts = 0, phy_refusals = 0, superseded = 0, unsynchronised = 0;
    uint64_t bursts = 0, bursts_detected = 0, bursts_bad = 0;
    std::array<uint64_t, kErrorNames.size()> errors{};
    PacketCounters sdus;
};

struct TrafficFigures {
    uint64_t made = 0, received = 0, bytes = 0, hash = 0;
};

struct TunFigures {
    std::string name;
    Tun::Counters counters;
};

struct DaemonFigures {
    sap::Role role = sap::Role::base_station;
    bool operational = false, synchronised = false, phy_alive = false;
    sap::FrameTick tick;  ///< the last one
    DaemonCounters counters;
    uint64_t mac_session = 0, phy_session = 0;
    float rssi_dbm = 0, cinr_db = 0;
    double in_kbps = 0, out_kbps = 0;  ///< between the last two status lines
    double stalled_s = 0;              ///< of the wall clock, since the PHY's last tick
    sap::PortCounters sap;
    TrafficFigures traffic;
    std::optional<TunFigures> tun, management;
    std::optional<PcapFigures> pcap;

    double simulated_s() const { return simulated_seconds(tick); }
};

template <class V> void visit(V& v, const TrafficFigures& t) {
    v("made", t.made);
    v("received", t.received);
    v("bytes", t.bytes);
    v("hash", hex(t.hash));
}

template <class V> void visit(V& v, const TunFigures& t) {
    v("name", t.name);
    v("packets_in", t.counters.packets_in);
    v("packets_out", t.counters.packets_out);
    v("not_ipv4", t.counters.not_ipv4);
    v("write_errors", t.counters.write_errors);
}

template <class V> void visit(V& v, const DaemonCounters& c) {
    v("frames", c.frames);
    v("missed_frames", c.missed_frames);
    v("phy_starts", c.phy_starts);
    v("phy_refusals", c.phy_refusals);
    v("superseded", c.superseded);
    v.object("bursts", [&](auto& own) {
        own("received", c.bursts);
        own("detected", c.bursts_detected);
        own("bad", c.bursts_bad);
    });
    v.object("sdus", [&](auto& own) {
        own("in", c.sdus.in);
        own("in_bytes", c.sdus.in_bytes);
        own("refused", c.sdus.refused);
        own("too_long", c.sdus.too_long);
        own("fragmented", c.sdus.fragmented);
        own("frag_needed", c.sdus.frag_needed);
        own("out", c.sdus.out);
        own("out_bytes", c.sdus.out_bytes);
    });
    v.object("errors", [&](auto& own) {
        for (size_t i = 0; i < kErrorNames.size(); ++i) own(kErrorNames[i], c.errors[i]);
    });
}

template <class V> void visit(V& v, const DaemonFigures& s) {
    v("role", s.role == sap::Role::base_station ? "bs" : "ss");
    v("operational", s.operational);
    v("frame_number", s.tick.frame_number.value());
    v("frame_start_sample", s.tick.frame_start_sample);
    v("sample_rate_hz", s.tick.sample_rate_hz);
    v("simulated_s", s.simulated_s());
    v("synchronised", s.synchronised);
    visit(v, s.counters);
    v("phy_alive", s.phy_alive);
    v("stalled_s", s.stalled_s);
    v("mac_session", hex(s.mac_session));
    v("phy_session", hex(s.phy_session));
    v("rssi_dbm", s.rssi_dbm);
    v("cinr_db", s.cinr_db);
    v("in_kbps", s.in_kbps);
    v("out_kbps", s.out_kbps);
    if (s.role == sap::Role::subscriber_station) {
        v("frequency_offset_hz", s.tick.frequency_offset_hz);
        v("clock_offset_ppm", s.tick.clock_offset_ppm);
    }
    v("sap", s.sap);
    v("traffic", s.traffic);
    v.maybe("tun", s.tun);
    v.maybe("management", s.management);
    v.maybe("pcap", s.pcap);
}

}  // namespace wimax::macd
