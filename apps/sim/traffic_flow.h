// SPDX-License-Identifier: GPL-3.0-or-later
// A flow of packets between the base station's network and one station, with both of its ends: sender, receiver with
// replies, measurements.
#pragma once

#include "sim/direction.h"
#include "sim/flow_record.h"
#include "sim/random.h"

#include <memory>

namespace wimax::sim {

enum class TrafficKind : uint8_t {
    cbr,       ///< a packet each interval
    poisson,   ///< exponential gaps, the same mean
    voice,     ///< cbr in talk spurts
    saturate,  ///< always `backlog_bytes` on the way
    ping,      ///< echoed by the other end; gaps uniform from gap_min_ms to gap_max_ms; the delay is the round trip
    tcp,       ///< a bulk transfer
    onoff,     ///< cbr in periods of Pareto-distributed duration
    video,     ///< pictures of variable size
    trace,     ///< packets of a list
};

/// A packet of a trace.
struct TracePoint {
    double at_s = 0;  ///< since the flow's start, or since the trace began again
    uint32_t octets = 1500;
    bool operator==(const TracePoint&) const = default;
};

struct TrafficConfig {
    TrafficKind kind = TrafficKind::cbr;
    Direction direction = Direction::downlink;  ///< of the data; ping: of the request
    double rate_bps = 50'000;                   ///< cbr, poisson, voice while talking; of IP packets
    uint32_t packet_bytes = 1500;
    uint32_t max_latency_ms = 0;  ///< later packets are counted; 0: none is late
    double gap_min_ms = 100, gap_max_ms = 200;
    double talk_s = 1.0, silence_s = 1.35;  ///< means of voice; silence 0: no pauses
    double start_s = 0;                     ///< after the traffic begins
    double stop_s = 0;                      ///< 0: never
    bool ecn = true;                        ///< tcp
    uint32_t window_bytes = 256'000;        ///< tcp: the receiver's
    double on_s = 1, off_s = 1;             ///< means of onoff
    double pareto_shape = 1.5;              ///< onoff
    double pictures_per_s = 25;             ///< video
    uint32_t group_pictures = 12;           ///< video: pictures of a group; the first is an intra picture
    double intra_ratio = 3;                 ///< video: mean size of an intra picture to that of the others
    double size_cv = 0.3;                   ///< video: deviation of a picture's size to its mean
    std::shared_ptr<const std::vector<TracePoint>> trace{};  ///< in order of time
    double trace_period_s = 0;                               ///< the trace begins again after this time; 0: never
    bool multicast = false;  ///< downlink, without replies: sent once for all stations of the entry

    bool operator==(const TrafficConfig&) const = default;
};

/// What changes in a flow's packets while it runs. Absent: unchanged.
struct TrafficChange {
    std::optional<double> rate_bps{};
    std::optional<uint32_t> packet_bytes{};
    std::optional<bool> on{};
};

/// Common values of all flows.
struct FlowFrame {
    int64_t sample_rate_hz = 1;
    Samples traffic_from = INT64_MAX / 2;  ///< nothing is sent before
    FlowRecord::Window window;
    double samples_per_us() const { return static_cast<double>(sample_rate_hz) / 1e6; }
    Samples samples(double seconds) const {
        return static_cast<Samples>(seconds * static_cast<double>(sample_rate_hz));
    }
};

/// Place to which an end sends.
class Outlet {
public:
    virtual ~Outlet() = default;
    virtual bool push(Octets packet) = 0;
    /// Octets before it, if it were pushed now.
    virtual size_t waiting_octets(Octets packet) = 0;
};

class TrafficFlow {
public:
    /// `entry` of the traffic it is of, `id` among all flows.
    struct Ends {
        size_t station = 0, entry = 0;
        uint16_t id = 0;
    };
    TrafficFlow(const TrafficConfig& config, Ends ends, const FlowFrame& frame, uint64_t seed);
    virtual ~TrafficFlow() = default;
    TrafficFlow(const TrafficFlow&) = delete;
    TrafficFlow& operator=(const TrafficFlow&) = delete;

    /// Sends packets due until `now`. `source`: at the end where the data begin.
    virtual void send(bool source, Samples now, Outlet& outlet) = 0;
    virtual void receive(bool source, const ReadPacket& packet, Samples now) = 0;

    /// From `now` on. Packets without replies start again as at the flow's start if rate or `on` change.
    void change(const TrafficChange& change, Samples now);
    /// send() has nothing to do before; changes when it is called, and with change().
    Samples due() const { return due_; }
    /// The end without the source sends, too.
    virtual bool replies() const { return false; }

    /// Counts this flow's packets for the listener, too. Pre: its station follows those of the others.
    void add_listener(TrafficFlow& listener) { listeners_.push_back(&listener); }
    /// This flow, or the listener that ends at the station; null: none.
    TrafficFlow* at(size_t station);

    /// True if the source is at the base station.
    bool source_is_base_station() const { return config_.direction == Direction::downlink; }
    const TrafficConfig& config() const { return config_; }
    const Ends& ends() const { return ends_; }
    const FlowRecord& record() const { return record_; }
    FlowRecord& record() { return record_; }

protected:
    PacketAddresses addresses(bool source) const;
    void count_sent(Samples at, bool taken);
    /// Of the packets that are sent now.
    Samples first() const { return std::max(start(), restarted_at_); }
    /// No new packets: neither after the flow's end nor after the measurement.
    bool over(Samples at) const {
        return paused_ || at >= frame_.window.to ||
               (config_.stop_s > 0 && at >= start() + frame_.samples(config_.stop_s - config_.start_s));
    }
    /// Times of packets are made again, from first() on.
    virtual void restart() {}
    void set_due(Samples due) { due_ = due; }

    TrafficConfig config_;
    const Ends ends_;
    const FlowFrame& frame_;
    Random random_;
    FlowRecord record_;
    PacketWriter writer_;

private:
    Samples start() const { return frame_.traffic_from + frame_.samples(config_.start_s); }

    std::vector<TrafficFlow*> listeners_;
    Samples restarted_at_ = INT64_MIN;
    Samples due_ = INT64_MIN;
    bool paused_ = false;
};

/// For a station that receives what another one's flow sends.
std::unique_ptr<TrafficFlow> make_listener(const TrafficConfig& config, TrafficFlow::Ends ends, const FlowFrame& frame);
std::unique_ptr<TrafficFlow> make_flow(const TrafficConfig& config, TrafficFlow::Ends ends, const FlowFrame& frame,
                                       uint64_t seed);

}  // namespace wimax::sim
