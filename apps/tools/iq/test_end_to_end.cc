// SPDX-License-Identifier: GPL-3.0-or-later
// generate -> impair -> decode inside one process: the payload is recovered.
#include "channel/fading.h"
#include "mac/pdu/pdu.h"
#include "tools/iq/decode.h"
#include "tools/iq/generate.h"
#include "tools/iq/impair.h"
#include "tools/iq/sample_window.h"

#include <gtest/gtest.h>

namespace wimax::iq {
namespace {

using channel::mix64;
using nlohmann::json;

std::string random_hex(size_t octets, uint64_t seed) {
    std::vector<uint8_t> payload(octets);
    for (size_t i = 0; i < octets; ++i) payload[i] = static_cast<uint8_t>(mix64(seed * 100'003 + i));
    return to_hex(payload);
}

json downlink(int rate, uint64_t seed) {
    json spec{{"direction", "downlink"}, {"bandwidth_hz", 5'000'000}, {"cp", "1/8"}, {"bsid", "20E9FA102240"}};
    spec["frame_number"] = 13372794;
    spec["change_count"] = 127;
    const auto burst = [&](int symbols, int diuc, int preamble) {
        const auto capacity = static_cast<size_t>(phy::burst_capacity_bytes(rate, symbols));
        return json{{"rate_id", rate},
                    {"diuc", diuc},
                    {"preamble", preamble},
                    {"data_symbols", symbols},
                    {"payload", random_hex(capacity, seed + static_cast<uint64_t>(symbols))}};
    };
    spec["bursts"] = {burst(6, 0, 0), burst(4, rate + 1, 1), burst(3, rate + 1, 0)};
    return spec;
}

json uplink(int rate, int symbols, uint64_t seed) {
    json spec{{"direction", "uplink"}, {"bandwidth_hz", 5'000'000}, {"cp", "1/8"}, {"bsid", "000000000001"}};
    spec["frame_number"] = 1;
    spec["uiuc"] = 7;
    spec["rate_id"] = rate;
    spec["data_symbols"] = symbols;
    spec["payload"] = random_hex(static_cast<size_t>(phy::burst_capacity_bytes(rate, symbols)), seed);
    return spec;
}

std::vector<Complex> signal(const json& description) {
    const auto spec = parse_spec(description.dump(), "test", Purpose::generate);
    if (!spec) {
        ADD_FAILURE() << spec.error().str();
        return {};
    }
    std::vector<Complex> out(static_cast<size_t>(spec->lead_in_samples));
    for (const auto& frame : spec->frames) {
        const auto samples = modulate(*spec, frame).value();
        EXPECT_FALSE(samples.empty());
        out.insert(out.end(), samples.begin(), samples.end());
        if (!spec->several_frames) continue;
        const auto pad =
            spec->numerology().frame_samples(spec->frame_duration_code) - static_cast<int64_t>(samples.size());
        out.resize(out.size() + static_cast<size_t>(pad));
    }
    out.resize(out.size() + static_cast<size_t>(spec->tail_samples));
    return out;
}

json decoded(const json& description, std::span<const Complex> samples) {
    const auto spec = parse_spec(description.dump(), "test", Purpose::decode);
    if (!spec) {
        ADD_FAILURE() << spec.error().str();
        return {};
    }
    return json::parse(to_json(*spec, decode(*spec, samples)).dump());
}

std::vector<Complex> through(const std::vector<Complex>& in, const Impairments& impairments) {
    std::vector<Complex> out;
    const auto sink = [&out](std::span<const Complex> part) {
        out.insert(out.end(), part.begin(), part.end());
        return Outcome();
    };
    EXPECT_TRUE(impair(in, 5.76e6, impairments, sink));
    return out;
}

// Every burst is there, in order, with its payload.
bool payloads_match(const json& result, const std::vector<std::string>& payloads) {
    if (result["frames"].size() != 1 || result["frames"][0]["bursts"].size() != payloads.size()) return false;
    for (size_t i = 0; i < payloads.size(); ++i) {
        const auto& burst = result["frames"][0]["bursts"][i];
        if (burst["payload"] != payloads[i] || burst["fec_ok"] != true) return false;
    }
    return true;
}
std::vector<std::string> payloads_of(const json& spec) {
    if (spec["direction"] == "uplink") return {spec["payload"]};
    std::vector<std::string> payloads;
    for (const auto& burst : spec["bursts"]) payloads.push_back(burst["payload"]);
    return payloads;
}

Impairments laboratory(uint64_t seed) {
    Impairments impairments;
    impairments.snr_db = 35;
    impairments.cfo_hz = seed % 2 == 0 ? 10'000 : -10'000;
    impairments.delay_samples = static_cast<double>(mix64(seed) % 20'000) / 7.0;
    impairments.seed = seed;
    return impairments;
}

TEST(EndToEnd, StcZoneFromTwoAntennas) {
    json spec = downlink(2, 11);
    const auto burst = [](int rate, int symbols, uint64_t seed) {
        const auto capacity = static_cast<size_t>(phy::burst_capacity_bytes(rate, symbols));
        return json{
            {"rate_id", rate}, {"diuc", rate + 1}, {"data_symbols", symbols}, {"payload", random_hex(capacity, seed)}};
    };
    spec["stc_bursts"] = {burst(3, 8, 12), burst(6, 12, 13)};
    const auto payloads = [&] {
        auto all = payloads_of(spec);
        for (const auto& b : spec["stc_bursts"]) all.push_back(b["payload"]);
        return all;
    }();
    json first = spec, second = spec;
    first["antenna"] = 0;
    second["antenna"] = 1;
    // Each antenna through its own path, the noise once.
    Impairments impairments;
    impairments.delay_samples = 500;
    impairments.cfo_hz = 4000;
    auto sum = through(signal(first), impairments);
    impairments.snr_db = 30;
    impairments.delay_samples = 503.4;
    const auto other = through(signal(second), impairments);
    for (size_t i = 0; i < std::min(sum.size(), other.size()); ++i) sum[i] += other[i];
    const json result = decoded(spec, sum);
    ASSERT_TRUE(payloads_match(result, payloads)) << result.dump(1);
    const auto& frame = result["frames"][0];
    EXPECT_EQ(frame["fch"]["ies"][3], (json{{"diuc", 0}, {"start_time", 17}}));
    ASSERT_EQ(frame["stc_zones"].size(), 1U);
    EXPECT_EQ(frame["stc_zones"][0]["start_symbol"], 17);
    EXPECT_EQ(frame["stc_zones"][0]["fch"]["hcs_ok"], true);
    EXPECT_EQ(frame["stc_zones"][0]["fch"]["ies"],
              (json{{{"rate_id", 3}, {"length", 8}}, {{"diuc", 7}, {"preamble_present", 0}, {"length", 12}}}));
    for (const int antenna : {0, 1}) EXPECT_NEAR(frame["stc_zones"][0]["rssi_dbfs"][antenna].get<double>(), -3, 0.5);
    EXPECT_EQ(frame["bursts"][3]["index"], 101);
    EXPECT_EQ(frame["bursts"][3]["stc"], true);
    EXPECT_EQ(frame["bursts"][3]["diuc"], nullptr);
    EXPECT_EQ(frame["bursts"][3]["start_symbol"], 20);
    EXPECT_EQ(frame["bursts"][4]["diuc"], 7);
    EXPECT_FALSE(frame["bursts"][0].contains("stc"));
    // Without "antenna": both over equal paths.
    impairments.snr_db = 35;
    EXPECT_TRUE(payloads_match(decoded(spec, through(signal(spec), impairments)), payloads));

    const auto fault = [](json broken, const json& patch) {
        broken.merge_patch(patch);
        const auto parsed = parse_spec(broken.dump(), "test", Purpose::generate);
        return parsed ? std::string("accepted") : parsed.error().str();
    };
    EXPECT_NE(fault(spec, {{"window_samples", 8}}).find("stc_bursts: allowed only without"), std::string::npos);
    EXPECT_NE(fault(spec, {{"antenna", 2}}).find("antenna"), std::string::npos);
    spec["stc_bursts"][1]["data_symbols"] = 11;
    EXPECT_NE(fault(spec, json::object()).find("stc_bursts[1].data_symbols: is odd"), std::string::npos)
        << fault(spec, json::object());
}

TEST(EndToEnd, DownlinkAllRates) {
    for (int rate = 0; rate < phy::kRates; ++rate) {
        const auto seed = static_cast<uint64_t>(rate) + 40;
        const json spec = downlink(rate, seed);
        const Impairments impairments = laboratory(seed);
        const json result = decoded(spec, through(signal(spec), impairments));
        ASSERT_TRUE(payloads_match(result, payloads_of(spec))) << rate << " " << result.dump();
        const auto& frame = result["frames"][0];
        EXPECT_NEAR(frame["start_sample"].get<double>(), impairments.delay_samples, 8);
        EXPECT_NEAR(frame["cfo_hz"].get<double>(), impairments.cfo_hz, 200);
        EXPECT_NEAR(frame["snr_db"].get<double>(), 35, 3);
        EXPECT_NEAR(frame["rssi_dbfs"].get<double>(), 0, 1);
        EXPECT_EQ(frame["cp"], "1/8");
        EXPECT_EQ(frame["fch"]["hcs_ok"], true);
        EXPECT_EQ(frame["fch"]["frame_number_lsb"], 13372794 & 15);
        EXPECT_EQ(frame["fch"]["change_count_lsb"], 15);
        EXPECT_EQ(frame["fch"]["ies"].size(), 3U);
        EXPECT_EQ(frame["fch"]["ies"][1], (json{{"diuc", rate + 1}, {"preamble_present", 1}, {"length", 5}}));
        EXPECT_EQ(frame["bursts"][0]["start_symbol"], 3);
        EXPECT_EQ(frame["bursts"][1]["start_symbol"], 9);
        EXPECT_EQ(frame["bursts"][2]["start_symbol"], 14);
        EXPECT_LT(frame["bursts"][0]["evm_db"].get<double>(), -28);
    }
}

TEST(EndToEnd, UplinkAllRates) {
    for (int rate = 0; rate < phy::kRates; ++rate) {
        const auto seed = static_cast<uint64_t>(rate) + 60;
        const json spec = uplink(rate, 1 + 3 * rate, seed);
        const Impairments impairments = laboratory(seed);
        const json result = decoded(spec, through(signal(spec), impairments));
        ASSERT_TRUE(payloads_match(result, payloads_of(spec))) << rate << " " << result.dump();
        EXPECT_NEAR(result["frames"][0]["start_sample"].get<double>(), impairments.delay_samples, 8);
        EXPECT_NEAR(result["frames"][0]["cfo_hz"].get<double>(), impairments.cfo_hz, 200);
    }
}

TEST(EndToEnd, UplinkRangingMidamblesAndKnownStart) {
    json spec = uplink(1, 20, 5);
    spec["midamble_interval"] = 1;
    EXPECT_TRUE(payloads_match(decoded(spec, through(signal(spec), laboratory(1))), payloads_of(spec)));
    spec["ranging"] = true;
    EXPECT_TRUE(payloads_match(decoded(spec, through(signal(spec), laboratory(2))), payloads_of(spec)));
    spec["lead_in_samples"] = 777;
    spec["start_sample"] = 777;
    EXPECT_TRUE(payloads_match(decoded(spec, signal(spec)), payloads_of(spec)));
}

TEST(EndToEnd, SubchannelizedUplinkIsFound) {
    for (const int index : {1, 6, 4, 24, 31}) {
        json spec = uplink(1, 32, 4);
        spec["subchannel_index"] = index;
        spec["payload"] = "452901";
        Impairments impairments = laboratory(5);
        impairments.snr_db = 25;
        impairments.cfo_hz = 200;  // stations are locked to the base station by then
        const json result = decoded(spec, through(signal(spec), impairments));
        ASSERT_EQ(result["frames"].size(), 1U) << index;
        EXPECT_NEAR(result["frames"][0]["start_sample"].get<double>(), impairments.delay_samples, 8) << index;
        EXPECT_EQ(result["frames"][0]["bursts"][0]["payload"].get<std::string>().substr(0, 8), "452901FF") << index;
    }
}

TEST(EndToEnd, FocusedContention) {
    json spec{{"direction", "uplink"}, {"bandwidth_hz", 5'000'000}, {"cp", "1/8"},
              {"opportunities", 3},    {"lead_in_samples", 400},    {"start_sample", 400}};
    spec["contention"] = {{{"channel", 0}, {"code", 3}},
                          {{"channel", 47}, {"code", 4}, {"boost_db", 6}},
                          {{"opportunity", 2}, {"channel", 17}, {"code", 7}}};
    const auto parsed = parse_spec(spec.dump(), "test", Purpose::generate);
    ASSERT_TRUE(parsed) << parsed.error().str();
    std::vector<Complex> samples(400);
    const auto region = modulate(*parsed, *parsed->contention).value();
    ASSERT_EQ(region.size(), 3U * 2 * 288);
    samples.insert(samples.end(), region.begin(), region.end());
    Impairments impairments;
    impairments.snr_db = 20;
    impairments.delay_samples = 9;
    const json result = decoded(spec, through(samples, impairments));
    ASSERT_EQ(result["frames"].size(), 1U);
    EXPECT_EQ(result["frames"][0]["start_sample"], 400);
    const auto& codes = result["frames"][0]["contention"];
    ASSERT_EQ(codes.size(), 3U) << codes.dump();
    const std::vector<std::array<int, 3>> sent{{0, 0, 3}, {0, 47, 4}, {2, 17, 7}};
    for (size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ((std::array<int, 3>{codes[i]["opportunity"], codes[i]["channel"], codes[i]["code"]}), sent[i]);
        EXPECT_NEAR(codes[i]["snr_db"].get<double>(), i == 1 ? 26 : 20, 2);
        EXPECT_NEAR(codes[i]["rssi_dbfs"].get<double>(), 10 * std::log10(4.0 / 200) + (i == 1 ? 6 : 0), 1);
    }
    const auto silent = decoded(spec, std::vector<Complex>(samples.size()));
    EXPECT_TRUE(silent["frames"].empty());

    const auto fault = [&spec](const json& patch, Purpose purpose) {
        json broken = spec;
        broken.merge_patch(patch);
        const auto refused = parse_spec(broken.dump(), "test", purpose);
        return refused ? std::string("accepted") : refused.error().str();
    };
    const auto has = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
    EXPECT_PRED2(has, fault({{"start_sample", nullptr}}, Purpose::decode), "start_sample: needed");
    EXPECT_PRED2(has, fault({{"cp", nullptr}}, Purpose::decode), "cp: needed");
    EXPECT_PRED2(has, fault({{"opportunities", 9}}, Purpose::decode), "opportunities");
    EXPECT_PRED2(has, fault({{"opportunities", 2}}, Purpose::generate), "contention[2].opportunity");
    EXPECT_PRED2(has, fault({{"window_samples", 4}}, Purpose::generate), "contention: allowed only without");
    EXPECT_PRED2(has, fault({{"contention", {{{"channel", 48}, {"code", 0}}}}}, Purpose::generate),
                 "contention[0].channel");
}

TEST(EndToEnd, CyclicPrefixIsFound) {
    for (const char* cp : {"1/4", "1/8", "1/16", "1/32"}) {
        json down = downlink(2, 3), up = uplink(2, 6, 3);
        for (json* spec : {&down, &up}) {
            (*spec)["cp"] = cp;
            const auto samples = through(signal(*spec), laboratory(8));
            json unknown = *spec;
            unknown.erase("cp");
            const json result = decoded(unknown, samples);
            ASSERT_TRUE(payloads_match(result, payloads_of(*spec))) << cp << " " << (*spec)["direction"];
            EXPECT_EQ(result["frames"][0]["cp"], cp);
        }
    }
}

TEST(EndToEnd, FadingAt20Db) {
    int good = 0, all = 0;
    for (int rate = 0; rate <= 3; ++rate) {
        for (uint64_t seed = 1; seed <= 10; ++seed) {
            for (const json& spec : {downlink(rate, seed), uplink(rate, 6, seed)}) {
                Impairments impairments = laboratory(seed);
                impairments.snr_db = 20;
                impairments.profile = *channel::named_profile("sui2");
                good += payloads_match(decoded(spec, through(signal(spec), impairments)), payloads_of(spec)) ? 1 : 0;
                ++all;
            }
        }
    }
    EXPECT_GE(good * 100, all * 95) << good << " of " << all;
}

TEST(EndToEnd, BurstsBeyondTheFourthFromTheSpec) {
    json spec = downlink(1, 9);
    for (int i = 0; i < 3; ++i) spec["bursts"].push_back(spec["bursts"][static_cast<size_t>(i + 1) % 3]);
    spec["bursts"][5]["diuc"] = 3;
    spec["bursts"][5]["preamble"] = 0;
    const json result = decoded(spec, signal(spec));
    ASSERT_TRUE(payloads_match(result, payloads_of(spec))) << result.dump();
    EXPECT_EQ(result["frames"][0]["fch"]["ies"].size(), 4U);
    EXPECT_EQ(result["frames"][0]["bursts"][5]["index"], 6);
}

TEST(EndToEnd, BurstsBeyondTheFourthFromTheMap) {
    json spec = downlink(1, 9);
    spec["bursts"][0]["data_symbols"] = 8;
    mac::DlMap map;
    int start = 3 + 8;
    for (int i = 1; i < 6; ++i) {
        json burst = spec["bursts"][1];
        burst["payload"] =
            random_hex(static_cast<size_t>(phy::burst_capacity_bytes(i % 4, 4)), static_cast<uint64_t>(i));
        burst["rate_id"] = i % 4;
        burst["diuc"] = i % 4 + 1;
        spec["bursts"][static_cast<size_t>(i)] = burst;
        mac::DlMapIe ie;
        ie.cid = 0xFFFF;
        ie.diuc = static_cast<uint8_t>(i % 4 + 1);
        ie.preamble = true;
        ie.start_symbols = static_cast<uint16_t>(start);
        map.ies.push_back(ie);
        start += 5;
    }
    mac::DlMapIe end;
    end.diuc = mac::diuc::kEndOfMap;
    end.start_symbols = static_cast<uint16_t>(start);
    map.ies.push_back(end);
    mac::Buffer broadcast;
    mac::PduWriter writer(broadcast, 191);
    ASSERT_TRUE(writer.message(0xFFFF, map));
    broadcast.resize(191, 0xFF);
    spec["bursts"][0]["payload"] = to_hex({broadcast.begin(), broadcast.end()});
    json blind{{"direction", "downlink"}, {"bandwidth_hz", 5'000'000}};
    const json result = decoded(blind, signal(spec));
    ASSERT_TRUE(payloads_match(result, payloads_of(spec))) << result.dump();
    EXPECT_EQ(result["frames"][0]["bursts"][5]["diuc"], 2);
}

// Frame prefix without the zone: only the DL-MAP announces it and its fifth burst, which no prefix can announce.
TEST(EndToEnd, StcZoneFromTheMap) {
    json spec = downlink(1, 9);
    spec["bursts"] = {spec["bursts"][0]};
    spec["bursts"][0]["data_symbols"] = 8;
    spec["stc_bursts"] = json::array();
    std::vector<std::string> payloads;
    mac::DlMap map;
    const auto element = [&map](int diuc, int start) {
        mac::DlMapIe ie;
        ie.cid = 0xFFFF;
        ie.diuc = static_cast<uint8_t>(diuc);
        ie.start_symbols = static_cast<uint16_t>(start);
        map.ies.push_back(ie);
    };
    constexpr int kZone = 3 + 8;
    element(mac::diuc::kStcZone, kZone);
    for (int i = 0; i < 5; ++i) {
        payloads.push_back(random_hex(static_cast<size_t>(phy::burst_capacity_bytes(i, 4)), static_cast<uint64_t>(i)));
        element(i + 1, kZone + 3 + 4 * i);
        if (i < 4)
            spec["stc_bursts"].push_back(
                {{"rate_id", i}, {"diuc", i + 1}, {"data_symbols", 4}, {"payload", payloads.back()}});
    }
    element(mac::diuc::kEndOfMap, kZone + 3 + 4 * 5);
    mac::Buffer broadcast;
    mac::PduWriter writer(broadcast, 191);
    ASSERT_TRUE(writer.message(0xFFFF, map));
    broadcast.resize(191, 0xFF);
    const phy::FramePrefix bare{0, 0, 0, {{{1, false, 8}}}, 1};
    const auto found = announced_by_map(bare, Spec().diuc_rates, broadcast);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->zones, std::vector<int>{kZone});
    ASSERT_EQ(found->bursts.size(), 1U);
    EXPECT_EQ(found->bursts[0].index, 105);
    EXPECT_EQ(found->bursts[0].start_symbol, kZone + 3 + 16);
    EXPECT_EQ(found->bursts[0].format.rate_id, 4);
    EXPECT_EQ(found->bursts[0].format.data_symbols, 4);
    EXPECT_TRUE(found->bursts[0].format.stc);

    // If the frame's prefix announces the zone as well, each burst is decoded once.
    spec["bursts"][0]["payload"] = to_hex({broadcast.begin(), broadcast.end()});
    payloads.insert(payloads.begin(), spec["bursts"][0]["payload"]);
    payloads.resize(5);
    json result = decoded(json{{"direction", "downlink"}, {"bandwidth_hz", 5'000'000}}, signal(spec));
    auto& bursts = result["frames"][0]["bursts"];
    ASSERT_EQ(bursts.size(), 6U) << result.dump();
    EXPECT_EQ(bursts[5]["index"], 105);  // nothing was sent there
    bursts.erase(5);
    EXPECT_TRUE(payloads_match(result, payloads)) << result.dump();
}

TEST(EndToEnd, SeveralFrames) {
    json spec = downlink(4, 1);
    spec["frame_duration_s"] = 0.0025;
    spec["lead_in_samples"] = 321;
    spec["frames"] = json::array();
    for (int i = 0; i < 6; ++i) {
        spec["frames"].push_back(
            {{"frame_number", 14 + i}, {"bursts", downlink(4, static_cast<uint64_t>(i))["bursts"]}});
    }
    spec.erase("bursts");
    spec.erase("frame_number");
    const json result = decoded(spec, signal(spec));
    ASSERT_EQ(result["frames"].size(), 6U);
    for (int i = 0; i < 6; ++i) {
        const auto& frame = result["frames"][static_cast<size_t>(i)];
        EXPECT_EQ(frame["fch"]["frame_number_lsb"], (14 + i) % 16);
        EXPECT_NEAR(frame["start_sample"].get<double>(), 321 + i * 14'400, 4);
        ASSERT_EQ(frame["bursts"].size(), 3U);
        for (size_t b = 0; b < 3; ++b) {
            EXPECT_EQ(frame["bursts"][b]["payload"], spec["frames"][static_cast<size_t>(i)]["bursts"][b]["payload"]);
        }
    }
}

TEST(EndToEnd, EveryFrameHasAClockOffset) {
    json spec = downlink(1, 1);
    spec["frame_duration_s"] = 0.0025;
    spec["frames"] = json::array();
    for (int i = 0; i < 3; ++i) spec["frames"].push_back({{"frame_number", i}, {"bursts", spec["bursts"]}});
    spec.erase("bursts");
    spec.erase("frame_number");
    Impairments impairments;
    impairments.sfo_ppm = 100;
    const json result = decoded(spec, through(signal(spec), impairments));
    ASSERT_EQ(result["frames"].size(), 3U);
    for (const auto& frame : result["frames"]) EXPECT_NEAR(frame["sfo_ppm"].get<double>(), 100, 15);
}

TEST(EndToEnd, NothingThere) {
    json spec{{"direction", "downlink"}, {"bandwidth_hz", 5'000'000}};
    const json empty{{"frames", json::array()}};
    EXPECT_EQ(decoded(spec, {}), empty);
    EXPECT_EQ(decoded(spec, std::vector<Complex>(50'000)), empty);
    EXPECT_EQ(decoded(uplink(0, 2, 1), {}), empty);
    EXPECT_EQ(decoded(uplink(0, 2, 1), std::vector<Complex>(50'000)), empty);
    Impairments noise;
    noise.snr_db = 0;
    const auto samples = through(std::vector<Complex>(300'000), noise);
    EXPECT_EQ(decoded(spec, samples), empty);
    EXPECT_EQ(decoded(uplink(0, 2, 1), samples), empty);
}

// Octets of any kind as samples: no crash, every number finite (dump() would give null).
TEST(EndToEnd, RandomOctets) {
    std::vector<Complex> samples(60'000);
    for (uint64_t seed = 0; seed < 4; ++seed) {
        for (size_t i = 0; i < samples.size(); ++i) {
            const uint64_t bits = mix64(seed << 40 | i);
            const auto value = [](uint32_t word) {
                float v = 0;
                std::memcpy(&v, &word, sizeof v);
                return std::isfinite(v) ? std::clamp(v, -kMaxMagnitude, kMaxMagnitude) : 0.0F;
            };
            samples[i] = {value(static_cast<uint32_t>(bits)), value(static_cast<uint32_t>(bits >> 32))};
        }
        const json down = decoded(json{{"direction", "downlink"}, {"bandwidth_hz", 5'000'000}}, samples);
        EXPECT_TRUE(down.contains("frames"));
        json up = uplink(6, 8, 1);
        up.erase("cp");
        EXPECT_TRUE(decoded(up, samples).contains("frames"));
    }
}

/// What is asked for outside of the window is not there.
TEST(SampleWindow, ShowsThePartThatIsThere) {
    std::vector<std::vector<Complex>> parts{{1, 2, 3}, {4, 5}, {6}, {}};
    size_t next = 0;
    const SampleFeed feed = [&] { return std::span<const Complex>(parts[next++]); };
    SampleWindow window(feed);
    window.fill(4);
    EXPECT_EQ(window.end(), 5);
    window.pass(2);
    const auto seen = [&](int64_t from, int64_t to) {
        const auto view = window.view(from, to);
        return std::vector<Complex>(view.begin(), view.end());
    };
    EXPECT_EQ(seen(0, 4), (std::vector<Complex>{3, 4}));
    EXPECT_EQ(seen(3, 9), (std::vector<Complex>{4, 5}));
    EXPECT_EQ(seen(4, 3), std::vector<Complex>());
    EXPECT_EQ(seen(7, 9), std::vector<Complex>());
    window.fill(100);
    EXPECT_TRUE(window.ended());
    window.pass(100);
    EXPECT_EQ(window.begin(), 6);
}

}  // namespace
}  // namespace wimax::iq
