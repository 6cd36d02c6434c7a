// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/sample_receiver.h"

#include "phy/base/decibels.h"
#include "radio/vrf_nodes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace gr::wimax {
namespace {

constexpr double kSilenceS = 3;    // of a running stream, after its start
constexpr double kSettleS = 2e-4;  // of a gain, after the device reported it as set

}  // namespace

SampleReceiver::SampleReceiver(const RadioDevice& device, const RadioConfig& config, DeviceGains& gains,
                               RadioTally& tally)
    : device_(device),
      gains_(gains),
      asked_(gains.rx_asked()),
      start_delay_s_(config.start_delay_s),
      tally_(tally),
      peak_(device.plan.tick_rate_hz) {
    if (!device.plan.exact()) to_channel_.emplace(device.plan);
}

void SampleReceiver::start() {
    if (streaming_.exchange(true)) return;
    uhd::stream_cmd_t command(uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS);
    command.stream_now = false;
    const double rate = device_.plan.tick_rate_hz;
    const int64_t begin = device_.usrp->get_time_now().to_ticks(rate) + std::llround(start_delay_s_ * rate);
    command.time_spec = uhd::time_spec_t::from_ticks(begin, rate);
    device_.rx->issue_stream_cmd(command);
}

void SampleReceiver::stop() {
    if (!streaming_.exchange(false)) return;
    try {
        device_.rx->issue_stream_cmd(uhd::stream_cmd_t(uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS));
    } catch (const std::exception& e) {
        tally_.lose(e.what());
    }
}

/// Tick of a packet. A consecutive packet counts on from the one before: a stream that the device has restarted may be
/// between ticks, where rounding varies.
int64_t SampleReceiver::tick_of(const uhd::rx_metadata_t& md, size_t samples) {
    const int64_t tick = md.time_spec.to_ticks(device_.plan.tick_rate_hz);
    const int64_t first = std::abs(tick - next_tick_) <= 1 ? next_tick_ : tick;
    next_tick_ = first + static_cast<int64_t>(samples);
    return first;
}

/// Received samples at the channel's rate, into `r`; false if none.
bool SampleReceiver::fetch(std::span<std::complex<float>> out, double timeout_s, RadioFrontend::Received& r,
                           uhd::rx_metadata_t& md) {
    if (!to_channel_) {
        r.samples = device_.rx->recv(out.data(), out.size(), md, timeout_s, true);
        if (r.samples == 0) return false;
        r.first_sample = tick_of(md, r.samples);
        level(r.first_sample, out.first(r.samples));
        return true;
    }
    if (const size_t room = to_channel_->room(out.size()); room > 0) {
        if (packet_.size() < room) packet_.resize(room);
        const size_t n = device_.rx->recv(packet_.data(), room, md, timeout_s, true);
        if (n > 0) {
            const int64_t tick = tick_of(md, n);
            level(tick, std::span(packet_).first(n));
            to_channel_->push(tick, std::span(packet_).first(n));
        }
    }
    r.samples = to_channel_->pull(out, r.first_sample);
    return r.samples > 0;
}

bool SampleReceiver::change_gain(int64_t sample, double gain_db) {
    const std::lock_guard guard(mutex_);
    if (change_) return false;
    change_.emplace();
    changing_ = true;
    change_->tick = device_.plan.tick_at(sample);
    change_->gain_db = gain_db;
    if (!device_.lock_step()) return true;
    // The whole exchange that contains the tick has the gain.
    const double more_db = gains_.set_rx(gain_db, change_->tick);
    change_->set = true;
    change_->silent_from = change_->tick - device_.chunk;
    change_->silent_to = change_->tick;
    change_->scale_after = static_cast<float>(phy::amplitude_of_db(more_db));
    return true;
}

/// Sets a gain that is due; the samples up to `end` were received before.
void SampleReceiver::follow_gain(int64_t end) {
    if (const uint64_t asked = gains_.rx_asked(); asked != asked_) {
        asked_ = asked;
        scale_ = 1;
        change_.reset();
        changing_ = false;
    }
    if (!change_ || change_->set || end < change_->tick) return;
    const double more_db = gains_.set_rx(change_->gain_db, change_->tick);
    const double rate = device_.plan.tick_rate_hz;
    change_->set = true;
    change_->silent_from = change_->tick;
    change_->silent_to = device_.usrp->get_time_now().to_ticks(rate) +
                         std::max<int64_t>(std::llround(kSettleS * rate), vrf_gain_samples(device_.usrp->get_tree()));
    change_->scale_after = static_cast<float>(phy::amplitude_of_db(more_db));
}

/// Measures received samples as the converter had them, then scales them to the requested gain.
void SampleReceiver::level(int64_t tick, std::span<std::complex<float>> samples) {
    look_at(tick, samples);
    const auto scaled = [](std::span<std::complex<float>> some, float by) {
        if (by == 1) return;
        for (auto& s : some) s *= by;
    };
    if (!changing_ && gains_.rx_asked() == asked_) return scaled(samples, scale_);
    const std::lock_guard guard(mutex_);
    const int64_t end = tick + static_cast<int64_t>(samples.size());
    follow_gain(end);
    const auto part = [&](int64_t from, int64_t to) {
        const int64_t first = std::clamp(from, tick, end), last = std::clamp(to, first, end);
        return samples.subspan(static_cast<size_t>(first - tick), static_cast<size_t>(last - first));
    };
    if (!change_ || !change_->set) return scaled(samples, scale_);
    scaled(part(tick, change_->silent_from), scale_);
    const auto silent = part(change_->silent_from, change_->silent_to);
    std::fill(silent.begin(), silent.end(), std::complex<float>());
    scaled(part(change_->silent_to, end), change_->scale_after);
    if (end < change_->silent_to) return;
    scale_ = change_->scale_after;
    change_.reset();
    changing_ = false;
}

/// Counts samples that the converter could not represent; a device whose samples never exceed full scale reports the
/// highest number for them.
void SampleReceiver::look_at(int64_t tick, std::span<const std::complex<float>> samples) {
    constexpr float kFull = 0.9995F;  // the highest number of 12 bits
    if (peak_.take(tick, samples) < kFull) return;
    tally_.clipped_samples += static_cast<uint64_t>(std::count_if(samples.begin(), samples.end(), [](const auto& s) {
        return std::max(std::abs(s.real()), std::abs(s.imag())) >= kFull;
    }));
}

void SampleReceiver::note_error(const uhd::rx_metadata_t& md) {
    switch (md.error_code) {
        case uhd::rx_metadata_t::ERROR_CODE_NONE:
        case uhd::rx_metadata_t::ERROR_CODE_TIMEOUT: break;
        case uhd::rx_metadata_t::ERROR_CODE_LATE_COMMAND:  // set-up took longer than the start delay: start again
            streaming_ = false;
            start();
            break;
        default: md.out_of_sequence ? ++tally_.sequence_errors : ++tally_.overflows;
    }
}

/// A stream that ended without a report. A virtual radio waits for a lost channel.
void SampleReceiver::note_silence(double seconds) {
    silence_s_ = device_.lock_step() || !vrf_is_attached(device_.usrp->get_tree()) ? 0 : silence_s_ + seconds;
    if (silence_s_ > start_delay_s_ + kSilenceS)
        tally_.lose("no samples for " + std::to_string(static_cast<int>(silence_s_)) + " s");
}

RadioFrontend::Received SampleReceiver::receive(std::span<std::complex<float>> out, double timeout_s) {
    RadioFrontend::Received r;
    r.timed_out = tally_.is_lost();
    if (r.timed_out) return r;
    uhd::rx_metadata_t md;
    bool any = false;
    try {
        any = fetch(out, timeout_s, r, md);
        note_error(md);
        r.timed_out = md.error_code == uhd::rx_metadata_t::ERROR_CODE_TIMEOUT;
        if (r.timed_out) note_silence(timeout_s);
        else silence_s_ = 0;
    } catch (const std::exception& e) {
        tally_.lose(e.what());
        r = {};
        r.timed_out = true;
        return r;
    }
    if (!any) return r;
    const int64_t end = r.first_sample + static_cast<int64_t>(r.samples);
    tally_.arrivals.note(end, std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
    const int64_t previous = newest_.exchange(end);
    if (previous != kNothingReceived && r.first_sample > previous)
        tally_.lost_samples += static_cast<uint64_t>(r.first_sample - previous);
    return r;
}

}  // namespace gr::wimax
