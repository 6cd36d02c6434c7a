// SPDX-License-Identifier: GPL-3.0-or-later
// Focused contention, clause 8.3.7.3: a station that wants bandwidth sends a code on four carriers instead of a burst.
// A REQ Region-Focused (UIUC 3) consists of opportunities of two OFDM symbols; each has 48 contention channels of four
// carriers, so that many stations can ask at the same time. The base station answers with a Focused Contention IE (UIUC
// 4) that names frame, opportunity, channel and code.
//
// Uncertain readings: the carriers (contention_carriers()), the codes (kContentionCodes), and that a code is the phase
// change from the first symbol to the second, carrier by carrier. The first has free phases; in the second +1 keeps a
// carrier's phase and -1 inverts it. Only this lets a receiver without another reference distinguish a code from its
// negative.
#pragma once

#include <gnuradio/wimax/phy/base/burst_requests.h>

#include <tl/expected.hpp>

#include <memory>
#include <span>

namespace gr::wimax::phy {

inline constexpr int kContentionCarriers = 4;
inline constexpr int kContentionSymbols = 2;

/// Chip i of a code belongs to the i-th carrier of the channel.
inline constexpr std::array<std::array<int8_t, kContentionCarriers>, kContentionCodeCount> kContentionCodes{{
    {1, 1, 1, 1},
    {1, -1, 1, -1},
    {1, 1, -1, -1},
    {1, -1, -1, 1},
    {-1, -1, -1, -1},
    {-1, 1, -1, 1},
    {-1, -1, 1, 1},
    {-1, 1, 1, -1},
}};

/// Carrier offsets of channel 0..47: one carrier of each group of a subchannel (Table 213), three channels per
/// subchannel.
WIMAX_API std::array<int, kContentionCarriers> contention_carriers(int channel);

/// Reason why no code was generated.
enum class ContentionFault : uint8_t {
    code,   ///< no such code or channel
    boost,  ///< not 0..kMaxContentionBoostDb
    room,   ///< the output is too short
};
WIMAX_API std::string_view to_string(ContentionFault fault);

class WIMAX_API ContentionTransmitter {
public:
    explicit ContentionTransmitter(const Numerology& numerology);
    ~ContentionTransmitter();
    ContentionTransmitter(ContentionTransmitter&&) noexcept;

    /// Writes both symbols of an opportunity. The four carriers are `boost_db` (0..kMaxContentionBoostDb; UCD burst
    /// profile TLV 151) above those of a data symbol, the others empty. Returns samples written.
    tl::expected<size_t, ContentionFault> transmit(const ContentionCode& what, float boost_db, std::span<Complex> out);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct ContentionDetection {
    ContentionCode what;
    float snr_db = 0;     ///< per carrier, boost included
    float rssi_dbfs = 0;  ///< power of the four carriers, on the scale of a data symbol's mean sample power
    float certainty = 0;  ///< agreement of the four carriers with the code, 0..1
};

/// Detector of the base station. The false-alarm rate does not depend on the noise level: the median of all channels is
/// the reference, so up to about half of them may be in use. Nothing is allocated after construction.
class WIMAX_API ContentionDetector {
public:
    explicit ContentionDetector(const Numerology& numerology);
    ~ContentionDetector();
    ContentionDetector(ContentionDetector&&) noexcept;

    /// Codes in the opportunity whose first cyclic prefix nominally begins at sample `start_sample`; `samples[0]` is
    /// sample `first_sample`, missing samples count as zero. Stations may be early or late by half a prefix and off by
    /// a few per cent of the carrier spacing. At most one code per channel, in rising channel order; valid until the
    /// next call.
    std::span<const ContentionDetection> detect(std::span<const Complex> samples, int64_t first_sample,
                                                int64_t start_sample);

    /// Expected false detections per opportunity (all channels and codes) in white noise.
    static constexpr double kFalseAlarmRate = 1e-4;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
