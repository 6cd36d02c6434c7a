// SPDX-License-Identifier: GPL-3.0-or-later
// One flow whose packets are recorded. A sample is a microsecond.
#pragma once

#include "sim/traffic_flow.h"

#include <gtest/gtest.h>

namespace wimax::sim::test_source {

inline constexpr int64_t kRate = 1'000'000;

struct Sent {
    PacketTag tag;
    size_t octets = 0;
};
struct Pipe : Outlet {
    bool push(Octets packet) override {
        const auto read = read_packet(packet);
        EXPECT_TRUE(read);
        if (read) all.push_back({read->tag, read->octets});
        return taken;
    }
    size_t waiting_octets(Octets) override { return waiting; }
    std::vector<Sent> all;
    bool taken = true;
    size_t waiting = 0;
};

struct Source {
    explicit Source(const TrafficConfig& config, double seconds = 100) {
        frame.sample_rate_hz = kRate;
        frame.traffic_from = 5'000'000;
        frame.window = {5'000'000, 5'000'000 + static_cast<Samples>(seconds * kRate)};
        flow = make_flow(config, {0, 0, 7}, frame, 42);
    }
    /// In frames of 10 ms.
    void run(double seconds) {
        for (const Samples end = now + static_cast<Samples>(seconds * kRate); now < end; now += 10'000)
            flow->send(true, now, pipe);
    }
    double bps(double seconds) const {
        double octets = 0;
        for (const auto& sent : pipe.all) octets += static_cast<double>(sent.octets);
        return 8 * octets / seconds;
    }
    FlowFrame frame;
    std::unique_ptr<TrafficFlow> flow;
    Pipe pipe;
    Samples now = 0;
};

inline TrafficConfig kind(TrafficKind of, double rate_bps = 80'000, uint32_t octets = 1000) {
    TrafficConfig config;
    config.kind = of;
    config.rate_bps = rate_bps;
    config.packet_bytes = octets;
    return config;
}

}  // namespace wimax::sim::test_source
