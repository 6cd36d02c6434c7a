// SPDX-License-Identifier: GPL-3.0-or-later
// Lives of cells for tests/recorded: configurations, traffic, service flows, operator's commands, new configurations,
// changing links, damaged messages and restarts, drawn from a seed. Prints JSON: for each seed digests of all that the
// stations send, expect, report and tap, and of their figures (each 500 frames).
#include "mac/test_drawn.h"

#include "mac/flow/flow_command.h"
#include "mac/report/events.h"
#include "mac/report/pdu_tap.h"
#include "mac/station_command.h"
#include "mac/test_cells.h"
#include "mac/test_multicast.h"

#include <cstdio>
#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace {

constexpr int kFrames = 1000, kFramesPerDigest = 500;
constexpr size_t kStations = 4;

/// Three digits: libraries round the others differently. The factor keeps short decimals from lying between two.
std::string rounded(double value) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.2e", value * 1.0000371);
    return text.data();
}

void add_figures(Digest& digest, const std::string& path, const Json& value) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) add_figures(digest, path + "." + key, inner);
    } else if (value.is_array()) {
        for (const auto& inner : value) add_figures(digest, path, inner);
    } else {
        digest.add(path + "=" + (value.is_number_float() ? rounded(value) : value.dump()));
    }
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

class DigestTap final : public PduTap {
public:
    void on_pdu(const TappedBurst& b, size_t offset, Octets octets, TappedOctets what) override {
        for (const int64_t n :
             {int64_t{b.frame.value()}, b.start, int64_t{b.downlink}, int64_t{b.sent}, static_cast<int64_t>(b.kind),
              int64_t{b.index}, static_cast<int64_t>(b.profile), int64_t{b.iuc}, int64_t{b.subchannel}, int64_t{b.stc},
              int64_t{b.cid}, int64_t{b.fec_ok}, int64_t{b.measured}, std::lround(b.rssi_dbm * 10),
              std::lround(b.cinr_db * 10), static_cast<int64_t>(offset), static_cast<int64_t>(what)})
            digest.add(n);
        digest.add(octets);
    }

    Digest digest;
};

class Life : Drawing {
public:
    explicit Life(uint32_t seed) : Drawing(seed), air_(draw_config()) {
        air_.seed(seed);
        air_.antennas = 2;
        air_.begin_at(draw(10'000));
        air_.restart_bs();
        air_.bs->tap = &tap_;
        air_.tamper = [this](sap::RxBurst& burst) { damage(burst); };
        for (size_t i = 0; i < kStations; ++i) {
            auto& terminal = air_.add(draw_link());
            draw_subscriber(terminal.config);
            restart(terminal);
        }
    }

    Json run() {
        Json frames = Json::array(), figures = Json::array();
        Digest digest;
        for (int frame = 1; frame <= kFrames; ++frame) {
            send_packets();
            something_else();
            air_.step();
            add_frame(digest);
            search_channels(digest);
            if (frame % kFramesPerDigest != 0) continue;
            frames.push_back(digest.value());
            figures.push_back(digest_of_figures());
            digest = {};
        }
        return {{"frames", frames}, {"figures", figures}, {"reported", digest_of_reports()}, {"counts", counts()}};
    }

private:
    ServiceFlowConfig draw_flow() {
        const auto direction = chance(2) ? FlowDirection::uplink : FlowDirection::downlink;
        const auto type = one_of({SchedulingType::best_effort, SchedulingType::nrtps, SchedulingType::rtps,
                                  SchedulingType::ertps, SchedulingType::ugs});
        const uint32_t rate_bps = one_of({64'000U, 200'000U, 1'000'000U});
        auto f = flow(direction, type, one_of<uint16_t>({kVoicePort, kPolledPort, kBulkPort, 0}), rate_bps);
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
        f.arq.deliver_in_order = !chance(4);
        if (chance(6)) draw_fields(f, 4);
        if (chance(10)) f.fixed_sdu_octets = 60;
        if (chance(8)) f.cs = ConvergenceSublayer::ipv6;
        if (chance(3)) {
            f.arq.enable = true;
        } else if (chance(4)) {
            f.crc = f.fragmentation = false;
        }
        if (ethernet_) f.cs = chance(4) ? ConvergenceSublayer::vlan : ConvergenceSublayer::ethernet;
        if (!f.classifiers.empty()) draw_rules(f);
        return f;
    }
    void draw_rules(ServiceFlowConfig& f) {
        auto& rule = f.classifiers[0];
        rule.priority = static_cast<uint8_t>(draw(4));
        if (ethernet_) {
            rule = {};
            if (chance(2)) rule.ethertype = 0x0800;
            if (f.cs == ConvergenceSublayer::vlan) rule.vlan_id = static_cast<uint16_t>(draw(3));
            if (f.cs == ConvergenceSublayer::vlan && chance(2)) rule.user_priority = PriorityRange{2, 5};
            return;
        }
        if (chance(4)) rule.tos = TosRange{0, 127, 255};
        if (chance(6)) rule.protocols = {6, 17};
        if (chance(6)) rule.source_ports = {{1, 40'000}};
        if (chance(6)) rule.destination = {{kServer, 0xFF000000}};
        if (!chance(3)) return;
        rule.phsi = 1;
        f.phs = {draw_header_rule(1)};
    }
    HeaderRule draw_header_rule(uint8_t phsi) {
        HeaderRule rule;
        rule.phsi = phsi;
        rule.ipv4_udp = chance(3);
        if (rule.ipv4_udp) return rule;
        rule.field.assign(1 + draw(12), 0);
        rule.field[0] = 0x45;
        rule.mask.assign((rule.field.size() + 7) / 8, static_cast<uint8_t>(random_() | 0x80));
        rule.verify = !chance(4);
        return rule;
    }

    std::vector<ServiceFlowConfig> draw_flows() {
        std::vector<ServiceFlowConfig> flows{flow(FlowDirection::uplink, SchedulingType::best_effort),
                                             flow(FlowDirection::downlink, SchedulingType::best_effort)};
        if (ethernet_)
            for (auto& f : flows) f.cs = ConvergenceSublayer::ethernet;
        for (uint32_t i = draw(4); i > 0; --i) flows.push_back(draw_flow());
        if (!ethernet_ && chance(2)) flows.push_back(multicast_flow("news"));
        return flows;
    }

    BaseStationConfig draw_config() {
        BaseStationConfig config;
        do config = draw_any_config();
        while (!validate(config).empty());
        return config;
    }
    void draw_subscriber(SubscriberConfig& config) {
        const auto before = config;
        do {
            config = before;
            draw_fields(config, 12);
            draw_adaptation(config.adaptation);
            config.link = ethernet_ ? UserLink::ethernet : UserLink::ip;
            if (chance(3)) config.sdu_buffers = 64;
            if (chance(8)) config.scan_frequencies_hz = {3'400'000'000, 3'600'000'000};
            if (chance(20)) config.bsid = 1;
        } while (!validate(config).empty());
    }
    void draw_adaptation(LinkAdaptationConfig& adaptation) {
        if (chance(2)) draw_fields(adaptation, 2);
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
        config.start_silence_ms = 100;
        config.link = ethernet_ ? UserLink::ethernet : UserLink::ip;
        if (chance(3)) config.sdu_buffers = 64;
        config.cp_denominator = one_of<uint8_t>({4, 8, 8, 16, 32});
        config.stc.enable = chance(2);
        config.midambles.enable = chance(2);
        draw_adaptation(config.adaptation);
        if (chance(2)) draw_rarer_fields(config);
        if (chance(3)) config.unknown_station.reset();
        auto gold = draw_flow();
        gold.name = "gold";
        config.service_classes = {gold};
        for (auto& station : config.stations) {
            station.dynamic_flows = draw(5);
            station.weight = 1 + draw(3);
            station.flows = draw_flows();
            if (ethernet_ || chance(3)) station.ip_addresses.clear();
            if (chance(6)) station.dl_stc = chance(2);
            if (chance(4)) draw_fields(station, 3);
        }
        return config;
    }
    void draw_rarer_fields(BaseStationConfig& config) {
        if (chance(4)) config.profile = *BaseStationProfile::named(one_of({"Default", "Speedy"}), 10'000);
        draw_fields(config, 12);
        draw_fields(config.profile, 8);
        draw_fields(config.subchannelization, 4);
        draw_fields(config.stc, 4);
        config.own_addresses = {kServer};
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
        if (chance(300)) rush_frames_ = 20;
        const bool rush = rush_frames_ > 0 && rush_frames_-- > 0;
        const uint32_t usual = chance(packets_one_in_) ? draw(4) : 0;
        for (uint32_t n = rush ? 30 : usual; n > 0; --n) {
            const size_t station = draw(kStations);
            const auto port = one_of<uint16_t>(
                {kVoicePort, kPolledPort, kBulkPort, static_cast<uint16_t>(5000 + (rush ? draw(300) : 0))});
            const size_t octets = chance(6) ? 60 : 40 + draw(1460);
            const uint8_t protocol = chance(4) ? 6 : 17;
            const uint32_t other = chance(30) ? station_address(draw(kStations)) : kServer;
            if (chance(2)) {
                const uint32_t from = chance(30) ? other : station_address(station);
                push(*air_.terminals[station]->mac, ip_packet(from, other, octets, port, ++number_, protocol));
            } else {
                const uint32_t to = chance(6) ? kGroup : station_address(station);
                push(*air_.bs, ip_packet(other, to, octets, port, ++number_, protocol));
            }
        }
    }
    /// An IP packet as a frame of Ethernet, some with a tag, and some ARP packets.
    std::vector<uint8_t> framed(const std::vector<uint8_t>& packet, bool up) {
        std::vector<uint8_t> f;
        const auto address = [&](size_t at) {
            for (const uint8_t o : {2, 0, 0, 0, static_cast<int>(packet[at + 2]), static_cast<int>(packet[at + 3])})
                f.push_back(o);
        };
        address(16);
        address(12);
        if (chance(3)) f.insert(f.end(), {0x81, 0, static_cast<uint8_t>(draw(8) << 5), static_cast<uint8_t>(draw(3))});
        if (chance(8)) {
            f.insert(f.end(), {0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, static_cast<uint8_t>(up ? 1 : 2), 2, 0, 0, 0});
            for (const size_t at : {14U, 15U, 12U, 13U, 14U, 15U}) f.push_back(packet[at]);
            f.resize(60);
            return f;
        }
        f.insert(f.end(), {0x08, 0x00});
        f.insert(f.end(), packet.begin(), packet.end());
        return f;
    }
    void push(Station& end, std::vector<uint8_t> packet) {
        if (ethernet_) packet = framed(packet, &end != air_.bs.get());
        if (chance(4)) packet[1] = static_cast<uint8_t>(random_());
        if (chance(100)) packet[draw(40)] = static_cast<uint8_t>(random_());
        if (chance(100)) packet.resize(1 + draw(60));
        waiting_ += end.waiting_octets(packet);
        taken_ += end.push_sdu(packet) ? 1 : 0;
    }

    /// A few bits of a PDU behind its header, or what was measured. The CRC fits.
    void damage(sap::RxBurst& burst) {
        if (!chance(damaged_one_in_)) return;
        if (chance(4)) {
            burst.measured.cinr_db -= static_cast<float>(draw(30));
            burst.measured.rssi_dbm -= static_cast<float>(draw(20));
            burst.measured.timing_offset_samples += static_cast<float>(draw(20)) - 10;
            burst.measured.frequency_offset_hz += static_cast<float>(draw(2000)) - 1000;
            return;
        }
        change_pdu(burst.payload);
    }

    void something_else() {
        if (chance(25)) change_flow();
        if (chance(120)) command_station();
        if (chance(150)) change_profile();
        if (chance(150)) reprovision();
        if (chance(100)) air_.terminals[draw(kStations)]->link = draw_link();
        if (chance(400)) restart(*air_.terminals[draw(kStations)]);
        if (chance(400)) air_.restart_phy(*air_.terminals[draw(kStations)]);
        if (chance(1500)) air_.restart_bs_phy();
        if (chance(800)) air_.bs_air = !air_.bs_air;
        if (!air_.bs_air && chance(50)) air_.bs_air = true;
        if (chance(300)) report_error();
        if (chance(400)) change_radio();
    }
    void restart(Air::Terminal& terminal) {
        air_.restart(terminal);
        terminal.mac->tap = &tap_;
    }
    /// A station that searches another channel hears the cell only on the cell's.
    void search_channels(Digest& digest) {
        for (const auto& t : air_.terminals) {
            sap::ConfigRequest request;
            if (!t->mac->phy_config_changed(request)) continue;
            add_request(digest, request);
            t->link.connected = request.carriers == air_.bs_config.carriers;
            air_.restart_phy(*t);
        }
    }
    static void add_request(Digest& digest, const sap::ConfigRequest& r) {
        for (const int64_t n :
             {static_cast<int64_t>(r.role), int64_t{r.bandwidth_hz}, static_cast<int64_t>(r.carriers.downlink_hz),
              std::lround(r.tx_gain_db * 10), std::lround(r.rx_gain_db * 10), int64_t{r.cp_denominator},
              int64_t{r.frame_duration_code}, static_cast<int64_t>(r.bsid), int64_t{r.first_frame_number.value()}})
            digest.add(n);
    }
    void change_radio() {
        const float reference_dbm = 20 - static_cast<float>(draw(8));
        switch (draw(4)) {
            case 0: air_.terminals[draw(kStations)]->tx_reference_dbm = reference_dbm; break;
            case 1: air_.bs_tx_reference_dbm = reference_dbm; break;
            case 2: air_.bs_rx_reference_dbm = -10 - reference_dbm; break;
            default: air_.begin_at(draw(10'000));
        }
    }
    void report_error() {
        sap::ErrorIndication error;
        error.kind = static_cast<sap::ErrorKind>(draw(7));
        error.microseconds = draw(5000);
        error.detail = "drawn";
        SubscriberMac* subscriber = chance(2) ? nullptr : air_.terminals[draw(kStations)]->mac.get();
        Station& end = subscriber ? static_cast<Station&>(*subscriber) : *air_.bs;
        end.on_error(error);
        if (chance(4) && subscriber) subscriber->on_phy_refusal();
    }

    void change_flow() {
        auto& terminal = *air_.terminals[draw(kStations)];
        const bool at_bs = chance(2);
        Station& end = at_bs ? static_cast<Station&>(*air_.bs) : *terminal.mac;
        FlowCommand command;
        command.id = ++number_;
        command.kind = one_of({DsxKind::add, DsxKind::change, DsxKind::change, DsxKind::remove});
        command.state = one_of({FlowState::active, FlowState::active, FlowState::admitted, FlowState::provisioned});
        if (command.kind == DsxKind::add) {
            command.flow = draw_flow();
            if (chance(3)) {
                ServiceFlowConfig of_class;
                of_class.name = "gold";
                of_class.direction = command.flow.direction;
                of_class.cs = command.flow.cs;
                of_class.classifiers = command.flow.classifiers;
                for (auto& rule : of_class.classifiers) rule.phsi = 0;
                command.flow = of_class;
            }
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
            if (chance(3)) command.flow.phs.clear();
            if (!command.flow.phs.empty() && chance(2)) command.flow.phs.push_back(draw_header_rule(2));
        }
        if (!validate(command).empty()) return;
        refused_ += end.change_flow(command).has_value() ? 0 : 1;
    }

    void command_station() {
        StationCommand command;
        command.kind = static_cast<StationCommand::Kind>(draw(6));
        command.station = air_.terminals[draw(kStations)]->config.mac;
        if (command.kind == StationCommand::Kind::rates)
            for (auto* rate : {&command.rates.dl_rate_id, &command.rates.ul_rate_id, &command.rates.dl_lowest_rate_id,
                               &command.rates.ul_lowest_rate_id})
                if (chance(2)) *rate = static_cast<uint8_t>(draw(7));
        if (chance(10)) command.station[0] ^= 4;
        refused_ += air_.bs->command_station(command).has_value() ? 0 : 1;
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
    uint32_t digest_of_figures() const {
        Digest digest;
        add_figures(digest, "", air_.bs_status());
        for (const auto& t : air_.terminals) add_figures(digest, "", t->status());
        return digest.value();
    }
    uint32_t digest_of_reports() const {
        Digest digest = tap_.digest;
        add_request(digest, air_.bs->phy_config());
        for (const auto& t : air_.terminals) add_request(digest, t->mac->phy_config());
        for (const auto& text : air_.events) digest.add(text);
        for (const auto& t : air_.terminals)
            for (const auto& text : t->events) digest.add(text);
        return digest.value();
    }
    /// Summary of a life for human readers.
    Json counts() const {
        uint64_t down = 0;
        for (const auto& t : air_.terminals) down += t->dl_packets;
        return {{"packets", number_},     {"delivered_up", air_.ul_packets},
                {"delivered_down", down}, {"refused", refused_},
                {"waiting", waiting_},    {"taken", taken_}};
    }

    bool ethernet_ = chance(6);
    uint32_t damaged_one_in_ = one_of({40U, 150U, 1000U});
    uint32_t packets_one_in_ = one_of({1U, 1U, 10U, 60U});  ///< frames
    uint32_t rush_frames_ = 0;                              ///< with many packets of many ports
    Air air_;
    DigestTap tap_;
    uint32_t number_ = 0;
    uint64_t refused_ = 0, waiting_ = 0, taken_ = 0;
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
