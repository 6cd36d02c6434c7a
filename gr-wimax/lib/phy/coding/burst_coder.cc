/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include "phy/coding/inner_decoder.h"

#include <algorithm>

namespace gr::wimax::phy {
namespace {

constexpr uint8_t kPadding = 0xFF;
constexpr uint8_t kTail = 0x00;
constexpr size_t kMaxBlockBytes = 120;  // longest RS block (64-QAM 3/4)
constexpr size_t kMaxSymbolBits = 6 * kDataCarriers;
/// Least number of blocks decoded per symbol while more wait: fewer would fetch the code's tables too often.
constexpr size_t kLeastShare = 32;

const RateInfo& rate_of(const BurstFormat& format) { return kRateTable[format.rate_id]; }
bool full_band(const BurstFormat& format) { return format.subchannel_index == kFullSubchannel; }

/// Uncoded bits of one symbol of a subchannelized burst (or of BPSK over the whole band).
int uncoded_bits(const BurstFormat& format) {
    return rate_of(format).uncoded_bytes * 8 * subchannel_count(format.subchannel_index) / 16;
}

CodeRate inner_rate(const BurstFormat& format) {
    return full_band(format) ? rate_of(format).inner_rate : rate_of(format).bypass_rate;
}

/// The code of each rate; a process needs them once.
const ReedSolomon& outer_code(int rate_id) {
    static const auto codes = [] {
        std::vector<ReedSolomon> all;
        for (const auto& rate : kRateTable) all.emplace_back(rate.rs_k, rate.rs_t);
        return all;
    }();
    return codes[static_cast<size_t>(rate_id)];
}

/// Shared tables are built with the first coder, not with its first burst.
void build_tables() {
    outer_code(0);
    Interleaver::get(1, 16);
}

/// Bits of each octet, the highest first, one per byte.
constexpr auto kBitsOf = [] {
    std::array<std::array<uint8_t, 8>, 256> bits{};
    for (unsigned octet = 0; octet < bits.size(); ++octet)
        for (unsigned i = 0; i < 8; ++i) bits[octet][i] = octet >> (7 - i) & 1;
    return bits;
}();

void unpack(std::span<const uint8_t> bytes, uint8_t* bits) {
    for (uint8_t byte : bytes) bits = std::copy(kBitsOf[byte].begin(), kBitsOf[byte].end(), bits);
}

}  // namespace

int burst_payload_bytes(const BurstFormat& format) {
    if (full_band(format)) return burst_capacity_bytes(format.rate_id, format.data_symbols);
    return uncoded_bits(format) * format.data_symbols / 8 - 1;
}

int burst_carriers(const BurstFormat& format) { return kDataCarriers / 16 * subchannel_count(format.subchannel_index); }

int burst_symbol_bits(const BurstFormat& format) { return burst_carriers(format) * rate_of(format).bits_per_carrier; }

bool valid_burst_format(const BurstFormat& format) {
    return format.rate_id < kRates && format.data_symbols > 0 && format.data_symbols <= kMaxFrameSymbols &&
           valid_subchannel_index(format.subchannel_index) && burst_payload_bytes(format) > 0;
}

// ---- encoder ----

struct BurstEncoder::Impl {
    BurstFormat format;
    std::span<const uint8_t> payload;
    Randomizer randomizer = Randomizer::frame_start();
    ConvolutionalEncoder convolutional;
    const Interleaver* interleaver = nullptr;
    size_t capacity = 0;  // payload and padding bytes of the burst
    size_t next_byte = 0;
    int symbols_left = 0;

    std::array<uint8_t, kMaxBlockBytes> block;
    size_t block_bytes = 0;
    std::array<uint8_t, 8 * kMaxBlockBytes + 8> bits;  // input of the convolutional encoder, one bit per byte
    size_t bits_waiting = 0;                           // subchannelized: part of a byte left for the next symbol
    std::array<uint8_t, kMaxSymbolBits> coded;
    size_t coded_bits = 0;

    /// Next bytes of the burst: payload, then padding, both randomized, then the tail and zero bits after it.
    void take(std::span<uint8_t> out) {
        const size_t randomized = std::min(out.size(), capacity - next_byte);
        const size_t known = std::min(randomized, payload.size() - std::min(payload.size(), next_byte));
        if (known > 0) std::copy_n(&payload[next_byte], known, out.begin());
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(known),
                  out.begin() + static_cast<std::ptrdiff_t>(randomized), kPadding);
        randomizer.apply(out.first(randomized));
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(randomized), out.end(), kTail);
        next_byte += randomized;
    }

    size_t fill_full_band() {
        const auto& outer = outer_code(format.rate_id);
        std::array<uint8_t, kMaxBlockBytes> data;
        const auto k = std::span(data).first(static_cast<size_t>(outer.k()));
        take(k);
        block_bytes = static_cast<size_t>(outer.n());
        outer.encode(k, std::span(block).first(block_bytes));
        unpack(std::span(block).first(block_bytes), bits.data());
        return 8 * block_bytes;
    }

    size_t fill_subchannels() {
        const auto wanted = static_cast<size_t>(uncoded_bits(format));
        while (bits_waiting < wanted) {
            uint8_t byte = 0;
            take({&byte, 1});
            unpack({&byte, 1}, bits.data() + bits_waiting);
            bits_waiting += 8;
        }
        return wanted;
    }
};

BurstEncoder::BurstEncoder() : impl_(std::make_unique<Impl>()) { build_tables(); }
BurstEncoder::~BurstEncoder() = default;
BurstEncoder::BurstEncoder(BurstEncoder&&) noexcept = default;

bool BurstEncoder::start(const BurstFormat& format, std::span<const uint8_t> payload, Randomizer randomizer) {
    impl_->symbols_left = 0;
    if (!valid_burst_format(format) || static_cast<int>(payload.size()) > burst_payload_bytes(format)) return false;
    impl_->format = format;
    impl_->payload = payload;
    impl_->randomizer = randomizer;
    impl_->convolutional.start(inner_rate(format));
    impl_->interleaver = &Interleaver::get(rate_of(format).bits_per_carrier, subchannel_count(format.subchannel_index));
    impl_->capacity = static_cast<size_t>(burst_payload_bytes(format));
    impl_->next_byte = 0;
    impl_->symbols_left = format.data_symbols;
    impl_->block_bytes = impl_->bits_waiting = impl_->coded_bits = 0;
    return true;
}

bool BurstEncoder::next_symbol(std::span<uint8_t> labels) {
    auto& s = *impl_;
    if (s.symbols_left == 0 || labels.size() < static_cast<size_t>(burst_carriers(s.format))) return false;
    --s.symbols_left;
    const bool whole = full_band(s.format);
    const size_t count = whole ? s.fill_full_band() : s.fill_subchannels();
    s.coded_bits = s.convolutional.encode(std::span(s.bits).first(count), s.coded);
    if (!whole) {
        std::copy(s.bits.begin() + static_cast<std::ptrdiff_t>(count),
                  s.bits.begin() + static_cast<std::ptrdiff_t>(s.bits_waiting), s.bits.begin());
        s.bits_waiting -= count;
    }
    s.interleaver->interleave(std::span(s.coded).first(s.coded_bits), labels);
    return true;
}

std::span<const uint8_t> BurstEncoder::last_block() const { return {impl_->block.data(), impl_->block_bytes}; }
std::span<const uint8_t> BurstEncoder::last_coded_bits() const { return {impl_->coded.data(), impl_->coded_bits}; }

// ---- decoder ----

struct BurstDecoder::Impl {
    int max_symbols;
    BurstFormat format;
    Randomizer randomizer = Randomizer::frame_start();
    InnerDecoder inner;
    size_t capacity = 0;
    int symbols_left = 0;
    int failed_blocks = 0, corrected_bytes = 0;
    bool complete = false;

    // Decoded bytes of an incomplete block, and the bytes that one symbol can add.
    std::array<uint8_t, kMaxBlockBytes + InnerDecoder::kMaxOutputBytes> raw;
    size_t raw_bytes = 0;
    std::vector<uint8_t> payload;
    size_t payload_bytes = 0;

    explicit Impl(int most_symbols) : max_symbols(most_symbols) {
        payload.resize(static_cast<size_t>(burst_capacity_bytes(kRates - 1, most_symbols)));
    }

    /// Derandomizes decoded data bytes into the payload; bytes beyond the capacity are tail.
    void accept(std::span<const uint8_t> data) {
        const size_t count = std::min(data.size(), capacity - payload_bytes);
        const auto out = std::span(payload).subspan(payload_bytes, count);
        std::copy_n(data.begin(), count, out.begin());
        randomizer.apply(out);
        payload_bytes += count;
    }

    /// Takes whole blocks out of raw: all with the last symbol, else a share, since many may have arrived together.
    void drain() {
        const auto& outer = outer_code(format.rate_id);
        const bool coded = full_band(format) && outer.t() > 0;
        const size_t unit = coded ? static_cast<size_t>(outer.n()) : 1;
        const size_t waiting = raw_bytes / unit, shares = static_cast<size_t>(std::max(symbols_left, 1));
        const size_t whole =
            (coded ? std::min(waiting, std::max(kLeastShare, (waiting + shares - 1) / shares)) : waiting) * unit;
        if (!coded) accept(std::span(raw).first(whole));
        for (size_t at = 0; coded && at < whole; at += unit) {
            const auto block = std::span(raw).subspan(at, unit);
            const RsResult result = outer.decode(block);
            failed_blocks += result.ok ? 0 : 1;
            corrected_bytes += result.corrected;
            accept(block.subspan(static_cast<size_t>(2 * outer.t())));
        }
        std::copy(raw.begin() + static_cast<std::ptrdiff_t>(whole),
                  raw.begin() + static_cast<std::ptrdiff_t>(raw_bytes), raw.begin());
        raw_bytes -= whole;
    }
};

BurstDecoder::BurstDecoder(int max_symbols)
    : impl_(std::make_unique<Impl>(std::clamp(max_symbols, 1, kMaxFrameSymbols))) {
    build_tables();
}
BurstDecoder::~BurstDecoder() = default;
BurstDecoder::BurstDecoder(BurstDecoder&&) noexcept = default;

bool BurstDecoder::start(const BurstFormat& format, Randomizer randomizer) {
    auto& s = *impl_;
    s.payload_bytes = s.raw_bytes = 0;
    s.failed_blocks = s.corrected_bytes = s.symbols_left = 0;
    s.complete = false;
    if (!valid_burst_format(format) || format.data_symbols > s.max_symbols) return false;
    s.format = format;
    s.randomizer = randomizer;
    s.inner.start(inner_rate(format),
                  Interleaver::get(rate_of(format).bits_per_carrier, subchannel_count(format.subchannel_index)),
                  format.data_symbols);
    s.capacity = static_cast<size_t>(burst_payload_bytes(format));
    s.symbols_left = format.data_symbols;
    return true;
}

bool BurstDecoder::feed(std::span<const SoftBit> soft) {
    auto& s = *impl_;
    if (s.symbols_left == 0) return s.complete;
    if (soft.size() < static_cast<size_t>(burst_symbol_bits(s.format))) return false;
    s.raw_bytes += s.inner.feed(soft, s.raw.data() + s.raw_bytes);
    --s.symbols_left;
    s.drain();
    s.complete = s.symbols_left == 0;
    return s.complete;
}

std::span<const uint8_t> BurstDecoder::payload() const { return {impl_->payload.data(), impl_->payload_bytes}; }
bool BurstDecoder::complete() const { return impl_->complete; }
int BurstDecoder::failed_blocks() const { return impl_->failed_blocks; }
int BurstDecoder::corrected_bytes() const { return impl_->corrected_bytes; }

}  // namespace gr::wimax::phy
