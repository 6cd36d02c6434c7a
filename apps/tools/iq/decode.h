/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a recording to frames and bursts, by the same receivers that the stations use.
 */
#pragma once

#include <gnuradio/wimax/phy/downlink_receiver.h>
#include <iq/iq_file.h>
#include <iq/spec.h>

namespace wimax::iq {

/// One downlink frame, or one uplink burst (no frame prefix then).
struct DecodedFrame {
    phy::FrameSync sync;
    std::vector<phy::ReceivedBurst> bursts;
};

/// Nothing found: empty. The samples may end right after the last symbol.
std::vector<DecodedFrame> decode(const Spec& spec, std::span<const Complex> samples);

/// The result as `wimax-iq decode --json` writes it; every number is finite.
nlohmann::ordered_json to_json(const Spec& spec, const std::vector<DecodedFrame>& frames);

/// One SigMF annotation per burst.
nlohmann::ordered_json to_annotations(const std::vector<DecodedFrame>& frames);

/// Downlink bursts behind those of the frame prefix, from the DL-MAP in `broadcast` (the payload of burst #1); nullopt
/// if there is no DL-MAP in it. Bursts of a DIUC without known rate are left out.
std::optional<std::vector<phy::DownlinkReceiver::Expected>> bursts_from_map(const phy::FramePrefix& prefix,
                                                                            const std::array<int8_t, 16>& diuc_rates,
                                                                            std::span<const uint8_t> broadcast);

}  // namespace wimax::iq
