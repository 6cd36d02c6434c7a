// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing of a first life is left in the second one: after losses, commands and half finished dialogues in one network,
// a station sends, expects and reports in another network the same as a new station. Both ends are tested, after a
// restart of their PHY and after the loss of the network. All that a station shows is compared, octet by octet, so
// members that are added later are covered too.
#include "mac/flow/flow_command.h"
#include "mac/station_command.h"
#include "mac/test_cells.h"
#include "mac/test_multicast.h"
#include "mac/test_transcript.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_station_lives {

using Kind = StationCommand::Kind;
constexpr int kFramesBetweenFigures = 8;

const FigureKinds kSubscriberFigures{
    {"role",
     "mac",
     "frame",
     "time_samples",
     "sample_rate_hz",
     "state",
     "operational",
     "synchronised",
     "frequency_hz",
     "basic_cid",
     "bsid",
     "heard_at_sample",
     "operational_at_sample",
     "entry_samples",
     "entry_time_s",
     "rssi_dbm",
     "cinr_db",
     "rssi_mean_dbm",
     "cinr_mean_db",
     "frequency_offset_hz",
     "clock_offset_ppm",
     "timing_advance_samples",
     "frequency_adjust_hz",
     "power_dbm",
     "maximum_power_dbm",
     "ul.backlog_bytes",
     "free_buffers",
     "flows."},
    {"channel_changes",
     "frames",
     "unsynchronised_ticks",
     "maps",
     "dl_maps",
     "dcds",
     "ucds",
     "zero_subchannels",
     "missed_for_grants",
     "maps_unusable",
     "bursts",
     "undecoded_bursts",
     "stopped_bursts",
     "late",
     "phy_errors",
     "restarts",
     "corrections",
     "ranging.",
     "requests.",
     "grants.",
     "drops.",
     "dl.",
     "ul.sdus",
     "ul.bytes",
     "ul.dropped",
     "networks_without_privacy",
     "downlink_profile.falls",
     "downlink_profile.rises",
     "downlink_profile.requests",
     "downlink_profile.repetitions",
     "downlink_profile.ranging_requests",
     "downlink_profile.refusals"},
    {"downlink_profile.rate_id", "downlink_profile.margin_db"},
    {"flows.sfid", "flow_results."}};  // numbers and results continue; transcripts rename the former in messages

/// An entry that was under way when its network fell silent is counted from its begin.
FigureKinds without_entry_time(FigureKinds kinds) {
    for (const char* figure : {"heard_at_sample", "entry_samples", "entry_time_s"}) {
        kinds.gauges.erase(figure);
        kinds.ignored.insert(figure);
    }
    return kinds;
}

const FigureKinds kBaseFigures{{"role",
                                "frame",
                                "time_samples",
                                "sample_rate_hz",
                                "state",
                                "operational",
                                "bsid",
                                "profile",
                                "registered",
                                "layout.",
                                "capacity_kbps.",
                                "capacity.",
                                "contention.request_symbols",
                                "contention.backoff_start",
                                "contention.backoff_end",
                                "contention.t27_idle_ms",
                                "reserved.downlink.",
                                "reserved.uplink.",
                                "reserved.map_bytes",
                                "reserved.map_room",
                                "reserved.flows_without_room",
                                "free_buffers",
                                "stations.",
                                "multicast.",
                                "stations",
                                "multicast"},
                               {"frames",
                                "silent_frames",
                                "late",
                                "phy_errors",
                                "time_jumps",
                                "dl_maps",
                                "ul_maps",
                                "ul_map_full",
                                "ul_maps_failed",
                                "dcds",
                                "ucds",
                                "broadcast_deferred",
                                "symbols.",
                                "bytes.",
                                "ranging.",
                                "contention.bursts",
                                "contention.undecoded",
                                "focused_contention.",
                                "drops.",
                                "reserved.refused",
                                "reserved.overbooked",
                                "lost_stations",
                                "privacy."},
                               {},
                               {"stations.flows.sfid", "multicast.sfid", "flow_results."}};

/// All services, ARQ, header suppression, a multicast flow, adaptation both ways.
BaseStationConfig full_config(size_t stations) {
    auto config = Air::with_stations(stations);
    config.dl_lowest_rate_id = config.ul_lowest_rate_id = 0;
    config.profile.polling_group_stations = 2;
    config.profile.scale = false;
    config.basic_cids = std::max<uint32_t>(config.basic_cids, 250);
    for (auto& station : config.stations) {
        station.dynamic_flows = 4;
        station.flows = {flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, 64'000),
                         flow(FlowDirection::uplink, SchedulingType::rtps, kPolledPort, 200'000),
                         flow(FlowDirection::uplink, SchedulingType::nrtps, kBulkPort, 500'000),
                         flow(FlowDirection::uplink, SchedulingType::best_effort),
                         flow(FlowDirection::downlink, SchedulingType::best_effort),
                         flow(FlowDirection::downlink, SchedulingType::rtps, kPolledPort, 200'000),
                         multicast_flow("news")};
        station.flows[1].min_reserved_rate_bps = 100'000;
        station.flows[2].min_reserved_rate_bps = 100'000;
        for (const size_t i : {3U, 4U}) {
            auto& one = station.flows[i];
            one.arq.enable = true;
            one.classifiers.emplace_back();
            one.classifiers[0].protocols = {17};
            one.classifiers[0].phsi = 1;
            one.phs.emplace_back();
            one.phs[0].phsi = 1;
            one.phs[0].ipv4_udp = true;
        }
    }
    return config;
}

/// One in which stations have to ask for what they send, and the base station learns where addresses are; narrow
/// grants.
BaseStationConfig other_config(size_t stations) {
    auto config = full_config(stations);
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    config.subchannelization.enable = true;
    config.least_awake_stations = 1;
    for (auto& station : config.stations) {
        station.ip_addresses.clear();
        station.flows.pop_back();                                               // no multicast flow
        station.flows.erase(station.flows.begin(), station.flows.begin() + 3);  // best effort alone in the uplink
    }
    return config;
}

/// The first draw of each backoff is its last: what a station sends does not depend on its random numbers.
BaseStationConfig without_chance(BaseStationConfig config) {
    config.profile.ranging_backoff_start = config.profile.ranging_backoff_end = 0;
    config.profile.request_backoff_start = config.profile.request_backoff_end = 0;
    return config;
}

/// Packets of a user both ways.
class Traffic {
public:
    explicit Traffic(uint32_t seed) : random_(seed) {}
    void frame(Air& air) {
        constexpr uint16_t kPorts[] = {5000, kVoicePort, kPolledPort, kBulkPort};
        for (size_t i = 0; i < air.terminals.size(); ++i) {
            if (random_() % 3 == 0)
                air.terminals[i]->mac->push_sdu(
                    ip_packet(station_address(i), kServer, 40 + random_() % 1400, kPorts[random_() % 4], number_++));
            if (random_() % 3 == 0)
                air.bs->push_sdu(
                    ip_packet(kServer, station_address(i), 40 + random_() % 1400, kPorts[random_() % 4], number_++));
        }
        if (random_() % 8 == 0) air.bs->push_sdu(ip_packet(kServer, kGroup, 200, 5000, number_++));
    }

private:
    std::mt19937 random_;
    uint32_t number_ = 1;
};

void run(Air& air, Traffic& traffic, int frames) {
    for (int i = 0; i < frames; ++i) {
        traffic.frame(air);
        air.step();
    }
}

/// A wish of the station's user at that frame of its life, the same for all.
void wish(FlowOperator& station, int frame) {
    FlowCommand command;
    command.id = static_cast<uint64_t>(frame);
    if (frame % 300 == 150) {
        command.flow = flow(FlowDirection::uplink, SchedulingType::best_effort, 9000);
        station.change_flow(command);
    }
}

// Ending of the first life.
using Ending = void (*)(Air&, Air::Terminal&, Traffic&);
struct NamedEnding {
    const char* name;
    Ending end;
};
void tell(Air& air, Kind kind) { air.bs->command_station({kind, Air::mac_of(0), {}}); }
const NamedEnding kEndings[] = {
    {"in peace", [](Air& air, Air::Terminal&, Traffic& t) { run(air, t, 20); }},
    {"at rest", [](Air& air, Air::Terminal&, Traffic&) { air.run(300); }},
    {"silent",
     [](Air& air, Air::Terminal&, Traffic& t) {
         tell(air, Kind::silence);
         run(air, t, 20);
     }},
    {"suspended",
     [](Air& air, Air::Terminal&, Traffic& t) {
         tell(air, Kind::suspend);
         run(air, t, 20);
     }},
    {"within a DSA",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         ss.link.uplink_loss = 1;
         wish(*ss.mac, 150);
         run(air, t, 10);
     }},
    {"in a storm",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         ss.link.uplink_loss = ss.link.downlink_loss = 0.4;
         run(air, t, 60);
     }},
    {"at its limit of power",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         ss.link.path_loss_db = 112;
         ss.link.delay_samples = 90;
         ss.link.carrier_offset_hz = 700;
         run(air, t, 300);
     }},
    {"with unanswered requests",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         ss.link.uplink_loss = 1;
         run(air, t, 40);
     }},
    {"at a low rate",
     [](Air& air, Air::Terminal&, Traffic& t) {
         air.bs->command_station({Kind::rates, Air::mac_of(0), {.dl_rate_id = 1, .ul_rate_id = 1}});
         run(air, t, 40);
     }},
    {"sent away",
     [](Air& air, Air::Terminal&, Traffic& t) {
         tell(air, Kind::deregister);
         run(air, t, 10);
     }},
    {"while it enters",
     [](Air& air, Air::Terminal&, Traffic& t) {
         tell(air, Kind::reset);
         run(air, t, 12);
     }},
    {"with a code or request on its way",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         const auto asks = [&ss] {
             return !ss.tx.codes.empty() || std::ranges::any_of(ss.tx.bursts, [](const auto& burst) {
                 return burst.format.iuc == uiuc::kReqRegionFull;
             });
         };
         for (int i = 0; i < 300 && !asks(); ++i) run(air, t, 1);
     }},
    {"with an answer to ranging on its way",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         tell(air, Kind::reset);
         const auto ranges = [&ss] {
             return std::ranges::any_of(ss.tx.bursts,
                                        [](const auto& burst) { return burst.format.iuc == uiuc::kInitialRanging; });
         };
         for (int i = 0; i < 300 && !ranges(); ++i) run(air, t, 1);
         EXPECT_TRUE(ranges());
     }},
    {"ranging in vain",
     [](Air& air, Air::Terminal& ss, Traffic& t) {
         tell(air, Kind::reset);
         ss.link.uplink_loss = 1;
         run(air, t, 150);
     }},
};

class SubscriberLives {
public:
    explicit SubscriberLives(uint32_t seed) : seed_(seed) {}

    /// A life with that end; the network is silent then, for as long as `silent_frames`.
    std::unique_ptr<Air> first(const NamedEnding& ending, int silent_frames) const {
        auto config = network();
        config.bsid += 1;
        config.profile.focused_opportunities = seed_ % 2 == 0 ? 0 : 4;
        auto air = std::make_unique<Air>(config);
        air->seed(seed_);
        auto& ss = air->add();
        Traffic traffic(seed_);
        for (int i = 0; i < 250; ++i) {
            wish(*ss.mac, i);
            run(*air, traffic, 1);
        }
        EXPECT_TRUE(ss.mac->operational());
        ending.end(*air, ss, traffic);
        air->bs_air = false;
        run(*air, traffic, silent_frames);
        return air;
    }
    /// In the other network, from `begin` on. Null: the station is new.
    Transcript second(std::unique_ptr<SubscriberMac> lived, bool new_phy, uint64_t ticks) const {
        const FigureKinds kinds = ticks == 0 ? kSubscriberFigures : without_entry_time(kSubscriberFigures);
        Air air(without_chance(network()));
        air.begin_at(ticks);
        auto& ss = air.add();
        const bool fresh = !lived;
        if (lived) put_in(ss, std::move(lived));
        if (new_phy || fresh) air.restart_phy(ss);
        Transcript transcript(kinds);
        transcript.begin(ss.status());
        Traffic traffic(seed_ + 1);
        bool profiles = false;
        for (int i = 0; i < 700; ++i) {
            transcript.frame();
            wish(*ss.mac, i);
            if (i == 320) ss.link.uplink_loss = ss.link.downlink_loss = 0.2;
            if (i == 380) ss.link.uplink_loss = ss.link.downlink_loss = 0;
            if (i == 450) tell(air, Kind::suspend);
            if (i == 480) tell(air, Kind::resume);
            if (i == 520) tell(air, Kind::reset);
            run(air, traffic, 1);
            show(transcript, ss, profiles, i);
        }
        EXPECT_TRUE(ss.mac->operational());
        return transcript;
    }

private:
    BaseStationConfig network() const { return seed_ % 2 == 0 ? full_config(1) : other_config(1); }
    static void put_in(Air::Terminal& ss, std::unique_ptr<SubscriberMac> lived) {
        lived->on_sdu = std::move(ss.mac->on_sdu);
        lived->on_event = std::move(ss.mac->on_event);
        ss.mac = std::move(lived);
    }
    static void show(Transcript& transcript, Air::Terminal& ss, bool& profiles, int frame) {
        transcript.bursts(ss.tx.bursts);
        if (!ss.tx.bursts.empty())
            transcript.line("power " + std::to_string(ss.tx.power_dbm) + " advance " +
                            std::to_string(ss.tx.timing_advance_samples) + " frequency " +
                            std::to_string(ss.tx.frequency_adjust_hz));
        transcript.line("codes " + std::to_string(ss.tx.codes.size()));
        transcript.expected(ss.expect);
        transcript.line("delivered " + std::to_string(ss.dl_packets) + ", " + std::to_string(ss.dl_bytes));
        // A PHY that continues knows the rates that both networks have.
        profiles = profiles || ss.mac->operational();
        if (profiles)
            for (const int8_t rate : ss.profiles.diuc_rates) transcript.line("rate " + std::to_string(rate));
        if (frame % kFramesBetweenFigures == 0) transcript.figures(ss.status(), ss.mac->operational());
    }

    const uint32_t seed_;
};

class SecondLife : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Endings, SecondLife, ::testing::Range(size_t{0}, std::size(kEndings)), [](const auto& of) {
    std::string name = kEndings[of.param].name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

/// The PHY starts again and counts its samples from 0.
TEST_P(SecondLife, OfASubscriberStationWithANewPhyIsLikeItsFirst) {
    for (const uint32_t seed : {4U, 5U}) {
        const SubscriberLives lives(seed);
        auto network = lives.first(kEndings[GetParam()], 0);
        const auto used = lives.second(std::move(network->terminals[0]->mac), true, 0);
        EXPECT_TRUE(same(lives.second(nullptr, true, 0), used)) << "seed " << seed;
    }
}

/// The network falls silent, and another one is received: the PHY continues.
TEST_P(SecondLife, OfASubscriberStationInAnotherNetworkIsLikeItsFirst) {
    for (const uint32_t seed : {4U, 5U}) {
        const SubscriberLives lives(seed);
        auto network = lives.first(kEndings[GetParam()], 620);
        const auto used = lives.second(std::move(network->terminals[0]->mac), false, 10'000);
        EXPECT_TRUE(same(lives.second(nullptr, true, 10'000), used)) << "seed " << seed;
    }
}

class BaseLives {
public:
    static constexpr size_t kStations = 3;

    explicit BaseLives(uint32_t seed) : seed_(seed) {}

    std::unique_ptr<Air> first(const NamedEnding& ending) const {
        auto air = std::make_unique<Air>(config());
        air->seed(seed_);
        for (size_t i = 0; i < kStations; ++i) air->add();
        Traffic traffic(seed_);
        for (int i = 0; i < 250; ++i) {
            wish(*air->terminals[0]->mac, i);
            run(*air, traffic, 1);
        }
        EXPECT_TRUE(air->all_operational());
        ending.end(*air, *air->terminals[0], traffic);
        return air;
    }
    Transcript second(std::unique_ptr<BaseStationMac> lived) const {
        Air air(config());
        if (lived) {
            lived->on_sdu = std::move(air.bs->on_sdu);
            lived->on_event = std::move(air.bs->on_event);
            air.bs = std::move(lived);
        }
        air.restart_bs_phy();
        for (size_t i = 0; i < kStations; ++i) air.add();
        Transcript transcript(kBaseFigures);
        transcript.begin(without_stations(air.bs_status()));
        Traffic traffic(seed_ + 1);
        for (int i = 0; i < 600; ++i) {
            transcript.frame();
            wish(*air.terminals[0]->mac, i);
            auto& link = air.terminals[0]->link;
            if (i == 320) link.uplink_loss = link.downlink_loss = 0.2;
            if (i == 380) link.uplink_loss = link.downlink_loss = 0;
            if (i == 450) tell(air, Kind::suspend);
            if (i == 480) tell(air, Kind::resume);
            if (i == 520) tell(air, Kind::reset);
            run(air, traffic, 1);
            show(transcript, air, i);
        }
        EXPECT_TRUE(air.all_operational());
        return transcript;
    }

private:
    BaseStationConfig config() const {
        if (seed_ % 2 == 0) return full_config(kStations);
        auto config = other_config(kStations);
        config.profile.focused_opportunities = config.profile.focused_stations = 2;
        return config;
    }
    static Json without_stations(Json status) {
        status["stations"] = status["multicast"] = Json::array();
        return status;
    }
    static void show(Transcript& transcript, Air& air, int frame) {
        transcript.bursts(air.last_tx().bursts);
        transcript.line("dcd " + std::to_string(air.last_tx().dcd_count));
        transcript.expected(air.last_expect());
        transcript.line("delivered " + std::to_string(air.ul_packets));
        if (frame % kFramesBetweenFigures == 0) transcript.figures(air.bs_status(), true);
    }

    const uint32_t seed_;
};

TEST_P(SecondLife, OfABaseStationIsLikeItsFirst) {
    for (const uint32_t seed : {6U, 7U}) {
        const BaseLives lives(seed);
        auto network = lives.first(kEndings[GetParam()]);
        const auto used = lives.second(std::move(network->bs));
        EXPECT_TRUE(same(lives.second(nullptr), used)) << "seed " << seed;
    }
}

}  // namespace test_station_lives
