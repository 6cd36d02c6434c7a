// SPDX-License-Identifier: GPL-3.0-or-later
// OFDM numerology of WirelessMAN-OFDM, IEEE 802.16-2004 clause 8.3.2, and the seven mandatory rates of clause 8.3.3.2.
// All values that follow from channel bandwidth and cyclic prefix are computed here, once, in integers.
#pragma once

#include <gnuradio/wimax/api.h>

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gr::wimax::phy {

using Complex = std::complex<float>;

inline constexpr int64_t kMinBandwidthHz = 1'250'000, kMaxBandwidthHz = 28'000'000;
inline constexpr int kFftSize = 256;
inline constexpr int kUsedCarriers = 200;
inline constexpr int kDataCarriers = 192;
inline constexpr int kPilotCarriers = 8;
inline constexpr int kEdgeCarrier = 100;    // outermost used offset, both sides
inline constexpr int kSamplesPerSlot = 4;   // a physical slot (PS) is four samples
inline constexpr int kFullSubchannel = 16;  // subchannel index of the whole band (Table 213)

enum class Direction : uint8_t { downlink, uplink };

/// Cyclic prefix ratio G; the enumerator's value is 1/G.
enum class CyclicPrefix : uint8_t { g1_4 = 4, g1_8 = 8, g1_16 = 16, g1_32 = 32 };
inline constexpr std::array kCyclicPrefixes{CyclicPrefix::g1_4, CyclicPrefix::g1_8, CyclicPrefix::g1_16,
                                            CyclicPrefix::g1_32};
/// "1/4", "1/8", "1/16", "1/32"; nullopt for anything else.
WIMAX_API std::optional<CyclicPrefix> parse_cyclic_prefix(std::string_view text);
WIMAX_API std::string_view to_string(CyclicPrefix cp);

/// Frame duration codes 0..6 (DCD TLV 14): 2.5, 4, 5, 8, 10, 12.5, 20 ms, here in microseconds.
inline constexpr std::array<int, 7> kFrameDurationUs{2500, 4000, 5000, 8000, 10000, 12500, 20000};
WIMAX_API std::optional<uint8_t> frame_duration_code(double seconds);

/// Longest frame by the 11-bit start times of the maps, and the longest uplink allocation by its 10-bit duration.
inline constexpr int kMaxFrameSymbols = 2047;
inline constexpr int kMaxUplinkAllocationSymbols = 1023;

/// A downlink frame has a long preamble of two symbols, the FCH, then bursts (clause 8.3.5.1).
inline constexpr int kFchSymbol = 2;
inline constexpr int kFirstBurstSymbol = kFchSymbol + 1;
/// Entries of a frame prefix; each announces a burst or an STC zone.
inline constexpr int kPrefixEntries = 4;

/// Numerology of one channel. Value type; make() refuses bandwidths outside 1.25..28 MHz.
struct WIMAX_API Numerology {
    int64_t bandwidth_hz = 0;
    int64_t sample_rate_hz = 0;  ///< Fs = floor(n * BW / 8000) * 8000, always a multiple of 8000
    CyclicPrefix cp = CyclicPrefix::g1_8;

    static std::optional<Numerology> make(int64_t bandwidth_hz, CyclicPrefix cp);

    int cp_samples() const { return kFftSize / static_cast<int>(cp); }
    int symbol_samples() const { return kFftSize + cp_samples(); }
    int symbol_slots() const { return symbol_samples() / kSamplesPerSlot; }
    double carrier_spacing_hz() const { return static_cast<double>(sample_rate_hz) / kFftSize; }
    /// Samples in a frame; exact for every frame duration code because Fs is a multiple of 8000.
    int64_t frame_samples(uint8_t code) const { return sample_rate_hz * kFrameDurationUs.at(code) / 1'000'000; }
    /// Whole symbols that fit in a frame (gaps included).
    int frame_symbols(uint8_t code) const { return static_cast<int>(frame_samples(code) / symbol_samples()); }
};

/// Inner code rates (Table 214).
enum class CodeRate : uint8_t { r1_2, r2_3, r3_4, r5_6 };

/// One row of clause 8.3.3.2.1; uncoded and coded sizes are per OFDM symbol over all 16 subchannels.
struct RateInfo {
    std::string_view name;  ///< "BPSK 1/2"
    int bits_per_carrier;   ///< N_cpc: 1, 2, 4, 6
    int uncoded_bytes;      ///< payload bytes per symbol, the tail byte of the burst's last symbol included
    int coded_bytes;        ///< N_cbps / 8
    int rs_n, rs_k, rs_t;   ///< shortened, punctured Reed-Solomon (n = k: bypassed)
    CodeRate inner_rate;    ///< convolutional rate after RS
    CodeRate bypass_rate;   ///< convolutional rate when RS is bypassed (subchannelized)
    double snr_db;          ///< receiver SNR of the 2005 corrigendum
    int tail_bytes = 1;     ///< of each burst, in its last symbol
};
inline constexpr int kRates = 7;
inline constexpr std::array<RateInfo, kRates> kRateTable{{
    {"BPSK 1/2", 1, 12, 24, 12, 12, 0, CodeRate::r1_2, CodeRate::r1_2, 3.0},
    {"QPSK 1/2", 2, 24, 48, 32, 24, 4, CodeRate::r2_3, CodeRate::r1_2, 6.0},
    {"QPSK 3/4", 2, 36, 48, 40, 36, 2, CodeRate::r5_6, CodeRate::r3_4, 8.5},
    {"16-QAM 1/2", 4, 48, 96, 64, 48, 8, CodeRate::r2_3, CodeRate::r1_2, 11.5},
    {"16-QAM 3/4", 4, 72, 96, 80, 72, 4, CodeRate::r5_6, CodeRate::r3_4, 15.0},
    {"64-QAM 2/3", 6, 96, 144, 108, 96, 6, CodeRate::r3_4, CodeRate::r2_3, 19.0},
    {"64-QAM 3/4", 6, 108, 144, 120, 108, 6, CodeRate::r5_6, CodeRate::r3_4, 21.0},
}};

/// Bytes of MAC PDUs that a full-band burst of `data_symbols` symbols carries, without the FEC tail.
constexpr int burst_capacity_bytes(int rate_id, int data_symbols) {
    const RateInfo& rate = kRateTable[static_cast<size_t>(rate_id)];
    return rate.uncoded_bytes * data_symbols - rate.tail_bytes;
}

/// Data symbols between midambles (0: none), by BurstFormat::midamble_interval. Codes 0 to 3 are those of the UL-MAP of
/// 802.16-2004; the last is an interval of its corrigendum, whose UL-MAP has 4, 8 and 16 (apps/mac translates). A
/// midamble is never the last symbol of a burst and there is no postamble, which is uncertain (docs/conformance.md).
inline constexpr std::array<int, 5> kMidambleInterval{0, 8, 16, 32, 4};
constexpr int midamble_interval(size_t code) { return code < kMidambleInterval.size() ? kMidambleInterval[code] : 0; }
constexpr int midamble_count(uint8_t code, int data_symbols) {
    const int interval = midamble_interval(code);
    return interval == 0 || data_symbols <= 0 ? 0 : (data_symbols - 1) / interval;
}

}  // namespace gr::wimax::phy
