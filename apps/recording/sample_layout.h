/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a recording is and where its samples lie in the file: as an option, the header or the name says. Nothing is
 * guessed: a file that tells nothing of itself is refused.
 */
#pragma once

#include "common/faults.h"
#include "recording/sample_type.h"

#include <optional>
#include <string>
#include <vector>

namespace wimax::iq {

struct SampleLayout {
    /// Octets of samples without a break.
    struct Stretch {
        uint64_t at, octets;
    };
    SampleType type = *sample_type("cf32_le");
    std::string path;              ///< file of samples; "-": standard input
    bool wav = false;              ///< libsndfile reads it, and tells the rest
    double sample_rate_hz = 0.0;   ///< 0: not told
    std::vector<Stretch> samples;  ///< not of WAV and standard input
};

/// `format`: one of sample_formats(); empty: found out.
tl::expected<SampleLayout, Fault> find_layout(const std::string& path, const std::string& format);

/// The whole file but `trailing_octets`, without headers, each (octets, octets of samples before it), in order.
std::vector<SampleLayout::Stretch> stretches(uint64_t file_octets, uint64_t trailing_octets,
                                             const std::vector<std::pair<uint64_t, uint64_t>>& headers);

/// What the ending of a name stands for, of sample_formats(); empty: nothing known.
std::string format_of_name(const std::string& path);

/// What --format may be.
std::vector<std::string> sample_formats();

}  // namespace wimax::iq
