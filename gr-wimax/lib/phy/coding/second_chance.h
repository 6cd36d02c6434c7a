// SPDX-License-Identifier: GPL-3.0-or-later
// A second attempt at blocks that Reed-Solomon could not correct (internal): the best paths of a list Viterbi decoder
// are offered to Reed-Solomon until it makes a word of one that fits the soft bits. docs/receiver.md explains the
// measure and gives the gains. Nothing allocates after construction.
//
// The work has a limit, so that a receiver keeps up while every block fails. It is counted in trials of Reed-Solomon
// and is kept from burst to burst.
#pragma once

#include "phy/coding/list_viterbi.h"

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include <vector>

namespace gr::wimax::phy {

class SecondChance {
public:
    SecondChance();

    void enable(bool on) { on_ = on; }
    /// Grants the most work that can be saved up.
    void renew() { work_ = kMostWork; }

    void start(CodeRate rate, const Interleaver& interleaver, const ReedSolomon& outer, int symbols);

    /// Soft bits of the next symbol, one block, in label order.
    void keep(std::span<const SoftBit> soft);

    size_t kept() const { return kept_; }
    /// Soft bits of one of the last symbols kept.
    std::span<const SoftBit> soft(size_t symbol) const;

    /// True if a word that `decoded` reports may be a wrong one: the code corrected as much as it can, or nearly as
    /// much and often finds a word in noise.
    bool doubts(const RsResult& decoded) const { return on_ && decoded.corrected >= doubtful_; }
    void found_correct() { work_ = std::min(work_ + kWorkOfCorrect, kMostWork); }

    /// Decodes block `symbol` of the burst again after the first result, which failed or is in doubt. True: `block` is
    /// a word. `heard`: the block before Reed-Solomon. A result in doubt that is within the limit is right.
    bool retry(size_t symbol, std::span<uint8_t> block, std::span<const uint8_t> heard, const RsResult& first,
               RetriedBlocks& count);

private:
    static constexpr int kMostWork = 2800;
    static constexpr int kWorkOfSymbol = 2, kWorkOfCorrect = 1;

    bool hopeful(size_t symbol) const;
    int most_discrepancy(size_t symbol) const;
    bool fits(size_t symbol, std::span<const uint8_t> word, std::span<const uint8_t> heard);
    ListViterbi::Stretch stretch_of(size_t symbol);
    bool try_paths(std::span<uint8_t> block, int most_discrepancy);

    bool on_ = true;
    int work_ = kMostWork;

    const ReedSolomon* outer_ = nullptr;
    CodeRate rate_ = CodeRate::r1_2;
    int doubtful_ = 0;  ///< octets corrected in a result that is in doubt
    double most_means_ = 0, least_information_ = 1;
    std::span<const uint16_t> position_;
    size_t symbols_ = 0, kept_ = 0, slots_ = 0;
    std::vector<SoftBit> soft_;  // the last symbols, a ring
    std::vector<viterbi::BranchMetrics> branches_;
    ListViterbi list_;
};

}  // namespace gr::wimax::phy
