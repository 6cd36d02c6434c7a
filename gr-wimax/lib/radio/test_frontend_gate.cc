// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: settings, zeros and beat of a gate in the radio; a core is found if its sample
// rate is the host's.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

class GateDouble final : public TransmitGate {
public:
    GateSettings settings;
    int beats = 0;
    GateCounters counted;

    void set_up(const GateSettings& s) override { settings = s; }
    void beat() override { ++beats; }
    GateCounters counters() override { return counted; }
};

class CoreDouble final : public RadioCore {
public:
    uint32_t peek(uint32_t) override { return 0; }
    void poke(uint32_t, uint32_t) override {}
    Packet take(std::span<uint32_t>) override { return {}; }
    bool order(std::span<const uint32_t>) override { return false; }
};

class Gate : public Frontend {
protected:
    void SetUp() override {
        Frontend::SetUp();
        config.burst_edge_samples = 32;
        config.amplifier = {"FP0", 1, true, 100, 50, 0};
        config.gate = [this](RadioCorePtr core) {
            core_seen = std::move(core);
            return gate;
        };
    }
    MockSettings gated(MockSettings s = {}) {
        s.cores = {"burst_gate", "preamble_detect"};
        return s;
    }
    std::string refusal(const MockSettings& settings) {
        try {
            open(settings);
        } catch (const std::exception& e) {
            return e.what();
        }
        return "";
    }

    std::shared_ptr<GateDouble> gate = std::make_shared<GateDouble>();
    RadioCorePtr core_seen;
};

TEST_F(Gate, HasLimitsAndAmplifierInSamplesOfTheDevice) {
    config.limits.longest_burst_ms = 10;
    config.limits.max_duty_cycle = 0.5;
    config.limits.duty_window_ms = 100;
    open(gated());
    const auto& s = gate->settings;
    EXPECT_TRUE(s.enable);
    EXPECT_EQ(s.edge_samples, 32);
    EXPECT_EQ(s.lead_samples, 576);
    EXPECT_EQ(s.lag_samples, 288);
    EXPECT_EQ(s.longest_samples, 57'600);
    EXPECT_EQ(s.window_samples, 576'000);
    EXPECT_EQ(s.share_samples, 306'000);  // 17 sixteenths of the half
    EXPECT_EQ(s.patience_samples, 576'000);
    EXPECT_EQ(core_seen->peek(7), 14U);
    EXPECT_NE(radio->describe().find("cores         preamble_detect, burst_gate\n"), std::string::npos)
        << radio->describe();
    TearDown();
    config.limits = {};
    config.amplifier = {};
    open(gated());
    EXPECT_FALSE(gate->settings.enable);
    EXPECT_EQ(gate->settings.lead_samples, 0);
}

TEST_F(Gate, MakesTheZerosAboutBursts) {
    for (const bool in_radio : {false, true}) {
        open(in_radio ? gated() : MockSettings{});
        receives(1000, 1);
        receive();
        ASSERT_TRUE(transmit(5000, ramp(10)));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        const auto calls = device->tx->calls();
        EXPECT_EQ(tick_of(calls.at(0)), in_radio ? 5000 : 5000 - 576 - 32);
        EXPECT_EQ(calls.at(0).samples.size(), in_radio ? 10U : 576 + 32 + 10 + 288 + 32U);
        // The line is on earlier by the lead in both cases.
        EXPECT_FALSE(transmit(1001 + 575, ramp(10)));
        EXPECT_EQ(piece_fault.late_samples, 0 + 1001 - (1576 - 576));
        TearDown();
    }
}

TEST_F(Gate, BeatsWithWhatIsReceived) {
    open(gated());
    const int before = gate->beats;
    for (int64_t tick = 1000; tick < 1000 + kRate / 10; tick += 1440) {  // 0.1 s
        receives(tick, 1440);
        receive();
    }
    EXPECT_EQ(gate->beats - before, 10);
    receive();  // nothing is received
    EXPECT_EQ(gate->beats - before, 10);
    receives(10, 100);  // time restarts
    receive();
    EXPECT_EQ(gate->beats - before, 11);
}

TEST_F(Gate, CountsAreTold) {
    open();
    EXPECT_FALSE(radio->counters().gate);
    TearDown();
    open(gated());
    gate->counted = {.bursts = 9, .late = 3, .too_long = 1, .underflows = 2};
    const auto counters = radio->counters();
    ASSERT_TRUE(counters.gate);
    EXPECT_EQ(counters.gate->too_long, 1U);
    EXPECT_EQ(counters.late, 3U);
    EXPECT_EQ(counters.underflows, 2U);
    TearDown();
    open(gated(resampled()));  // 6.25 MS/s
    gate->counted.last_late = {625'000, 1250};
    EXPECT_EQ(radio->counters().gate->last_late.sample, 576'000);
    EXPECT_EQ(radio->counters().gate->last_late.by_samples, 1152);
}

TEST_F(Gate, ThatIsNotKnownIsRefused) {
    gate = nullptr;
    EXPECT_EQ(refusal(gated()), "device 'type=mock': its core burst_gate is not the one that this program knows");
    config.gate = {};
    EXPECT_EQ(
        refusal(gated()),
        "device 'type=mock': it has the core burst_gate, of which this program knows nothing: nothing would leave");
}

TEST_F(Gate, OtherCoresAreFoundWhereSamplesAreTheDevices) {
    open(gated());
    const auto core = radio->core("preamble_detect");
    ASSERT_TRUE(core);
    EXPECT_FALSE(radio->core("ofdm_frontend"));
    core->poke(8, 5);
    EXPECT_EQ(core->peek(8), 5U);
    std::array<uint32_t, 3> words{};
    const auto packet = core->take(words);
    EXPECT_EQ(packet.words, 3U);
    EXPECT_EQ(packet.time, 12345);
    EXPECT_TRUE(packet.has_time);
    EXPECT_TRUE(packet.end_of_burst);
    EXPECT_TRUE(core->order(words));
    TearDown();
    open(gated(resampled()));
    EXPECT_FALSE(radio->core("preamble_detect"));
    EXPECT_EQ(gate->settings.lead_samples, 625);  // the gate counts samples at its output
}

TEST_F(Gate, OfAnRfnocBlockIsOpenedWithTheDevicesRates) {
    std::vector<std::pair<double, double>> rates;
    MockSettings settings;
    settings.gate_block = [&](double ticks_hz, double samples_hz) -> RadioCorePtr {
        rates.emplace_back(ticks_hz, samples_hz);
        if (rates.size() > 1) throw std::runtime_error("it has gone");
        return std::make_shared<CoreDouble>();
    };
    open(settings);
    EXPECT_TRUE(core_seen);
    EXPECT_EQ(rates, (std::vector<std::pair<double, double>>{{settings.clock_hz, 5.76e6}}));
    EXPECT_NE(radio->describe().find("cores         burst_gate\n"), std::string::npos);
    TearDown();
    EXPECT_EQ(refusal(settings), "device 'type=mock': its core burst_gate: it has gone");
}

}  // namespace
}  // namespace gr::wimax::test
