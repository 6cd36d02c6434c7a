// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts are received while their samples arrive: when each symbol is used, how a burst requested late is received, and
// that results do not depend on the pieces of the stream.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_reception {

constexpr size_t kSymbol = 288;

/// Data symbols of bursts (not of frame prefixes) in the order of their use.
struct Watch : SymbolObserver {
    std::vector<int> symbols;
    void on_symbol(const SymbolObservation& seen) override {
        if (seen.burst_index > 0) symbols.push_back(seen.symbol);
    }
};

void expect_same(const ReceivedBurst& a, const ReceivedBurst& b) {
    EXPECT_EQ(a.detected, b.detected);
    EXPECT_EQ(a.payload, b.payload);
    EXPECT_EQ(a.fec_ok, b.fec_ok);
    EXPECT_EQ(a.start_sample, b.start_sample);
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.measured.rssi_dbfs, b.measured.rssi_dbfs);
    EXPECT_EQ(a.measured.cinr_db, b.measured.cinr_db);
    EXPECT_EQ(a.measured.evm_db, b.measured.evm_db);
    EXPECT_EQ(a.measured.timing_offset_samples, b.measured.timing_offset_samples);
    EXPECT_EQ(a.measured.frequency_offset_hz, b.measured.frequency_offset_hz);
}

/// A frame that begins at sample 50: burst #1 of four symbols, then one of 10 and one of 40.
class Downlink : public testing::Test {
protected:
    static constexpr int kFirst = kFirstBurstSymbol + 4, kSecond = kFirst + 10, kEnd = kSecond + 40;
    static constexpr size_t kDelay = 50;

    Downlink() {
        Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
        Channel channel;
        channel.snr_db = 28;
        channel.delay_samples = kDelay;
        channel.frequency_hz = 700;
        samples = pass(plan.modulate(modulator), channel, 5.76e6, (kEnd + 6) * kSymbol, 5);
    }
    /// Requests the burst of 10 symbols (index 5) or of 40 (index 6).
    DownlinkReceiver::Expected burst_of(int symbols) const {
        const auto diuc = static_cast<uint8_t>(symbols == 10 ? 5 : 7);
        BurstFormat format{static_cast<uint8_t>(symbols == 10 ? 4 : 6), diuc, 5, 0, Preamble::none, symbols};
        return {format, symbols == 10 ? kFirst : kSecond, symbols == 10 ? 5 : 6};
    }
    /// A receiver that decodes burst #1 only, and its reports.
    struct Station {
        Station() : receiver(config()) { receiver.set_observer(&watch); }
        static DownlinkReceiverConfig config() {
            DownlinkReceiverConfig c;
            c.decode_prefix_bursts = false;
            return c;
        }
        void expect(const DownlinkReceiver::Expected& burst) { receiver.expect({&burst, 1}); }
        DownlinkReceiver receiver;
        Recorder recorder;
        Watch watch;
        size_t position = 0;
    };
    /// Samples up to the end of symbol `symbol`, and 16 more that a receiver may wait for.
    void feed_symbol(Station& s, int symbol) const { feed(s, kDelay + static_cast<size_t>(symbol + 1) * kSymbol + 16); }
    void feed(Station& s, size_t end) const {
        s.position += s.receiver.process(std::span(samples).subspan(s.position, end - s.position),
                                         static_cast<int64_t>(s.position), s.recorder);
        ASSERT_EQ(s.position, end);
    }

    FramePlan plan{{{1, 4, false, 1}, {4, 10, false, 5}, {6, 40, false, 7}}, 0, 4};
    Samples samples;
};

TEST_F(Downlink, LooksAtEachSymbolWhenItHasCome) {
    Station s;
    feed_symbol(s, kFirst - 1);
    ASSERT_EQ(s.recorder.bursts.size(), 1U);
    s.expect(burst_of(10));
    s.expect(burst_of(40));
    for (int symbol = kFirst; symbol < kEnd; ++symbol) {
        feed_symbol(s, symbol);
        ASSERT_EQ(s.watch.symbols.size(), static_cast<size_t>(symbol + 1 - kFirstBurstSymbol));
        EXPECT_EQ(s.watch.symbols.back(), symbol);
        EXPECT_EQ(s.recorder.bursts.size(), symbol + 1 < kSecond ? 1U : symbol + 1 < kEnd ? 2U : 3U);
    }
    EXPECT_EQ(s.recorder.bursts[1].burst.payload, plan.payloads()[1]);
    EXPECT_EQ(s.recorder.bursts[2].burst.payload, plan.payloads()[2]);
}

TEST_F(Downlink, ABurstAskedForInItsMiddleCatchesUpByFourSymbolsInTheTimeOfOne) {
    Station in_time, late;
    feed_symbol(in_time, kFirst - 1);
    in_time.expect(burst_of(40));
    feed(in_time, samples.size());
    feed_symbol(late, kSecond + 19);
    ASSERT_EQ(late.watch.symbols.size(), 4U);
    late.expect(burst_of(40));
    // Four at once, and four more with each new symbol, until all twenty missed ones are received.
    for (size_t passed = 0; passed < 20; ++passed) {
        feed_symbol(late, kSecond + 20 + static_cast<int>(passed));
        EXPECT_EQ(late.watch.symbols.size(), 4 + (passed < 4 ? 8 + 4 * passed : 21 + passed));
    }
    EXPECT_EQ(late.watch.symbols.size(), 44U);
    ASSERT_EQ(late.recorder.bursts.size(), 2U);
    EXPECT_EQ(late.recorder.bursts[1].burst.payload, plan.payloads()[2]);
    expect_same(late.recorder.bursts[1].burst, in_time.recorder.bursts[1].burst);
}

TEST_F(Downlink, EachBurstAskedForLateCatchesUpFromItsOwnBeginning) {
    // For any part of a group of four that the previous call received.
    for (const int missed : {1, 2, 3}) {
        Station s;
        feed_symbol(s, kFirst + missed - 1);
        s.expect(burst_of(10));
        feed_symbol(s, kSecond + 19);
        ASSERT_EQ(s.watch.symbols.size(), 14U) << missed;
        s.expect(burst_of(40));
        for (size_t passed = 0; passed < 4; ++passed) {
            feed_symbol(s, kSecond + 20 + static_cast<int>(passed));
            EXPECT_EQ(s.watch.symbols.size(), 14 + 8 + 4 * passed) << missed << ' ' << passed;
        }
    }
}

TEST_F(Downlink, AfterAResetSymbolsAreLookedAtWhenTheyHaveCome) {
    // Abandoned during a pause in receiving older symbols, at a sample that the second use reaches later.
    for (const bool by_gap : {false, true}) {
        Station s;
        feed_symbol(s, kSecond + 25);
        s.expect(burst_of(40));
        s.receiver.process({}, static_cast<int64_t>(s.position), s.recorder);
        if (by_gap) s.receiver.process({}, 0, s.recorder);
        else s.receiver.reset();
        s.position = 0;
        s.watch.symbols.clear();
        for (int symbol = 0; symbol < kFirst; ++symbol) {
            feed_symbol(s, symbol);
            EXPECT_EQ(s.watch.symbols.size(), static_cast<size_t>(std::max(0, symbol + 1 - kFirstBurstSymbol)))
                << by_gap << ' ' << symbol;
        }
        ASSERT_EQ(s.recorder.bursts.size(), 2U);
        EXPECT_EQ(s.recorder.bursts[1].burst.payload, plan.payloads()[0]);
    }
}

TEST_F(Downlink, WhatIsOverIsReceivedAtOnce) {
    Station s;
    feed(s, samples.size());
    s.expect(burst_of(40));
    s.receiver.process({}, static_cast<int64_t>(samples.size()), s.recorder);
    ASSERT_EQ(s.recorder.bursts.size(), 2U);
    EXPECT_EQ(s.recorder.bursts[1].burst.payload, plan.payloads()[2]);
}

TEST_F(Downlink, ABurstThatIsOverEarlierGoesFirstAlthoughAnotherHasBegun) {
    Station in_time, late;
    feed_symbol(in_time, kFirst - 1);
    in_time.expect(burst_of(10));
    in_time.expect(burst_of(40));
    feed(in_time, samples.size());
    feed_symbol(late, kFirst - 1);
    late.expect(burst_of(40));
    feed_symbol(late, kSecond + 15);
    EXPECT_EQ(late.watch.symbols.size(), 4U + 16U);
    late.expect(burst_of(10));
    feed(late, samples.size());
    ASSERT_EQ(in_time.recorder.bursts.size(), 3U);
    ASSERT_EQ(late.recorder.bursts.size(), 3U);
    for (size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(late.recorder.bursts[i].burst.payload, plan.payloads()[i]);
        expect_same(late.recorder.bursts[i].burst, in_time.recorder.bursts[i].burst);
    }
}

TEST_F(Downlink, PiecesOfAnySizeGiveTheSame) {
    Station whole;
    whole.recorder.burst_hook = [&](const FrameSync&, const ReceivedBurst& b) {
        if (b.index == 1)
            for (const int symbols : {10, 40}) whole.expect(burst_of(symbols));
        return SampleFlow::go_on;
    };
    feed(whole, samples.size());
    ASSERT_EQ(whole.recorder.bursts.size(), 3U);
    for (const size_t piece : {1, 100, 288, 5000}) {
        Station s;
        s.recorder.burst_hook = [&](const FrameSync&, const ReceivedBurst& b) {
            if (b.index == 1)
                for (const int symbols : {10, 40}) s.expect(burst_of(symbols));
            return SampleFlow::go_on;
        };
        while (s.position < samples.size()) feed(s, std::min(samples.size(), s.position + piece));
        ASSERT_EQ(s.recorder.bursts.size(), 3U) << piece;
        for (size_t i = 0; i < 3; ++i) expect_same(s.recorder.bursts[i].burst, whole.recorder.bursts[i].burst);
    }
}

// --- uplink ----------------------------------------------------------------------------------------------------------

struct UplinkCase {
    BurstFormat format;
    int search_samples = 0;
    bool sent = true;
};

class Uplink : public testing::TestWithParam<UplinkCase> {
protected:
    static constexpr int64_t kStart = 500;
    Numerology num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    UplinkReceiver receiver{num};
    UplinkAllocation allocation{GetParam().format, kStart, GetParam().search_samples, 7};
    int64_t first = receiver.first_sample(allocation), end = receiver.end_sample(allocation);
    Samples samples;

    void SetUp() override {
        const auto& format = allocation.format;
        Samples sent(static_cast<size_t>(format.total_symbols()) * kSymbol);
        const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 3);
        Modulator modulator(num);
        ASSERT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        if (!GetParam().sent) sent.assign(sent.size(), {});
        Channel channel;
        channel.snr_db = 27;
        channel.delay_samples = kStart + 5.4 + 0.7 * allocation.search_samples;
        channel.frequency_hz = 200;
        const auto received = pass(sent, channel, 5.76e6, static_cast<size_t>(end), 8);
        samples.assign(received.begin() + first, received.end());
    }
};

TEST_P(Uplink, TheSameInPiecesAsAtOnce) {
    ReceivedBurst whole;
    receiver.receive(samples, first, allocation, whole);
    EXPECT_EQ(whole.fec_ok, GetParam().sent);
    for (const size_t piece : {kSymbol, size_t{97}, size_t{5000}}) {
        receiver.start(allocation);
        for (size_t count = piece; count < samples.size(); count += piece)
            receiver.advance(std::span(samples).first(count), first);
        ReceivedBurst result;
        receiver.finish(samples, first, result);
        expect_same(result, whole);
    }
}

TEST_P(Uplink, LooksAtEachSymbolWhenItHasCome) {
    const bool searched = allocation.search_samples > 0;
    const auto& format = allocation.format;
    const int preamble = preamble_symbols(format.preamble);
    const bool group = format.subchannel_index != kFullSubchannel;
    // Symbols needed before anything is known of the burst's start.
    const int needed = searched || !GetParam().sent ? 1000 : group ? 10 : format.preamble == Preamble::long_ ? 5 : 2;
    Watch watch;
    receiver.set_observer(&watch);
    receiver.start(allocation);
    for (int symbol = 0; symbol < format.total_symbols() - 1; ++symbol) {
        // The whole symbol except the guard interval, and a few samples of the next.
        const int64_t there = kStart + static_cast<int64_t>(symbol + 1) * static_cast<int64_t>(kSymbol) + 6;
        receiver.advance(std::span(samples).first(static_cast<size_t>(there - first)), first);
        const bool located = there >= kStart + needed * static_cast<int64_t>(kSymbol) + receiver.guard_samples();
        int data = 0;
        for (int i = preamble; i <= symbol; ++i) data += format.midamble_interval == 0 || (i - preamble) % 9 != 8;
        EXPECT_EQ(watch.symbols.size(), located ? static_cast<size_t>(data) : 0U) << symbol;
    }
    ReceivedBurst result;
    receiver.finish(samples, first, result);
    EXPECT_EQ(watch.symbols.size(), GetParam().sent ? static_cast<size_t>(format.data_symbols) : 0U);
    EXPECT_EQ(result.fec_ok, GetParam().sent);
}

TEST_P(Uplink, AnotherStartForgetsWhatHasBegun) {
    ReceivedBurst whole, result;
    receiver.receive(samples, first, allocation, whole);
    receiver.start({{4, 7, 1, 9, Preamble::short_, 30}, kStart, 0, 1});
    receiver.advance(std::span(samples).first(samples.size() / 2), first);
    receiver.start(allocation);
    receiver.finish(samples, first, result);
    expect_same(result, whole);
}

const UplinkCase kUplinkCases[] = {
    {{6, 7, 1, 9, Preamble::short_, 30}},
    {{4, 7, 1, 9, Preamble::short_, 30, 1}},
    {{1, 7, 1, 9, Preamble::long_, 12}},
    {{1, 7, 1, 9, Preamble::long_, 4}, 900},
    {{3, 7, 1, 9, Preamble::short_, 6}, 900},
    {{3, 7, 1, 9, Preamble::short_, 30, 0, 24}},
    {{2, 7, 1, 9, Preamble::short_, 20, 1, 6}, 700},
    {{4, 7, 1, 9, Preamble::short_, 20}, 0, false},
};
INSTANTIATE_TEST_SUITE_P(Bursts, Uplink, testing::ValuesIn(kUplinkCases));

}  // namespace test_reception
}  // namespace gr::wimax::phy::test
