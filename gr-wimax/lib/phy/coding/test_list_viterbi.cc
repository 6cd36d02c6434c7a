// SPDX-License-Identifier: GPL-3.0-or-later
// The list decoder against all words of a short block, each decoded by a trellis that allows this word only.
#include "phy/coding/list_viterbi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace gr::wimax::phy {
namespace {

constexpr size_t kSteps = 16, kWords = 1 << kSteps;
constexpr int kNever = -1'000'000;

struct Case {
    size_t before, after;
    bool from_zero, to_zero;
};

class Stretch {
public:
    Stretch(const Case& c, int amplitude, uint32_t seed) : case_(c), branches_(c.before + kSteps + c.after) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<int> soft(-amplitude, amplitude);
        for (auto& branch : branches_) {
            const int y = soft(random), x = soft(random);
            branch = {{int16_t(x + y), int16_t(x - y), int16_t(y - x), int16_t(-x - y)}};
        }
    }

    ListViterbi::Stretch view() const { return {branches_, case_.before, kSteps, case_.from_zero, case_.to_zero}; }

    /// Of the best path through the stretch, for each word in the block.
    std::vector<int> correlations() const {
        States metric;
        metric.fill(case_.from_zero ? kNever : 0);
        metric[0] = 0;
        for (size_t t = 0; t < case_.before; ++t) metric = step(metric, branches_[t], kAnyBit);
        std::vector<int> all;
        walk(metric, 0, continuations(), all);
        return all;
    }

private:
    using States = std::array<int, viterbi::kStates>;
    static constexpr unsigned kAnyBit = 2;

    static States step(const States& from, const viterbi::BranchMetrics& branch, unsigned bit) {
        States to;
        to.fill(kNever);
        for (unsigned s = 0; s < from.size(); ++s)
            for (unsigned input = 0; input < 2; ++input) {
                if (bit != kAnyBit && input != bit) continue;
                const unsigned all = input << 6 | s;
                const int m = branch.value[viterbi::output_x(all) << 1 | viterbi::output_y(all)];
                to[all >> 1] = std::max(to[all >> 1], from[s] + m);
            }
        return to;
    }

    /// From each state behind the block to the end.
    States continuations() const {
        States best;
        for (unsigned s = 0; s < best.size(); ++s) {
            States metric;
            metric.fill(kNever);
            metric[s] = 0;
            for (size_t t = case_.before + kSteps; t < branches_.size(); ++t)
                metric = step(metric, branches_[t], kAnyBit);
            best[s] = case_.to_zero ? metric[0] : std::ranges::max(metric);
        }
        return best;
    }

    void walk(const States& metric, size_t depth, const States& after, std::vector<int>& all) const {
        if (depth == kSteps) {
            int best = 2 * kNever;
            for (size_t s = 0; s < metric.size(); ++s) best = std::max(best, metric[s] + after[s]);
            all.push_back(best);
            return;
        }
        for (unsigned bit = 0; bit < 2; ++bit)
            walk(step(metric, branches_[case_.before + depth], bit), depth + 1, after, all);
    }

    Case case_;
    std::vector<viterbi::BranchMetrics> branches_;
};

std::array<uint8_t, 2> bytes_of(unsigned word) { return {uint8_t(word >> 8), uint8_t(word)}; }

class ListOfCase : public testing::TestWithParam<Case> {};

TEST_P(ListOfCase, ListsTheBestWordsInOrder) {
    auto list = std::make_unique<ListViterbi>();
    for (const int amplitude : {127, 5, 1}) {  // few levels: many equal paths
        const Stretch stretch(GetParam(), amplitude, uint32_t(amplitude));
        const std::vector<int> all = stretch.correlations();
        auto ranked = all;
        std::ranges::sort(ranked, std::ranges::greater());

        list->start(stretch.view(), {.loss = 30'000});
        std::map<unsigned, int> seen;
        for (size_t i = 0; i < ListViterbi::kMostPaths; ++i) {
            const auto path = list->next();
            ASSERT_EQ(path.size(), 2U) << i;
            const unsigned word = unsigned{path[0]} << 8 | path[1];
            ASSERT_EQ(all[word], ranked[i]) << "path " << i;
            ASSERT_EQ(++seen[word], 1) << "path " << i << " was listed before";
        }
        EXPECT_TRUE(list->next().empty()) << "the list is full";
        for (unsigned word = 0; word < kWords; word += 97)
            if (all[word] > kNever / 2) {
                ASSERT_EQ(list->discrepancy(bytes_of(word)), ranked[0] - all[word]) << word;
            }
    }
}

TEST_P(ListOfCase, ListsPathsWithinTheLimitOnly) {
    ListViterbi list;
    const Stretch stretch(GetParam(), 40, 9);
    const std::vector<int> all = stretch.correlations();
    const int best = std::ranges::max(all);
    for (const int limit : {0, 1, 60, 110}) {
        const auto wanted = std::ranges::count_if(all, [&](int one) { return best - one <= limit; });
        ASSERT_LT(wanted, int(ListViterbi::kMostPaths)) << "the test needs a list that ends";
        list.start(stretch.view(), {.loss = limit});
        int listed = 0;
        while (!list.next().empty()) ++listed;
        EXPECT_EQ(listed, wanted) << limit;
    }
}

/// The paths of a list, each as a number.
std::vector<unsigned> listed(ListViterbi& list, const Stretch& stretch, const ListViterbi::Limits& limits,
                             std::span<const uint8_t> likely = {}) {
    std::vector<unsigned> words;
    list.start(stretch.view(), limits, likely);
    for (auto path = list.next(); !path.empty(); path = list.next()) words.push_back(unsigned{path[0]} << 8 | path[1]);
    return words;
}

TEST_P(ListOfCase, DoesNotDependOnThePathThatIsExpected) {
    ListViterbi list;
    const Stretch stretch(GetParam(), 40, 11);
    const auto words = listed(list, stretch, {.loss = 30'000});
    ASSERT_EQ(words.size(), ListViterbi::kMostPaths);
    for (const unsigned expected : {words[0], words[1], words[200], ~words[0] & 0xFFFFU})
        EXPECT_EQ(listed(list, stretch, {.loss = 30'000}, bytes_of(expected)), words) << expected;
}

TEST_P(ListOfCase, AShorterListHasTheBestOfALongerOne) {
    ListViterbi list;
    for (const int amplitude : {100, 3}) {
        const Stretch stretch(GetParam(), amplitude, 12);
        const std::vector<int> all = stretch.correlations();
        auto ranked = all;
        std::ranges::sort(ranked, std::ranges::greater());
        for (const size_t paths : {1, 2, 3, 9, 16, 64, 200, 256}) {
            const auto words = listed(list, stretch, {.loss = 30'000, .paths = paths});
            ASSERT_EQ(words.size(), paths);
            for (size_t i = 0; i < paths; ++i) ASSERT_EQ(all[words[i]], ranked[i]) << i << " of " << paths;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, ListOfCase,
                         testing::Values(Case{0, 0, true, true}, Case{0, 9, true, false}, Case{8, 9, false, false},
                                         Case{60, 0, false, true}, Case{1, 0, false, false}));

/// The longest block, sent at full amplitude with a burst of noise in its middle: metrics are as large as they can be.
TEST(ListOfLongBlock, ListsTheSentWordAndThenWorseOnes) {
    constexpr size_t kLong = ListViterbi::kMostSteps, kBefore = ListViterbi::kMostBefore, kAfter = 400;
    std::mt19937 random(21);
    std::uniform_int_distribution<int> bit(0, 1), noise(-127, 127);
    std::vector<uint8_t> sent(kLong / 8);
    std::vector<viterbi::BranchMetrics> branches(kBefore + kLong + kAfter);
    unsigned state = 0;
    for (size_t t = 0; t < branches.size(); ++t) {
        const auto input = static_cast<unsigned>(bit(random));
        const unsigned all = input << 6 | state;
        state = all >> 1;
        if (t >= kBefore && t < kBefore + kLong && input == 1)
            sent[(t - kBefore) / 8] |= static_cast<uint8_t>(0x80U >> (t - kBefore) % 8);
        const bool noisy = t >= 500 && t < 512;
        const int x = noisy ? noise(random) : viterbi::output_x(all) ? -127 : 127;
        const int y = noisy ? noise(random) : viterbi::output_y(all) ? -127 : 127;
        branches[t] = {{int16_t(x + y), int16_t(x - y), int16_t(y - x), int16_t(-x - y)}};
    }
    ListViterbi list;
    list.start({.branches = branches, .before = kBefore, .steps = kLong}, {.loss = 20'000}, sent);
    std::set<std::vector<uint8_t>> seen;
    int last = 0;
    bool found = false;
    for (size_t i = 0; i < ListViterbi::kMostPaths; ++i) {
        const auto path = list.next();
        ASSERT_EQ(path.size(), sent.size());
        const int cost = list.discrepancy(path);
        EXPECT_GE(cost, last) << i;
        EXPECT_TRUE(i > 0 || cost == 0);
        EXPECT_TRUE(seen.emplace(path.begin(), path.end()).second) << i;
        found |= std::ranges::equal(path, sent);
        last = cost;
    }
    EXPECT_TRUE(found);
    EXPECT_GE(list.discrepancy(sent), 0);
}

}  // namespace
}  // namespace gr::wimax::phy
