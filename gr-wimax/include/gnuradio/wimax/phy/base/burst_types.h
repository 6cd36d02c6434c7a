// SPDX-License-Identifier: GPL-3.0-or-later
// Plain descriptions of sent and received bursts, shared by modulators, receivers, blocks and tools. Clause 8.3.5
// (frame structure) and 8.3.3.6 (preambles). visit() has keys and ranges of their fields in messages (description.h).
//
// Levels: a data symbol of unit-power carriers has mean sample power 1 (0 dBFS); full-band preambles have 2.
#pragma once

#include <gnuradio/wimax/phy/base/description.h>
#include <gnuradio/wimax/phy/base/numerology.h>

#include <optional>
#include <span>
#include <vector>

namespace gr::wimax::phy {

enum class Preamble : uint8_t {
    none,    ///< downlink burst that relies on the frame's own preamble
    short_,  ///< one symbol P_2x128 (P_EVEN)
    long_,   ///< P_4x64 then P_2x128: frame start, initial ranging
};
constexpr int preamble_symbols(Preamble p) { return static_cast<int>(p); }

inline constexpr int kMostAttenuationDb = 40;

/// Parameters of a burst that transmitter and receiver must agree on, except the attenuation.
struct BurstFormat {
    uint8_t rate_id = 0;    ///< 0..6
    uint8_t iuc = 0;        ///< DIUC or UIUC: seeds the randomizer (not for burst #1)
    uint8_t bsid_lsb = 0;   ///< low 4 bits of the BSID
    uint8_t frame_lsb = 0;  ///< low 4 bits; uplink: number of the frame whose UL-MAP granted the burst
    Preamble preamble = Preamble::none;
    int data_symbols = 0;                        ///< preamble and midambles not counted
    uint8_t midamble_interval = 0;               ///< code of kMidambleInterval (uplink only)
    uint8_t subchannel_index = kFullSubchannel;  ///< uplink only, Table 213
    bool stc = false;                            ///< downlink only: sent in an STC zone (stc.h)
    /// Of the transmitter, 0..kMostAttenuationDb: how far it lies below other bursts of the frame; 0 in an STC zone.
    uint8_t attenuation_db = 0;

    /// Sets the seeds of the randomizer; without `frame` only the BSID's.
    void seed(uint8_t bsid, std::optional<uint8_t> frame = std::nullopt) {
        bsid_lsb = bsid;
        if (frame) frame_lsb = *frame;
    }
    int total_symbols() const {
        return preamble_symbols(preamble) + data_symbols + midamble_count(midamble_interval, data_symbols);
    }
};

template <class V> void visit(V& v, Is<BurstFormat> auto& f) {
    v("rate_id", f.rate_id, 0, kRates - 1);
    v("iuc", f.iuc, 0, 15);
    v.of_phy("bsid_lsb", f.bsid_lsb, 0, 15);
    v("frame_lsb", f.frame_lsb, 0, 15);
    v("preamble_symbols", f.preamble, 0, 2);
    v("data_symbols", f.data_symbols, 0, kMaxFrameSymbols);
    v("midamble_interval", f.midamble_interval, 0, kMidambleInterval.size() - 1);
    v("subchannel_index", f.subchannel_index, 1, 31);
    v("attenuation_db", f.attenuation_db, 0, kMostAttenuationDb);
    v.maybe("stc", f.stc, false);
}

/// A downlink burst: `start_symbol` counts from the frame's first preamble symbol to the burst's
/// preamble.
struct DownlinkBurst {
    BurstFormat format;
    int start_symbol = kFirstBurstSymbol;
    bool first = false;                ///< burst #1 of the frame prefix: continues the FCH's randomizer sequence
    std::span<const uint8_t> payload;  ///< at most the capacity; padded with 0xFF
};

struct UplinkBurst {
    BurstFormat format;
    std::span<const uint8_t> payload;
};

/// Position in which a base station searches for an uplink burst.
struct UplinkAllocation {
    BurstFormat format;
    int64_t start_sample = 0;  ///< nominal first sample of the preamble's cyclic prefix
    int search_samples = 0;    ///< largest delay (initial ranging); 0: within +-CP/2 of nominal
    int index = 0;             ///< reference of the caller, copied to the result
};

/// DL_Frame_Prefix_IE (clause 8.3.5.1). Entry 1 holds a Rate_ID, entries 2..4 a DIUC; DIUC 0 announces an STC zone.
struct FramePrefixEntry {
    uint8_t rate_id_or_diuc = 0;
    bool preamble_present = false;
    uint16_t length = 0;  ///< symbols, the burst's preamble included; for an STC zone the 12-bit start time
};

/// DLFP, 11 bytes on air.
struct FramePrefix {
    uint8_t bsid_lsb = 0, frame_lsb = 0, change_count_lsb = 0;
    std::array<FramePrefixEntry, kPrefixEntries> entries{};
    int entry_count = 0;  ///< entries before the list's end (an entry of length 0)
};

template <class V> void visit(V& v, Is<FramePrefixEntry> auto& e) {
    v("rate_id_or_diuc", e.rate_id_or_diuc, 0, 15);
    v("preamble_present", e.preamble_present);
    v("length", e.length, 0, 0xFFF);
}

template <class V> void visit(V& v, Is<FramePrefix> auto& p) {
    v("prefix_bsid_lsb", p.bsid_lsb, 0, 15);
    v("prefix_frame_lsb", p.frame_lsb, 0, 15);
    v("change_count_lsb", p.change_count_lsb, 0, 15);
    v.list("prefix_entries", p.entries, p.entry_count);
}

/// Focused contention (clause 8.3.7.3): channels and codes of an opportunity, and the highest accepted boost. The
/// UCD's octet allows values far beyond any transmitter.
inline constexpr int kContentionChannels = 48, kContentionCodeCount = 8;
inline constexpr float kMaxContentionBoostDb = 30.0F;

struct ContentionCode {
    uint8_t channel = 0;  ///< 0..47
    uint8_t code = 0;     ///< 0..7
    bool operator==(const ContentionCode&) const = default;
};

template <class V> void visit(V& v, Is<ContentionCode> auto& c) {
    v("channel", c.channel, 0, kContentionChannels - 1);
    v("code", c.code, 0, kContentionCodeCount - 1);
}

/// Measurements of one received burst. Powers are per sample of a data symbol, 0 dBFS = mean sample power 1.
struct BurstMeasurement {
    float rssi_dbfs = -200.0F;
    float cinr_db = -100.0F;             ///< per data carrier, decision directed
    float evm_db = 0.0F;                 ///< 20 log10 (RMS error / RMS reference)
    float timing_offset_samples = 0.0F;  ///< positive: arrived late
    float frequency_offset_hz = 0.0F;    ///< positive: received too high

    void set_offsets(double timing_samples, double frequency_hz) {
        timing_offset_samples = static_cast<float>(timing_samples);
        frequency_offset_hz = static_cast<float>(frequency_hz);
    }
};

/// Front-end errors that a receiver compensates; -200: not certain enough for compensation.
struct FrontEndLevels {
    float dc_dbfs = -200.0F;     ///< constant, 0 dBFS = sample power 1
    float image_dbc = -200.0F;   ///< image of the mixer relative to the signal
    float sender_dbc = -200.0F;  ///< image of the sender of the last burst or frame
    float tone_dbfs = -200.0F;   ///< strongest foreign carrier in the last preamble, e.g. an oscillator with an offset
    float tone_hz = 0.0F;        ///< its offset from this receiver's frequency
};

/// Blocks that were decoded a second time (docs/receiver.md).
struct RetriedBlocks {
    int64_t tried = 0;
    int64_t saved = 0;    ///< failed blocks that the second attempt corrected
    int64_t refused = 0;  ///< failed blocks not tried: the signal was hopeless, or the work allowed was used up

    RetriedBlocks& operator+=(const RetriedBlocks& more) {
        tried += more.tried;
        saved += more.saved;
        refused += more.refused;
        return *this;
    }
};

struct ReceivedBurst {
    BurstFormat format;
    int64_t start_sample = 0;  ///< measured first sample of the burst's (or its preamble's) cyclic prefix
    int start_symbol = 0;      ///< downlink: from the frame start; uplink: 0
    int index = 0;             ///< downlink: 1-based burst number (STC zones: kStcZoneIndex); uplink: index of
                               ///< the allocation
    bool detected = false;     ///< false: nothing found in the allocation; payload empty
    bool fec_ok = false;       ///< false if the RS decoder failed in any block (BPSK has no RS: always true)
    int failed_blocks = 0;
    int corrected_bytes = 0;
    RetriedBlocks retried;
    std::vector<uint8_t> payload;  ///< whole capacity, padding included
    BurstMeasurement measured;

    /// Nothing is received of it yet. `nominal_sample`: where it should begin.
    void clear(int64_t nominal_sample = 0) {
        start_sample = nominal_sample;
        detected = false;
        failed_blocks = corrected_bytes = 0;
        retried = {};
        clear_payload();
        measured = {};
    }
    void found_at(int64_t sample) {
        start_sample = sample;
        detected = true;
    }
    void clear_payload() {
        payload.clear();
        fec_ok = false;
    }
};

}  // namespace gr::wimax::phy
