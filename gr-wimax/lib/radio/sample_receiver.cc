/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/sample_receiver.h"

#include <cmath>

namespace gr::wimax {

SampleReceiver::SampleReceiver(const RadioDevice& device, const RadioConfig& config, RadioTally& tally)
    : device_(device), start_delay_s_(config.start_delay_s), tally_(tally) {
    if (!device.plan.exact()) to_channel_.emplace(device.plan);
}

void SampleReceiver::start() {
    if (streaming_.exchange(true)) return;
    uhd::stream_cmd_t command(uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS);
    command.stream_now = false;
    const double rate = static_cast<double>(device_.plan.device_rate_hz);
    const int64_t begin = device_.usrp->get_time_now().to_ticks(rate) + std::llround(start_delay_s_ * rate);
    command.time_spec = uhd::time_spec_t::from_ticks(begin, rate);
    device_.rx->issue_stream_cmd(command);
}

void SampleReceiver::stop() {
    if (!streaming_.exchange(false)) return;
    device_.rx->issue_stream_cmd(uhd::stream_cmd_t(uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS));
}

/// Received samples at the channel's rate, into `r`; false if none.
bool SampleReceiver::fetch(std::span<std::complex<float>> out, double timeout_s, RadioFrontend::Received& r,
                           uhd::rx_metadata_t& md) {
    const double device_rate = static_cast<double>(device_.plan.device_rate_hz);
    if (!to_channel_) {
        r.samples = device_.rx->recv(out.data(), out.size(), md, timeout_s, true);
        if (r.samples > 0) r.first_sample = md.time_spec.to_ticks(device_rate);
        return r.samples > 0;
    }
    if (const size_t room = to_channel_->room(out.size()); room > 0) {
        if (packet_.size() < room) packet_.resize(room);
        const size_t n = device_.rx->recv(packet_.data(), room, md, timeout_s, true);
        if (n > 0) to_channel_->push(md.time_spec.to_ticks(device_rate), std::span(packet_).first(n));
    }
    r.samples = to_channel_->pull(out, r.first_sample);
    return r.samples > 0;
}

RadioFrontend::Received SampleReceiver::receive(std::span<std::complex<float>> out, double timeout_s) {
    RadioFrontend::Received r;
    uhd::rx_metadata_t md;
    const bool any = fetch(out, timeout_s, r, md);
    switch (md.error_code) {
        case uhd::rx_metadata_t::ERROR_CODE_NONE: break;
        case uhd::rx_metadata_t::ERROR_CODE_TIMEOUT: r.timed_out = true; break;
        case uhd::rx_metadata_t::ERROR_CODE_LATE_COMMAND:  // set-up took longer than the start delay: once more
            streaming_ = false;
            start();
            break;
        default: ++tally_.overflows;
    }
    if (!any) return r;
    const int64_t end = r.first_sample + static_cast<int64_t>(r.samples);
    const int64_t previous = newest_.exchange(end);
    if (previous != kNothingReceived && r.first_sample > previous)
        tally_.lost_samples += static_cast<uint64_t>(r.first_sample - previous);
    return r;
}

}  // namespace gr::wimax
