// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/frame/preamble_source.h"

#include <cmath>
#include <limits>
#include <utility>

namespace gr::wimax::phy {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

PreambleSource::PreambleSource(std::optional<CyclicPrefix> cp, const Numerology& numerology,
                               std::shared_ptr<PreambleDetector> detector)
    : detector_(std::move(detector)),
      patience_samples_(std::llround(kPatienceS * static_cast<double>(numerology.sample_rate_hz))),
      search_(cp, numerology) {}

void PreambleSource::restart(int64_t sample) {
    deaf_ = false;
    go_on(sample);
}

void PreambleSource::go_on(int64_t sample) {
    search_.restart(sample);
    plateau_.reset();
    from_ = sample;
    silent_since_.reset();
}

void PreambleSource::ask(int64_t now, bool followed) {
    if (!detector_) return;
    const auto is_over = [&](const DetectedPreamble& d) {
        return d.start_sample < from_ || (followed && d.start_sample + PreambleDetector::kLatencySamples <= now);
    };
    do {
        if (detected_ && is_over(*detected_)) detected_.reset();
        if (!detected_) detected_ = detector_->next();
    } while (detected_ && is_over(*detected_));
    if (detected_) deaf_ = false;
    if (detected_ || followed || !silent_since_) silent_since_ = now;
    if (deaf_ || now - *silent_since_ < patience_samples_) return;
    deaf_ = true;
    search_.restart(now);
}

int64_t PreambleSource::due() const {
    if (by_search()) return plateau_ ? *plateau_ + PreambleSearch::kAcquireSamples : search_.needed();
    return detected_ ? detected_->start_sample + PreambleDetector::kLatencySamples : kNever;
}

std::optional<Acquisition> PreambleSource::look(const SampleView& samples) {
    if (!by_search()) {
        from_ = detected_->start_sample + 1;
        ++detections_;
        return Acquisition{detected_->start_sample, detected_->cp, detected_->cycles_per_sample};
    }
    if (!plateau_) {
        plateau_ = search_.scan(samples);
        return std::nullopt;
    }
    return search_.acquire(samples, *std::exchange(plateau_, std::nullopt));
}

int64_t PreambleSource::keep_from(int64_t now) const {
    if (by_search()) return search_.keep_from();
    return detected_ ? detected_->start_sample - kFftSize : now - kHistorySamples;
}

}  // namespace gr::wimax::phy
