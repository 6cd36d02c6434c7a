// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP with a carrier for each direction (FDD): frames without a pause are one burst.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

constexpr int64_t kHeld = 115;  // 20 us: the end of a piece that waits for the next one
constexpr size_t kPiece = 2880;

class TwoCarriers : public Frontend {
protected:
    void SetUp() override {
        Frontend::SetUp();
        config.rx_frequency_hz = config.tx_frequency_hz - 100e6;
    }
    /// The newest received sample is the one before `sample`.
    void time_is(int64_t sample) {
        receives(sample - 500, 500);
        receive();
    }
    struct Burst {
        int64_t start = 0;  ///< tick
        Samples samples;
        bool ended = false;
    };
    /// All that the device has got.
    std::vector<Burst> bursts() const {
        std::vector<Burst> all;
        for (const auto& call : device->tx->calls()) {
            if (call.md.start_of_burst) all.push_back({tick_of(call), {}, false});
            if (all.empty()) continue;
            auto& burst = all.back();
            EXPECT_FALSE(burst.ended) << "samples after the end";
            burst.samples.insert(burst.samples.end(), call.samples.begin(), call.samples.end());
            burst.ended = call.md.end_of_burst;
        }
        return all;
    }
    size_t samples_sent() const {
        size_t n = 0;
        for (const auto& burst : bursts()) n += burst.samples.size();
        return n;
    }
    /// Returns when the device has got as many samples; the limit only ends a test that has failed.
    void wait_for_samples(size_t samples) const {
        for (int i = 0; i < 5000 && samples_sent() < samples; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    /// Time passes, so that the open burst ends with this number of samples in all.
    void end_after(int64_t sample, size_t samples, size_t zeros = 0) {
        wait_for_samples(samples - kHeld - zeros);
        time_is(sample);
        wait_for_samples(samples);
    }
};

/// `apart`: samples from the end of a piece to the start of the next; negative: both overlap there.
TEST_F(TwoCarriers, PiecesWithoutAPauseAreOneBurst) {
    for (const int64_t apart : {0, -1, -40, -114, 1, 100, 115}) {
        SCOPED_TRACE(apart);
        TearDown();
        open();
        time_is(5000);
        const Samples x = ramp(kPiece), y = ramp(kPiece, 7), z = ramp(kPiece, 3);
        const int64_t second = 10'000 + static_cast<int64_t>(kPiece) + apart,
                      third = second + static_cast<int64_t>(kPiece) + apart;
        EXPECT_TRUE(transmit(10'000, x));
        EXPECT_TRUE(transmit(second, y));
        EXPECT_TRUE(transmit(third, z));
        Samples sum(static_cast<size_t>(third - 10'000) + kPiece);
        for (const auto& [at, samples] : {std::pair(int64_t{10'000}, &x), {second, &y}, {third, &z}})
            for (size_t i = 0; i < kPiece; ++i) sum[static_cast<size_t>(at - 10'000) + i] += (*samples)[i];
        end_after(third + static_cast<int64_t>(kPiece), sum.size());
        const auto all = bursts();
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].start, 10'000);
        EXPECT_EQ(all[0].samples, sum);
        EXPECT_TRUE(all[0].ended);
        EXPECT_EQ(radio->counters().pieces, 3u);
        EXPECT_EQ(radio->counters().underflows, 0u);
    }
}

/// With edges: zeros before the burst and after it, none within.
TEST_F(TwoCarriers, APauseEndsTheBurst) {
    config.burst_edge_samples = 32;
    open();
    time_is(5000);
    const Samples x = ramp(kPiece), y = ramp(kPiece, 7);
    EXPECT_TRUE(transmit(10'000, x));
    EXPECT_TRUE(transmit(10'000 + kPiece + kHeld + 1, y));
    end_after(17'000, 2 * (kPiece + 64), 32);
    const auto all = bursts();
    ASSERT_EQ(all.size(), 2u);
    for (size_t n = 0; n < 2; ++n) {
        EXPECT_TRUE(all[n].ended);
        ASSERT_EQ(all[n].samples.size(), kPiece + 64);
        EXPECT_EQ(all[n].samples.front(), Samples::value_type());
        EXPECT_EQ(all[n].samples.back(), Samples::value_type());
        EXPECT_TRUE(std::equal(x.begin(), x.end(), n == 0 ? all[n].samples.begin() + 32 : x.begin()));
    }
    EXPECT_EQ(all[1].start, 10'000 + static_cast<int64_t>(kPiece) + kHeld + 1 - 32);
}

/// The end of a piece waits for the next one until half a millisecond before it is due.
TEST_F(TwoCarriers, TheEndOfAPieceWaits) {
    open();
    time_is(5000);
    EXPECT_TRUE(transmit(100'000, ramp(kPiece)));
    wait_for_samples(kPiece - kHeld);
    EXPECT_EQ(samples_sent(), kPiece - kHeld);
    EXPECT_FALSE(bursts().at(0).ended);
    end_after(100'000 + kPiece, kPiece);
    EXPECT_EQ(samples_sent(), kPiece);
    EXPECT_TRUE(bursts().at(0).ended);
}

/// Pieces of a tone at another rate make one tone, without a step where they meet.
TEST_F(TwoCarriers, ResampledPiecesAreContinuous) {
    open(resampled());
    time_is(5000);
    constexpr double kHz = 300e3;
    for (int64_t n = 0; n < 3; ++n)
        EXPECT_TRUE(transmit(10'368 + n * static_cast<int64_t>(kPiece),
                             tone(kPiece, kHz, kRate, n * static_cast<int64_t>(kPiece))));
    wait_for_samples(9000);
    const auto all = bursts();
    ASSERT_EQ(all.size(), 1u);
    const auto& samples = all[0].samples;
    ASSERT_GT(samples.size(), 9000u);
    const auto expected = tone(samples.size(), kHz, kDeviceRate, all[0].start - 10'368 * 625 / 576);
    for (size_t i = 30; i < samples.size(); ++i) ASSERT_NEAR(std::abs(samples[i] - expected[i]), 0, 0.05) << i;
}

/// In lock-step a commit within the samples of the open burst leaves it open; one beyond has it ended first.
TEST_F(TwoCarriers, CommitsBeyondTheOpenBurstEndIt) {
    MockSettings settings;
    settings.chunk = 576;
    open(settings);
    EXPECT_TRUE(transmit(2000, ramp(kPiece)));
    wait_for_samples(kPiece - kHeld);
    const int64_t sent_until = 2000 + static_cast<int64_t>(kPiece) - kHeld;
    radio->commit(sent_until);
    EXPECT_TRUE(transmit(2000 + kPiece, ramp(kPiece)));
    wait_for_samples(2 * kPiece - kHeld);
    EXPECT_EQ(bursts().size(), 1u);
    EXPECT_FALSE(bursts()[0].ended);
    radio->commit(sent_until + static_cast<int64_t>(kPiece) + 1);
    wait_for_samples(2 * kPiece);
    for (int i = 0; i < 2000 && device->commits.size() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    radio.reset();  // joins the sender
    EXPECT_TRUE(bursts()[0].ended);
    EXPECT_EQ(bursts()[0].samples.size(), 2 * kPiece);
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{
                                   {sent_until, 0}, {sent_until + static_cast<int64_t>(kPiece) + 1, 1}}));
}

/// It receives while it transmits: at the antenna that the transmitter does not use, unless another is configured.
TEST_F(TwoCarriers, EachDirectionHasItsAntenna) {
    const std::string of_rx = "/mboards/0/dboards/A/rx_frontends/0/antenna/value";
    open();
    EXPECT_EQ(device->value<std::string>(of_rx), "RX2");
    TearDown();
    config.rx_antenna = "TX/RX";
    open();
    EXPECT_EQ(device->value<std::string>(of_rx), "TX/RX");
    TearDown();
    config.rx_antenna.clear();
    config.rx_frequency_hz = config.tx_frequency_hz;
    open();
    EXPECT_EQ(device->value<std::string>(of_rx), "TX/RX") << "one carrier";
}

}  // namespace
}  // namespace gr::wimax::test
