/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <channel/fading.h>
#include <channel/noise_source.h>
#include <channel/propagation_path.h>
#include <gnuradio/wimax/phy/burst_coder.h>
#include <gnuradio/wimax/phy/constellation.h>
#include <gnuradio/wimax/phy/downlink_receiver.h>
#include <gnuradio/wimax/phy/modulator.h>
#include <gnuradio/wimax/phy/ofdm.h>
#include <gnuradio/wimax/phy/pilots.h>
#include <gnuradio/wimax/phy/uplink_receiver.h>
#include <link/trial.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace wimax::link {
namespace {

using phy::Complex;

constexpr int64_t kBandwidthHz = 5'000'000;
constexpr double kMaxOffsetHz = 10e3;
constexpr int kFirstBurstSymbol = 3;
constexpr int kUplinkPreambleSymbols = 1;
/// The burst begins this many samples after the receiver does, and up to kDelayRange later.
constexpr int kLeadInSamples = 576, kDelayRange = 576;
constexpr int kTailSamples = 576;
/// A preamble found this far away is not the one that was sent. Echoes may move the start by their delay.
constexpr int64_t kMissSamples = 288;
constexpr double kFftPerUsed = 256.0 / 200.0;  // all bins hold noise, the used carriers all the signal

/// Counter through the channel library's hash: the same numbers on every machine.
class Draw {
public:
    explicit Draw(uint64_t seed) : state_(channel::mix64(seed)) {}
    uint64_t next() { return channel::mix64(state_ += 0x9E3779B97F4A7C15U); }
    double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    uint64_t state_;
};

/// x[n] *= exp(-j 2 pi cycles (first + n))
void turn_back(std::span<Complex> x, int64_t first, double cycles) {
    for (size_t n = 0; n < x.size(); ++n) {
        const double turns = std::remainder(cycles * static_cast<double>(first + static_cast<int64_t>(n)), 1.0);
        x[n] *= Complex(std::polar(1.0, -2 * std::numbers::pi * turns));
    }
}

/// Asks for the burst after every preamble found and keeps the likeliest answer.
class BurstCatcher : public phy::DownlinkListener {
public:
    BurstCatcher(phy::DownlinkReceiver& receiver, const phy::BurstFormat& format, phy::ReceivedBurst& best)
        : receiver_(receiver), expected_{format, kFirstBurstSymbol, 1}, best_(best) {
        best_.detected = false;
    }
    phy::Flow on_frame(const phy::FrameSync&) override {
        receiver_.expect({&expected_, 1});
        return phy::Flow::go_on;
    }
    phy::Flow on_burst(const phy::FrameSync& sync, const phy::ReceivedBurst& burst) override {
        const bool better = sync.fch_ok != best_fch_ok_ ? sync.fch_ok : sync.snr_db > best_snr_db_;
        if (!best_.detected || better) {
            best_ = burst;
            best_.start_sample = sync.start_sample;
            best_fch_ok_ = sync.fch_ok;
            best_snr_db_ = sync.snr_db;
        }
        return phy::Flow::go_on;
    }
    void on_sync_lost(int64_t) override {}

private:
    phy::DownlinkReceiver& receiver_;
    phy::DownlinkReceiver::Expected expected_;
    phy::ReceivedBurst& best_;
    bool best_fch_ok_ = false;
    float best_snr_db_ = 0;
};

phy::DownlinkReceiverConfig receiver_config() {
    phy::DownlinkReceiverConfig config;  // the cyclic prefix is found by search
    config.bandwidth_hz = kBandwidthHz;
    config.decode_prefix_bursts = false;
    return config;
}

}  // namespace

int64_t trial_bits(int rate_id, int data_symbols) {
    return 8 * int64_t{phy::burst_capacity_bytes(rate_id, data_symbols)};
}

struct TrialRunner::Impl {
    explicit Impl(const LinkSetup& s)
        : setup(s),
          numerology(*phy::Numerology::make(kBandwidthHz, phy::CyclicPrefix::g1_8)),
          modulator(numerology),
          downlink_receiver(receiver_config()),
          uplink_receiver(numerology),
          decoder(kMaxDataSymbols) {
        tx.resize(static_cast<size_t>((first_data_symbol() + setup.data_symbols) * numerology.symbol_samples()));
        const double spread = std::ceil(setup.profile.spread_s() * static_cast<double>(numerology.sample_rate_hz));
        rx.resize(tx.size() + kLeadInSamples + kDelayRange + kTailSamples + static_cast<size_t>(spread));
        response.resize(static_cast<size_t>(2 * channel::kKernelHalfWidth) + 2 + static_cast<size_t>(spread));
    }

    LinkSetup setup;
    phy::Numerology numerology;
    phy::Modulator modulator;
    phy::DownlinkReceiver downlink_receiver;
    phy::UplinkReceiver uplink_receiver;
    phy::BurstDecoder decoder;
    phy::OfdmTransform transform;

    phy::BurstFormat format;
    channel::PathConfig path_config;
    std::vector<uint8_t> payload;
    std::vector<Complex> tx, rx, response;
    phy::ReceivedBurst received;
    // Workspaces of the genie.
    std::array<Complex, phy::kFftSize> body{}, carriers{}, gain{};
    std::array<Complex, phy::kDataCarriers> equalized{};
    std::array<float, phy::kDataCarriers> snr{};
    std::vector<phy::SoftBit> soft;

    bool uplink() const { return setup.direction == phy::Direction::uplink; }
    int first_data_symbol() const { return uplink() ? kUplinkPreambleSymbols : kFirstBurstSymbol; }
    double cycles_per_sample() const {
        return path_config.carrier_offset_hz / static_cast<double>(numerology.sample_rate_hz);
    }

    int64_t bits() const { return trial_bits(format.rate_id, setup.data_symbols); }

    void set_format(int rate_id) {
        format = {};
        format.rate_id = static_cast<uint8_t>(rate_id);
        format.iuc = 7;
        format.bsid_lsb = 5;
        format.frame_lsb = 9;
        format.preamble = uplink() ? phy::Preamble::short_ : phy::Preamble::none;
        format.data_symbols = setup.data_symbols;
    }

    /// Returns the phase that the signal was turned by.
    Complex transmit(Draw& draw) {
        payload.resize(static_cast<size_t>(phy::burst_payload_bytes(format)));
        for (auto& byte : payload) byte = static_cast<uint8_t>(draw.next() >> 56);
        if (uplink()) {
            modulator.uplink({format, payload}, tx);
        } else {
            phy::FramePrefix prefix;  // announces nothing
            prefix.bsid_lsb = format.bsid_lsb;
            prefix.frame_lsb = format.frame_lsb;
            const phy::DownlinkBurst burst{format, kFirstBurstSymbol, false, payload};
            modulator.downlink(prefix, {&burst, 1}, tx);
        }
        const Complex phase(std::polar(1.0, draw.uniform(0, 2 * std::numbers::pi)));
        for (auto& sample : tx) sample *= phase;
        return phase;
    }

    void propagate(Draw& draw, double snr_db) {
        path_config.sample_rate_hz = static_cast<double>(numerology.sample_rate_hz);
        path_config.profile = setup.profile;
        path_config.delay_samples = kLeadInSamples + draw.uniform(0, kDelayRange);
        path_config.carrier_offset_hz = draw.uniform(-kMaxOffsetHz, kMaxOffsetHz);
        path_config.seed = draw.next();
        std::fill(rx.begin(), rx.end(), Complex{});
        channel::PropagationPath(path_config).accumulate(0, rx, {0, tx});
        channel::NoiseSource(draw.next(), kFftPerUsed * std::pow(10.0, -snr_db / 10)).add(0, rx);
    }

    /// Leaves the payload in `received`; false if the preamble was missed.
    bool receive() {
        if (uplink()) {
            const phy::UplinkAllocation allocation{format, 0, kLeadInSamples + kDelayRange, 0};
            uplink_receiver.receive(rx, 0, allocation, received);
        } else {
            BurstCatcher catcher(downlink_receiver, format, received);
            downlink_receiver.reset();
            downlink_receiver.process(rx, 0, catcher);
        }
        return received.detected &&
               std::abs(static_cast<double>(received.start_sample) - path_config.delay_samples) < kMissSamples;
    }

    /// What becomes of an impulse in the middle of the symbol whose body begins at transmitter sample `begin`. Returns
    /// the delay of response[0].
    int64_t true_response(channel::PropagationPath& path, int64_t begin) {
        const Complex impulse = 1.0F;
        const int64_t sent = begin + phy::kFftSize / 2;
        const auto lag = static_cast<int64_t>(path_config.delay_samples) - channel::kKernelHalfWidth;
        std::fill(response.begin(), response.end(), Complex{});
        path.accumulate(sent + lag, response, {sent, {&impulse, 1}});
        turn_back(response, sent + lag, cycles_per_sample());
        return lag;
    }

    /// Index into `response` at which a window sees least of the neighbouring symbols: as much power comes too early
    /// for it as comes later than the prefix.
    int64_t best_window() const {
        const auto size = static_cast<int64_t>(response.size());
        const auto power = [this](int64_t n) { return std::norm(response[static_cast<size_t>(n)]); };
        float before = 0, after = 0;
        for (int64_t n = numerology.cp_samples() + 1; n < size; ++n) after += power(n);
        for (int64_t at = 0; at < size; ++at) {
            before += power(at);
            if (before >= after) return at;
            const int64_t reached = at + numerology.cp_samples() + 1;
            if (reached < size) after -= power(reached);
        }
        return 0;
    }

    /// Fills `gain` for a window at response[at]. Returns the power per carrier that neighbouring symbols, and the cut in
    /// this one, add to the noise: an echo that misses the window by n samples loses n / 256 of its amplitude and
    /// brings interference of twice that share of its power.
    float true_gain(int64_t at) {
        float interference = 0;
        std::fill(body.begin(), body.end(), Complex{});
        for (int64_t n = 0; n < static_cast<int64_t>(response.size()); ++n) {
            const int64_t outside = std::max<int64_t>({0, at - n, n - numerology.cp_samples() - at});
            const float share = static_cast<float>(outside) / phy::kFftSize;
            const Complex tap = response[static_cast<size_t>(n)];
            interference += 2 * share * std::norm(tap);
            body[static_cast<size_t>(n - at) & (phy::kFftSize - 1)] += tap * (1 - share);
        }
        transform.demodulate(body, gain);
        // The transform is scaled for signals (sqrt(200) / 256), a response wants none.
        const auto scale = static_cast<float>(phy::kFftSize / std::sqrt(static_cast<double>(phy::kUsedCarriers)));
        for (auto& g : gain) g *= scale;
        return interference;
    }

    void receive_knowing_all(double snr_db, Complex phase) {
        channel::PropagationPath path(path_config);
        const auto noise = static_cast<float>(std::pow(10.0, -snr_db / 10));
        const int bits = phy::kRateTable[format.rate_id].bits_per_carrier;
        soft.resize(static_cast<size_t>(phy::burst_symbol_bits(format)));
        decoder.start(format, phy::burst_randomizer(format));
        for (int symbol = 0; symbol < setup.data_symbols; ++symbol) {
            const int64_t begin =
                int64_t{first_data_symbol() + symbol} * numerology.symbol_samples() + numerology.cp_samples();
            const int64_t lag = true_response(path, begin);
            const int64_t at = best_window(), window = begin + lag + at;
            const float disturbance = noise + true_gain(at);
            std::copy_n(rx.begin() + window, phy::kFftSize, body.begin());
            turn_back(body, window, cycles_per_sample());
            transform.demodulate(body, carriers);
            for (size_t i = 0; i < phy::kDataOffsets.size(); ++i) {
                const auto bin = static_cast<size_t>(phy::bin_of(phy::kDataOffsets[i]));
                const float power = std::max(std::norm(gain[bin]), 1e-12F);
                equalized[i] = carriers[bin] * std::conj(gain[bin] * phase) / power;
                snr[i] = power / disturbance;
            }
            phy::soft_demap(bits, equalized, snr, soft);
            decoder.feed(soft);
        }
    }

    TrialResult compare(std::span<const uint8_t> decoded) const {
        if (decoded.size() < payload.size()) return {setup.data_symbols, bits() / 2, true};
        TrialResult result;
        const auto block = static_cast<size_t>(phy::kRateTable[format.rate_id].uncoded_bytes);
        for (size_t at = 0; at < payload.size(); at += block) {
            int wrong = 0;
            for (size_t i = at; i < std::min(at + block, payload.size()); ++i)
                wrong += std::popcount(static_cast<unsigned>(payload[i] ^ decoded[i]));
            result.bit_errors += wrong;
            result.block_errors += wrong > 0 ? 1 : 0;
        }
        return result;
    }
};

TrialRunner::TrialRunner(const LinkSetup& setup) : impl_(std::make_unique<Impl>(setup)) {}
TrialRunner::~TrialRunner() = default;

TrialResult TrialRunner::run(int rate_id, double snr_db, uint64_t seed) {
    auto& impl = *impl_;
    Draw draw(seed);
    impl.set_format(rate_id);
    const Complex phase = impl.transmit(draw);
    impl.propagate(draw, snr_db);
    if (impl.setup.estimation == Estimation::genie) {
        impl.receive_knowing_all(snr_db, phase);
        return impl.compare(impl.decoder.payload());
    }
    if (impl.receive()) return impl.compare(impl.received.payload);
    return {impl.setup.data_symbols, impl.bits() / 2, true};
}

}  // namespace wimax::link
