// SPDX-License-Identifier: GPL-3.0-or-later
// Other free software at the same work on the same core. Each is asked for what it offers: liquid's frames have no
// convolutional code in Debian's package, GNU Radio's decoder is called without a flowgraph.
#include "channel/noise_source.h"
#include "tools/speed/items.h"

#ifdef WIMAX_SPEED_GNURADIO_FEC
#include <gnuradio/fec/cc_decoder.h>
#endif
#ifdef WIMAX_SPEED_LIQUID
#include <liquid/liquid.h>
#include <complex>
#endif

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

namespace wimax::speed {
namespace {

[[maybe_unused]] std::vector<uint8_t> random_octets(size_t count) {
    std::mt19937 random(6);
    std::vector<uint8_t> octets(count);
    for (auto& octet : octets) octet = static_cast<uint8_t>(random());
    return octets;
}

#ifdef WIMAX_SPEED_GNURADIO_FEC
/// The bursts of viterbi_single.
Round prepare_gnuradio_viterbi() {
    struct State {
        std::vector<CodedBurst> bursts = coded_bursts();
        std::vector<std::vector<uint8_t>> soft;
        std::vector<uint8_t> bits;
        gr::fec::generic_decoder::sptr decoder;
    };
    constexpr int kTailBits = 6, kPasses = 25;
    const auto state = std::make_shared<State>();
    const int bits = static_cast<int>(8 * state->bursts.front().octets.size()) - kTailBits;
    // Generators 171 and 133 (octal), lowest bit first.
    state->decoder = gr::fec::code::cc_decoder::make(bits, 7, 2, {79, 109}, 0, -1, CC_TERMINATED);
    state->bits.resize(static_cast<size_t>(bits) + kTailBits);
    for (const auto& burst : state->bursts) {
        auto& soft = state->soft.emplace_back();
        for (const auto bit : burst.soft) soft.push_back(static_cast<uint8_t>(128 - bit));
    }
    return [state, bits] {
        for (int pass = 0; pass < kPasses; ++pass)
            for (size_t n = 0; n < state->bursts.size(); ++n) {
                state->decoder->generic_work(state->soft[n].data(), state->bits.data());
                const auto& octets = state->bursts[n].octets;
                for (size_t i = 0; i < static_cast<size_t>(bits); ++i)
                    if (state->bits[i] != (octets[i / 8] >> (7 - i % 8) & 1))
                        throw std::runtime_error("decoded bits are wrong");
            }
        return kPasses * static_cast<double>(state->bursts.size()) * (bits + kTailBits) * 1e-6;
    };
}
#endif

#ifdef WIMAX_SPEED_LIQUID
constexpr unsigned kLiquidPrefix = 32, kLiquidTaper = 0, kLiquidFrames = 10;
constexpr size_t kLiquidOctets = 192 * 6 / 8 * 197;  // uncoded data bits of our burst
constexpr unsigned kLiquidBlock = 288;
constexpr float kLiquidNoise = 1e-3F;  // variance for samples of power 1: 30 dB

class LiquidTransmitter {
public:
    LiquidTransmitter() {
        ofdmflexframegenprops_s properties;
        ofdmflexframegenprops_init_default(&properties);
        properties.check = LIQUID_CRC_NONE;
        properties.fec0 = properties.fec1 = LIQUID_FEC_NONE;
        properties.mod_scheme = LIQUID_MODEM_QAM64;
        generator_.reset(
            ofdmflexframegen_create(gr::wimax::phy::kFftSize, kLiquidPrefix, kLiquidTaper, nullptr, &properties));
    }
    const std::vector<uint8_t>& payload() const { return payload_; }
    /// Appends a frame.
    void frame(std::vector<std::complex<float>>& out) {
        const std::array<uint8_t, 8> header{};
        ofdmflexframegen_assemble(generator_.get(), header.data(), payload_.data(),
                                  static_cast<unsigned>(payload_.size()));
        for (int last = 0; last == 0;) {
            out.resize(out.size() + kLiquidBlock);
            last = ofdmflexframegen_write(generator_.get(), &out[out.size() - kLiquidBlock], kLiquidBlock);
        }
    }

private:
    struct Destroy {
        void operator()(ofdmflexframegen_s* p) const { ofdmflexframegen_destroy(p); }
    };
    std::vector<uint8_t> payload_ = random_octets(kLiquidOctets);
    std::unique_ptr<ofdmflexframegen_s, Destroy> generator_;
};

Round prepare_liquid_transmitter() {
    struct State {
        LiquidTransmitter transmitter;
        std::vector<std::complex<float>> samples;
    };
    const auto state = std::make_shared<State>();
    return [state] {
        state->samples.clear();
        for (unsigned n = 0; n < kLiquidFrames; ++n) state->transmitter.frame(state->samples);
        return static_cast<double>(state->samples.size()) * 1e-6;
    };
}

Round prepare_liquid_receiver() {
    struct State {
        LiquidTransmitter transmitter;
        std::vector<std::complex<float>> samples;
        unsigned frames = 0, wrong_bits = 0;
        ofdmflexframesync receiver = nullptr;
        ~State() { ofdmflexframesync_destroy(receiver); }
    };
    const auto state = std::make_shared<State>();
    const auto count = [](unsigned char*, int, unsigned char* payload, unsigned size, int, framesyncstats_s,
                          void* user) {
        auto& s = *static_cast<State*>(user);
        if (size == s.transmitter.payload().size()) ++s.frames;
        s.wrong_bits += count_bit_errors_array(payload, const_cast<uint8_t*>(s.transmitter.payload().data()),
                                               std::min<unsigned>(size, kLiquidOctets));
        return 0;
    };
    state->receiver =
        ofdmflexframesync_create(gr::wimax::phy::kFftSize, kLiquidPrefix, kLiquidTaper, nullptr, count, state.get());
    for (unsigned n = 0; n < kLiquidFrames; ++n) state->transmitter.frame(state->samples);
    float power = 0;
    for (const auto& sample : state->samples) power += std::norm(sample);
    power /= static_cast<float>(state->samples.size());
    channel::NoiseSource(1, kLiquidNoise * power).add(0, state->samples);
    return [state] {
        state->frames = state->wrong_bits = 0;
        ofdmflexframesync_reset(state->receiver);
        ofdmflexframesync_execute(state->receiver, state->samples.data(), static_cast<unsigned>(state->samples.size()));
        // Without a code some bits are wrong at 30 dB; a frame received in the wrong place has half of them.
        if (state->frames != kLiquidFrames || state->wrong_bits > kLiquidFrames * kLiquidOctets / 10)
            throw std::runtime_error(std::to_string(state->frames) + " frames received, " +
                                     std::to_string(state->wrong_bits) + " bits wrong");
        return static_cast<double>(state->samples.size()) * 1e-6;
    };
}
#endif

}  // namespace

void add_peer_items([[maybe_unused]] std::vector<Item>& items) {
#ifdef WIMAX_SPEED_GNURADIO_FEC
    items.push_back({"peer_gnuradio_viterbi", "Mbit/s", kViterbiRealTime, prepare_gnuradio_viterbi});
#endif
#ifdef WIMAX_SPEED_LIQUID
    items.push_back({"peer_liquid_rx_64qam_uncoded", "MS/s", kRealTime, prepare_liquid_receiver});
    items.push_back({"peer_liquid_tx_64qam_uncoded", "MS/s", kRealTime, prepare_liquid_transmitter});
#endif
}

}  // namespace wimax::speed
