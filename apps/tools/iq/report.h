/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of `wimax-iq decode --report`: the decoded result, the recording and the signal modulated anew from the
 * decoded payloads go as files into the directory, and a Python script beside the tool measures and draws.
 */
#pragma once

#include <iq/decode.h>

namespace wimax::iq {

/// Writes `directory`/index.html and its plots; the directory is made. Error text, or empty.
std::string write_report(const std::string& directory, const Spec& spec, std::span<const Complex> samples,
                         const std::vector<DecodedFrame>& frames);

}  // namespace wimax::iq
