/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/simulation.h"
#include "sim/tcp_flow.h"

#include <nlohmann/json.hpp>

namespace wimax::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kKindNames{"cbr", "poisson", "voice", "saturating", "ping", "tcp"};

Json delay_ms(const Histogram& us) {
    return {{"mean", us.mean() / 1000},
            {"p50", us.quantile(0.5) / 1000},
            {"p99", us.quantile(0.99) / 1000},
            {"p999", us.quantile(0.999) / 1000},
            {"max", us.max() / 1000}};
}

/// [ms, share of packets that took no longer], as close together as a picture of either end needs.
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

Json wall_us(const Histogram& us) { return {{"mean", us.mean()}, {"p99", us.quantile(0.99)}, {"max", us.max()}}; }

Json contention(const ContentionCounters& before, const ContentionCounters& after) {
    return {{"opportunities", after.opportunities - before.opportunities},
            {"attempts", after.attempts - before.attempts},
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

/// What all flows of a direction carried.
struct Sum {
    uint64_t sent = 0, received = 0, lost = 0, reordered = 0, octets = 0, refused = 0;
    double symbols = 0;
    Histogram delay = delays_us();
    std::vector<double> by_station;
};

class Writer {
public:
    explicit Writer(const Simulation& simulation, const Cell& cell)
        : s_(simulation.scenario()), course_(simulation.course()), traffic_(simulation.traffic()), cell_(cell) {
        for (const auto* group : s_.all_groups())
            for (uint32_t i = 0; i < group->stations; ++i) group_of_.push_back(group);
        for (auto& sum : sums_) sum.by_station.assign(group_of_.size(), 0.0);
    }

    Json write() {
        Json flows = Json::array();
        for (const auto& flow : traffic_.flows()) flows.push_back(add(*flow));
        Json j{{"stations", s_.station_count()},
               {"seconds", s_.seconds},
               {"seed", s_.seed},
               {"frame_s", cell_.layout().frame_seconds()},
               {"frame_symbols", cell_.layout().frame_symbols},
               {"entry", {{"operational", course_.entered}, {"seconds", course_.entry_s}}},
               {"least_operational", course_.least_operational}};
        j["total"] = {{"downlink", total(Direction::downlink)}, {"uplink", total(Direction::uplink)}};
        add_air(j);
        add_cost(j);
        j["throughput"] = {{"interval_s", s_.interval_s},
                           {"downlink_kbps", by_interval(Direction::downlink)},
                           {"uplink_kbps", by_interval(Direction::uplink)}};
        if (s_.flows) j["flows"] = std::move(flows);
        return j;
    }

private:
    double kbps(uint64_t octets) const { return 8e-3 * static_cast<double>(octets) / s_.seconds; }
    /// IP octets as symbols of the station's configured rate, in a frame.
    double symbols_per_frame(const TrafficFlow& flow, uint64_t octets) const {
        const auto& service = group_of_[flow.ends().station]->service.station;
        const uint8_t rate = flow.source_is_base_station() ? service.dl_rate_id.value_or(s_.bs.dl_rate_id)
                                                           : service.ul_rate_id.value_or(s_.bs.ul_rate_id);
        const double frames = s_.seconds / cell_.layout().frame_seconds();
        return static_cast<double>(octets) / phy::kRateTable[rate].uncoded_bytes / frames;
    }

    Json add(const TrafficFlow& flow) {
        const auto& r = flow.record();
        const auto& c = flow.config();
        const double symbols = symbols_per_frame(flow, r.octets());
        Json j{{"station", flow.ends().station},
               {"group", group_of_[flow.ends().station]->name},
               {"name", c.name},
               {"kind", kKindNames[static_cast<size_t>(c.kind)]},
               {"direction", c.direction == Direction::downlink ? "downlink" : "uplink"},
               {"goodput_kbps", kbps(r.octets())},
               {"ip_symbols_per_frame", symbols},
               {"sent", r.sent()},
               {"received", r.received()},
               {"lost", r.lost()},
               {"reordered", r.reordered()},
               {"duplicates", r.duplicates()},
               {"refused", r.refused},
               {"delay_ms", delay_ms(r.delay())}};
        if (const auto* tcp = dynamic_cast<const TcpFlow*>(&flow)) {
            const auto& t = tcp->sender().counters();
            j["tcp"] = {{"segments", t.segments},
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
        sum.refused += r.refused;
        sum.symbols += symbols;
        sum.delay.add(r.delay());
        sum.by_station[flow.ends().station] += static_cast<double>(r.octets());
        return j;
    }

    Json total(Direction direction) const {
        const Sum& sum = sums_[static_cast<size_t>(direction)];
        Json by_station = Json::array();
        for (const double octets : sum.by_station) by_station.push_back(8e-3 * octets / s_.seconds);
        const double loss = sum.sent > 0 ? static_cast<double>(sum.lost) / static_cast<double>(sum.sent) : 0;
        return {{"goodput_kbps", kbps(sum.octets)},
                {"ip_symbols_per_frame", sum.symbols},
                {"sent", sum.sent},
                {"received", sum.received},
                {"lost", sum.lost},
                {"loss", loss},
                {"reordered", sum.reordered},
                {"refused", sum.refused},
                {"jain", jain(sum.by_station)},
                {"station_kbps", by_station},
                {"delay_ms", delay_ms(sum.delay)},
                {"delay_cdf", delay_cdf(sum.delay)}};
    }

    void add_air(Json& j) const {
        const auto &a = course_.before, &b = course_.after;
        j["contention"] = contention(a.requests, b.requests);
        j["ranging"] = contention(a.ranging, b.ranging);
        j["codes"] = contention(a.codes, b.codes);
        j["bursts"] = {{"downlink", b.dl_bursts - a.dl_bursts},
                       {"downlink_wrong", b.dl_bursts_wrong - a.dl_bursts_wrong},
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
        const auto stations = static_cast<double>(group_of_.size());
        j["wall"] = {{"seconds", course_.measured_wall_s},
                     {"cpu_seconds", course_.measured_cpu_s},
                     {"times_real_time", s_.seconds / std::max(course_.measured_wall_s, 1e-9)},
                     {"times_real_time_cpu", s_.seconds / std::max(course_.measured_cpu_s, 1e-9)},
                     {"frames", course_.after.frames - course_.before.frames},
                     {"frame_us", wall_us(cell_.frame_us())},
                     {"schedule_cpu_us", wall_us(cell_.schedule_cpu_us())},
                     {"base_station_us", wall_us(cell_.base_station_us())}};
        j["memory"] = {{"resident_kb", course_.end_kb},
                       {"idle_station_kb", (course_.idle_kb - course_.without_stations_kb) / stations}};
    }

    Json by_interval(Direction direction) const {
        Json all = Json::array();
        for (const uint64_t octets : traffic_.octets_by_interval(direction))
            all.push_back(8e-3 * static_cast<double>(octets) / s_.interval_s);
        return all;
    }

    const Scenario& s_;
    const Simulation::Course& course_;
    const TrafficMix& traffic_;
    const Cell& cell_;
    std::vector<const GroupConfig*> group_of_;  ///< by station
    std::array<Sum, kDirections> sums_;
};

}  // namespace

Json Simulation::result() const { return Writer(*this, cell_).write(); }

}  // namespace wimax::sim
