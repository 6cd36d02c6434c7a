/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Registers of burst_gate (byte addresses of ctrlport), for the model, the harness and the host's controller. Durations
 * are samples.
 */
#pragma once

#include <cstdint>

namespace wimax::fpga::burst_gate {

inline constexpr uint32_t kId = 0x42475445;  // "BGTE"
inline constexpr uint32_t kVersion = 1;

enum Register : uint32_t {
    kIdAddress = 0x00,       ///< read only
    kVersionAddress = 0x04,  ///< read only
    kEnable = 0x08,          ///< bit 0: bursts may leave; 0 after a reset
    kEdge = 0x0C,            ///< 8 bits: zeros before and behind each burst
    kLead = 0x10,            ///< 16 bits: the line is on so long before a burst's first sample
    kLag = 0x14,             ///< 16 bits: and behind its last
    kLongest = 0x18,         ///< 24 bits: without a pause; what is beyond becomes zeros
    kPart = 0x1C,            ///< 20 bits, at least 2: a 16th of the duty cycle's window
    kShare = 0x20,       ///< 26 bits: samples of any window and part; what is beyond becomes zeros; all ones: no limit
    kPatience = 0x24,    ///< 26 bits: without a heartbeat for so long all is silent; all ones: for ever
    kHeartbeat = 0x28,   ///< write only, whatever: the host lives
    kBursts = 0x2C,      ///< read only, as what follows, modulo 2^16: bursts begun
    kLate = 0x30,        ///< bursts left out: they came behind their time, less the lead
    kTooLong = 0x34,     ///< bursts cut by kLongest
    kTooOften = 0x38,    ///< bursts cut by kShare
    kSilenced = 0x3C,    ///< bursts cut or left out by kEnable or kPatience
    kUnderflows = 0x40,  ///< bursts whose samples did not come in time: the rest is left out
    kLateBy = 0x44,      ///< 32 bits: samples by which the last late one was
    kLateTimeHigh = 0x48,
    kLateTimeLow = 0x4C,  ///< its time
};

}  // namespace wimax::fpga::burst_gate
