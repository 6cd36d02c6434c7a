// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario_flows.h"
#include "sim/simulation.h"
#include "sim/tcp_flow.h"

#include "mac/air/air_factory.h"

#include <nlohmann/json.hpp>

namespace wimax::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kKindNames{"cbr", "poisson", "voice", "saturate", "ping", "tcp", "onoff", "video", "trace"};

const char* name_of(mac::SchedulingType type) {
    using Type = mac::SchedulingType;
    switch (type) {
        case Type::ugs: return "UGS";
        case Type::rtps: return "rtPS";
        case Type::ertps: return "ertPS";
        case Type::nrtps: return "nrtPS";
        case Type::best_effort: break;
    }
    return "BE";
}

const char* name_of(Direction direction) { return direction == Direction::downlink ? "downlink" : "uplink"; }

Json delay_ms(const Histogram& us) {
    return {{"mean", us.mean() / 1000},
            {"p50", us.quantile(0.5) / 1000},
            {"p99", us.quantile(0.99) / 1000},
            {"p999", us.quantile(0.999) / 1000},
            {"max", us.max() / 1000}};
}

/// [ms, share of packets with at most this delay], dense enough to plot either end.
Json delay_cdf(const Histogram& us) {
    constexpr double kStep = 1.0 / 250, kTailStep = 0.8;
    Json points = Json::array();
    uint64_t below = 0;
    double last = 0;
    us.bins([&](double upper_end, uint64_t count) {
        below += count;
        const double share = static_cast<double>(below) / static_cast<double>(us.count());
        if (below < us.count() && share - last < kStep && (1 - share) > kTailStep * (1 - last)) return;
        points.push_back({upper_end / 1000, share});
        last = share;
    });
    return points;
}

Json times_us(const Histogram& us) { return {{"mean", us.mean()}, {"p99", us.quantile(0.99)}, {"max", us.max()}}; }

Json contention(const CellContentionCounters& before, const CellContentionCounters& after) {
    return {{"requests", after.attempts - before.attempts},
            {"collided", after.collided - before.collided},
            {"opportunities", after.opportunities - before.opportunities},
            {"collisions", after.collisions - before.collisions},
            {"captured", after.captured - before.captured},
            {"successes", after.successes - before.successes}};
}

double jain(const std::vector<double>& shares) {
    double sum = 0, squares = 0;
    for (const double x : shares) {
        sum += x;
        squares += x * x;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 1;
}

/// Totals of all flows of a direction.
struct Sum {
    uint64_t sent = 0, received = 0, lost = 0, reordered = 0, octets = 0, refused = 0;
    Histogram delay = delays_us();
    std::vector<double> by_station;
};

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class Writer {
public:
    explicit Writer(const Simulation& simulation, const Cell& cell)
        : s_(simulation.scenario()), course_(simulation.course()), traffic_(simulation.traffic()), cell_(cell) {
        for (auto& sum : sums_) sum.by_station.assign(s_.stations, 0.0);
    }

    Json write() {
        Json flows = Json::array();
        for (const auto& flow : traffic_.flows()) flows.push_back(add(*flow));
        const auto& entry = course_.entry_s;
        Json j{{"virtual_s", course_.measured_s},
               {"wall_s", course_.measured_wall_s},
               {"stations", s_.stations},
               {"entered", entry.size()},
               {"entry_s", {{"mean", mean(entry)}, {"max", entry.empty() ? 0 : *std::ranges::max_element(entry)}}},
               {"least_operational", course_.least_operational},
               {"operational_at_end", course_.operational_at_end},
               {"entries", course_.entries},
               {"losses", course_.losses},
               {"seed", s_.seed},
               {"profile", s_.profile},
               {"frame_s", cell_.timing().frame_seconds()},
               {"frame_symbols", cell_.air().frame_units()}};
        j["flows"] = std::move(flows);
        j["scheduler_us_per_frame"] = times_us(cell_.times().schedule_cpu);
        add_air(j);
        add_cost(j);
        j["total"] = {{"downlink", total(Direction::downlink)}, {"uplink", total(Direction::uplink)}};
        j["throughput"] = {{"interval_s", s_.interval_s},
                           {"downlink_bps", by_interval(Direction::downlink)},
                           {"uplink_bps", by_interval(Direction::uplink)}};
        if (s_.bs.policies) j["policies"] = Json(cell_.base_station().status()["policies"]);
        if (s_.ss.policies) j["station_policies"] = station_policies();
        if (s_.status) add_status(j);
        return j;
    }

private:
    /// Calls and faults of the policies of all subscriber stations together. `replaced`: at any of them.
    Json station_policies() const {
        Json all = Json::object();
        for (size_t n = 0; n < cell_.stations(); ++n) {
            const Json own = cell_.station(n).status()["policies"];
            for (const auto& [role, counters] : own.items())
                for (const auto& [key, value] : counters.items()) {
                    Json& of = all[role][key];
                    if (of.is_null()) of = value;
                    else if (value.is_boolean()) of = of.get<bool>() || value.get<bool>();
                    else if (key == "longest_us") of = std::max(of.get<uint64_t>(), value.get<uint64_t>());
                    else of = of.get<uint64_t>() + value.get<uint64_t>();
                }
        }
        return all;
    }

    /// Status as on the control sockets of the daemons.
    void add_status(Json& j) const {
        Json stations = Json::array();
        for (size_t n = 0; n < cell_.stations(); ++n) stations.push_back(Json(cell_.station(n).status()));
        j["status"] = {{"base_station", Json(cell_.base_station().status())}, {"stations", std::move(stations)}};
    }

    double bps(uint64_t octets) const { return 8 * static_cast<double>(octets) / course_.measured_s; }
    /// IP octets as symbols of the configured rate, in a frame.
    double symbols_per_frame(uint64_t octets) const {
        const double frames = course_.measured_s / cell_.timing().frame_seconds();
        const auto& grid = mac::air_of(s_.bs).grid;
        return static_cast<double>(octets) / grid.octets_per_unit(s_.bs.dl_profile()) / frames;
    }

    Json add(const TrafficFlow& flow) {
        const auto& r = flow.record();
        const auto& c = flow.config();
        const size_t station = flow.ends().station;
        Json j{{"station", station + 1},
               {"entry", flow.ends().entry + 1},
               {"direction", name_of(c.direction)},
               {"service", name_of(s_.traffic[flow_owner(s_, flow.ends().entry)].service)},
               {"kind", kKindNames[static_cast<size_t>(c.kind)]},
               {"offered_packets", r.sent()},
               {"delivered_packets", r.received()},
               {"lost_packets", r.lost()},
               {"reordered_packets", r.reordered()},
               {"duplicated_packets", r.duplicates()},
               {"refused_packets", r.refused()},
               {"goodput_bps", bps(r.octets())},
               {"ip_symbols_per_frame", symbols_per_frame(r.octets())},
               {"delay_ms", delay_ms(r.delay())},
               {"late_fraction", r.late_fraction()}};
        if (const auto* tcp = dynamic_cast<const TcpFlow*>(&flow)) {
            const auto& t = tcp->sender().counters();
            j["tcp"] = {
                {"model", "simple: CUBIC with SACK and ECN, one bulk transfer; packets are counted with repetitions"},
                {"segments", t.segments},
                {"retransmissions", t.retransmissions},
                {"recoveries", t.recoveries},
                {"timeouts", t.timeouts},
                {"ecn_reductions", t.ecn_reductions},
                {"window_segments", tcp->sender().window()},
                {"round_trip_ms", tcp->sender().round_trip_ms()}};
        }
        if (c.kind == TrafficKind::ping) return j;  // a round trip belongs to neither direction
        Sum& sum = sums_[static_cast<size_t>(c.direction)];
        sum.sent += r.sent();
        sum.received += r.received();
        sum.lost += r.lost();
        sum.reordered += r.reordered();
        sum.octets += r.octets();
        sum.refused += r.refused();
        sum.delay.add(r.delay());
        sum.by_station[station] += static_cast<double>(r.octets());
        return j;
    }

    Json total(Direction direction) const {
        const Sum& sum = sums_[static_cast<size_t>(direction)];
        Json by_station = Json::array();
        for (const double octets : sum.by_station) by_station.push_back(8 * octets / course_.measured_s);
        const double loss = sum.sent > 0 ? static_cast<double>(sum.lost) / static_cast<double>(sum.sent) : 0;
        return {{"goodput_bps", bps(sum.octets)},     {"ip_symbols_per_frame", symbols_per_frame(sum.octets)},
                {"offered_packets", sum.sent},        {"delivered_packets", sum.received},
                {"lost_packets", sum.lost},           {"loss", loss},
                {"reordered_packets", sum.reordered}, {"refused_packets", sum.refused},
                {"jain", jain(sum.by_station)},       {"station_bps", by_station},
                {"delay_ms", delay_ms(sum.delay)},    {"delay_cdf", delay_cdf(sum.delay)}};
    }

    void add_air(Json& j) const {
        const auto &a = course_.before, &b = course_.after;
        j["air_digest"] = cell_.sent().text();
        j["contention"] = contention(a.requests, b.requests);
        j["ranging"] = contention(a.ranging, b.ranging);
        j["codes"] = contention(a.codes, b.codes);
        j["bursts"] = {{"downlink", b.dl_bursts - a.dl_bursts},
                       {"downlink_wrong", b.dl_bursts_wrong - a.dl_bursts_wrong},
                       {"downlink_symbols", b.dl_symbols - a.dl_symbols},
                       {"uplink_grants", b.ul_grants - a.ul_grants},
                       {"uplink_granted_symbols", b.ul_granted_symbols - a.ul_granted_symbols},
                       {"uplink", b.ul_bursts - a.ul_bursts},
                       {"uplink_wrong", b.ul_bursts_wrong - a.ul_bursts_wrong},
                       {"uplink_collisions", b.ul_collisions - a.ul_collisions},
                       {"stray", b.stray_bursts - a.stray_bursts}};
        j["drops"] = {{"pdus", b.drops.pdus_seen - a.drops.pdus_seen},
                      {"pdus_dropped", b.drops.pdus_dropped - a.drops.pdus_dropped},
                      {"feedback", b.drops.feedback_seen - a.drops.feedback_seen},
                      {"feedback_dropped", b.drops.feedback_dropped - a.drops.feedback_dropped}};
    }

    void add_cost(Json& j) const {
        const double idle_kb = course_.idle_kb - course_.without_stations_kb;
        j["memory_bytes"] = std::llround(1024 * course_.end_kb);
        Json memory = Json::array();
        for (const double kb : course_.resident_kb_over_time) memory.push_back(std::llround(1024 * kb));
        j["memory"] = {{"interval_s", s_.interval_s}, {"resident_bytes", std::move(memory)}};
        j["idle_station_bytes"] = std::llround(1024 * idle_kb / s_.stations);
        j["wall"] = {{"cpu_s", course_.measured_cpu_s},
                     {"times_real_time", course_.measured_s / std::max(course_.measured_wall_s, 1e-9)},
                     {"times_real_time_cpu", course_.measured_s / std::max(course_.measured_cpu_s, 1e-9)},
                     {"frames", course_.after.frames - course_.before.frames},
                     {"frame_us", times_us(cell_.times().frame)},
                     {"base_station_us", times_us(cell_.times().base_station)}};
    }

    Json by_interval(Direction direction) const {
        Json all = Json::array();
        for (const uint64_t octets : traffic_.octets_by_interval(direction))
            all.push_back(8 * static_cast<double>(octets) / s_.interval_s);
        return all;
    }

    const Scenario& s_;
    const Simulation::Course& course_;
    const TrafficMix& traffic_;
    const Cell& cell_;
    std::array<Sum, kDirections> sums_;
};

}  // namespace

Json Simulation::result() const { return Writer(*this, cell_).write(); }

}  // namespace wimax::sim
