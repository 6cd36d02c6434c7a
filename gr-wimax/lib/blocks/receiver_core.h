// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of both receivers, without GNU Radio: numbered samples in pieces of any size, a buffer for them until the
// response arrives, commits to the radio, and the status for other threads. Messages are structures of
// block_messages.h. They leave through ReceiverOutput, in the caller's thread.
#pragma once

#include "phy/base/sample_buffer.h"

#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>
#include <gnuradio/wimax/transmit_path.h>

#include <mutex>
#include <utility>

namespace gr::wimax {

class ReceiverOutput {
public:
    virtual ~ReceiverOutput() = default;
    virtual void send(const Tick& tick) = 0;
    virtual void send(BurstReport&& report) = 0;
    virtual void send(const ContentionReport& report) = 0;
    virtual void send(const ErrorReport& error) = 0;
    /// Observer of the symbols of this frame's bursts; nullptr: none.
    virtual phy::SymbolObserver* observer(phy::FrameNumber frame) = 0;
};

template <typename Status> class ReceiverCore {
public:
    virtual ~ReceiverCore() = default;

    Status status() const {
        const std::lock_guard guard(status_mutex_);
        return status_;
    }
    bool started() const { return started_; }
    /// Number of samples that receive() accepts now; 0 while the core waits for a response and its buffer is full.
    size_t room() const { return buffer_.space(); }
    /// The next sample is number `sample`. Call it before the first sample.
    void move_time(int64_t sample) {
        const int64_t expected = buffer_.end();
        const bool first = !std::exchange(started_, true);
        if (!first && sample == expected) return;
        jump(sample, first);
        if (first) return;
        report({ErrorKind::time_jump, frame_number(), (sample - expected) * 1'000'000 / rate_,
                "received samples do not follow"});
    }
    /// Takes at most room() samples.
    void receive(std::span<const std::complex<float>> samples) {
        buffer_.lend(samples);
        advance();
        buffer_.keep();
    }
    /// A malformed response is reported and counts as received.
    virtual void on_expect(const Parsed<Expectation>& e) = 0;
    virtual void on_done(const Done& done) = 0;
    virtual void on_control(const Control& c) = 0;
    /// For reports of errors.
    virtual phy::FrameNumber frame_number() const = 0;

protected:
    ReceiverCore(ReceiverOutput& output, TransmitPathPtr radio, int64_t sample_rate_hz, size_t buffer_samples)
        : output_(output), radio_(std::move(radio)), rate_(sample_rate_hz), buffer_(buffer_samples) {}

    /// Processes the samples in the buffer.
    virtual void advance() = 0;
    /// The next sample is number `sample`: the first one, or one after a gap or jump. Discards the buffer.
    virtual void jump(int64_t sample, bool first) = 0;

    int64_t samples_of(int us) const { return rate_ * us / 1'000'000; }
    void commit(int64_t sample) {
        if (radio_ && started_) radio_->commit(sample);
    }
    void report(const ErrorReport& e) { output_.send(e); }

    ReceiverOutput& output_;
    const TransmitPathPtr radio_;
    const int64_t rate_;
    phy::SampleBuffer buffer_;
    bool started_ = false;
    mutable std::mutex status_mutex_;
    Status status_;
};

}  // namespace gr::wimax
