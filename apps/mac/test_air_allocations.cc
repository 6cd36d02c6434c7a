// SPDX-License-Identifier: GPL-3.0-or-later
// Stations take no memory once they run: operator new is counted inside of on_tick, on_burst and push_sdu while traffic
// passes both ways.
#include "mac/test_private_cell.h"
#include "phy/base/test_counting_new.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
using gr::wimax::phy::test::allocations_of;
using gr::wimax::phy::test::counting;
namespace sap = wimax::sap;

namespace test_air_allocations {

constexpr uint32_t kGroup = 0xEF000001;

struct Calls {
    uint64_t tick = 0, burst = 0, push = 0;
    uint64_t sum() const { return tick + burst + push; }
};

/// Counts heap allocations of the wrapped station, except those of its callbacks. `Mac`: BaseStationMac or
/// SubscriberMac.
template <class Mac> class Counted : public Mac {
public:
    Counted(std::unique_ptr<Mac> station, Calls& calls) : inside_(std::move(station)), calls_(calls) {
        this->on_sdu = inside_->on_sdu;
        inside_->on_sdu = [this](Octets packet) {
            const bool was = counting.exchange(false);
            this->on_sdu(packet);
            counting = was;
        };
    }
    sap::ConfigRequest phy_config() const override { return inside_->phy_config(); }
    void on_phy_start(const sap::ConfigConfirm& confirm) override { inside_->on_phy_start(confirm); }
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override {
        count(calls_.tick, [&] { inside_->on_tick(tick, tx, expect); });
    }
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override {
        bool answer = false;
        count(calls_.burst, [&] { answer = inside_->on_burst(burst, expect); });
        return answer;
    }
    void on_error(const sap::ErrorIndication& error) override { inside_->on_error(error); }
    bool push_sdu(Octets packet) override {
        bool taken = false;
        count(calls_.push, [&] { taken = inside_->push_sdu(packet); });
        return taken;
    }
    size_t waiting_octets(Octets packet) override { return inside_->waiting_octets(packet); }
    bool describe(FlowCommand& command) const override { return inside_->describe(command); }
    wimax::Outcome change_flow(const FlowCommand& command) override { return inside_->change_flow(command); }
    Json status() const override { return inside_->status(); }
    void report(wimax::FigureReader& reader) const override { inside_->report(reader); }
    bool operational() const override { return inside_->operational(); }

protected:
    Mac& inside() { return *inside_; }

private:
    template <class Call> void count(uint64_t& sum, Call&& call) { sum += allocations_of(call); }
    std::unique_ptr<Mac> inside_;
    Calls& calls_;
};

struct CountedBase final : Counted<BaseStationMac> {
    using Counted::Counted;
    void on_contention(const sap::RxContention& heard) override { inside().on_contention(heard); }
    bool push_management_packet(Octets packet) override { return inside().push_management_packet(packet); }
    wimax::Outcome command_station(const StationCommand& command) override { return inside().command_station(command); }
    tl::expected<std::vector<std::string>, wimax::Faults> reprovision(const BaseStationConfig& config) override {
        return inside().reprovision(config);
    }
    wimax::Faults change_profile(const BaseStationProfile& profile) override {
        return inside().change_profile(profile);
    }
};

struct CountedSubscriber final : Counted<SubscriberMac> {
    using Counted::Counted;
    void on_phy_refusal() override { inside().on_phy_refusal(); }
    bool phy_config_changed(sap::ConfigRequest& request) override { return inside().phy_config_changed(request); }
    bool profiles_changed(sap::ProfilesRequest& profiles) override { return inside().profiles_changed(profiles); }
    bool on_read_burst(const sap::RxBurst& burst, ReadBurst& reading, sap::RxExpect& expect) override {
        return inside().on_read_burst(burst, reading, expect);
    }
};

struct Result {
    Calls bs, ss;
    uint64_t down = 0, up = 0;  ///< packets
};

/// Runs `load` for 900 frames, and counts in the last 600 of them, which hold several of each descriptor. Messages of
/// management are made on the heap: a station asks for a better burst profile when it has entered, and 10 s later
/// again.
template <class Load> Result steady(Air& air, Load&& load) {
    Result result;
    enter(air);
    air.bs = std::make_unique<CountedBase>(std::move(air.bs), result.bs);
    for (auto& t : air.terminals) t->mac = std::make_unique<CountedSubscriber>(std::move(t->mac), result.ss);
    constexpr int kFirst = 300, kFrames = 600;
    const auto down = [&] {
        uint64_t sum = 0;
        for (const auto& t : air.terminals) sum += t->dl_packets;
        return sum;
    };
    for (int n = 0; n < kFirst + kFrames; ++n) {
        if (n == kFirst) {
            result.bs = result.ss = {};
            result.down = down();
            result.up = air.ul_packets;
        }
        load(n);
        air.step();
    }
    result.down = down() - result.down;
    result.up = air.ul_packets - result.up;
    printf("%d frames, packets %d down, %d up; allocations: BS tick %d burst %d push %d, SS tick %d burst %d push %d\n",
           kFrames, static_cast<int>(result.down), static_cast<int>(result.up), static_cast<int>(result.bs.tick),
           static_cast<int>(result.bs.burst), static_cast<int>(result.bs.push), static_cast<int>(result.ss.tick),
           static_cast<int>(result.ss.burst), static_cast<int>(result.ss.push));
    return result;
}

void push_both(Air& air, size_t station, size_t octets, uint16_t port = 5000) {
    const auto down = ip_packet(kServer, station_address(station), octets, port);
    air.bs->push_sdu(down);
    send(air, station, octets, port);
}

TEST(StationAllocations, NoneUnderSaturation) {
    auto config = Air::with_stations(3);
    auto voice_up = flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, 64'000);
    auto voice_down = flow(FlowDirection::downlink, SchedulingType::ugs, kVoicePort, 64'000);
    auto shared = flow(FlowDirection::downlink, SchedulingType::best_effort);
    shared.name = "shared";
    shared.multicast = true;
    shared.classifiers.resize(1);
    shared.classifiers[0].destination = {{kGroup, 0xFF000000}};
    for (auto& station : config.stations)
        station.flows = {shared, voice_down, voice_up, flow(FlowDirection::downlink, SchedulingType::best_effort),
                         flow(FlowDirection::uplink, SchedulingType::best_effort)};
    Air air(config);
    for (int i = 0; i < 3; ++i) air.add();
    const auto result = steady(air, [&](int n) {
        air.bs->push_sdu(ip_packet(kServer, kGroup, 300));
        for (size_t i = 0; i < 3; ++i) {
            push_both(air, i, 80, kVoicePort);
            for (size_t k = 0; k < 5; ++k) push_both(air, i, 40 + (static_cast<size_t>(n) * 397 + k * 811) % 1461);
        }
    });
    EXPECT_EQ(result.bs.sum(), 0U);
    EXPECT_EQ(result.ss.sum(), 0U);
    EXPECT_GT(result.down, 3000U);
    EXPECT_GT(result.up, 3000U);
}

/// Seven rates need the DL-MAP; requests go by contention.
TEST(StationAllocations, NoneWithSevenRatesAndContention) {
    auto config = bare(7, 6);
    for (uint8_t i = 0; i < 7; ++i) config.stations[i].dl_rate_id = config.stations[i].ul_rate_id = i;
    Air air(config);
    for (int i = 0; i < 7; ++i) air.add();
    const auto result = steady(air, [&](int n) {
        for (size_t i = 0; i < 7; ++i)
            if ((static_cast<size_t>(n) + i) % 3 == 0) push_both(air, i, 100 + i * 30);
    });
    EXPECT_EQ(result.bs.sum(), 0U);
    EXPECT_EQ(result.ss.sum(), 0U);
    EXPECT_GT(result.down, 1000U);
    EXPECT_GT(result.up, 1000U);
}

/// Contexts of the ciphers are made with the keys.
TEST(StationAllocations, NoneWithPrivacy) {
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(2)));
    cell.join();
    cell.join();
    const auto result = steady(cell, [&](int n) {
        for (size_t i = 0; i < 2; ++i)
            for (size_t k = 0; k < 5; ++k) push_both(cell, i, 40 + (static_cast<size_t>(n) * 397 + k * 811) % 1461);
    });
    EXPECT_EQ(result.bs.sum(), 0U);
    EXPECT_EQ(result.ss.sum(), 0U);
    EXPECT_GT(result.down, 3000U);
    EXPECT_GT(result.up, 3000U);
    EXPECT_GT(cell.at_base(0)["pdus"]["opened"], 1000U);
}

}  // namespace test_air_allocations
