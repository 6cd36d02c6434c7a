// SPDX-License-Identifier: GPL-3.0-or-later
// Second use of the downlink's receiver, and the loss of its base station.
#include "phy/frame/test_second_life.h"

namespace gr::wimax::phy::test {
namespace {

/// Frames of 2.5 ms; some are silent, some have a prefix that cannot be read.
struct Frames {
    enum class Kind : uint8_t { good, silent, bad_prefix, zone };
    Samples samples;
    size_t frame_samples = static_cast<size_t>(a_numerology().frame_samples(0));
    FramePlan plan{{{1, 2, false, 1}, {4, 6, false, 5}, {6, 5, true, 7}}, 0, 3};
    Modulator modulator{a_numerology()};
    StcModulator stc{a_numerology()};

    void add(int count, Kind kind = Kind::good) {
        for (int i = 0; i < count; ++i) {
            const size_t begin = samples.size();
            samples.resize(begin + frame_samples);
            auto frame = kind == Kind::silent ? Samples() : kind == Kind::zone ? with_zone() : plan.modulate(modulator);
            if (kind == Kind::bad_prefix)
                std::fill_n(frame.begin() + 2 * a_numerology().symbol_samples(), a_numerology().symbol_samples(),
                            Complex{});
            std::copy(frame.begin(), frame.end(), samples.begin() + static_cast<ptrdiff_t>(begin));
            plan.frame_lsb = (plan.frame_lsb + 1) & 15;
        }
    }
    /// Both antennas' signals, each through its channel.
    Samples with_zone() {
        const size_t symbol = static_cast<size_t>(a_numerology().symbol_samples());
        FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = plan.frame_lsb;
        prefix.entries[0] = {1, false, 3};
        prefix.entries[1] = stc_zone_entry(8);
        prefix.entry_count = 2;
        const auto payload = random_bytes(60, plan.frame_lsb);
        DownlinkBurst plain{{1, 0, 5, plan.frame_lsb, Preamble::none, 3}, 3, true, payload};
        BurstFormat format{3, 0, 5, plan.frame_lsb, Preamble::none, 4};
        format.stc = true;
        const DownlinkBurst coded{format, 11, true, payload};
        FramePrefix own = prefix;
        own.entries[0] = {3, false, 4};
        own.entry_count = 1;
        Samples first(15 * symbol), second(15 * symbol);
        EXPECT_TRUE(modulator.downlink(prefix, {&plain, 1}, first));
        EXPECT_TRUE(stc.zone({8, own, {&coded, 1}}, std::span(first).subspan(8 * symbol),
                             std::span(second).subspan(8 * symbol)));
        for (size_t n = 0; n < first.size(); ++n) first[n] += Complex(0.3F, 0.8F) * second[n];
        return first;
    }
    Samples received(const Disturbance& disturbance, const Channel& channel, uint64_t seed) const {
        auto out = pass(samples, channel, kSampleRate, samples.size() + 400, seed);
        disturb(out, disturbance, seed);
        return out;
    }
};

struct TranscribingListener : DownlinkListener, SymbolObserver {
    explicit TranscribingListener(DownlinkReceiver& r) : receiver(r) { receiver.set_observer(this); }
    ~TranscribingListener() override { receiver.set_observer(nullptr); }
    SampleFlow on_frame(const FrameSync& sync) override {
        transcript.add(sync), transcript.add(receiver.front_end());
        return SampleFlow::go_on;
    }
    SampleFlow on_burst(const FrameSync& sync, ReceivedBurst& burst) override {
        transcript.add(sync), transcript.add(burst), transcript.add(receiver.front_end());
        if (burst.index == 3) {  // requested late: from the state after the frame prefix
            DownlinkReceiver::Expected again{{4, 5, 5, sync.prefix.frame_lsb, Preamble::none, 6}, 5, 9};
            receiver.expect({&again, 1});
        }
        return SampleFlow::go_on;
    }
    SampleFlow on_stc_zone(const FrameSync& sync, const StcZoneSync& zone) override {
        transcript.add(sync), transcript.add(zone);
        return SampleFlow::go_on;
    }
    void on_sync_lost(int64_t sample) override {
        transcript.add("lost", sample);
        if (at_loss) at_loss(sample);
    }
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen); }

    DownlinkReceiver& receiver;
    Transcript transcript;
    std::function<void(int64_t)> at_loss;
};

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
