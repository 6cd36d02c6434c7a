/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who comes to the channel when, what it takes of what radios say, and for whom its time waits.
 */
#include <functional>
#include <limits>

#include "channeld/test_wires.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

/// A radio that comes later starts at the present, in its own samples.
TEST_F(SchedulerTest, LaterRadiosStartAtThePresent) {
    start();
    EXPECT_EQ(bs.welcome.first_index, 0);
    EXPECT_EQ(bs.welcome.hold, 0);
    run(10, 0);
    Wire late;
    admit(late, "ss2");
    EXPECT_EQ(late.welcome.first_index, 10 * int64_t{kChunk});
    EXPECT_EQ(late.welcome.chunk_samples, kChunk);
    EXPECT_EQ(late.welcome.rate_hz, 5.76e6);
    EXPECT_EQ(late.welcome.tx_power_dbm, config.defaults.tx_power_dbm);
    EXPECT_EQ(late.welcome.rx_full_scale_dbm, config.defaults.rx_full_scale_dbm);
    late.alive = false;
    scheduler->collect();
}

/// Held time begins with the first chunk of all that are awaited, and at the wall clock's present.
TEST_F(SchedulerTest, HeldUntilAllHaveSent) {
    config.hold = true;
    config.pace = Pace::wall;
    config.wait_for = {"bs", "ss1"};
    start();
    EXPECT_EQ(bs.welcome.hold, 1);
    transmit(bs, 0, 0);
    scheduler->collect();
    EXPECT_EQ(serve_all(), 0);
    pass_ms(5000);
    transmit(ss, 0, 0);
    EXPECT_EQ(serve_all(), 0);
    EXPECT_NEAR(ms_to_wake(), 0.5, 1e-5);
    pass_ms(0.5);
    EXPECT_EQ(serve_all(), 2);
    EXPECT_EQ(scheduler->stretched_s(), 0);
    Wire late;
    admit(late, "ss2");
    EXPECT_EQ(late.welcome.hold, 0);
    late.alive = false;
    scheduler->collect();
}

/// As fast as possible once all that are awaited stream; by the wall clock before.
TEST_F(SchedulerTest, FreeOnceTheAwaitedStream) {
    config.wait_for = {"bs", "ss1"};
    start();
    transmit_silence(6);
    for (auto& tx : ss.sent) tx.header.streaming = tx.header.index >= 3 * int64_t{kChunk};
    EXPECT_EQ(serve_all(), 0);  // by the wall clock it is not yet due
    for (int i = 0; i < 3; ++i) {
        pass_ms(0.5);
        EXPECT_EQ(serve_all(), i < 2 ? 2 : 2 * 4) << i;  // the fourth says that it streams
    }
}

/// Settings that no radio has are not taken; what comes with them is lost.
TEST_F(SchedulerTest, ImpossibleSettingsAreRefused) {
    start();
    run(1, 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::function<void(vrf::TxHeader&)>> wrong{
        [](auto& h) { h.tx_gain_db[0] = 100.5F; }, [](auto& h) { h.tx_gain_db[1] = -100.5F; },
        [](auto& h) { h.rx_gain_db = 100.5F; },    [](auto& h) { h.rx_gain_db = -100.5F; },
        [=](auto& h) { h.tx_frequency_hz = nan; }, [=](auto& h) { h.rx_frequency_hz = nan; },
        [](auto& h) { h.index -= kChunk; },        [](auto& h) { h.index += 5'760'001; },
    };
    uint64_t lost = 0;
    for (const auto& change : wrong) {
        transmit(bs, next, 1);
        change(bs.sent.back().header);
        scheduler->collect();
        EXPECT_EQ(station("bs").counters.lost_tx_chunks, ++lost);
        EXPECT_EQ(station("bs").tx_end, next);
    }
    EXPECT_EQ(station("bs").tuning.rx_gain_db, 40);
    run(1, 1);
    EXPECT_EQ(station("bs").counters.active_tx_chunks, 2U);
}

/// Waiting is counted from where it began anew.
TEST_F(SchedulerTest, PatienceBeginsAnewWithEveryChunk) {
    config.give_up_s = 0.1;
    start();
    for (int i = 0; i < 5; ++i) {
        transmit(bs, next, 0);
        serve(0);
        pass_ms(60);
        serve(0);
        transmit(ss, next, 0);
        serve(2);
        next += kChunk;
    }
    EXPECT_EQ(station("ss1").counters.given_up, 0U);
    EXPECT_EQ(station("ss1").counters.waits, 5U);
    EXPECT_NEAR(station("ss1").counters.waited_s, 0.3, 1e-9);
}

TEST_F(SchedulerTest, NoiseOfEachRadioIsItsOwn) {
    start();
    run(2, 0);
    ASSERT_EQ(bs.received.size(), ss.received.size());
    std::complex<double> product = 0;
    double power = 0;
    for (size_t i = 0; i < bs.received.size(); ++i) {
        product += std::complex<double>(bs.received[i]) * std::conj(std::complex<double>(ss.received[i]));
        power += double(std::norm(bs.received[i]));
    }
    EXPECT_LT(std::abs(product), 0.1 * power);
}

/// Both ways over one link, and a gain that is turned while it runs.
TEST_F(SchedulerTest, LinksFollowTheGainBothWays) {
    config.links[0].snr_db.reset();
    config.links[0].path_loss_db = 60;
    start();
    run(3, 1);
    EXPECT_NEAR(dbm(ss, 2 * kChunk, 3 * kChunk), -30, kToleranceDb);
    tx_gain_db = 50;
    run(2, 1);
    EXPECT_NEAR(dbm(ss, 4 * kChunk, 5 * kChunk), -40, kToleranceDb);
    transmit(bs, next, 0);
    transmit(ss, next, 1);
    serve(2);
    EXPECT_NEAR(dbm(bs, 5 * kChunk, 6 * kChunk), -40, kToleranceDb);
}

/// A link's Doppler takes the place of its profile's: of 0.4 Hz nothing is seen in 0.1 s, of 200 Hz many fades are.
TEST_F(SchedulerTest, DopplerOfTheLink) {
    for (const bool fast : {false, true}) {
        bs = {}, ss = {}, next = 0;
        config.links[0].snr_db = 40;
        config.links[0].channel = "sui3";
        if (fast) config.links[0].doppler_hz = 200;
        start();
        run(200, 1);
        double least = 1e9, most = 0;
        for (size_t at = 10 * kChunk; at < ss.received.size(); at += kChunk) {
            double power = 0;
            for (size_t i = 0; i < kChunk; ++i) power += double(std::norm(ss.received[at + i]));
            least = std::min(least, power), most = std::max(most, power);
        }
        const double range_db = 10 * std::log10(most / least);
        if (fast)
            EXPECT_GT(range_db, 10);
        else
            EXPECT_LT(range_db, 1);
    }
}

/// Keys beside the name of a link are of that request alone, whether they come before the name or behind it.
TEST_F(SchedulerTest, KeysOfARequestAreOfItsOwnLink) {
    start();
    const StatusReport report(config, *scheduler);
    ControlServer control;
    const ChannelControl answers(control, *scheduler, report);
    const auto ask = [&](const std::string& keys) {
        const auto reply = nlohmann::json::parse(control.answer(R"({"set":{)" + keys + "}}"));
        return reply.contains("error") ? reply["error"].dump() : "";
    };
    const auto now = [&] { return scheduler->link("bs->ss1")->config(); };
    const std::string lost = R"(["link: value (missing): allowed \"from->to\" beside its keys"])";
    EXPECT_EQ(ask(R"("cfo_hz":100)"), lost);
    EXPECT_EQ(ask(R"("link":"bs->ss1","snr_db":7)"), "");
    EXPECT_EQ(now().snr_db, 7);
    EXPECT_EQ(now().cfo_hz, 0);  // not of the request before
    EXPECT_NE(ask(R"("snr_db":9)"), "");
    EXPECT_EQ(now().snr_db, 7);
    EXPECT_EQ(ask(R"("cfo_hz":200,"link":{"name":"bs->ss1","delay_samples":3})"), lost);
    EXPECT_EQ(now().delay_samples, 3);
    EXPECT_EQ(ask(R"("cfo_hz":300,"link":"bs->ss1")"), "");
    EXPECT_EQ(now().cfo_hz, 300);
}

}  // namespace
