// SPDX-License-Identifier: GPL-3.0-or-later
// Reception of a radio front end: converts packets of the device to samples of the channel with their time, counts
// losses, and keeps the clock of both directions.
#pragma once

#include "radio/device_gains.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/receive_peak.h"
#include "radio/resampler.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <atomic>
#include <complex>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace gr::wimax {

class SampleReceiver {
public:
    SampleReceiver(const RadioDevice& device, const RadioConfig& config, DeviceGains& gains, RadioTally& tally);

    void start();
    void stop();
    /// As described in RadioFrontend; one caller.
    RadioFrontend::Received receive(std::span<std::complex<float>> out, double timeout_s);
    /// One past the newest sample received; kNothingReceived before the first.
    const std::atomic<int64_t>& now() const { return newest_; }
    ReceivePeak& peak() { return peak_; }
    /// As described in TransmitPath. Any thread.
    bool change_gain(int64_t sample, double gain_db);

private:
    int64_t tick_of(const uhd::rx_metadata_t& md, size_t samples);
    void level(int64_t tick, std::span<std::complex<float>> samples);
    void follow_gain(int64_t end);
    void look_at(int64_t tick, std::span<const std::complex<float>> samples);
    void note_error(const uhd::rx_metadata_t& md);
    void note_silence(double seconds);
    bool fetch(std::span<std::complex<float>> out, double timeout_s, RadioFrontend::Received& r,
               uhd::rx_metadata_t& md);

    /// A change of gain: silence during the change, and samples before and after it on the same scale.
    struct Change {
        int64_t tick = 0;
        double gain_db = 0;
        bool set = false;  ///< the device has it
        int64_t silent_from = 0, silent_to = 0;
        float scale_after = 1;
    };

    const RadioDevice& device_;
    DeviceGains& gains_;
    std::mutex mutex_;
    std::optional<Change> change_;
    std::atomic<bool> changing_{false};  ///< true if there is a change_; otherwise nothing is locked
    float scale_ = 1;
    uint64_t asked_ = 0;  ///< version of the gains used by the scale
    const double start_delay_s_;
    RadioTally& tally_;
    ReceivePeak peak_;
    std::optional<ReceiveResampler> to_channel_;
    std::vector<std::complex<float>> packet_;  // at device rate
    int64_t next_tick_ = kNothingReceived;     // end of the newest packet
    double silence_s_ = 0;
    std::atomic<int64_t> newest_{kNothingReceived};
    std::atomic<bool> streaming_{false};
};

}  // namespace gr::wimax
