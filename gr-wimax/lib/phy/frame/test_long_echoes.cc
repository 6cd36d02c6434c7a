// SPDX-License-Identifier: GPL-3.0-or-later
// Echoes beyond the prefix move the FFT windows after the first path. The last symbol of a burst, a frame prefix and an
// uplink allocation then end later than by the first path; none of their samples may be missing.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_long_echoes {

/// Error of each symbol against the nearest points, dB.
struct ErrorMeter : SymbolObserver {
    std::vector<double> prefixes, burst;

    void on_symbol(const SymbolObservation& o) override {
        double error = 0;
        for (const Complex z : o.points) {
            float nearest = 1e9F;
            for (const Complex point : constellation(kRateTable[o.format.rate_id].bits_per_carrier))
                nearest = std::min(nearest, std::norm(z - point));
            error += nearest;
        }
        const double db = 10 * std::log10(error / static_cast<double>(o.points.size()));
        auto& of = o.direction == Direction::downlink && o.burst_index == 0 ? prefixes : burst;
        of.push_back(db);
    }
};

/// A weak first path and a strong late one; the early one disturbs by -23 dB and less.
Channel late_main_path(double delay_samples) {
    Channel channel;
    channel.snr_db = 35;
    channel.frequency_hz = 2e3;
    channel.delay_samples = delay_samples;
    channel.paths = {{0, 0.15F}, {58, {0.3F, -0.92F}}};
    return channel;
}

constexpr int kSymbols = 6;
constexpr double kLargestErrorDb = -17;

TEST(LongEchoes, PrefixesAndLastSymbolsOfFramesAreWhole) {
    for (const auto cp : kCyclicPrefixes) {
        const auto num = *Numerology::make(5'000'000, cp);
        Modulator modulator(num);
        Samples sent;
        for (int frame = 0; frame < 5; ++frame) {
            const FramePlan plan{{{1, kSymbols, false, 1}}, static_cast<uint8_t>(frame), 7};
            const auto samples = plan.modulate(modulator);
            sent.insert(sent.end(), samples.begin(), samples.end());
            sent.resize(static_cast<size_t>((frame + 1) * num.frame_samples(0)));
        }
        const auto received = pass(sent, late_main_path(300.4), 5.76e6, sent.size() + 600, 3);
        DownlinkReceiver receiver({});
        Recorder recorder;
        ErrorMeter meter;
        receiver.set_observer(&meter);
        receiver.process(received, 0, recorder);
        ASSERT_EQ(recorder.bursts.size(), 5U) << to_string(cp);
        ASSERT_EQ(meter.prefixes.size(), 5U) << to_string(cp);
        for (const double error_db : meter.prefixes) EXPECT_LT(error_db, kLargestErrorDb) << to_string(cp);
        for (size_t i = kSymbols - 1; i < meter.burst.size(); i += kSymbols)
            EXPECT_LT(meter.burst[i], kLargestErrorDb) << to_string(cp) << ' ' << i / kSymbols;
    }
}

TEST(LongEchoes, TheGuardOfAnAllocationCoversTheLastSymbol) {
    // The strongest path has to be within half a cycle of the preamble around the middle of the prefix.
    for (const auto cp : {CyclicPrefix::g1_16, CyclicPrefix::g1_32}) {
        const auto num = *Numerology::make(5'000'000, cp);
        const BurstFormat format{1, 7, 1, 9, Preamble::short_, kSymbols};
        const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 5);
        Modulator modulator(num);
        const int64_t length = format.total_symbols() * num.symbol_samples();
        Samples sent(static_cast<size_t>(length));
        ASSERT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        constexpr int64_t kStart = 400;
        auto channel = late_main_path(kStart + num.cp_samples() / 2.0 - 1);
        channel.paths[1].delay_samples = 44;
        const auto received = pass(sent, channel, 5.76e6, sent.size() + 1200, 4);
        UplinkReceiver receiver(num);
        ErrorMeter meter;
        receiver.set_observer(&meter);
        ReceivedBurst result;
        const int64_t first = kStart - receiver.guard_samples(), end = kStart + length + receiver.guard_samples();
        receiver.receive(std::span(received).subspan(static_cast<size_t>(first), static_cast<size_t>(end - first)),
                         first, {format, kStart, 0, 0}, result);
        ASSERT_TRUE(result.detected) << to_string(cp);
        EXPECT_EQ(result.payload, payload) << to_string(cp);
        ASSERT_EQ(meter.burst.size(), static_cast<size_t>(kSymbols));
        EXPECT_LT(meter.burst.back(), kLargestErrorDb) << to_string(cp);
    }
}

}  // namespace test_long_echoes
}  // namespace gr::wimax::phy::test
