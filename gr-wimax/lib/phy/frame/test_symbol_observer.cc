// SPDX-License-Identifier: GPL-3.0-or-later
// Data that receivers pass to a SymbolObserver: points on the constellation, the true channel, the correct symbol
// numbers.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_symbol_observer {

struct Seen {
    int rate_id, burst_index, symbol;
    double error_db;        // points against the nearest constellation points
    double pilot_error_db;  // against 1
    size_t points, pilots;
    size_t soft_bits, contradictions;  // soft bits; those whose sign is not that of the nearest point
    std::vector<Complex> response;
    int64_t response_window;
    double noise_variance;
};

size_t contradictions(const SymbolObservation& o) {
    const int bits = kRateTable[o.format.rate_id].bits_per_carrier;
    size_t count = 0;
    for (size_t i = 0; i < o.soft_bits.size(); ++i) {
        const auto carrier = i / static_cast<size_t>(bits), bit = i % static_cast<size_t>(bits);
        const bool one = (hard_label(bits, o.points[carrier]) >> (static_cast<size_t>(bits) - 1 - bit) & 1) != 0;
        count += one != (o.soft_bits[i] < 0) && o.soft_bits[i] != 0 ? 1 : 0;
    }
    return count;
}

double db(double ratio) { return 10 * std::log10(ratio); }

struct Observer : SymbolObserver {
    std::vector<Seen> seen;
    Recorder* recorder = nullptr;     // decoding continues at the same time
    std::vector<size_t> bursts_done;  // events of the recorder before each symbol

    void on_symbol(const SymbolObservation& o) override {
        double error = 0, pilot_error = 0;
        for (const Complex z : o.points) {
            float nearest = 1e9F;
            for (const Complex point : constellation(kRateTable[o.format.rate_id].bits_per_carrier))
                nearest = std::min(nearest, std::norm(z - point));
            error += nearest;
        }
        for (const Complex z : o.pilots) pilot_error += std::norm(z - 1.0F);
        seen.push_back({o.format.rate_id,
                        o.burst_index,
                        o.symbol,
                        db(error / static_cast<double>(o.points.size())),
                        db(pilot_error / static_cast<double>(o.pilots.size())),
                        o.points.size(),
                        o.pilots.size(),
                        o.soft_bits.size(),
                        contradictions(o),
                        {o.response.begin(), o.response.end()},
                        o.response_window,
                        o.noise_variance});
        if (recorder != nullptr) bursts_done.push_back(recorder->bursts.size());
    }
};

TEST(SymbolObserver, SeesEverySymbolOfADownlinkFrame) {
    const auto numerology = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(numerology);
    const FramePlan plan{{{1, 5, false, 1}, {6, 20, true, 7}}, 3, 8};
    Channel channel;
    channel.snr_db = 30;
    channel.frequency_hz = 7000;
    channel.clock_ppm = 5;
    channel.delay_samples = 300;
    channel.paths = {{0, 0.9F}, {6, Complex(0, 0.3F)}};
    const auto samples = pass(plan.modulate(modulator), channel, 5.76e6, 12'000, 2);

    DownlinkReceiver receiver({});
    Recorder recorder;
    Observer observer;
    observer.recorder = &recorder;
    receiver.set_observer(&observer);
    receiver.process(samples, 1000, recorder);
    ASSERT_EQ(recorder.bursts.size(), 2U);
    ASSERT_EQ(observer.seen.size(), 1U + 5 + 20);
    for (size_t i = 0; i < observer.seen.size(); ++i) {
        const Seen& s = observer.seen[i];
        const int burst = i == 0 ? 0 : i <= 5 ? 1 : 2;
        EXPECT_EQ(s.burst_index, burst) << i;
        EXPECT_EQ(s.rate_id, burst == 0 ? 0 : burst == 1 ? 1 : 6) << i;
        EXPECT_EQ(s.symbol, static_cast<int>(i) + (burst == 2 ? 3 : 2)) << i;  // the second has its own preamble
        EXPECT_EQ(observer.bursts_done[i], burst == 2 ? 1U : 0U);
        EXPECT_EQ(s.points, static_cast<size_t>(kDataCarriers));
        EXPECT_EQ(s.pilots, static_cast<size_t>(kPilotCarriers));
        EXPECT_EQ(s.soft_bits,
                  s.points * static_cast<size_t>(kRateTable[static_cast<size_t>(s.rate_id)].bits_per_carrier));
        EXPECT_EQ(s.contradictions, 0U);
        EXPECT_NEAR(s.error_db, -29, 2.5) << i;
        EXPECT_LT(s.pilot_error_db, -21) << i;
        EXPECT_NEAR(db(s.noise_variance), -30, 2) << i;
        // The channel up to a common phase, delays relative to the window.
        const double first_path = 1000 + 300 + numerology.cp_samples() - static_cast<double>(s.response_window);
        ASSERT_EQ(s.response.size(), 201U);
        Complex common{};
        double difference = 0;
        std::vector<Complex> truth;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
            const auto turn = [k](double delay) {
                return std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * k * delay / kFftSize));
            };
            truth.push_back(k == 0 ? 0 : 0.9F * turn(first_path) + Complex(0, 0.3F) * turn(first_path + 6));
            common += s.response[static_cast<size_t>(k + kEdgeCarrier)] * std::conj(truth.back());
        }
        common /= std::abs(common);
        for (size_t k = 0; k < truth.size(); ++k) difference += std::norm(s.response[k] - common * truth[k]);
        EXPECT_LT(db(difference / 200), -30) << i;
    }
    receiver.set_observer(nullptr);
    receiver.process(samples, 100'000, recorder);
    EXPECT_EQ(recorder.bursts.size(), 4U);
    EXPECT_EQ(observer.seen.size(), 26U);
}

TEST(SymbolObserver, SeesSubchannelsAndMidambles) {
    const auto numerology = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(numerology);
    for (const int subchannel_index : {kFullSubchannel, 12}) {
        const BurstFormat format{3, 7, 1, 9, Preamble::short_, 18, 1, static_cast<uint8_t>(subchannel_index)};
        Samples burst(static_cast<size_t>(format.total_symbols() * numerology.symbol_samples()));
        ASSERT_EQ(modulator.uplink({format, {}}, burst), burst.size());
        UplinkReceiver receiver(numerology);
        Observer observer;
        receiver.set_observer(&observer);
        ReceivedBurst result;
        receiver.receive(burst, 0, {format, 0, 0, 4}, result);
        ASSERT_TRUE(result.detected);
        ASSERT_EQ(observer.seen.size(), 18U);
        const auto& set = carrier_set(subchannel_index);
        for (size_t i = 0; i < 18; ++i) {
            const Seen& s = observer.seen[i];
            EXPECT_EQ(s.burst_index, 4);
            EXPECT_EQ(s.symbol, static_cast<int>(i + 1 + i / 8));
            EXPECT_EQ(s.points, static_cast<size_t>(set.data_count));
            EXPECT_EQ(s.pilots, static_cast<size_t>(set.pilot_count));
            EXPECT_EQ(s.soft_bits, 4 * s.points);
            EXPECT_EQ(s.contradictions, 0U);
            EXPECT_LT(s.error_db, -30) << i;
        }
    }
}

}  // namespace test_symbol_observer
}  // namespace gr::wimax::phy::test
