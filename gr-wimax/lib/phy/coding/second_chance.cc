// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/second_chance.h"

#include "phy/coding/inner_decoder.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

/// Work of a trial (the next path, Reed-Solomon) and of the list decoder's pass over a block, by CPU time.
constexpr int kTrialWork = 5, kPassWork = 5 * kTrialWork;
/// Share of the work saved up that one block may take for trials: most blocks need few.
constexpr int kShareOfBlock = 2;

/// A pass is of use only if there is work for some trials.
constexpr int kLeastTrials = 8, kLeastWork = kPassWork + kShareOfBlock * kLeastTrials * kTrialWork;

/// Steps after the block that weigh its last states.
constexpr size_t kAfter = 96;

/// A word is accepted if it loses at most this many times the mean magnitude of the block's soft bits. The lower limit
/// is for codes that find a word in noise often: QPSK 3/4.
constexpr double kMostMeans = 16, kMostMeansByChance = 4;
/// A block is tried if its soft bits carry this information per trellis step. The inner code needs one bit, but soft
/// bits of faded carriers often carry more than their magnitudes tell. The higher limit is for the same codes.
constexpr double kLeastInformation = 0.9, kLeastInformationByChance = 1;
/// Share of random blocks that have a word nearby, from which a code is treated as likely to find wrong ones.
constexpr double kByChance = 1e-3;

/// Soft bits are kept until their block was decoded: two groups of windows, a tail, and the blocks that wait.
constexpr size_t kKeptBits = 4 * InnerDecoder::kMaxOutputBytes * 8;

/// Share of random blocks that a code takes for a word with t errors.
double hits_by_chance(const ReedSolomon& code) {
    double share = 1;
    for (int i = 0; i < code.t(); ++i) share *= (code.n() - i) * 255.0 / (i + 1) / 65536.0;
    return share;
}

constexpr size_t kOneBit = 4096;
/// Information that a soft bit of each magnitude carries, in units of 1 / kOneBit.
const std::array<uint16_t, 129>& information() {
    static const auto table = [] {
        std::array<uint16_t, 129> all{};
        for (size_t i = 0; i < all.size(); ++i) {
            const double wrong = 1 / (1 + std::exp(static_cast<double>(i) / kSoftBitScale));
            const double entropy = -wrong * std::log2(wrong) - (1 - wrong) * std::log2(1 - wrong);
            all[i] = static_cast<uint16_t>(std::lround((1 - entropy) * kOneBit));
        }
        return all;
    }();
    return table;
}

constexpr size_t kMemory = 6;
/// Index into BranchMetrics by input bit (bit 6) and state before it.
constexpr unsigned output(unsigned bits) { return viterbi::output_x(bits) << 1 | viterbi::output_y(bits); }

size_t magnitude(SoftBit soft) { return static_cast<size_t>(std::abs(int{soft})); }

}  // namespace

SecondChance::SecondChance()
    : soft_(kKeptBits), branches_(ListViterbi::kMostBefore + ListViterbi::kMostSteps + kAfter) {
    information();
}

void SecondChance::start(CodeRate rate, const Interleaver& interleaver, const ReedSolomon& outer, int symbols) {
    rate_ = rate;
    outer_ = &outer;
    position_ = interleaver.position();
    symbols_ = static_cast<size_t>(symbols);
    kept_ = 0;
    slots_ = soft_.size() / position_.size();
    const bool by_chance = hits_by_chance(outer) > kByChance;
    doubtful_ = by_chance ? outer.t() - 1 : outer.t();
    most_means_ = by_chance ? kMostMeansByChance : kMostMeans;
    least_information_ = by_chance ? kLeastInformationByChance : kLeastInformation;
}

void SecondChance::keep(std::span<const SoftBit> soft) {
    std::copy_n(soft.begin(), position_.size(),
                soft_.begin() + static_cast<std::ptrdiff_t>(kept_++ % slots_ * position_.size()));
    work_ = std::min(work_ + kWorkOfSymbol, kMostWork);
}

std::span<const SoftBit> SecondChance::soft(size_t symbol) const {
    return std::span(soft_).subspan(symbol % slots_ * position_.size(), position_.size());
}

/// Whether the soft bits carry about as much information as the inner code needs: a bit per trellis step.
bool SecondChance::hopeful(size_t symbol) const {
    size_t sum = 0;
    for (const SoftBit bit : soft(symbol)) sum += information()[magnitude(bit)];
    const auto needed = static_cast<double>(kOneBit * trellis_steps(rate_, position_.size()));
    return static_cast<double>(sum) >= least_information_ * needed;
}

/// Branch metrics of the block and of parts of the symbols before and after it.
ListViterbi::Stretch SecondChance::stretch_of(size_t symbol) {
    const auto& pattern = puncture_pattern(rate_);
    const auto period_in = static_cast<size_t>(pattern.input_bits);
    const auto sent = [&](size_t steps) { return steps / period_in * static_cast<size_t>(pattern.output_bits); };
    const bool first = symbol == 0, last = symbol + 1 == symbols_, next_here = symbol + 1 < kept_;
    const size_t before = first ? 0 : ListViterbi::kMostBefore, after = next_here ? kAfter / period_in * period_in : 0;
    auto* out = branches_.data();
    if (!first) out += viterbi::fill_branches(rate_, soft(symbol - 1).data(), position_.last(sent(before)), out);
    const size_t steps = viterbi::fill_branches(rate_, soft(symbol).data(), position_, out);
    if (next_here) viterbi::fill_branches(rate_, soft(symbol + 1).data(), position_.first(sent(after)), out + steps);
    return {.branches = std::span(branches_).first(before + steps + after),
            .before = before,
            .steps = steps,
            .from_zero = first,
            .to_zero = last};
}

int SecondChance::most_discrepancy(size_t symbol) const {
    const auto bits = soft(symbol);
    int sum = 0;
    for (const int bit : bits) sum += std::abs(bit);
    return static_cast<int>(most_means_ * sum / static_cast<double>(bits.size()));
}

/// Whether `word` is within the limit, measured against the path `heard` of the first decoder. This takes little time,
/// but leaves out the first steps after another block, where the state is unknown, and the steps after the block.
bool SecondChance::fits(size_t symbol, std::span<const uint8_t> word, std::span<const uint8_t> heard) {
    viterbi::fill_branches(rate_, soft(symbol).data(), position_, branches_.data());
    const size_t begin = symbol == 0 ? 0 : kMemory;
    unsigned of_word = 0, of_heard = 0;  // the last bits of both paths
    int lost = 0;
    for (size_t t = 0; t < 8 * word.size(); ++t) {
        const auto bit = [t](std::span<const uint8_t> octets) { return octets[t / 8] >> (7 - t % 8) & 1U; };
        of_word = of_word >> 1 | bit(word) << kMemory;
        of_heard = of_heard >> 1 | bit(heard) << kMemory;
        if (t < begin || of_word == of_heard) continue;
        const auto& value = branches_[t].value;
        lost += value[output(of_heard)] - value[output(of_word)];
    }
    return lost <= most_discrepancy(symbol);
}

bool SecondChance::retry(size_t symbol, std::span<uint8_t> block, std::span<const uint8_t> heard, const RsResult& first,
                         RetriedBlocks& count) {
    if (!on_) return first.ok;
    if (first.ok && fits(symbol, block, heard)) return true;
    if (work_ < kLeastWork || (!first.ok && !hopeful(symbol))) {
        ++count.refused;
        return false;
    }
    ++count.tried;
    work_ -= kPassWork;
    const int most = most_discrepancy(symbol);
    const auto trials = static_cast<size_t>(work_ / (kShareOfBlock * kTrialWork));
    const size_t paths =
        std::min(trials + 1, ListViterbi::kMostPaths);  // the first is usually that of the first decoder
    list_.start(stretch_of(symbol), {.loss = most, .paths = paths}, block);
    if (!try_paths(block, most)) return false;
    count.saved += first.ok ? 0 : 1;
    return true;
}

bool SecondChance::try_paths(std::span<uint8_t> block, int most_discrepancy) {
    ListViterbi::Bytes bytes;
    const auto word = std::span(bytes).first(block.size());
    for (auto path = list_.next(); !path.empty(); path = list_.next()) {
        if (std::ranges::equal(path, block)) continue;  // that has failed already
        work_ -= kTrialWork;
        std::ranges::copy(path, word.begin());
        if (!outer_->decode(word).ok || list_.discrepancy(word) > most_discrepancy) continue;
        std::ranges::copy(word, block.begin());
        return true;
    }
    return false;  // the list has all paths that are allowed
}

}  // namespace gr::wimax::phy
