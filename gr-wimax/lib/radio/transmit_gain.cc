// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/transmit_gain.h"

#include "phy/base/decibels.h"
#include "radio/radio_tuning.h"

#include <algorithm>

namespace gr::wimax {

TransmitGain::TransmitGain(const RadioDevice& device, const RadioConfig& config, DeviceGains& gains)
    : device_(device),
      gains_(gains),
      digital_range_db_(config.limits.enable ? config.digital_range_db : std::nullopt),
      asked_(gains.tx_asked()) {
    if (digital_range_db_) plan();
}

void TransmitGain::plan() {
    plan_.emplace(gain_range(device_.usrp->get_tx_gain_range()), gains_.tx_gain_db(), *digital_range_db_);
}

void TransmitGain::choose(const DevicePiece& piece, bool may_change) {
    if (!plan_) return;
    if (const uint64_t asked = gains_.tx_asked(); asked != asked_) {  // the device already has these
        asked_ = asked;
        more_db_ = 0;
        plan();
    }
    if (!may_change) return;
    if (const auto gain = plan_->wanted_gain(piece.level_dbfs - gains_.spare_headroom_db())) {
        more_db_ = gains_.set_tx(*gain, piece.tick);
        plan_->use(gains_.tx_gain_now_db());
    }
}

void TransmitGain::scale(DevicePiece& piece) const {
    const double most_db = std::max(0.0, gains_.spare_headroom_db() - piece.level_dbfs);
    const double more_db = std::min(more_db_, most_db);
    const float by = device_.levels.tx_scale * static_cast<float>(phy::amplitude_of_db(more_db));
    if (by == 1) return;
    for (auto& channel : piece.samples)
        for (auto& s : channel) s *= by;
}

}  // namespace gr::wimax
