// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/traffic_flow.h"
#include "sim/open_flow.h"
#include "sim/tcp_flow.h"

#include <algorithm>
#include <cmath>

namespace wimax::sim {
namespace {

/// Port of the end that sends the data.
constexpr uint16_t kAnyPort = 5000;

/// As much as the service flow accepts, like a program whose writes block. The recent rate limits the queue: enough to
/// request the next frame while this one is sent, too little for queue management to drop.
class SaturateFlow final : public TrafficFlow {
public:
    using TrafficFlow::TrafficFlow;

    void send(bool source, Samples now, Outlet& outlet) override {
        if (!source || now < first() || over(now)) return;
        auto packet = writer_.udp(addresses(true), {ends_.id, number_, now}, config_.packet_bytes);
        size_t waiting = outlet.waiting_octets(packet);
        const auto left = static_cast<double>(before_ - std::min(before_, waiting));
        peak_ = std::max(left, kFading * peak_);
        const double wanted = std::max(kLeastWaiting, kFramesWaiting * peak_);
        while (static_cast<double>(waiting) < wanted) {
            const bool taken = outlet.push(packet);
            count_sent(now, taken);
            ++number_;
            if (!taken) break;
            waiting += packet.size();
            packet = writer_.udp(addresses(true), {ends_.id, number_, now}, config_.packet_bytes);
        }
        before_ = waiting;
    }
    void receive(bool source, const ReadPacket& packet, Samples now) override {
        if (!source) record_.received(packet.tag, packet.octets, now, frame_.window, frame_.samples_per_us());
    }

private:
    /// Octets that queue management never counts as a standing queue; frames' worth, below its target.
    static constexpr double kLeastWaiting = 7500, kFramesWaiting = 1.8;
    static constexpr double kFading = 0.8;  ///< per frame, of the most octets sent in a frame
    uint32_t number_ = 0;
    size_t before_ = 0;  ///< waited when the last frame was made
    double peak_ = 0;    ///< recent octets sent in one frame
};

/// The other stations' of a flow that is sent once for all.
class ListenerFlow final : public TrafficFlow {
public:
    using TrafficFlow::TrafficFlow;
    void send(bool, Samples, Outlet&) override {}
    void receive(bool, const ReadPacket& packet, Samples now) override {
        record_.received(packet.tag, packet.octets, now, frame_.window, frame_.samples_per_us());
    }
};

/// Requests and their echoes.
class PingFlow final : public TrafficFlow {
public:
    using TrafficFlow::TrafficFlow;
    bool replies() const override { return true; }

    void send(bool source, Samples now, Outlet& outlet) override {
        if (!source) return answer(outlet);
        if (now < first()) return;
        if (next_ < 0) next_ = static_cast<double>(first()) + gap();
        for (; next_ <= static_cast<double>(now); next_ += gap()) {
            const auto at = static_cast<Samples>(next_);
            if (over(at)) return;
            const bool taken =
                outlet.push(writer_.udp(addresses(true), {ends_.id, number_++, at}, config_.packet_bytes));
            record_.sent(at, frame_.window, taken);
        }
    }
    void receive(bool source, const ReadPacket& packet, Samples now) override {
        if (source) record_.received(packet.tag, packet.octets, now, frame_.window, frame_.samples_per_us());
        else owed_.push_back(packet.tag);
    }

private:
    void answer(Outlet& outlet) {
        for (const auto& tag : owed_) outlet.push(writer_.udp(addresses(false), tag, config_.packet_bytes));
        owed_.clear();
    }
    double gap() {
        const double ms = config_.gap_min_ms + uniform(random_) * (config_.gap_max_ms - config_.gap_min_ms);
        return ms / 1000 * static_cast<double>(frame_.sample_rate_hz);
    }

    void restart() override { next_ = -1; }

    double next_ = -1;
    uint32_t number_ = 0;
    std::vector<PacketTag> owed_;
};

}  // namespace

TrafficFlow::TrafficFlow(const TrafficConfig& config, Ends ends, const FlowFrame& frame, uint64_t seed)
    : config_(config), ends_(ends), frame_(frame), random_(seed), record_(config.max_latency_ms) {}

PacketAddresses TrafficFlow::addresses(bool source) const {
    // The rules of the other direction do not contain the port of the replies.
    const uint16_t port = port_of(ends_.entry);
    const uint32_t destination = config_.multicast ? group_of(ends_.entry) : address_of(ends_.station);
    PacketAddresses a{kServerAddress, destination, kAnyPort, port, 0};
    if (!source_is_base_station()) std::swap(a.source, a.destination);
    if (!source) {
        std::swap(a.source, a.destination);
        std::swap(a.source_port, a.destination_port);
    }
    return a;
}

void TrafficFlow::change(const TrafficChange& change, Samples now) {
    const bool restarts = change.rate_bps.has_value() || (change.on && *change.on && paused_);
    config_.rate_bps = change.rate_bps.value_or(config_.rate_bps);
    config_.packet_bytes = change.packet_bytes.value_or(config_.packet_bytes);
    paused_ = !change.on.value_or(!paused_);
    if (!restarts) return;
    restarted_at_ = now;
    due_ = INT64_MIN;
    restart();
}

void TrafficFlow::count_sent(Samples at, bool taken) {
    record_.sent(at, frame_.window, taken);
    for (auto* listener : listeners_) listener->record_.sent(at, frame_.window, taken);
}

TrafficFlow* TrafficFlow::at(size_t station) {
    if (ends_.station == station) return this;
    const auto of_station = [](const TrafficFlow* flow) { return flow->ends_.station; };
    const auto found = std::ranges::lower_bound(listeners_, station, {}, of_station);
    return found == listeners_.end() || of_station(*found) != station ? nullptr : *found;
}

std::unique_ptr<TrafficFlow> make_listener(const TrafficConfig& config, TrafficFlow::Ends ends,
                                           const FlowFrame& frame) {
    return std::make_unique<ListenerFlow>(config, ends, frame, 0);
}

std::unique_ptr<TrafficFlow> make_flow(const TrafficConfig& config, TrafficFlow::Ends ends, const FlowFrame& frame,
                                       uint64_t seed) {
    switch (config.kind) {
        case TrafficKind::saturate: return std::make_unique<SaturateFlow>(config, ends, frame, seed);
        case TrafficKind::ping: return std::make_unique<PingFlow>(config, ends, frame, seed);
        case TrafficKind::tcp: return std::make_unique<TcpFlow>(config, ends, frame, seed);
        case TrafficKind::cbr:
        case TrafficKind::poisson:
        case TrafficKind::voice:
        case TrafficKind::onoff:
        case TrafficKind::video:
        case TrafficKind::trace: break;
    }
    return make_open_flow(config, ends, frame, seed);
}

}  // namespace wimax::sim
