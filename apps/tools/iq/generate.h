// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a Spec: lead-in, frames (or one uplink burst), tail. Scale: a data symbol has mean sample power 1.
#pragma once

#include "recording/iq_file.h"
#include "tools/iq/spec.h"

namespace wimax::iq {

/// One frame's downlink subframe (as spec.antenna sends it), or the uplink burst: whole symbols.
tl::expected<std::vector<Complex>, Fault> modulate(const Spec& spec, const FrameSpec& frame);

/// All opportunities of a focused contention region.
tl::expected<std::vector<Complex>, Fault> modulate(const Spec& spec, const ContentionSpec& region);

/// The whole signal, in parts.
Outcome generate(const Spec& spec, const SampleSink& out);

/// The frame prefix of the frame: the first four bursts, or three and the STC zone.
phy::FramePrefix frame_prefix(const Spec& spec, const FrameSpec& frame);

}  // namespace wimax::iq
