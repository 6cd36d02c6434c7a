// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/traffic_mix.h"

#include <algorithm>

namespace wimax::sim {
namespace {

class StationOutlet final : public Outlet {
public:
    explicit StationOutlet(mac::PacketService& station) : station_(station) {}
    bool push(Octets packet) override { return station_.push_sdu(packet); }
    size_t waiting_octets(Octets packet) override { return station_.waiting_octets(packet); }

private:
    mac::PacketService& station_;
};

}  // namespace

TrafficMix::TrafficMix(size_t stations, int64_t sample_rate_hz, double interval_s) : of_node_(stations + 1) {
    frame_.sample_rate_hz = sample_rate_hz;
    interval_ = std::max<Samples>(1, frame_.samples(interval_s));
}

bool TrafficMix::add(const TrafficConfig& config, size_t station, size_t entry, uint64_t seed) {
    if (flows_.size() >= kMostFlows) return false;
    const auto id = static_cast<uint16_t>(flows_.size());
    const TrafficFlow::Ends ends{station, entry, id};
    TrafficFlow** sender = config.multicast ? &multicast_[entry] : nullptr;
    if (sender && *sender) {
        (*sender)->add_listener(*flows_.emplace_back(make_listener(config, ends, frame_)));
        return true;
    }
    flows_.push_back(make_flow(config, ends, frame_, seed * 0x9E3779B97F4A7C15ULL + id));
    if (sender) *sender = flows_.back().get();
    for (const size_t node : {size_t{0}, station + 1}) {
        if (!source_at(*flows_.back(), node) && !flows_.back()->replies()) continue;
        auto& senders = of_node_[node];
        senders.flows.push_back(flows_.back().get());
        senders.due.push_back(INT64_MIN);
        senders.first = INT64_MIN;
    }
    return true;
}

bool TrafficMix::all_arrived() const {
    return std::all_of(flows_.begin(), flows_.end(), [](const auto& flow) { return flow->record().missing() == 0; });
}

void TrafficMix::start(Samples from, FlowRecord::Window window) {
    frame_.traffic_from = from;
    frame_.window = window;
}

void TrafficMix::change(size_t entry, std::optional<size_t> station, const TrafficChange& change, Samples now) {
    for (const auto& flow : flows_)
        if (flow->ends().entry == entry && (!station || flow->ends().station == *station)) flow->change(change, now);
    for (auto& senders : of_node_) {
        std::ranges::fill(senders.due, INT64_MIN);
        senders.first = INT64_MIN;
    }
}

std::vector<uint64_t> TrafficMix::octets_by_interval(Direction direction) const {
    const auto& window = frame_.window;
    auto octets = by_interval_[static_cast<size_t>(direction)];
    octets.resize(static_cast<size_t>((window.to - window.from + interval_ - 1) / interval_));
    return octets;
}

void TrafficMix::send(size_t node, mac::PacketService& station, Samples now) {
    auto& [flows, due, first] = of_node_[node];
    if (now < first) return;
    StationOutlet outlet(station);
    first = INT64_MAX;
    for (size_t i = 0; i < flows.size(); ++i) {
        if (due[i] <= now) {
            flows[i]->send(source_at(*flows[i], node), now, outlet);
            due[i] = flows[i]->due();
        }
        first = std::min(first, due[i]);
    }
}

void TrafficMix::receive(size_t node, Octets octets, Samples now) {
    const auto packet = read_packet(octets);
    if (!packet || packet->tag.flow >= flows_.size()) {
        ++foreign_;
        return;
    }
    TrafficFlow* flow = flows_[packet->tag.flow].get();
    if (node != 0) flow = flow->at(node - 1);
    if (!flow) {
        ++foreign_;
        return;
    }
    if (frame_.window.contains(now)) {
        auto& intervals = by_interval_[node == 0 ? 1 : 0];
        const auto at = static_cast<size_t>((now - frame_.window.from) / interval_);
        if (at >= intervals.size()) intervals.resize(at + 1);
        intervals[at] += packet->octets;
    }
    flow->receive(source_at(*flow, node), *packet, now);
}

}  // namespace wimax::sim
