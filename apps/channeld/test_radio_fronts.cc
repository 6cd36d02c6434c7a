// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of radios on their receivers and ports, and the channel's models of their fronts.
#include <functional>
#include <limits>

#include "channeld/test_wires.h"

namespace wimax::channeld {
namespace {

class Fronts : public SchedulerTest {
protected:
    Fronts() {
        config.links[0].snr_db.reset();
        config.links[0].path_loss_db = 70;
    }
    /// The given number of chunks, in which the base station sends, with additional settings.
    void run_with(int chunks, float amplitude, const std::function<void(vrf::TxHeader&, vrf::TxHeader&)>& change) {
        for (int i = 0; i < chunks; ++i, next += kChunk) {
            transmit(bs, next, amplitude);
            transmit(ss, next, 0);
            change(bs.sent.back().header, ss.sent.back().header);
            serve(2);
        }
    }
};

TEST_F(Fronts, ANoiseFigureOfTheRadiosOwn) {
    start();
    run_with(40, 0, [](auto&, auto& h) { h.noise_figure_db = 17; });
    EXPECT_NEAR(dbm(ss), kNoiseDbm + 12, kToleranceDb);
    EXPECT_NEAR(dbm(bs), kNoiseDbm, kToleranceDb);
    EXPECT_DOUBLE_EQ(status()["radios"]["ss1"]["noise_figure_db"].get<double>(), 17);
    EXPECT_DOUBLE_EQ(status()["radios"]["bs"]["noise_figure_db"].get<double>(), 5);
}

TEST_F(Fronts, PortsWithoutACableHearLess) {
    start();
    run_with(10, 1, [](auto&, auto& h) { h.rx_port_loss_db = 20; });
    EXPECT_NEAR(dbm(ss), 30 - 70 - 20, kToleranceDb);
    ss.received.clear();
    run_with(10, 1, [](auto& h, auto&) { h.tx_port_loss_db = 30; });
    EXPECT_NEAR(dbm(ss), 30 - 70 - 30, kToleranceDb);
}

TEST_F(Fronts, ImpossibleOnesAreRefused) {
    start();
    run(1, 1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    uint64_t lost = 0;
    for (const std::function<void(vrf::TxHeader&)>& change : std::vector<std::function<void(vrf::TxHeader&)>>{
             [](auto& h) { h.noise_figure_db = -2; }, [](auto& h) { h.noise_figure_db = 81; },
             [=](auto& h) { h.noise_figure_db = nan; }, [](auto& h) { h.tx_port_loss_db = -1; },
             [](auto& h) { h.rx_port_loss_db = 201; }}) {
        transmit(bs, next, 1);
        change(bs.sent.back().header);
        scheduler->collect();
        EXPECT_EQ(station("bs").counters.lost_tx_chunks, ++lost);
    }
}

TEST_F(Fronts, RadiosLearnTheSeed) {
    config.seed = 77;
    start();
    EXPECT_EQ(bs.welcome.seed, 77U);
}

TEST_F(Fronts, OfReceiversThatHaveNone) {
    config.defaults.receiver.dc_dbc = -20;
    start();
    run(10, 0);
    EXPECT_NEAR(dbm(ss), -10 - 40 - 20, kToleranceDb);  // full scale at -10 dBm, 40 dB of gain
    EXPECT_NEAR(dbm(bs), -10 - 40 - 20, kToleranceDb);
}

TEST_F(Fronts, OfTransmittersThatHaveNone) {
    config.radios.emplace_back().name = "bs";
    config.radios[0].transmitter.bits = 8;
    config.radios[0].transmitter.full_scale_db = -6;
    start();
    run(10, 1);  // clipped to half of it, except for a step
    EXPECT_NEAR(dbm(ss), 30 - 70 - 6.02 - 0.07, kToleranceDb);
    EXPECT_EQ(status()["radios"]["bs"]["tx_clipped"].get<uint64_t>(), 10 * kChunk);
    EXPECT_EQ(status()["radios"]["bs"]["rx_clipped"].get<uint64_t>(), 0U);
}

TEST_F(Fronts, AreKeysOfTheConfiguration) {
    ChannelConfig read;
    auto schema = schema_of(read);
    const auto faults = schema.load(
        "defaults: { receiver: { phase_noise_mask: \"1e3:-85,1e5:-95\" } }\n"
        "radios: [{ name: bs, transmitter: { dc_dbc: -30, image_dbc: -35 } }, { name: ss, clock_ppm: 1 }]\n",
        "channel.yml");
    ASSERT_TRUE(faults.empty()) << faults.lines().front();
    EXPECT_EQ(radio_config(read, "bs").transmitter.dc_dbc, -30);
    EXPECT_EQ(radio_config(read, "bs").receiver.phase_noise_mask.size(), 2U);
    EXPECT_TRUE(radio_config(read, "ss").transmitter.ideal());
    ChannelConfig wrong;
    auto other = schema_of(wrong);
    const auto said =
        other.load("radios:\n- name: bs\n  receiver: { image_dbc: -30, iq_gain_db: 1 }\n", "c.yml").lines();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("receiver.image_dbc"), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("c.yml:3"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace wimax::channeld
