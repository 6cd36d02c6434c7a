// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/traffic_keys.h"

#include <algorithm>

namespace wimax::sim {
namespace {

using config::Schema;

constexpr config::Range kRateBps{1, 1e9}, kPacketBytes{kLeastPacketOctets, kMaxPacketOctets};
constexpr size_t kMostTracePoints = 1'000'000;
constexpr double kLeastShape = 1.01;  // the mean of a Pareto distribution exists above 1

void declare_models(Schema& s, TrafficEntry& t) {
    s.number("on_s", t.on_s, {0.001, 1e6}, "s", "for onoff: mean duration of a period with packets");
    s.number("off_s", t.off_s, {0.001, 1e6}, "s", "for onoff: mean duration of a period without packets");
    s.number("pareto_shape", t.pareto_shape, {kLeastShape, 100}, "",
             "for onoff: shape of both Pareto distributions; the sum of many flows is self-similar from 1 to 2");
    s.number("pictures_per_s", t.pictures_per_s, {0.1, 1000}, "1/s", "for video: picture rate");
    s.number("group_pictures", t.group_pictures, {1, 1000}, "",
             "for video: pictures of a group, the first of which is an intra picture");
    s.number("intra_ratio", t.intra_ratio, {1, 100}, "",
             "for video: mean size of an intra picture, of the mean size of the others");
    s.number("size_cv", t.size_cv, {0, 5}, "",
             "for video: standard deviation of the lognormal size of each type of picture, of its mean");
    s.list(
        "trace", t.trace_points,
        [](Schema& i, TracePoint& v) {
            i.number("at_s", v.at_s, kSeconds, "s", "time of the packet, since the start");
            i.number("bytes", v.octets, kPacketBytes, "bytes", "size of the IP packet");
        },
        "for trace: packets in order of at_s", 0, kMostTracePoints);
    s.number("trace_period_s", t.trace_period_s, kSeconds, "s", "for trace: it starts again after this time; 0: never");
}

void declare_packets(Schema& s, TrafficEntry& t) {
    s.choice<TrafficKind>(
        "kind", t.kind,
        {{"cbr", TrafficKind::cbr},
         {"poisson", TrafficKind::poisson},
         {"saturate", TrafficKind::saturate},
         {"tcp", TrafficKind::tcp},
         {"voice", TrafficKind::voice},
         {"ping", TrafficKind::ping},
         {"onoff", TrafficKind::onoff},
         {"video", TrafficKind::video},
         {"trace", TrafficKind::trace}},
        "cbr: constant intervals; poisson: exponential gaps; saturate: as much as the service flow "
        "carries; tcp: a bulk transfer by a simple model of a TCP sender; voice: cbr in talk spurts; "
        "ping: echoed by the other end, its delay is the round trip; onoff: cbr in periods of Pareto-distributed "
        "duration; video: pictures of variable size in a group of pictures; trace: packets of `trace`");
    s.number("rate_bps", t.rate_bps, kRateBps, "bit/s",
             "for cbr, poisson, voice (while talking), onoff (while on) and video (mean): rate of IP packets");
    s.number("packet_bytes", t.packet_bytes, kPacketBytes, "bytes",
             "size of the IP packet; for video: of the largest one of a picture");
    s.number("gap_min_ms", t.gap_min_ms, {0.1, 1e6}, "ms", "for ping: shortest gap between requests");
    s.number("gap_max_ms", t.gap_max_ms, {0.1, 1e6}, "ms", "for ping: longest gap; gaps are uniform between both");
    s.number("talk_s", t.talk_s, {0.001, 1e6}, "s", "for voice: mean duration of a talk spurt");
    s.number("silence_s", t.silence_s, kSeconds, "s", "for voice: mean duration of a pause; 0: none");
    declare_models(s, t);
    s.number("start_s", t.start_s, kSeconds, "s", "start, after the traffic begins");
    s.number("stop_s", t.stop_s, kSeconds, "s", "end, after the traffic begins; 0: never");
    s.flag("ecn", t.ecn, "for tcp: the sender uses ECN, so that packets can be marked in place of dropped");
    s.number("window_bytes", t.window_bytes, {3000, 100e6}, "bytes", "for tcp: the receiver's window");
}

void declare_flow(Schema& s, TrafficEntry& t) {
    using Type = mac::SchedulingType;
    s.choice<Type>("service", t.service,
                   {{"UGS", Type::ugs},
                    {"rtPS", Type::rtps},
                    {"ertPS", Type::ertps},
                    {"nrtPS", Type::nrtps},
                    {"BE", Type::best_effort}},
                   "scheduling service of the service flow that carries these packets");
    s.number("max_latency_ms", t.max_latency_ms, {0, 1e6}, "ms",
             "maximum latency of the flow; later packets are counted; 0: none");
    s.number("max_rate_bps", t.max_rate_bps, {}, "bit/s",
             "maximum sustained rate; 0: none, or rate_bps for UGS and ertPS");
    s.number("min_rate_bps", t.min_rate_bps, {}, "bit/s",
             "minimum reserved rate; 0: none, or rate_bps for rtPS without max_rate_bps");
    s.number("max_burst_bytes", t.max_burst_bytes, {}, "bytes",
             "maximum traffic burst, at least 2040; 0: 40 ms of max_rate_bps plus 2040");
    s.flag("arq", t.arq, "use ARQ if the scenario enables it");
    s.number("weight", t.weight, {0, 100}, "",
             "weight of its stations for capacity that is not reserved; 0: 1, or the weight of another entry");
    s.flag("multicast", t.multicast,
           "for downlink without responses: the stations share one service flow, and each packet is sent once");
    s.number("same_flow_as", t.same_flow_as, {0, 1000}, "",
             "number (from 1) of an earlier entry whose service flow these packets use, with the keys of that entry; "
             "0: a separate service flow");
}

/// Far above a sample: the next packet must be later.
constexpr double kLeastTracePeriodS = 0.001;

void check_trace(TrafficEntry& t, config::LocatedFaults& faults) {
    const auto& points = t.trace_points;
    if (t.kind == TrafficKind::trace && points.empty())
        faults.add("trace", "[]", "at least one packet with kind: trace");
    for (size_t i = 1; i < points.size(); ++i)
        if (points[i].at_s < points[i - 1].at_s)
            faults.add("trace[" + std::to_string(i) + "].at_s", config::print_number(points[i].at_s),
                       "at least that of the packet before");
    if (t.trace_period_s > 0 && t.trace_period_s < kLeastTracePeriodS)
        faults.add("trace_period_s", config::print_number(t.trace_period_s), "0, or at least 0.001");
    if (t.trace_period_s > 0 && !points.empty() && points.back().at_s > t.trace_period_s)
        faults.add("trace_period_s", config::print_number(t.trace_period_s), "0, or at least the last packet's at_s");
    t.trace = std::make_shared<const std::vector<TracePoint>>(points);
}

}  // namespace

void declare_station_numbers(Schema& s, const std::string& key, std::vector<uint32_t>& numbers,
                             const std::string& help) {
    s.list(
        key, numbers,
        [](Schema& i, uint32_t& n) {
            i.number("", n, {1, kMostStations}, "", "number of a station, from 1");
        },
        help, 1, kMostStations);
    s.word(
        key,
        [&numbers](std::string_view text) {
            numbers.clear();
            return text == "all";
        },
        [&numbers] { return std::string(numbers.empty() ? "all" : ""); }, "all");
}

void declare_entry(Schema& s, TrafficEntry& t) {
    declare_station_numbers(s, "stations", t.stations, "all, or numbers of stations from 1");
    s.choice<Direction>("direction", t.direction, {{"downlink", Direction::downlink}, {"uplink", Direction::uplink}},
                        "direction of the data; for ping: of the request");
    declare_flow(s, t);
    declare_packets(s, t);
    s.check([&t](config::LocatedFaults& faults) {
        if (t.gap_max_ms < t.gap_min_ms)
            faults.add("gap_max_ms", config::print_number(t.gap_max_ms), "at least gap_min_ms");
        if (t.stop_s > 0 && t.stop_s <= t.start_s)
            faults.add("stop_s", config::print_number(t.stop_s), "0, or more than start_s");
        constexpr uint32_t kLeastTcp = kTcpOverheadOctets + 1;
        if (t.kind == TrafficKind::tcp && t.packet_bytes < kLeastTcp)
            faults.add("packet_bytes", config::print_number(t.packet_bytes),
                       std::to_string(kLeastTcp) + ".." + std::to_string(kMaxPacketOctets) + " with tcp");
        check_trace(t, faults);
        if (t.same_flow_as == 0) return;
        for (const char* key : {"service", "max_latency_ms", "max_rate_bps", "min_rate_bps", "max_burst_bytes", "arq"})
            if (faults.given(key) && std::string_view(key) != "max_latency_ms")
                faults.add(key, "its own", "none with same_flow_as: the other entry's counts");
    });
}

void declare_change(Schema& s, TrafficChange& c) {
    s.number("rate_bps", c.rate_bps, kRateBps, "bit/s", "rate of IP packets");
    s.number("packet_bytes", c.packet_bytes, kPacketBytes, "bytes", "size of the IP packet");
    s.value(
        "on",
        [&c](std::string_view text) {
            c.on = text == "true";
            return text == "true" || text == "false";
        },
        [&c] { return std::string(c.on ? *c.on ? "true" : "false" : "null"); }, "true, false", "",
        "whether packets are sent");
}

bool TrafficEntry::is_of(size_t station) const {
    return stations.empty() || std::find(stations.begin(), stations.end(), station + 1) != stations.end();
}

double TrafficEntry::trace_bps() const {
    double octets = 0;
    for (const auto& point : trace_points) octets += point.octets;
    const double seconds = trace_period_s > 0 || trace_points.empty() ? trace_period_s : trace_points.back().at_s;
    return seconds > 0 ? 8 * octets / seconds : 0;
}

double TrafficEntry::offered_bps() const {
    switch (kind) {
        case TrafficKind::cbr:
        case TrafficKind::poisson:
        case TrafficKind::onoff:
        case TrafficKind::video:
        case TrafficKind::voice: return rate_bps;
        case TrafficKind::trace: return trace_bps();
        case TrafficKind::ping: return 8000.0 * packet_bytes / gap_min_ms;
        case TrafficKind::saturate:
        case TrafficKind::tcp: break;
    }
    return 0;
}

}  // namespace wimax::sim
