// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of the OFDM cores: frames of the generator as a radio's samples, packets read back as the host's
// carriers, the error of one signal over another.
#pragma once

#include "channel/propagation_path.h"
#include "fpga/model/ofdm_frontend.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <cmath>
#include <numbers>
#include <random>

namespace wimax::fpga::test {

namespace phy = gr::wimax::phy;
using phy::Complex;
using Samples = std::vector<Complex>;

/// 12 dB of head-room: factor from the host's samples of mean power 1 to the radio's words.
inline constexpr float kHeadroom = 0.25F;

inline std::vector<AxisWord> radio_words(const Samples& samples, float amplitude, uint64_t first_time) {
    std::vector<AxisWord> words(samples.size());
    for (size_t i = 0; i < words.size(); ++i) words[i].data = pack(fixed_sample(samples[i] * amplitude));
    words.front().has_time = true;
    words.front().time = first_time;
    return words;
}

inline int32_t increment_of(double cycles_per_sample) {
    return static_cast<int32_t>(std::llround(cycles_per_sample * 4294967296.0));
}

/// A symbol of a packet as the host's carriers: offsets -100..100, of samples with full scale 1.
struct ReadSymbol {
    ofdm_frontend::Header header;
    uint64_t time = 0;
    bool has_time = false, end = false;
    std::array<Complex, 2 * phy::kEdgeCarrier + 1> carriers{};
};

inline std::vector<ReadSymbol> read_packets(const std::vector<AxisWord>& words) {
    std::vector<ReadSymbol> symbols;
    size_t place = 0;
    for (const auto& word : words) {
        if (place == 0) {
            symbols.push_back({ofdm_frontend::Header::of(word.data), word.time, word.has_time, false, {}});
        } else {
            auto& symbol = symbols.back();
            const float scale = ofdm_frontend::bin_scale(symbol.header.exponent) * 32768 * phy::kDemodulateScale;
            symbol.carriers.at(place <= phy::kEdgeCarrier ? place - 1 : place) =
                float_sample(unpack(word.data)) * scale;
        }
        ++place;
        if (!word.last) continue;
        symbols.back().end = word.end_of_burst;
        place = 0;
    }
    return symbols;
}

/// The float core's carriers of the radio's samples, first body sample at `body`.
inline std::array<Complex, 201> float_carriers(const std::vector<AxisWord>& words, size_t body,
                                               double cycles_per_sample, size_t phase_zero) {
    static phy::OfdmTransform transform;
    std::array<Complex, 256> samples, bins;
    for (size_t n = 0; n < 256; ++n) {
        const double cycles = cycles_per_sample * (static_cast<double>(body + n) - static_cast<double>(phase_zero));
        const double angle = -2 * std::numbers::pi * (cycles - std::round(cycles));
        samples[n] =
            Complex(std::complex<double>(float_sample(unpack(words.at(body + n).data))) * std::polar(1.0, angle));
    }
    transform.demodulate(samples, bins);
    std::array<Complex, 201> carriers{};
    for (int k = -phy::kEdgeCarrier; k <= phy::kEdgeCarrier; ++k)
        if (k != 0) carriers[static_cast<size_t>(k + phy::kEdgeCarrier)] = bins[static_cast<size_t>(phy::bin_of(k))];
    return carriers;
}

/// Power of the error over that of the expected signal, dB.
class Evm {
public:
    void add(Complex got, Complex expected) {
        error_ += std::norm(std::complex<double>(got) - std::complex<double>(expected));
        power_ += std::norm(std::complex<double>(expected));
    }
    template <class Range> void add(const Range& got, const Range& expected) {
        for (size_t i = 0; i < expected.size(); ++i) add(got[i], expected[i]);
    }
    double db() const { return 10 * std::log10(error_ / power_); }

private:
    double error_ = 0, power_ = 0;
};

inline std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> bytes(count);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

/// A downlink frame with a burst of each rate, its prefix announcing the first four.
struct EveryRateFrame {
    static constexpr int kSymbolsEach = 4;
    std::vector<std::vector<uint8_t>> payloads;
    std::vector<phy::DownlinkBurst> bursts;
    int symbols = phy::kFirstBurstSymbol + phy::kRates * kSymbolsEach;

    EveryRateFrame() {
        for (int rate = 0; rate < phy::kRates; ++rate)
            payloads.push_back(random_bytes(static_cast<size_t>(phy::burst_capacity_bytes(rate, kSymbolsEach)),
                                            static_cast<uint64_t>(rate) + 1));
        for (int rate = 0; rate < phy::kRates; ++rate) {
            phy::DownlinkBurst burst;
            burst.format = {
                static_cast<uint8_t>(rate), static_cast<uint8_t>(rate), 5, 3, phy::Preamble::none, kSymbolsEach};
            burst.start_symbol = phy::kFirstBurstSymbol + rate * kSymbolsEach;
            burst.first = rate == 0;
            burst.payload = payloads[static_cast<size_t>(rate)];
            bursts.push_back(burst);
        }
    }
    Samples samples(phy::Modulator& modulator) const {
        phy::FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = 3;
        Samples out(static_cast<size_t>(symbols * modulator.numerology().symbol_samples()));
        if (modulator.downlink(prefix, bursts, out) != out.size()) out.clear();
        return out;
    }
};

inline constexpr uint64_t kFirstTime = 10'000'000'000;
inline constexpr size_t kLead = 100;  // samples before a frame.

/// A frame of all rates as the radio's samples, after a lead.
struct FrameOnAir {
    phy::Numerology num;
    EveryRateFrame frame;
    Samples samples;

    explicit FrameOnAir(phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8, const char* profile = "awgn",
                        double offset_hz = 0)
        : num(*phy::Numerology::make(5'000'000, cp)) {
        phy::Modulator modulator(num);
        const auto sent = frame.samples(modulator);
        channel::PathConfig path;
        path.sample_rate_hz = static_cast<double>(num.sample_rate_hz);
        path.delay_samples = kLead;
        path.carrier_offset_hz = offset_hz;
        path.profile = *channel::named_profile(profile);
        path.seed = 4;
        samples.resize(sent.size() + kLead + 300);
        channel::PropagationPath(path).accumulate(0, samples, {0, sent});
    }
    ofdm_frontend::Order order(double cycles_per_sample = 0, int early = 0) const {
        return {.time = kFirstTime + kLead - static_cast<uint64_t>(early),
                .increment = increment_of(cycles_per_sample),
                .symbols = static_cast<uint16_t>(frame.symbols),
                .prefix_samples = static_cast<uint16_t>(num.cp_samples())};
    }
};

inline float attenuated(double db) { return kHeadroom * static_cast<float>(std::pow(10.0, -db / 20)); }

}  // namespace wimax::fpga::test
