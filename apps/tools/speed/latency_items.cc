// SPDX-License-Identifier: GPL-3.0-or-later
// How long a receiver works at a time when it is given one symbol after the other, and how long after a burst's last
// sample, in CPU time of its thread: 64-QAM 3/4, bursts of 190 symbols and more, 30 dB. The work of a symbol is the
// same at every bandwidth, its air time is not.
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>
#include "channel/noise_source.h"
#include "channel/propagation_path.h"
#include "tools/speed/items.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>

namespace wimax::speed {
namespace {

namespace phy = gr::wimax::phy;
using phy::Complex;

constexpr size_t kSymbol = 288;
constexpr int kUplinkBursts = 20, kUplinkSymbols = 190;
constexpr int64_t kUplinkStart = 400;
/// Ten symbols of 28 MHz with CP 1/8.
constexpr double kBoundUs = 90;

double thread_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// Microseconds of each call: of those that brought a burst's end, and of the others.
struct Calls {
    std::vector<double> inner, last;
};

class FrameCounter : public phy::DownlinkListener {
public:
    explicit FrameCounter(const std::vector<uint8_t>& expected) : expected_(expected) {}
    int bursts = 0, right = 0;

    phy::SampleFlow on_frame(const phy::FrameSync&) override { return phy::SampleFlow::go_on; }
    phy::SampleFlow on_burst(const phy::FrameSync&, phy::ReceivedBurst& burst) override {
        ++bursts;
        right += burst.payload == expected_;
        return phy::SampleFlow::go_on;
    }
    void on_sync_lost(int64_t) override {}

private:
    const std::vector<uint8_t>& expected_;
};

/// Symbol by symbol; the first frame is searched for.
Calls receive_downlink(const FrameRecording& recording, phy::DownlinkReceiver& receiver) {
    const std::span<const Complex> all(recording.samples);
    FrameCounter counter(recording.payload);
    Calls calls;
    receiver.reset();
    for (size_t at = 0; at < all.size(); at += kSymbol) {
        const int before = counter.bursts;
        const double start = thread_us();
        receiver.process(all.subspan(at, std::min(kSymbol, all.size() - at)), static_cast<int64_t>(at), counter);
        const double spent = thread_us() - start;
        auto& kind = counter.bursts > before ? calls.last : calls.inner;
        kind.push_back(spent);
    }
    if (counter.right != recording.frames) throw std::runtime_error("not all bursts received");
    return calls;
}

phy::UplinkAllocation uplink_allocation() {
    phy::UplinkAllocation allocation;
    allocation.format = {6, 7, 1, 9, phy::Preamble::short_, kUplinkSymbols};
    allocation.start_sample = kUplinkStart;
    return allocation;
}

FrameRecording record_uplink() {
    const auto numerology = *phy::Numerology::make(kBandwidthHz, phy::CyclicPrefix::g1_8);
    const auto format = uplink_allocation().format;
    FrameRecording recording{{}, std::vector<uint8_t>(static_cast<size_t>(phy::burst_payload_bytes(format))), 1};
    std::mt19937 random(1);
    for (auto& byte : recording.payload) byte = static_cast<uint8_t>(random());
    std::vector<Complex> sent(static_cast<size_t>(format.total_symbols()) * kSymbol);
    if (phy::Modulator(numerology).uplink({format, recording.payload}, sent) != sent.size())
        throw std::runtime_error("burst not sent");
    channel::PathConfig path;
    path.delay_samples = static_cast<double>(kUplinkStart) + 3.3;
    path.carrier_offset_hz = 150;
    recording.samples.resize(sent.size() + 1000);
    channel::PropagationPath(path).accumulate(0, recording.samples, {0, sent});
    channel::NoiseSource(1, kCarriersPerSample * std::pow(10, -0.1 * kNoiseDb)).add(0, recording.samples);
    return recording;
}

Calls receive_uplink(const FrameRecording& recording, phy::UplinkReceiver& receiver) {
    const auto allocation = uplink_allocation();
    const std::span<const Complex> all(recording.samples);
    const auto end = static_cast<size_t>(receiver.end_sample(allocation));
    Calls calls;
    phy::ReceivedBurst burst;
    for (int i = 0; i < kUplinkBursts; ++i) {
        receiver.start(allocation);
        for (size_t at = kSymbol; at < end; at += kSymbol) {
            const double start = thread_us();
            receiver.advance(all.first(at), 0);
            calls.inner.push_back(thread_us() - start);
        }
        const double start = thread_us();
        receiver.finish(all.first(end), 0, burst);
        calls.last.push_back(thread_us() - start);
        if (burst.payload != recording.payload) throw std::runtime_error("burst not received");
    }
    return calls;
}

/// Share 0.5: the median.
double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

/// All calls, or those that bring a burst's end.
double figure(const Calls& calls, bool ends, double share) {
    if (ends) return quantile(calls.last, share);
    auto all = calls.inner;
    all.insert(all.end(), calls.last.begin(), calls.last.end());
    return quantile(all, share);
}

Round prepare_downlink(bool ends, double share) {
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = kBandwidthHz;
    const auto receiver = std::make_shared<phy::DownlinkReceiver>(config);
    const auto recording = std::make_shared<FrameRecording>(record_frames(phy::kRates - 1));
    return [=] { return figure(receive_downlink(*recording, *receiver), ends, share); };
}

Round prepare_uplink(bool ends, double share) {
    const auto receiver =
        std::make_shared<phy::UplinkReceiver>(*phy::Numerology::make(kBandwidthHz, phy::CyclicPrefix::g1_8));
    const auto recording = std::make_shared<FrameRecording>(record_uplink());
    return [=] { return figure(receive_uplink(*recording, *receiver), ends, share); };
}

}  // namespace

void add_latency_items(std::vector<Item>& items) {
    struct Kind {
        const char* name;
        bool ends;
        double share;
    };
    for (const auto& kind : {Kind{"call_us_p50", false, 0.5},
                             {"call_us_p99", false, 0.99},
                             {"call_us_p999", false, 0.999},
                             {"end_us_p50", true, 0.5},
                             {"end_us_p99", true, 0.99}}) {
        for (const bool down : {true, false})
            items.push_back({std::string(down ? "down_" : "up_") + kind.name, "us", kBoundUs,
                             [kind, down] {
                                 return down ? prepare_downlink(kind.ends, kind.share)
                                             : prepare_uplink(kind.ends, kind.share);
                             },
                             true, true});
    }
}

}  // namespace wimax::speed
