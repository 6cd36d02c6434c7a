/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The limit, and that code dispatched by it gives the portable result in every instruction set.
 */
#include <gnuradio/wimax/phy/constellation.h>
#include <gnuradio/wimax/phy/instruction_set.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace gr::wimax::phy {
namespace {

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

}  // namespace
}  // namespace gr::wimax::phy
