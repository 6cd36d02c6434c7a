// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/coding/tail_biting.h>

#include "phy/coding/octet_bits.h"
#include "phy/coding/viterbi_kernels.h"

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

constexpr size_t kMaxSteps = 288;  // of a block: six slots of 48, or their like
constexpr size_t kWrapSteps = 96;  // before and after the block
constexpr size_t kEncoderMemory = 6;
constexpr int kInterleaverColumns = 16;
static_assert(kWrapSteps % 24 == 0, "whole octets and whole rounds of states");

}  // namespace

BlockInterleaver::BlockInterleaver(int bits_per_carrier, int coded_bits) {
    const int n = coded_bits, s = bits_per_carrier / 2;
    position_.reserve(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) {
        const int m = n / kInterleaverColumns * (k % kInterleaverColumns) + k / kInterleaverColumns;
        position_.push_back(static_cast<uint16_t>(s * (m / s) + (m + n - kInterleaverColumns * m / n) % s));
    }
}

const BlockInterleaver& BlockInterleaver::get(const FecCode& code, int slots) {
    constexpr int kMostSlots = 6;
    static const auto tables = [] {
        std::vector<BlockInterleaver> all;
        for (int bits : {2, 4, 6})
            for (int count = 1; count <= kMostSlots; ++count) all.emplace_back(bits, kSlotPoints * bits * count);
        return all;
    }();
    return tables[static_cast<size_t>((code.bits_per_carrier / 2 - 1) * kMostSlots + slots - 1)];
}

size_t tail_biting_encode(CodeRate rate, std::span<const uint8_t> octets, std::span<uint8_t> bits) {
    std::array<uint8_t, kMaxSteps> in;
    const auto used = std::span(in).first(8 * octets.size());
    unpack_octets(octets, used.data());
    ConvolutionalEncoder encoder;
    encoder.start(rate, used.last<kEncoderMemory>());
    return encoder.encode(used, bits);
}

struct TailBitingDecoder::Impl {
    static constexpr size_t kMostSteps = kMaxSteps + 2 * kWrapSteps;

    viterbi::PathMetrics metrics;
    std::array<viterbi::BranchMetrics, kMaxSteps> block;
    std::array<viterbi::BranchMetrics, kMostSteps> branches;
    std::array<viterbi::Survivors, kMostSteps / viterbi::kPhases> survivors;
    std::array<uint8_t, (kMaxSteps + kWrapSteps) / 8> decided;
};

TailBitingDecoder::TailBitingDecoder() : impl_(std::make_unique<Impl>()) {}
TailBitingDecoder::~TailBitingDecoder() = default;
TailBitingDecoder::TailBitingDecoder(TailBitingDecoder&&) noexcept = default;

void TailBitingDecoder::decode(CodeRate rate, std::span<const SoftBit> received, std::span<const uint16_t> positions,
                               std::span<uint8_t> octets) {
    auto& s = *impl_;
    const size_t steps = viterbi::fill_branches(rate, received.data(), positions, s.block.data());
    const size_t total = steps + 2 * kWrapSteps;
    size_t from = (kWrapSteps / steps + 1) * steps - kWrapSteps;
    for (size_t i = 0; i < total; ++i, ++from) s.branches[i] = s.block[from % steps];
    s.metrics.value.fill(0);
    const auto& kernel = viterbi::kernel(best_instruction_set());
    const size_t rounds = total / viterbi::kPhases;
    kernel.add_compare_select(s.metrics, s.branches.data(), s.survivors.data(), rounds);
    kernel.traceback(s.survivors.data(), rounds, kernel.best_end(s.metrics), (steps + kWrapSteps) / 8,
                     s.decided.data());
    std::copy_n(s.decided.begin() + kWrapSteps / 8, steps / 8, octets.begin());
}

}  // namespace gr::wimax::phy::ofdma
