// SPDX-License-Identifier: GPL-3.0-or-later
// What stands for the PHY: error rates, wrong blocks, PDUs taken out, paths.
#include "sim/flow_record.h"
#include "sim/ofdm256/block_errors.h"
#include "sim/ofdm256/error_model.h"
#include "sim/pdu_drops.h"
#include "sim/radio_path.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace wimax::sim {
namespace test_phy_model {

std::string text_of(const std::string& file) {
    std::ifstream in(WIMAX_CURVES "/" + file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(ErrorModel, SaysWhatWasMeasured) {
    size_t compared = 0;
    for (const auto* name : {"awgn-downlink.json", "awgn-uplink.json"}) {
        const auto file = nlohmann::json::parse(text_of(name));
        for (const auto& curve : file["curves"]) {
            if (curve["estimation"] != "real") continue;
            const auto direction = curve["direction"] == "uplink" ? Direction::uplink : Direction::downlink;
            for (size_t i = 0; i < curve["snr_db"].size(); ++i) {
                const double errors = curve["block_errors"][i], blocks = curve["blocks"][i], snr = curve["snr_db"][i];
                if (errors < 100 || errors == blocks) continue;
                const double model = ErrorModel::white_noise().block_error(curve["rate_id"], direction, snr);
                // A quarter: single symbols and long bursts lie that much apart where their ranges meet.
                EXPECT_NEAR(std::log(model * blocks / errors), 0, 0.25)
                    << name << " rate " << curve["rate_id"] << " at " << snr << " dB";
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 80U);
}

TEST(ErrorModel, FallsSteadilyFromOneToNothing) {
    const auto& model = ErrorModel::white_noise();
    for (uint8_t rate = 0; rate < phy::kRates; ++rate)
        for (const auto direction : {Direction::downlink, Direction::uplink}) {
            double before = 1;
            for (double snr = -20; snr <= 40; snr += 0.1) {
                const double p = model.block_error(rate, direction, snr);
                EXPECT_LE(p, before) << int(rate) << " at " << snr;
                before = p;
            }
            EXPECT_GT(model.block_error(rate, direction, -20), 0.999);
            EXPECT_EQ(model.block_error(rate, direction, 40), 0);
        }
    // The table of docs/error-rates.md: 1e-2 at 17.25 and 17.38 dB with 64-QAM 3/4.
    EXPECT_NEAR(std::log10(model.block_error(6, Direction::downlink, 17.25)), -2, 0.05);
    EXPECT_NEAR(std::log10(model.block_error(6, Direction::uplink, 17.38)), -2, 0.05);
}

/// The curve ends where the probability falls below kNever, not before.
TEST(ErrorModel, TheSmallestProbabilityIsKNever) {
    const auto& model = ErrorModel::white_noise();
    for (uint8_t rate = 0; rate < phy::kRates; ++rate)
        for (const auto direction : {Direction::downlink, Direction::uplink}) {
            double smallest = 1;
            for (double snr = 0; snr <= 40; snr += 0.001)
                if (const double p = model.block_error(rate, direction, snr); p > 0) smallest = p;
            EXPECT_GE(smallest, ErrorModel::kNever * (1 - 1e-9)) << int(rate);
            EXPECT_LT(smallest, ErrorModel::kNever * 1.1) << int(rate);
        }
}

TEST(ErrorModel, RefusesWhatIsNoFileOfCurves) {
    for (const auto* text : {"", "[]", "{\"curves\": []}", "{\"curves\": [1, null, {\"rate_id\": 9}]}",
                             "{\"curves\": [{\"estimation\": \"real\", \"rate_id\": 0, \"snr_db\": [1, 2]}]}"})
        EXPECT_FALSE(ErrorModel::parse({text})) << text;
}

sap::RxBurst burst_of(uint8_t rate, int symbols) {
    sap::RxBurst burst;
    burst.rate_id = rate;
    burst.payload.assign(static_cast<size_t>(phy::burst_capacity_bytes(rate, symbols)), 0x55);
    return burst;
}

TEST(DecodeBlocks, WrongBlocksAreAsFrequentAsSaidAndNoticedButForBpsk) {
    Random random(1);
    for (const uint8_t rate : {uint8_t{0}, uint8_t{6}}) {
        const auto octets = static_cast<size_t>(phy::kRateTable[rate].uncoded_bytes);
        int failed = 0, wrong = 0;
        for (int i = 0; i < 2000; ++i) {
            auto burst = burst_of(rate, 20);
            const int count = decode_blocks(burst, 0.05, random);
            failed += count;
            EXPECT_EQ(burst.fec_ok, rate == 0 || count == 0);
            EXPECT_EQ(burst.failed_blocks, rate == 0 ? 0 : count);
            for (size_t at = 0; at < burst.payload.size(); at += octets) wrong += burst.payload[at] != 0x55;
        }
        EXPECT_EQ(failed, wrong);
        EXPECT_NEAR(failed, 2000, 4 * std::sqrt(2000)) << int(rate);  // of 40 000
    }
    auto all = burst_of(6, 3), none = burst_of(6, 3);
    EXPECT_EQ(decode_blocks(all, 1, random), 3);
    EXPECT_EQ(decode_blocks(none, 0, random), 0);
    EXPECT_TRUE(none.fec_ok);
}

/// A burst with a request, management messages, ARQ feedback and transport PDUs.
struct MixedBurst {
    sap::RxBurst burst;
    MixedBurst() {
        mac::Buffer octets;
        mac::PduWriter writer(octets, 600);
        writer.request({mac::RequestType::aggregate, 100, 700});
        pdu(writer, 5, std::vector<uint8_t>{static_cast<uint8_t>(mac::MessageType::rng_req), 0});
        pdu(writer, 700, std::vector<uint8_t>(50, 1));
        pdu(writer, 5, std::vector<uint8_t>{static_cast<uint8_t>(mac::MessageType::arq_feedback), 0, 0, 0, 0});
        pdu(writer, 701, std::vector<uint8_t>(60, 2));
        burst.payload.assign(octets.begin(), octets.end());
        burst.payload.resize(647, 0xFF);
    }
    static void pdu(mac::PduWriter& writer, uint16_t cid, const std::vector<uint8_t>& body) {
        writer.begin(cid);
        writer.payload(body);
        writer.finish();
    }
    std::vector<uint16_t> cids() const {
        std::vector<uint16_t> all;
        mac::PduReader reader(burst.payload);
        while (const auto p = reader.next()) all.push_back(p->cid());
        EXPECT_FALSE(reader.error());
        return all;
    }
};

TEST(DropPdus, TakesOutWhatItIsToldToAndNothingElse) {
    Random random(1);
    DropCounters counters;
    const auto left = [&](DropConfig config) {
        MixedBurst mixed;
        drop_pdus(mixed.burst, config, mac::cid::kBasicMax, random, counters);
        EXPECT_EQ(mixed.burst.payload.size(), 647U);
        return mixed.cids();
    };
    EXPECT_EQ(left({0, 0}), (std::vector<uint16_t>{700, 5, 700, 5, 701}));
    EXPECT_EQ(left({1, 0}), (std::vector<uint16_t>{700, 5, 5}));
    EXPECT_EQ(left({0, 1}), (std::vector<uint16_t>{700, 5, 700, 701}));
    EXPECT_EQ(left({1, 1}), (std::vector<uint16_t>{700, 5}));
    EXPECT_EQ(counters.pdus_seen, 8U);
    EXPECT_EQ(counters.pdus_dropped, 4U);
    EXPECT_EQ(counters.feedback_dropped, 2U);
    counters = {};
    for (int i = 0; i < 5000; ++i) left({0.1, 0.3});
    EXPECT_NEAR(static_cast<double>(counters.pdus_dropped) / 10'000, 0.1, 0.012);
    EXPECT_NEAR(static_cast<double>(counters.feedback_dropped) / 5000, 0.3, 0.026);
}

TEST(DropPdus, LeavesWhatCannotBeFollowedBehindTheLastPduThatCan) {
    Random random(1);
    DropCounters counters;
    MixedBurst mixed;
    mixed.burst.payload[mixed.burst.payload.size() - 1] = 0;  // no padding: a fault where the rest begins
    const auto size = mixed.burst.payload.size();
    drop_pdus(mixed.burst, {1, 0}, mac::cid::kBasicMax, random, counters);
    ASSERT_EQ(mixed.burst.payload.size(), size);
    mac::PduReader reader(mixed.burst.payload);
    size_t pdus = 0;
    while (reader.next()) ++pdus;
    EXPECT_EQ(pdus, 3U);
    EXPECT_TRUE(reader.error());
}

TEST(RadioPath, SnrGoesEvenlyFromPointToPoint) {
    RadioPathConfig config;
    config.snr_series = {{10, 35}, {11, 5}, {12, 35}};
    const RadioPath path(config, 1);
    EXPECT_DOUBLE_EQ(path.snr_db(-5, 0), 35);
    EXPECT_DOUBLE_EQ(path.snr_db(10.5, 3), 20);
    EXPECT_DOUBLE_EQ(path.snr_db(11, 3), 5);
    EXPECT_DOUBLE_EQ(path.snr_db(11.75, 3), 27.5);
    EXPECT_DOUBLE_EQ(path.snr_db(100, 3), 35);
}

TEST(RadioPath, ASeriesBeginsAgainAfterItsPeriodAndLaterForLaterStations) {
    RadioPathConfig config;
    config.snr_series = {{0, 30}, {10, 10}, {20, 30}};
    config.snr_period_s = 40;
    config.snr_delay_s = 5;
    const RadioPath path(config, 1);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(-100), 30);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(5), 30);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(10), 20);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(15), 10);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(44), 30);  // after the last point
    EXPECT_DOUBLE_EQ(path.mean_snr_db(50), 20);
    EXPECT_DOUBLE_EQ(path.mean_snr_db(5 + 15'000 * 40.0 + 10), 10);
}

/// Numbers of packets are remembered within a window, so that days of traffic take no more memory than an hour.
TEST(FlowRecord, APacketCountsOnceHoweverManyCameBefore) {
    FlowRecord record;
    const FlowRecord::Window window{0, INT64_MAX};
    const auto receive = [&](uint32_t number) { record.received({0, number, 0}, 100, 10, window, 1); };
    constexpr uint32_t kPackets = 500'000;
    for (uint32_t number = 0; number < kPackets; ++number) {
        record.sent(0, window, true);
        receive(number);
        if (number % 1000 == 0) receive(number);          // twice
        if (number % 1000 == 999) receive(number - 999);  // again, much later
    }
    EXPECT_EQ(record.received(), kPackets);
    EXPECT_EQ(record.duplicates(), kPackets / 500);
    EXPECT_EQ(record.reordered(), 0U);
    EXPECT_EQ(record.lost(), 0U);
    receive(kPackets + 70'000);  // a gap; the missing number arrives later
    receive(kPackets + 10'000);
    receive(kPackets + 10'000);
    EXPECT_EQ(record.received(), kPackets + 2);
    EXPECT_EQ(record.reordered(), 1U);
    EXPECT_EQ(record.duplicates(), kPackets / 500 + 1);
    receive(kPackets - 1);  // older than anything that is remembered
    EXPECT_EQ(record.duplicates(), kPackets / 500 + 2);
    receive(UINT32_MAX);
    receive(UINT32_MAX);
    EXPECT_EQ(record.received(), kPackets + 3);
}

TEST(RadioPath, FadingHasThePowerAndDepthOfItsKFactor) {
    const auto shares = [](double k_factor_db) {
        RadioPathConfig config;
        config.doppler_hz = 20;
        config.k_factor_db = k_factor_db;
        double power = 0, deep = 0;
        constexpr int kPaths = 200, kTimes = 500;
        for (int p = 0; p < kPaths; ++p) {
            const RadioPath path(config, static_cast<uint64_t>(p + 1));
            for (int i = 0; i < kTimes; ++i) {
                const double db = path.fading_db(0.37 * i);
                power += std::pow(10, db / 10);
                deep += db < -10;
            }
        }
        return std::pair(power / (kPaths * kTimes), deep / (kPaths * kTimes));
    };
    const auto [rayleigh_power, rayleigh_deep] = shares(-100);
    EXPECT_NEAR(rayleigh_power, 1, 0.05);
    EXPECT_NEAR(rayleigh_deep, 1 - std::exp(-0.1), 0.02);  // of an exponential power
    const auto [rice_power, rice_deep] = shares(10);
    EXPECT_NEAR(rice_power, 1, 0.05);
    EXPECT_LT(rice_deep, 0.002);
    EXPECT_EQ(RadioPath({}, 1).fading_db(1), 0);
}

}  // namespace test_phy_model
}  // namespace wimax::sim
