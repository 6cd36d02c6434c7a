// SPDX-License-Identifier: GPL-3.0-or-later
// Whole transmitter and receiver: 10 ms frames of 200 symbols at 5 MHz, CP 1/8, one burst of 197 symbols.
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>
#include "channel/noise_source.h"
#include "channel/propagation_path.h"
#include "tools/speed/items.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>

namespace wimax::speed {
namespace {

namespace phy = gr::wimax::phy;
using phy::Complex;

constexpr int kFrames = 20, kBurstSymbols = 197;
constexpr size_t kFrameSamples = 57'600;
constexpr double kDelaySamples = 1234.4, kOffsetHz = 7'300.0;
constexpr size_t kTailSamples = 2'000;

constexpr const char* kRateNames[phy::kRates] = {"bpsk12",  "qpsk12",  "qpsk34", "16qam12",
                                                 "16qam34", "64qam23", "64qam34"};

/// Frames with one full burst of random octets, the same for all.
class Transmitter {
public:
    explicit Transmitter(int rate_id) : modulator_(*phy::Numerology::make(kBandwidthHz, phy::CyclicPrefix::g1_8)) {
        phy::BurstFormat format;
        format.rate_id = static_cast<uint8_t>(rate_id);
        format.data_symbols = kBurstSymbols;
        burst_.format = format;
        prefix_.bsid_lsb = 5;
        burst_.start_symbol = phy::kFirstBurstSymbol;
        burst_.first = true;
        prefix_.entry_count = 1;
        prefix_.entries[0] = {burst_.format.rate_id, false, kBurstSymbols};
        std::mt19937 random(1);
        payload_.resize(static_cast<size_t>(phy::burst_payload_bytes(burst_.format)));
        for (auto& byte : payload_) byte = static_cast<uint8_t>(random());
        burst_.payload = payload_;
    }
    const std::vector<uint8_t>& payload() const { return payload_; }

    void frame(int number, std::span<Complex> out) {
        prefix_.frame_lsb = phy::FrameNumber(number).lsb();
        burst_.format.seed(prefix_.bsid_lsb, prefix_.frame_lsb);
        if (modulator_.downlink(prefix_, {&burst_, 1}, out) != kFrameSamples)
            throw std::runtime_error("frame not sent");
    }

private:
    phy::Modulator modulator_;
    phy::FramePrefix prefix_;
    phy::DownlinkBurst burst_;
    std::vector<uint8_t> payload_;
};

class Counter : public phy::DownlinkListener {
public:
    explicit Counter(std::vector<uint8_t> expected) : expected_(std::move(expected)) {}
    int right = 0;

    phy::SampleFlow on_frame(const phy::FrameSync&) override { return phy::SampleFlow::go_on; }
    phy::SampleFlow on_burst(const phy::FrameSync&, phy::ReceivedBurst& burst) override {
        if (burst.payload == expected_) ++right;
        return phy::SampleFlow::go_on;
    }
    void on_sync_lost(int64_t) override {}

private:
    std::vector<uint8_t> expected_;
};

/// Receiver that begins every round without any knowledge but the bandwidth. `least_right`: share of the bursts.
Round receiving(FrameRecording recording, double least_right = 1, bool second_chance = true) {
    struct State {
        FrameRecording recording;
        Counter counter;
        phy::DownlinkReceiver receiver;
    };
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = kBandwidthHz;
    Counter counter(recording.payload);
    const auto state =
        std::make_shared<State>(State{std::move(recording), std::move(counter), phy::DownlinkReceiver(config)});
    state->receiver.set_second_chance(second_chance);
    return [state, least_right] {
        const std::span<const Complex> all(state->recording.samples);
        state->receiver.reset();
        state->counter.right = 0;
        for (size_t at = 0; at < all.size(); at += kChunk) {
            const auto part = all.subspan(at, std::min(kChunk, all.size() - at));
            state->receiver.process(part, static_cast<int64_t>(at), state->counter);
        }
        if (state->counter.right < least_right * state->recording.frames) {
            throw std::runtime_error(std::to_string(state->counter.right) + " of " +
                                     std::to_string(state->recording.frames) + " bursts received");
        }
        return static_cast<double>(all.size()) * 1e-6;
    };
}

Round prepare_idle() {
    std::vector<Complex> noise(kFrames * kFrameSamples);
    channel::NoiseSource(2, 1.0).add(0, noise);
    return receiving({std::move(noise), {}, 0});
}

Round prepare_transmitter(int rate_id) {
    const auto transmitter = std::make_shared<Transmitter>(rate_id);
    const auto samples = std::make_shared<std::vector<Complex>>(kFrameSamples);
    return [transmitter, samples] {
        for (int i = 0; i < kFrames; ++i) transmitter->frame(i, *samples);
        return kFrames * static_cast<double>(kFrameSamples) * 1e-6;
    };
}

}  // namespace

FrameRecording record_frames(int rate_id, double snr_db) {
    Transmitter transmitter(rate_id);
    std::vector<Complex> sent(kFrames * kFrameSamples), received(sent.size() + kTailSamples);
    for (int i = 0; i < kFrames; ++i)
        transmitter.frame(i, std::span(sent).subspan(static_cast<size_t>(i) * kFrameSamples, kFrameSamples));
    channel::PathConfig path;
    path.delay_samples = kDelaySamples;
    path.carrier_offset_hz = kOffsetHz;
    channel::PropagationPath(path).accumulate(0, received, {0, sent});
    channel::NoiseSource(1, kCarriersPerSample * std::pow(10, -0.1 * snr_db)).add(0, received);
    return {std::move(received), transmitter.payload(), kFrames};
}

void add_chain_items(std::vector<Item>& items) {
    for (int rate = 0; rate < phy::kRates; ++rate)
        items.push_back({std::string("rx_") + kRateNames[rate], "MS/s", kRealTime,
                         [rate] { return receiving(record_frames(rate)); }});
    items.push_back({"rx_idle", "MS/s", kRealTime, prepare_idle});
    constexpr int kDensest = phy::kRates - 1;
    constexpr double kLimitDb = 18.4, kFadeDb = 17.5;
    const auto add_densest = [&items](const char* name, double snr_db, double least_right, bool second_chance = true) {
        items.push_back({name, "MS/s", kRealTime,
                         [=] { return receiving(record_frames(kDensest, snr_db), least_right, second_chance); }});
    };
    add_densest("rx_64qam34_limit", kLimitDb, 0.75);
    add_densest("rx_64qam34_fade", kFadeDb, 0);
    add_densest("rx_64qam34_limit_once", kLimitDb, 0, false);
    add_densest("rx_64qam34_fade_once", kFadeDb, 0, false);
    for (int rate = 0; rate < phy::kRates; ++rate)
        items.push_back(
            {std::string("tx_") + kRateNames[rate], "MS/s", kRealTime, [rate] { return prepare_transmitter(rate); }});
}

}  // namespace wimax::speed
