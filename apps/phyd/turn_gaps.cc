// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/turn_gaps.h"

#include <fmt/format.h>

#include <utility>

namespace wimax::phyd {

namespace phy = gr::wimax::phy;
using sap::Slot;

namespace {

std::string lack(const char* what, double needed_us, double left_us, const char* key) {
    return fmt::format("the amplifier needs {:.0f} us {}, the MAC leaves {:.0f}: raise its bs.{}", needed_us, what,
                       left_us, key);
}

}  // namespace

void TurnGaps::restart(const std::optional<gr::wimax::TurnTimes>& needed, int64_t sample_rate_hz) {
    needed_ = needed;
    us_a_slot_ = 1e6 * static_cast<double>(phy::samples_in_slots(1)) / static_cast<double>(sample_rate_hz);
    uplink_.reset();
    told_ttg_ = told_rtg_ = false;
}

double TurnGaps::us(int64_t slots) const { return us_a_slot_ * static_cast<double>(slots); }

void TurnGaps::expects(const sap::RxExpect& m, const sap::FrameInForce& frame) {
    number_ = m.frame_number;
    uplink_ = sap::extent_of(m, frame);
}

std::optional<std::string> TurnGaps::sends(const sap::TxFrame& m, const sap::FrameInForce& frame) {
    if (!needed_) return std::nullopt;
    const auto downlink = sap::extent_of(m, frame);
    if (!downlink || !uplink_ || number_ != m.frame_number) return std::nullopt;
    const Slot frame_end = Slot() + phy::slots_in_samples(frame.frame_samples);
    const double ttg_us = us(uplink_->begin - downlink->end), rtg_us = us(frame_end - uplink_->end);
    if (ttg_us < needed_->to_receive_us && !std::exchange(told_ttg_, true))
        return lack("from sending to receiving", needed_->to_receive_us, ttg_us, "ttg_us");
    if (rtg_us < needed_->to_send_us && !std::exchange(told_rtg_, true))
        return lack("from receiving to sending", needed_->to_send_us, rtg_us, "rtg_us");
    return std::nullopt;
}

}  // namespace wimax::phyd
