// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes a recording to frames and bursts, with the receivers that the stations use.
#pragma once

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include "recording/iq_file.h"
#include "tools/iq/spec.h"

#include <functional>

namespace wimax::iq {

/// One data symbol as the receiver saw it (SymbolObservation), by carrier offset -100..100.
struct SeenSymbol {
    static constexpr size_t kCarriers = 2 * phy::kEdgeCarrier + 1;
    int burst_index = 0, symbol = 0;
    int64_t response_window = 0;
    float phase_rad = 0, delay_samples = 0;
    float noise_variance = 0;
    double cycles_per_sample = 0;
    std::vector<int8_t> soft_bits{};
    std::array<Complex, kCarriers> points{};           ///< pilots over what was sent; 0 where nothing was sent
    std::array<Complex, kCarriers> response{};         ///< in an STC zone antenna 0's
    std::array<Complex, kCarriers> second_response{};  ///< antenna 1's; 0 outside STC zones
};

struct FoundCode {
    int opportunity = 0;
    phy::ContentionDetection detection;
};

/// One downlink frame, one uplink burst (no frame prefix then), or one focused contention region.
struct DecodedFrame {
    phy::FrameSync sync;
    std::vector<phy::ReceivedBurst> bursts;
    std::vector<phy::StcZoneSync> zones;
    std::vector<SeenSymbol> symbols;  ///< of the first frames, if asked for
    std::vector<FoundCode> codes;     ///< of a contention region
};

/// Source of samples: returns the next ones, valid until the next call; none at the end.
using SampleFeed = std::function<std::span<const Complex>()>;
/// Receives each frame when it is complete.
using FrameSink = std::function<void(DecodedFrame&&)>;

/// The samples may end right after the last symbol. Memory does not grow with their number: they are seen once, in
/// parts. `observed_frames`: number of frames whose symbols are kept.
void decode(const Spec& spec, const SampleFeed& feed, const FrameSink& sink, size_t observed_frames = 0);
/// Decodes samples that are all in memory. Empty if nothing is found.
std::vector<DecodedFrame> decode(const Spec& spec, std::span<const Complex> samples, size_t observed_frames = 0);
/// Parts of decode(): the uplink's burst, the codes of a contention region (one frame; none if there is no code).
void decode_burst(const Spec& spec, const SampleFeed& feed, const FrameSink& sink, bool observed);
void decode_contention(const Spec& spec, const SampleFeed& feed, const FrameSink& sink);

enum class Payloads : uint8_t {
    hex,
    null,  ///< for a caller that takes the octets from the frames
};
/// A frame of the result as `wimax-iq decode --json` writes it; every number is finite.
nlohmann::ordered_json frame_json(const Spec& spec, const DecodedFrame& frame, Payloads payloads = Payloads::hex);
nlohmann::ordered_json to_json(const Spec& spec, const std::vector<DecodedFrame>& frames,
                               Payloads payloads = Payloads::hex);

/// One SigMF annotation per burst and per contention code, and one for preamble and prefix of each STC zone, in the
/// order of their start.
std::vector<nlohmann::ordered_json> frame_annotations(const DecodedFrame& frame);

using Announced = phy::Announced;

/// What the DL-MAP in `broadcast` (the payload of burst #1) announces, by phy::read_map(); nullopt without a DL-MAP.
std::optional<Announced> announced_by_map(const phy::FramePrefix& prefix, const phy::DiucRates& diuc_rates,
                                          std::span<const uint8_t> broadcast);

}  // namespace wimax::iq
