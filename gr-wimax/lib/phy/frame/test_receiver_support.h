// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the receiver tests: random frames, a small channel (paths, clock offset, carrier offset, white noise) and a
// recording listener.
#pragma once

#include "phy/base/test_noise.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace gr::wimax::phy::test {

using Samples = std::vector<Complex>;

struct Path {
    double delay_samples;
    Complex gain;
};

struct Channel {
    double snr_db = 100;       ///< per data carrier; from 100 on: no noise
    double frequency_hz = 0;   ///< positive: received too high
    double clock_ppm = 0;      ///< positive: receiver samples too fast
    double delay_samples = 0;  ///< fractions allowed
    std::vector<Path> paths{{0, 1}};
};

inline double sinc(double x) {
    return std::abs(x) < 1e-9 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

/// x at time `t` (samples), by a windowed sinc of 24 samples; zero outside.
inline Complex sample_at(const Samples& x, double t) {
    constexpr int kReach = 12;
    const auto base = static_cast<int64_t>(std::floor(t));
    const double fraction = t - static_cast<double>(base);
    if (fraction < 1e-9) {
        return base >= 0 && base < static_cast<int64_t>(x.size()) ? x[static_cast<size_t>(base)] : Complex{};
    }
    std::complex<double> sum{};
    for (int i = -kReach + 1; i <= kReach; ++i) {
        const int64_t n = base + i;
        if (n < 0 || n >= static_cast<int64_t>(x.size())) continue;
        const double d = fraction - i;
        const double w = 0.5 + 0.5 * std::cos(std::numbers::pi * d / (kReach + 0.5));
        sum += std::complex<double>(x[static_cast<size_t>(n)]) * (sinc(d) * w);
    }
    return Complex(sum);
}

/// Passes `x` through the channel; the result has `length` samples.
inline Samples pass(const Samples& x, const Channel& channel, double sample_rate_hz, size_t length, uint64_t seed) {
    std::mt19937_64 random(seed);
    const double turn = 2 * std::numbers::pi * channel.frequency_hz / sample_rate_hz;
    const double start_phase = std::uniform_real_distribution<double>(0, 6.28)(random);
    const double sigma = channel.snr_db >= 100 ? 0 : std::sqrt(0.64 * std::pow(10, -channel.snr_db / 10));
    std::normal_distribution<float> noise(0, 1);
    const double pace = 1 / (1 + channel.clock_ppm * 1e-6);
    Samples out(length);
    for (size_t n = 0; n < length; ++n) {
        const double t = static_cast<double>(n) * pace - channel.delay_samples;
        Complex sum{};
        for (const auto& path : channel.paths) sum += path.gain * sample_at(x, t - path.delay_samples);
        const double phase = start_phase + turn * static_cast<double>(n);
        sum *= Complex(static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase)));
        if (sigma > 0) sum += static_cast<float>(sigma) * complex_of(noise, random);
        out[n] = sum;
    }
    return out;
}

inline std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> bytes(count);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

struct BurstPlan {
    int rate_id = 0;
    int data_symbols = 1;
    bool preamble = false;
    int diuc = 1;  // of bursts 2..4
};

/// A downlink frame with random payloads.
struct FramePlan {
    std::vector<BurstPlan> bursts;
    uint8_t frame_lsb = 0;
    uint64_t seed = 1;

    std::vector<std::vector<uint8_t>> payloads() const {
        std::vector<std::vector<uint8_t>> all;
        for (size_t i = 0; i < bursts.size(); ++i)
            all.push_back(random_bytes(
                static_cast<size_t>(burst_capacity_bytes(bursts[i].rate_id, bursts[i].data_symbols)), seed * 100 + i));
        return all;
    }
    Samples modulate(Modulator& modulator) const {
        FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = frame_lsb;
        prefix.entry_count = static_cast<int>(std::min<size_t>(bursts.size(), 4));
        const auto data = payloads();
        std::vector<DownlinkBurst> list;
        int start = 3;
        for (size_t i = 0; i < bursts.size(); ++i) {
            const auto& plan = bursts[i];
            DownlinkBurst burst;
            burst.format.rate_id = static_cast<uint8_t>(plan.rate_id);
            burst.format.iuc = i == 0 ? 0 : static_cast<uint8_t>(plan.diuc);
            burst.format.bsid_lsb = prefix.bsid_lsb;
            burst.format.frame_lsb = frame_lsb;
            burst.format.preamble = plan.preamble ? Preamble::short_ : Preamble::none;
            burst.format.data_symbols = plan.data_symbols;
            burst.start_symbol = start;
            burst.first = i == 0;
            burst.payload = data[i];
            list.push_back(burst);
            if (i < 4) {
                auto& entry = prefix.entries[i];
                entry.rate_id_or_diuc = static_cast<uint8_t>(i == 0 ? plan.rate_id : plan.diuc);
                entry.preamble_present = plan.preamble;
                entry.length = static_cast<uint16_t>(burst.format.total_symbols());
            }
            start += burst.format.total_symbols();
        }
        Samples out(static_cast<size_t>(start * modulator.numerology().symbol_samples()));
        if (modulator.downlink(prefix, list, out) != out.size()) out.clear();
        return out;
    }
};

struct Recorder : DownlinkListener {
    struct Burst {
        FrameSync sync;
        ReceivedBurst burst;
    };
    std::vector<FrameSync> frames;
    std::vector<Burst> bursts;
    std::vector<int64_t> losses;
    std::function<SampleFlow(const FrameSync&)> frame_hook;
    std::function<SampleFlow(const FrameSync&, const ReceivedBurst&)> burst_hook;

    SampleFlow on_frame(const FrameSync& sync) override {
        frames.push_back(sync);
        return frame_hook ? frame_hook(sync) : SampleFlow::go_on;
    }
    SampleFlow on_burst(const FrameSync& sync, ReceivedBurst& burst) override {
        bursts.push_back({sync, burst});
        return burst_hook ? burst_hook(sync, burst) : SampleFlow::go_on;
    }
    void on_sync_lost(int64_t sample) override { losses.push_back(sample); }
};

}  // namespace gr::wimax::phy::test
