// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/fir.h"
#include "channel/propagation_path.h"
#include "channel/transmit_history.h"

#include <gnuradio/wimax/phy/base/instruction_set.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace wimax::channel {
namespace {

constexpr double kRate = 5.76e6;
constexpr double kTwoPi = 2.0 * std::numbers::pi;
using Samples = std::vector<Complex>;

// A sum of tones inside the used 78 % of the band, known at any instant.
struct Tones {
    std::vector<double> frequency{-0.3906, -0.25, -0.111, 0.0371, 0.2, 0.3905};  // cycles per sample
    std::complex<double> at(double t) const {
        std::complex<double> sum;
        for (size_t i = 0; i < frequency.size(); ++i) {
            sum += std::polar(1.0, kTwoPi * std::fmod(frequency[i] * t, 1.0) + static_cast<double>(i));
        }
        return sum / std::sqrt(static_cast<double>(frequency.size()));
    }
    Samples samples(int64_t first, size_t count) const {
        Samples out(count);
        for (size_t i = 0; i < count; ++i) {
            out[i] = Complex(at(static_cast<double>(first + static_cast<int64_t>(i))));
        }
        return out;
    }
};

Samples run(PropagationPath& path, int64_t rx_index, size_t count, const TxWindow& tx) {
    Samples out(count);
    path.accumulate(rx_index, out, tx);
    return out;
}

// Error power relative to the signal, dB, against `expected(n)`.
template <class F> double error_db(const Samples& got, int64_t rx_index, F&& expected) {
    double error = 0, power = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const std::complex<double> want = expected(static_cast<double>(rx_index + static_cast<int64_t>(i)));
        error += std::norm(std::complex<double>(got[i]) - want);
        power += std::norm(want);
    }
    return 10.0 * std::log10(error / power + 1e-30);
}

TEST(PropagationPath, WholeDelayIsExact) {
    PropagationPath path({.gain_db = 0.0, .delay_samples = 37.0});
    const Samples x = Tones().samples(0, 1000);
    const Samples y = run(path, 0, 1100, {0, x});
    for (size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(y[i], i >= 37 && i < 1037 ? x[i - 37] : Complex{}) << i;
    }
    EXPECT_EQ(path.tx_end_needed(1000), 963);
    EXPECT_EQ(path.tx_first_needed(1000), 963);
}

TEST(PropagationPath, GainAndCarrierOffset) {
    const double cfo = 12'345.6;
    for (const double delay : {20.0, 20.25}) {
        PropagationPath path({.gain_db = -6.0, .delay_samples = delay, .carrier_offset_hz = cfo});
        const int64_t far = 3'000'000'000;  // nine minutes later the phase is still correct
        const Tones tones;
        const Samples x = tones.samples(far - 200, 3000);
        const Samples y = run(path, far, 2000, {far - 200, x});
        EXPECT_LT(error_db(y, far,
                           [&](double n) {
                               return std::pow(10.0, -0.3) * tones.at(n - delay) *
                                      std::polar(1.0, kTwoPi * std::fmod(cfo / kRate * n, 1.0));
                           }),
                  -60.0);
    }
}

TEST(PropagationPath, FractionalDelays) {
    const Tones tones;
    const Samples x = tones.samples(-100, 2200);
    for (double delay = 16.0; delay < 17.3; delay += 0.0937) {
        PropagationPath path({.delay_samples = delay});
        EXPECT_LT(error_db(run(path, 0, 2000, {-100, x}), 0, [&](double n) { return tones.at(n - delay); }), -60.0)
            << delay;
    }
}

TEST(PropagationPath, ClockOffset) {
    const Tones tones;
    for (const double ppm : {20.0, -20.0, 100.0}) {
        for (const int64_t first : {int64_t{0}, int64_t{40'000'000}}) {
            PropagationPath path({.delay_samples = 18.5, .clock_offset_ppm = ppm});
            const auto position = [ppm](double n) { return (n - 18.5) / (1.0 + ppm * 1e-6); };
            const int64_t tx_first = path.tx_first_needed(first);
            const auto count = static_cast<size_t>(path.tx_end_needed(first + 20'000) - tx_first);
            const Samples x = tones.samples(tx_first, count);
            const Samples y = run(path, first, 20'000, {tx_first, x});
            EXPECT_LT(error_db(y, first, [&](double n) { return tones.at(position(n)); }), -60.0)
                << ppm << " " << first;
        }
    }
}

TEST(PropagationPath, EpochsShiftTheClocks) {
    const Tones tones;
    PropagationPath path({.delay_samples = 16.0, .clock_offset_ppm = 10.0, .rx_epoch = 5000, .tx_epoch = 900'000});
    const Samples x = tones.samples(898'000, 6000);
    EXPECT_LT(error_db(run(path, 5000, 1000, {898'000, x}), 5000,
                       [&](double n) { return tones.at(900'000 + (n - 5000 - 16.0) / (1.0 + 10e-6)); }),
              -60.0);
}

TEST(PropagationPath, MultipathIsTheSumOfDelayedTaps) {
    ChannelProfile profile;
    profile.taps = {{.delay_s = 0, .power = 0.6, .k_factor = 4, .doppler_hz = 100},
                    {.delay_s = 0.4e-6, .power = 0.3, .doppler_hz = 80},
                    {.delay_s = 14e-6, .power = 0.1, .doppler_hz = 120, .spectrum = DopplerSpectrum::jakes}};
    const PathConfig config{.delay_samples = 16.3, .clock_offset_ppm = -5.0, .profile = profile, .seed = 11};
    PropagationPath path(config);
    std::vector<FadingTap> fading;
    for (size_t i = 0; i < 3; ++i) fading.emplace_back(profile.taps[i], kRate, mix64(11) + i);
    const Tones tones;
    const Samples x = tones.samples(-300, 12'600);
    EXPECT_LT(error_db(run(path, 0, 12'000, {-300, x}), 0,
                       [&](double n) {
                           std::complex<double> sum;
                           for (size_t i = 0; i < 3; ++i) {
                               const double at = (n - 16.3) / (1 - 5e-6) - profile.taps[i].delay_s * kRate;
                               sum += fading[i].gain(static_cast<int64_t>(n)) * tones.at(at);
                           }
                           return sum;
                       }),
              -50.0);
}

TEST(PropagationPath, MeanPowerIsKept) {
    const Samples x = Tones().samples(0, 4000);
    for (const char* name : {"sui1", "sui3", "sui6", "pedestrian-b", "vehicular-a"}) {
        double power = 0;
        const int seeds = 1500;
        for (int s = 0; s < seeds; ++s) {
            PathConfig config{.delay_samples = 16.4, .profile = *named_profile(name), .seed = static_cast<uint64_t>(s)};
            PropagationPath path(config);
            for (const auto& v : run(path, 1000, 64, {0, x})) power += std::norm(v) / (64.0 * seeds);
        }
        // Six tones have mean power 1 only over time; 64 samples and flat fading leave some 6 %.
        EXPECT_NEAR(power, 1.0, 0.12) << name;
    }
}

TEST(PropagationPath, CorrelationOverFrequencyIsThatOfDelaysAndPowers) {
    // E[H(f) conj(H(0))] = sum of power * exp(-j 2 pi f delay): fractional delays and tap powers in one measurement.
    const double delay = 20.3;
    const int seeds = 3000;
    const std::array frequencies{0.03, 0.11, 0.24, 0.37};  // cycles per sample
    const Complex impulse = 1.0F;
    for (const char* name : {"sui4", "pedestrian-b", "vehicular-b"}) {
        const auto profile = *named_profile(name);
        std::array<std::complex<double>, frequencies.size()> correlation{};
        for (int s = 0; s < seeds; ++s) {
            PropagationPath path({.delay_samples = delay, .profile = profile, .seed = static_cast<uint64_t>(s)});
            const Samples response = run(path, 0, 180, {0, {&impulse, 1}});
            const auto transform = [&](double frequency) {
                std::complex<double> sum;
                for (size_t n = 0; n < response.size(); ++n)
                    sum += std::complex<double>(response[n]) *
                           std::polar(1.0, -kTwoPi * frequency * (static_cast<double>(n) - delay));
                return sum;
            };
            const auto base = transform(0.0);
            for (size_t i = 0; i < frequencies.size(); ++i)
                correlation[i] += transform(frequencies[i]) * std::conj(base) / static_cast<double>(seeds);
        }
        for (size_t i = 0; i < frequencies.size(); ++i) {
            std::complex<double> expected;
            for (const auto& tap : profile.taps)
                expected += tap.power * std::polar(1.0, -kTwoPi * frequencies[i] * tap.delay_s * kRate);
            EXPECT_LT(std::abs(correlation[i] - expected), 5.0 / std::sqrt(seeds)) << name << " " << frequencies[i];
        }
    }
}

TEST(PropagationPath, SameBitsForAnyChunkingAndWindow) {
    const Samples x = Tones().samples(100'000, 9000);
    for (const auto& config :
         {PathConfig{.delay_samples = 17.0, .carrier_offset_hz = 999.0},
          PathConfig{.delay_samples = 16.2, .carrier_offset_hz = -5000.0, .profile = *named_profile("sui5"), .seed = 4},
          PathConfig{.delay_samples = 100.7, .clock_offset_ppm = 20.0, .profile = *named_profile("vehicular-b")}}) {
        PropagationPath whole(config), pieces(config);
        const int64_t first = 99'000;
        const Samples expected = run(whole, first, 12'000, {100'000, x});
        Samples got(expected.size());
        for (size_t at = 0, step = 1; at < got.size(); at += step) {
            step = std::min<size_t>(step * 7 % 1453 + 1, got.size() - at);
            const int64_t rx = first + static_cast<int64_t>(at);
            // Only the samples that the path needs.
            const int64_t from = std::max<int64_t>(pieces.tx_first_needed(rx), 100'000);
            const int64_t to = std::min<int64_t>(pieces.tx_end_needed(rx + static_cast<int64_t>(step)), 109'000);
            TxWindow window;
            if (from < to) {
                window = {from,
                          std::span(x).subspan(static_cast<size_t>(from - 100'000), static_cast<size_t>(to - from))};
            }
            pieces.accumulate(rx, std::span(got).subspan(at, step), window);
        }
        EXPECT_EQ(expected, got);
    }
}

TEST(PropagationPath, CausalAtTheMinimumDelay) {
    for (const char* name : {"awgn", "sui3", "vehicular-b"}) {
        for (const double delay : {16.0, 16.01, 16.99}) {
            const PropagationPath path({.delay_samples = delay, .profile = *named_profile(name)});
            EXPECT_LE(path.tx_end_needed(5000), 5000);
            EXPECT_GE(path.tx_first_needed(5000), 5000 - 16 - 150);
        }
    }
}

TEST(PropagationPath, AffectedRangeCoversEverything) {
    PathConfig config{.delay_samples = 30.5, .clock_offset_ppm = 20.0, .profile = *named_profile("sui6")};
    PropagationPath path(config);
    const Samples x(10, Complex(1, 1));
    const auto [low, high] = path.rx_affected(50'000, 50'010);
    const Samples y = run(path, 49'000, 3000, {50'000, x});
    double power = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        const int64_t n = 49'000 + static_cast<int64_t>(i);
        if (n < low || n >= high) {
            EXPECT_EQ(y[i], Complex{});
        }
        power += std::norm(y[i]);
    }
    EXPECT_GT(power, 0.1);
    // The window's limits have no influence: the result is the same with silence around.
    Samples padded(3000);
    std::copy(x.begin(), x.end(), padded.begin() + 1000);
    EXPECT_EQ(y, run(path, 49'000, 3000, {49'000, padded}));
}

TEST(PropagationPath, SilenceAndEmptyWindows) {
    PropagationPath path({.delay_samples = 16.5});
    EXPECT_EQ(run(path, 0, 100, {}), Samples(100));
    const Samples x(10, Complex(1, 0));
    EXPECT_EQ(run(path, 0, 100, {5000, x}), Samples(100));
    EXPECT_EQ(run(path, 0, 100, {-5000, x}), Samples(100));
}

TEST(Fir, SameBitsInEveryInstructionSet) {
    using gr::wimax::phy::InstructionSet;
    std::vector<float> xr(64), xi(64), hr(30), hi(30);
    for (size_t i = 0; i < 64; ++i) {
        xr[i] = std::sin(static_cast<float>(i) * 1.7F);
        xi[i] = std::cos(static_cast<float>(i) * 0.9F);
    }
    for (size_t i = 0; i < 30; ++i) {
        hr[i] = std::sin(static_cast<float>(i));
        hi[i] = std::cos(static_cast<float>(i) * 2.0F);
    }
    const auto under = [&](InstructionSet most) {
        gr::wimax::phy::limit_instruction_set(most);
        std::vector<float> out(32);
        fir(xr.data() + 40, xi.data() + 40, hr.data(), hi.data(), 30, out.data(), out.data() + kFirBlock);
        return out;
    };
    const auto portable = under(InstructionSet::portable);
    for (const auto most : {InstructionSet::sse41, InstructionSet::avx2, InstructionSet::avx512})
        EXPECT_EQ(under(most), portable) << static_cast<int>(most);
    for (size_t j = 0; j < kFirBlock; ++j) {
        float re = 0, im = 0;
        for (size_t k = 0; k < 30; ++k) {
            re += hr[k] * xr[40 + j - k] - hi[k] * xi[40 + j - k];
            im += hr[k] * xi[40 + j - k] + hi[k] * xr[40 + j - k];
        }
        EXPECT_NEAR(portable[j], re, 1e-4) << j;
        EXPECT_NEAR(portable[kFirBlock + j], im, 1e-4) << j;
    }
}

TEST(TransmitHistory, KeepsAndTrims) {
    TransmitHistory history(1000);
    const Samples x = Tones().samples(0, 300);
    history.append_silence(0, 500);
    history.append(500, x);
    history.append_silence(800, 500);
    EXPECT_EQ(history.end(), 1300);
    const TxWindow window = history.window(100, 1300);
    EXPECT_EQ(window.first, 500);
    EXPECT_EQ(Samples(window.samples.begin(), window.samples.end()), x);
    EXPECT_TRUE(history.window(0, 500).samples.empty());
    EXPECT_TRUE(history.window(800, 1300).samples.empty());
    EXPECT_EQ(history.window(700, 900).samples.size(), 100U);
    for (int64_t at = 1300; at < 20'000; at += 300) history.append(at, x);
    const TxWindow late = history.window(19'500, 20'000);
    ASSERT_EQ(late.samples.size(), 500U);
    EXPECT_EQ(late.samples[0], x[(19'500 - 1300) % 300]);
    // A gap is silence; going back discards everything.
    history.append(20'500, x);
    EXPECT_EQ(history.end(), 20'800);
    EXPECT_EQ(history.window(20'200, 20'600).first, 20'500);
    history.append(50, x);
    EXPECT_EQ(history.window(0, 30'000).samples.size(), 300U);
}

// An endless transmission, longer than the memory: its forgotten part is empty, without older samples.
TEST(TransmitHistory, WhatIsForgottenIsSilent) {
    TransmitHistory history(1000);
    const Samples x = Tones().samples(0, 300);
    for (int64_t at = 0; at < 9000; at += 300) history.append(at, x);
    EXPECT_TRUE(history.window(0, 300).samples.empty());
    EXPECT_TRUE(history.window(4000, 4500).samples.empty());
    const TxWindow partly = history.window(0, 9000);
    EXPECT_GE(partly.samples.size(), 1000U);
    EXPECT_EQ(partly.first + int64_t(partly.samples.size()), 9000);
    EXPECT_EQ(partly.samples.back(), x.back());
}

// Reused memory is silent where nothing was sent, and samples after a long silence are found again.
TEST(TransmitHistory, SilenceIsZerosWhereItIsLookedAt) {
    TransmitHistory history(1000);
    const Samples x = Tones().samples(0, 300);
    for (int64_t at = 0; at < 9000; at += 300) history.append(at, x);
    for (int64_t at = 9000; at < 10'100; at += 100) history.append_silence(at, 100);
    EXPECT_EQ(history.end(), 10'100);
    EXPECT_TRUE(history.window(9000, 10'100).samples.empty());
    EXPECT_EQ(history.window(8900, 10'100).samples.size(), 100U);
    history.append(10'100, x);  // 1100 of silence: beyond the memory
    EXPECT_EQ(history.window(9100, 10'400).samples.size(), 300U);
    history.append_silence(10'400, 600);
    history.append(11'000, x);  // 600: both are in one window
    const TxWindow both = history.window(10'300, 11'300);
    EXPECT_EQ(both.first, 10'300);
    ASSERT_EQ(both.samples.size(), 1000U);
    Samples expected(x.begin() + 200, x.end());
    expected.resize(700);
    expected.insert(expected.end(), x.begin(), x.end());
    EXPECT_EQ(Samples(both.samples.begin(), both.samples.end()), expected);
    history.append_silence(10'000, 100);  // going back discards everything
    EXPECT_EQ(history.end(), 10'100);
    EXPECT_TRUE(history.window(0, 20'000).samples.empty());
}

// All samples sent since the transmitter started or restarted.
struct Sent {
    int64_t end = 0;
    std::map<int64_t, Complex> samples;  // of samples that are not silent

    void append(int64_t first, std::span<const Complex> sent) {
        if (first < end) samples.clear();
        for (size_t i = 0; i < sent.size(); ++i) samples[first + static_cast<int64_t>(i)] = sent[i];
        end = first + static_cast<int64_t>(sent.size());
    }
    void append_silence(int64_t first, size_t count) {
        if (first < end) samples.clear();
        end = first + static_cast<int64_t>(count);
    }
};

// Samples and silences in any order: consecutive, with gaps of any length, going back into sent samples, into a silence
// or into a gap. A window within the memory contains the sent samples, from the first to the last, and nothing else.
TEST(TransmitHistory, IsWhatWasSentWhateverTheOrder) {
    constexpr size_t kKeep = 100;
    for (unsigned seed = 1; seed <= 25; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](unsigned n) { return static_cast<int64_t>(random() % n); };
        TransmitHistory history(kKeep);
        Sent sent;
        for (int step = 0; step < 400; ++step) {
            int64_t at = sent.end;
            switch (draw(12)) {
                case 0: at += 1 + draw(20); break;
                case 1: at += static_cast<int64_t>(kKeep) + draw(3) - 1; break;
                case 2: at += draw(2000); break;
                case 3: at -= 1 + draw(3); break;
                case 4: at -= draw(400); break;
                default: break;
            }
            const auto count = static_cast<size_t>(1 + draw(draw(5) == 0 ? 300 : 40));
            if (draw(2) == 0) {
                Samples x(count);
                for (auto& v : x) v = Complex(1.0F + static_cast<float>(draw(1000)), static_cast<float>(step));
                history.append(at, x);
                sent.append(at, x);
            } else {
                history.append_silence(at, count);
                sent.append_silence(at, count);
            }
            ASSERT_EQ(history.end(), sent.end) << seed << ' ' << step;
            for (int look = 0; look < 6; ++look) {
                const int64_t first = sent.end - draw(kKeep + 1), end = first + 1 + draw(150);
                const auto window = history.window(first, end);
                auto low = sent.samples.lower_bound(first);
                const auto high = sent.samples.lower_bound(end);
                ASSERT_EQ(window.samples.empty(), low == high) << seed << ' ' << step << ": " << first << ".." << end;
                if (low == high) continue;
                ASSERT_EQ(window.first, low->first);
                ASSERT_EQ(window.first + static_cast<int64_t>(window.samples.size()), std::prev(high)->first + 1);
                for (size_t i = 0; i < window.samples.size(); ++i) {
                    const auto there = sent.samples.find(window.first + static_cast<int64_t>(i));
                    ASSERT_EQ(window.samples[i], there == sent.samples.end() ? Complex{} : there->second) << seed;
                }
            }
            if (step % 10 != 0) continue;
            // No window of any length contains samples that were not sent.
            const auto all = history.window(INT64_MIN / 2, INT64_MAX / 2);
            for (size_t i = 0; i < all.samples.size(); ++i) {
                const auto there = sent.samples.find(all.first + static_cast<int64_t>(i));
                ASSERT_EQ(all.samples[i], there == sent.samples.end() ? Complex{} : there->second) << seed;
            }
        }
    }
}

std::vector<PathConfig> path_configs() {
    std::vector<PathConfig> all;
    for (const double delay : {0.0, 16.0, 16.5, 4000.25, -3.0})
        for (const double ppm : {0.0, 30.0})
            for (const char* name : {"awgn", "sui6", "vehicular-b"})
                all.push_back({.gain_db = -4,
                               .delay_samples = delay,
                               .carrier_offset_hz = 1234,
                               .clock_offset_ppm = ppm,
                               .profile = *named_profile(name),
                               .seed = 3});
    return all;
}

// A sample is a function of configuration and index, for any earlier computations in any order.
TEST(PropagationPath, SameBitsInAnyOrder) {
    const Samples x = Tones().samples(0, 4000);
    for (const auto& config : path_configs()) {
        PropagationPath path(config), straight(config);
        const auto first = static_cast<int64_t>(config.delay_samples) - 200;
        const Samples expected = run(straight, first, 4600, {0, x});
        std::mt19937 random(5);
        for (int i = 0; i < 40; ++i) {
            const auto at = random() % 4500, count = 1 + random() % std::min<size_t>(100, 4600 - at);
            const Samples got = run(path, first + static_cast<int64_t>(at), count, {0, x});
            ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + static_cast<ptrdiff_t>(at)))
                << config.delay_samples << " samples late, " << config.clock_offset_ppm << " ppm, at " << at;
        }
    }
}

// A change of gain or carrier is valid from the next call on, as if the path had been made with it.
TEST(PropagationPath, ChangesHoldFromTheNextCallOn) {
    const Samples x = Tones().samples(0, 3000);
    for (auto config : path_configs()) {
        PropagationPath path(config);
        const auto first = static_cast<int64_t>(config.delay_samples) + 100;
        for (const double gain : {-4.0, 3.0, 3.0, -60.0})
            for (const double offset : {1234.0, 0.0, -9000.0}) {
                if (gain != path.config().gain_db) path.set_gain_db(gain);
                if (offset != path.config().carrier_offset_hz) path.set_carrier_offset_hz(offset);
                config.gain_db = gain;
                config.carrier_offset_hz = offset;
                PropagationPath fresh(config);
                ASSERT_EQ(run(path, first, 300, {0, x}), run(fresh, first, 300, {0, x})) << gain << ' ' << offset;
            }
    }
}

// Every sample of an impulse's response is within rx_affected() and needs the samples of tx_first_needed() and
// tx_end_needed(), for all delays and profiles.
TEST(PropagationPath, ReachesAreThoseOfAnImpulse) {
    const Complex impulse = 1;
    for (const auto& config : path_configs()) {
        PropagationPath path(config);
        constexpr int64_t kSent = 10'000, kAround = 300;
        const auto [low, high] = path.rx_affected(kSent, kSent + 1);
        // Silence that is not marked as silent is not cut off.
        Samples padded(2 * kAround + 1);
        padded[kAround] = impulse;
        const int64_t from = low - 400;
        const auto count = static_cast<size_t>(high - low + 800);
        const Samples whole = run(path, from, count, {kSent - kAround, padded});
        EXPECT_EQ(whole, run(path, from, count, {kSent, {&impulse, 1}}))
            << config.delay_samples << ' ' << config.profile.spread_s();
        double power = 0;
        for (size_t i = 0; i < whole.size(); ++i) {
            const int64_t n = from + static_cast<int64_t>(i);
            power += static_cast<double>(std::norm(whole[i]));
            if (whole[i] == Complex{}) continue;
            EXPECT_GE(n, low);
            EXPECT_LT(n, high);
            EXPECT_LE(path.tx_first_needed(n), kSent) << n;
            EXPECT_GT(path.tx_end_needed(n + 1), kSent) << n;
        }
        EXPECT_GT(power, 1e-4);
    }
}

}  // namespace
}  // namespace wimax::channel
