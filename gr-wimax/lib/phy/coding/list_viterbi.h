// SPDX-License-Identifier: GPL-3.0-or-later
// The best paths of a block inside a code word, one after another (internal): a serial list Viterbi decoder. One pass
// forward keeps the path metrics of every step. Each further path leaves one of the earlier ones at the step where that
// costs least. Two paths always differ within the block.
//
//   | before: states become known | the block: paths differ here | after: weighs the block's last states |
#pragma once

#include "phy/coding/viterbi_kernels.h"

#include <array>
#include <span>
#include <vector>

namespace gr::wimax::phy {

class ListViterbi {
public:
    static constexpr size_t kMostBefore = 60, kMostSteps = 960, kMostPaths = 256;
    static constexpr size_t kMostBytes = kMostSteps / 8;
    using Bytes = std::array<uint8_t, kMostBytes>;

    struct Stretch {
        std::span<const viterbi::BranchMetrics> branches;  ///< metrics of the steps before, in and after the block
        size_t before = 0;                                 ///< 0..kMostBefore
        size_t steps = 0;                                  ///< whole octets, 8..kMostSteps
        bool from_zero = false;                            ///< the code word begins with the block
        bool to_zero = false;                              ///< the code word ends with the block
    };

    ListViterbi();

    /// Lists paths whose correlation is less than the best by at most `limit` (units of SoftBit).
    void start(const Stretch& stretch, int limit);

    /// Decoded octets of the next best path; empty: there is none within the limit, or the list is full.
    std::span<const uint8_t> next();

    /// Correlation that the block loses with `word` instead of the best path; call after the first next().
    int discrepancy(std::span<const uint8_t> word) const { return best_ - correlation(word); }

private:
    static constexpr size_t kStates = viterbi::kStates;

    struct alignas(64) Row {
        std::array<int16_t, kStates> metric;
    };
    struct Candidate {
        int cost;         // correlation lost against the best path
        uint16_t parent;  // the path that it leaves, or the state in which it ends
        uint16_t step;    // of the block at which it leaves; the number of steps: it ends in another state
        uint16_t leave;   // while the parent is on the best path: this candidate's place in leaves_, else kNotShared
    };
    static constexpr uint16_t kNotShared = UINT16_MAX;
    /// A way off the best path. Each path that has joined the best path can leave it in the same ways.
    struct Leave {
        int loss;
        uint16_t step;
        auto operator<=>(const Leave&) const = default;
    };
    /// Where a path joins the best path.
    struct Joined {
        int cost;
        size_t step;
    };
    struct Choice {
        unsigned state;  // before the step, on the better path
        int loss;        // of the other path
        int branch;      // of the better one
    };

    Choice choose(size_t step, unsigned state) const;
    unsigned state_of(const Bytes& path, size_t step) const;
    void begin_from_ends(std::span<const int16_t, kStates> after);
    void trace(const Candidate& from, size_t index);
    void trace_best(unsigned end);
    void offer(const Candidate& candidate);
    /// Offers the cheapest way, from place `first` on, in which `path` can leave the best path.
    void offer_leave(uint16_t path, size_t first);
    const Leave* leave(size_t place);
    int correlation(std::span<const uint8_t> word) const;

    const viterbi::BranchMetrics* branches_ = nullptr;  // of the block
    const Row* rows_ = nullptr;                         // before each step of the block
    size_t steps_ = 0;
    int limit_ = 0, best_ = 0;
    std::array<int16_t, kStates> after_{};  // of the block's last states

    std::vector<Row> forward_;
    std::vector<Bytes> paths_;
    std::vector<Joined> joined_;
    size_t found_ = 0;
    std::vector<Candidate> waiting_;  // a heap, the least cost first
    int most_cost_ = 0;               // a candidate of a higher cost is not needed
    std::vector<uint8_t> best_states_;
    std::vector<Leave> leaves_;
    size_t sorted_leaves_ = 0;
};

}  // namespace gr::wimax::phy
