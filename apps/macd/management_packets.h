// SPDX-License-Identifier: GPL-3.0-or-later
// Packets between the management network's interface and the managed stations of a base station.
#pragma once

#include "mac/station.h"
#include "macd/daemon_figures.h"
#include "macd/tun.h"

#include <memory>

namespace wimax::macd {

class ManagementPackets {
public:
    /// `stations` outlives the object, and delivers to it.
    ManagementPackets(mac::ManagementGateway& stations, std::string name, std::unique_ptr<Tun> tun)
        : stations_(stations), name_(std::move(name)), tun_(std::move(tun)) {
        stations_.on_management_packet = [this](mac::Octets packet) { (void)tun_->write(packet); };
    }
    ~ManagementPackets() { stations_.on_management_packet = nullptr; }
    ManagementPackets(const ManagementPackets&) = delete;
    ManagementPackets& operator=(const ManagementPackets&) = delete;

    /// Passes on the packets that the kernel has queued; once a frame.
    void take() {
        for (int i = 0; i < kPerFrame; ++i) {
            const auto packet = tun_->read();
            if (packet.empty()) return;
            (void)stations_.push_management_packet(packet);
        }
    }
    TunFigures figures() const { return {name_, tun_->counters()}; }

private:
    static constexpr int kPerFrame = 256;

    mac::ManagementGateway& stations_;
    const std::string name_;
    std::unique_ptr<Tun> tun_;
};

}  // namespace wimax::macd
