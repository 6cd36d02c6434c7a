// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of burst_gate (byte addresses of ctrlport), for the model, the harness and the host's controller. Durations
// are samples.
#pragma once

#include <cstdint>

namespace wimax::fpga::burst_gate {

inline constexpr uint32_t kId = 0x42475445;  // "BGTE"
inline constexpr uint32_t kVersion = 1;

enum Register : uint32_t {
    kIdAddress = 0x00,       ///< read only
    kVersionAddress = 0x04,  ///< read only
    kEnable = 0x08,          ///< bit 0: bursts may be sent; 0 after a reset
    kEdge = 0x0C,            ///< 8 bits: zeros before and after each burst
    kLead = 0x10,            ///< 16 bits: the line is on this long before a burst's first sample
    kLag = 0x14,             ///< 16 bits: and after its last
    kLongest = 0x18,         ///< 24 bits: longest burst without a pause; later samples are zeros. All ones: no limit
    kPart = 0x1C,            ///< 20 bits, at least 2: a 16th of the duty cycle's window
    kShare = 0x20,           ///< 26 bits: most samples in a window and a part; others are zeros; all ones: no limit
    kPatience = 0x24,        ///< 26 bits: silence after this time without a heartbeat; all ones: never
    kHeartbeat = 0x28,       ///< write only, any value: the host is alive
    kBursts = 0x2C,          ///< read only, as what follows, modulo 2^16: bursts begun
    kLate = 0x30,            ///< bursts dropped: they arrived after their time minus the lead
    kTooLong = 0x34,         ///< bursts cut by kLongest
    kTooOften = 0x38,        ///< bursts cut by kShare
    kSilenced = 0x3C,        ///< bursts cut or dropped by kEnable or kPatience
    kUnderflows = 0x40,      ///< bursts whose samples were not in time: the rest is dropped
    kLateBy = 0x44,          ///< 32 bits: delay of the last late burst in samples
    kLateTimeHigh = 0x48,
    kLateTimeLow = 0x4C,  ///< its time
};

}  // namespace wimax::fpga::burst_gate
