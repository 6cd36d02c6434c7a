// SPDX-License-Identifier: GPL-3.0-or-later
// Registers, orders and packet headers of the core `ofdm_frontend`, for its model, its harness and the host's block
// controller. Addresses are ctrlport's; others read as 0.
#pragma once

#include <cstdint>

namespace wimax::fpga::ofdm_frontend {

inline constexpr uint32_t kId = 0x4f465258, kVersion = 0x00010000;  ///< "OFRX"

enum Register : uint32_t {
    kRegisterId = 0x00,
    kRegisterVersion = 0x04,
    kRegisterControl = 0x08,    ///< bits below; 1 after reset
    kRegisterIncrement = 0x0c,  ///< of orders without one: 2^-32 turns per sample, compensated
    kRegisterSamples = 0x10,    ///< received since reset, modulo 2^32, like words and symbols
    kRegisterWords = 0x14,      ///< words sent to the host: the load of the link
    kRegisterSymbols = 0x18,    ///< sent with carriers
    kRegisterLost = 0x1c,       ///< orders cut by a gap in the samples' times [31:16], late ones [15:0]
    kRegisterOrders = 0x20,     ///< bit 0: some wait; bit 1: full
};
inline constexpr uint32_t kControlRestart = 1;  ///< the phase restarts if an order requests it; else never
inline constexpr uint32_t kControlForget = 2;   ///< write: drops waiting orders without a response
inline constexpr int kOrdersWaiting = 32;

/// Consecutive symbols. Their time is that of the first prefix's first sample; a window earlier by n samples has an
/// order with a time earlier by n.
struct Order {
    uint64_t time = 0;
    int32_t increment = 0;  ///< 2^-32 turns per sample
    bool own_increment = true;
    bool restart = true;           ///< phase zero at the first body's first sample; else it continues
    uint16_t symbols = 1;          ///< 1..2048
    uint16_t prefix_samples = 32;  ///< 8, 16, 32 or 64
    uint16_t tag = 0;              ///< returned in the headers

    struct Word {
        uint64_t low, high;
    };
    constexpr Word word() const {
        const uint64_t prefix = prefix_samples == 64 ? 3 : prefix_samples == 32 ? 2 : prefix_samples == 16 ? 1 : 0;
        return {time, static_cast<uint32_t>(increment) | static_cast<uint64_t>((symbols - 1) & 0x7ff) << 32 |
                          prefix << 44 | static_cast<uint64_t>(restart) << 46 |
                          static_cast<uint64_t>(own_increment) << 47 | static_cast<uint64_t>(tag) << 48};
    }
};

/// First word of a packet.
struct Header {
    uint16_t tag = 0;
    uint16_t symbol = 0;  ///< of the order
    bool lost = false;    ///< this and the order's later symbols; the packet is only this word
    uint8_t exponent = 0;

    constexpr uint32_t word() const {
        return static_cast<uint32_t>(tag) << 16 | static_cast<uint32_t>(symbol) << 5 |
               static_cast<uint32_t>(lost) << 4 | exponent;
    }
    static constexpr Header of(uint32_t word) {
        return {static_cast<uint16_t>(word >> 16), static_cast<uint16_t>(word >> 5 & 0x7ff), (word >> 4 & 1) != 0,
                static_cast<uint8_t>(word & 15)};
    }
};

/// Bits below the samples' last one in the FFT.
inline constexpr int kGuardBits = 2;
/// Factor from a packet's integers to a plain transform's bins, for samples with full scale 1.
constexpr float bin_scale(int exponent) {
    return static_cast<float>(1U << exponent) / static_cast<float>(1U << (15 + kGuardBits));
}

}  // namespace wimax::fpga::ofdm_frontend
