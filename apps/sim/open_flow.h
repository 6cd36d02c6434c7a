// SPDX-License-Identifier: GPL-3.0-or-later
// Packets without replies, whose times do not depend on the network: constant and exponential gaps, talk spurts,
// periods with and without packets, pictures of a video, a recorded trace.
#pragma once

#include "sim/traffic_flow.h"

namespace wimax::sim {

class OpenFlow : public TrafficFlow {
public:
    using TrafficFlow::TrafficFlow;

    void send(bool source, Samples now, Outlet& outlet) override;
    void receive(bool source, const ReadPacket& packet, Samples now) override {
        if (!source) record_.received(packet.tag, packet.octets, now, frame_.window, frame_.samples_per_us());
    }

protected:
    /// Samples from the flow's start until its first packet.
    virtual double begin() = 0;
    /// Octets of the next packet; called once for each.
    virtual size_t octets() { return config_.packet_bytes; }
    /// Samples from the last packet to the next; called once after each.
    virtual double gap() = 0;

    /// Between two packets at the flow's rate.
    double interval() const { return samples(8.0 * config_.packet_bytes / config_.rate_bps); }
    double samples(double seconds) const { return seconds * static_cast<double>(frame_.sample_rate_hz); }
    double next() const { return next_; }

private:
    void restart() override { next_ = -1; }

    double next_ = -1;  ///< time of the next packet; negative: the first one is not known yet
    uint32_t number_ = 0;
};

/// For kinds without replies. Pre: the kind is one of them.
std::unique_ptr<TrafficFlow> make_open_flow(const TrafficConfig& config, TrafficFlow::Ends ends, const FlowFrame& frame,
                                            uint64_t seed);

}  // namespace wimax::sim
