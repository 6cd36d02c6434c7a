// SPDX-License-Identifier: GPL-3.0-or-later
// A bulk transfer over TCP as far as it matters to a link: slow start, congestion avoidance by CUBIC (RFC 9438), loss
// found and repaired by SACK (RFC 6675, and by time as in RFC 8985), retransmission timer (RFC 6298), delayed
// acknowledgements, ECN (RFC 3168). Counts in segments; the connection exists from the start.
#pragma once

#include "sim/traffic_flow.h"

#include <deque>
#include <set>

namespace wimax::sim {

struct TcpCounters {
    uint64_t segments = 0, retransmissions = 0, recoveries = 0, timeouts = 0, ecn_reductions = 0;
};

/// The receiving end.
class TcpReceiver {
public:
    explicit TcpReceiver(int64_t sample_rate_hz) : delay_(sample_rate_hz * kDelayMs / 1000) {}
    /// False: the segment was received before.
    bool receive(uint32_t segment, uint8_t ecn, uint8_t flags, Samples now);
    /// An acknowledgement that is due by `now`.
    std::optional<PacketWriter::Segment> acknowledge(Samples now);

private:
    static constexpr int64_t kDelayMs = 40;
    static constexpr int kEvery = 2;
    void fill(PacketWriter::Segment& ack) const;

    Samples delay_, due_ = INT64_MAX;
    uint32_t next_ = 0;
    std::set<uint32_t> beyond_;  ///< received after a gap
    uint32_t latest_ = 0;
    int unacknowledged_ = 0;
    int owed_ = 0;  ///< acknowledgements to send at once
    bool congestion_seen_ = false;
};

/// The sending end.
class TcpSender {
public:
    TcpSender(int64_t sample_rate_hz, uint32_t window_segments);
    void acknowledged(const PacketWriter::Segment& ack, Samples now);
    /// True: no acknowledgement in time, all is sent again.
    bool run_timer(Samples now);
    struct Send {
        uint32_t segment = 0;
        bool again = false, reduced = false;  ///< a repetition; the first after a reduction by ECN
    };
    /// The next segment that may be sent.
    std::optional<Send> next(Samples now);
    bool anything_out() const { return !out_.empty(); }
    const TcpCounters& counters() const { return counters_; }
    double window() const { return window_; }
    double round_trip_ms() const { return 1000 * smoothed_ / static_cast<double>(rate_); }

private:
    struct Segment {
        Samples sent = 0;
        bool selected = false, lost = false, repeated = false;
    };
    void measure(Samples round_trip);
    void mark_selected(const PacketWriter::Segment& ack, Samples now);
    void delivered(const Segment& segment, Samples now);
    void find_losses();
    void lower_threshold();
    void reduce();
    void grow(double news, Samples now);
    void restart_timer(Samples now);
    uint32_t end() const { return first_ + static_cast<uint32_t>(out_.size()); }

    static constexpr double kInitialWindow = 10, kLeastWindow = 2;
    static constexpr double kReduction = 0.7, kCubic = 0.4;  ///< RFC 9438: beta_cubic, C in segments/s^3
    static constexpr uint32_t kDuplicates = 3;
    static constexpr int64_t kLeastTimeoutMs = 200, kFirstTimeoutMs = 1000, kMostTimeoutMs = 60'000;

    int64_t rate_;
    uint32_t limit_;
    uint32_t first_ = 0;       ///< not acknowledged yet
    std::deque<Segment> out_;  ///< from first_ on
    size_t in_flight_ = 0;     ///< of them neither selected nor lost
    double window_ = kInitialWindow, threshold_ = 1e9;
    double full_ = 0;               ///< window before the last reduction
    std::optional<Samples> epoch_;  ///< congestion avoidance has begun
    double until_full_s_ = 0, friendly_ = 0;
    bool recovering_ = false;
    uint32_t recover_ = 0, ecn_until_ = 0;
    bool tell_reduced_ = false;
    Samples newest_sent_ = 0;  ///< of all segments that have arrived, the one sent last
    double smoothed_ = 0, variation_ = 0;
    Samples timeout_, deadline_ = INT64_MAX;
    TcpCounters counters_;
};

class TcpFlow final : public TrafficFlow {
public:
    TcpFlow(const TrafficConfig& config, Ends ends, const FlowFrame& frame, uint64_t seed);
    bool replies() const override { return true; }
    void send(bool source, Samples now, Outlet& outlet) override;
    void receive(bool source, const ReadPacket& packet, Samples now) override;
    const TcpSender& sender() const { return sender_; }

private:
    size_t data_octets() const { return config_.packet_bytes - kTcpOverheadOctets; }
    TcpSender sender_;
    TcpReceiver receiver_;
    uint32_t number_ = 0;  ///< of packets, repetitions included
    Samples woken_ = 0;    ///< when the sender last had reason to send
};

}  // namespace wimax::sim
