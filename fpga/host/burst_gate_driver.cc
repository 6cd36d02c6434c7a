// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/host/burst_gate_driver.h"

#include "fpga/model/burst_gate_registers.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace wimax::fpga {
namespace {

using namespace burst_gate;

constexpr int64_t kWindowParts = 16;
constexpr int64_t kNoShare = 0x3FFFFFF, kMostPart = 0xFFFFF;

uint32_t bits(int64_t value, int count, int64_t least = 0) {
    return static_cast<uint32_t>(std::clamp(value, least, (int64_t{1} << count) - 1));
}

class Driver final : public gr::wimax::TransmitGate {
public:
    explicit Driver(gr::wimax::RadioCorePtr core) : core_(std::move(core)) {}

    void set_up(const gr::wimax::GateSettings& s) override {
        core_->poke(kEnable, 0);
        core_->poke(kEdge, bits(s.edge_samples, 8));
        core_->poke(kLead, bits(s.lead_samples, 16));
        core_->poke(kLag, bits(s.lag_samples, 16));
        core_->poke(kLongest, bits(s.longest_samples, 24));
        set_share(s);
        core_->poke(kPatience, bits(s.patience_samples, 26));
        for (auto& count : counts_) static_cast<void>(count.more(*core_));  // of an earlier user
        for (auto& count : counts_) count.sum = 0;
        beat();
        core_->poke(kEnable, s.enable ? 1 : 0);
    }

    void beat() override { core_->poke(kHeartbeat, 1); }

    gr::wimax::GateCounters counters() override {
        const std::lock_guard lock(mutex_);
        std::array<uint64_t, 6> now{};
        std::transform(counts_.begin(), counts_.end(), now.begin(), [&](Count& count) { return count.more(*core_); });
        return {now[0], now[1], now[2], now[3], now[4], now[5], now[1] > 0 ? last_late() : gr::wimax::LateBurst{}};
    }

private:
    /// If another burst is late during the reads, some of the values may be its.
    gr::wimax::LateBurst last_late() {
        const uint64_t high = core_->peek(kLateTimeHigh);
        return {static_cast<int64_t>(high << 32 | core_->peek(kLateTimeLow)), core_->peek(kLateBy)};
    }

    /// A register that counts modulo 2^16.
    struct Count {
        uint32_t address;
        uint16_t last = 0;
        uint64_t sum = 0;

        uint64_t more(gr::wimax::RadioCore& core) {
            const auto now = static_cast<uint16_t>(core.peek(address));
            sum += static_cast<uint16_t>(now - last);
            last = now;
            return sum;
        }
    };

    /// A window longer than the gate's has no limit in the gate: the host's guard counts it.
    void set_share(const gr::wimax::GateSettings& s) {
        const int64_t part = (s.window_samples + kWindowParts - 1) / kWindowParts;
        core_->poke(kPart, bits(part, 20, 2));
        core_->poke(kShare, part > kMostPart ? static_cast<uint32_t>(kNoShare) : bits(s.share_samples, 26));
    }

    const gr::wimax::RadioCorePtr core_;
    std::mutex mutex_;
    std::array<Count, 6> counts_{Count{kBursts},   Count{kLate},     Count{kTooLong},
                                 Count{kTooOften}, Count{kSilenced}, Count{kUnderflows}};
};

}  // namespace

std::shared_ptr<gr::wimax::TransmitGate> make_burst_gate(gr::wimax::RadioCorePtr core) {
    if (core->peek(kIdAddress) != kId || core->peek(kVersionAddress) != kVersion) return nullptr;
    return std::make_shared<Driver>(std::move(core));
}

}  // namespace wimax::fpga
