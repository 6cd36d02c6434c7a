// SPDX-License-Identifier: GPL-3.0-or-later
// Running receivers allocate no memory: counts operator new while frames and bursts are received.
#include "phy/base/test_counting_new.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace {

struct Counter : DownlinkListener {
    int frames = 0, good_bursts = 0;
    SampleFlow on_frame(const FrameSync&) override {
        ++frames;
        return SampleFlow::go_on;
    }
    SampleFlow on_burst(const FrameSync&, ReceivedBurst& burst) override {
        good_bursts += burst.fec_ok;
        return SampleFlow::go_on;
    }
    void on_sync_lost(int64_t) override {}
};

TEST(ReceiverAllocations, NoneInTheDownlink) {
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    Samples stream;
    for (uint8_t i = 0; i < 4; ++i) {
        const FramePlan plan{{{1, 5, false, 1}, {6, 20, true, 7}}, i, 3};
        const auto frame = plan.modulate(modulator);
        stream.insert(stream.end(), frame.begin(), frame.end());
        stream.resize(static_cast<size_t>(i + 1) * 28800);
    }
    DownlinkReceiver receiver({});
    Counter counter;
    EXPECT_EQ(allocations_of([&] { receiver.process(stream, 0, counter); }), 0U);
    EXPECT_EQ(counter.frames, 4);
    EXPECT_EQ(counter.good_bursts, 8);
}

TEST(ReceiverAllocations, NoneInAnStcZone) {
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    FramePrefix prefix;
    prefix.entries[0] = {6, false, 4};
    prefix.entries[1] = stc_zone_entry(7);
    prefix.entry_count = 2;
    DownlinkBurst first;
    first.format.rate_id = 6;
    first.format.data_symbols = 4;
    first.first = true;
    Samples stream(28800), second(28800);
    Modulator modulator(num);
    ASSERT_TRUE(modulator.downlink(prefix, {&first, 1}, stream));
    StcZone zone{7, prefix, {}};
    zone.prefix.entry_count = 1;
    first.format.stc = true;
    first.start_symbol = 7 + kStcFirstBurstSymbol;
    zone.bursts = {&first, 1};
    StcModulator stc(num);
    tl::expected<size_t, ModulatorFault> sent = 0;
    EXPECT_EQ(allocations_of([&] {
                  sent = stc.zone(zone, std::span(stream).subspan(7 * 288), std::span(second).subspan(7 * 288));
              }),
              0U);
    ASSERT_TRUE(sent);
    for (size_t i = 0; i < stream.size(); ++i) stream[i] += second[i];
    DownlinkReceiver receiver({});
    Counter counter;
    EXPECT_EQ(allocations_of([&] { receiver.process(stream, 0, counter); }), 0U);
    EXPECT_EQ(counter.good_bursts, 2);
}

TEST(ReceiverAllocations, NoneInTheUplinkOnceTheResultHasRoom) {
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(num);
    UplinkReceiver receiver(num);
    ReceivedBurst result;
    for (const uint8_t subchannels : {uint8_t{kFullSubchannel}, uint8_t{6}, uint8_t{24}}) {
        const BurstFormat format{4, 7, 1, 9, Preamble::short_, 30, 1, subchannels};
        const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 1);
        Samples burst(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        ASSERT_EQ(modulator.uplink({format, payload}, burst), burst.size());
        receiver.receive(burst, 0, {format, 0, 0, 0}, result);
        EXPECT_EQ(allocations_of([&] {
                      receiver.receive(burst, 0, {format, 0, 0, 0}, result);
                      receiver.receive(burst, 0, {format, 0, 100, 0}, result);  // searched
                  }),
                  0U)
            << int{subchannels};
        EXPECT_TRUE(result.fec_ok) << int{subchannels};
    }
}

}  // namespace
}  // namespace gr::wimax::phy::test
