// SPDX-License-Identifier: GPL-3.0-or-later
// The transmitter with a radio whose clock the test sets: lateness, levels and carrier offset sample by sample, places
// on the time axis, announcements of the frame prefix, refused frames. 5 MHz, CP 1/8.
#include "blocks/test_block_doubles.h"
#include "blocks/transmitter_core.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace gr::wimax {
namespace {

constexpr double kRate = 5.76e6;
constexpr int64_t kSymbol = 288;
constexpr uint32_t kSlots = 72;  // a symbol

struct Out : TransmitterOutput {
    struct Piece {
        phy::FrameNumber frame_number;
        int64_t start;
        std::vector<phy::Complex> samples;
        size_t second_from;
        std::vector<phy::Complex> second;
    };
    std::vector<Piece> pieces;
    std::vector<ErrorReport> errors;
    void samples(phy::FrameNumber frame, int64_t start, const TransmitPiece& piece) override {
        pieces.push_back({frame,
                          start,
                          {piece.first.begin(), piece.first.end()},
                          piece.second_from,
                          {piece.second.begin(), piece.second.end()}});
    }
    void error(const ErrorReport& e) override { errors.push_back(e); }
};

TransmitBurst burst(uint32_t symbol, int rate, int symbols, int iuc = 0, phy::Preamble preamble = phy::Preamble::none) {
    TransmitBurst b;
    b.start_slot = phy::Slot::of_symbol(symbol, kSlots);
    b.format.rate_id = static_cast<uint8_t>(rate);
    b.format.iuc = static_cast<uint8_t>(iuc);
    b.format.data_symbols = symbols;
    b.format.preamble = preamble;
    b.format.bsid_lsb = 5;
    b.format.frame_lsb = 7;
    return b;
}

TransmitFrame downlink(std::vector<TransmitBurst> bursts, int64_t start = 1'000'000) {
    TransmitFrame f;
    f.frame_number = phy::FrameNumber(0x1237);
    f.frame_start_sample = start;
    f.bsid_lsb = 5;
    f.change_count_lsb = 9;
    f.bursts = std::move(bursts);
    return f;
}

TransmitFrame uplink(std::vector<TransmitBurst> bursts, int64_t start = 1'000'000) {
    auto f = downlink(std::move(bursts), start);
    f.direction = phy::Direction::uplink;
    return f;
}

class Transmitter : public testing::Test {
protected:
    void make(bool with_radio = true, const phy::TransmitShape& shape = {}) {
        core = std::make_unique<TransmitterCore>(out, 5'000'000, with_radio ? radio : nullptr, shape);
    }
    void SetUp() override { make(); }
    Out out;
    std::shared_ptr<test::RadioDouble> radio = std::make_shared<test::RadioDouble>();
    std::unique_ptr<TransmitterCore> core;
};

TEST_F(Transmitter, AFrameIsLateBehindItsDeadlineAndSaysByHowMuch) {
    auto f = downlink({burst(3, 1, 4)});
    f.deadline_sample = 900'000;
    radio->clock = 900'000;
    core->transmit(f);
    EXPECT_EQ(radio->pieces.size(), 1u);
    struct Case {
        int64_t samples, us;
    };
    uint64_t late = 0;
    for (const Case c : {Case{1, 1}, Case{11, 1}, Case{576, 100}, Case{14'400, 2500}}) {
        out.errors.clear();
        radio->clock = 900'000 + c.samples;
        core->transmit(f);
        ASSERT_EQ(out.errors.size(), 1u);
        EXPECT_EQ(out.errors[0].kind, ErrorKind::late);
        EXPECT_EQ(out.errors[0].frame_number, 0x1237u);
        EXPECT_EQ(out.errors[0].microseconds, c.us);
        EXPECT_EQ(core->counters().late, ++late);
    }
    EXPECT_EQ(radio->pieces.size(), 1u);
    EXPECT_EQ(core->counters().frames, 5u);
    // Time that waits has no deadline, nor has a frame that names none.
    radio->locked = true;
    core->transmit(f);
    radio->locked = false;
    f.deadline_sample = kNoDeadline;
    core->transmit(f);
    EXPECT_EQ(radio->pieces.size(), 3u);
}

TEST_F(Transmitter, WhatTheRadioRefusesIsLateOrTooMuch) {
    radio->clock = 1'000'000 + 5760;
    core->transmit(downlink({burst(3, 1, 4)}));
    ASSERT_EQ(out.errors.size(), 1u);
    EXPECT_EQ(out.errors[0].kind, ErrorKind::late);
    EXPECT_EQ(out.errors[0].microseconds, 1000);
    radio->clock = 0;
    radio->full = true;
    core->transmit(downlink({burst(3, 1, 4)}));
    ASSERT_EQ(out.errors.size(), 2u);
    EXPECT_EQ(out.errors[1].kind, ErrorKind::invalid);
    EXPECT_EQ(core->counters().late, 1u);
    EXPECT_EQ(core->counters().invalid, 1u);
}

TEST_F(Transmitter, PowerIsExactAndNeverAboveFullScale) {
    auto f = uplink({burst(0, 6, 20, 7, phy::Preamble::short_)});
    core->transmit(f);
    for (const float db : {-6.0F, -40.25F, 0.5F, 12.0F}) {
        f.power_dbfs = db;
        core->transmit(f);
        const double amplitude = std::pow(10, std::min(db, 0.0F) / 20.0);
        const auto &plain = radio->pieces[0].samples, &scaled = radio->pieces.back().samples;
        ASSERT_EQ(plain.size(), scaled.size());
        for (size_t i = 0; i < plain.size(); ++i)
            ASSERT_NEAR(std::abs(std::complex<double>(scaled[i]) - amplitude * std::complex<double>(plain[i])), 0,
                        2e-6 * amplitude)
                << db << " dBFS, sample " << i;
    }
}

/// The same power on four of sixteen subchannels: 6 dB more on each carrier, unless another burst has them all.
TEST_F(Transmitter, FewSubchannelsMayBeStronger) {
    auto narrow = burst(0, 6, 20, 7, phy::Preamble::short_);
    narrow.format.subchannel_index = 12;
    for (const bool alone : {true, false}) {
        auto f = uplink({narrow});
        if (!alone) f.bursts.push_back(burst(40, 6, 2, 3, phy::Preamble::short_));
        core->transmit(f);
        const auto plain = radio->pieces[radio->pieces.size() - f.bursts.size()].samples;
        f.power_dbfs = 12;
        core->transmit(f);
        const auto& scaled = radio->pieces[radio->pieces.size() - f.bursts.size()].samples;
        const double amplitude = alone ? 2 : 1;
        ASSERT_EQ(plain.size(), scaled.size());
        for (size_t i = 0; i < plain.size(); ++i)
            ASSERT_NEAR(std::abs(std::complex<double>(scaled[i]) - amplitude * std::complex<double>(plain[i])), 0,
                        1e-5);
    }
}

/// The product of the radio's gain for a piece and its samples is one power for all pieces of a frame. The strongest
/// piece of the frame decides by how much all may exceed full scale.
TEST_F(Transmitter, LevelsAreThoseOfAllThatAFrameHolds) {
    struct Case {
        std::vector<int> subchannels;  ///< of bursts: indices of groups
        bool code;
        double most_db;  ///< above a data symbol on all subchannels
    };
    for (const auto& c : {Case{{16}, false, 0}, Case{{24}, false, 3.0103}, Case{{12}, false, 6.0206},
                          Case{{6}, false, 9.0309}, Case{{1}, false, 12.0412}, Case{{12, 1}, false, 6.0206},
                          Case{{1, 12}, false, 6.0206}, Case{{1, 16}, false, 0}, Case{{}, true, 0}, Case{{1}, true, 0},
                          Case{{12, 1}, true, 0}, Case{{16}, true, 0}}) {
        auto f = uplink({});
        for (size_t i = 0; i < c.subchannels.size(); ++i) {
            f.bursts.push_back(burst(static_cast<uint32_t>(40 * i), 1, 18, 7, phy::Preamble::short_));
            f.bursts.back().format.subchannel_index = static_cast<uint8_t>(c.subchannels[i]);
        }
        if (c.code) f.codes.push_back({phy::Slot::of_symbol(200, kSlots), {5, 2}, 0});
        SCOPED_TRACE(testing::Message() << c.subchannels.size() << " bursts, first on "
                                        << (c.subchannels.empty() ? 0 : c.subchannels[0]) << ", code " << c.code);
        radio->pieces.clear();
        core->transmit(f);
        const auto plain = radio->pieces;
        ASSERT_EQ(plain.size(), c.subchannels.size() + (c.code ? 1 : 0));
        for (const double db : {-20.0, -3.0, 0.0, 2.0, 5.0, 20.0}) {
            radio->pieces.clear();
            f.power_dbfs = static_cast<float>(db);
            core->transmit(f);
            ASSERT_EQ(radio->pieces.size(), plain.size());
            const double amplitude = std::pow(10, std::min(db, c.most_db) / 20);
            for (size_t p = 0; p < plain.size(); ++p) {
                EXPECT_NEAR(radio->pieces[p].level_dbfs, std::min(0.0, db - c.most_db), 1e-3) << db;
                for (size_t i = 0; i < plain[p].samples.size(); i += 7)
                    ASSERT_NEAR(std::abs(radio->pieces[p].samples[i]), amplitude * std::abs(plain[p].samples[i]), 1e-4)
                        << db << " dB, piece " << p;
            }
        }
    }
}

/// Radios append zeros to a piece if nothing follows: the silence up to the next piece of the frame, burst or code.
/// After the last piece the silence is unknown.
TEST_F(Transmitter, TheSilenceBehindAPieceEndsWithTheNext) {
    for (const int window : {0, 8}) {
        make(true, {window, std::nullopt});
        auto f = uplink({burst(4, 2, 3, 5, phy::Preamble::short_), burst(8, 6, 2, 9, phy::Preamble::short_),
                         burst(20, 1, 2, 6, phy::Preamble::short_), burst(41, 1, 2, 6, phy::Preamble::short_)});
        for (const uint32_t symbol : {60, 30, 33, 0})
            f.codes.push_back({phy::Slot::of_symbol(symbol, kSlots), {5, 2}, 6});
        radio->pieces.clear();
        core->transmit(f);
        ASSERT_EQ(radio->pieces.size(), 7u);
        for (size_t i = 0; i < radio->pieces.size(); ++i) {
            const auto& piece = radio->pieces[i];
            if (i + 1 == radio->pieces.size()) {
                EXPECT_FALSE(piece.silence_samples);
                continue;
            }
            ASSERT_TRUE(piece.silence_samples) << i;
            const auto end = piece.start + static_cast<int64_t>(piece.samples.size());
            EXPECT_EQ(*piece.silence_samples, radio->pieces[i + 1].start - end) << i;
            EXPECT_GE(*piece.silence_samples, -window) << i;
        }
    }
}

/// The samples of a frame do not depend on earlier frames: the workspace has no state.
TEST_F(Transmitter, AFrameDoesNotDependOnTheFramesBefore) {
    std::vector<TransmitFrame> frames{
        downlink({burst(3, 1, 4), burst(7, 5, 30, 6)}),
        downlink({burst(3, 2, 2)}),
        downlink({burst(3, 2, 4), burst(20, 6, 2, 7)}),
        uplink({burst(0, 1, 2, 5, phy::Preamble::short_), burst(3, 6, 9, 5, phy::Preamble::short_),
                burst(40, 6, 9, 5, phy::Preamble::long_)}),
        uplink({burst(9, 4, 3, 5, phy::Preamble::short_)}),
        uplink({})};
    frames[2].frequency_hz = 500;
    frames[3].power_dbfs = -7;
    frames[4].bursts[0].format.subchannel_index = 12;
    for (const uint32_t symbol : {9, 2}) frames[5].codes.push_back({phy::Slot::of_symbol(symbol, kSlots), {5, 2}, 6});
    for (const phy::TransmitShape& shape : {phy::TransmitShape{}, phy::TransmitShape{8, 5.0}}) {
        for (const auto& second : frames) {
            make(true, shape);
            radio->pieces.clear();
            core->transmit(second);
            const auto fresh = radio->pieces;
            ASSERT_FALSE(fresh.empty());
            for (const auto& first : frames) {
                core->transmit(first);
                radio->pieces.clear();
                core->transmit(second);
                ASSERT_EQ(radio->pieces.size(), fresh.size());
                for (size_t i = 0; i < fresh.size(); ++i) {
                    EXPECT_EQ(radio->pieces[i].start, fresh[i].start);
                    EXPECT_EQ(radio->pieces[i].samples, fresh[i].samples);
                    EXPECT_EQ(radio->pieces[i].level_dbfs, fresh[i].level_dbfs);
                }
            }
        }
    }
    EXPECT_TRUE(out.errors.empty());
}

/// Each frame counts once, under what became of it.
TEST_F(Transmitter, CountersAreThoseOfTheFrames) {
    auto deadline = downlink({burst(3, 1, 4)});
    deadline.deadline_sample = 900'000;
    radio->clock = 0;
    for (int i = 0; i < 5; ++i) core->transmit(downlink({burst(3, 1, 4)}));
    for (int i = 0; i < 3; ++i) core->transmit(downlink({}));
    core->transmit(downlink({burst(3, 1, 4), burst(5, 1, 4, 2)}));
    core->transmit(uplink({burst(0, 1, 0, 5), burst(9, 1, 0, 5)}));  // two faults
    core->refuse({"x", {}, "missing"});
    radio->clock = 900'001;
    for (int i = 0; i < 4; ++i) core->transmit(deadline);
    const auto c = core->counters();
    EXPECT_EQ(c.frames, 14u);
    EXPECT_EQ(c.empty, 3u);
    EXPECT_EQ(c.invalid, 4u);
    EXPECT_EQ(c.late, 4u);
    EXPECT_EQ(out.errors.size(), c.late + c.invalid);
    EXPECT_EQ(radio->pieces.size(), 5u);
}

TEST_F(Transmitter, CarrierOffsetTurnsEverySampleByItsTime) {
    auto f = downlink({burst(3, 3, 180)});
    core->transmit(f);
    for (const float hz : {700.0F, -12'345.0F}) {
        f.frequency_hz = hz;
        f.power_dbfs = -3;
        core->transmit(f);
        const auto &plain = radio->pieces[0].samples, &turned = radio->pieces.back().samples;
        const double amplitude = std::pow(10, -3 / 20.0);
        for (size_t i = 0; i < plain.size(); ++i) {
            const auto turn = std::polar(amplitude, 2 * std::numbers::pi * hz / kRate * static_cast<double>(i));
            ASSERT_NEAR(std::abs(std::complex<double>(turned[i]) - std::complex<double>(plain[i]) * turn), 0, 5e-6)
                << hz << " Hz, sample " << i;
        }
    }
}

TEST_F(Transmitter, EveryPieceLeavesAtItsSample) {
    auto f = uplink({burst(4, 2, 3, 5, phy::Preamble::short_), burst(8, 6, 2, 9, phy::Preamble::short_),
                     burst(20, 1, 2, 6, phy::Preamble::short_)});
    f.timing_advance_samples = 37;
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 2u);  // the first two follow each other
    EXPECT_EQ(radio->pieces[0].start, 1'000'000 + 4 * kSymbol - 37);
    EXPECT_EQ(radio->pieces[0].samples.size(), static_cast<size_t>(7 * kSymbol));
    EXPECT_EQ(radio->pieces[1].start, 1'000'000 + 20 * kSymbol - 37);
    EXPECT_EQ(radio->pieces[1].samples.size(), static_cast<size_t>(3 * kSymbol));
    f = downlink({burst(3, 1, 4)});
    core->transmit(f);
    EXPECT_EQ(radio->pieces[2].start, 1'000'000);
    EXPECT_EQ(radio->pieces[2].samples.size(), static_cast<size_t>(7 * kSymbol));
}

TEST_F(Transmitter, PayloadsGoToTheirBursts) {
    auto f = uplink({burst(0, 1, 2, 5, phy::Preamble::short_), burst(30, 3, 2, 9, phy::Preamble::short_)});
    f.bursts[0].payload = {1, 2, 3};
    f.bursts[1].payload = {4, 5, 6, 7};
    core->transmit(f);
    auto alone = uplink({f.bursts[1]});
    core->transmit(alone);
    ASSERT_EQ(radio->pieces.size(), 3u);
    EXPECT_EQ(radio->pieces[1].samples, radio->pieces[2].samples);
    // An invalid burst is refused alone; the others keep their octets.
    f.bursts[0].format.data_symbols = 0;
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 4u);
    EXPECT_EQ(radio->pieces[3].samples, radio->pieces[2].samples);
    EXPECT_EQ(core->counters().invalid, 1u);
}

/// The frame prefix as a receiver has it.
phy::FramePrefix announced(const std::vector<phy::Complex>& frame) {
    struct Listener : phy::DownlinkListener {
        std::vector<phy::FrameSync> frames;
        phy::SampleFlow on_frame(const phy::FrameSync& s) override {
            frames.push_back(s);
            return phy::SampleFlow::go_on;
        }
        phy::SampleFlow on_burst(const phy::FrameSync&, phy::ReceivedBurst&) override { return phy::SampleFlow::go_on; }
        void on_sync_lost(int64_t) override {}
    } listener;
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = 5'000'000;
    phy::DownlinkReceiver receiver(config);
    std::vector<phy::Complex> air(2000);
    air.insert(air.end(), frame.begin(), frame.end());
    air.resize(air.size() + 3000);
    receiver.process(air, 0, listener);
    EXPECT_EQ(listener.frames.size(), 1u);
    if (listener.frames.empty() || !listener.frames[0].fch_ok) return {};
    return listener.frames[0].prefix;
}

TEST_F(Transmitter, ThePrefixAnnouncesTheFirstFourThatFollowEachOther) {
    core->transmit(downlink({burst(3, 2, 4), burst(7, 5, 3, 6, phy::Preamble::short_), burst(11, 0, 2, 11),
                             burst(13, 6, 5, 7), burst(18, 1, 2, 3)}));
    const auto prefix = announced(radio->pieces.at(0).samples);
    EXPECT_EQ(prefix.bsid_lsb, 5);
    EXPECT_EQ(prefix.frame_lsb, 7);
    EXPECT_EQ(prefix.change_count_lsb, 9);
    ASSERT_EQ(prefix.entry_count, 4);
    const std::array<std::array<int, 3>, 4> expected{{{2, 0, 4}, {6, 1, 4}, {11, 0, 2}, {7, 0, 5}}};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(prefix.entries[i].rate_id_or_diuc, expected[i][0]);
        EXPECT_EQ(prefix.entries[i].preamble_present, expected[i][1] == 1);
        EXPECT_EQ(prefix.entries[i].length, expected[i][2]);
    }
    core->transmit(downlink({burst(3, 2, 4), burst(8, 5, 3, 6), burst(11, 0, 2, 11)}));
    EXPECT_EQ(announced(radio->pieces.at(1).samples).entry_count, 1);
}

TEST_F(Transmitter, AnStcZoneOfTwoAntennas) {
    make(false);
    auto f = downlink({burst(3, 2, 4), burst(10, 1, 4, 2), burst(14, 3, 2, 4)});
    f.bursts[1].format.stc = f.bursts[2].format.stc = true;
    core->transmit(f);
    ASSERT_TRUE(out.errors.empty()) << out.errors[0].detail;
    ASSERT_EQ(out.pieces.size(), 1u);
    const int64_t zone = (10 - phy::kStcFirstBurstSymbol) * kSymbol;
    EXPECT_EQ(out.pieces[0].start, 1'000'000);
    EXPECT_EQ(out.pieces[0].frame_number, 0x1237u);
    EXPECT_EQ(out.pieces[0].samples.size(), static_cast<size_t>(16 * kSymbol));
    EXPECT_EQ(out.pieces[0].second_from, static_cast<size_t>(zone));
    EXPECT_EQ(out.pieces[0].second.size(), static_cast<size_t>(16 * kSymbol - zone));
    const auto prefix = announced(out.pieces[0].samples);
    ASSERT_EQ(prefix.entry_count, 2);
    EXPECT_EQ(prefix.entries[1].rate_id_or_diuc, 0);
    EXPECT_EQ(prefix.entries[1].length, 10 - phy::kStcFirstBurstSymbol);
    // A radio with two antennas gets the same as one piece, with one power and one offset for both.
    make(true);
    radio->tx_antennas = 2;
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 1u);
    EXPECT_EQ(radio->pieces[0].start, 1'000'000);
    EXPECT_EQ(radio->pieces[0].samples, out.pieces[0].samples);
    EXPECT_EQ(radio->pieces[0].second_from, static_cast<size_t>(zone));
    EXPECT_EQ(radio->pieces[0].second, out.pieces[0].second);
    f.power_dbfs = -6;
    core->transmit(f);
    const double amplitude = std::pow(10, -6 / 20.0);
    for (size_t i = 0; i < out.pieces[0].second.size(); i += 7)
        ASSERT_NEAR(std::abs(std::complex<double>(radio->pieces[1].second[i]) -
                             amplitude * std::complex<double>(out.pieces[0].second[i])),
                    0, 1e-6);
    f.power_dbfs = 0;
    // Combinations that exclude an STC zone.
    radio->tx_antennas = 1;
    core->transmit(f);
    EXPECT_EQ(radio->pieces.size(), 2u);
    make(false, {8, std::nullopt});
    core->transmit(f);
    make(false);
    f.bursts[1].start_slot = f.bursts[2].start_slot =
        phy::Slot::of_symbol(6 + phy::kStcFirstBurstSymbol, kSlots);  // over burst 1
    core->transmit(f);
    EXPECT_EQ(out.errors.size(), 3u);
    EXPECT_EQ(out.pieces.size(), 1u);
}

TEST_F(Transmitter, CodesLeaveAtTheirOpportunity) {
    auto f = uplink({});
    f.timing_advance_samples = -5;
    f.codes.push_back({phy::Slot::of_symbol(10, kSlots), {5, 2}, 6});
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 1u);
    EXPECT_EQ(radio->pieces[0].start, 1'000'000 + 10 * kSymbol + 5);
    EXPECT_EQ(radio->pieces[0].samples.size(), static_cast<size_t>(2 * kSymbol));
    f.codes[0].boost_db = 31;
    core->transmit(f);
    EXPECT_EQ(core->counters().invalid, 1u);
    f.codes[0].boost_db = 30;
    core->transmit(f);
    EXPECT_EQ(core->counters().invalid, 1u);
    f.direction = phy::Direction::downlink;
    core->transmit(f);
    EXPECT_EQ(core->counters().invalid, 2u);
    EXPECT_EQ(radio->pieces.size(), 2u);
}

/// In the order of time, and a burst that waits for the next one is not overwritten by a code in front of it.
TEST_F(Transmitter, CodesLeaveBetweenBursts) {
    auto f = uplink({burst(10, 1, 2, 5, phy::Preamble::short_), burst(30, 1, 2, 5, phy::Preamble::short_)});
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 2u);
    const auto first = radio->pieces[0].samples, second = radio->pieces[1].samples;
    radio->pieces.clear();
    for (const uint32_t symbol : {40, 20, 5}) f.codes.push_back({phy::Slot::of_symbol(symbol, kSlots), {5, 2}, 6});
    core->transmit(f);
    ASSERT_EQ(radio->pieces.size(), 5u);
    const std::array<int64_t, 5> symbols{5, 10, 20, 30, 40};
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(radio->pieces[i].start, 1'000'000 + symbols[i] * kSymbol) << i;
    EXPECT_EQ(radio->pieces[1].samples, first);
    EXPECT_EQ(radio->pieces[3].samples, second);
    EXPECT_EQ(radio->pieces[0].samples, radio->pieces[4].samples);
}

TEST_F(Transmitter, WhatCannotBeSentIsRefusedByName) {
    const auto refused = [&](const TransmitFrame& f, const std::string& why) {
        out.errors.clear();
        core->transmit(f);
        ASSERT_EQ(out.errors.size(), 1u) << why;
        EXPECT_EQ(out.errors[0].kind, ErrorKind::invalid);
        EXPECT_EQ(out.errors[0].frame_number, 0x1237u);
        EXPECT_NE(out.errors[0].detail.find(why), std::string::npos) << out.errors[0].detail;
    };
    auto f = downlink({burst(3, 1, 4)});
    f.bursts[0].start_slot = f.bursts[0].start_slot + 1;
    refused(f, "symbol boundary");
    refused(downlink({burst(2048 - 4, 1, 4)}), "2047");
    refused(downlink({burst(3, 1, 4), burst(6, 1, 4, 2)}), "overlap");
    f = downlink({burst(3, 0, 1)});
    f.bursts[0].payload.resize(13);
    refused(f, "exceeds");
    f.direction = phy::Direction::uplink;
    refused(f, "exceeds");
    EXPECT_TRUE(radio->pieces.empty());
    EXPECT_EQ(core->counters().invalid, 5u);
    out.errors.clear();
    core->transmit(downlink({burst(2047 - 4, 1, 4)}));
    EXPECT_TRUE(out.errors.empty());
}

TEST_F(Transmitter, EmptyFramesAndRubbishAreCounted) {
    core->transmit(downlink({}));
    core->refuse({"x", {}, "missing"});
    const auto c = core->counters();
    EXPECT_EQ(c.frames, 1u);
    EXPECT_EQ(c.empty, 1u);
    EXPECT_EQ(c.invalid, 1u);
    ASSERT_EQ(out.errors.size(), 1u);
    EXPECT_EQ(out.errors[0].detail, "tx: x: missing");
}

}  // namespace
}  // namespace gr::wimax
