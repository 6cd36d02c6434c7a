// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: the front end on a mock USRP, opened with the settings of the test.
#pragma once

#include "radio/resampler.h"
#include "radio/test_mock_usrp.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gr::wimax::test {

using Async = uhd::async_metadata_t;

constexpr int64_t kRate = 5'760'000, kDeviceRate = 6'250'000;  // channel rate; a clock of 100 MHz divided by 16

inline Samples ramp(size_t n, float from = 1) {
    Samples x(n);
    for (size_t i = 0; i < n; ++i) x[i] = {from + static_cast<float>(i), -from - static_cast<float>(i)};
    return x;
}
inline Samples tone(size_t n, double hz, double rate, int64_t from = 0) {
    Samples x(n);
    for (size_t i = 0; i < n; ++i)
        x[i] = std::complex<float>(
            std::polar(1.0, 2 * std::numbers::pi * hz / rate * static_cast<double>(from + static_cast<int64_t>(i))));
    return x;
}

class Frontend : public testing::Test {
protected:
    void SetUp() override {
        config.device_args = "type=mock";
        config.lock_timeout_s = 0;
        config.headroom_db = 0;
        config.limits = any_transmission();
        config.burst_edge_samples = 0;
    }
    void open(const MockSettings& settings = {}) {
        MockUsrp::next = settings;
        radio = RadioFrontend::open(config);
        device = MockUsrp::latest.lock();
        ASSERT_TRUE(device);
    }
    void TearDown() override {
        radio.reset();
        device.reset();
    }
    static MockSettings resampled() {
        MockSettings s;
        s.clock_hz = 100e6;
        return s;
    }
    void receives(int64_t tick, size_t n) { device->rx->packets.push_back({tick, Samples(n, {1, 0}), {}}); }
    RadioFrontend::Received receive(size_t room = 100'000) {
        buffer.resize(room);
        return radio->receive(buffer, 0.1);
    }
    bool transmit(int64_t start, const TransmitPiece& piece) {
        const auto sent = radio->transmit(start, piece);
        piece_fault = sent ? PieceFault{} : sent.error();
        return sent.has_value();
    }
    int64_t tick_of(const MockTx::Call& call) const { return call.md.time_spec.to_ticks(device->rx->rate); }

    /// Zeros before and after a burst, at the device's rate, so that nothing stays in its filters.
    void expect_zeros(bool exact, size_t before, size_t after) {
        SCOPED_TRACE(exact);
        TearDown();
        open(exact ? MockSettings{} : resampled());
        const auto x = ramp(576);
        EXPECT_TRUE(transmit(10'000, x));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        const auto call = device->tx->calls().at(0);
        Samples body = x;
        int64_t tick = 10'000;
        if (!exact) tick = TransmitResampler(RatePlan{kRate, kDeviceRate, 625, 576}).convert(10'000, x, body);
        EXPECT_EQ(tick_of(call), tick - static_cast<int64_t>(before));
        Samples expected(before);
        expected.insert(expected.end(), body.begin(), body.end());
        expected.resize(expected.size() + after);
        EXPECT_EQ(call.samples, expected);
    }

    RadioConfig config;
    std::shared_ptr<RadioFrontend> radio;
    std::shared_ptr<MockUsrp> device;
    Samples buffer;
    PieceFault piece_fault;  ///< of the last piece
};

}  // namespace gr::wimax::test
