// SPDX-License-Identifier: GPL-3.0-or-later
// Traffic and its records: rates and times of each kind, percentiles, delivered, late and lost packets. A sample is a
// microsecond.
#include "sim/simulation.h"
#include "sim/tcp_flow.h"
#include "sim/test_source.h"
#include "sim/traffic_mix.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace wimax::sim {
namespace test_traffic {

using namespace test_source;

TEST(Histogram, IsExactInUnitsUpTo256OfThem) {
    Histogram h(10);
    for (int i = 1; i <= 100; ++i) h.add(10 * i - 5);  // the middle of a bin
    EXPECT_EQ(h.count(), 100U);
    EXPECT_DOUBLE_EQ(h.mean(), 500);
    EXPECT_DOUBLE_EQ(h.max(), 995);
    EXPECT_DOUBLE_EQ(h.quantile(0.5), 500);
    EXPECT_DOUBLE_EQ(h.quantile(0.51), 510);
    EXPECT_DOUBLE_EQ(h.quantile(0.01), 10);
    EXPECT_DOUBLE_EQ(h.quantile(0), 10);
    EXPECT_DOUBLE_EQ(h.quantile(0.99), 990);
    EXPECT_DOUBLE_EQ(h.quantile(1), 995) << "not beyond the greatest";
}

TEST(Histogram, OfNothing) {
    Histogram h(10);
    EXPECT_EQ(h.mean(), 0);
    EXPECT_EQ(h.max(), 0);
    EXPECT_EQ(h.quantile(0.5), 0);
    size_t bins = 0;
    h.bins([&](double, uint64_t) { ++bins; });
    EXPECT_EQ(bins, 0U);
}

/// Each value is in the bin with the next higher upper end, which is at most 1/128 more.
TEST(Histogram, BinsShareEachDoubling) {
    for (const uint64_t units : {0ULL, 1ULL, 254ULL, 255ULL, 256ULL, 257ULL, 258ULL, 511ULL, 512ULL, 513ULL, 515ULL,
                                 516ULL, 1023ULL, 1024ULL, 1'000'000ULL, (1ULL << 39) - 1, 1ULL << 39}) {
        Histogram h(1);
        const double value = static_cast<double>(units) + 0.5;
        h.add(value);
        h.add(1e12);
        const double upper = h.quantile(0.5);
        EXPECT_GT(upper, value) << units;
        EXPECT_LE(upper, units < 256 ? value + 0.5 : value * (1 + 1.0 / 128) + 0.5) << units;
    }
    // Bins lie end to end: the first value of the next bin is the upper end of this one.
    for (double value = 200; value < 5000;) {
        Histogram h(1);
        h.add(value);
        h.add(1e9);
        const double upper = h.quantile(0.5);
        EXPECT_GT(upper, value);
        Histogram next(1);
        next.add(upper - 0.25);
        next.add(1e9);
        EXPECT_DOUBLE_EQ(next.quantile(0.5), upper);
        value = upper;
    }
}

TEST(Histogram, TheGreatestMayBeNegativeAndTheLeastIsInTheFirstBin) {
    Histogram h(1);
    h.add(-5);
    EXPECT_DOUBLE_EQ(h.max(), -5);
    EXPECT_DOUBLE_EQ(h.mean(), -5);
    EXPECT_DOUBLE_EQ(h.quantile(0.5), -5);
}

TEST(Histogram, SumsAreAsIfOneHadCounted) {
    Histogram all(10), odd(10), even(10), none(10);
    for (int i = 0; i < 1000; ++i) {
        all.add(i * i);
        Histogram& half = i % 2 == 0 ? even : odd;
        half.add(i * i);
    }
    even.add(none);
    none.add(odd);
    even.add(none);
    EXPECT_EQ(even.count(), all.count());
    EXPECT_DOUBLE_EQ(even.mean(), all.mean());
    EXPECT_DOUBLE_EQ(even.max(), all.max());
    for (const double part : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0})
        EXPECT_DOUBLE_EQ(even.quantile(part), all.quantile(part)) << part;
    uint64_t counted = 0;
    double last = -1;
    all.bins([&](double upper, uint64_t count) {
        EXPECT_GT(upper, last);
        EXPECT_GT(count, 0U);
        counted += count;
        last = upper;
    });
    EXPECT_EQ(counted, 1000U);
    EXPECT_DOUBLE_EQ(last, 999 * 999);
}

constexpr FlowRecord::Window kWindow{1000, 2000};

TEST(FlowRecord, TheWindowIsFromItsFirstSampleToTheOneBeforeItsEnd) {
    FlowRecord r;
    for (const Samples at : {999, 1000, 1999, 2000}) r.sent(at, kWindow, true);
    EXPECT_EQ(r.sent(), 2U);
    r.received({0, 0, 999}, 100, 1000, kWindow, 1);  // sent before, delivered within: its octets alone count
    EXPECT_EQ(r.received(), 0U);
    EXPECT_EQ(r.octets(), 100U);
    r.received({0, 1, 1000}, 100, 1999, kWindow, 1);
    EXPECT_EQ(r.received(), 1U);
    EXPECT_EQ(r.octets(), 200U);
    EXPECT_DOUBLE_EQ(r.delay().max(), 999);
    r.received({0, 2, 1999}, 100, 2000, kWindow, 1);  // on its way at the end: neither delivered nor missing
    EXPECT_EQ(r.received(), 1U);
    EXPECT_EQ(r.octets(), 200U);
    EXPECT_EQ(r.missing(), 0U);
    EXPECT_EQ(r.delay().count(), 1U);
}

TEST(FlowRecord, CountsEachPacketOnceAndItsOrder) {
    FlowRecord r(0.1);  // 100 us
    for (Samples at = 1000; at < 1010; ++at) r.sent(at, kWindow, at != 1009);
    const auto arrives = [&](uint32_t number, Samples delay) {
        r.received({0, number, 1000 + static_cast<Samples>(number)}, 10, 1000 + number + delay, kWindow, 1);
    };
    arrives(0, 100);  // as long as the bound: not late
    arrives(2, 101);
    arrives(1, 50);
    arrives(1, 60);
    arrives(4, 50);
    arrives(3, 200);
    arrives(5, 50);
    EXPECT_EQ(r.sent(), 10U);
    EXPECT_EQ(r.refused(), 1U);
    EXPECT_EQ(r.received(), 6U);
    EXPECT_EQ(r.duplicates(), 1U);
    EXPECT_EQ(r.reordered(), 2U);
    EXPECT_EQ(r.octets(), 60U);
    EXPECT_DOUBLE_EQ(r.late_fraction(), 2.0 / 6);
    EXPECT_DOUBLE_EQ(r.delay().mean(), (100 + 101 + 50 + 50 + 200 + 50) / 6.0);
    EXPECT_EQ(r.missing(), 4U);
    EXPECT_EQ(r.lost(), 4U);
    EXPECT_EQ(r.settle(2), 2U);
    EXPECT_EQ(r.lost(), 2U);
    FlowRecord other = r;
    EXPECT_EQ(other.settle(100), 3U) << "a packet that was refused does not wait";
    EXPECT_EQ(other.lost(), 1U);
}

TEST(FlowRecord, WithoutPacketsNothingIsLate) {
    EXPECT_EQ(FlowRecord(1).late_fraction(), 0);
    FlowRecord none(0);
    none.received({0, 0, 1000}, 10, 1'000'000, {1000, 2'000'000}, 1);
    EXPECT_EQ(none.late_fraction(), 0);
}

TEST(TrafficFlow, AConstantRateIsExactAndEven) {
    Source s(kind(TrafficKind::cbr));
    s.run(105.01);
    ASSERT_EQ(s.pipe.all.size(), 1000U);  // ten a second
    for (size_t i = 0; i < s.pipe.all.size(); ++i) {
        EXPECT_EQ(s.pipe.all[i].tag.number, i);
        EXPECT_EQ(s.pipe.all[i].tag.flow, 7);
        EXPECT_EQ(s.pipe.all[i].octets, 1000U);
        if (i > 0) {
            EXPECT_EQ(s.pipe.all[i].tag.sent - s.pipe.all[i - 1].tag.sent, 100'000);
        }
    }
    EXPECT_GE(s.pipe.all[0].tag.sent, 5'000'000);
    EXPECT_LT(s.pipe.all[0].tag.sent, 5'100'000);
    EXPECT_EQ(s.flow->record().sent(), 1000U);
}

TEST(TrafficFlow, PoissonHasTheRateAndTheGapsOfChance) {
    Source s(kind(TrafficKind::poisson, 800'000), 1000);
    s.run(1006);
    EXPECT_NEAR(s.bps(1000), 800'000, 4 * 800'000 / std::sqrt(100'000.0));
    double sum = 0, squares = 0;
    for (size_t i = 1; i < s.pipe.all.size(); ++i) {
        const auto gap = static_cast<double>(s.pipe.all[i].tag.sent - s.pipe.all[i - 1].tag.sent);
        sum += gap;
        squares += gap * gap;
    }
    const auto n = static_cast<double>(s.pipe.all.size() - 1);
    const double mean = sum / n;
    EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1, 0.02);
}

/// Talk of 1 s and silence of 1.35 s in the mean: of the rate, 1 / 2.35.
TEST(TrafficFlow, VoiceIsSilentInBetween) {
    Source s(kind(TrafficKind::voice, 80'000, 200), 10'000);
    s.run(10'006);
    EXPECT_NEAR(s.bps(10'000) / 80'000, 1 / 2.35, 0.02);
    size_t pauses = 0;
    double talking = 0;
    for (size_t i = 1; i < s.pipe.all.size(); ++i) {
        const auto gap = static_cast<double>(s.pipe.all[i].tag.sent - s.pipe.all[i - 1].tag.sent);
        pauses += gap > 20'001;
        if (gap <= 20'001) {
            EXPECT_NEAR(gap, 20'000, 1);
            talking += gap;
        }
    }
    EXPECT_NEAR(static_cast<double>(pauses), 10'000 / 2.37, 250);
    EXPECT_NEAR(talking / 1e6 / static_cast<double>(pauses), 1, 0.06);
    auto without = kind(TrafficKind::voice, 80'000, 200);
    without.silence_s = 0;
    Source constant(without);
    constant.run(105.01);
    EXPECT_EQ(constant.pipe.all.size(), 5000U);
}

TEST(TrafficFlow, HasItsOwnBeginAndEnd) {
    auto config = kind(TrafficKind::cbr);
    config.start_s = 10;
    config.stop_s = 20;
    Source s(config);
    s.run(105.01);
    ASSERT_EQ(s.pipe.all.size(), 100U);
    EXPECT_GE(s.pipe.all.front().tag.sent, 15'000'000);
    EXPECT_LT(s.pipe.all.back().tag.sent, 25'000'000);
}

TEST(TrafficFlow, RefusedPacketsCountAsSentAndRefused) {
    Source s(kind(TrafficKind::cbr));
    s.pipe.taken = false;
    s.run(6);
    EXPECT_EQ(s.flow->record().refused(), s.flow->record().sent());
    EXPECT_GT(s.flow->record().sent(), 5U);
}

TEST(TrafficFlow, PingsHaveGapsWithinTheirBoundsAndEachIsAnsweredOnce) {
    auto config = kind(TrafficKind::ping);
    config.gap_min_ms = 50;
    config.gap_max_ms = 150;
    Source s(config);
    s.run(106);
    const auto requests = s.pipe.all;
    EXPECT_NEAR(static_cast<double>(requests.size()), 1000, 4 * 0.29 * std::sqrt(1000.0));
    double least = 1e9, most = 0;
    for (size_t i = 1; i < requests.size(); ++i) {
        const auto gap = static_cast<double>(requests[i].tag.sent - requests[i - 1].tag.sent);
        least = std::min(least, gap);
        most = std::max(most, gap);
    }
    EXPECT_GE(least, 49'999);
    EXPECT_LT(least, 52'000);
    EXPECT_LE(most, 150'001);
    EXPECT_GT(most, 148'000);
    ReadPacket request;
    request.tag = requests[3].tag;
    s.pipe.all.clear();
    s.flow->receive(false, request, 6'000'000);
    s.flow->send(false, 6'000'000, s.pipe);
    s.flow->send(false, 6'010'000, s.pipe);
    ASSERT_EQ(s.pipe.all.size(), 1U);
    EXPECT_EQ(s.pipe.all[0].tag, requests[3].tag);
}

/// The queue is at most two frames' worth of recent traffic, and at least 7500 octets.
TEST(TrafficFlow, ASaturatingFlowKeepsItsQueueFilled) {
    Source s(kind(TrafficKind::saturate, 0, 500));
    s.now = 5'000'000;
    size_t waiting = 0;
    for (int frame = 0; frame < 200; ++frame, s.now += 10'000) {
        const size_t before = s.pipe.all.size();
        s.pipe.waiting = waiting;
        s.flow->send(true, s.now, s.pipe);
        waiting += 500 * (s.pipe.all.size() - before);
        EXPECT_GE(waiting, 7500U);
        EXPECT_LT(waiting, frame < 50 ? 8000U : 18'500U);
        if (frame > 60) {
            EXPECT_GE(waiting, 17'500U);
        }
        waiting -= std::min<size_t>(waiting, frame < 50 ? 4000 : 10'000);
    }
}

TEST(TrafficMix, CountsByIntervalAndKnowsWhatIsNotItsOwn) {
    TrafficMix mix(2, kRate, 1);
    auto up = kind(TrafficKind::cbr);
    up.direction = Direction::uplink;
    ASSERT_TRUE(mix.add(kind(TrafficKind::cbr), 0, 0, 1));
    ASSERT_TRUE(mix.add(up, 1, 1, 1));
    mix.start(0, {1'000'000, 3'500'000});
    EXPECT_EQ(mix.octets_by_interval(Direction::downlink), (std::vector<uint64_t>{0, 0, 0}));
    PacketWriter writer;
    uint32_t number = 0;
    const auto arrives = [&](size_t node, uint16_t flow, Samples at) {
        mix.receive(node, writer.udp({}, {flow, number++, at}, 100), at);
    };
    for (const Samples at : {999'999, 1'000'000, 1'999'999, 2'000'000, 3'499'999, 3'500'000}) arrives(1, 0, at);
    arrives(0, 1, 3'000'000);
    EXPECT_EQ(mix.octets_by_interval(Direction::downlink), (std::vector<uint64_t>{200, 100, 100}));
    EXPECT_EQ(mix.octets_by_interval(Direction::uplink), (std::vector<uint64_t>{0, 0, 100}));
    EXPECT_EQ(mix.foreign(), 0U);
    arrives(2, 0, 2'000'000);  // the other station's
    arrives(0, 2, 2'000'000);  // there is no such flow
    const uint8_t none[40] = {};
    mix.receive(1, none, 2'000'000);
    EXPECT_EQ(mix.foreign(), 3U);
    EXPECT_EQ(mix.octets_by_interval(Direction::downlink)[1], 100U);
}

/// A flow is not called between its packets. One that is added or changed in the meantime is.
TEST(TrafficMix, NewAndChangedFlowsSendAtOnce) {
    struct Station final : mac::PacketService {
        bool push_sdu(Octets packet) override {
            ++of_flow[read_packet(packet)->tag.flow];
            return true;
        }
        size_t waiting_octets(Octets) override { return 0; }
        std::array<int, 2> of_flow{};
    } station;
    TrafficMix mix(1, kRate, 1);
    ASSERT_TRUE(mix.add(kind(TrafficKind::cbr, 80), 0, 0, 1));  // a packet each 100 s
    mix.start(0, {0, 1000 * kRate});
    Samples now = 0;
    const auto run = [&](double seconds) {
        for (const Samples end = now + static_cast<Samples>(seconds * kRate); now < end; now += 10'000)
            mix.send(0, station, now);
    };
    run(100);
    EXPECT_EQ(station.of_flow, (std::array{1, 0}));
    ASSERT_TRUE(mix.add(kind(TrafficKind::cbr), 0, 1, 1));  // ten packets per second, and those of the time before
    run(0.01);
    EXPECT_GE(station.of_flow[1], 999);
    EXPECT_EQ(station.of_flow[0], 1);
    mix.change(0, std::nullopt, {.rate_bps = 80'000}, now);
    run(1);
    EXPECT_NEAR(station.of_flow[0], 11, 1);
}

/// Packets have at least their headers and the tag, and at most the limit of the interface; the headers match.
TEST(PacketWriter, LengthsHaveBounds) {
    PacketWriter writer;
    for (const auto& [wanted, octets] : {std::pair<size_t, size_t>{0, kLeastPacketOctets},
                                         {kLeastPacketOctets - 1, kLeastPacketOctets},
                                         {kLeastPacketOctets, kLeastPacketOctets},
                                         {kMaxPacketOctets, kMaxPacketOctets},
                                         {kMaxPacketOctets + 1, kMaxPacketOctets},
                                         {100'000, kMaxPacketOctets}}) {
        const Octets packet = writer.udp({}, {1, 2, 3}, wanted);
        ASSERT_EQ(packet.size(), octets) << wanted;
        EXPECT_EQ(packet[2] << 8 | packet[3], octets) << "of the IP packet";
        EXPECT_EQ(packet[24] << 8 | packet[25], octets - 20) << "of the UDP datagram";
    }
}

nlohmann::ordered_json simulate(const std::string& yaml) {
    Scenario scenario;
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    EXPECT_EQ(schema.load(yaml, "test.yml").str(), "");
    Simulation simulation(scenario);
    simulation.run();
    return simulation.result();
}

/// Totals, shares and means of a result follow from its flows; each figure of a total is named here.
TEST(Result, TotalsFollowFromTheFlows) {
    const auto j = simulate(
        "stations: 3\nseconds: 4\nsnr_db: 17.6\ninterval_s: 0.5\ntraffic:\n"
        "  - {kind: poisson, rate_bps: 300000, stations: [1, 2]}\n  - {kind: cbr, rate_bps: 90000, stations: [3]}\n"
        "  - {kind: cbr, rate_bps: 60000, packet_bytes: 300, direction: uplink, stations: [1]}\n"
        "  - {kind: poisson, rate_bps: 200000, packet_bytes: 500, direction: uplink, stations: [2, 3]}\n"
        "  - {kind: ping}\n");
    for (const char* direction : {"downlink", "uplink"}) {
        std::map<std::string, double> sums;
        std::vector<double> by_station(3);
        double delays = 0, most = 0;
        for (const auto& flow : j["flows"]) {
            if (flow["direction"] != direction || flow["kind"] == "ping") continue;
            for (const char* figure : {"goodput_bps", "ip_symbols_per_frame", "offered_packets", "delivered_packets",
                                       "lost_packets", "reordered_packets", "refused_packets"})
                sums[figure] += flow[figure].get<double>();
            by_station[flow["station"].get<size_t>() - 1] += flow["goodput_bps"].get<double>();
            delays += flow["delay_ms"]["mean"].get<double>() * flow["delivered_packets"].get<double>();
            most = std::max(most, flow["delay_ms"]["max"].get<double>());
        }
        const auto& total = j["total"][direction];
        for (const auto& [key, value] : total.items()) {
            if (sums.contains(key)) {
                EXPECT_NEAR(value.get<double>(), sums[key], 1e-6 * sums[key]) << direction << " " << key;
            } else if (key == "loss") {
                EXPECT_NEAR(value.get<double>(), sums["lost_packets"] / sums["offered_packets"], 1e-12);
            } else if (key == "jain") {
                double sum = 0, squares = 0;
                for (const double x : by_station) sum += x, squares += x * x;
                EXPECT_NEAR(value.get<double>(), sum * sum / 3 / squares, 1e-9);
                EXPECT_LT(value.get<double>(), 0.99);
            } else if (key == "station_bps") {
                for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(value[i].get<double>(), by_station[i], 1e-6 * by_station[i]);
            } else if (key == "delay_ms") {
                EXPECT_NEAR(value["mean"].get<double>(), delays / sums["delivered_packets"], 1e-9);
                EXPECT_DOUBLE_EQ(value["max"].get<double>(), most);
                for (const auto& [low, high] : {std::pair{"p50", "p99"}, {"p99", "p999"}, {"p999", "max"}})
                    EXPECT_LE(value[low].get<double>(), value[high].get<double>());
                EXPECT_LT(value["p50"].get<double>(), value["p99"].get<double>());
            } else if (key == "delay_cdf") {
                EXPECT_EQ(value.back()[1], 1.0);
                EXPECT_DOUBLE_EQ(value.back()[0].get<double>(), most);
                for (size_t i = 1; i < value.size(); ++i) {
                    EXPECT_GT(value[i][0].get<double>(), value[i - 1][0].get<double>());
                    EXPECT_GT(value[i][1].get<double>(), value[i - 1][1].get<double>());
                    EXPECT_LT(value[i][1].get<double>(), value[i - 1][1].get<double>() + 0.1) << "steps are small";
                }
            } else {
                ADD_FAILURE() << "no check of total." << key;
            }
        }
        double by_interval = 0;
        const auto& intervals = j["throughput"][std::string(direction) + "_bps"];
        ASSERT_EQ(intervals.size(), 8U);
        for (const auto& bps : intervals) by_interval += bps.get<double>() * 0.5;
        double pings = 0;  // one echo per direction
        for (const auto& flow : j["flows"])
            if (flow["kind"] == "ping") pings += 8 * 1500 * flow["delivered_packets"].get<double>();
        EXPECT_NEAR(by_interval, sums["goodput_bps"] * 4 + pings, 3 * 8 * 1500);
        EXPECT_GT(sums["lost_packets"], 0);
    }
    const double frames = 4 / j["frame_s"].get<double>();
    for (const auto& flow : j["flows"])  // 108 octets in a symbol of 64-QAM 3/4
        EXPECT_NEAR(flow["ip_symbols_per_frame"].get<double>(),
                    flow["goodput_bps"].get<double>() * 4 / 8 / 108 / frames, 1e-9);
    EXPECT_EQ(j["wall"]["frames"], frames);
    EXPECT_LE(j["entry_s"]["mean"].get<double>(), j["entry_s"]["max"].get<double>());
    const auto& bursts = j["bursts"];
    EXPECT_GT(bursts["downlink_wrong"], 0);
    EXPECT_GT(bursts["downlink"].get<double>(), bursts["downlink_wrong"].get<double>());
    EXPECT_GE(bursts["uplink_grants"].get<double>(), bursts["uplink"].get<double>());
}

}  // namespace test_traffic
}  // namespace wimax::sim
