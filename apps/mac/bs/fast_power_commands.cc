// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/fast_power_commands.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/fast_power.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// A message has room in the broadcast burst of one frame.
constexpr size_t kMostStations = 64;

}  // namespace

void FastPowerCommands::add(uint16_t basic_cid, int8_t power_qdb, phy::FrameNumber measured) {
    commands_.push_back({basic_cid, power_qdb});
    measured_ = measured;
}

void FastPowerCommands::send() {
    if (commands_.empty()) return;
    const bool together = least_stations_ > 0 && commands_.size() >= least_stations_;
    for (auto left = std::span<const Command>(commands_); !left.empty();) {
        const auto part = left.first(std::min(left.size(), together ? kMostStations : size_t{1}));
        if (together) send_together(part);
        else send_alone(part.front());
        left = left.subspan(part.size());
    }
    commands_.clear();
}

void FastPowerCommands::send_together(std::span<const Command> commands) {
    Buffer message = FastPowerControl::head(commands.size(), static_cast<uint8_t>(measured_.value()));
    for (const Command& command : commands) {
        FastPowerControl::append(message, command.basic_cid, command.power_qdb);
        if (Subscriber* station = to_.stations.find_basic(command.basic_cid)) station->ranging.asked_by_fast_power();
    }
    to_.broadcast.push(cid::kBroadcast, std::move(message));
}

void FastPowerCommands::send_alone(const Command& command) {
    Subscriber* station = to_.stations.find_basic(command.basic_cid);
    if (!station) return;
    RangingCorrection correction;
    correction.power_qdb = command.power_qdb;
    correction.status = RangingStatus::continue_ranging;
    RngRsp rsp;
    correction.put_into(rsp);
    station->management.push(command.basic_cid, rsp);
}

}  // namespace wimax::mac
