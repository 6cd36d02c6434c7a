// SPDX-License-Identifier: GPL-3.0-or-later
// Test bench: a base station and any number of subscriber stations in one process, with a PHY that moves bursts instead
// of samples. It knows path loss, delay, carrier offset, lost and damaged bursts, and collisions.
#pragma once

#include "mac/air/ofdm256/frame_layout.h"
#include "mac/burst_loop.h"
#include "mac/station_config.h"

#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/pdu/pdu.h"
#include "mac/test_packets.h"

#include <gnuradio/wimax/phy/frame/frame_composer.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>

#include <nlohmann/json.hpp>

#include <map>
#include <random>
#include <set>

namespace wimax::mac::test {

using Json = nlohmann::json;

struct Link {
    int delay_samples = 10;  ///< one way
    float path_loss_db = 80;
    float carrier_offset_hz = 0;  ///< of the station's transmitter, as left over by its receiver
    double downlink_loss = 0, uplink_loss = 0, damage = 0;  ///< probabilities per burst
    bool connected = true;
    float uplink_offset_db = 0;  ///< more loss than in the downlink
};

class Air : private BurstLoop {
public:
    struct Terminal : Listener {
        SubscriberConfig config;
        Link link;
        float tx_reference_dbm = sap::kNoReferenceDbm;  ///< of its ticks
        uint64_t dl_bytes = 0, dl_packets = 0;
        std::vector<uint32_t> dl_numbers;
        std::vector<std::string> events;
        Json status() const { return mac->status(); }
    };

    explicit Air(BaseStationConfig config = {});

    /// `subnet`: the station is provisioned with its own addresses.
    static BaseStationConfig with_stations(size_t count, BaseStationConfig config = {});
    static MacAddress mac_of(size_t i) {
        return {2, 0, 0, 0, static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i + 1)};
    }

    Terminal& add(Link link = {});
    void restart(Terminal& t);
    void restart_phy(Terminal& t);
    void restart_bs();
    void restart_bs_phy();

    /// Other losses and damages than by default.
    void seed(uint32_t seed) { random_.seed(seed); }
    void run(int frames) {
        for (int i = 0; i < frames; ++i) step();
    }
    /// Frames until the condition holds; -1 if it does not within `limit`.
    template <class Condition> int run_until(Condition&& condition, int limit = 1000) {
        for (int i = 0; i < limit; ++i) {
            if (condition()) return i;
            step();
        }
        return condition() ? limit : -1;
    }
    bool all_operational() const {
        return std::all_of(terminals.begin(), terminals.end(), [](const auto& t) { return t->mac->operational(); });
    }
    int frames(double seconds) const { return static_cast<int>(seconds / layout.frame_seconds()); }
    Json bs_status() const { return bs->status(); }

    void step();
    /// The sample count of the PHYs begins as if `frames` frames had passed.
    void begin_at(uint64_t frames) { ticks_ = frames; }

    BaseStationConfig bs_config;
    FrameLayout layout;
    std::unique_ptr<BaseStationMac> bs;
    std::vector<std::unique_ptr<Terminal>> terminals;
    std::map<uint32_t, uint64_t> ul_bytes;  ///< by source address
    uint64_t ul_packets = 0;
    std::vector<uint32_t> ul_numbers;
    std::vector<std::string> events;
    static constexpr phy::FrameNumber kFirstFrame{0xFFFF00};  ///< so that runs pass the 24-bit wrap
    phy::FrameNumber frame = kFirstFrame;
    bool keep_numbers = false, bs_air = true;
    float bs_rx_reference_dbm = sap::kNoReferenceDbm, bs_tx_reference_dbm = sap::kNoReferenceDbm;  ///< of its ticks
    bool total_damage = false;  ///< of a burst that fails nothing is right; otherwise its first third
    std::function<void()> before_tick;
    std::function<void(sap::RxBurst&)> tamper;  ///< every received burst, both ways
    /// Every burst as a MAC gets it; null: the base station.
    std::function<void(const Terminal*, const sap::RxBurst&)> on_received;
    // Faults found by the double itself
    uint64_t too_strong = 0;  ///< frames with more power than a transmitter has
    uint64_t stray_bursts = 0, overlaps = 0, collisions = 0, oversized = 0, too_late_maps = 0;
    int antennas = 1;                                            ///< of the base station's PHY
    uint64_t zone_bursts = 0, subchannel_bursts = 0, codes = 0;  ///< that the other side got
    size_t max_ul_bursts = 0;
    const sap::TxFrame& last_tx() const { return downlink(); }
    const sap::RxExpect& last_expect() const { return uplink(); }

private:
    struct OnAir {
        Terminal* from;
        sap::TxBurst burst;
        float power_dbm;
        int timing_samples;
        float frequency_hz;
        bool used;
    };
    static constexpr float kReferenceDbm = 20, kNoiseDbm = -100, kFullScaleDbm = -10;

    sap::ConfigConfirm confirm() const;
    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p; }

    void ask_base_station(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    phy::Slot burst_end(phy::Slot start, const phy::BurstFormat& format) const override {
        return start.after(format.total_symbols(), layout.symbol_slots);
    }
    bool hears(Listener& listener, sap::FrameTick& tick) override;
    bool finds(const Listener& listener, size_t i) override;
    void deliver(Listener& listener, size_t i, Samples at, sap::RxExpect& expect) override;
    void ask(Listener& listener, const sap::FrameTick& tick, Samples at) override;
    void receive(const sap::RxAllocation& a, sap::RxBurst& r) override;
    /// A code on each channel; two codes on one are none.
    void receive_codes(sap::RxContention& contention) override;
    void report(const sap::RxBurst& burst, Samples at) override;
    void report(const sap::RxContention& contention) override { bs->on_contention(contention); }

    void check_downlink(const sap::TxFrame& tx, const sap::RxExpect& expect);
    void check_uplink(const Terminal& t);
    sap::RxBurst received(const sap::TxBurst& b, uint8_t index, Terminal& t);
    /// Bursts of the base station that the PHY announces.
    phy::FrameComposer composed() const;
    /// Bursts that a station's PHY finds without the maps: those of the frame prefix and of a known zone's prefix.
    std::vector<phy::AnnouncedBurst> announced(const Listener& t) const;
    void spoil(sap::RxBurst& r, const Terminal& t);
    void decode(sap::RxBurst& r, const sap::RxAllocation& a, const std::vector<const OnAir*>& hits);

    std::mt19937 random_{7};
    uint64_t ticks_ = 0;
    std::vector<OnAir> air_;
    std::vector<sap::TxCode> codes_;
    std::vector<phy::AnnouncedBurst> found_;  ///< bursts that the listening station finds in the frame prefix
};

}  // namespace wimax::mac::test
