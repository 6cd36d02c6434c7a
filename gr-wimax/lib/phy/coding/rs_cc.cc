// SPDX-License-Identifier: GPL-3.0-or-later
// The concatenated code of clause 8.3.3.2.1: each symbol of the whole band is a Reed-Solomon block, whose octets run
// through the convolutional code. Subchannelized bursts have no Reed-Solomon code and run the convolutional code at the
// overall rate.
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include "phy/coding/burst_code.h"
#include "phy/coding/inner_decoder.h"
#include "phy/coding/octet_bits.h"
#include "phy/coding/second_chance.h"
#include "phy/coding/symbol_decisions.h"

#include <algorithm>

namespace gr::wimax::phy {
namespace {

constexpr size_t kMaxBlockBytes = 120;  // longest RS block (64-QAM 3/4)
/// Least number of blocks decoded per symbol while more wait: fewer would fetch the code's tables too often.
constexpr size_t kLeastShare = 32;

/// A wrong path of the inner decoder is anywhere in the constellation, while a wrong decision on a carrier is next to
/// the sent point. With 64-QAM the former mislead the receiver more than the latter.
constexpr int kMostBitsOfFailed = 4;

bool full_band(const BurstFormat& format) { return format.subchannel_index == kFullSubchannel; }

CodeRate inner_rate(const RateInfo& rate, const BurstFormat& format) {
    return full_band(format) ? rate.inner_rate : rate.bypass_rate;
}

/// The code of a row with the sizes of one in kRateTable; a process needs the tables once.
const ReedSolomon& outer_code(const RateInfo& rate) {
    static const auto codes = [] {
        std::vector<ReedSolomon> all;
        for (const auto& row : kRateTable) all.emplace_back(row.rs_k, row.rs_t);
        return all;
    }();
    return *std::ranges::find_if(codes, [&](const auto& one) { return one.k() == rate.rs_k && one.t() == rate.rs_t; });
}

class RsCcEncoder final : public SymbolEncoder {
public:
    void start(const RateInfo& rate, const BurstFormat& format) override {
        outer_ = full_band(format) ? &outer_code(rate) : nullptr;
        symbol_bits_ = static_cast<size_t>(rate.uncoded_bytes * 8 * subchannel_count(format.subchannel_index) / 16);
        convolutional_.start(inner_rate(rate, format));
        block_bytes_ = bits_waiting_ = 0;
    }

    size_t next(BurstSource& source, std::span<uint8_t> coded) override {
        if (outer_) return convolutional_.encode(std::span(bits_).first(fill_block(source)), coded);
        fill_bits(source);
        const size_t count = convolutional_.encode(std::span(bits_).first(symbol_bits_), coded);
        std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(symbol_bits_), bits_waiting_ - symbol_bits_,
                    bits_.begin());
        bits_waiting_ -= symbol_bits_;
        return count;
    }

    std::span<const uint8_t> last_block() const override { return {block_.data(), block_bytes_}; }

private:
    size_t fill_block(BurstSource& source) {
        std::array<uint8_t, kMaxBlockBytes> data;
        const auto k = std::span(data).first(static_cast<size_t>(outer_->k()));
        source.take(k);
        block_bytes_ = static_cast<size_t>(outer_->n());
        outer_->encode(k, std::span(block_).first(block_bytes_));
        unpack_octets(std::span(block_).first(block_bytes_), bits_.data());
        return 8 * block_bytes_;
    }

    void fill_bits(BurstSource& source) {
        while (bits_waiting_ < symbol_bits_) {
            uint8_t byte = 0;
            source.take({&byte, 1});
            unpack_octets({&byte, 1}, bits_.data() + bits_waiting_);
            bits_waiting_ += 8;
        }
    }

    const ReedSolomon* outer_ = nullptr;  // null: none in subchannelized bursts
    ConvolutionalEncoder convolutional_;
    std::array<uint8_t, kMaxBlockBytes> block_;
    size_t block_bytes_ = 0;
    size_t symbol_bits_ = 0;                            // subchannelized: uncoded bits of one symbol
    std::array<uint8_t, 8 * kMaxBlockBytes + 8> bits_;  // input of the convolutional encoder, one bit per byte
    size_t bits_waiting_ = 0;                           // subchannelized: part of a byte left for the next symbol
};

class RsCcDecoder final : public SymbolDecoder {
public:
    void start(const RateInfo& rate, const BurstFormat& format, const Interleaver& interleaver) override {
        outer_ = full_band(format) && rate.rs_t > 0 ? &outer_code(rate) : nullptr;
        symbols_left_ = static_cast<size_t>(format.data_symbols);
        raw_bytes_ = blocks_ = 0;
        if (outer_) {
            second_chance_.start(rate.inner_rate, interleaver, *outer_, format.data_symbols);
            decisions_.start(rate.inner_rate, interleaver, *outer_);
            use_failed_ = rate.bits_per_carrier <= kMostBitsOfFailed;
        }
        inner_.start(inner_rate(rate, format), interleaver, format.data_symbols);
    }

    void set_second_chance(bool on) override { second_chance_.enable(on); }
    void renew_second_chance() override { second_chance_.renew(); }

    DecodedBlocks feed(std::span<const SoftBit> soft, BurstSink& sink) override {
        if (outer_) second_chance_.keep(soft);
        raw_bytes_ += inner_.feed(soft, raw_.data() + raw_bytes_);
        --symbols_left_;
        return outer_ ? drain_blocks(sink) : drain_octets(sink);
    }

    size_t decision_steps() const override { return outer_ && second_chance_.kept() > 0 ? decisions_.steps() : 0; }

    bool decide(std::span<uint8_t> labels) override {
        const size_t symbol = second_chance_.kept() - 1;
        const auto before = symbol > 0 ? second_chance_.soft(symbol - 1) : std::span<const SoftBit>();
        return decisions_.decide(before, second_chance_.soft(symbol), symbols_left_ == 0, labels) || use_failed_;
    }

private:
    /// All waiting blocks with the last symbol, else a share, since many may have arrived together.
    DecodedBlocks drain_blocks(BurstSink& sink) {
        DecodedBlocks done;
        const auto unit = static_cast<size_t>(outer_->n());
        const size_t waiting = raw_bytes_ / unit, shares = std::max<size_t>(symbols_left_, 1);
        const size_t whole = std::min(waiting, std::max(kLeastShare, (waiting + shares - 1) / shares)) * unit;
        for (size_t at = 0; at < whole; at += unit) {
            const auto block = std::span(raw_).subspan(at, unit);
            decode_block(block, done);
            sink.accept(block.subspan(static_cast<size_t>(2 * outer_->t())));
        }
        std::copy_n(raw_.begin() + static_cast<std::ptrdiff_t>(whole), raw_bytes_ - whole, raw_.begin());
        raw_bytes_ -= whole;
        return done;
    }

    void decode_block(std::span<uint8_t> block, DecodedBlocks& done) {
        const size_t symbol = blocks_++;
        std::ranges::copy(block, heard_.begin());
        RsResult result = outer_->decode(block);
        if (!result.ok || second_chance_.doubts(result))
            result.ok =
                second_chance_.retry(symbol, block, std::span(heard_).first(block.size()), result, done.retried);
        if (result.ok) second_chance_.found_correct();
        done.failed += result.ok ? 0 : 1;
        done.corrected_octets += result.corrected;
    }

    DecodedBlocks drain_octets(BurstSink& sink) {
        sink.accept(std::span(raw_).first(raw_bytes_));
        raw_bytes_ = 0;
        return {};
    }

    const ReedSolomon* outer_ = nullptr;  // null: none
    InnerDecoder inner_;
    SecondChance second_chance_;
    SymbolDecisions decisions_;
    bool use_failed_ = false;               // decisions of a block that Reed-Solomon could not correct
    size_t symbols_left_ = 0, blocks_ = 0;  // still to come; decoded
    // Decoded bytes of an incomplete block, and the bytes that one symbol can add.
    std::array<uint8_t, kMaxBlockBytes + InnerDecoder::kMaxOutputBytes> raw_;
    size_t raw_bytes_ = 0;
    std::array<uint8_t, kMaxBlockBytes> heard_{};  // the last block before Reed-Solomon
};

}  // namespace

const BurstCode kRsCc{
    []() -> std::unique_ptr<SymbolEncoder> {
        outer_code(kRateTable[0]);  // tables are built with the first coder, not with its first burst
        return std::make_unique<RsCcEncoder>();
    },
    []() -> std::unique_ptr<SymbolDecoder> {
        outer_code(kRateTable[0]);
        return std::make_unique<RsCcDecoder>();
    },
};

}  // namespace gr::wimax::phy
