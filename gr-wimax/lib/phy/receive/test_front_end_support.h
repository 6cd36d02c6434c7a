// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts between front ends with DC offsets, images and leaking carriers.
#pragma once

#include "phy/base/decibels.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {

/// Levels over the signal in dB; -200: none.
struct FrontEnds {
    double dc_dbc = -200, image_dbc = -200;           // receiver
    double leak_dbc = -200, sender_image_dbc = -200;  // sender
};

inline Complex of_level(double db, double phase) { return Complex(std::polar(amplitude_of_db(db), phase)); }

inline void add(Samples& samples, double image_db, double dc_db, double phase) {
    const Complex image = of_level(image_db, phase), dc = of_level(dc_db, 1 - phase);
    for (auto& x : samples) x += image * std::conj(x) + dc;
}

/// Phase noise of the given number of degrees, white below `bandwidth_hz`.
inline void add_phase_noise(Samples& samples, double degrees, double bandwidth_hz, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, degrees * std::numbers::pi / 180);
    const double keep = std::exp(-2 * std::numbers::pi * bandwidth_hz / 5.76e6), fresh = std::sqrt(1 - keep * keep);
    double phase = normal(random);
    for (auto& x : samples) {
        phase = keep * phase + fresh * normal(random);
        x *= Complex(static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase)));
    }
}

/// A converter of `bits` whose full scale is this far above the rms of a signal of 0 dBFS.
inline void convert(Samples& samples, int bits, double head_room_db) {
    const auto full = static_cast<float>(amplitude_of_db(head_room_db) / std::numbers::sqrt2);
    const float step = full / static_cast<float>(1 << (bits - 1));
    const auto value = [&](float x) { return std::clamp(std::round(x / step) * step, -full, full - step); };
    for (auto& x : samples) x = {value(x.real()), value(x.imag())};
}

/// Uplink bursts of 64-QAM 3/4 from one sender to one receiver.
struct Link {
    FrontEnds ends;
    double snr_db = 35, frequency_hz = 0;
    BurstFormat format{6, 7, 1, 9, Preamble::short_, 30};
    double start_fraction = 0.3;
    std::vector<Path> paths{{0, 1}, {5.3, {0.3F, -0.2F}}};
    Numerology num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator{num};
    std::vector<uint8_t> payload{};

    static constexpr int64_t kStart = 400;

    Samples on_air(uint64_t seed) {
        payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
        Samples sent(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        EXPECT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        if (ends.sender_image_dbc > -150 || ends.leak_dbc > -150) add(sent, ends.sender_image_dbc, ends.leak_dbc, 0.4);
        Channel channel;
        channel.snr_db = snr_db;
        channel.delay_samples = kStart + start_fraction;
        channel.frequency_hz = frequency_hz;
        channel.paths = paths;
        auto samples = pass(sent, channel, 5.76e6, sent.size() + 1000, seed);
        if (ends.image_dbc > -150 || ends.dc_dbc > -150) add(samples, ends.image_dbc, ends.dc_dbc, 2.2);
        return samples;
    }
    ReceivedBurst receive(UplinkReceiver& receiver, const Samples& samples) const {
        ReceivedBurst burst;
        receiver.receive(samples, 0, {format, kStart, 0, 1}, burst);
        return burst;
    }
};

}  // namespace gr::wimax::phy::test
