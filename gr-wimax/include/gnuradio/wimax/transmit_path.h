// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of the blocks to a radio: timed transmission of samples, the receive clock and, if the radio supports it,
// lock-step. RadioFrontend implements it; tests and offline tools have their own implementations.
//
// Times are 64-bit sample counts of the receive clock. Thread-safe.
#pragma once

#include <gnuradio/wimax/api.h>

#include <complex>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tl/expected.hpp>

namespace gr::wimax {

/// One contiguous piece of signal for a radio's antennas. The second antenna, if any, may begin later and end earlier,
/// and is silent outside its samples.
struct TransmitPiece {
    using Samples = std::span<const std::complex<float>>;

    template <std::convertible_to<Samples> T> TransmitPiece(const T& samples) : first(samples) {}
    TransmitPiece(Samples samples, size_t from, Samples other) : first(samples), second_from(from), second(other) {}

    Samples first;
    size_t second_from = 0;  ///< sample of `first` with which `second` begins; it ends no later than `first`
    Samples second;
    /// Mean power of a data symbol on all subchannels in these samples. A radio may lower its gain by this amount and
    /// raise the samples instead. At most 0.
    double level_dbfs = 0;
    /// Samples from the end of this piece to the start of the next, if known: radios add zeros after a piece, which
    /// must not overlap the next one.
    std::optional<int64_t> silence_samples;
};

/// Why a radio refuses a piece.
struct PieceFault {
    enum class Kind : uint8_t {
        late,        ///< its start has passed
        queue_full,  ///< pieces before it are not sent yet
        length,      ///< longer than agreed with the radio
        antennas,    ///< samples for an antenna that the radio lacks, or outside of the first antenna's
    };
    Kind kind = Kind::late;
    int64_t late_samples = 0;  ///< late: delay in samples, at least 1
};

/// Allowed receive gains, dB, in steps from `low_db` on. `asked_db`: gain at which levels are not rescaled.
struct ReceiveGainRange {
    double low_db = 0, high_db = 0, step_db = 0, asked_db = 0;
};

class WIMAX_API TransmitPath {
public:
    virtual ~TransmitPath() = default;

    /// Antennas that transmit() serves: 1 or 2.
    virtual int antennas() const { return 1; }

    /// Queues one contiguous piece of signal; its first sample leaves the antenna at `start_sample`. 0 dBFS is a mean
    /// sample power of 1 (the radio provides head-room for peaks).
    [[nodiscard]] virtual tl::expected<void, PieceFault> transmit(int64_t start_sample, const TransmitPiece& piece) = 0;

    /// Lock-step: declares that no further piece will start before `sample`. Never decreases. Otherwise without effect.
    virtual void commit(int64_t sample) = 0;
    /// True: time waits for commit(), so the caller may wait for responses.
    virtual bool lock_step() const = 0;
    /// Lock-step: least lead of commits over the received samples with which time continues, because samples are
    /// exchanged in chunks: a chunk plus the delay of the radio's filters. 0 otherwise.
    virtual int64_t chunk_samples() const { return 0; }
    /// Changes the receive gain from `sample` on. Received samples keep their scale, with a short
    /// silence around the change. False: this radio does not support it, or a change is still pending.
    virtual bool change_receive_gain(int64_t sample, double gain_db) {
        static_cast<void>(sample), static_cast<void>(gain_db);
        return false;
    }
    /// Lock-step: the caller will not look at received samples [from, until), which may then be zeros. Replaces the
    /// range before. Otherwise without effect.
    virtual void skip_received(int64_t from, int64_t until) { static_cast<void>(from), static_cast<void>(until); }
    /// One past the newest sample received; before the first, far in the past.
    virtual int64_t now() const = 0;
};
using TransmitPathPtr = std::shared_ptr<TransmitPath>;

}  // namespace gr::wimax
