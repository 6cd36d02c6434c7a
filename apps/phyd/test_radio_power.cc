// SPDX-License-Identifier: GPL-3.0-or-later
// Power over more than fifty decibels at a receiver: gain and samples of each model's transmitter together.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <ostream>

#include "phyd/test_radio_models.h"

namespace wimax::test {
namespace {

constexpr double kRangeDb = 12, kLowestDb = -55, kStepDb = 2.3;
constexpr int kPiecesEach = 18;  // more than the plan waits for
constexpr size_t kPiece = 1000;
constexpr double kTone = 0.1 * std::numbers::pi;  // a sample
constexpr int64_t kEach = 6250;                   // a millisecond

struct Model {
    const char* name;
    double highest_gain_db;
};
void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class RadioPower : public RadioModels, public testing::WithParamInterface<Model> {
protected:
    void open_with_plan() {
        start_channel(6.25e6);
        adjust = [](const std::string& name, RadioConfig& c) {
            c.rx_gain_db = 0;
            if (name == "ss") {
                c.device_args.replace(c.device_args.rfind('=') + 1, std::string::npos, "ideal");
                c.tx_gain_db = 0;
                return;
            }
            c.digital_range_db = kRangeDb;
            c.tx_gain_db = GetParam().highest_gain_db;
            c.headroom_db = 10;
        };
        open(GetParam().name);
        ss->start();
        ss->commit(kPromised);
    }
    /// Sends a tone at a level and returns its received level in dB, without constants and images.
    double send(double level_db) {
        at_ += kEach;
        Samples piece(kPiece);
        const double amplitude = std::pow(10, level_db / 20);
        for (size_t i = 0; i < kPiece; ++i)
            piece[i] = std::complex<float>(std::polar(amplitude, kTone * static_cast<double>(i)));
        gr::wimax::TransmitPiece to_send(piece);
        to_send.level_dbfs = level_db;
        EXPECT_TRUE(bs->transmit(at_, to_send));
        bs->commit(at_ + kEach * 4 / 5);
        const int64_t from = at_ + 200, to = at_ + static_cast<int64_t>(kPiece) - 100;
        std::complex<double> sum;
        packet_.resize(100'000);
        for (int64_t seen = 0; seen < to;) {
            const auto r = ss->receive(packet_, 10);
            if (r.timed_out || r.samples == 0) return -1000;
            seen = r.first_sample + static_cast<int64_t>(r.samples);
            for (int64_t t = std::max(from, r.first_sample); t < std::min(to, seen); ++t)
                sum += std::complex<double>(packet_[static_cast<size_t>(t - r.first_sample)]) *
                       std::polar(1.0, -kTone * static_cast<double>(t));
        }
        return 20 * std::log10(std::abs(sum) / static_cast<double>(to - from));
    }

private:
    Samples packet_;
    int64_t at_ = 400'000;  // after the start of reception
};

TEST_P(RadioPower, FollowsOverMoreThanFiftyDecibels) {
    open_with_plan();
    const double full = send(0);
    double worst = 0;
    for (double level = 0; level >= kLowestDb; level -= kStepDb)
        for (int i = 0; i < kPiecesEach; ++i) worst = std::max(worst, std::abs(send(level) - full - level));
    EXPECT_LT(worst, 0.1);
    EXPECT_LE(bs->gains_now().tx_db, bs->tx_gain_db() - 30);
    for (const double level : {0.0, -40.0, -3.0, -50.0}) {
        send(level);  // far below the ones before the first has but a few steps of the converter
        EXPECT_NEAR(send(level) - full, level, 0.1);
    }
    EXPECT_EQ(bs->counters().late + bs->counters().underflows, 0u);
    EXPECT_EQ(bs->tx_gain_db(), GetParam().highest_gain_db);
}
INSTANTIATE_TEST_SUITE_P(All, RadioPower,
                         testing::Values(Model{"b210", 89.75}, Model{"n210-sbx", 31.5}, Model{"x310-ubx", 31.5},
                                         Model{"n310", 65}));

}  // namespace
}  // namespace wimax::test
