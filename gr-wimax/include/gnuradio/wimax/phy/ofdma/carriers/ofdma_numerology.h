// SPDX-License-Identifier: GPL-3.0-or-later
// Numerology of WirelessMAN-OFDMA with 1024 carriers, IEEE 802.16-2009 clauses 8.4.2.3 and 8.4.6. Carriers are numbered
// 0..1023 from the lowest frequency; carrier 512 is DC.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

namespace gr::wimax::phy::ofdma {

inline constexpr int kFft = 1024;
inline constexpr int kDcCarrier = kFft / 2;
inline constexpr int kLeftGuard = 92, kRightGuard = 91;
inline constexpr int kUsed = kFft - kLeftGuard - kRightGuard;  // with DC
inline constexpr int kLoaded = kUsed - 1;                      // without DC
static_assert(kLoaded == 840);

/// Carrier of the loaded carrier `index` (0..839, rising frequency, DC left out).
constexpr int loaded_carrier(int index) { return kLeftGuard + index + (index >= kLoaded / 2 ? 1 : 0); }

inline constexpr int kDlSubchannels = 30;
inline constexpr int kDlGroups = 6;  // major groups of subchannels
inline constexpr int kDlSlotSymbols = 2;
inline constexpr int kUlSubchannels = 35;
inline constexpr int kUlSlotSymbols = 3;
inline constexpr int kSlotPoints = 48;  // data carriers of a slot, both directions
inline constexpr int kIdCells = 32, kSegments = 3;

/// Frame of the mobile profiles (frame duration code 4).
inline constexpr int kFrameDurationUs = 5000;
inline constexpr uint8_t kFrameDurationCode = 4;

/// Numerology of one channel. Value type; make() refuses bandwidths outside 1.25..28 MHz.
struct WIMAX_API OfdmaNumerology {
    int64_t bandwidth_hz = 0;
    int64_t sample_rate_hz = 0;  ///< Fs = floor(n * BW / 8000) * 8000
    CyclicPrefix cp = CyclicPrefix::g1_8;

    static std::optional<OfdmaNumerology> make(int64_t bandwidth_hz, CyclicPrefix cp);

    int cp_samples() const { return kFft / static_cast<int>(cp); }
    int symbol_samples() const { return kFft + cp_samples(); }
    int symbol_slots() const { return symbol_samples() / kSamplesPerSlot; }  ///< physical slots (PS) of a symbol
    int64_t frame_samples() const { return sample_rate_hz * kFrameDurationUs / 1'000'000; }
    double carrier_spacing_hz() const { return static_cast<double>(sample_rate_hz) / kFft; }
};

}  // namespace gr::wimax::phy::ofdma
