// SPDX-License-Identifier: GPL-3.0-or-later
// Packets between the user and the station: from the TUN interface or scripted traffic, and back. Packets that are
// longer than an SDU are fragmented, or their sender gets the MTU.
#pragma once

#include "mac/station.h"
#include "macd/daemon_figures.h"
#include "macd/event_limit.h"
#include "macd/macd_config.h"

#include <memory>
#include <optional>
#include <span>

namespace wimax::macd {

class UserPackets {
public:
    /// ICMP errors to senders of packets that no SDU can carry, per second of samples.
    static constexpr uint32_t kTooLongAnswersPerSecond = 10;

    UserPackets(const MacdConfig& config, mac::PacketService& station, std::unique_ptr<Tun> tun);

    /// Passes the packets that are due, or queued by the kernel, to the station.
    void take(const sap::FrameTick& tick);
    /// A received packet, to the user.
    void deliver(std::span<const uint8_t> packet);

    const PacketCounters& counters() const { return count_; }
    TrafficFigures traffic() const { return {source_.made(), sink_.packets(), sink_.bytes(), sink_.hash()}; }
    std::optional<TunFigures> tun() const;

private:
    void push(std::span<const uint8_t> packet, const sap::FrameTick& tick);
    void push_too_long(std::span<const uint8_t> packet, const sap::FrameTick& tick);
    void hand_over(std::span<const uint8_t> packet);

    const MacdConfig& config_;
    mac::PacketService& station_;
    std::unique_ptr<Tun> tun_;
    TrafficSource source_;
    TrafficSink sink_;
    EventLimit too_long_answers_{kTooLongAnswersPerSecond};
    PacketCounters count_;
};

}  // namespace wimax::macd
