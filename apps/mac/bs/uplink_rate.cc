/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/uplink_rate.h"

namespace wimax::mac {

void UplinkRate::change(uint8_t id) {
    // What was tried too early is tried again later and later.
    if (id < id_ && risen_) to_rise_ = std::min(2 * to_rise_, kMostToRise);
    risen_ = id > id_;
    id_ = id;
    bursts_ = low_ = high_ = 0;
}

void UplinkRate::start(float cinr_db) {
    uint8_t id = highest_;
    while (id > lowest_ && cinr_db <= profile_.exit_db[id]) --id;
    id_ = id;
    bursts_ = low_ = high_ = 0;
    to_rise_ = kBurstsToRise;
    risen_ = false;
}

void UplinkRate::on_burst(uint8_t rate_id, bool delivered, float cinr_db, bool exhausted) {
    if (rate_id != id_) return;  // granted before the last change
    if (exhausted) {
        if (id_ == lowest_) return;
        uint8_t id = static_cast<uint8_t>(id_ - 1);
        while (id > lowest_ && cinr_db <= profile_.exit_db[id]) --id;
        return change(id);
    }
    if (!delivered) return;
    mean_db_ = bursts_ == 0 ? cinr_db : mean_db_ + kAveraging * (cinr_db - mean_db_);
    ++bursts_;
    low_ = mean_db_ <= profile_.exit_db[id_] ? low_ + 1 : 0;
    high_ = id_ < highest_ && mean_db_ >= profile_.entry_db[id_ + 1] ? high_ + 1 : 0;
    if (bursts_ >= kMostToRise) {
        risen_ = false;
        to_rise_ = kBurstsToRise;
    }
    if (low_ >= kBurstsToFall && id_ > lowest_)
        change(static_cast<uint8_t>(id_ - 1));
    else if (high_ >= to_rise_)
        change(static_cast<uint8_t>(id_ + 1));
}

}  // namespace wimax::mac
