// SPDX-License-Identifier: GPL-3.0-or-later
// Arrival times of samples and times of responses, by the wall clock: the data of AnswerTimes. No lock, no allocation.
#pragma once

#include <gnuradio/wimax/answer_times.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace gr::wimax {

/// Arrival times of the last packets.
class Arrivals {
public:
    /// Called by the receiver's thread: samples up to `end` have arrived.
    void note(int64_t end, int64_t now_ns) {
        const uint64_t n = count_.load(std::memory_order_relaxed);
        Packet& packet = packets_[n % kPackets];
        packet.end.store(end, std::memory_order_relaxed);
        packet.at_ns.store(now_ns, std::memory_order_relaxed);
        count_.store(n + 1, std::memory_order_release);
    }
    /// Any thread: arrival time of the packet that completed all samples before `end`; nothing if that is too long ago.
    std::optional<int64_t> when(int64_t end) const {
        const uint64_t n = count_.load(std::memory_order_acquire);
        std::optional<int64_t> found;
        for (uint64_t i = 1; i <= std::min<uint64_t>(n, kPackets / 2); ++i) {  // others may be overwritten meanwhile
            const Packet& packet = packets_[(n - i) % kPackets];
            if (packet.end.load(std::memory_order_relaxed) < end) return found;
            found = packet.at_ns.load(std::memory_order_relaxed);
        }
        return n <= kPackets / 2 ? found : std::nullopt;
    }

private:
    static constexpr uint64_t kPackets = 1024;  // of 0.1 ms
    struct Packet {
        std::atomic<int64_t> end{0}, at_ns{0};
    };
    std::array<Packet, kPackets> packets_;
    std::atomic<uint64_t> count_{0};
};

/// Written by one thread.
class AnswerTally {
public:
    void note(int64_t took_us) {
        const auto us = static_cast<uint64_t>(std::max<int64_t>(took_us, 0));
        const auto bin = std::min<uint64_t>(us / AnswerTimes::kBinUs, AnswerTimes::kBins);
        add(bins_[bin], 1);
        add(sum_us_, us);
        if (us > longest_us_.load(std::memory_order_relaxed)) longest_us_.store(us, std::memory_order_relaxed);
    }
    AnswerTimes times() const {
        AnswerTimes t;
        for (size_t i = 0; i < bins_.size(); ++i) t.bins[i] = bins_[i].load(std::memory_order_relaxed);
        t.sum_us = sum_us_.load(std::memory_order_relaxed);
        t.longest_us = longest_us_.load(std::memory_order_relaxed);
        return t;
    }

private:
    using Count = std::atomic<uint64_t>;
    static void add(Count& to, uint64_t n) {
        to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::array<Count, AnswerTimes::kBins + 1> bins_{};
    Count sum_us_{0}, longest_us_{0};
};

}  // namespace gr::wimax
