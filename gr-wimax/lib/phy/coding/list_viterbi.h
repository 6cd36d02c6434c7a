// SPDX-License-Identifier: GPL-3.0-or-later
// The best paths of a block inside a code word, one after another (internal): a serial list Viterbi decoder. One pass
// forward keeps the metrics by which the two paths into a state differ, for every step. Each further path leaves one of
// the earlier ones at the step where that costs least. Two paths always differ within the block.
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

    struct Limits {
        int loss = 0;               ///< correlation that a path lacks against the best, units of SoftBit
        size_t paths = kMostPaths;  ///< 1..kMostPaths: a short list takes less time
    };

    ListViterbi();

    /// `likely`: octets of a path that is probably much like the best, or none. They change the time only, not the
    /// list.
    void start(const Stretch& stretch, const Limits& limits, std::span<const uint8_t> likely = {});

    /// Decoded octets of the next best path; empty: there is none within the limit, or the list is full.
    std::span<const uint8_t> next();

    /// Correlation that the block loses with `word` instead of the best path; call after the first next().
    int discrepancy(std::span<const uint8_t> word) const;

private:
    static constexpr size_t kStates = viterbi::kStates;

    struct Candidate {
        int cost;         // correlation lost against the best path
        uint16_t parent;  // the path that it leaves, or the state in which it ends
        uint16_t step;    // of the block at which it leaves; the number of steps: it ends in another state
        uint16_t leave;   // while the parent is on the best path: this candidate's place in leaves_, or kNotShared
    };
    static constexpr uint16_t kNotShared = UINT16_MAX;
    /// A way off the best path. Each path that has joined the best path can leave it in the same ways.
    struct Leave {
        int loss;
        uint16_t step;
        auto operator<=>(const Leave&) const = default;
    };
    /// Leaves by loss, then by step. Most blocks need few of them: they are put into buckets, which are sorted when
    /// they are needed.
    class Leaves {
    public:
        void clear(int most_loss);
        /// No branch: the processor could not predict it.
        void add(const Leave& leave, bool wanted) {
            given_[count_] = leave;
            count_ += wanted ? 1 : 0;
        }
        /// Keeps the `wanted` of least loss and some more, or all. Returns a loss that those left out exceed.
        int arrange(size_t wanted);
        /// Null: there are fewer.
        const Leave* at(size_t place);

    private:
        static constexpr size_t kBuckets = 128;
        size_t bucket_of(const Leave& leave) const { return static_cast<size_t>(leave.loss >> shift_); }

        int shift_ = 0;
        size_t count_ = 0, sorted_ = 0, buckets_sorted_ = 0;
        std::array<Leave, kMostSteps + 1> given_, arranged_;
        std::array<uint16_t, kBuckets + 1> first_;  // place of each bucket's first leave
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
    void expect(std::span<const uint8_t> octets);
    void begin_from_ends(const viterbi::PathMetrics& ends);
    void trace(const Candidate& from, size_t index);
    void trace_best(unsigned end);
    void offer(const Candidate& candidate);
    /// Offers the cheapest way, from place `first` on, in which `path` can leave the best path.
    void offer_leave(uint16_t path, size_t first);
    int correlation(std::span<const uint8_t> word) const;
    int lost_between(size_t begin, size_t end, std::span<const uint8_t> word) const;

    const viterbi::BranchMetrics* branches_ = nullptr;  // of the block
    size_t steps_ = 0;
    Limits limits_;
    int best_ = 0;
    viterbi::PathMetrics before_{};  // of the states before the block
    viterbi::PathMetrics after_{};   // of the best ways on from the block's last states

    std::vector<int16_t> leads_;  // for each step of the block: of path metrics of odd states over those of even ones
    std::vector<Bytes> paths_;
    std::vector<Joined> joined_;
    size_t found_ = 0;
    std::vector<Candidate> waiting_;     // a heap, the least cost first
    int most_cost_ = 0;                  // a candidate of a higher cost is not needed
    std::vector<uint16_t> best_states_;  // not octets: the compiler would expect them to overlap everything
    Leaves leaves_;
};

}  // namespace gr::wimax::phy
