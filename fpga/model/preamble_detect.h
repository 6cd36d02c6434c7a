// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the long preamble (clause 8.3.3.6: P_4x64, then P_2x128) in a stream of samples, bit-exact with the core
// preamble_detect: the sliding autocorrelation at lag 64 gates a search that correlates with the quadrants of both
// symbols, without multipliers and without a division. Samples pass through unchanged; each preamble gives a record.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/preamble_detect_registers.h"
#include "fpga/model/rom.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace wimax::fpga {

/// One record of the stream m_axis_det: a packet of kWords words.
struct Detection {
    static constexpr int kWords = 3;

    uint64_t time = 0;    ///< first sample of the first cyclic prefix, by the strongest path
    int cp_samples = 0;   ///< 8, 16, 32, 64: by the distance of the two symbols
    int16_t offset = 0;   ///< carrier offset, 2^-16 cycles per sample
    uint32_t metric = 0;  ///< squared correlation with P_2x128, 2^16
    uint32_t power = 0;   ///< mean |I|^2 + |Q|^2 of that symbol
    bool faint = false;   ///< metric and power are 2^12 times as large: the samples were too small for their bits

    double cycles_per_sample() const { return offset * 0x1p-16; }
    /// Correlation over that of noise, for the second threshold.
    double ratio() const { return power ? 256.0 * metric / power : 0; }

    void append_to(std::vector<AxisWord>& words) const;
    static Detection of(std::span<const AxisWord, kWords> words) {
        return of(words[0].time, std::array{words[0].data, words[1].data, words[2].data});
    }
    static Detection of(uint64_t start, const std::array<uint32_t, kWords>& words) {
        return {start,
                static_cast<int>(words[0] >> 16 & 0x7F),
                static_cast<int16_t>(words[0]),
                words[1],
                words[2],
                (words[0] >> 31) != 0};
    }

    bool operator==(const Detection&) const = default;
};

class PreambleDetect {
public:
    static constexpr int kHop = 16;
    /// Most samples after its frame's start until a record is output.
    static constexpr int kLatencySamples = 960;

    PreambleDetect();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address) const;

    /// Passes words to `out`; appends records of completed preambles to `detections`.
    void process(std::span<const AxisWord> in, std::vector<AxisWord>& out, std::vector<Detection>& detections);
    /// The same for samples only; `first` is the time of the first. A gap of a multiple of 2^16 samples is not noticed;
    /// a time is needed every 2^20 - 1024 samples.
    void process(uint64_t first, std::span<const FixedSample> in, std::vector<Detection>& detections);

private:
    struct Wide {
        int64_t re = 0, im = 0;
    };
    enum class State : uint8_t { gate, track, wait, dead };

    static constexpr int kRing = 2048, kLag = 64, kWindowHops = 12, kDelayHops = kLag / kHop;
    static constexpr int kFirstHops = 16;  ///< after a gap: windows before it are not contiguous
    static constexpr int kTrackHops = 32, kPastPeakHops = 8, kSearchHops = 30, kDeadSamples = 1024, kMostDead = 8191;
    static constexpr int kMantissaBits = 16;

    struct Mantissas {
        Wide correlation;
        int64_t early = 0, late = 0;
        int exponent = 0;
    };

    static Wide rotate(Wide a, Wide b);
    void take(FixedSample x, std::vector<Detection>& detections);
    void restart();
    void end_hop(std::vector<Detection>& detections);
    Mantissas normalized(Wide correlation, int64_t early, int64_t late, int least) const;
    void track(Wide correlation, int64_t early, int64_t late);
    void search(std::vector<Detection>& detections);
    bool faint() const { return peak_exponent_ <= 4; }
    int carrier_step() const;
    Wide sample_of(int at) const;  // 64 times as large where faint()
    Wide derotated(int at, uint32_t phase) const;
    bool first_symbol(int step, int& steps, int& delay) const;
    void second_symbol(int step, int delay, Detection& detection, std::vector<Detection>& detections) const;
    int64_t second_correlation(int from, int step) const;

    preamble_detect::Settings settings_;
    uint16_t detections_ = 0, plateaus_ = 0;
    uint64_t time_ = 0;  ///< of the newest sample
    std::array<FixedSample, kRing> ring_{};
    uint32_t written_ = 0;

    Wide sum_;  ///< of all products, modulo 2^40, as the energy
    int64_t energy_ = 0;
    struct Total {
        Wide sum;
        int64_t energy = 0;
    };
    std::array<Total, 16> totals_{};
    std::array<int64_t, 4> late_{};
    int in_hop_ = 0, hops_ = 0;  ///< hops since a gap, up to kFirstHops
    uint32_t hop_ = 0;           ///< modulo 16

    State state_ = State::gate;
    int tracked_ = 0, past_peak_ = 0, dead_ = 0;
    int exponent_ = 0;
    int64_t peak_ = 0;
    Wide peak_correlation_;
    uint64_t peak_time_ = 0;  ///< of the last sample of its window
    uint32_t peak_ring_ = 0;  ///< where its window begins
    int peak_exponent_ = 0;
};

std::vector<Rom> preamble_detect_roms();

}  // namespace wimax::fpga
