// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/traffic.h"
#include "macd/ipv4.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace wimax::macd {
namespace {

constexpr size_t kIpHeader = kIpHeaderOctets, kUdpHeader = 8;

int64_t due_sample(const TrafficStreamConfig& c, uint32_t number, int64_t rate_hz) {
    return std::llround((c.start_s + c.period_s * number) * static_cast<double>(rate_hz));
}

}  // namespace

TrafficSource::TrafficSource(std::vector<TrafficStreamConfig> streams) {
    for (auto& config : streams) streams_.push_back({config, 0});
}

void TrafficSource::run(int64_t now_sample, int64_t sample_rate_hz,
                        const std::function<void(std::span<const uint8_t>)>& push) {
    for (;;) {
        Stream* first = nullptr;
        int64_t earliest = 0;
        for (auto& stream : streams_) {
            if (stream.next >= stream.config.count) continue;
            const int64_t due = due_sample(stream.config, stream.next, sample_rate_hz);
            if (due <= now_sample && (first == nullptr || due < earliest)) {
                first = &stream;
                earliest = due;
            }
        }
        if (first == nullptr) return;
        make(first->config, first->next++);
        push(packet_);
        ++made_;
    }
}

void TrafficSource::make(const TrafficStreamConfig& c, uint32_t number) {
    const size_t size = std::max<size_t>(c.size_bytes, 40);
    packet_.assign(size, 0);
    packet_[0] = 0x45;
    put16(packet_, 2, static_cast<uint32_t>(size));
    put16(packet_, 4, number);
    packet_[8] = 64;
    packet_[9] = 17;
    put32(packet_, 12, c.source);
    put32(packet_, 16, c.destination);
    put16(packet_, 10, internet_checksum(std::span(packet_).first(kIpHeader)));
    put16(packet_, kIpHeader, c.source_port);
    put16(packet_, kIpHeader + 2, c.destination_port);
    put16(packet_, kIpHeader + 4, static_cast<uint32_t>(size - kIpHeader));  // UDP checksum 0: none
    put32(packet_, kIpHeader + kUdpHeader, number);
    std::mt19937_64 random(c.seed * 0x9E3779B97F4A7C15 + number);
    for (size_t i = kIpHeader + kUdpHeader + 4; i < size; ++i) packet_[i] = static_cast<uint8_t>(random());
}

void TrafficSink::take(std::span<const uint8_t> packet) {
    constexpr uint64_t kPrime = 0x100000001B3;
    ++packets_;
    bytes_ += packet.size();
    hash_ = (hash_ ^ packet.size()) * kPrime;
    for (const uint8_t octet : packet) hash_ = (hash_ ^ octet) * kPrime;
}

}  // namespace wimax::macd
