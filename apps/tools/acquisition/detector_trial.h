// SPDX-License-Identifier: GPL-3.0-or-later
// The frames and the noise of tools/simulation/acquisition_trial.h heard by the detector of the FPGA, as its model or
// as Verilator compiles it: samples are taken at 12 dB of head room. A frame counts as found if a record names its
// start to the sample, by the strongest path, and its cyclic prefix.
#pragma once

#include "fpga/model/preamble_detect.h"
#include "fpga/sim/preamble_detect_core.h"
#include "tools/simulation/acquisition_trial.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace wimax::acquisition {

/// Of the samples that 1 of the host becomes: as a receiver's level control aims at.
inline constexpr float kDetectorLevel = 0.25F;

template <class Detector> class DetectorTrial {
public:
    explicit DetectorTrial(const Setup& setup) : setup_(setup), runner_(setup) { set_up(detector_, setup); }

    Outcome run(double snr_db, uint64_t seed) {
        const HeardFrame heard = runner_.hear(snr_db, seed);
        const uint64_t first = next_;
        next_ += heard.samples.size() + 5001;  // what was before is no part of this
        listen(heard.samples, first);
        Outcome outcome;
        for (const auto& found : found_) {
            const double error = static_cast<double>(static_cast<int64_t>(found.time - first)) - heard.start_sample;
            if (std::abs(error) > phy::kFftSize / static_cast<int>(setup_.cp)) continue;
            outcome.detected = true;
            outcome.acquired = found.cp_samples == phy::kFftSize / static_cast<int>(setup_.cp);
            outcome.start_error_samples = error;
            const auto rate_hz =
                static_cast<double>(phy::Numerology::make(setup_.bandwidth_hz, setup_.cp)->sample_rate_hz);
            outcome.frequency_error_hz = found.cycles_per_sample() * rate_hz - heard.carrier_offset_hz;
        }
        return outcome;
    }

    /// Records while nothing is sent; preambles alone can be wrong here.
    FalseAlarms idle(Idle idle, int64_t symbols, uint64_t seed, const std::function<bool(int64_t)>& go_on) {
        constexpr int64_t kSymbolSamples = 288, kStretchSymbols = 1000;
        IdleSource source(idle, seed);
        std::vector<phy::Complex> stretch(static_cast<size_t>(kStretchSymbols * kSymbolSamples));
        FalseAlarms result;
        for (; result.symbols < symbols && go_on(result.symbols); result.symbols += kStretchSymbols) {
            const int64_t first = result.symbols * kSymbolSamples;
            source.fill(first, stretch);
            listen(stretch, static_cast<uint64_t>(first));
            result.preambles += static_cast<int64_t>(found_.size());
        }
        plateaus = detector_.read(fpga::preamble_detect::kPlateaus);
        return result;
    }

    /// Carrier offsets of the setup are searched.
    static void set_up(Detector& detector, const Setup& setup) {
        const double spacing_hz = phy::Numerology::make(setup.bandwidth_hz, setup.cp)->carrier_spacing_hz();
        const double carriers = setup.max_offset_ppm * 1e-6 * setup.carrier_hz / spacing_hz;
        const auto steps = static_cast<uint32_t>(std::ceil((carriers - 2) / 4));
        detector.write(fpga::preamble_detect::kMaxSteps, carriers <= 2 ? 0 : std::min(7U, steps));
        if (setup.cp_known)
            for (uint32_t i = 0; i < 4; ++i)
                if (8U << i == phy::kFftSize / static_cast<uint32_t>(setup.cp))
                    detector.write(fpga::preamble_detect::kPrefixes, 1U << i);
    }

    uint32_t plateaus = 0;  ///< that were looked at in idle(), modulo 2^16
    const std::vector<fpga::Detection>& found() const { return found_; }

private:
    void listen(std::span<const phy::Complex> heard, uint64_t first) {
        samples_.clear();
        for (const auto& x : heard) samples_.push_back(fpga::fixed_sample(x * kDetectorLevel));
        found_.clear();
        detector_.process(first, samples_, found_);
    }

    Setup setup_;
    AcquisitionRunner runner_;
    Detector detector_;
    uint64_t next_ = 5000;
    std::vector<fpga::FixedSample> samples_;
    std::vector<fpga::Detection> found_;
};

}  // namespace wimax::acquisition
