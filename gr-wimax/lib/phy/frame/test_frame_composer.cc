// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of a downlink frame: positions of bursts, their descriptions in frame prefixes, samples of both antennas.
#include <gnuradio/wimax/phy/frame/frame_composer.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace gr::wimax::phy {
namespace test_frame_composer {

constexpr int kSymbol = 288;  // CP 1/8

BurstFormat format(int rate, int iuc, int symbols, bool stc = false, Preamble preamble = Preamble::none) {
    BurstFormat f;
    f.rate_id = static_cast<uint8_t>(rate);
    f.iuc = static_cast<uint8_t>(iuc);
    f.data_symbols = symbols;
    f.stc = stc;
    f.preamble = preamble;
    return f;
}

FrameComposer begun() {
    FrameComposer frame;
    frame.begin({5, 9, 3});
    return frame;
}

void expect_entry(const FramePrefixEntry& entry, int code, bool preamble, int length) {
    EXPECT_EQ(entry.rate_id_or_diuc, code);
    EXPECT_EQ(entry.preamble_present, preamble);
    EXPECT_EQ(entry.length, length);
}

TEST(FrameComposer, AnEmptyFrameIsItsHeader) {
    const auto frame = begun();
    EXPECT_EQ(frame.end_symbol(), 3);
    EXPECT_FALSE(frame.has_zone());
    const auto prefix = frame.prefix();
    EXPECT_EQ(prefix.bsid_lsb, 5);
    EXPECT_EQ(prefix.frame_lsb, 9);
    EXPECT_EQ(prefix.change_count_lsb, 3);
    EXPECT_EQ(prefix.entry_count, 0);
}

TEST(FrameComposer, BurstsInARowAreAnnouncedUpToTheFourth) {
    auto frame = begun();
    frame.append(format(1, 7, 6), {});
    frame.append(format(2, 8, 5, false, Preamble::short_), {});
    frame.append(format(3, 9, 1), {});
    frame.append(format(4, 10, 2), {});
    frame.append(format(5, 11, 4), {});
    const auto bursts = frame.bursts();
    ASSERT_EQ(bursts.size(), 5U);
    const std::array starts{3, 9, 15, 16, 18};
    for (size_t i = 0; i < starts.size(); ++i) {
        EXPECT_EQ(bursts[i].start_symbol, starts[i]);
        EXPECT_EQ(bursts[i].first, i == 0);
    }
    EXPECT_EQ(frame.end_symbol(), 22);
    const auto prefix = frame.prefix();
    ASSERT_EQ(prefix.entry_count, 4);
    expect_entry(prefix.entries[0], 1, false, 6);  // its rate
    expect_entry(prefix.entries[1], 8, true, 6);   // DIUC; the length counts the preamble
    expect_entry(prefix.entries[2], 9, false, 1);
    expect_entry(prefix.entries[3], 10, false, 2);
}

TEST(FrameComposer, NothingBehindAGapIsAnnounced) {
    auto frame = begun();
    frame.add(format(1, 0, 4), 3, {});
    frame.add(format(2, 8, 5), 7, {});
    frame.add(format(3, 9, 1), 13, {});
    frame.append(format(4, 10, 2), {});
    EXPECT_EQ(frame.bursts()[3].start_symbol, 14);
    EXPECT_EQ(frame.prefix().entry_count, 2);
}

TEST(FrameComposer, AZoneFollowsWithAPrefixOfItsOwn) {
    auto frame = begun();
    frame.append(format(1, 0, 4), {});
    frame.append(format(2, 8, 5), {});
    frame.append(format(3, 9, 4, true), {});
    frame.append(format(4, 10, 6, true), {});
    EXPECT_EQ(frame.bursts().size(), 2U);
    ASSERT_TRUE(frame.has_zone());
    EXPECT_EQ(frame.zone_start(), 12);
    const auto zone = frame.zone_bursts();
    ASSERT_EQ(zone.size(), 2U);
    EXPECT_EQ(zone[0].start_symbol, 15);  // after preamble and FCH-STC
    EXPECT_EQ(zone[1].start_symbol, 19);
    EXPECT_TRUE(zone[0].first);
    EXPECT_FALSE(zone[1].first);
    EXPECT_EQ(frame.end_symbol(), 25);
    const auto prefix = frame.prefix();
    ASSERT_EQ(prefix.entry_count, 3);
    expect_entry(prefix.entries[2], 0, false, 12);
    const auto own = frame.zone_prefix();
    ASSERT_EQ(own.entry_count, 2);
    expect_entry(own.entries[0], 3, false, 4);
    expect_entry(own.entries[1], 10, false, 6);
    EXPECT_EQ(own.bsid_lsb, 5);
    EXPECT_EQ(own.frame_lsb, 9);
    EXPECT_EQ(own.change_count_lsb, 3);
}

TEST(FrameComposer, AZoneNeedsAnEntryThatIsLeftAndNeverTheFirst) {
    auto full = begun();
    for (int i = 0; i < 4; ++i) full.append(format(1, 2, 1), {});
    full.append(format(1, 2, 2, true), {});
    EXPECT_EQ(full.prefix().entry_count, 4);
    EXPECT_EQ(full.prefix().entries[3].rate_id_or_diuc, 2);
    auto alone = begun();
    alone.append(format(1, 0, 2, true), {});
    EXPECT_EQ(alone.prefix().entry_count, 0);
    EXPECT_EQ(alone.zone_start(), 3);
    EXPECT_TRUE(alone.zone_bursts()[0].first);
}

TEST(FrameComposer, BeginsAnewWithoutTheFrameBefore) {
    auto frame = begun();
    frame.append(format(1, 0, 4), {});
    frame.append(format(3, 9, 4, true), {});
    frame.begin({1, 2, 4});
    EXPECT_TRUE(frame.bursts().empty());
    EXPECT_FALSE(frame.has_zone());
    EXPECT_EQ(frame.end_symbol(), 3);
    EXPECT_EQ(frame.prefix().frame_lsb, 2);
    frame.append(format(2, 0, 1), {});
    EXPECT_EQ(frame.bursts()[0].start_symbol, 3);
    EXPECT_TRUE(frame.bursts()[0].first);
}

class ComposedSamples : public testing::Test {
protected:
    auto make(const FrameComposer& frame, bool with_stc = true) {
        return modulate(frame, plain, with_stc ? &stc : nullptr, out, second);
    }
    const Numerology numerology = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator plain{numerology};
    StcModulator stc{numerology};
    std::vector<Complex> out = std::vector<Complex>(40 * kSymbol, {9, 9}), second = out;
};

TEST_F(ComposedSamples, WithoutAZoneAreTheModulators) {
    auto frame = begun();
    frame.append(format(1, 0, 4), {});
    const auto made = make(frame, false);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->antenna_0, 7U * kSymbol);
    EXPECT_EQ(made->antenna_1, 0U);
    std::vector<Complex> direct(7 * kSymbol);
    ASSERT_EQ(Modulator(numerology).downlink(frame.prefix(), frame.bursts(), direct), direct.size());
    EXPECT_TRUE(std::equal(direct.begin(), direct.end(), out.begin()));
}

TEST_F(ComposedSamples, OfAZoneGoToBothAntennas) {
    auto frame = begun();
    frame.append(format(1, 0, 4), {});
    frame.add(format(3, 9, 4, true), 12, {});  // its zone begins at symbol 9, two after the burst
    const auto made = make(frame);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->antenna_0, 16U * kSymbol);
    EXPECT_EQ(made->zone_from, 9U * kSymbol);
    EXPECT_EQ(made->antenna_1, 7U * kSymbol);
    std::vector<Complex> zone_0(7 * kSymbol), zone_1(7 * kSymbol);
    ASSERT_EQ(StcModulator(numerology).zone({9, frame.zone_prefix(), frame.zone_bursts()}, zone_0, zone_1),
              zone_0.size());
    EXPECT_TRUE(std::equal(zone_0.begin(), zone_0.end(), out.begin() + 9 * kSymbol));
    EXPECT_TRUE(std::equal(zone_1.begin(), zone_1.end(), second.begin()));
    EXPECT_TRUE(std::all_of(out.begin() + 7 * kSymbol, out.begin() + 9 * kSymbol,
                            [](const Complex& x) { return x == Complex{}; }));
}

TEST_F(ComposedSamples, FaultsSayWhatIsWrong) {
    const auto fault_of = [&](const FrameComposer& frame) { return make(frame).error(); };
    auto overlap = begun();
    overlap.add(format(1, 0, 4), 3, {});
    overlap.add(format(1, 2, 4), 6, {});
    EXPECT_EQ(fault_of(overlap), (FrameFault{false, ModulatorFault::order}));
    auto early = begun();
    early.add(format(1, 0, 4), 3, {});
    early.add(format(1, 2, 4, true), 9, {});  // its zone begins at 6
    EXPECT_EQ(fault_of(early), (FrameFault{true, ModulatorFault::order}));
    auto negative = begun();
    negative.add(format(1, 2, 4, true), 3, {});
    EXPECT_EQ(fault_of(negative), (FrameFault{true, ModulatorFault::order}));
    auto odd = begun();
    odd.append(format(1, 0, 4), {});
    odd.append(format(1, 2, 3, true), {});
    EXPECT_EQ(fault_of(odd), (FrameFault{true, ModulatorFault::format}));
    auto beyond = begun();  // the output's end
    beyond.append(format(1, 0, 4), {});
    beyond.add(format(1, 2, 4, true), 44, {});
    EXPECT_EQ(fault_of(beyond), (FrameFault{true, ModulatorFault::room}));
    auto right = begun();
    right.append(format(1, 0, 4), {});
    right.append(format(1, 2, 4, true), {});
    EXPECT_TRUE(make(right).has_value());
    EXPECT_FALSE(make(right, false).has_value());
}

}  // namespace test_frame_composer
}  // namespace gr::wimax::phy
