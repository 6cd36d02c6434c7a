// SPDX-License-Identifier: GPL-3.0-or-later
// IQ recordings: read in every format of sample_layout.h, written as `.cf32` (little-endian float32 I, Q interleaved)
// or SigMF pairs. `-` is standard input or output, as cf32.
#pragma once

#include "common/faults.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
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

/// Samples of a file or of standard input, a part at a time, in any format (sample_layout.h).
class RecordingReader {
public:
    static constexpr size_t kChunkSamples = 65536;

    /// `format`: value of --format; empty: taken from the header or the name. Refuses an empty file and a file that
    /// ends within a sample.
    static tl::expected<RecordingReader, Fault> open(const std::string& path, const std::string& format = {});
    ~RecordingReader();
    RecordingReader(RecordingReader&&) noexcept;

    double sample_rate_hz() const;        ///< 0: unknown
    std::optional<int64_t> size() const;  ///< samples; nullopt: standard input
    /// The next samples, valid until the next call; none at the end.
    std::span<const Complex> next();
    /// next() continues with this sample. Not for standard input.
    Outcome seek(int64_t sample);
    Outcome whole() const;          ///< a fault if reading failed before the end
    size_t repaired() const;        ///< samples so far that were not finite (now 0) or too large (now cut)
    size_t ignored_octets() const;  ///< at the end of standard input, less than one sample

private:
    RecordingReader();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

tl::expected<Recording, Fault> read_recording(const std::string& path, const std::string& format = {});

/// Consumer of samples, in parts.
using SampleSink = std::function<Outcome(std::span<const Complex>)>;

class RecordingWriter {
public:
    RecordingWriter() = default;
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    /// Refuses a name that denotes another format: readers take the format from the name.
    Outcome open(const std::string& path, double sample_rate_hz, const std::string& description);
    Outcome write(std::span<const Complex> samples);
    Outcome close();

private:
    tl::unexpected<Fault> failed(const char* what) const;

    std::string path_, meta_path_;
    nlohmann::ordered_json meta_;
    std::FILE* file_ = nullptr;
};

}  // namespace wimax::iq
