/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reception of a radio front end: packets of the device as samples of the channel with their time, what is lost on the
 * way, and the clock that both directions go by.
 */
#pragma once

#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/resampler.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <atomic>
#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace gr::wimax {

class SampleReceiver {
public:
    SampleReceiver(const RadioDevice& device, const RadioConfig& config, RadioTally& tally);

    void start();
    void stop();
    /// As RadioFrontend says; one caller.
    RadioFrontend::Received receive(std::span<std::complex<float>> out, double timeout_s);
    /// One past the newest sample received; kNothingReceived before the first.
    const std::atomic<int64_t>& now() const { return newest_; }

private:
    int64_t tick_of(const uhd::rx_metadata_t& md, size_t samples);
    static size_t clipped(std::span<const std::complex<float>> samples);
    void note_error(const uhd::rx_metadata_t& md);
    void note_silence(double seconds);
    bool fetch(std::span<std::complex<float>> out, double timeout_s, RadioFrontend::Received& r,
               uhd::rx_metadata_t& md);

    const RadioDevice& device_;
    const double start_delay_s_;
    RadioTally& tally_;
    std::optional<ReceiveResampler> to_channel_;
    std::vector<std::complex<float>> packet_;  // at device rate
    int64_t next_tick_ = kNothingReceived;     // behind the newest packet
    double silence_s_ = 0;
    std::atomic<int64_t> newest_{kNothingReceived};
    std::atomic<bool> streaming_{false};
};

}  // namespace gr::wimax
