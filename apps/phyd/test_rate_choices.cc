// SPDX-License-Identifier: GPL-3.0-or-later
// What each model of radio runs at for each bandwidth of the standard's profiles: exactly, or resampled with an error
// that does not matter, without a decimation that droops.
#include <gnuradio/wimax/phy/base/numerology.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "radio/resampler.h"
#include "vrf/model_clock.h"

namespace wimax {
namespace {

namespace phy = gr::wimax::phy;
using gr::wimax::RatePlan;
using Samples = std::vector<std::complex<float>>;

/// multi_usrp over a model.
class ModelRates final : public gr::wimax::RateDevice {
public:
    explicit ModelRates(vrf::ModelClock clock) : clock_(std::move(clock)) {}
    double set_rate(double hz) override { return clock_.set_rate(false, hz); }
    std::vector<double> rates() override { return clock_.rates_hz(); }
    double master_clock() override { return clock_.clock_hz(); }
    double set_master_clock(double hz) override { return clock_.set_clock(hz); }
    double nearest_master_clock(double hz) override {
        if (clock_.any_between()) return std::clamp(hz, lowest_master_clock(), highest_master_clock());
        return *std::ranges::min_element(clock_.clocks_hz(), {}, [hz](double v) { return std::abs(v - hz); });
    }
    double lowest_master_clock() override { return clock_.clocks_hz().front(); }
    double highest_master_clock() override { return clock_.clocks_hz().back(); }
    std::vector<double> master_clocks() override {
        return clock_.any_between() ? std::vector<double>() : clock_.clocks_hz();
    }

private:
    vrf::ModelClock clock_;
};

/// Error of a signal on 200 of 256 carriers, sent and received at the device's rate; symbols without their edges.
double evm_db(const RatePlan& plan) {
    constexpr int kSymbols = 6, kSymbol = 288, kEdge = 16;
    std::minstd_rand random(3);
    Samples sent;
    for (int symbol = 0; symbol < kSymbols; ++symbol) {
        std::vector<std::complex<double>> points(201);
        for (auto& p : points) p = std::polar(1.0, std::numbers::pi / 2 * double(random() % 4));
        for (int n = -32; n < 256; ++n) {
            std::complex<double> sum;
            for (int carrier = -100; carrier <= 100; ++carrier)
                sum += points[size_t(carrier + 100)] * std::polar(1.0, 2 * std::numbers::pi * carrier * n / 256.0);
            sent.push_back(std::complex<float>(sum / 14.0));
        }
    }
    Samples air, heard(sent.size());
    const int64_t tick = gr::wimax::TransmitResampler(plan).convert(1000, sent, air);
    gr::wimax::Resampler(plan, gr::wimax::Resampler::Direction::to_channel).render(air, tick, 1000, heard);
    double error = 0, power = 0;
    for (int symbol = 1; symbol < kSymbols - 1; ++symbol)
        for (int n = kEdge; n < kSymbol - kEdge; ++n) {
            const auto i = size_t(symbol * kSymbol + n);
            error += std::norm(heard[i] - sent[i]);
            power += std::norm(sent[i]);
        }
    return 10 * std::log10(error / power);
}

TEST(RateChoices, EveryModelAtEveryBandwidth) {
    constexpr int64_t kBandwidths[] = {1'250'000,  1'500'000,  1'750'000,  2'500'000,  3'000'000, 3'500'000,
                                       5'000'000,  5'500'000,  6'000'000,  7'000'000,  8'750'000, 10'000'000,
                                       14'000'000, 15'000'000, 17'500'000, 20'000'000, 28'000'000};
    for (const char* name : {"b210", "n210-sbx", "x310-ubx", "n310"}) {
        const auto model = vrf::load_personality(name);
        ASSERT_TRUE(model) << model.error().str();
        for (const int64_t bandwidth : kBandwidths) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(bandwidth));
            const auto wanted = double(phy::Numerology::make(bandwidth, phy::CyclicPrefix::g1_8)->sample_rate_hz);
            ModelRates device(vrf::ModelClock::make(*model, wanted, {}).value());
            const auto plan = gr::wimax::plan_rate(wanted, device);
            if (!plan) {
                std::printf("%-9s %5.2f MHz: refused\n", name, double(bandwidth) / 1e6);
                EXPECT_GT(wanted, 25e6);  // limit of the N210's Ethernet
                EXPECT_NE(plan.error().str().find("another device"), std::string::npos) << plan.error().str();
                continue;
            }
            const double ratio = device.master_clock() / plan->tick_rate_hz;
            const auto factor = std::llround(ratio);
            EXPECT_NEAR(ratio, double(factor), 1e-6);
            EXPECT_NEAR(plan->tick_rate_hz / double(plan->device_rate_hz), 1, 1e-7);
            const double evm = plan->exact() ? -200 : evm_db(*plan);
            std::printf("%-9s %5.2f MHz: clock %.6f MHz / %lld, x %d/%d, EVM %.1f dB\n", name, double(bandwidth) / 1e6,
                        device.master_clock() / 1e6, static_cast<long long>(factor), plan->down, plan->up, evm);
            EXPECT_LT(evm, -50);
            EXPECT_TRUE(factor == 1 || factor % 2 == 0) << factor;
        }
    }
}

}  // namespace
}  // namespace wimax
