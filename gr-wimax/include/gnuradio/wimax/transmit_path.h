/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the blocks need of a radio: a way to hand over timed samples, the receive clock, and, where the radio offers it,
 * lock-step. RadioFrontend implements it; tests and offline tools bring their own.
 *
 * Times are 64-bit sample counts of the receive clock. Thread-safe.
 */
#pragma once

#include <gnuradio/wimax/api.h>

#include <complex>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace gr::wimax {

/// What a radio's antennas send as one contiguous piece. The second one, if there is any, may begin later; before, and
/// where it ends earlier, it is silent.
struct TransmitPiece {
    using Samples = std::span<const std::complex<float>>;

    template <std::convertible_to<Samples> T>
    TransmitPiece(const T& samples) : first(samples) {}
    TransmitPiece(Samples samples, size_t from, Samples other) : first(samples), second_from(from), second(other) {}

    Samples first;
    size_t second_from = 0;  ///< sample of `first` with which `second` begins; it ends no later than `first`
    Samples second;
    /// Mean power of a data symbol on all subchannels, as it is in the samples: what a radio may take from its gain
    /// instead. At most 0.
    double level_dbfs = 0;
    /// Between its end and the start of the next piece, where that is known: radios put zeros behind a piece, which
    /// must not be in the next one's way.
    std::optional<int64_t> silence_samples;
};

/// Receive gains that a radio may have, dB: on steps from `low_db` on. `asked_db`: where levels are as they come.
struct ReceiveGainRange {
    double low_db = 0, high_db = 0, step_db = 0, asked_db = 0;
};

class WIMAX_API TransmitPath {
public:
    virtual ~TransmitPath() = default;

    /// Antennas that transmit() serves: 1 or 2.
    virtual int antennas() const { return 1; }

    /// Queues one contiguous piece of signal; its first sample leaves the antenna at `start_sample`. 0 dBFS is a mean
    /// sample power of 1 (head room for peaks is the radio's business). False if the queue is full or the start has
    /// gone by; `deficit_samples` then says by how much (0: queue full).
    virtual bool transmit(int64_t start_sample, const TransmitPiece& piece, int64_t& deficit_samples) = 0;

    /// Lock-step: nothing that is not queued yet will be sent before `sample`. Never goes back. No effect otherwise.
    virtual void commit(int64_t sample) = 0;
    /// True: time waits for commit(); answers may be waited for.
    virtual bool lock_step() const = 0;
    /// Lock-step: samples are exchanged in pieces, so time only goes on if commits are at least that far ahead of what
    /// was received: a piece, and what filters of the radio delay. 0 otherwise.
    virtual int64_t chunk_samples() const { return 0; }
    /// Another receive gain from `sample` on. What is received goes on as before, on the same scale, but for a short
    /// silence around the change. False: this radio's gain does not change so, or not yet again.
    virtual bool change_receive_gain(int64_t sample, double gain_db) {
        static_cast<void>(sample), static_cast<void>(gain_db);
        return false;
    }
    /// One past the newest sample received; before the first, far in the past.
    virtual int64_t now() const = 0;
};
using TransmitPathPtr = std::shared_ptr<TransmitPath>;

}  // namespace gr::wimax
