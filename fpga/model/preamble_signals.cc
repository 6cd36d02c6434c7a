// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/preamble_signals.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <cmath>
#include <numbers>
#include <random>

namespace wimax::fpga {
namespace {

namespace phy = gr::wimax::phy;
using Samples = std::vector<std::complex<float>>;

class Maker {
public:
    explicit Maker(uint64_t seed) : random_(static_cast<uint32_t>(seed)) {}

    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(random_()) / 4294967296.0;
    }
    void noise(Samples& to, size_t count, double amplitude) {
        for (size_t i = 0; i < count; ++i) {
            const double radius = amplitude * std::sqrt(-std::log(uniform(1e-9, 1)));
            to.push_back(std::complex<float>(std::polar(radius, uniform(0, 2 * std::numbers::pi))));
        }
    }
    void symbol(Samples& to, phy::PreambleSymbol symbol, size_t cp, double amplitude) {
        const auto body = phy::preamble_body(symbol);
        for (size_t i = 256 - cp; i < 512; ++i) to.push_back(body[i & 255] * static_cast<float>(amplitude));
    }
    void tone(Samples& to, size_t count, double amplitude) {
        const double cycles = uniform(-0.5, 0.5);
        for (size_t i = 0; i < count; ++i)
            to.push_back(
                std::complex<float>(std::polar(amplitude, 2 * std::numbers::pi * cycles * static_cast<double>(i))));
    }

    /// A random signal, then mostly a preamble, then a random signal, with frequency offset and noise.
    Samples stretch() {
        Samples s;
        const double amplitude = std::pow(10.0, uniform(-4, 0));
        noise(s, static_cast<size_t>(uniform(300, 1500)), uniform(0, 1) < 0.3 ? 0 : 0.3 * amplitude);
        if (uniform(0, 1) < 0.1) tone(s, 700, amplitude);
        if (uniform(0, 1) < 0.9) {
            const size_t cp = size_t{8} << static_cast<size_t>(uniform(0, 4));
            symbol(s, phy::PreambleSymbol::p_4x64, cp, amplitude);
            symbol(s, phy::PreambleSymbol::p_even, cp, amplitude);
        }
        noise(s, static_cast<size_t>(uniform(900, 4000)), amplitude * uniform(0, 2));
        const double cycles = uniform(-6, 6) / 256;
        Samples background;
        noise(background, s.size(), amplitude * std::pow(10.0, uniform(-2, 0)));
        for (size_t i = 0; i < s.size(); ++i)
            s[i] = s[i] * std::complex<float>(std::polar(1.0, 2 * std::numbers::pi * cycles * static_cast<double>(i))) +
                   background[i];
        return s;
    }

private:
    std::mt19937 random_;
};

}  // namespace

std::vector<AxisWord> preamble_signals(size_t samples, uint64_t seed) {
    Maker maker(seed);
    std::vector<AxisWord> words;
    uint64_t time = seed << 32;
    while (words.size() < samples) {
        if (maker.uniform(0, 1) < 0.3) time += static_cast<uint64_t>(maker.uniform(0, 1000));
        bool first = true;
        for (const auto& sample : maker.stretch()) {
            AxisWord word{pack(fixed_sample(sample)), time, first || maker.uniform(0, 1) < 0.5};
            word.last = maker.uniform(0, 1) < 0.01;
            word.end_of_burst = word.last && maker.uniform(0, 1) < 0.1;
            words.push_back(word);
            first = false;
            ++time;
            if (maker.uniform(0, 1) < 0.0002) {  // lost samples
                time += 1 + static_cast<uint64_t>(maker.uniform(0, 40));
                first = true;
            }
        }
    }
    words.resize(samples);
    return words;
}

}  // namespace wimax::fpga
