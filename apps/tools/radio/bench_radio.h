// SPDX-License-Identifier: GPL-3.0-or-later
// A radio in the hands of a tool: opened, listened to, and sent with, a thread and no flowgraph. The one place of these
// tools where UHD's exceptions end.
#pragma once

#include "common/faults.h"

#include <gnuradio/wimax/phy/base/numerology.h>
#include <gnuradio/wimax/radio_frontend.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wimax::radio {

namespace phy = gr::wimax::phy;
using phy::Complex;

/// How long one call waits for samples.
inline constexpr double kListenTimeoutS = 0.5;

/// Options to open a radio, as typed.
struct RadioChoice {
    std::string device, tx_antenna, rx_antenna, clock_source;
    double frequency_hz = 3.5e9;
    int64_t bandwidth_hz = 5'000'000;
    double tx_gain_db = 0, rx_gain_db = 0;
    bool transmit = false;      ///< else nothing leaves it, whatever is sent
    double max_power_dbm = 20;  ///< at its port, 3 dB of it for a preamble's
    double longest_burst_ms = 20;
    std::vector<gr::wimax::CalibrationPoint> calibration;
};

class BenchRadio {
public:
    static tl::expected<std::unique_ptr<BenchRadio>, Fault> open(const RadioChoice& choice);

    /// Sets the largest number of past samples that are kept.
    void keep(size_t samples) { kept_most_ = samples; }
    /// Takes one packet, if one arrives within `timeout_s`; time passes only while this is called.
    Outcome listen(double timeout_s);
    /// One past the newest sample.
    int64_t now() const { return radio_->now(); }
    /// The earliest start that a burst can still be sent at, with the lead that a host needs.
    int64_t next_start() const;
    /// End of the last burst that was sent.
    int64_t sent_until() const { return sent_until_; }
    /// Nothing can be sent before it any more (lock-step).
    int64_t promised() const { return promised_; }
    /// False: it came too late, or the radio's queue is full.
    bool send(int64_t start, std::span<const Complex> samples);
    /// Those of the last packet.
    std::span<const Complex> newest() const { return std::span(packet_).first(newest_); }
    /// Samples that were lost, so far; where few were, zeros are kept instead.
    uint64_t lost_samples() const { return lost_; }
    /// Kept samples [from, from + count), or none where some of them are lost.
    std::span<const Complex> heard(int64_t from, size_t count) const;
    /// All that is kept, and the number of its first sample.
    std::span<const Complex> kept() const { return kept_; }
    int64_t kept_from() const { return kept_from_; }

    Outcome set_gains(double tx_db, double rx_db);

    gr::wimax::RadioFrontend& frontend() { return *radio_; }
    const gr::wimax::RadioFrontend& frontend() const { return *radio_; }
    int64_t rate_hz() const { return radio_->sample_rate_hz(); }
    const phy::Numerology& numerology() const { return numerology_; }
    const RadioChoice& choice() const { return choice_; }

private:
    BenchRadio(RadioChoice choice, phy::Numerology numerology);
    void note_gap(int64_t first_sample);
    Outcome attempt(const std::function<void()>& work) const;

    RadioChoice choice_;
    phy::Numerology numerology_;
    std::shared_ptr<gr::wimax::RadioFrontend> radio_;
    int64_t lead_ = 0, promised_ = INT64_MIN, sent_until_ = INT64_MIN / 2;
    std::vector<Complex> packet_, kept_;
    int64_t kept_from_ = 0;
    uint64_t lost_ = 0;
    size_t newest_ = 0;
    size_t kept_most_ = 1 << 20;
};

}  // namespace wimax::radio
