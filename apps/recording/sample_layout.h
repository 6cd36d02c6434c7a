// SPDX-License-Identifier: GPL-3.0-or-later
// Format of a recording and position of its samples in the file, from an option, the header or the name. Nothing is
// guessed: a file without such information is refused.
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
    bool wav = false;              ///< libsndfile reads it, the header included
    double sample_rate_hz = 0.0;   ///< 0: unknown
    std::vector<Stretch> samples;  ///< empty for WAV and standard input
};

/// `format`: one of sample_formats(); empty: detected.
tl::expected<SampleLayout, Fault> find_layout(const std::string& path, const std::string& format);

/// The file without `trailing_octets` and headers. A header is (its octets, octets of samples before it), in order.
std::vector<SampleLayout::Stretch> stretches(uint64_t file_octets, uint64_t trailing_octets,
                                             const std::vector<std::pair<uint64_t, uint64_t>>& headers);

/// Format that the suffix of a name denotes, one of sample_formats(); empty: unknown.
std::string format_of_name(const std::string& path);

/// Values of --format.
std::vector<std::string> sample_formats();

}  // namespace wimax::iq
