// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON description of a downlink or an uplink signal, as `wimax-iq generate` and `decode` read it.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/frame/frame_composer.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include "tools/iq/spec_reader.h"

#include <tl/expected.hpp>

namespace wimax::iq {

namespace phy = gr::wimax::phy;

struct BurstSpec {
    phy::BurstFormat format;  ///< bsid_lsb and frame_lsb filled in
    std::vector<uint8_t> payload;
};

struct FrameSpec {
    phy::FrameNumber frame_number;
    uint8_t change_count = 0;
    std::vector<BurstSpec> bursts;      ///< uplink: exactly one
    std::vector<BurstSpec> stc_bursts;  ///< generate, downlink: of an STC zone right after the others; up to four
};

/// A focused contention region (clause 8.3.7.3): stations ask for bandwidth by codes.
struct ContentionSpec {
    struct Sent {
        int opportunity = 0;
        phy::ContentionCode what;
        float boost_db = 0;
    };
    int opportunities = 1;  ///< of two symbols each, one after the other
    std::vector<Sent> codes;
};

/// Whose signal is generated where STC zones have two antennas.
enum class Antenna : uint8_t { first, second, both };

struct Spec {
    phy::Direction direction = phy::Direction::downlink;
    int64_t bandwidth_hz = 5'000'000;
    std::optional<phy::CyclicPrefix> cp;  ///< absent only in decode: search
    uint64_t bsid = 0;                    ///< 48 bits
    int64_t lead_in_samples = 0, tail_samples = 0;
    Antenna antenna = Antenna::both;  ///< both: their sum, as received over two equal paths
    phy::TransmitShape shape;         ///< generate
    bool several_frames = false;
    uint8_t frame_duration_code = 0;           ///< if several_frames
    std::vector<FrameSpec> frames;             ///< decode, downlink: may be empty; empty with `contention`
    std::optional<ContentionSpec> contention;  ///< uplink: instead of a burst
    phy::DiucRates diuc_rates{-1, 0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1};
    std::optional<int64_t> start_sample;  ///< decode, uplink; absent: search, which codes do not allow
    std::vector<std::string> warnings;

    phy::Numerology numerology() const {
        return *phy::Numerology::make(bandwidth_hz, cp.value_or(phy::CyclicPrefix::g1_8));
    }
};

enum class Purpose : uint8_t {
    generate,
    decode,  ///< payloads, and what the signal itself shows, are not needed
};

/// Longest signal that is generated: 2^28 samples, 2 GiB.
inline constexpr int64_t kMaxSignalSamples = int64_t{1} << 28;

/// A JSON object from a text or from a file, `-` being standard input. `file` names the origin in faults.
tl::expected<nlohmann::json, Faults> parse_document(const std::string& text, const std::string& file);
tl::expected<nlohmann::json, Faults> load_document(const std::string& path);
/// The same name for faults of a document's content.
std::string document_name(const std::string& path);

/// `file` names the origin in faults.
tl::expected<Spec, Faults> read_spec(const nlohmann::json& root, const std::string& file, Purpose purpose);
tl::expected<Spec, Faults> parse_spec(const std::string& text, const std::string& file, Purpose purpose);
/// `-` is standard input.
tl::expected<Spec, Faults> load_spec(const std::string& path, Purpose purpose);

/// Whole input as text; nullopt if it cannot be read.
std::optional<std::string> read_text(const std::string& path);

/// A frame of consecutive bursts, followed by the STC zone. It refers to the payloads of `frame`.
phy::FrameComposer compose(const FrameSpec& frame, uint64_t bsid);
/// Frame symbols up to the end of the last burst (of the STC zone, if there is one), long preamble and FCH included.
int frame_symbols(const FrameSpec& frame);

}  // namespace wimax::iq
