// SPDX-License-Identifier: GPL-3.0-or-later
// Second use of the downlink's receiver, and the loss of its base station.
#include "phy/frame/test_second_life.h"

namespace gr::wimax::phy::test {
namespace {

Transcript receive(DownlinkReceiver& receiver, const Samples& samples, size_t from, size_t to,
                   const std::function<void(int64_t)>& at_loss = {}) {
    TranscribingListener listener(receiver);
    listener.at_loss = at_loss;
    receiver.process(std::span(samples).subspan(from, to - from), static_cast<int64_t>(from), listener);
    listener.transcript.add("synchronised", receiver.synchronised());
    listener.transcript.add(receiver.front_end());
    return listener.transcript;
}

using Kind = Frames::Kind;

/// Frames with events that a receiver may count: missing preambles and unreadable prefixes, one fewer in a row than
/// needed to lose synchronisation.
Samples second_frames(int bad_prefixes) {
    Frames frames;
    frames.add(3);
    frames.add(4, Kind::silent);
    frames.add(2, Kind::zone);
    frames.add(bad_prefixes, Kind::bad_prefix);
    frames.add(2);
    Channel channel;
    channel.snr_db = 24;
    channel.frequency_hz = 3e3;
    channel.clock_ppm = 4;
    channel.delay_samples = 77.4;
    channel.paths = {{0, 0.9F}, {6.2, {0.1F, 0.3F}}};
    return frames.received({}, channel, 11);
}

TEST(SecondLife, ADownlinkReceiverThatWasResetIsAFreshOne) {
    const auto second = second_frames(15);
    DownlinkReceiver fresh({});
    const auto expected = receive(fresh, second, 0, second.size());
    EXPECT_TRUE(fresh.synchronised());
    for (const auto& disturbance : disturbances()) {
        Frames frames;
        frames.add(5);
        frames.add(3, Kind::bad_prefix);
        frames.add(1, Kind::zone);
        frames.add(6);
        Channel channel;
        channel.frequency_hz = -9e3;
        channel.clock_ppm = -15;
        channel.delay_samples = 900;
        channel.snr_db = 30;
        const auto first = frames.received(disturbance, channel, 5);
        // Ends within a burst, a prefix, a zone, a preamble, a gap.
        for (const size_t end : {size_t{40'000}, size_t{73'800}, size_t{116'900}, size_t{187'700}, first.size()}) {
            DownlinkReceiver receiver({});
            receive(receiver, first, 0, end);
            receiver.reset();
            expect_no_front_end(receiver);
            ASSERT_EQ(receive(receiver, second, 0, second.size()).difference(expected), "")
                << "noise " << disturbance.noise << ", left at " << end;
        }
    }
}

TEST(SecondLife, ADownlinkReceiverThatLostItsBaseStationIsAFreshOne) {
    // If it loses the base station, for lack of preambles or of prefixes, only the state of the front end remains.
    for (const Kind cause : {Kind::silent, Kind::bad_prefix})
        for (const auto& disturbance : disturbances()) {
            if (disturbance.noise > 0.5 || disturbance.tone == 0) continue;  // kinds that leave least and most state
            Frames frames;
            frames.add(6);
            frames.add(18, cause);
            frames.add(2, Kind::silent);
            Channel channel;
            channel.frequency_hz = -9e3;
            channel.delay_samples = 900;
            channel.snr_db = 33;
            auto samples = frames.received(disturbance, channel, 5);
            const size_t begin_second = samples.size();
            const auto second = second_frames(15);
            samples.insert(samples.end(), second.begin(), second.end());
            DownlinkReceiver receiver({});
            int64_t lost = -1;
            // The rest of the first use is silence for both, and the front end is unknown.
            receive(receiver, samples, 0, begin_second, [&](int64_t sample) { lost = lost < 0 ? sample : lost; });
            ASSERT_GE(lost, 0) << static_cast<int>(cause);
            receiver.forget_front_end();
            DownlinkReceiver fresh({});
            // A fresh one that has searched the same end of the first use.
            receive(fresh, samples, static_cast<size_t>(lost), begin_second);
            fresh.forget_front_end();
            ASSERT_EQ(receive(receiver, samples, begin_second, samples.size())
                          .difference(receive(fresh, samples, begin_second, samples.size())),
                      "")
                << static_cast<int>(cause) << ' ' << disturbance.noise << ' ' << disturbance.fading_hz;
        }
}

TEST(SecondLife, AfterAGapOnlyTheFrontEndStays) {
    const auto second = second_frames(15);
    for (const auto& disturbance : disturbances()) {
        Frames frames;
        frames.add(7);
        const auto first = frames.received(disturbance, Channel{.snr_db = 30, .delay_samples = 900}, 5);
        DownlinkReceiver receiver({}), fresh({});
        receive(receiver, first, 0, 80'000);
        receiver.forget_front_end();
        expect_no_front_end(receiver);
        // The first sample is not consecutive: the loss is reported, and nothing else differs.
        const auto shifted = [&](DownlinkReceiver& r) {
            TranscribingListener listener(r);
            r.process({}, 1'000'000, listener);
            listener.transcript = {};
            r.process(second, 1'000'000, listener);
            return listener.transcript;
        };
        ASSERT_EQ(shifted(receiver).difference(shifted(fresh)), "") << disturbance.noise;
    }
}

// --- events that lose synchronisation or do not ----------------------------------------------------------------------

/// Losses of synchronisation in frames of these kinds, the first of which are good.
size_t losses(std::initializer_list<std::pair<int, Kind>> runs) {
    Frames frames;
    frames.add(3);
    for (const auto& [count, kind] : runs) frames.add(count, kind);
    Recorder recorder;
    DownlinkReceiver receiver({});
    receiver.process(frames.received({}, Channel{.snr_db = 25, .delay_samples = 100}, 3), 0, recorder);
    return recorder.losses.size();
}

TEST(LossOfSynchronisation, FiveMissingPreamblesInARowAndNotFiveInAll) {
    using enum Frames::Kind;
    EXPECT_EQ(losses({{4, silent}, {1, good}, {4, silent}, {1, good}, {4, silent}, {1, good}}), 0U);
    EXPECT_EQ(losses({{4, silent}, {1, bad_prefix}, {4, silent}, {1, good}}), 0U);
    EXPECT_EQ(losses({{5, silent}, {2, good}}), 1U);
    EXPECT_EQ(losses({{5, silent}, {2, good}, {4, silent}, {2, good}}), 1U);
    EXPECT_EQ(losses({{5, silent}, {3, good}, {4, silent}, {2, good}, {5, silent}, {3, good}}), 2U);
}

TEST(LossOfSynchronisation, SixteenBadPrefixesInARowAndNotSixteenInAll) {
    using enum Frames::Kind;
    EXPECT_EQ(losses({{15, bad_prefix}, {1, good}, {15, bad_prefix}, {1, good}, {15, bad_prefix}, {1, good}}), 0U);
    EXPECT_EQ(losses({{8, bad_prefix}, {2, silent}, {7, bad_prefix}, {1, good}}), 0U);
    EXPECT_EQ(losses({{8, bad_prefix}, {2, silent}, {8, bad_prefix}, {1, good}}), 1U);
    EXPECT_EQ(losses({{16, bad_prefix}, {3, good}, {15, bad_prefix}, {1, good}}), 1U);
}

}  // namespace
}  // namespace gr::wimax::phy::test
