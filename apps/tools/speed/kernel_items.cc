// SPDX-License-Identifier: GPL-3.0-or-later
// The heavy parts alone. Real time is 20 000 symbols/s of 64-QAM 3/4.
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/coding/batch_viterbi.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>
#include "channel/radio_front.h"
#include "tools/speed/items.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

namespace wimax::speed {
namespace {

namespace phy = gr::wimax::phy;
using phy::Complex;

constexpr size_t kBlocks = 64;  // different inputs, so that nothing is learnt by heart

constexpr size_t kSteps = 960;
constexpr int kViterbiPasses = 25, kBatchPasses = 50, kRsPasses = 100, kFftPasses = 500, kDemapPasses = 1'000,
              kFrontChunks = 50;

Round prepare_viterbi() {
    struct State {
        phy::ViterbiDecoder decoder;
        std::vector<CodedBurst> bursts = coded_bursts();
        std::array<uint8_t, phy::ViterbiDecoder::kWindowSteps / 8 * 2> out{};
    };
    const auto state = std::make_shared<State>();
    return [state] {
        for (int pass = 0; pass < kViterbiPasses; ++pass)
            for (const auto& burst : state->bursts) {
                state->decoder.start(phy::CodeRate::r1_2);
                size_t count = state->decoder.feed(burst.soft, state->out);
                count += state->decoder.finish(std::span(state->out).subspan(count));
                const auto& octets = burst.octets;
                if (count != octets.size() || !std::equal(octets.begin(), octets.end(), state->out.begin()))
                    throw std::runtime_error("decoded octets are wrong");
            }
        return kViterbiPasses * static_cast<double>(kBlocks * kSteps) * 1e-6;
    };
}

/// The bursts one after the other, which makes one code word, in windows of kSteps. What the windows overlap does not
/// count.
Round prepare_batch_viterbi() {
    constexpr size_t kWindowSymbols = 2, kSymbolBits = 2 * kSteps / kWindowSymbols;
    struct State {
        phy::BatchViterbiDecoder decoder;
        std::vector<uint16_t> position = std::vector<uint16_t>(kSymbolBits);
        std::vector<uint8_t> octets, out;
        std::vector<phy::SoftBit> soft, quantized;
        std::vector<const phy::SoftBit*> symbols;
        std::vector<phy::BatchViterbiDecoder::Lane> windows;
    };
    const auto state = std::make_shared<State>();
    auto& s = *state;
    for (const auto& burst : coded_bursts()) {
        s.octets.insert(s.octets.end(), burst.octets.begin(), burst.octets.end());
        s.soft.insert(s.soft.end(), burst.soft.begin(), burst.soft.end());
    }
    s.out.resize(s.octets.size());
    s.quantized.resize(s.soft.size());
    std::iota(s.position.begin(), s.position.end(), uint16_t{0});
    s.decoder.start(phy::CodeRate::r1_2, s.position, kWindowSymbols);
    s.symbols.assign(s.decoder.symbols_before(), nullptr);
    for (size_t at = 0; at < s.quantized.size(); at += kSymbolBits) s.symbols.push_back(s.quantized.data() + at);
    s.symbols.insert(s.symbols.end(), s.decoder.symbols_after(), nullptr);
    static_assert(kBlocks == phy::BatchViterbiDecoder::kLanes);
    for (size_t i = 0; i < kBlocks; ++i)
        s.windows.push_back({s.symbols.data() + i * kWindowSymbols, s.out.data() + i * kSteps / 8});
    return [state] {
        for (int pass = 0; pass < kBatchPasses; ++pass) {
            state->decoder.quantize(state->soft, state->quantized);
            state->decoder.decode(state->windows);
            if (state->out != state->octets) throw std::runtime_error("decoded octets are wrong");
        }
        return kBatchPasses * static_cast<double>(kBlocks * kSteps) * 1e-6;
    };
}

/// The code of 64-QAM 3/4 with `errors` wrong octets a block; counts data bits.
Round prepare_reed_solomon(int errors) {
    struct State {
        phy::ReedSolomon code{108, 6};
        std::vector<std::vector<uint8_t>> sent, received;
        std::vector<uint8_t> work;
    };
    const auto state = std::make_shared<State>();
    const auto length = static_cast<size_t>(state->code.n());
    state->work.resize(length);
    std::mt19937 random(4);
    for (size_t block = 0; block < kBlocks; ++block) {
        std::vector<uint8_t> data(static_cast<size_t>(state->code.k())), sent(length), places(length);
        for (auto& byte : data) byte = static_cast<uint8_t>(random());
        state->code.encode(data, sent);
        auto received = sent;
        for (size_t i = 0; i < length; ++i) places[i] = static_cast<uint8_t>(i);
        std::shuffle(places.begin(), places.end(), random);
        for (int i = 0; i < errors; ++i)
            received[places[static_cast<size_t>(i)]] ^= static_cast<uint8_t>(1 + random() % 255);
        state->sent.push_back(std::move(sent));
        state->received.push_back(std::move(received));
    }
    return [state] {
        for (int pass = 0; pass < kRsPasses; ++pass)
            for (size_t block = 0; block < kBlocks; ++block) {
                std::copy(state->received[block].begin(), state->received[block].end(), state->work.begin());
                if (!state->code.decode(state->work).ok || state->work != state->sent[block])
                    throw std::runtime_error("corrected block is wrong");
            }
        return kRsPasses * static_cast<double>(kBlocks) * 8 * state->code.k() * 1e-6;
    };
}

std::vector<Complex> random_points(size_t count) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0.0F, std::sqrt(0.5F));
    std::vector<Complex> points(count);
    for (auto& point : points) point = {normal(random), normal(random)};
    return points;
}

Round prepare_fft() {
    struct State {
        phy::OfdmTransform transform;
        std::vector<Complex> in = random_points(kBlocks * phy::kFftSize), out = std::vector<Complex>(phy::kFftSize);
    };
    const auto state = std::make_shared<State>();
    return [state] {
        for (int pass = 0; pass < kFftPasses; ++pass)
            for (size_t block = 0; block < kBlocks; ++block)
                state->transform.demodulate(
                    std::span<const Complex, phy::kFftSize>(state->in.data() + block * phy::kFftSize, phy::kFftSize),
                    std::span<Complex, phy::kFftSize>(state->out.data(), phy::kFftSize));
        if (!std::isfinite(state->out[1].real())) throw std::runtime_error("transform is not finite");
        return kFftPasses * static_cast<double>(kBlocks) * 1e-6;
    };
}

Round prepare_demapper() {
    struct State {
        std::vector<Complex> points = random_points(kBlocks * phy::kDataCarriers);
        std::vector<float> snr = std::vector<float>(phy::kDataCarriers, 200.0F);
        std::vector<int8_t> soft = std::vector<int8_t>(6 * phy::kDataCarriers);
    };
    const auto state = std::make_shared<State>();
    return [state] {
        for (int pass = 0; pass < kDemapPasses; ++pass)
            for (size_t block = 0; block < kBlocks; ++block)
                phy::soft_demap(6, std::span(state->points).subspan(block * phy::kDataCarriers, phy::kDataCarriers),
                                state->snr, state->soft);
        // The first bit of a label is the sign of I.
        const bool negative = phy::hard_label(6, state->points[(kBlocks - 1) * phy::kDataCarriers]) >> 5 != 0;
        if (state->soft[0] != 0 && (state->soft[0] < 0) != negative)
            throw std::runtime_error("soft bit has the wrong sign");
        return kDemapPasses * static_cast<double>(kBlocks * phy::kDataCarriers) * 1e-6;
    };
}

/// Cost of the analog part of a virtual B210 that is tuned with an offset.
Round prepare_front(channel::RadioFront::End end) {
    channel::FrontConfig config;
    config.dc_dbc = -37;
    config.image_dbc = -30;
    config.lo_offset_hz = 1;
    config.phase_noise_deg = 0.6;
    config.bits = 12;
    if (end == channel::RadioFront::End::transmitter) config.saturation_db = 0;
    const auto front = std::make_shared<channel::RadioFront>(end, config, kRealTime * 1e6, 1);
    const auto samples = std::make_shared<std::vector<phy::Complex>>(kChunk);
    return [front, samples] {
        for (int i = 0; i < kFrontChunks; ++i) {
            std::fill(samples->begin(), samples->end(), phy::Complex(0.25F, 0.125F));
            front->pass(i * static_cast<int64_t>(kChunk), *samples);
        }
        if (std::abs(std::abs(samples->back()) - 0.28F) > 0.06F)
            throw std::runtime_error("a front has changed a level");
        return kFrontChunks * static_cast<double>(kChunk) * 1e-6;
    };
}

}  // namespace

std::vector<CodedBurst> coded_bursts() {
    std::mt19937 random(3);
    const float snr = std::pow(10.0F, 0.2F);  // of a coded bit
    std::normal_distribution<float> noise(0.0F, std::sqrt(0.5F / snr));
    std::vector<CodedBurst> bursts(kBlocks);
    for (auto& burst : bursts) {
        std::vector<uint8_t> bits(kSteps), coded(2 * kSteps);
        burst.octets.resize(kSteps / 8);
        for (size_t i = 0; i + 1 < burst.octets.size(); ++i) burst.octets[i] = static_cast<uint8_t>(random());
        for (size_t i = 0; i < kSteps; ++i) bits[i] = static_cast<uint8_t>(burst.octets[i / 8] >> (7 - i % 8) & 1);
        phy::ConvolutionalEncoder encoder;
        encoder.start(phy::CodeRate::r1_2);
        encoder.encode(bits, coded);
        for (const auto bit : coded) {
            const float llr = 4 * snr * ((bit != 0 ? -1.0F : 1.0F) + noise(random));
            burst.soft.push_back(
                static_cast<phy::SoftBit>(std::clamp(std::round(phy::kSoftBitScale * llr), -127.0F, 127.0F)));
        }
    }
    return bursts;
}

void add_kernel_items(std::vector<Item>& items) {
    constexpr double kMega = 1e-6 * kSymbolsPerSecond;
    items.push_back({"viterbi_single", "Mbit/s", kViterbiRealTime, prepare_viterbi});
    items.push_back({"viterbi_batch", "Mbit/s", kViterbiRealTime, prepare_batch_viterbi});
    items.push_back({"rs_decode_clean", "Mbit/s", 864 * kMega, [] { return prepare_reed_solomon(0); }});
    items.push_back({"rs_decode_full", "Mbit/s", 864 * kMega, [] { return prepare_reed_solomon(6); }});
    items.push_back({"fft256", "MFFT/s", kMega, prepare_fft});
    items.push_back(
        {"front_tx", "MS/s", kRealTime, [] { return prepare_front(channel::RadioFront::End::transmitter); }});
    items.push_back({"front_rx", "MS/s", kRealTime, [] { return prepare_front(channel::RadioFront::End::receiver); }});
    items.push_back({"llr_64qam", "Msymbol/s", phy::kDataCarriers * kMega, prepare_demapper});
}

}  // namespace wimax::speed
