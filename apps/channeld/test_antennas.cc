// SPDX-License-Identifier: GPL-3.0-or-later
// Radios with two transmit antennas: a path from each, with its own gains and fading.
#include <complex>

#include "channeld/test_wires.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

class AntennasTest : public SchedulerTest {
protected:
    AntennasTest() {
        config.defaults.noise_figure_db = 0;
        config.links[0].snr_db.reset();
        config.links[0].path_loss_db = 0;  // noise is far below
    }
    void begin(uint8_t tx_channels) {
        bs = {}, ss = {}, next = 0;
        bs.hello.tx_channels = tx_channels;
        start();
    }
    /// Sends one chunk with a constant per antenna; returns the mean received signal.
    std::complex<double> hear(std::array<Sample, 2> amplitudes, std::array<float, 2> gains_db = {60, 60}) {
        transmit(bs, next, 1);
        auto& tx = bs.sent.back();
        tx.header.tx_gain_db = gains_db;
        tx.header.sending = 0;
        for (size_t a = 0; a < 2; ++a) {
            if (amplitudes[a] != Sample{}) tx.header.sending |= uint8_t(1U << a);
            std::fill_n(tx.samples.begin() + ptrdiff_t(a * kChunk), kChunk, amplitudes[a]);
        }
        transmit(ss, next, 0);
        serve(2);
        next += kChunk;
        std::complex<double> sum;
        for (size_t i = ss.received.size() - kChunk / 2; i < ss.received.size(); ++i)
            sum += std::complex<double>(ss.received[i]);
        return sum / (kChunk / 2.0) / kFullScale;
    }
    /// 30 dBm sent, 0 dBFS at -10 - 40 dBm.
    const double kFullScale = 1e4;
};

TEST_F(AntennasTest, SignalsAddAndEachHasItsGain) {
    begin(2);
    EXPECT_NEAR(hear({1, 0}).real(), 1, 1e-3);
    EXPECT_NEAR(hear({0, 1}).real(), 1, 1e-3);
    EXPECT_NEAR(hear({1, 1}).real(), 2, 1e-3);
    EXPECT_NEAR(std::abs(hear({1, -1})), 0, 1e-3);
    EXPECT_NEAR(hear({1, 1}, {60, 40}).real(), 1.1, 1e-3);
    EXPECT_NEAR(hear({1, 1}, {40, 60}).real(), 1.1, 1e-3);
    EXPECT_NEAR(std::abs(hear({Sample(1, 0), Sample(0, 1)}) - std::complex<double>(1, 1)), 0, 1e-3);
}

/// A radio with one antenna has no second signal.
TEST_F(AntennasTest, OnlyAntennasOfTheHelloAreHeard) {
    begin(1);
    EXPECT_NEAR(hear({1, 1}).real(), 1, 1e-3);
    EXPECT_NEAR(std::abs(hear({0, 1})), 0, 1e-3);
    EXPECT_EQ(status()["radios"]["bs"]["tx_channels"], 1);
}

TEST_F(AntennasTest, ARadioMayComeBackWithAnother) {
    begin(1);
    hear({1, 0});
    for (const int antennas : {2, 1, 2}) {
        bs.alive = false;
        scheduler->collect();
        bs = {};
        bs.hello.tx_channels = uint8_t(antennas);
        admit(bs, "bs");
        EXPECT_EQ(bs.welcome.first_index, next);
        EXPECT_NEAR(hear({1, 1}).real(), antennas, 1e-3);
        EXPECT_EQ(status()["radios"]["bs"]["tx_channels"], antennas);
    }
}

/// The first antenna's path is bit-identical to that of a radio with one antenna.
TEST_F(AntennasTest, TheFirstIsAsIfItWereAlone) {
    config.links[0].channel = "sui3";
    config.links[0].cfo_hz = 333;
    std::vector<Sample> heard[2];
    for (const uint8_t antennas : {1, 2}) {
        begin(antennas);
        for (int i = 0; i < 20; ++i) hear({1, 0});
        heard[antennas - 1] = ss.received;
    }
    EXPECT_EQ(heard[0], heard[1]);
}

/// One delay profile; the taps of each antenna fade independently, equally in every run.
TEST_F(AntennasTest, FadingIsIndependent) {
    config.links[0].channel = "sui3";
    config.links[0].doppler_hz = 150;
    constexpr int kPairs = 250;
    std::complex<double> product, again;
    double power[2] = {};
    for (int run = 0; run < 2; ++run) {
        begin(2);
        auto& sum = run == 0 ? product : again;
        sum = {};
        power[0] = power[1] = 0;
        for (int i = 0; i < kPairs; ++i) {
            const auto first = hear({1, 0}), second = hear({0, 1});
            sum += first * std::conj(second);
            power[0] += std::norm(first);
            power[1] += std::norm(second);
        }
    }
    EXPECT_EQ(product, again);
    EXPECT_NEAR(power[0] / kPairs, 1, 0.25);
    EXPECT_NEAR(power[1] / kPairs, 1, 0.25);
    const double correlation = std::abs(product) / std::sqrt(power[0] * power[1]);
    RecordProperty("correlation", std::to_string(correlation));
    EXPECT_LT(correlation, 0.5);  // the constant parts, K = 1, stay: half of the power of one tap
}

}  // namespace
