// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's MAC alone: its calls in a stretch of loaded frames are recorded once from a simulation with
// stations, then repeated on new base stations.
#include "mac/test_air.h"
#include "tools/speed/items.h"

#include <memory>
#include <stdexcept>
#include <variant>

namespace wimax::speed {
namespace {

using mac::Octets;
namespace test = mac::test;

constexpr int kLoadedFrames = 200;
constexpr double kFrameUs = 10'000;
/// 1500-octet packets per frame and direction, over all stations: more than a frame carries.
constexpr size_t kPacketOctets = 1500, kPackets = 16;
constexpr double kEntryLimitS = 60;

using Packet = std::vector<uint8_t>;
using Call = std::variant<sap::ConfigConfirm, sap::FrameTick, sap::RxBurst, Packet>;

/// Records the calls to a base station.
class Recorder final : public mac::BaseStationMac {
public:
    Recorder(std::unique_ptr<BaseStationMac> inner, std::vector<Call>& calls)
        : inner_(std::move(inner)), calls_(calls) {}
    sap::ConfigRequest phy_config() const override { return inner_->phy_config(); }
    void on_phy_start(const sap::ConfigConfirm& confirm) override {
        calls_.emplace_back(confirm);
        inner_->on_phy_start(confirm);
    }
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override {
        calls_.emplace_back(tick);
        inner_->on_tick(tick, tx, expect);
    }
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override {
        calls_.emplace_back(burst);
        return inner_->on_burst(burst, expect);
    }
    void on_contention(const sap::RxContention& heard) override { inner_->on_contention(heard); }
    void on_error(const sap::ErrorIndication& error) override { inner_->on_error(error); }
    bool push_sdu(Octets packet) override {
        calls_.emplace_back(Packet(packet.begin(), packet.end()));
        return inner_->push_sdu(packet);
    }
    bool push_management_packet(Octets packet) override { return inner_->push_management_packet(packet); }
    size_t waiting_octets(Octets packet) override { return inner_->waiting_octets(packet); }
    bool describe(mac::FlowCommand& command) const override { return inner_->describe(command); }
    Outcome change_flow(const mac::FlowCommand& command) override { return inner_->change_flow(command); }
    Outcome command_station(const mac::StationCommand& command) override { return inner_->command_station(command); }
    tl::expected<std::vector<std::string>, Faults> reprovision(const mac::BaseStationConfig& config) override {
        return inner_->reprovision(config);
    }
    Faults change_profile(const mac::BaseStationProfile& profile) override { return inner_->change_profile(profile); }
    nlohmann::json status() const override { return inner_->status(); }
    void report(FigureReader& reader) const override { inner_->report(reader); }
    bool operational() const override { return inner_->operational(); }

private:
    std::unique_ptr<BaseStationMac> inner_;
    std::vector<Call>& calls_;
};

struct History {
    mac::BaseStationConfig config;
    std::vector<Call> calls;
    size_t loaded_from = 0;  ///< before: entry of the stations
};

History record(size_t stations) {
    const mac::BaseStationConfig plain;  // of a default argument GCC 12 believes that it may be uninitialised
    History history{test::Air::with_stations(stations, plain), {}, 0};
    test::Air air(history.config);
    air.bs = std::make_unique<Recorder>(std::move(air.bs), history.calls);
    air.restart_bs_phy();
    for (size_t i = 0; i < stations; ++i) air.add();
    if (air.run_until([&] { return air.all_operational(); }, air.frames(kEntryLimitS)) < 0)
        throw std::runtime_error("stations do not enter");
    size_t turn = 0;
    for (int frame = -kLoadedFrames; frame < kLoadedFrames; ++frame) {
        if (frame == 0) history.loaded_from = history.calls.size();  // queues are full
        for (size_t n = 0; n < kPackets; ++n, turn = (turn + 1) % stations) {
            air.bs->push_sdu(test::ip_packet(test::kServer, test::station_address(turn), kPacketOctets));
            air.terminals[turn]->mac->push_sdu(
                test::ip_packet(test::station_address(turn), test::kServer, kPacketOctets));
        }
        air.step();
    }
    return history;
}

/// A base station and its output.
struct Replay {
    std::unique_ptr<mac::BaseStationMac> bs;
    sap::TxFrame tx;
    sap::RxExpect expect;
    size_t sent_octets = 0, received_octets = 0;

    explicit Replay(const mac::BaseStationConfig& config) : bs(mac::make_base_station(config)) {
        bs->on_sdu = [this](Octets packet) { received_octets += packet.size(); };
    }
    void operator()(const sap::ConfigConfirm& confirm) { bs->on_phy_start(confirm); }
    void operator()(const sap::FrameTick& tick) {
        bs->on_tick(tick, tx, expect);
        for (const auto& burst : tx.bursts) sent_octets += burst.payload.size();
    }
    void operator()(const sap::RxBurst& burst) { bs->on_burst(burst, expect); }
    void operator()(const Packet& packet) { bs->push_sdu(packet); }
};

Round prepare_frames(size_t stations, Stopwatch& watch) {
    const auto history = std::make_shared<History>(record(stations));
    return [history, &watch] {
        watch.pause();
        Replay replay(history->config);
        const auto tell = [&](size_t from, size_t to) {
            for (size_t i = from; i < to; ++i) std::visit(replay, history->calls[i]);
        };
        tell(0, history->loaded_from);
        replay.sent_octets = replay.received_octets = 0;
        watch.resume();
        tell(history->loaded_from, history->calls.size());
        watch.pause();
        // Half of what a frame carries at least, else it was not loaded.
        constexpr size_t kLoad = kLoadedFrames * 5'000;
        if (replay.sent_octets < kLoad || replay.received_octets < kLoad)
            throw std::runtime_error("base station idles: " + std::to_string(replay.sent_octets) + " octets sent, " +
                                     std::to_string(replay.received_octets) + " received");
        watch.resume();
        return kLoadedFrames * 1e-6;
    };
}

}  // namespace

void add_mac_items(std::vector<Item>& items, Stopwatch& watch) {
    for (const size_t stations : {1U, 10U, 100U})
        items.push_back({"mac_bs_frame_us_" + std::to_string(stations), "us", kFrameUs,
                         [stations, &watch] { return prepare_frames(stations, watch); }, true});
}

}  // namespace wimax::speed
