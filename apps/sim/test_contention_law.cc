// SPDX-License-Identifier: GPL-3.0-or-later
// Contention is fair and free of memory: of N stations that ask at the same time, each in one of W opportunities, one
// is alone with the probability (1 - 1/W)^(N - 1).
#include "sim/cell.h"
#include "sim/packet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace wimax::sim {
namespace test_contention_law {

/// One small packet per station, on each call of ask().
class AllAtOnce final : public Users {
public:
    explicit AllAtOnce(size_t stations) : due_(stations) {}
    void ask() {
        std::fill(due_.begin(), due_.end(), true);
        received_ = 0;
    }
    bool all_received() const { return received_ == due_.size(); }
    void send(size_t node, mac::PacketService& station, Samples now) override {
        if (node == 0 || !due_[node - 1]) return;
        due_[node - 1] = false;
        const size_t i = node - 1;
        EXPECT_TRUE(station.push_sdu(writer_.udp({address_of(i), kServerAddress, 1000, 1000, 0}, {0, 0, now}, 60)));
    }
    void receive(size_t node, Octets, Samples) override { received_ += node == 0; }

private:
    std::vector<bool> due_;
    size_t received_ = 0;
    PacketWriter writer_;
};

/// Grants only on request, one opportunity per frame, and failed requests are not repeated soon.
CellConfig bare(size_t stations, uint8_t window_exponent) {
    CellConfig config;
    auto& bs = config.bs;
    bs.profile.unasked_symbols = 0;
    bs.profile.grant_spare = false;
    bs.profile.request_symbols = 2;
    bs.profile.request_backoff_start = bs.profile.request_backoff_end = window_exponent;
    bs.profile.reservation_timeout = 255;
    bs.t27_idle_ms = bs.t27_active_ms = 100'000;
    for (size_t i = 0; i < stations; ++i) {
        mac::StationConfig provisioned;
        provisioned.mac = {2, 0, 0, 0, 0, static_cast<uint8_t>(i)};
        provisioned.ip_addresses = {{address_of(i), kStationMask}};
        bs.stations.push_back(provisioned);
        StationSetup setup;
        setup.mac.mac = provisioned.mac;
        setup.mac.t4_ms = 600'000;
        setup.mac.t16_ms = 2000;
        config.stations.push_back(setup);
    }
    return config;
}

void expect_law(size_t stations, uint8_t window_exponent, int trials) {
    const int window = 1 << window_exponent;
    AllAtOnce users(stations);
    Cell cell(bare(stations, window_exponent), users);
    for (int i = 0; i < 3000 && operational(cell) < stations; ++i) cell.step();
    ASSERT_EQ(operational(cell), stations);
    for (int i = 0; i < 400; ++i) cell.step();
    uint64_t alone = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto before = cell.counters().requests;
        users.ask();
        for (int i = 0; i <= window; ++i) cell.step();
        const auto after = cell.counters().requests;
        ASSERT_EQ(after.attempts - before.attempts, stations) << "each asks once";
        const uint64_t collisions = after.collisions - before.collisions, collided = after.collided - before.collided;
        EXPECT_EQ(collided, stations - (after.successes - before.successes));
        EXPECT_LE(2 * collisions, collided);
        EXPECT_EQ(collisions > 0, collided > 0);
        alone += after.successes - before.successes;
        for (int i = 0; i < 5000 && !users.all_received(); ++i) cell.step();
        ASSERT_TRUE(users.all_received());
        for (int i = 0; i < 30; ++i) cell.step();
    }
    const double samples = static_cast<double>(stations) * trials;
    const double expected = std::pow(1 - 1.0 / window, static_cast<double>(stations) - 1);
    const double deviation = std::sqrt(expected * (1 - expected) / samples);
    // Two colliding requests both fail, so outcomes are correlated, at most in pairs.
    EXPECT_NEAR(static_cast<double>(alone) / samples, expected, 4 * std::sqrt(2) * deviation)
        << stations << " stations, window " << window;
    std::printf("%zu stations, window %d: %.4f alone, law %.4f +- %.4f\n", stations, window,
                static_cast<double>(alone) / samples, expected, deviation);
}

TEST(ContentionLaw, EightStationsInSixteenOpportunities) { expect_law(8, 4, 150); }
TEST(ContentionLaw, FourStationsInFourOpportunities) { expect_law(4, 2, 150); }
TEST(ContentionLaw, ThirtyStationsInThirtyTwoOpportunities) { expect_law(30, 5, 40); }

}  // namespace test_contention_law
}  // namespace wimax::sim
