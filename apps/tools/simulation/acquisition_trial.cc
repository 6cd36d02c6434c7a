// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/simulation/acquisition_trial.h"
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>
#include "channel/draw.h"
#include "channel/noise_source.h"
#include "channel/propagation_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::acquisition {
namespace {

using phy::Complex;

/// The receiver hears noise for this long, and up to kDelayRange longer, before the frame arrives.
constexpr int kLeadInSamples = 700, kDelayRange = 320;
constexpr int kTailSamples = 2000;
constexpr int kBurstSymbols = 2;
constexpr int kFrameSymbols = 3 + kBurstSymbols;

class Listener : public phy::DownlinkListener {
public:
    phy::SampleFlow on_frame(const phy::FrameSync& sync) override {
        frames.push_back(sync);
        return phy::SampleFlow::go_on;
    }
    phy::SampleFlow on_burst(const phy::FrameSync&, phy::ReceivedBurst&) override { return phy::SampleFlow::go_on; }
    void on_sync_lost(int64_t) override {}

    std::vector<phy::FrameSync> frames;
};

phy::DownlinkReceiverConfig receiver_config(const Setup& setup) {
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = setup.bandwidth_hz;
    if (setup.cp_known) config.cp = setup.cp;
    return config;
}

}  // namespace

struct AcquisitionRunner::Impl {
    explicit Impl(const Setup& s)
        : setup(s),
          numerology(phy::Numerology::make(s.bandwidth_hz, s.cp).value()),
          modulator(numerology),
          receiver(receiver_config(s)),
          tx(static_cast<size_t>(kFrameSymbols * numerology.symbol_samples())),
          rx(tx.size() + kLeadInSamples + kDelayRange + kTailSamples) {}

    Setup setup;
    phy::Numerology numerology;
    phy::Modulator modulator;
    phy::DownlinkReceiver receiver;
    std::vector<Complex> tx, rx;

    phy::FramePrefix transmit(channel::Draw& draw) {
        phy::FramePrefix prefix;
        prefix.bsid_lsb = draw.next() & 15;
        prefix.frame_lsb = draw.next() & 15;
        prefix.entry_count = 1;
        prefix.entries[0] = {0, false, kBurstSymbols};
        std::vector<uint8_t> payload(static_cast<size_t>(phy::burst_capacity_bytes(0, kBurstSymbols)));
        for (auto& byte : payload) byte = static_cast<uint8_t>(draw.next() >> 56);
        phy::DownlinkBurst burst;
        burst.format.bsid_lsb = prefix.bsid_lsb;
        burst.format.frame_lsb = prefix.frame_lsb;
        burst.format.data_symbols = kBurstSymbols;
        burst.first = true;
        burst.payload = payload;
        modulator.downlink(prefix, {&burst, 1}, tx);
        const Complex phase(std::polar(1.0, draw.uniform(0, 2 * std::numbers::pi)));
        for (auto& sample : tx) sample *= phase;
        return prefix;
    }
};

AcquisitionRunner::AcquisitionRunner(const Setup& setup) : impl_(std::make_unique<Impl>(setup)) {}
AcquisitionRunner::~AcquisitionRunner() = default;

HeardFrame AcquisitionRunner::hear(double snr_db, uint64_t seed) {
    auto& impl = *impl_;
    channel::Draw draw(seed);
    const auto sent = impl.transmit(draw);
    channel::PathConfig path;
    path.sample_rate_hz = static_cast<double>(impl.numerology.sample_rate_hz);
    path.profile = impl.setup.profile;
    path.delay_samples = kLeadInSamples + draw.uniform(0, kDelayRange);
    path.carrier_offset_hz = draw.uniform(-1, 1) * impl.setup.max_offset_ppm * 1e-6 * impl.setup.carrier_hz;
    path.clock_offset_ppm = draw.uniform(-1, 1) * impl.setup.max_offset_ppm;
    path.seed = draw.next();
    std::fill(impl.rx.begin(), impl.rx.end(), Complex{});
    channel::PropagationPath(path).accumulate(0, impl.rx, {0, impl.tx});
    channel::NoiseSource(draw.next(), channel::snr_noise_variance(snr_db)).add(0, impl.rx);
    return {impl.rx, path.delay_samples, path.carrier_offset_hz, sent};
}

Outcome AcquisitionRunner::run(double snr_db, uint64_t seed) {
    auto& impl = *impl_;
    const HeardFrame heard = hear(snr_db, seed);
    Listener listener;
    impl.receiver.reset();
    impl.receiver.process(heard.samples, 0, listener);
    Outcome outcome;
    for (const auto& frame : listener.frames) {
        const double error = static_cast<double>(frame.start_sample) + frame.start_fraction - heard.start_sample;
        if (std::abs(error) > impl.numerology.cp_samples()) continue;
        outcome.detected = true;
        const auto& sent = heard.prefix;
        const bool right = frame.fch_ok && frame.prefix.bsid_lsb == sent.bsid_lsb &&
                           frame.prefix.frame_lsb == sent.frame_lsb && frame.prefix.entries[0].length == kBurstSymbols;
        if (!right) continue;
        outcome.acquired = true;
        outcome.start_error_samples = error;
        outcome.frequency_error_hz = static_cast<double>(frame.frequency_offset_hz) - heard.carrier_offset_hz;
    }
    return outcome;
}

IdleSource::IdleSource(Idle idle, uint64_t seed) : idle_(idle), draw_(seed), noise_(draw_.next(), 0.01) {}

void IdleSource::fill(int64_t first, std::span<Complex> out) {
    std::fill(out.begin(), out.end(), Complex{});
    noise_.add(first, out);
    switch (idle_) {
        case Idle::noise: break;
        case Idle::steps: steps(out); break;
        case Idle::tone: tone(first, out); break;
        case Idle::impulses: impulses(out); break;
        case Idle::data: data(out); break;
    }
}

void IdleSource::steps(std::span<Complex> out) {
    constexpr size_t kStep = 500;
    for (size_t at = 0; at < out.size(); at += kStep) {
        const auto gain = static_cast<float>(std::pow(10.0, draw_.uniform(-3, 1.5)));
        for (auto& x : out.subspan(at, std::min(kStep, out.size() - at))) x *= gain;
    }
}

void IdleSource::tone(int64_t first, std::span<Complex> out) {
    // Another frequency each stretch, so that all fractions of a carrier are met.
    const double cycles = draw_.uniform(-0.4, 0.4);
    for (size_t n = 0; n < out.size(); ++n) {
        const double turns = std::remainder(cycles * static_cast<double>(first + static_cast<int64_t>(n)), 1.0);
        out[n] += Complex(std::polar(std::sqrt(0.1), 2 * std::numbers::pi * turns));
    }
}

void IdleSource::impulses(std::span<Complex> out) {
    constexpr double kPerSample = 1.0 / 288;
    for (size_t at = 0; at < out.size();
         at += 1 + static_cast<size_t>(-std::log(draw_.uniform(1e-12, 1)) / kPerSample)) {
        const size_t length = std::min<size_t>(1 + draw_.next() % 40, out.size() - at);
        for (auto& x : out.subspan(at, length)) x *= 31.6F;
    }
}

void IdleSource::data(std::span<Complex> out) {
    std::array<uint8_t, phy::kDataCarriers> labels{};
    std::array<Complex, phy::kDataCarriers> points{};
    std::array<Complex, phy::kFftSize + 32> symbol{};
    for (size_t at = 0; at + symbol.size() <= out.size(); at += symbol.size()) {
        for (auto& label : labels) label = draw_.next() & 63;
        phy::map_labels(6, labels, points);
        auto carriers = transform_.carriers();
        std::fill(carriers.begin(), carriers.end(), Complex{});
        for (size_t i = 0; i < points.size(); ++i)
            carriers[static_cast<size_t>(phy::bin_of(phy::kDataOffsets[i]))] = points[i];
        for (const int k : phy::kPilotOffsets)
            carriers[static_cast<size_t>(phy::bin_of(k))] = draw_.next() & 1 ? 1.0F : -1.0F;
        transform_.modulate(32, symbol);
        for (size_t n = 0; n < symbol.size(); ++n) out[at + n] += symbol[n];
    }
}

FalseAlarms count_false_alarms(Idle idle, int64_t symbols, uint64_t seed, const std::function<bool(int64_t)>& go_on) {
    constexpr int64_t kSymbolSamples = 288, kStretchSymbols = 1000;
    phy::DownlinkReceiver receiver(receiver_config({}));
    IdleSource source(idle, seed);
    Listener listener;
    FalseAlarms result;
    std::vector<Complex> stretch(static_cast<size_t>(kStretchSymbols * kSymbolSamples));
    for (; result.symbols < symbols && go_on(result.symbols); result.symbols += kStretchSymbols) {
        const int64_t first = result.symbols * kSymbolSamples;
        source.fill(first, stretch);
        receiver.process(stretch, first, listener);
        for (const auto& frame : listener.frames) ++(frame.fch_ok ? result.prefixes : result.preambles);
        listener.frames.clear();
    }
    return result;
}

}  // namespace wimax::acquisition
