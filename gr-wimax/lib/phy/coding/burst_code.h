// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of a forward error correction (internal): what BurstEncoder and BurstDecoder need of a code, one OFDM
// symbol at a time. They own the octets of the burst, padding, randomizer and interleaver; a code owns what is between
// octets and bits. A further code is a pair of these classes, a BurstCode, and rows in a BurstRates. No function after
// construction allocates.
#pragma once

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <memory>
#include <vector>

namespace gr::wimax::phy {

/// The octets of a burst to send: payload, then padding, both randomized, then the tail and zero octets after it.
class BurstSource {
public:
    void start(std::span<const uint8_t> payload, size_t capacity, Randomizer randomizer);
    void take(std::span<uint8_t> out);

private:
    std::span<const uint8_t> payload_;
    size_t capacity_ = 0, next_ = 0;  // payload and padding
    Randomizer randomizer_ = Randomizer::frame_start();
};

/// The octets of a received burst, derandomized; octets beyond the capacity are tail and dropped.
class BurstSink {
public:
    explicit BurstSink(size_t most_octets) : payload_(most_octets) {}

    void start(size_t capacity, Randomizer randomizer);
    void accept(std::span<const uint8_t> data);
    std::span<const uint8_t> payload() const { return {payload_.data(), octets_}; }

private:
    std::vector<uint8_t> payload_;
    size_t capacity_ = 0, octets_ = 0;
    Randomizer randomizer_ = Randomizer::frame_start();
};

class SymbolEncoder {
public:
    virtual ~SymbolEncoder() = default;
    virtual void start(const RateInfo& rate, const BurstFormat& format) = 0;
    /// Takes octets, and writes the coded bits of the next symbol, one per octet, in the order before interleaving.
    virtual size_t next(BurstSource& source, std::span<uint8_t> coded) = 0;
    /// The block last encoded by an outer code, if there is one.
    virtual std::span<const uint8_t> last_block() const { return {}; }
};

struct DecodedBlocks {
    int failed = 0, corrected_octets = 0;
    RetriedBlocks retried;
};

class SymbolDecoder {
public:
    virtual ~SymbolDecoder() = default;
    virtual void start(const RateInfo& rate, const BurstFormat& format, const Interleaver& interleaver) = 0;
    /// Of BurstDecoder; a code without second attempts ignores them.
    virtual void set_second_chance(bool) {}
    virtual void renew_second_chance() {}
    /// Soft bits of the next symbol in label order. Octets that became certain go to the sink, all with the last
    /// symbol.
    virtual DecodedBlocks feed(std::span<const SoftBit> soft, BurstSink& sink) = 0;
    /// Of BurstDecoder; a code without decisions has 0 steps.
    virtual size_t decision_steps() const { return 0; }
    virtual bool decide(std::span<uint8_t>) { return false; }
};

struct BurstCode {
    std::unique_ptr<SymbolEncoder> (*encoder)();
    std::unique_ptr<SymbolDecoder> (*decoder)();
};

/// Rows of modulation and code by BurstFormat::rate_id, and the code of each.
struct BurstRates {
    std::span<const RateInfo> rows;
    std::span<const BurstCode* const> codes;

    bool valid(const BurstFormat& format) const;
    const RateInfo& of(const BurstFormat& format) const { return rows[format.rate_id]; }
};

/// Payload octets of a burst at a row, without tail.
constexpr int payload_bytes(const RateInfo& rate, const BurstFormat& format, int subchannels) {
    return rate.uncoded_bytes * subchannels * format.data_symbols / kFullSubchannel - rate.tail_bytes;
}

/// The concatenated Reed-Solomon and convolutional code of clause 8.3.3.2.1, mandatory (rs_cc.cc).
extern const BurstCode kRsCc;

}  // namespace gr::wimax::phy
