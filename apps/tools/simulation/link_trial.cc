// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/simulation/link_trial.h"
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>
#include "channel/draw.h"
#include "channel/noise_source.h"
#include "channel/propagation_path.h"
#include "channel/radio_front.h"
#include "tools/simulation/genie.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace wimax::link {
namespace {

using phy::Complex;

/// The burst begins this many samples after the receiver does, and up to kDelayRange later.
constexpr int kLeadInSamples = 576, kDelayRange = 576;
constexpr int kTailSamples = 576;
constexpr uint64_t kTransmitterSeed = 1, kReceiverSeed = 2;  // of their fronts
/// A preamble found this far away is not the one that was sent. Echoes may move the start by their delay.
constexpr int64_t kMissSamples = 288;

/// Asks for the burst after every preamble found and keeps the likeliest answer.
class BurstCatcher : public phy::DownlinkListener {
public:
    BurstCatcher(phy::DownlinkReceiver& receiver, const phy::BurstFormat& format, phy::ReceivedBurst& best)
        : receiver_(receiver), expected_{format, phy::kFirstBurstSymbol, 1}, best_(best) {
        best_.clear();
    }
    phy::SampleFlow on_frame(const phy::FrameSync&) override {
        receiver_.expect({&expected_, 1});
        return phy::SampleFlow::go_on;
    }
    phy::SampleFlow on_burst(const phy::FrameSync& sync, phy::ReceivedBurst& burst) override {
        const bool better = sync.fch_ok != best_fch_ok_ ? sync.fch_ok : sync.snr_db > best_snr_db_;
        if (!best_.detected || better) {
            best_ = burst;
            best_.start_sample = sync.start_sample;
            best_fch_ok_ = sync.fch_ok;
            best_snr_db_ = sync.snr_db;
        }
        return phy::SampleFlow::go_on;
    }
    void on_sync_lost(int64_t) override {}

private:
    phy::DownlinkReceiver& receiver_;
    phy::DownlinkReceiver::Expected expected_;
    phy::ReceivedBurst& best_;
    bool best_fch_ok_ = false;
    float best_snr_db_ = 0;
};

phy::Numerology numerology_of(const LinkSetup& setup) {
    const auto numerology = phy::Numerology::make(setup.bandwidth_hz, setup.cp);
    assert(numerology && "the bandwidth is within its limits");
    return *numerology;
}

phy::DownlinkReceiverConfig receiver_config(const LinkSetup& setup) {
    phy::DownlinkReceiverConfig config;  // the cyclic prefix is found by search
    config.bandwidth_hz = setup.bandwidth_hz;
    config.decode_prefix_bursts = false;
    return config;
}

/// A burst as it was decoded.
struct Decoded {
    std::span<const uint8_t> payload;
    int failed_blocks = 0;
};

}  // namespace

phy::BurstFormat trial_format(const LinkSetup& setup, int rate_id) {
    phy::BurstFormat format;
    format.rate_id = static_cast<uint8_t>(rate_id);
    format.iuc = 7;
    format.bsid_lsb = 5;
    format.frame_lsb = 9;
    format.preamble = setup.direction == phy::Direction::uplink ? phy::Preamble::short_ : phy::Preamble::none;
    format.data_symbols = setup.data_symbols;
    format.midamble_interval = setup.midamble_interval;
    format.subchannel_index = setup.subchannel_index;
    return format;
}

struct TrialRunner::Impl {
    explicit Impl(const LinkSetup& s)
        : setup(s),
          numerology(numerology_of(s)),
          modulator(numerology),
          genie(numerology, s.profile.spread_s(), kMaxDataSymbols),
          tx_front(channel::RadioFront::End::transmitter, s.transmitter, rate_hz(), kTransmitterSeed),
          rx_front(channel::RadioFront::End::receiver, s.receiver, rate_hz(), kReceiverSeed) {
        if (setup.estimation == Estimation::real) {
            if (uplink()) uplink_receiver.emplace(numerology).set_second_chance(setup.second_chance);
            else downlink_receiver.emplace(receiver_config(setup)).set_second_chance(setup.second_chance);
        }
        const int symbols = (uplink() ? 0 : phy::kFirstBurstSymbol) + trial_format(setup, 0).total_symbols();
        tx.resize(static_cast<size_t>(symbols * numerology.symbol_samples()));
        const double spread = std::ceil(setup.profile.spread_s() * static_cast<double>(numerology.sample_rate_hz));
        rx.resize(tx.size() + kLeadInSamples + kDelayRange + kTailSamples + static_cast<size_t>(spread));
    }

    LinkSetup setup;
    phy::Numerology numerology;
    phy::Modulator modulator;
    std::optional<phy::DownlinkReceiver> downlink_receiver;
    std::optional<phy::UplinkReceiver> uplink_receiver;
    Genie genie;
    channel::RadioFront tx_front, rx_front;

    phy::BurstFormat format;
    std::vector<uint8_t> payload;
    std::vector<Complex> tx, rx;
    std::optional<channel::PropagationPath> path;
    phy::ReceivedBurst received;

    double rate_hz() const { return static_cast<double>(numerology.sample_rate_hz); }
    bool uplink() const { return setup.direction == phy::Direction::uplink; }

    /// Returns the phase that the signal was turned by.
    Complex transmit(channel::Draw& draw) {
        payload.resize(static_cast<size_t>(phy::burst_payload_bytes(format)));
        for (auto& byte : payload) byte = static_cast<uint8_t>(draw.next() >> 56);
        if (uplink()) {
            modulator.uplink({format, payload}, tx);
        } else {
            phy::FramePrefix prefix;  // announces nothing
            prefix.bsid_lsb = format.bsid_lsb;
            prefix.frame_lsb = format.frame_lsb;
            const phy::DownlinkBurst burst{format, phy::kFirstBurstSymbol, false, payload};
            modulator.downlink(prefix, {&burst, 1}, tx);
        }
        const Complex phase(std::polar(1.0, draw.uniform(0, 2 * std::numbers::pi)));
        for (auto& sample : tx) sample *= phase;
        return phase;
    }

    /// A front's own time: each trial meets another stretch of its phase noise.
    static int64_t anywhere(channel::Draw& draw) { return static_cast<int64_t>(draw.next() >> 4); }

    void propagate(channel::Draw& draw, double snr_db) {
        channel::PathConfig config;
        config.sample_rate_hz = static_cast<double>(numerology.sample_rate_hz);
        config.profile = setup.profile;
        config.delay_samples = kLeadInSamples + draw.uniform(0, kDelayRange);
        config.carrier_offset_hz = draw.uniform(-setup.max_offset_hz, setup.max_offset_hz);
        config.seed = draw.next();
        path.emplace(config);
        std::fill(rx.begin(), rx.end(), Complex{});
        if (!tx_front.ideal()) tx_front.pass(anywhere(draw), tx);
        path->accumulate(0, rx, {0, tx});
        channel::NoiseSource(draw.next(), channel::snr_noise_variance(snr_db)).add(0, rx);
        if (!rx_front.ideal()) rx_front.pass(anywhere(draw), rx);
    }

    /// Empty if the preamble was missed.
    Decoded receive() {
        if (uplink()) {
            const phy::UplinkAllocation allocation{format, 0, kLeadInSamples + kDelayRange, 0};
            uplink_receiver->forget_front_end();  // a trial knows nothing of those before
            uplink_receiver->receive(rx, 0, allocation, received);
        } else {
            BurstCatcher catcher(*downlink_receiver, format, received);
            downlink_receiver->reset();
            downlink_receiver->process(rx, 0, catcher);
        }
        const double error_samples = static_cast<double>(received.start_sample) - path->config().delay_samples;
        if (!received.detected || std::abs(error_samples) >= kMissSamples) return {};
        return {received.payload, received.failed_blocks};
    }

    TrialResult compare(const Decoded& burst) const {
        const auto decoded = burst.payload;
        const auto& rate = phy::kRateTable[format.rate_id];
        const size_t bits = 8 * payload.size();
        const auto block_bits =
            static_cast<size_t>(rate.uncoded_bytes * 8 * phy::subchannel_count(format.subchannel_index) / 16);
        TrialResult result;
        result.blocks = static_cast<int>((bits + block_bits - 1) / block_bits);
        result.bits = static_cast<int64_t>(bits);
        if (decoded.size() < payload.size()) {
            result.missed = true;
            result.block_errors = result.blocks;
            result.bit_errors = result.bits / 2;
            return result;
        }
        size_t last_wrong = SIZE_MAX;  // block, counted once
        for (size_t i = 0; i < bits; ++i) {
            if (i % 8 == 0 && payload[i / 8] == decoded[i / 8]) {
                i += 7;
                continue;
            }
            if (((payload[i / 8] ^ decoded[i / 8]) & (0x80 >> i % 8)) == 0) continue;
            ++result.bit_errors;
            const size_t block = i / block_bits;
            result.block_errors += block != last_wrong ? 1 : 0;
            last_wrong = block;
        }
        result.failed = burst.failed_blocks;
        result.undetected = std::max(0, result.block_errors - result.failed);
        return result;
    }
};

TrialRunner::TrialRunner(const LinkSetup& setup) : impl_(std::make_unique<Impl>(setup)) {}
TrialRunner::~TrialRunner() = default;

TrialResult TrialRunner::run(int rate_id, double snr_db, uint64_t seed) {
    auto& impl = *impl_;
    channel::Draw draw(seed);
    impl.format = trial_format(impl.setup, rate_id);
    const Complex phase = impl.transmit(draw);
    impl.propagate(draw, snr_db);
    if (impl.setup.estimation == Estimation::real) return impl.compare(impl.receive());
    const int first_data_symbol = impl.uplink() ? phy::preamble_symbols(impl.format.preamble) : phy::kFirstBurstSymbol;
    const double noise = std::pow(10.0, -snr_db / 10);  // of a carrier
    const auto payload = impl.genie.receive(impl.rx, impl.format, {*impl.path, phase, noise, first_data_symbol});
    return impl.compare({payload, impl.genie.failed_blocks()});
}

}  // namespace wimax::link
