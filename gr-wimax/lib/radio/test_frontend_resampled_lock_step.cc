// SPDX-License-Identifier: GPL-3.0-or-later
// Lock-step through the resampler: promises count the device's ticks, no promise is broken, and time continues.
#include "radio/test_frontend.h"

#include <algorithm>
#include <limits>
#include <string>

namespace gr::wimax::test {
namespace {

struct RadioRates {
    double clock_hz;  // of the device; its rates are integer fractions of it
    int64_t rate_hz;  // of the channel
    int chunk;
    double device_rate_hz = 0;
};

class ResampledLockStep : public Frontend, public testing::WithParamInterface<RadioRates> {
protected:
    void SetUp() override {
        Frontend::SetUp();
        config.burst_edge_samples = kEdge;
        config.sample_rate_hz = static_cast<double>(GetParam().rate_hz);
        config.device_rate_hz = GetParam().device_rate_hz;
        begin();
    }
    void begin() {
        TearDown();  // else the same device is opened again
        MockSettings s;
        s.clock_hz = GetParam().clock_hz;
        s.chunk = GetParam().chunk;
        open(s);
        ASSERT_NE(radio->describe().find("resampled"), std::string::npos);
    }
    double ratio() const { return device->rx->rate / static_cast<double>(GetParam().rate_hz); }
    int64_t promised() const { return device->commits.empty() ? INT64_MIN : device->commits.back().first; }

    static constexpr int kEdge = 32, kRinging = 4;
};

/// Filters look at samples beyond those that the caller looks at.
TEST_P(ResampledLockStep, NothingIsOmitted) {
    radio->skip_received(1'000'000, 9'000'000);
    EXPECT_TRUE(device->unused.empty());
}

/// A chunk is delivered when all of it is promised. A response ahead of a received sample by the radio's lead promises
/// enough for the next chunk, and no more than needed.
TEST_P(ResampledLockStep, TimeGoesOn) {
    const int64_t first = 1'000'003, chunk = GetParam().chunk;
    int64_t spare = std::numeric_limits<int64_t>::max();
    for (int64_t k = 0; k < 100; ++k) {
        receives(first + k * chunk, static_cast<size_t>(chunk));
        while (receive().samples > 0) {
        }
        radio->commit(radio->now() + radio->chunk_samples());
        const int64_t left = promised() - (first + (k + 2) * chunk);
        ASSERT_GE(left, 0) << "chunk " << k;
        spare = std::min(spare, left);
    }
    EXPECT_LE(spare, 2 * ratio());
}

/// A burst that begins at a promised sample or later is sent no earlier than promised, with its whole ringing.
TEST_P(ResampledLockStep, PromisesHold) {
    constexpr size_t kLength = 40;
    for (int64_t i = 0; i < 3; ++i) {
        begin();
        const int64_t start = 1'000'000 + i * 1001;
        radio->commit(start);
        ASSERT_TRUE(transmit(start, Samples(kLength, {1, 0})));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        const auto call = device->tx->calls().at(0);
        ASSERT_EQ(tick_of(call), promised());
        ASSERT_NEAR(static_cast<double>(call.samples.size()), ratio() * (kLength + 2 * kRinging) + kEdge, 1.5) << i;
    }
}

TEST_P(ResampledLockStep, APieceIsPromisedWithItsBurst) {
    device->tx->take(0);
    ASSERT_TRUE(transmit(2000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_a_call());
    radio->commit(3000);
    EXPECT_TRUE(device->commits.empty());
    device->tx->take(SIZE_MAX);
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    radio.reset();  // joins the sender
    ASSERT_EQ(device->commits.size(), 1u);
    EXPECT_EQ(device->commits[0].second, 1u);
    EXPECT_EQ(device->commits[0].first, static_cast<int64_t>(std::ceil((3000 - kRinging) * ratio())));
}

std::string name_of(const testing::TestParamInfo<RadioRates>& info) {
    return std::to_string(info.param.rate_hz) + "_clock_" + std::to_string(static_cast<int64_t>(info.param.clock_hz)) +
           "_chunk_" + std::to_string(info.param.chunk);
}
INSTANTIATE_TEST_SUITE_P(Models, ResampledLockStep,
                         testing::Values(RadioRates{100e6, 5'760'000, 3125}, RadioRates{122.88e6, 5'760'000, 3072},
                                         RadioRates{200e6, 8'000'000, 5000},
                                         RadioRates{100e6, 4'000'000, 2500, 12.5e6}),
                         name_of);

}  // namespace
}  // namespace gr::wimax::test
