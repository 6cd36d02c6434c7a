// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/rx_stream.h"

#include <algorithm>

namespace wimax::vrf {

void RxStream::stop() {
    commands_.clear();
    active_ = chained_ = false;
}

RxStream::Step RxStream::take_command(int64_t& position, int64_t end) {
    if (commands_.empty()) return std::exchange(chained_, false) ? Step::broken_chain : Step::nothing;
    const RxCommand command = commands_.front();
    const int64_t start = command.tick.value_or(position);
    if (start >= end) return Step::nothing;
    commands_.pop_front();
    chained_ = false;
    if (start < position) return Step::late_command;
    position = start;
    mode_ = command.mode;
    remaining_ = command.mode == RxCommand::Mode::start ? UINT64_MAX : command.samples;
    active_ = remaining_ != 0;
    first_packet_ = true;
    return Step::started;
}

void RxStream::give_way() {
    if (mode_ == RxCommand::Mode::start && !commands_.empty() && !commands_.front().tick) active_ = false;
}

size_t RxStream::share(uint64_t samples) const { return size_t(std::min(remaining_, samples)); }

bool RxStream::advance(size_t samples) {
    if (mode_ == RxCommand::Mode::start) return false;
    remaining_ -= samples;
    if (remaining_ != 0) return false;
    active_ = false;
    chained_ = mode_ == RxCommand::Mode::samples_and_more;
    return !chained_;
}

}  // namespace wimax::vrf
