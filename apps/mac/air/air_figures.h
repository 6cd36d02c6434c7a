// SPDX-License-Identifier: GPL-3.0-or-later
// What an air interface reports of a base station's frames. Counters start with the program; readers use differences.
#pragma once

#include <cstdint>

namespace wimax::mac {

/// Use of the units of one direction's subframes.
struct FrameAccount {
    uint64_t preamble = 0, fch = 0, maps = 0, descriptors = 0, management = 0, data = 0, contention = 0, ranging = 0,
             idle = 0, gap = 0;
};

struct BroadcastCounters {
    uint64_t ul_maps = 0, dcds = 0, ucds = 0, deferred = 0;
};

/// Values that depend on the number of stations.
struct ContentionScale {
    uint32_t request_symbols = 0;                ///< size of the request region, per frame
    uint8_t backoff_start = 0, backoff_end = 0;  ///< windows for requests, as exponents of 2
    uint32_t t27_idle_ms = 0, t27_active_ms = 0;
    bool operator==(const ContentionScale&) const = default;
};

/// Requests by code.
struct FocusedContentionCounters {
    uint64_t codes = 0, answers = 0, dropped = 0;  ///< dropped: too late to be answered, or too many
};

/// A frame and its subframes, in resource units and physical slots from its start.
struct FrameFigures {
    uint32_t symbol_slots = 0, frame_slots = 0, frame_symbols = 0, dl_symbols = 0, ul_symbols = 0, ul_start_slot = 0;
    double frame_s = 0;
    bool maps_next_frame = false;  ///< the UL-MAP describes the following frame's uplink
};

/// The IP limit of a frame in one direction.
struct Capacity {
    double kbps = 0;              ///< whole cell, IP octets
    double data_symbols = 0;      ///< symbols per frame left for data bursts
    double overhead_symbols = 0;  ///< other symbols of the subframe: preambles, FCH, maps, descriptors, contention, gap
    double ip_symbols = 0;        ///< kbps in symbols of the rate
};

struct AirCellFigures {
    FrameFigures layout;
    int64_t sample_rate_hz = 0;
    Capacity downlink, uplink;  ///< what one station can get
    Capacity uplink_shared;     ///< shared by the registered stations
    BroadcastCounters broadcast;
    uint64_t ul_map_full = 0, ul_maps_failed = 0;
    FrameAccount dl_symbols, ul_symbols;
    ContentionScale scale;
    FocusedContentionCounters focused;
};

template <class V> void visit(V& v, const FrameFigures& f) {
    v("symbol_slots", f.symbol_slots);
    v("frame_slots", f.frame_slots);
    v("frame_symbols", f.frame_symbols);
    v("dl_symbols", f.dl_symbols);
    v("ul_symbols", f.ul_symbols);
    v("ul_start_slot", f.ul_start_slot);
    v("frame_s", f.frame_s);
    v("maps_next_frame", f.maps_next_frame);
}

template <class V> void visit(V& v, const Capacity& c) {
    v("kbps", c.kbps);
    v("data_symbols", c.data_symbols);
    v("ip_symbols", c.ip_symbols);
}

template <class V> void visit(V& v, const FrameAccount& s) {
    v("preamble", s.preamble);
    v("fch", s.fch);
    v("maps", s.maps);
    v("descriptors", s.descriptors);
    v("management", s.management);
    v("data", s.data);
    v("contention", s.contention);
    v("ranging", s.ranging);
    v("idle", s.idle);
    v("gap", s.gap);
}

template <class V> void visit(V& v, const ContentionScale& s) {
    v("request_symbols", s.request_symbols);
    v("backoff_start", s.backoff_start);
    v("backoff_end", s.backoff_end);
    v("t27_idle_ms", s.t27_idle_ms);
}

template <class V> void visit(V& v, const FocusedContentionCounters& c) {
    v("codes", c.codes);
    v("answers", c.answers);
    v("dropped", c.dropped);
}

}  // namespace wimax::mac
