// SPDX-License-Identifier: GPL-3.0-or-later
// The last received samples, in memory allocated at the start, until a capture freezes those around an event.
// Independent of GNU Radio and files.
#pragma once

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace wimax::phyd {

class SampleRing {
public:
    using Complex = std::complex<float>;

    explicit SampleRing(size_t samples) : ring_(samples) {}

    size_t capacity() const { return ring_.size(); }
    /// The receiver's thread: samples from number `first` on. A jump of numbers discards earlier samples.
    void take(int64_t first, std::span<const Complex> samples);
    /// Any thread: freezes the ring after `after` samples from `event` on. False: another event is pending.
    bool want(int64_t event, size_t after);
    /// True: the ring takes no samples, and stretch() may be read, until release().
    bool held() const { return state_.load(std::memory_order_acquire) == State::held; }
    bool idle() const { return state_.load(std::memory_order_acquire) == State::idle; }

    /// In their order: `parts[0]`, then `parts[1]`.
    struct Stretch {
        int64_t first = 0, event = 0;
        std::array<std::span<const Complex>, 2> parts;
    };
    Stretch stretch() const;
    void release() { state_.store(State::idle, std::memory_order_release); }

private:
    enum class State : uint8_t { idle, wanted, held };
    void put(std::span<const Complex> samples);

    std::vector<Complex> ring_;
    int64_t end_ = 0;  ///< number after the newest sample
    size_t at_ = 0, filled_ = 0;
    int64_t event_ = 0;  ///< written before `wanted`, read after
    size_t after_ = 0;
    std::atomic<State> state_{State::idle};
    std::mutex asking_;
};

}  // namespace wimax::phyd
