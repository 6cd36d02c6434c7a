// SPDX-License-Identifier: GPL-3.0-or-later
// Scripted traffic: UDP packets due at sample times instead of packets from a TUN interface, and a hash over received
// packets. Sent packets depend on the sample clock alone, so that two runs of a lock-step system can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wimax::macd {

struct TrafficStreamConfig {
    double start_s = 1.0;    ///< sample time of the first packet
    double period_s = 0.01;  ///< between packets
    uint32_t count = 100;
    uint16_t size_bytes = 1000;  ///< of the whole IP packet, 40..1500
    uint32_t source = 0x0A010001, destination = 0x0A010002;
    uint16_t source_port = 5001, destination_port = 5001;
    uint64_t seed = 1;  ///< of the payload
};

class TrafficSource {
public:
    explicit TrafficSource(std::vector<TrafficStreamConfig> streams);
    /// Makes the packets that are due up to `now_sample`, in order of their times, and gives them to `push`.
    void run(int64_t now_sample, int64_t sample_rate_hz, const std::function<void(std::span<const uint8_t>)>& push);
    uint64_t made() const { return made_; }

private:
    struct Stream {
        TrafficStreamConfig config;
        uint32_t next = 0;
    };
    void make(const TrafficStreamConfig& config, uint32_t number);

    std::vector<Stream> streams_;
    std::vector<uint8_t> packet_;
    uint64_t made_ = 0;
};

/// Counts and hashes packets in order of arrival (FNV-1a, 64 bits, over length and octets).
class TrafficSink {
public:
    void take(std::span<const uint8_t> packet);
    uint64_t packets() const { return packets_; }
    uint64_t bytes() const { return bytes_; }
    uint64_t hash() const { return hash_; }

private:
    uint64_t packets_ = 0, bytes_ = 0, hash_ = 0xCBF29CE484222325;
};

}  // namespace wimax::macd
