// SPDX-License-Identifier: GPL-3.0-or-later
// FPC (message 38): power corrections of several stations in one broadcast message. After the type follow the number of
// stations, the low 8 bits of the frame in which their power was measured, and for each its basic CID and a signed
// correction of 0.25 dB units. One source has this order.
#pragma once

#include "mac/pdu/bits.h"
#include "mac/pdu/dictionary.h"

#include <optional>

namespace wimax::mac {

class FastPowerControl {
public:
    /// `message`: from its type on; outlives the object. Nothing: it does not have the octets that it announces.
    static std::optional<FastPowerControl> read(Octets message) {
        if (message.size() < kHeadOctets) return std::nullopt;
        const Octets stations = message.subspan(kHeadOctets);
        if (stations.size() != message[1] * kStationOctets) return std::nullopt;
        return FastPowerControl(stations);
    }
    /// A message without entries; at most 255 follow.
    static Buffer head(size_t stations, uint8_t frame_lsb) {
        return {kType, static_cast<uint8_t>(stations), frame_lsb};
    }
    static void append(Buffer& message, uint16_t basic_cid, int8_t power_qdb) {
        message.push_back(static_cast<uint8_t>(basic_cid >> 8));
        message.push_back(static_cast<uint8_t>(basic_cid));
        message.push_back(static_cast<uint8_t>(power_qdb));
    }
    /// Of the first entry with that CID.
    std::optional<int8_t> adjust_qdb(uint16_t basic_cid) const {
        for (size_t at = 0; at < stations_.size(); at += kStationOctets)
            if ((stations_[at] << 8 | stations_[at + 1]) == basic_cid) return static_cast<int8_t>(stations_[at + 2]);
        return std::nullopt;
    }

private:
    static constexpr uint8_t kType = static_cast<uint8_t>(MessageType::fpc);
    static constexpr size_t kHeadOctets = 3, kStationOctets = 3;

    explicit FastPowerControl(Octets stations) : stations_(stations) {}
    Octets stations_;
};

}  // namespace wimax::mac
