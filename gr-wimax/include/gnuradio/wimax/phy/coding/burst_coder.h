// SPDX-License-Identifier: GPL-3.0-or-later
// Coding chain of one burst, clause 8.3.3.1 to 8.3.3.3: payload to carrier labels and soft bits to payload, one OFDM
// symbol at a time. Padding is 0xFF and randomized, the tail byte 0x00 is not. Subchannelized bursts have no RS and run
// the convolutional code at the overall rate. Nothing is allocated after construction.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/randomizer.h>

#include <memory>

namespace gr::wimax::phy {

/// Payload bytes of a burst, without tail; negative or 0: no payload. Agrees with
/// burst_capacity_bytes() for the full band.
WIMAX_API int burst_payload_bytes(const BurstFormat& format);

/// Data carriers, and coded bits, of one symbol of the burst.
WIMAX_API int burst_carriers(const BurstFormat& format);
WIMAX_API int burst_symbol_bits(const BurstFormat& format);

/// Rate 0..6, at least one data symbol, valid subchannel index, payload capacity of at least one byte.
WIMAX_API bool valid_burst_format(const BurstFormat& format);

/// Initial randomizer of a burst; `first` for downlink burst #1.
inline Randomizer burst_randomizer(const BurstFormat& format, bool first = false) {
    return first ? Randomizer::first_burst() : Randomizer::burst(format.bsid_lsb, format.iuc, format.frame_lsb);
}
/// The FCH: one BPSK 1/2 symbol, 11 bytes; use with Randomizer::frame_start().
inline BurstFormat fch_format() {
    BurstFormat format;
    format.data_symbols = 1;
    return format;
}

/// Modulations and codes by rate_id, each with its coder (lib/phy/coding/burst_code.h).
struct BurstRates;
WIMAX_API const BurstRates& ofdm_rates();

class WIMAX_API BurstEncoder {
public:
    explicit BurstEncoder(const BurstRates& rates = ofdm_rates());
    ~BurstEncoder();
    BurstEncoder(BurstEncoder&&) noexcept;

    /// Begins a burst; `payload` must stay valid until the last symbol. False if the format is invalid or the payload
    /// exceeds the capacity.
    [[nodiscard]] bool start(const BurstFormat& format, std::span<const uint8_t> payload, Randomizer randomizer);

    /// Labels of the next symbol, burst_carriers() of them in rising carrier order. False after the last symbol.
    bool next_symbol(std::span<uint8_t> labels);

    /// Stages of the symbol last encoded, for tests and analysers: RS block as fed to the convolutional encoder (full
    /// band only) and its coded bits before interleaving, one per byte.
    std::span<const uint8_t> last_block() const;
    std::span<const uint8_t> last_coded_bits() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

class WIMAX_API BurstDecoder {
public:
    /// Bursts of more than `max_symbols` data symbols are rejected.
    explicit BurstDecoder(int max_symbols = kMaxFrameSymbols, const BurstRates& rates = ofdm_rates());
    ~BurstDecoder();
    BurstDecoder(BurstDecoder&&) noexcept;

    /// Begins a burst; false if the format is invalid or too long.
    [[nodiscard]] bool start(const BurstFormat& format, Randomizer randomizer);

    /// Soft bits of the next symbol in label order (burst_symbol_bits() of them, constellation.h). Symbols that were
    /// not received are fed as zeros. True once the last symbol is in and the payload complete.
    bool feed(std::span<const SoftBit> soft);

    /// Trellis steps that decide() takes; 0: no symbol was fed, or the burst's code has no decisions (BPSK 1/2, groups
    /// of subchannels).
    int decision_steps() const;
    /// Labels of the symbol last fed as they were sent, from decoding this symbol at once. Wrong in a block that
    /// Reed-Solomon could not correct; with 64-QAM such a block has none. The payload does not change.
    std::span<const uint8_t> decide(std::span<uint8_t, kDataCarriers> labels);

    /// Payload bytes decoded so far. It grows while symbols are fed (in long bursts by many symbols at once), up to the
    /// whole capacity, padding included. A block that RS could not correct is included as received.
    std::span<const uint8_t> payload() const;

    bool complete() const;
    bool fec_ok() const { return failed_blocks() == 0; }
    int failed_blocks() const;
    int corrected_bytes() const;
    RetriedBlocks retried_blocks() const;

    /// Failed blocks get a second attempt (docs/receiver.md), on by default. A call also renews their work.
    void set_second_chance(bool on);
    /// Grants all the work that second attempts can save up: results then do not depend on earlier bursts.
    void renew_second_chance();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
