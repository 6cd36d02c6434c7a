// SPDX-License-Identifier: GPL-3.0-or-later
// Faults that the channel causes in radios: random and on demand.
#include "channeld/test_wires.h"

#include <vector>

namespace {

using namespace wimax;
using namespace wimax::channeld;
using vrf::RadioFault;

class Injection : public SchedulerTest {
protected:
    std::string ask(const std::string& value) {
        const StatusReport report(config, *scheduler);
        ControlServer control;
        const ChannelControl answers(control, *scheduler, report);
        const auto reply = nlohmann::json::parse(control.answer(R"({"set":{"inject":)" + value + "}}"));
        return reply.contains("error") ? reply["error"].dump() : "";
    }
    /// Faults in the next chunks, at the subscriber.
    std::vector<RadioFault> faults(int chunks) {
        std::vector<RadioFault> all;
        for (int i = 0; i < chunks; ++i) {
            run(1, 0);
            all.push_back(ss.rx_header.fault);
        }
        return all;
    }
    uint64_t injected(const char* radio, const char* fault) const {
        return status()["radios"][radio]["injected"][fault];
    }
};

TEST_F(Injection, OnDemandOneAChunk) {
    start();
    EXPECT_EQ(ask(R"({"radio":"ss1","fault":"overflow","ms":1})"), "");
    EXPECT_EQ(ask(R"({"radio":"ss1","fault":"underflow"})"), "");
    run(1, 0);
    EXPECT_EQ(ss.rx_header.fault, RadioFault::overflow);
    EXPECT_EQ(ss.rx_header.fault_samples, 5760U);
    EXPECT_EQ(bs.rx_header.fault, RadioFault::none);
    run(1, 0);
    EXPECT_EQ(ss.rx_header.fault, RadioFault::underflow);
    EXPECT_EQ(ss.rx_header.fault_samples, 0U);
    run(1, 0);
    EXPECT_EQ(ss.rx_header.fault, RadioFault::none);
    EXPECT_EQ(injected("ss1", "overflow"), 1U);
    EXPECT_EQ(injected("ss1", "underflow"), 1U);
    EXPECT_EQ(injected("bs", "overflow"), 0U);
}

TEST_F(Injection, WhatCannotBeIsRefused) {
    start();
    EXPECT_NE(ask(R"({"radio":"ss7","fault":"overflow"})").find("has not attached"), std::string::npos);
    EXPECT_NE(ask(R"({"radio":"ss1","fault":"none"})").find("lost_tx_packet, jitter, unplug, plug"), std::string::npos);
    EXPECT_NE(ask(R"({"radio":"ss1","fault":"overflow","ms":-1})").find("0 to 1e+06"), std::string::npos);
    EXPECT_NE(ask(R"({"radio":"ss1","fault":"overflow","ms":"1"})"), "");
    EXPECT_NE(ask(R"("overflow")"), "");
    for (int i = 0; i < 64; ++i) EXPECT_EQ(ask(R"({"radio":"ss1","fault":"overflow"})"), "");
    EXPECT_NE(ask(R"({"radio":"ss1","fault":"overflow"})").find("too many"), std::string::npos);
}

/// 100 per second are 5 in a hundred chunks of 0.5 ms; a seed repeats them.
TEST_F(Injection, ByChanceWithASeed) {
    config.radios.resize(1);
    config.radios[0].name = "ss*";
    config.radios[0].fault_rates_hz[size_t(RadioFault::overflow)] = 100;
    start();
    const auto first = faults(4000);
    const auto count = std::count(first.begin(), first.end(), RadioFault::overflow);
    EXPECT_NEAR(double(count), 200, 4 * std::sqrt(200.0));
    EXPECT_EQ(injected("ss1", "overflow"), uint64_t(count));
    EXPECT_EQ(injected("bs", "overflow"), 0U);
    const auto anew = [&] {
        next = 0;
        bs = ss = {};
        start();
        return faults(4000);
    };
    EXPECT_EQ(anew(), first);
    ++config.seed;
    EXPECT_NE(anew(), first);
}

/// As if the device did not exist, until it is plugged in again, or for the given time.
TEST_F(Injection, AnUnpluggedRadioIsRefused) {
    start();
    const auto replug = [&] {
        ss.alive = false;
        scheduler->collect();
        ss = {};
        vrf::copy_text(ss.hello.name, "ss1");
        scheduler->admit(std::make_unique<Port>(ss));
        return std::string(ss.welcome.refusal);
    };
    EXPECT_EQ(ask(R"({"radio":"ss1","fault":"unplug"})"), "");
    run(1, 0);
    EXPECT_EQ(ss.rx_header.fault, RadioFault::unplug);
    EXPECT_EQ(replug(), vrf::kUnplugged);
    EXPECT_TRUE(status()["radios"]["ss1"]["unplugged"]);
    EXPECT_EQ(ask(R"({"radio":"ss1","fault":"plug"})"), "");
    EXPECT_EQ(replug(), "");
    EXPECT_FALSE(status()["radios"]["ss1"]["unplugged"]);
    EXPECT_EQ(ask(R"({"radio":"ss1","fault":"unplug","ms":5})"), "");
    run(1, 0);
    EXPECT_EQ(replug(), vrf::kUnplugged);
    for (int i = 0; i < 10; ++i, next += kChunk) {
        transmit(bs, next, 0);
        serve_all();
    }
    EXPECT_EQ(replug(), "");
}

}  // namespace
