// SPDX-License-Identifier: GPL-3.0-or-later
// Signals received before transmission: levels of noise, and another cell by its frames.
#include "phyd/listening.h"

#include "mac/pdu/pdu.h"

#include <gnuradio/wimax/phy/frame/frame_composer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace wimax::phyd {
namespace test_listening {

namespace phy = gr::wimax::phy;
using Samples = std::vector<std::complex<float>>;

constexpr int64_t kBandwidth = 5'000'000, kRate = 5'760'000;
constexpr size_t kFrame = 57'600;
constexpr uint64_t kBsid = 0x20E9FA000012;

Samples noise(size_t n, float dbfs) {
    Samples x(n);
    std::mt19937 random(7);
    std::normal_distribution<float> part(0, std::pow(10.0F, dbfs / 20) * std::sqrt(0.5F));
    for (auto& s : x) s = {part(random), part(random)};
    return x;
}

/// A frame whose broadcast burst begins with a DL-MAP, added to `x`. `spoilt`: octet of it that is changed before
/// coding: an RS-CC code takes some noise for a code word.
void add_frame(std::span<std::complex<float>> x, float amplitude, mac::MessageType type = mac::MessageType::dl_map,
               std::optional<size_t> spoilt = {}, bool with_crc = true) {
    std::vector<uint8_t> message{static_cast<uint8_t>(type), 5}, map;
    for (int shift = 40; shift >= 0; shift -= 8) message.push_back(static_cast<uint8_t>(kBsid >> shift));
    mac::PduWriter writer(map, 100);
    writer.begin(0xFFFF, with_crc);
    writer.payload(message);
    writer.finish();
    if (spoilt) map.at(*spoilt) ^= 0x10;
    phy::BurstFormat format;
    format.rate_id = 1;
    format.data_symbols = 2;
    map.resize(static_cast<size_t>(phy::burst_capacity_bytes(format.rate_id, format.data_symbols)), 0xFF);
    phy::FrameComposer frame;
    frame.begin({kBsid & 0xF, 3, 1});
    frame.append(format, map);
    phy::Modulator modulator(*phy::Numerology::make(kBandwidth, phy::CyclicPrefix::g1_8), 100);
    Samples made(20'000);
    const auto samples = phy::modulate(frame, modulator, nullptr, made, {});
    ASSERT_TRUE(samples);
    for (size_t i = 0; i < samples->antenna_0; ++i) x[i] += amplitude * made[i];
}

Heard heard_of(Listening& listening, const Samples& x) {
    for (std::span rest(x); !rest.empty();) {
        const size_t n = std::min<size_t>(rest.size(), 4001);
        listening.take(rest.first(n));
        rest = rest.subspan(n);
    }
    const auto heard = listening.heard();
    EXPECT_TRUE(heard);
    return heard.value_or(Heard{});
}

TEST(Listening, NoiseIsNoiseAndNoCell) {
    Listening listening(kBandwidth, kRate);
    auto x = noise(kRate * 6 / 10, -60);
    for (size_t i = 0; i < 512; ++i) x[100'000 + i] *= 10;
    listening.take(std::span(x).first(x.size() - 1));
    EXPECT_FALSE(listening.heard());
    listening.take(std::span(x).last(1));
    const auto heard = listening.heard();
    ASSERT_TRUE(heard);
    EXPECT_NEAR(heard->mean_dbfs, -59.94, 0.05);
    EXPECT_NEAR(heard->highest_dbfs, -40, 1);
    EXPECT_FALSE(heard->cell);
    EXPECT_EQ(words_of(*heard, -40).substr(0, 9), "-99.9 dBm");
    EXPECT_TRUE(words_of(*heard, -40).ends_with("no other cell"));
}

TEST(Listening, AnotherCellIsToldByItsBsid) {
    Listening listening(kBandwidth, kRate);
    auto x = noise(kRate * 6 / 10, -60);
    for (size_t at = 1234; at + kFrame < x.size(); at += kFrame) add_frame(std::span(x).subspan(at), 0.05F);
    const auto heard = heard_of(listening, x);
    ASSERT_TRUE(heard.cell);
    EXPECT_TRUE(heard.cell->whole);
    EXPECT_EQ(heard.cell->bsid, kBsid);
    EXPECT_NEAR(heard.cell->rssi_dbfs, -26, 0.5);
    EXPECT_NE(words_of(heard, -40).find("ANOTHER CELL: BSID 20E9FA000012, -66."), std::string::npos)
        << words_of(heard, -40);
    listening.restart();
    EXPECT_FALSE(listening.heard());
    EXPECT_FALSE(heard_of(listening, noise(kRate * 6 / 10, -70)).cell);
}

TEST(Listening, WithoutADlMapThereIsTheFramePrefix) {
    Listening listening(kBandwidth, kRate);
    auto x = noise(kRate * 6 / 10, -60);
    for (size_t at = 1234; at + kFrame < x.size(); at += kFrame)
        add_frame(std::span(x).subspan(at), 0.05F, mac::MessageType::ucd);
    const auto heard = heard_of(listening, x);
    ASSERT_TRUE(heard.cell);
    EXPECT_FALSE(heard.cell->whole);
    EXPECT_EQ(heard.cell->bsid, kBsid & 0xF);
    EXPECT_NE(words_of(heard, 0).find("BSID ...2,"), std::string::npos);
}

/// Only the prefix, which has a separate check, gives four bits of the BSID.
TEST(Listening, ADlMapThatIsDamagedOrUncheckedTellsNoBsid) {
    struct Case {
        std::optional<size_t> spoilt;
        bool with_crc;
    };
    for (const Case c : {Case{4, true}, Case{9, true}, Case{15, true}, Case{{}, false}}) {
        SCOPED_TRACE(c.spoilt.value_or(99));
        Listening listening(kBandwidth, kRate);
        auto x = noise(kRate * 6 / 10, -60);
        for (size_t at = 1234; at + kFrame < x.size(); at += kFrame)
            add_frame(std::span(x).subspan(at), 0.05F, mac::MessageType::dl_map, c.spoilt, c.with_crc);
        const auto heard = heard_of(listening, x);
        ASSERT_TRUE(heard.cell);
        EXPECT_FALSE(heard.cell->whole);
        EXPECT_EQ(heard.cell->bsid, kBsid & 0xF);
    }
}

/// Signals from before a restart, whole or in part, do not affect the result after it.
TEST(Listening, ARestartedOneIsAFreshOne) {
    const auto quiet = noise(kRate * 6 / 10, -70);
    Listening fresh(kBandwidth, kRate);
    const auto expected = heard_of(fresh, quiet);
    for (const size_t samples : {size_t{100}, size_t{123'457}, size_t(kRate) * 6 / 10}) {
        Listening listening(kBandwidth, kRate);
        auto loud = noise(samples, -10);
        if (samples > 100) add_frame(loud, 0.5F);
        listening.take(loud);
        listening.restart();
        EXPECT_FALSE(listening.heard());
        const auto heard = heard_of(listening, quiet);
        EXPECT_EQ(heard.mean_dbfs, expected.mean_dbfs) << samples;
        EXPECT_EQ(heard.highest_dbfs, expected.highest_dbfs) << samples;
        EXPECT_FALSE(heard.cell) << samples;
    }
}

}  // namespace test_listening
}  // namespace wimax::phyd
