// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/burst_gate.h"

#include <algorithm>

namespace wimax::fpga {

using burst_gate::Register;

namespace {

constexpr uint32_t kMostRun = 0xFFFFFF, kNoLimit = 0x3FFFFFF;

}  // namespace

void BurstGate::write(uint32_t address, uint32_t value) {
    switch (address) {
        case Register::kEnable: enable_ = value & 1; break;
        case Register::kEdge: edge_ = value & 0xFF; break;
        case Register::kLead: lead_ = value & 0xFFFF; break;
        case Register::kLag: lag_ = value & 0xFFFF; break;
        case Register::kLongest: longest_ = value & kMostRun; break;
        case Register::kPart: part_ = value & 0xFFFFF; break;
        case Register::kShare: share_ = value & kNoLimit; break;
        case Register::kPatience: patience_ = value & kNoLimit; break;
        case Register::kHeartbeat: silence_ = 0; break;
        default: break;
    }
}

uint32_t BurstGate::read(uint32_t address) const {
    switch (address) {
        case Register::kIdAddress: return burst_gate::kId;
        case Register::kVersionAddress: return burst_gate::kVersion;
        case Register::kEnable: return enable_;
        case Register::kEdge: return edge_;
        case Register::kLead: return lead_;
        case Register::kLag: return lag_;
        case Register::kLongest: return longest_;
        case Register::kPart: return part_;
        case Register::kShare: return share_;
        case Register::kPatience: return patience_;
        case Register::kBursts: return bursts_;
        case Register::kLate: return late_;
        case Register::kTooLong: return too_long_;
        case Register::kTooOften: return too_often_;
        case Register::kSilenced: return silenced_;
        case Register::kUnderflows: return underflows_;
        case Register::kLateBy: return late_by_;
        case Register::kLateTimeHigh: return static_cast<uint32_t>(late_time_ >> 32);
        case Register::kLateTimeLow: return static_cast<uint32_t>(late_time_);
        default: return 0;
    }
}

void BurstGate::process(std::span<const AxisWord> words, uint64_t first, size_t ticks, std::vector<AxisWord>& out,
                        std::vector<uint8_t>& line) {
    queue_.insert(queue_.end(), words.begin(), words.end());
    for (uint64_t now = first; now != first + ticks; ++now) tick(now, out, line);
}

/// Words of a dropped burst need no time.
void BurstGate::drain() {
    while (state_ == State::drop && !queue_.empty()) {
        if (queue_.front().end_of_burst) state_ = State::idle;
        queue_.pop_front();
    }
}

BurstGate::Ahead BurstGate::look_ahead(uint64_t now, bool silent) {
    if (state_ != State::idle || queue_.empty()) return {};
    const AxisWord& head = queue_.front();
    const auto away = static_cast<int64_t>(head.time - now);
    if (!head.has_time || away < 0 || (!line_ && away < static_cast<int64_t>(lead_))) {
        ++late_;
        late_by_ = static_cast<uint32_t>(lead_ - static_cast<uint64_t>(away));
        late_time_ = head.time;
        state_ = State::drop;
        return {};
    }
    if (silent) {
        ++silenced_;
        state_ = State::drop;
        return {};
    }
    const auto span = static_cast<int64_t>(lead_ + edge_);
    return {away == 0, away <= static_cast<int64_t>(lead_), away <= span, away <= span + 1};
}

/// True if a burst's sample is sent; the reason of a drop is counted once per burst.
bool BurstGate::may_pass(bool silent) {
    if (silent && !muted_) {
        ++silenced_;
        muted_ = true;
    }
    if (muted_) return false;
    const bool too_long = longest_ != kMostRun && run_ >= longest_, too_often = share_ != kNoLimit && total_ >= share_;
    if (!too_long && !too_often) return true;
    if (!cut_) ++(too_long ? too_long_ : too_often_);
    cut_ = true;
    return false;
}

void BurstGate::count_part(bool passes) {
    this_part_ += passes;
    total_ += passes;
    if (++in_part_ < std::max(part_, 2U)) return;
    in_part_ = 0;
    total_ -= parts_[newest_];
    parts_[newest_] = this_part_;
    this_part_ = 0;
    newest_ = (newest_ + 1) % kParts;
}

void BurstGate::tick(uint64_t now, std::vector<AxisWord>& out, std::vector<uint8_t>& line) {
    drain();
    const bool silent = !enable_ || (patience_ != kNoLimit && silence_ >= patience_);
    if (silence_ < kNoLimit) ++silence_;
    const Ahead ahead = look_ahead(now, silent);
    bool slot = ahead.starts || state_ == State::burst;
    if (ahead.starts) {
        ++bursts_;
        state_ = State::burst;
        muted_ = cut_ = false;
    }
    if (slot && queue_.empty()) {
        ++underflows_;
        state_ = State::drop;
        slot = false;
    }
    AxisWord word;
    if (slot) {
        word = queue_.front();
        queue_.pop_front();
        if (word.end_of_burst) state_ = State::idle;
    }
    const bool passes = slot && may_pass(silent);
    run_ = slot ? std::min(run_ + 1, kMostRun) : 0;
    count_part(passes);

    line_ = !silent && (passes || hold_ > 0 || ahead.near);
    if (passes) hold_ = lag_;
    else if (hold_ > 0) --hold_;
    if (silent) hold_ = 0;
    line.push_back(line_);

    const uint32_t behind = edge_ + lag_;
    const bool emits = slot || tail_ > 0 || ahead.soon;
    const bool ends = slot ? word.end_of_burst && behind == 0 : tail_ == 1 && !ahead.next;
    if (slot) tail_ = behind;
    else if (tail_ > 0) --tail_;
    if (!emits && !open_) return;
    open_ = emits && !ends;
    out.push_back({passes ? word.data : 0, now, true, !open_, !open_});
}

}  // namespace wimax::fpga
