// SPDX-License-Identifier: GPL-3.0-or-later
// When radios may attach, which of their messages the channel accepts, and for which radios its time waits.
#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "channeld/test_wires.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

/// A radio that attaches later starts at the present, in its own samples.
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

/// Held time starts with the first chunk of all awaited radios, at the wall clock's present.
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

/// As fast as possible when all awaited radios stream; by the wall clock before.
TEST_F(SchedulerTest, FreeOnceTheAwaitedStream) {
    config.wait_for = {"bs", "ss1"};
    start();
    transmit_silence(6);
    for (auto& tx : ss.sent) tx.header.streaming = tx.header.index >= 3 * int64_t{kChunk};
    EXPECT_EQ(serve_all(), 0);  // by the wall clock it is not yet due
    for (int i = 0; i < 3; ++i) {
        pass_ms(0.5);
        EXPECT_EQ(serve_all(), i < 2 ? 2 : 2 * 4) << i;  // the fourth reports that it streams
    }
}

/// A radio that has never attached is awaited; a name that is listed twice counts once.
TEST_F(SchedulerTest, AwaitsNamesThatAreUnknown) {
    config.wait_for = {"bs", "ss1", "ss2"};
    start();
    transmit_silence(3);
    EXPECT_EQ(serve_all(), 0);
}
TEST_F(SchedulerTest, AwaitsANameOnce) {
    config.wait_for = {"bs", "ss1", "bs"};
    start();
    transmit_silence(3);
    EXPECT_EQ(serve_all(), 2 * 3);
}

/// Impossible settings are rejected; the samples of their chunk are lost.
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

/// The wait is measured from its restart.
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

/// Both directions of one link, and a gain that changes while it runs.
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

/// A link's Doppler replaces its profile's: at 0.4 Hz there is no fade in 0.1 s, at 200 Hz there are many.
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
        if (fast) EXPECT_GT(range_db, 10);
        else EXPECT_LT(range_db, 1);
    }
}

/// Keys next to the name of a link belong to that request only, whether they are before the name or after it.
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
    const std::string lost = R"(["link: value (missing): allowed \"from->to\", in addition to its keys"])";
    EXPECT_EQ(ask(R"("cfo_hz":100)"), lost);
    EXPECT_EQ(ask(R"("link":"bs->ss1","snr_db":7)"), "");
    EXPECT_EQ(now().snr_db, 7);
    EXPECT_EQ(now().cfo_hz, 0);  // not of the previous request
    EXPECT_NE(ask(R"("snr_db":9)"), "");
    EXPECT_EQ(now().snr_db, 7);
    EXPECT_EQ(ask(R"("cfo_hz":200,"link":{"name":"bs->ss1","delay_samples":3})"), lost);
    EXPECT_EQ(now().delay_samples, 3);
    EXPECT_EQ(ask(R"("cfo_hz":300,"link":"bs->ss1")"), "");
    EXPECT_EQ(now().cfo_hz, 300);
}

// ---- figures
// ----------------------------------------------------------------------------------------------------------

std::set<std::string> keys_of(const nlohmann::json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

/// Every figure of the status against an independent count. A new figure needs its line here.
TEST_F(SchedulerTest, EveryFigureOfTheStatus) {
    config.links[0].snr_db.reset();
    config.links[0].path_loss_db = 70;
    config.links[0].delay_samples = 3;
    config.hash_s = 1;
    config.defaults.receiver.bits = 8;
    start();
    auto& told = bs;
    const auto count = [&](uint64_t from) {  // reports of a radio, each figure different
        auto& h = told.sent.back().header;
        h.counters.late = from, h.counters.underflow = from + 1, h.counters.overflow = from + 2;
        h.counters.bursts = from + 3, h.counters.stalls = from + 4, h.counters.tx_clipped = from + 5;
        h.counters.rx_clipped = from + 6;
        h.counters.least_slack_samples = int64_t(from) + 7;
        h.tx_frequency_hz = 3.5e9 + double(from);
        h.rx_frequency_hz = 3.5e9 - double(from);
    };
    for (int i = 0; i < 7; ++i, next += kChunk) {
        transmit(bs, next, i < 3 ? 1 : 0);
        count(100);
        transmit(ss, next, 0);
        for (auto* radio : {&bs, &ss}) radio->sent.back().header.unused = i == 5;
        serve(2);
    }
    // One lost chunk, and three waits of the clock for the subscriber station.
    transmit(bs, next - int64_t{kChunk}, 1);
    count(100);
    scheduler->collect();
    for (int i = 0; i < 3; ++i, next += kChunk) {
        transmit(bs, next, 0);
        count(200);
        serve(0);
        pass_ms(10);
        transmit(ss, next, 0);
        serve(2);
    }
    ASSERT_TRUE(scheduler->inject("bs", vrf::RadioFault::overflow, 0));
    ASSERT_TRUE(scheduler->inject("bs", vrf::RadioFault::jitter, 0));
    run(2, 0);
    count(200);
    const auto all = status();
    EXPECT_EQ(keys_of(all),
              (std::set<std::string>{"program", "time_s", "wall_s", "realtime_factor", "stretched_s", "mode", "pace",
                                     "free_running", "held", "sample_rate_hz", "chunk_samples", "radios", "links"}));
    EXPECT_NEAR(all["time_s"].get<double>(), 12 * 0.0005, 1e-9);
    EXPECT_EQ(all["stretched_s"], 0);
    EXPECT_EQ(all["mode"], "commit");
    EXPECT_EQ(all["pace"], "free");
    EXPECT_EQ(all["free_running"], true);
    EXPECT_EQ(all["held"], false);
    EXPECT_EQ(all["sample_rate_hz"], 5.76e6);
    EXPECT_EQ(all["chunk_samples"], kChunk);
    EXPECT_EQ(keys_of(all["radios"]), (std::set<std::string>{"bs", "ss1"}));
    EXPECT_EQ(keys_of(all["links"]), (std::set<std::string>{"bs->ss1", "ss1->bs"}));

    const auto &b = all["radios"]["bs"], &s = all["radios"]["ss1"];
    nlohmann::json expected{{"attached", true},    {"streaming", true},     {"sample", 12 * kChunk},
                            {"tx_channels", 1},    {"silent", false},       {"unplugged", false},
                            {"died", 0},           {"given_up", 0},         {"chunks", 12},
                            {"lost_rx_chunks", 0}, {"omitted_rx_chunks", 1}};
    for (const auto* radio : {&b, &s}) {
        for (const auto& [key, value] : expected.items()) EXPECT_EQ((*radio)[key], value) << key;
        EXPECT_EQ(keys_of(*radio), (std::set<std::string>{"attached",
                                                          "streaming",
                                                          "sample",
                                                          "tx_channels",
                                                          "late",
                                                          "underflow",
                                                          "overflow",
                                                          "bursts",
                                                          "stalls",
                                                          "tx_clipped",
                                                          "rx_clipped",
                                                          "least_slack_samples",
                                                          "injected",
                                                          "unplugged",
                                                          "died",
                                                          "given_up",
                                                          "silent",
                                                          "chunks",
                                                          "active_tx_chunks",
                                                          "lost_tx_chunks",
                                                          "lost_rx_chunks",
                                                          "omitted_rx_chunks",
                                                          "waits",
                                                          "waited_s",
                                                          "tx_frequency_hz",
                                                          "rx_frequency_hz",
                                                          "tx_reference_dbm",
                                                          "rx_reference_dbm",
                                                          "noise_figure_db",
                                                          "rx_dbm",
                                                          "hash"}));
    }
    // The value of the newest chunk, which arrived before the last two were sent.
    const int newest = 0;
    EXPECT_EQ(b["late"], newest);
    EXPECT_EQ(s["late"], 0);
    EXPECT_EQ(b["active_tx_chunks"], 3);
    EXPECT_EQ(s["active_tx_chunks"], 0);
    EXPECT_EQ(b["lost_tx_chunks"], 1);
    EXPECT_EQ(s["lost_tx_chunks"], 0);
    EXPECT_EQ(b["waits"], 0);
    EXPECT_EQ(s["waits"], 3);
    EXPECT_NEAR(s["waited_s"].get<double>(), 0.03, 1e-9);
    EXPECT_EQ(b["waited_s"], 0);
    EXPECT_EQ(b["injected"]["overflow"], 1);
    EXPECT_EQ(b["injected"]["jitter"], 1);
    EXPECT_EQ(b["injected"]["underflow"], 0);
    EXPECT_EQ(s["injected"]["overflow"], 0);
    for (const auto* radio : {&b, &s}) {
        EXPECT_EQ((*radio)["tx_reference_dbm"], 30);
        EXPECT_EQ((*radio)["rx_reference_dbm"], config.defaults.rx_full_scale_dbm - rx_gain_db);
        EXPECT_EQ((*radio)["noise_figure_db"], 5);
    }
    // Samples beyond the full scale of the channel's converter, which clipped them.
    const auto cut = [](Sample x) { return std::max(std::abs(x.real()), std::abs(x.imag())) >= 127.0F / 128; };
    EXPECT_EQ(s["rx_clipped"], std::count_if(ss.received.begin(), ss.received.end(), cut));
    EXPECT_GT(s["rx_clipped"], 0);
    EXPECT_EQ(b["rx_clipped"], 0);
    EXPECT_NEAR(s["rx_dbm"].get<double>(), dbm(ss, 11 * kChunk, 12 * kChunk), 0.01);
    EXPECT_NEAR(b["rx_dbm"].get<double>(), dbm(bs, 11 * kChunk, 12 * kChunk), 0.01);
    // The hash of the leading samples, by their words.
    for (const auto& [wire, radio] : {std::pair(&bs, &b), std::pair(&ss, &s)}) {
        uint64_t hash = 0xcbf29ce484222325;
        for (const auto x : wire->received) {
            uint64_t bits;
            std::memcpy(&bits, &x, sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
        EXPECT_EQ((*radio)["hash"], fmt::format("{:016x}", hash));
    }
    const auto& l = all["links"]["bs->ss1"];
    EXPECT_EQ(l, (nlohmann::json{{"path_loss_db", 70.0},
                                 {"snr_db", nullptr},
                                 {"channel", "awgn"},
                                 {"delay_samples", 3.0},
                                 {"in_band", true}}));
}

/// A radio's reports are passed on unchanged, each figure under its own name.
TEST_F(SchedulerTest, FiguresOfTheRadioItself) {
    start();
    for (int i = 0; i < 2; ++i, next += kChunk) {
        transmit(bs, next, 0), transmit(ss, next, 0);
        auto& h = ss.sent.back().header;
        h.counters = {};
        h.counters.late = 11, h.counters.underflow = 12, h.counters.overflow = 13, h.counters.bursts = 14;
        h.counters.stalls = 15, h.counters.tx_clipped = 16, h.counters.rx_clipped = 17;
        h.counters.least_slack_samples = i == 0 ? INT64_MAX : -18;
        h.tx_frequency_hz = 3.5e9 + 5e6;
        h.rx_frequency_hz = 3.5e9 + 19;
        h.noise_figure_db = 7.5;
        serve(2);
        const auto all = status();
        const auto& s = all["radios"]["ss1"];
        const nlohmann::json expected{{"late", 11},
                                      // clang-format off
                                      {"underflow", 12}, {"overflow", 13}, {"bursts", 14}, {"stalls", 15},
                                      {"tx_clipped", 16}, {"rx_clipped", 17},
                                      {"least_slack_samples", i == 0 ? nlohmann::json() : nlohmann::json(-18)},
                                      {"tx_frequency_hz", 3.505e9}, {"rx_frequency_hz", 3.500000019e9},
                                      // clang-format on
                                      {"noise_figure_db", 7.5}};
        for (const auto& [key, value] : expected.items()) EXPECT_EQ(s[key], value) << key;
        EXPECT_EQ(all["links"]["bs->ss1"]["in_band"], true);
        EXPECT_EQ(all["links"]["ss1->bs"]["in_band"], false);
    }
}

// ---- a second life
// ------------------------------------------------------------------------------------------------------

/// A radio that returns is not received with its old settings or samples: it is silent until its first chunk, whose
/// settings are used.
TEST_F(SchedulerTest, ARadioThatComesBackBeginsWithoutSettings) {
    config.links[0].snr_db.reset();
    config.links[0].path_loss_db = 60;
    start();
    run(5, 1);
    EXPECT_NEAR(dbm(ss, 4 * kChunk, 5 * kChunk), -30, kToleranceDb);
    auto& last = bs.sent.emplace_back();  // a chunk that was still in transit
    last.header.index = next;
    bs.alive = false;
    scheduler->collect();
    EXPECT_EQ(status()["radios"]["bs"]["attached"], false);
    for (int i = 0; i < 3; ++i, next += kChunk) {
        transmit(ss, next, 0);
        serve(1);
    }
    Wire again;
    admit(again, "bs");
    EXPECT_EQ(again.welcome.first_index, next);
    auto radio = status()["radios"]["bs"];
    EXPECT_EQ(radio["died"], 1);
    EXPECT_EQ(radio["streaming"], false);
    EXPECT_EQ(radio["rx_reference_dbm"], config.defaults.rx_full_scale_dbm);
    EXPECT_EQ(radio["tx_reference_dbm"], config.defaults.tx_power_dbm - vrf::kMaxTxGainDb);
    EXPECT_EQ(radio["sample"], next);
    EXPECT_EQ(radio["least_slack_samples"], nullptr);
    const vrf::TxHeader fresh;
    EXPECT_EQ(station("bs").tuning.tx_frequency_hz, fresh.tx_frequency_hz);
    EXPECT_EQ(station("bs").tuning.noise_figure_db, fresh.noise_figure_db);
    // It is received again from its first chunk on, and only that one is awaited.
    transmit(ss, next, 0);
    serve(0);
    transmit(again, next, 1);
    serve(2);
    EXPECT_NEAR(dbm(ss, 8 * kChunk, 9 * kChunk), -30, kToleranceDb);
    EXPECT_EQ(again.received.size(), size_t{kChunk});
    again.alive = false;
    scheduler->collect();
}

/// The samples of two radios after a loss and a return equal those of a channel without the loss: fading, noise and
/// interference are functions of time, not of earlier events.
TEST_F(SchedulerTest, TheChannelIsTheSameAfterALoss) {
    config.links[0].channel = "sui3";
    config.links[0].cfo_hz = 300;
    config.links[0].delay_samples = 5;
    config.links[0].interference.power_dbm = -70;
    config.links[0].interference.start_ms = 0.2;
    config.links[0].interference.duration_ms = 0.3;
    config.links[0].interference.period_ms = 1.7;
    config.hash_s = 0;
    std::vector<Sample> kept[2];
    for (const bool loss : {false, true}) {
        next = 0;
        bs = {}, ss = {};
        start();
        run(4, 1);
        Wire other;
        Wire* sender = &bs;
        if (loss) {
            bs.alive = false;
            scheduler->collect();
            for (int i = 0; i < 4; ++i, next += kChunk) {
                transmit(ss, next, 0);
                serve(1);
            }
            admit(other, "bs");
            sender = &other;
        } else {
            run(4, 0);
        }
        for (int i = 0; i < 6; ++i, next += kChunk) {
            transmit(*sender, next, 1), transmit(ss, next, 0);
            serve(2);
        }
        kept[loss].assign(ss.received.begin() + 8 * kChunk, ss.received.end());
        kept[loss].insert(kept[loss].end(), sender->received.end() - 6 * kChunk, sender->received.end());
        bs.alive = other.alive = false;
        scheduler->collect();
    }
    ASSERT_EQ(kept[0].size(), kept[1].size());
    EXPECT_EQ(kept[0], kept[1]);
}

/// Time spent waiting for one radio does not count for another one later.
TEST_F(SchedulerTest, PatienceIsNotUsedUpByWaitingThatIsOver) {
    config.give_up_s = 0.25;
    start();
    for (int i = 0; i < 6; ++i, next += kChunk) {
        Wire& slow = i % 2 == 0 ? bs : ss;
        transmit(i % 2 == 0 ? ss : bs, next, 0);
        serve(0);
        for (int look = 0; look < 2; ++look) {
            pass_ms(90);
            EXPECT_TRUE(scheduler->collect().empty()) << i;
            EXPECT_FALSE(scheduler->serve());
        }
        transmit(slow, next, 0);
        serve(2);
    }
    EXPECT_EQ(station("bs").counters.given_up + station("ss1").counters.given_up, 0U);
    EXPECT_NEAR(station("bs").counters.waited_s, 3 * 0.18, 1e-9);
    EXPECT_NEAR(station("ss1").counters.waited_s, 3 * 0.18, 1e-9);
}

/// For the time since the last report, not since the start.
TEST_F(SchedulerTest, TheRealTimeFactorIsThatOfTheLastLook) {
    start();
    StatusReport report(config, *scheduler);
    const auto now = [] { return std::chrono::steady_clock::now(); };
    for (int look = 0; look < 3; ++look) {
        const auto last = now();
        report.tick();
        const auto begin = now();
        if (look != 0) run(4 * look, 0);
        while (now() - begin < std::chrono::milliseconds(look == 0 ? 30 : 1)) {
        }
        const auto least = now() - begin;
        report.tick();
        const auto most = now() - last;
        const double simulated_s = 4 * look * kChunk / 5.76e6;
        const double factor = report.json()["realtime_factor"];
        EXPECT_GE(factor * std::chrono::duration<double>(most).count(), simulated_s * 0.999) << look;
        EXPECT_LE(factor * std::chrono::duration<double>(least).count(), simulated_s * 1.001) << look;
    }
}

TEST_F(SchedulerTest, FaultsOnPurposeAreAskedForInOneForm) {
    start();
    run(1, 0);
    const StatusReport report(config, *scheduler);
    ControlServer control;
    const ChannelControl answers(control, *scheduler, report);
    const auto refused = [&](const std::string& value) {
        return nlohmann::json::parse(control.answer(R"({"set":{"inject":)" + value + "}}")).contains("error");
    };
    for (const char* wrong :
         {"1", "\"bs\"", "[]", "{}", R"({"radio":"bs"})", R"({"fault":"overflow"})",
          R"({"radio":5,"fault":"overflow"})", R"({"radio":"bs","fault":5})", R"({"radio":null,"fault":"overflow"})",
          R"({"radio":"bs","fault":"none"})", R"({"radio":"bs","fault":"colour"})",
          R"({"radio":"no","fault":"overflow"})", R"({"radio":"bs","fault":"overflow","ms":-1})",
          R"({"radio":"bs","fault":"overflow","ms":"1"})", R"({"radio":"bs","fault":"overflow","ms":1000001})"})
        EXPECT_TRUE(refused(wrong)) << wrong;
    for (const char* right : {R"({"radio":"bs","fault":"overflow"})", R"({"radio":"bs","fault":"overflow","ms":0})",
                              R"({"radio":"bs","fault":"jitter","ms":1000000})", R"({"radio":"bs","fault":"plug"})"})
        EXPECT_FALSE(refused(right)) << right;
    EXPECT_EQ(status()["radios"]["bs"]["injected"]["colour"], nullptr);
}

}  // namespace
