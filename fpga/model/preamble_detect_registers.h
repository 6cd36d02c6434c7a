// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of preamble_detect (byte addresses of ctrlport), for the model, the harness and the host's controller.
#pragma once

#include <cstdint>

namespace wimax::fpga::preamble_detect {

inline constexpr uint32_t kId = 0x50444554;  // "PDET"
inline constexpr uint32_t kVersion = 1;

enum Register : uint32_t {
    kIdAddress = 0x00,        ///< read only
    kVersionAddress = 0x04,   ///< read only
    kControl = 0x08,          ///< bit 0: detect; without it samples pass, and none is examined
    kGateThreshold = 0x0C,    ///< 8 bits, 1/256: of the squared normalised autocorrelation at lag 64
    kFirstThreshold = 0x10,   ///< 8 bits: squared correlation with P_4x64 over that of noise; a preamble has up to 40
    kSecondThreshold = 0x14,  ///< 8 bits, times 4: the same with P_2x128; up to 162
    kMaxSteps = 0x18,         ///< 0 .. 7: carrier offsets up to +-(4 * steps + 2) carriers are searched
    kPrefixes = 0x1C,         ///< bits 0 .. 3: possible cyclic prefixes of 8, 16, 32, 64 samples
    kHoldOff = 0x20,          ///< 8 bits, hops of 16 samples: pause after each examined plateau
    kDetections = 0x24,       ///< read only, modulo 2^16
    kPlateaus = 0x28,         ///< read only, modulo 2^16: autocorrelation peaks examined
    kBusy = 0x2C,             ///< read only, bit 0: working on received samples; the model never does
};

struct Settings {
    bool detect = true;
    uint8_t gate_threshold = 24;
    uint8_t first_threshold = 12, second_threshold = 4;
    uint8_t max_steps = 1;
    uint8_t prefixes = 0xF;
    uint8_t hold_off_hops = 0;
};

}  // namespace wimax::fpga::preamble_detect
