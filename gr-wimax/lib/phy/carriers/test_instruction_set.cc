// SPDX-License-Identifier: GPL-3.0-or-later
// The limit, and that code dispatched by it gives the portable result in every instruction set.
#include "phy/receive/equalizer_kernels.h"

#include <gnuradio/wimax/phy/base/instruction_set.h>
#include <gnuradio/wimax/phy/carriers/constellation.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace gr::wimax::phy {
namespace test_instruction_set {

constexpr std::array kAll{InstructionSet::portable, InstructionSet::sse41, InstructionSet::avx2,
                          InstructionSet::avx512};

class InstructionSets : public testing::Test {
protected:
    void TearDown() override { limit_instruction_set(InstructionSet::avx512); }
};

TEST_F(InstructionSets, LimitIsKept) {
    EXPECT_TRUE(instruction_set_available(InstructionSet::portable));
    for (auto most : kAll) {
        limit_instruction_set(most);
        EXPECT_LE(best_instruction_set(), most);
        EXPECT_TRUE(instruction_set_available(best_instruction_set()));
        if (instruction_set_available(most)) {
            EXPECT_EQ(best_instruction_set(), most);
        }
    }
}

TEST_F(InstructionSets, DemapperAgrees) {
    std::mt19937 rng(1);
    std::normal_distribution<float> normal(0.0F, 0.7F);
    std::uniform_real_distribution<float> level(0.1F, 300.0F);
    for (int bits : {1, 2, 4, 6})
        for (size_t carriers : {12U, 24U, 77U, 192U}) {
            std::vector<Complex> points(carriers);
            std::vector<float> snr(carriers);
            for (auto& point : points) point = {normal(rng), normal(rng)};
            for (auto& s : snr) s = level(rng);
            std::vector<int8_t> oracle(carriers * static_cast<size_t>(bits)), soft(oracle.size());
            limit_instruction_set(InstructionSet::portable);
            soft_demap(bits, points, snr, oracle);
            for (auto set : kAll) {
                limit_instruction_set(set);
                soft_demap(bits, points, snr, soft);
                for (size_t i = 0; i < soft.size(); ++i)
                    ASSERT_LE(std::abs(soft[i] - oracle[i]), 1) << static_cast<int>(set) << ' ' << bits << ' ' << i;
            }
        }
}

/// Points of noise on a channel of 1 / inverse, one carrier in ten without weight.
SymbolPlanes random_planes(std::mt19937& rng) {
    std::normal_distribution<float> normal(0.0F, 0.7F);
    SymbolPlanes planes;
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        planes.inverse_re[i] = normal(rng);
        planes.inverse_im[i] = normal(rng);
        planes.tracked[i] = i % 10 == 3 ? 0.0F : 1.0F;
        planes.snr[i] = i % 10 == 3 ? 0.0F : 30.0F * std::abs(normal(rng));
    }
    return planes;
}

TEST_F(InstructionSets, SymbolLoopsAgree) {
    std::mt19937 rng(2);
    std::normal_distribution<float> normal(0.0F, 0.7F);
    constexpr PhaseLine kSent{2.5F, 0.012F}, kRest{-0.3F, -0.004F};
    for (int bits : {1, 2, 4, 6}) {
        Carriers symbol;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) symbol[k] = {normal(rng), normal(rng)};
        const SymbolPlanes start = random_planes(rng);
        std::array<float, 10> oracle{};
        SymbolPlanes oracle_planes;
        for (auto set : kAll) {
            limit_instruction_set(set);
            SymbolPlanes planes = start;
            divide_by_channel(symbol, kSent, planes);
            const auto d = decide_points(bits, {}, planes);
            const auto e = sum_errors(bits, kRest, 0.5F, planes);
            const std::array sums{d.quadrature,     d.tilt,      d.weight, d.tilt_weight,     d.steepness,
                                  d.tilt_steepness, e.reference, e.error,  e.point_reference, e.point_error};
            if (set == InstructionSet::portable) {
                oracle = sums;
                oracle_planes = planes;
            }
            for (size_t i = 0; i < sums.size(); ++i)
                ASSERT_NEAR(sums[i], oracle[i], 1e-4 * std::abs(oracle[i]) + 0.1) << static_cast<int>(set) << ' ' << i;
            for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
                const size_t i = SymbolPlanes::place(k);
                const float angle = kSent.phase + kRest.phase + (kSent.slope + kRest.slope) * static_cast<float>(k);
                const Complex want =
                    symbol[k] * Complex(start.inverse_re[i], start.inverse_im[i]) * std::polar(1.0F, -angle);
                ASSERT_NEAR(std::abs(Complex(planes.re[i], planes.im[i]) - want), 0, 2e-5F * (1 + std::abs(want)))
                    << static_cast<int>(set) << ' ' << k;
                ASSERT_NEAR(planes.lack_re[i], oracle_planes.lack_re[i], 2e-3F) << static_cast<int>(set) << ' ' << k;
                ASSERT_NEAR(planes.lack_im[i], oracle_planes.lack_im[i], 2e-3F) << static_cast<int>(set) << ' ' << k;
            }
        }
    }
}

}  // namespace test_instruction_set
}  // namespace gr::wimax::phy
