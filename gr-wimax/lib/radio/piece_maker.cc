// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/piece_maker.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax {
namespace {

int64_t samples_of(double us, double rate_hz) { return static_cast<int64_t>(std::ceil(us * 1e-6 * rate_hz)); }

/// Zeros for a time that lines are on beyond a burst, at the device's rate. A gate needs none.
size_t zeros(const RadioDevice& device, const AmplifierLine& amplifier, double us) {
    const bool none = !amplifier.driven() || device.gate;
    return none ? 0 : static_cast<size_t>(samples_of(us, device.plan.tick_rate_hz));
}

/// Time that a line is on before a burst, at the channel's rate. A gate counts the device's samples and needs the line
/// no later than the burst: two samples exceed the difference of times at both rates.
int64_t lead(const RadioDevice& device, const AmplifierLine& amplifier) {
    if (!amplifier.driven()) return 0;
    return samples_of(amplifier.lead_us, static_cast<double>(device.plan.channel_rate_hz)) +
           (device.gate && !device.plan.exact() ? 2 : 0);
}

}  // namespace

PieceMaker::PieceMaker(const RadioDevice& device, const RadioConfig& config)
    : device_(device),
      lead_samples_(lead(device, config.amplifier)),
      edge_(device.gate ? 0 : static_cast<size_t>(config.burst_edge_samples)),
      front_(edge_ + zeros(device, config.amplifier, config.amplifier.lead_us)),
      behind_(edge_ + zeros(device, config.amplifier, config.amplifier.lag_us)),
      joined_(config.two_carriers()) {
    if (!device.plan.exact()) to_device_.emplace(device.plan);
}

size_t PieceMaker::overlap(const DevicePiece& piece, int64_t promised, int64_t sent_until) const {
    const auto edge = static_cast<int64_t>(edge_), front = static_cast<int64_t>(front_);
    const auto between = front + static_cast<int64_t>(behind_);
    const int64_t ringing = to_device_ ? device_.plan.tick_at(2 * TransmitResampler::kRingingSamples) + 1 : 0;
    int64_t skipped = std::clamp<int64_t>(promised - piece.tick, 0, edge);
    if (const int64_t taken = sent_until - piece.tick; sent_until > piece.tick)
        skipped = std::max(skipped, taken > between + ringing ? front : taken);  // else the device decides
    return std::min(static_cast<size_t>(skipped), piece.length());
}

/// Zeros after a piece: they flush the burst's end out of the device's filters and give amplifiers time. Fewer if the
/// next piece is known, or was found before, to begin earlier.
size_t PieceMaker::tail_of(int64_t start, const TransmitPiece& piece) {
    if (joined_) return 0;
    if (last_unknown_) usual_gap_ = std::max<int64_t>(start - last_end_, 0);
    last_end_ = start + static_cast<int64_t>(piece.first.size());
    last_unknown_ = !piece.silence_samples;
    const int64_t silence = piece.silence_samples.value_or(usual_gap_), enough = static_cast<int64_t>(behind_);
    const int64_t ringing = to_device_ ? 2 * TransmitResampler::kRingingSamples : 0;
    if (silence >= enough + ringing) return behind_;
    return std::min(behind_, static_cast<size_t>(device_.plan.tick_at(std::max<int64_t>(0, silence - ringing))));
}

/// Appends at the device's rate. Returns the tick of the first sample.
int64_t PieceMaker::append(int64_t start, TransmitPiece::Samples samples, std::vector<std::complex<float>>& to) {
    if (to_device_) {
        start = to_device_->convert(start, samples, resampled_);
        samples = resampled_;
    }
    to.insert(to.end(), samples.begin(), samples.end());
    return start;
}

void PieceMaker::fill(DevicePiece& piece, int64_t start, const TransmitPiece& from) {
    auto& first = piece.samples[0];
    first.assign(front_, {});
    piece.start = start;
    piece.tick = append(start, from.first, first) - static_cast<int64_t>(front_);
    first.resize(first.size() + tail_of(start, from));
    if (device_.tx_channels > 1) {
        auto& other = piece.samples[1];
        other.assign(first.size(), {});
        second_.clear();
        const int64_t tick = append(start + static_cast<int64_t>(from.second_from), from.second, second_);
        const auto offset = static_cast<size_t>(tick - piece.tick);
        std::copy_n(second_.begin(), std::min(second_.size(), first.size() - offset),
                    other.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    piece.level_dbfs = from.level_dbfs;
}

}  // namespace gr::wimax
