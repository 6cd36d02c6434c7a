// SPDX-License-Identifier: GPL-3.0-or-later
// Symbol edges and crest-factor reduction: allowed and forbidden changes of the signal.
#include "phy/frame/test_receiver_support.h"
#include "phy/transmit/transmit_shaper.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_transmit_shaper {

constexpr std::array<int, 5> kSubchannelIndices{kFullSubchannel, 8, 4, 2, 1};

Numerology numerology(CyclicPrefix cp = CyclicPrefix::g1_8) { return *Numerology::make(5'000'000, cp); }

/// An uplink burst of random octets with the given shape.
Samples burst_of(const Numerology& n, const BurstFormat& format, const TransmitShape& shape) {
    Modulator modulator(n, kMaxUplinkAllocationSymbols, shape);
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 7);
    Samples out(static_cast<size_t>(format.total_symbols() * n.symbol_samples()) + modulator.tail_samples());
    if (modulator.uplink({format, payload}, out) != out.size()) out.clear();
    return out;
}

TEST(SymbolWindow, OverlapsSymbolsWithinThePrefixOnly) {
    for (const auto cp : kCyclicPrefixes) {
        const auto n = numerology(cp);
        const auto prefix = static_cast<size_t>(n.cp_samples()), length = static_cast<size_t>(n.symbol_samples());
        const size_t slope = prefix / 2;
        const BurstFormat format{3, 7, 1, 9, Preamble::short_, 5};
        const Samples plain = burst_of(n, format, {});
        const Samples shaped = burst_of(n, format, {static_cast<int>(prefix), {}});  // counts as half the prefix
        ASSERT_EQ(plain.size(), 6 * length);
        ASSERT_EQ(shaped.size(), plain.size() + slope);
        for (size_t i = 0; i < shaped.size(); ++i) {
            const size_t symbol = i / length, at = i % length;
            if (at >= slope) {
                ASSERT_EQ(shaped[i], plain[i]) << i;
                continue;
            }
            // This symbol rises, the cyclic continuation of the one before falls.
            const double rise = std::pow(
                std::sin(std::numbers::pi / 4 * (2.0 * static_cast<double>(at) + 1) / static_cast<double>(slope)), 2);
            Complex expected{};
            if (symbol < 6) expected += static_cast<float>(rise) * plain[i];
            if (symbol > 0) expected += static_cast<float>(1 - rise) * plain[i - length + prefix];
            ASSERT_LT(std::abs(shaped[i] - expected), 1e-5F) << i;
        }
    }
}

TEST(SymbolWindow, DownlinkGapsStaySilent) {
    const auto n = numerology();
    Modulator modulator(n, 40, {8, {}});
    FramePrefix prefix;
    const std::array bursts{DownlinkBurst{{1, 0, 0, 0, Preamble::none, 2}, 3, true, {}},
                            DownlinkBurst{{1, 2, 0, 0, Preamble::short_, 2}, 8, false, {}}};
    Samples out(11 * 288 + 8, Complex(1));
    EXPECT_EQ(modulator.downlink(prefix, bursts, std::span(out).first(11 * 288 + 7)).error(), ModulatorFault::room);
    ASSERT_EQ(modulator.downlink(prefix, bursts, out), out.size());
    for (size_t i = 5 * 288; i < 8 * 288; ++i) EXPECT_EQ(out[i] == Complex{}, i >= 5 * 288 + 8) << i;
    EXPECT_LT(std::abs(out.back()), 0.1F);
}

struct Cost {
    double burst_error_db, worst_symbol_db, empty_power;
};

/// Carriers of two bursts against each other.
Cost compare(const Samples& plain, const Samples& reduced, const BurstFormat& format) {
    OfdmTransform transform;
    const auto& set = carrier_set(format.subchannel_index);
    double sum = 0, worst = 0, empty = 0;
    for (int s = 1; s <= format.data_symbols; ++s) {
        std::array<Complex, kFftSize> want{}, got{};
        const size_t body = static_cast<size_t>(s) * 288 + 32;
        transform.demodulate(std::span<const Complex, kFftSize>(&plain[body], kFftSize), want);
        transform.demodulate(std::span<const Complex, kFftSize>(&reduced[body], kFftSize), got);
        double error = 0, rest = 0;
        for (size_t i = 0; i < kFftSize; ++i) rest += std::norm(got[i] - want[i]);
        for (const int k : set.data())
            error += std::norm(got[static_cast<size_t>(bin_of(k))] - want[static_cast<size_t>(bin_of(k))]);
        sum += error;
        worst = std::max(worst, error);
        empty = std::max(empty, rest - error);
    }
    const auto db = [&](double power, int symbols) {
        return 10 * std::log10(power / (symbols * set.data_count) + 1e-20);
    };
    return {db(sum, format.data_symbols), db(worst, 1), empty};
}

/// Peak of each data symbol over the mean power of its carriers, dB, in rising order; between the samples, too.
std::vector<double> peaks_db(const Samples& burst, const BurstFormat& format) {
    constexpr int kFine = 4 * kFftSize;
    OfdmTransform transform;
    FftPlan fine(kFine, FftPlan::Sign::inverse);
    const auto& set = carrier_set(format.subchannel_index);
    std::vector<double> all;
    for (int s = 1; s <= format.data_symbols; ++s) {
        std::array<Complex, kFftSize> carriers{};
        transform.demodulate(std::span<const Complex, kFftSize>(&burst[static_cast<size_t>(s) * 288 + 32], kFftSize),
                             carriers);
        std::fill(fine.in().begin(), fine.in().end(), Complex{});
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
            fine.in()[static_cast<size_t>(k & (kFine - 1))] = carriers[static_cast<size_t>(bin_of(k))];
        fine.execute();
        float peak = 0;
        for (const Complex x : fine.out()) peak = std::max(peak, std::norm(x));
        all.push_back(10 * std::log10(peak / static_cast<double>(set.data_count + set.pilot_count)));
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST(CrestReducer, LowersPeaksAndKeepsTheErrorLimits) {
    const auto n = numerology();
    for (int rate = 0; rate < kRates; ++rate)
        for (const double target : {4.0, 7.0, 8.0}) {
            const BurstFormat format{static_cast<uint8_t>(rate), 7, 1, 9, Preamble::short_, 100};
            const Samples plain = burst_of(n, format, {}), reduced = burst_of(n, format, {0, target});
            ASSERT_EQ(reduced.size(), plain.size());
            const Cost cost = compare(plain, reduced, format);
            const double limit = kConstellationErrorLimitDb[static_cast<size_t>(rate)] - kReducedErrorMarginDb;
            EXPECT_LT(cost.burst_error_db, limit + 0.01) << rate << " " << target;
            EXPECT_LT(cost.worst_symbol_db, limit + 6.1) << rate << " " << target;
            EXPECT_LT(cost.empty_power, 1e-8) << rate << " " << target;  // pilots, carrier 0 and outside
            const auto before = peaks_db(plain, format), after = peaks_db(reduced, format);
            if (target == 8.0) {
                EXPECT_GT(before[95], 9) << rate;
                EXPECT_LT(after[95], 8.8) << rate;
                EXPECT_LT(cost.burst_error_db, -33) << rate;
            }
            if (target == 7.0) {
                EXPECT_LT(after[50], before[50] - 0.4) << rate;
            }
        }
}

TEST(CrestReducer, KnowsSubchannels) {
    const auto n = numerology();
    for (const int index : kSubchannelIndices) {
        const BurstFormat format{2, 7, 1, 9, Preamble::short_, 50, 0, static_cast<uint8_t>(index)};
        const Samples plain = burst_of(n, format, {}), reduced = burst_of(n, format, {0, 5.0});
        const Cost cost = compare(plain, reduced, format);
        EXPECT_LT(cost.burst_error_db, -21.4) << index;
        EXPECT_LT(cost.empty_power, 1e-8) << index;
        EXPECT_LT(peaks_db(reduced, format)[25], peaks_db(plain, format)[25] - 0.3) << index;
    }
}

TEST(CrestReducer, LeavesLowSymbolsAlone) {
    const BurstFormat format{1, 7, 1, 9, Preamble::short_, 20};
    EXPECT_EQ(burst_of(numerology(), format, {}), burst_of(numerology(), format, {0, 13.0}));
}

TEST(TransmitShape, ReceiversDoNotNotice) {
    const auto n = numerology();
    for (int rate = 0; rate < kRates; ++rate) {
        const BurstFormat format{static_cast<uint8_t>(rate), 7, 1, 9, Preamble::short_, 20, 1};
        for (const TransmitShape& shape : {TransmitShape{16, {}}, TransmitShape{16, 8.0}}) {
            const Samples burst = burst_of(n, format, shape);
            UplinkReceiver receiver(n);
            ReceivedBurst result;
            receiver.receive(burst, 0, {format, 0, 0, 0}, result);
            EXPECT_TRUE(result.fec_ok) << rate;
            EXPECT_EQ(result.payload, random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 7)) << rate;
            const double reduced = kConstellationErrorLimitDb[static_cast<size_t>(rate)] - kReducedErrorMarginDb;
            EXPECT_LT(result.measured.evm_db, shape.target_papr_db ? reduced + 0.1 : -70) << rate;
        }
    }
}

}  // namespace test_transmit_shaper
}  // namespace gr::wimax::phy::test
