// SPDX-License-Identifier: GPL-3.0-or-later
// Rate choice on simulated devices that coerce, sample-time mapping, and a modulated frame through both resamplers.
#include "radio/resampler.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace gr::wimax {
namespace {

using phy::Complex;

/// Divides one of its master clocks by 1 or an even number up to 512 (or any number) and takes the nearest rate.
struct Coercing : RateDevice {
    std::vector<double> clocks;
    bool odd_factors = false;
    double clock = 0, rate = 0;
    int clock_changes = 0;

    explicit Coercing(std::vector<double> all, bool odd = false)
        : clocks(std::move(all)), odd_factors(odd), clock(clocks[0]) {}
    std::vector<double> rates() override {
        std::vector<double> all;
        for (int factor = 1; factor <= 512; ++factor)
            if (factor == 1 || factor % 2 == 0 || odd_factors) all.push_back(clock / factor);
        return all;
    }
    static double nearest(const std::vector<double>& all, double hz) {
        return *std::min_element(all.begin(), all.end(),
                                 [hz](double a, double b) { return std::abs(a - hz) < std::abs(b - hz); });
    }
    double set_rate(double hz) override { return rate = nearest(rates(), hz); }
    double master_clock() override { return clock; }
    double set_master_clock(double hz) override {
        ++clock_changes;
        return clock = nearest(clocks, hz);
    }
    double nearest_master_clock(double hz) override { return nearest(clocks, hz); }
    double lowest_master_clock() override { return *std::min_element(clocks.begin(), clocks.end()); }
    double highest_master_clock() override { return *std::max_element(clocks.begin(), clocks.end()); }
    std::vector<double> master_clocks() override { return clocks; }
};

RatePlan ratio(int64_t channel_rate_hz, int up, int down) {
    return {channel_rate_hz, channel_rate_hz * up / down, up, down};
}

TEST(RatePlan, AnOddFactorIsAvoidedAtThePriceOfHalfTheRateMore) {
    Coercing device({100e6}, true);
    const auto plan = plan_rate(18e6, device);  // 20 MS/s by 5, or 25 by 4
    ASSERT_TRUE(plan) << plan.error().str();
    EXPECT_EQ(plan->device_rate_hz, 25'000'000);
    EXPECT_EQ(plan->up, 25);
    EXPECT_EQ(plan->down, 18);
}

TEST(RatePlan, ChoiceForDevicesThatCoerce) {
    struct Case {
        std::vector<double> clocks;
        bool odd;
        double wanted;
        int64_t rate;
        int up, down;
        double clock;
    };
    const Case cases[] = {
        {{200e6, 184.32e6}, true, 5.76e6, 5'760'000, 1, 1, 184.32e6},  // another clock is exact
        {{200e6}, true, 4e6, 4'000'000, 1, 1, 200e6},                  // the present clock is exact
        {{122.88e6, 125e6, 153.6e6}, false, 5.76e6, 6'144'000, 16, 15, 122.88e6},
        {{125e6, 122.88e6, 153.6e6}, false, 5.76e6, 6'144'000, 16, 15, 122.88e6},
        {{200e6}, true, 5.76e6, 6'250'000, 625, 576, 200e6},  // rather than 25/18, which is 200 / 25
        {{30.72e6}, false, 5.76e6, 7'680'000, 4, 3, 30.72e6},
        {{245.76e6}, false, 11.52e6, 12'288'000, 16, 15, 245.76e6},
        {{122.88e6}, false, 4e6, 4'096'000, 128, 125, 122.88e6},
    };
    for (const auto& c : cases) {
        Coercing device(c.clocks, c.odd);
        const auto plan = plan_rate(c.wanted, device);
        ASSERT_TRUE(plan) << plan.error().str();
        EXPECT_EQ(plan->device_rate_hz, c.rate);
        EXPECT_EQ(plan->channel_rate_hz, std::llround(c.wanted));
        EXPECT_EQ(plan->up, c.up);
        EXPECT_EQ(plan->down, c.down);
        EXPECT_EQ(device.clock, c.clock);
        EXPECT_NEAR(device.rate, static_cast<double>(c.rate), 1e-6);
    }
}

TEST(RatePlan, ExactRateLeavesTheClockAlone) {
    Coercing device({23.04e6, 184.32e6});
    ASSERT_TRUE(plan_rate(5.76e6, device)->exact());
    EXPECT_EQ(device.clock_changes, 0);
}

TEST(RatePlan, RefusalNamesWhatIsOffered) {
    Coercing awkward({61'430'001}), slow({5e6});
    for (Coercing* device : {&awkward, &slow}) {
        const auto plan = plan_rate(5.76e6, *device);
        ASSERT_FALSE(plan);
        EXPECT_NE(plan.error().str().find("sample rate 5760000 S/s"), std::string::npos) << plan.error().str();
        EXPECT_NE(plan.error().str().find("choose a channel bandwidth"), std::string::npos);
    }
    EXPECT_NE(
        plan_rate(5.76e6, slow).error().str().find("offers 5000000 S/s nearest, master clock 5000000 .. 5000000 Hz"),
        std::string::npos);
}

/// Common to two models: 6.25 MS/s on a radio that would accept 5.76 or 6.144, with any clock.
TEST(RatePlan, ARateThatIsAskedFor) {
    Coercing any({100e6, 125e6, 122.88e6, 184.32e6}), fixed({200e6}, true);
    any.clock = 122.88e6;
    for (Coercing* device : {&any, &fixed}) {
        const auto plan = plan_rate(5.76e6, *device, 6.25e6);
        ASSERT_TRUE(plan) << plan.error().str();
        EXPECT_EQ(plan->device_rate_hz, 6'250'000);
        EXPECT_EQ(plan->up, 625);
        EXPECT_EQ(plan->down, 576);
        EXPECT_NEAR(plan->tick_rate_hz, 6.25e6, 1e-6);
        EXPECT_NEAR(device->rate, 6.25e6, 1e-6);
    }
    EXPECT_TRUE(plan_rate(5.76e6, any, 5.76e6)->exact());
    EXPECT_NE(plan_rate(5.76e6, fixed, 5.76e6).error().str().find("the device offers 5714285.71429 S/s nearest"),
              std::string::npos);
    for (const double unfit : {5e6, 25e6, 6'250'001.0, 6.25e6 + 0.5})
        EXPECT_NE(plan_rate(5.76e6, any, unfit).error().str().find("5760000 S/s or up to 4 times as high"),
                  std::string::npos);
}

TEST(RatePlan, TimesAreExactForEver) {
    for (const auto& plan : {ratio(5'760'000, 4, 3), ratio(5'760'000, 16, 15), ratio(5'760'000, 625, 576)})
        for (const int64_t origin : {int64_t{0}, int64_t{1} << 40, -(int64_t{1} << 40), int64_t{1} << 59})
            for (int64_t n = origin - 700; n < origin + 700; ++n) {
                const int64_t k = plan.tick_at(n);
                const auto position = static_cast<__int128>(n) * plan.up;  // in 1 / down ticks
                ASSERT_GE(static_cast<__int128>(k) * plan.down, position);
                ASSERT_LT(static_cast<__int128>(k - 1) * plan.down, position);
                ASSERT_EQ(plan.sample_at(k), k * static_cast<__int128>(plan.down) == position ? n : n + 1);
            }
}

/// Amplitude in dB at the output frequency that corresponds to a tone at `hz` of the input.
double response_db(const Resampler& resampler, double in_rate, double out_rate, double hz, double out_hz) {
    std::vector<Complex> in(4000), out(1024);
    for (size_t k = 0; k < in.size(); ++k)
        in[k] = Complex(std::polar(1.0, 2 * std::numbers::pi * hz / in_rate * static_cast<double>(k)));
    const int64_t first = resampler.first_output(0);
    resampler.render(in, 0, first, out);
    std::complex<double> sum{};
    double weights = 0;
    for (size_t m = 0; m < out.size(); ++m) {
        const double w = std::pow(std::sin(std::numbers::pi * (static_cast<double>(m) + 0.5) / 1024), 6);
        const double t = static_cast<double>(first + static_cast<int64_t>(m)) / out_rate;
        sum += w * std::complex<double>(out[m]) * std::polar(1.0, -2 * std::numbers::pi * out_hz * t);
        weights += w;
    }
    return 20 * std::log10(std::abs(sum) / weights + 1e-12);
}

TEST(Resampler, FlatInBandAndClosedBeyond) {
    double ripple = 0, leak = -200;
    for (const auto& plan : {ratio(5'760'000, 4, 3), ratio(5'760'000, 16, 15), ratio(5'760'000, 4, 1)}) {
        const auto fc = static_cast<double>(plan.channel_rate_hz), fd = static_cast<double>(plan.device_rate_hz);
        const Resampler up(plan, Resampler::Direction::to_device), down(plan, Resampler::Direction::to_channel);
        for (int carrier = -100; carrier <= 100; carrier += 5) {
            const double hz = fc * carrier / 256, image = hz < 0 ? hz + fc : hz - fc;
            ripple = std::max(ripple, std::abs(response_db(up, fc, fd, hz, hz)));
            ripple = std::max(ripple, std::abs(response_db(down, fd, fc, hz, hz)));
            if (carrier == 0) continue;
            leak = std::max(leak, response_db(up, fc, fd, hz, image));  // image in the transmitter's output
            if (std::abs(image) < fd / 2) leak = std::max(leak, response_db(down, fd, fc, image, hz));  // alias
        }
    }
    std::printf("ripple %.4f dB, stop band %.1f dB\n", ripple, leak);
    EXPECT_LT(ripple, 0.003);
    EXPECT_LT(leak, -77);
}

std::vector<Complex> frame(int data_symbols, const phy::TransmitShape& shape = {}) {
    const auto numerology = *phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8);
    phy::Modulator modulator(numerology, phy::kMaxFrameSymbols, shape);
    std::vector<uint8_t> payload(static_cast<size_t>(phy::burst_capacity_bytes(6, data_symbols)));
    std::mt19937 random(7);
    for (auto& b : payload) b = static_cast<uint8_t>(random());
    phy::DownlinkBurst burst{{.rate_id = 6, .data_symbols = data_symbols}, 3, true, payload};
    phy::FramePrefix prefix;
    prefix.entries[0] = {6, false, static_cast<uint16_t>(data_symbols)};
    prefix.entry_count = 1;
    std::vector<Complex> out(288 * static_cast<size_t>(data_symbols + 3) + modulator.tail_samples());
    EXPECT_EQ(modulator.downlink(prefix, {&burst, 1}, out), out.size());
    return out;
}

/// EVM of a symbol in dB without any equalisation; the FFT reaches back `back` samples into the prefix.
double evm_db(std::span<const Complex> sent, std::span<const Complex> got, size_t symbol, size_t back) {
    phy::OfdmTransform transform;
    std::array<Complex, phy::kFftSize> a, b;
    const size_t at = symbol * 288 + 32 - back;
    transform.demodulate(std::span<const Complex, phy::kFftSize>(sent.data() + at, phy::kFftSize), a);
    transform.demodulate(std::span<const Complex, phy::kFftSize>(got.data() + at, phy::kFftSize), b);
    double error = 0, power = 0;
    for (int carrier = -100; carrier <= 100; ++carrier) {
        const auto i = static_cast<size_t>((carrier + 256) % 256);
        error += std::norm(a[i] - b[i]);
        power += std::norm(a[i]);
    }
    return 10 * std::log10(error / power);
}

/// Mean density around `cycles` (per sample) in Hann windows of `size` samples.
double density(std::span<const Complex> x, double cycles, size_t size) {
    double sum = 0;
    for (size_t at = 0; at + size <= x.size(); at += size / 2) {
        std::complex<double> bin{};
        for (size_t n = 0; n < size; ++n) {
            const double turn = 2 * std::numbers::pi * static_cast<double>(n);
            bin += std::complex<double>(x[at + n]) * (1 - std::cos(turn / static_cast<double>(size))) *
                   std::polar(1.0, -turn * cycles);
        }
        sum += std::norm(bin);
    }
    return sum;
}

/// Smallest distance below the transmit mask at four times the channel's rate, dB.
double mask_margin_db(const phy::TransmitShape& shape) {
    const auto plan = ratio(5'760'000, 4, 1);
    constexpr double kBandwidth = 5e6;
    constexpr size_t kWindow = 1024;  // 34 kHz resolution
    std::vector<Complex> air;
    TransmitResampler(plan).convert(0, frame(12, shape), air);
    const auto fd = static_cast<double>(plan.device_rate_hz);
    double inside = 0;
    for (int i = 1; i <= 20; ++i) inside += density(air, 0.022 * i * kBandwidth / fd, kWindow) / 20;
    double margin = 200;
    for (double offset = phy::kTransmitMask.front().bandwidths; offset < 2; offset += 0.01) {
        const auto above = std::upper_bound(phy::kTransmitMask.begin(), phy::kTransmitMask.end(), offset,
                                            [](double x, const phy::MaskPoint& p) { return x < p.bandwidths; });
        double limit = phy::kTransmitMask.back().level_db;
        if (above != phy::kTransmitMask.end()) {
            const auto below = above - 1;
            limit = below->level_db + (above->level_db - below->level_db) * (offset - below->bandwidths) /
                                          (above->bandwidths - below->bandwidths);
        }
        const double level = 10 * std::log10(density(air, offset * kBandwidth / fd, kWindow) / inside);
        margin = std::min(margin, limit - level);
    }
    return margin;
}

TEST(Resampler, ShapedSignalKeepsTheMaskAtTheRadio) {
    const double plain = mask_margin_db({}), shaped = mask_margin_db({16, {}});
    std::printf("margin to the mask %.1f dB, with symbol edges of 16 samples %.1f dB\n", plain, shaped);
    EXPECT_GT(shaped, 15);
    EXPECT_GT(shaped, plain + 10);
}

TEST(Resampler, FrameUpAndDownAgainInPackets) {
    const auto sent = frame(12);
    for (const auto& plan :
         {ratio(5'760'000, 4, 3), ratio(5'760'000, 16, 15), ratio(5'760'000, 625, 576), ratio(5'760'000, 4, 1)}) {
        const int64_t start = (int64_t{1} << 40) + 12'345;
        std::vector<Complex> air;
        const int64_t tick = TransmitResampler(plan).convert(start, sent, air);
        EXPECT_EQ(tick, plan.tick_at(start - TransmitResampler::kRingingSamples));

        // The receiver has been running for a while, packets come in odd sizes.
        std::vector<Complex> device(500);
        device.insert(device.end(), air.begin(), air.end());
        device.resize(device.size() + 500);
        ReceiveResampler receiver(plan);
        std::vector<Complex> got(sent.size()), piece(97);
        int64_t expected = 0;
        for (size_t k = 0; k < device.size();) {
            const size_t n = std::min(receiver.room(piece.size()), device.size() - k);
            receiver.push(tick - 500 + static_cast<int64_t>(k), std::span(device).subspan(k, n));
            k += n;
            int64_t first = 0;
            const size_t m = receiver.pull(piece, first);
            if (m == 0) continue;
            if (expected != 0) {
                ASSERT_EQ(first, expected);
            }
            expected = first + static_cast<int64_t>(m);
            for (size_t i = 0; i < m; ++i) {
                const int64_t at = first + static_cast<int64_t>(i) - start;
                if (at >= 0 && at < static_cast<int64_t>(got.size())) got[static_cast<size_t>(at)] = piece[i];
            }
        }
        ASSERT_GT(expected, start + static_cast<int64_t>(got.size()));
        double inside = -200, at_end = -200;  // FFT in the middle of the prefix; up to a symbol's very last sample
        for (size_t symbol = 0; symbol < sent.size() / 288; ++symbol) {
            inside = std::max(inside, evm_db(sent, got, symbol, 16));
            at_end = std::max(at_end, evm_db(sent, got, symbol, 0));
        }
        std::printf("%d/%d: EVM %.1f dB, at the very end %.1f dB\n", plan.up, plan.down, inside, at_end);
        EXPECT_LT(inside, -60);
        EXPECT_LT(at_end, -40);
    }
}

/// Bit-exact: in lock-step results do not depend on the machine.
TEST(Resampler, WherePacketsEndIsNotHeard) {
    const auto signal = frame(3);
    for (const auto& plan : {ratio(5'760'000, 4, 3), ratio(5'760'000, 625, 576)}) {
        std::vector<std::vector<Complex>> heard;
        for (const size_t packet : {signal.size(), size_t{97}, size_t{1}}) {
            ReceiveResampler receiver(plan);
            std::vector<Complex> out(signal.size()), all;
            for (size_t k = 0; k < signal.size(); k += packet) {
                receiver.push(1000 + static_cast<int64_t>(k),
                              std::span(signal).subspan(k, std::min(packet, signal.size() - k)));
                int64_t first = 0;
                const size_t n = receiver.pull(out, first);
                all.insert(all.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
            }
            heard.push_back(all);
        }
        EXPECT_GT(heard[0].size(), signal.size() / 2);
        EXPECT_EQ(heard[0], heard[1]);
        EXPECT_EQ(heard[0], heard[2]);
    }
}

TEST(Resampler, GapStartsAnewAtTheRightTime) {
    const auto plan = ratio(5'760'000, 4, 3);
    ReceiveResampler receiver(plan);
    const std::vector<Complex> packet(400, 1.0F);
    std::vector<Complex> out(1000);
    for (const int64_t tick : {int64_t{1000}, int64_t{1400}, int64_t{9001}}) {
        receiver.push(tick, packet);
        int64_t first = 0;
        const size_t n = receiver.pull(out, first);
        EXPECT_GT(n, 270U);
        EXPECT_NEAR(static_cast<double>(first), static_cast<double>(tick) * 3 / 4, 13);
        if (tick != 1400) {
            EXPECT_GE(first, plan.sample_at(tick));
        }
        for (size_t i = 0; i < n; ++i) ASSERT_NEAR(out[i].real(), 1, 1e-5);
        receiver.pull(out, first);
    }
}

}  // namespace
}  // namespace gr::wimax
