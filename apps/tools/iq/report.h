/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of `wimax-iq decode --report`: the decoded result, what the receiver saw of each symbol, the recording and
 * the limits of clause 8.3.10 go as files into the directory, and a Python script beside the tool measures and draws.
 */
#pragma once

#include "tools/iq/decode.h"

namespace wimax::iq {

/// Frames that are measured; decode() must have observed them. The standard's test takes 20.
inline constexpr size_t kReportFrames = 32;

/// Before the work, so that a wrong path costs none.
Outcome make_report_folder(const std::string& directory);

/// Writes `directory`/index.html, its plots and measurements.json.
Outcome write_report(const std::string& directory, const Spec& spec, std::span<const Complex> samples,
                     const std::vector<DecodedFrame>& frames);

}  // namespace wimax::iq
