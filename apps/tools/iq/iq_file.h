/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * IQ recordings: `.cf32` (little-endian float32 I, Q interleaved) and SigMF pairs (`.sigmf-data` with `.sigmf-meta`).
 * `-` is standard input or output, as cf32. Either name of a pair stands for both.
 */
#pragma once

#include "common/faults.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace wimax::iq {

using gr::wimax::phy::Complex;

/// Samples beyond this magnitude are cut to it: squares of larger ones would overflow in the receiver.
inline constexpr float kMaxMagnitude = 1e6F;

struct Recording {
    std::vector<Complex> samples;
    double sample_rate_hz = 0.0;  ///< 0: unknown (no SigMF)
    size_t repaired = 0;          ///< samples that were not finite (now 0) or too large (now cut)
    size_t ignored_octets = 0;    ///< at the end, less than one sample
};

/// Of SigMF: every complex data type (sample_type.h), one channel, headers and trailing octets of other tools, and a
/// file of samples under another name (core:dataset).
tl::expected<Recording, Fault> read_recording(const std::string& path);

class RecordingWriter {
public:
    RecordingWriter() = default;
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    Outcome open(const std::string& path, double sample_rate_hz, const std::string& description);
    Outcome write(std::span<const Complex> samples);
    Outcome zeros(int64_t count);
    Outcome close();

private:
    tl::unexpected<Fault> failed(const char* what) const;

    std::string path_, meta_path_;
    nlohmann::ordered_json meta_;
    std::FILE* file_ = nullptr;
};

bool is_sigmf(const std::string& path);

/// Replaces the annotations this program made in the pair's `.sigmf-meta`; others stay.
Outcome annotate(const std::string& path, const nlohmann::ordered_json& annotations);

}  // namespace wimax::iq
