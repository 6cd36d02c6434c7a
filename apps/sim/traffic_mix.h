// SPDX-License-Identifier: GPL-3.0-or-later
// All flows of a cell, and the assignment of packets to them.
#pragma once

#include "sim/cell.h"
#include "sim/traffic_flow.h"

#include <map>

namespace wimax::sim {

class TrafficMix final : public Users {
public:
    /// Flow identifiers have 16 bits.
    static constexpr size_t kMostFlows = 65'535;

    TrafficMix(size_t stations, int64_t sample_rate_hz, double interval_s);
    /// False: there are too many. Each flow has its own random numbers, from `seed` and its number. Call it with rising
    /// stations: the flow of a multicast entry's first station sends, and those of the others listen.
    bool add(const TrafficConfig& config, size_t station, size_t entry, uint64_t seed);
    /// Packets are sent from `from` on and counted within `window`.
    void start(Samples from, FlowRecord::Window window);
    /// Ends the window earlier than start() had it.
    void end(Samples to) { frame_.window.to = to; }
    /// Changes the packets of an entry's flows: of all its stations, or of one of them (from 0).
    void change(size_t entry, std::optional<size_t> station, const TrafficChange& change, Samples now);

    void send(size_t node, mac::PacketService& station, Samples now) override;
    void receive(size_t node, Octets packet, Samples now) override;

    const std::vector<std::unique_ptr<TrafficFlow>>& flows() const { return flows_; }
    /// Every packet sent within the window has arrived.
    bool all_arrived() const;
    /// Octets delivered in each interval of the window, by direction of the packets.
    std::vector<uint64_t> octets_by_interval(Direction direction) const;
    uint64_t foreign() const { return foreign_; }  ///< packets that were none, or not for who got them

private:
    bool source_at(const TrafficFlow& flow, size_t node) const { return flow.source_is_base_station() == (node == 0); }

    FlowFrame frame_;
    Samples interval_;
    std::vector<std::unique_ptr<TrafficFlow>> flows_;
    /// The flows that send at a node.
    struct Senders {
        std::vector<TrafficFlow*> flows;
        std::vector<Samples> due;   ///< TrafficFlow::due() of each
        Samples first = INT64_MIN;  ///< no later than any of these
    };
    std::vector<Senders> of_node_;
    std::map<size_t, TrafficFlow*> multicast_;  ///< the one that sends, by entry
    std::array<std::vector<uint64_t>, kDirections> by_interval_;
    uint64_t foreign_ = 0;
};

}  // namespace wimax::sim
