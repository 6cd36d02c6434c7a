// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts from carriers that were transformed elsewhere: the same bits, points and measurements as from the samples.
#include "phy/carriers/symbol_reader.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_carrier_receiver {

/// The decoder's points, and the transform of the samples.
struct Watch : SymbolObserver {
    std::vector<Complex> points;
    CarrierTransform transform;
    void on_symbol(const SymbolObservation& seen) override {
        points.insert(points.end(), seen.points.begin(), seen.points.end());
        transform.first_window = seen.response_window;
        transform.cycles_per_sample = seen.cycles_per_sample;
    }
};

/// A transform outside the receiver: the same arithmetic.
class Transformer {
public:
    Transformer(const Samples& samples, const CarrierTransform& by)
        : view_{samples.data(), 0, static_cast<int64_t>(samples.size())}, by_(by) {}
    CarrierReceiver::Symbol operator()(int64_t window) {
        reader_.read(view_, window, by_.cycles_per_sample, by_.first_window, carriers_);
        return CarrierReceiver::Symbol(carriers_.data(), CarrierReceiver::kCarriers);
    }

private:
    SampleView view_;
    CarrierTransform by_;
    SymbolReader reader_;
    Carriers carriers_;
};

void expect_same(const ReceivedBurst& a, const ReceivedBurst& b) {
    EXPECT_EQ(a.payload, b.payload);
    EXPECT_EQ(a.fec_ok, b.fec_ok);
    EXPECT_EQ(a.failed_blocks, b.failed_blocks);
    EXPECT_EQ(a.corrected_bytes, b.corrected_bytes);
    EXPECT_EQ(a.measured.rssi_dbfs, b.measured.rssi_dbfs);
    EXPECT_EQ(a.measured.cinr_db, b.measured.cinr_db);
    EXPECT_EQ(a.measured.evm_db, b.measured.evm_db);
    EXPECT_EQ(a.measured.frequency_offset_hz, b.measured.frequency_offset_hz);
}

struct UplinkBurstOnAir {
    Numerology num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    BurstFormat format;
    std::vector<uint8_t> payload;
    Samples samples;

    explicit UplinkBurstOnAir(const BurstFormat& f, double snr_db = 24) : format(f) {
        payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 3);
        Samples sent(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        Modulator modulator(num);
        EXPECT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        Channel channel;
        channel.snr_db = snr_db;
        channel.delay_samples = 405.3;
        channel.frequency_hz = 420;
        channel.clock_ppm = 14;  // two samples in 500 symbols
        channel.paths = {{0, 1}, {7.4, {0.2F, -0.3F}}};
        samples = pass(sent, channel, 5.76e6, sent.size() + 1000, 8);
    }
    ReceivedBurst from_samples(Watch& watch) const {
        UplinkReceiver receiver(num);
        receiver.set_observer(&watch);
        ReceivedBurst result;
        receiver.receive(samples, 0, {format, 400, 0, 7}, result);
        return result;
    }
    bool begin(CarrierReceiver& receiver, const CarrierTransform& by, Transformer& transformer) const {
        const auto first = transformer(by.first_window);
        if (format.preamble == Preamble::short_) return receiver.begin(by, first);
        std::array<Complex, CarrierReceiver::kCarriers> kept;
        std::copy(first.begin(), first.end(), kept.begin());
        return receiver.begin(by, kept, transformer(by.first_window + num.symbol_samples()));
    }
};

TEST(CarrierReceiver, AnUplinkBurstIsTheSameAsFromSamples) {
    for (const auto& format :
         {BurstFormat{6, 7, 1, 9, Preamble::short_, 250}, BurstFormat{4, 7, 1, 9, Preamble::short_, 60, 1},
          BurstFormat{3, 7, 1, 9, Preamble::long_, 30}}) {
        const UplinkBurstOnAir burst(format);
        Watch of_samples, of_carriers;
        const auto expected = burst.from_samples(of_samples);
        ASSERT_TRUE(expected.fec_ok);
        EXPECT_EQ(expected.payload, burst.payload);

        CarrierReceiver receiver(burst.num, Direction::uplink);
        receiver.set_observer(&of_carriers);
        Transformer transformer(burst.samples, of_samples.transform);
        ASSERT_TRUE(burst.begin(receiver, of_samples.transform, transformer));
        const int begin = preamble_symbols(format.preamble);
        ASSERT_TRUE(receiver.start(format, begin, burst_randomizer(format), 7));
        int64_t moved = 0;
        for (int symbol = begin; receiver.wants_symbol(); ++symbol) {
            EXPECT_EQ(receiver.next_symbol(), symbol);
            const int64_t window = receiver.next_window();
            moved = window - of_samples.transform.first_window - symbol * burst.num.symbol_samples();
            receiver.take(window, transformer(window));
        }
        ReceivedBurst result;
        receiver.finish(result);
        expect_same(result, expected);
        EXPECT_EQ(of_carriers.points, of_samples.points);
        EXPECT_EQ(moved, format.data_symbols == 250 ? 1 : 0);
    }
}

TEST(CarrierReceiver, ADownlinkFrameIsTheSameAsFromSamples) {
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    const FramePlan plan{{{1, 4, false, 1}, {4, 10, true, 5}, {6, 90, false, 7}}, 3, 4};
    Modulator modulator(num);
    Channel channel;
    channel.snr_db = 25;
    channel.delay_samples = 300.7;
    channel.frequency_hz = -9'000;
    const auto samples = pass(plan.modulate(modulator), channel, 5.76e6, 115 * 288, 5);
    Watch of_samples, of_carriers;
    Recorder recorder;
    DownlinkReceiver whole({});
    whole.set_observer(&of_samples);
    whole.process(samples, 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 3U);

    const auto by = of_samples.transform;
    Transformer transformer(samples, by);
    CarrierReceiver receiver(num, Direction::downlink);
    receiver.set_observer(&of_carriers);
    std::array<Complex, CarrierReceiver::kCarriers> first;
    std::ranges::copy(transformer(by.first_window), first.begin());
    ASSERT_TRUE(receiver.begin(by, first, transformer(by.first_window + 288)));
    EXPECT_EQ(receiver.window_shift(), 0);
    EXPECT_NEAR(static_cast<double>(by.first_window) - 32 + static_cast<double>(receiver.first_path()), 300.7, 0.1);
    const auto receive = [&](const BurstFormat& format, int symbol, Randomizer randomizer, int index) {
        ReceivedBurst result;
        EXPECT_TRUE(receiver.start(format, symbol, randomizer, index));
        while (receiver.wants_symbol()) {
            const int64_t window = receiver.next_window();
            receiver.take(window, transformer(window));
        }
        receiver.finish(result);
        return result;
    };
    const auto prefix = parse_frame_prefix(receive(fch_format(), 2, Randomizer::frame_start(), 0).payload);
    ASSERT_TRUE(prefix.has_value());
    EXPECT_EQ(prefix->frame_lsb, 3);
    for (const auto& [sync, expected] : recorder.bursts)
        expect_same(receive(expected.format, expected.start_symbol,
                            burst_randomizer(expected.format, expected.index == 1), expected.index),
                    expected);
    EXPECT_EQ(of_carriers.points, of_samples.points);
}

TEST(CarrierReceiver, WindowsNeedNotFollow) {
    const UplinkBurstOnAir burst({4, 7, 1, 9, Preamble::short_, 120});
    // Nominal position only, in the middle of the prefix, frequency not corrected.
    const CarrierTransform by{400 + 16, 0};
    Transformer transformer(burst.samples, by);
    CarrierReceiver receiver(burst.num, Direction::uplink);
    ASSERT_TRUE(burst.begin(receiver, by, transformer));
    ASSERT_TRUE(receiver.start(burst.format, 1, burst_randomizer(burst.format), 0));
    for (int symbol = 1; receiver.wants_symbol(); ++symbol)
        receiver.take(by.first_window + symbol * 288, transformer(by.first_window + symbol * 288));
    ReceivedBurst result;
    receiver.finish(result);
    EXPECT_TRUE(result.fec_ok);
    EXPECT_EQ(result.payload, burst.payload);
    EXPECT_NEAR(result.measured.frequency_offset_hz, 420, 60);
}

TEST(CarrierReceiver, ALostSymbolCostsItsBlock) {
    const UplinkBurstOnAir burst({4, 7, 1, 9, Preamble::short_, 20}, 35);
    const CarrierTransform by{400 + 16, 0};
    Transformer transformer(burst.samples, by);
    CarrierReceiver receiver(burst.num, Direction::uplink);
    ASSERT_TRUE(burst.begin(receiver, by, transformer));
    ASSERT_TRUE(receiver.start(burst.format, 1, burst_randomizer(burst.format), 0));
    const std::array<Complex, CarrierReceiver::kCarriers> nothing{};
    for (int symbol = 1; receiver.wants_symbol(); ++symbol) {
        const int64_t window = receiver.next_window();
        receiver.take(window, symbol == 10 ? CarrierReceiver::Symbol(nothing) : transformer(window));
    }
    ReceivedBurst result;
    receiver.finish(result);
    EXPECT_TRUE(result.detected);
    EXPECT_EQ(result.failed_blocks, 1);
    ASSERT_EQ(result.payload.size(), burst.payload.size());
    EXPECT_TRUE(std::equal(result.payload.begin(), result.payload.begin() + 9 * 72 - 8, burst.payload.begin()));
    EXPECT_TRUE(std::equal(result.payload.begin() + 10 * 72, result.payload.end(), burst.payload.begin() + 10 * 72));
}

TEST(CarrierReceiver, WhatIsNoPreambleOrNoBurstIsRefused) {
    const UplinkBurstOnAir burst({4, 7, 1, 9, Preamble::short_, 20});
    const CarrierTransform by{400 + 16, 0};
    Transformer transformer(burst.samples, by);
    CarrierReceiver receiver(burst.num, Direction::uplink);
    EXPECT_FALSE(receiver.wants_symbol());
    EXPECT_FALSE(receiver.start(burst.format, 1, burst_randomizer(burst.format), 0));
    EXPECT_FALSE(receiver.begin(by, transformer(by.first_window + 3 * 288)));  // data
    EXPECT_FALSE(receiver.start(burst.format, 1, burst_randomizer(burst.format), 0));
    ASSERT_TRUE(burst.begin(receiver, by, transformer));
    for (const BurstFormat& wrong :
         {BurstFormat{7, 7, 1, 9, Preamble::short_, 20}, BurstFormat{4, 7, 1, 9, Preamble::short_, 20, 0, 6},
          BurstFormat{4, 7, 1, 9, Preamble::none, 20, 0, kFullSubchannel, true}}) {
        EXPECT_FALSE(receiver.start(wrong, 1, burst_randomizer(wrong), 0));
        EXPECT_FALSE(receiver.wants_symbol());
    }
}

}  // namespace test_carrier_receiver
}  // namespace gr::wimax::phy::test
