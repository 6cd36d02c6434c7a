/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lives of cells for tests/recorded: traffic, service flows, operator's commands, new configurations, changing links
 * and restarts, drawn from a seed. Prints JSON: for each seed a digest of all that every station sends and expects
 * (each 250 frames), and of its figures at the end.
 */
#include "mac/flow/flow_command.h"
#include "mac/station_command.h"
#include "mac/test_cells.h"
#include "mac/test_multicast.h"

#include <cstdio>
#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace {

constexpr int kFrames = 1000, kFramesPerDigest = 250;
constexpr size_t kStations = 4;

/// FNV-1a of 32 bits.
class Digest {
public:
    void add(std::span<const uint8_t> octets) {
        for (const uint8_t o : octets) value_ = (value_ ^ o) * 16777619U;
    }
    void add(int64_t number) {
        for (int i = 0; i < 8; ++i) value_ = (value_ ^ static_cast<uint8_t>(number >> (8 * i))) * 16777619U;
    }
    void add(const std::string& text) { add({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    uint32_t value() const { return value_; }

private:
    uint32_t value_ = 2166136261U;
};

/// Figures without those in floating point, which libraries round differently.
void add_exact(Digest& digest, const std::string& path, const Json& value) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) add_exact(digest, path + "." + key, inner);
    } else if (value.is_array()) {
        for (const auto& inner : value) add_exact(digest, path, inner);
    } else if (!value.is_number_float()) {
        digest.add(path + "=" + value.dump());
    }
}

uint32_t digest_of(const Json& value) {
    Digest digest;
    add_exact(digest, "", value);
    return digest.value();
}

void add_format(Digest& digest, const gr::wimax::phy::BurstFormat& f) {
    for (const int64_t n : {int64_t{f.rate_id}, int64_t{f.iuc}, int64_t{f.data_symbols}, int64_t{f.subchannel_index},
                            int64_t{f.midamble_interval}, int64_t{f.stc}})
        digest.add(n);
}

void add_sent(Digest& digest, const sap::TxFrame& tx) {
    for (const auto& b : tx.bursts) {
        digest.add(int64_t{b.start_slot.value()});
        add_format(digest, b.format);
        digest.add(std::span<const uint8_t>(b.payload));
    }
    digest.add(static_cast<int64_t>(tx.codes.size()));
}

void add_expected(Digest& digest, const sap::RxExpect& expect) {
    for (const auto& a : expect.allocations) {
        digest.add(int64_t{a.start_slot.value()});
        digest.add(int64_t{a.cid});
        digest.add(int64_t{a.search_slots});
        add_format(digest, a.format);
    }
    for (const auto& slot : expect.contention_slots) digest.add(int64_t{slot.value()});
}

class Life {
public:
    explicit Life(uint32_t seed) : random_(seed), air_(draw_config()) {
        air_.seed(seed);
        for (size_t i = 0; i < kStations; ++i) air_.add(draw_link());
    }

    Json run() {
        Json digests = Json::array();
        Digest digest;
        for (int frame = 1; frame <= kFrames; ++frame) {
            send_packets();
            something_else();
            air_.step();
            add_frame(digest);
            if (frame % kFramesPerDigest != 0) continue;
            digests.push_back(digest.value());
            digest = {};
        }
        return {{"frames", digests},
                {"base_station", digest_of(air_.bs_status())},
                {"stations", stations()},
                {"counts", counts()}};
    }

private:
    uint32_t draw(uint32_t below) { return static_cast<uint32_t>(random_()) % below; }
    bool chance(uint32_t one_in) { return draw(one_in) == 0; }
    template <class T>
    T one_of(std::initializer_list<T> all) {
        return *(all.begin() + draw(static_cast<uint32_t>(all.size())));
    }

    ServiceFlowConfig draw_flow() {
        const auto direction = chance(2) ? FlowDirection::uplink : FlowDirection::downlink;
        const auto type = one_of({SchedulingType::best_effort, SchedulingType::nrtps, SchedulingType::rtps,
                                  SchedulingType::ertps, SchedulingType::ugs});
        auto f = flow(direction, type, one_of<uint16_t>({kVoicePort, kPolledPort, kBulkPort, 0}),
                      one_of({64'000U, 200'000U, 1'000'000U}));
        f.name = one_of({"", "a", "gold"});
        f.traffic_priority = static_cast<uint8_t>(draw(8));
        f.max_latency_ms = one_of({0U, 20U, 60U});
        f.tolerated_jitter_ms = one_of({0U, 10U});
        f.min_reserved_rate_bps = chance(2) ? 32'000 : 0;
        f.max_burst_bytes = one_of({0U, 4000U});
        f.grant_interval_us = one_of({0U, 20'000U});
        f.packing = !chance(4);
        f.piggyback = !chance(4);
        f.queue_limit_packets = one_of({0U, 0U, 8U});
        if (chance(3)) {
            f.arq.enable = true;
        } else if (chance(4)) {
            f.crc = f.fragmentation = false;
        }
        if (f.classifiers.empty() || !chance(3)) return f;
        f.classifiers[0].phsi = 1;
        f.phs.emplace_back();
        f.phs[0].phsi = 1;
        f.phs[0].ipv4_udp = true;
        return f;
    }

    std::vector<ServiceFlowConfig> draw_flows() {
        std::vector<ServiceFlowConfig> flows{flow(FlowDirection::uplink, SchedulingType::best_effort),
                                             flow(FlowDirection::downlink, SchedulingType::best_effort)};
        for (uint32_t i = draw(4); i > 0; --i) flows.push_back(draw_flow());
        if (chance(2)) flows.push_back(multicast_flow("news"));
        return flows;
    }

    BaseStationConfig draw_config() {
        BaseStationConfig config;
        do config = draw_any_config();
        while (!validate(config).empty());
        return config;
    }
    BaseStationConfig draw_any_config() {
        auto config = Air::with_stations(kStations);
        config.frame_duration_code = one_of<uint8_t>({2, 3, 4, 4});
        config.map_relevance = one_of({MapRelevance::automatic, MapRelevance::next_frame});
        config.dl_rate_id = config.ul_rate_id = static_cast<uint8_t>(draw(7));
        if (chance(2)) config.dl_lowest_rate_id = config.ul_lowest_rate_id = 0;
        config.subchannelization.enable = chance(3);
        config.dl_scheduler = static_cast<SchedulerPolicy>(draw(5));
        config.ul_scheduler = static_cast<SchedulerPolicy>(draw(5));
        config.profile.unasked_symbols = one_of({0U, 12U});
        config.profile.grant_spare = chance(2);
        config.profile.polling_group_stations = one_of({0U, 2U});
        config.profile.focused_opportunities = one_of({0U, 4U});
        config.profile.scale = chance(2);
        config.admission_control = !chance(4);
        config.least_awake_stations = one_of({1U, 32U});
        config.basic_cids = 320;
        config.sdu_hold_frames = one_of({0U, 0U, 2U});
        if (chance(3)) config.unknown_station.reset();
        auto gold = draw_flow();
        gold.name = "gold";
        config.service_classes = {gold};
        for (auto& station : config.stations) {
            station.dynamic_flows = draw(5);
            station.weight = 1 + draw(3);
            station.flows = draw_flows();
            if (chance(3)) station.ip_addresses.clear();
        }
        return config;
    }

    Link draw_link() {
        Link link;
        link.delay_samples = static_cast<int>(draw(300));
        link.path_loss_db = 70 + static_cast<float>(draw(40));
        link.carrier_offset_hz = static_cast<float>(draw(400)) - 200;
        link.downlink_loss = link.uplink_loss = one_of({0.0, 0.0, 0.0, 0.05});
        link.damage = one_of({0.0, 0.0, 0.02});
        link.connected = !chance(20);
        return link;
    }

    void send_packets() {
        for (uint32_t n = draw(4); n > 0; --n) {
            const size_t station = draw(kStations);
            const auto port = one_of<uint16_t>({kVoicePort, kPolledPort, kBulkPort, 5000});
            const size_t octets = 40 + draw(1460);
            const uint8_t protocol = chance(4) ? 6 : 17;
            if (chance(2)) {
                air_.terminals[station]->mac->push_sdu(
                    ip_packet(station_address(station), kServer, octets, port, ++number_, protocol));
            } else {
                const uint32_t to = chance(6) ? kGroup : station_address(station);
                air_.bs->push_sdu(ip_packet(kServer, to, octets, port, ++number_, protocol));
            }
        }
    }

    void something_else() {
        if (chance(25)) change_flow();
        if (chance(120)) command_station();
        if (chance(150)) change_profile();
        if (chance(150)) reprovision();
        if (chance(100)) air_.terminals[draw(kStations)]->link = draw_link();
        if (chance(400)) air_.restart(*air_.terminals[draw(kStations)]);
        if (chance(400)) air_.restart_phy(*air_.terminals[draw(kStations)]);
        if (chance(1500)) air_.restart_bs_phy();
    }

    void change_flow() {
        auto& terminal = *air_.terminals[draw(kStations)];
        const bool at_bs = chance(2);
        Station& end = at_bs ? *air_.bs : *terminal.mac;
        FlowCommand command;
        command.id = ++number_;
        command.kind = one_of({DsxKind::add, DsxKind::change, DsxKind::change, DsxKind::remove});
        command.state = one_of({FlowState::active, FlowState::active, FlowState::admitted, FlowState::provisioned});
        if (command.kind == DsxKind::add) {
            command.flow = draw_flow();
            if (at_bs) command.station = terminal.config.mac;
        } else {
            const Json flows = terminal.status()["flows"];
            if (!flows.is_array() || flows.empty()) return;
            command.sfid = flows[draw(static_cast<uint32_t>(flows.size()))]["sfid"];
            if (!end.describe(command)) return;
            const auto other = draw_flow();
            command.flow.max_sustained_rate_bps = other.max_sustained_rate_bps;
            if (chance(2)) command.flow.max_burst_bytes = other.max_burst_bytes;
            if (chance(2)) command.flow.traffic_priority = other.traffic_priority;
            if (chance(2)) command.flow.max_latency_ms = other.max_latency_ms;
            if (chance(2)) command.flow.classifiers = other.classifiers;
        }
        if (!validate(command).empty()) return;
        refused_ += end.change_flow(command).empty() ? 0 : 1;
    }

    void command_station() {
        StationCommand command;
        command.kind = static_cast<StationCommand::Kind>(draw(6));
        command.station = air_.terminals[draw(kStations)]->config.mac;
        if (command.kind == StationCommand::Kind::rates) command.rates.dl_rate_id = static_cast<uint8_t>(draw(7));
        refused_ += air_.bs->command_station(command).empty() ? 0 : 1;
    }

    void draw_profile(BaseStationProfile& profile) {
        const float up_db = static_cast<float>(draw(5));
        for (auto* thresholds : {&profile.exit_db, &profile.entry_db})
            for (auto& db : *thresholds) db += up_db;
        profile.request_backoff_end = static_cast<uint8_t>(3 + draw(6));
        profile.ranging_backoff_end = static_cast<uint8_t>(2 + draw(4));
        profile.reservation_timeout = static_cast<uint8_t>(10 + draw(30));
    }
    void change_profile() {
        auto profile = air_.bs_config.profile;
        draw_profile(profile);
        refused_ += air_.bs->change_profile(profile).empty() ? 0 : 1;
    }
    void reprovision() {
        auto config = air_.bs_config;
        const auto other = draw_config();
        for (size_t i = 0; i < kStations; ++i)
            if (chance(2)) config.stations[i].flows = other.stations[i].flows;
        config.check_source_addresses = chance(2);
        config.service_classes = other.service_classes;
        config.unknown_station = other.unknown_station;
        if (chance(4)) config.stations.erase(config.stations.begin() + draw(kStations));
        if (chance(2)) draw_profile(config.profile);
        refused_ += air_.bs->reprovision(config) ? 0 : 1;
    }

    void add_frame(Digest& digest) const {
        add_sent(digest, air_.last_tx());
        add_expected(digest, air_.last_expect());
        for (const auto& t : air_.terminals) {
            add_sent(digest, t->tx);
            add_expected(digest, t->expect);
        }
    }
    uint32_t stations() const {
        Json all = Json::array();
        for (const auto& t : air_.terminals) all.push_back(t->status());
        return digest_of(all);
    }
    /// Summary of a life for human readers.
    Json counts() const {
        uint64_t down = 0;
        for (const auto& t : air_.terminals) down += t->dl_packets;
        return {
            {"packets", number_}, {"delivered_up", air_.ul_packets}, {"delivered_down", down}, {"refused", refused_}};
    }

    std::mt19937 random_;
    Air air_;
    uint32_t number_ = 0;
    uint64_t refused_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s LIVES\n", argv[0]);
        return 2;
    }
    Json lives;
    for (uint32_t seed = 1; seed <= static_cast<uint32_t>(std::atoi(argv[1])); ++seed)
        lives["seed " + std::to_string(seed)] = Life(seed).run();
    std::puts(lives.dump().c_str());
    return 0;
}
