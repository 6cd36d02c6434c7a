// SPDX-License-Identifier: GPL-3.0-or-later
// A subscriber station's view of a small cell, for tests of its components without a base station: 5 MHz (5.76 MS/s),
// CP 1/8 (72 slots per symbol), 10 ms frames (14400 slots), rates 0..6 on DIUC 1..7 and UIUC 5..11.
#pragma once

#include "mac/air/ofdm256/downlink_view.h"

#include <gtest/gtest.h>

namespace wimax::mac::test {

inline Dcd lab_dcd(uint8_t count = 1) {
    Dcd dcd;
    dcd.change_count = count;
    dcd.frame_duration_code = 4;
    dcd.bs_eirp_dbm = 20;
    dcd.rss_ir_max_dbm = -60;
    for (uint8_t rate = 0; rate < 7; ++rate) {
        DownlinkProfile profile;
        profile.diuc = static_cast<uint8_t>(rate + 1);
        profile.fec = rate;
        profile.entry_threshold = static_cast<uint8_t>(4 * (5 + 3 * rate));  // 5, 8, 11 .. 23 dB
        dcd.profiles.push_back(profile);
    }
    return dcd;
}

inline Ucd lab_ucd(uint8_t count = 1) {
    Ucd ucd;
    ucd.change_count = count;
    ucd.reservation_timeout_maps = 4;
    ucd.ranging_opportunity_ps = 6 * 72;
    ucd.request_opportunity_ps = 2 * 72;
    for (uint8_t rate = 0; rate < 7; ++rate) {
        UplinkProfile profile;
        profile.uiuc = static_cast<uint8_t>(rate + 5);
        profile.fec = rate;
        ucd.profiles.push_back(profile);
    }
    return ucd;
}

inline UlMapIe element(uint8_t uiuc, uint16_t cid, uint16_t start, uint16_t duration) {
    UlMapIe ie;
    ie.uiuc = uiuc;
    ie.cid = cid;
    ie.start_symbols = start;
    ie.duration_symbols = duration;
    return ie;
}

inline RateTable seven_rates() { return rates_of(lab_ucd()); }

/// The map of frame 100, allocation start at slot 7200.
inline UplinkMap uplink_with(std::vector<UlMapIe> ies, Edition edition = Edition::cor1) {
    UlMap map;
    map.ies = std::move(ies);
    UplinkMap uplink(edition);
    uplink.read(IndexedUlMap(map), seven_rates(), phy::FrameNumber(100), 4, phy::Slot(7200), 72);
    return uplink;
}

struct Listener {
    static constexpr uint64_t kBsid = 0x20E9FA000001;

    explicit Listener(std::optional<uint64_t> only = {}) : view(only, Edition::cor1, clock) {
        clock.sample_rate_hz = 5'760'000;
        clock.frame = phy::FrameNumber(100);
    }
    sap::RxBurst burst(uint32_t frame = 100) const {
        sap::RxBurst b;
        b.index = 1;
        b.detected = b.fec_ok = true;
        b.frame_number = sap::FrameNumber(frame);
        b.prefix.frame_lsb = frame & 15;
        b.measured.rssi_dbm = -70;
        b.measured.cinr_db = 30;
        b.frame_samples = 57'600;
        return b;
    }
    template <class Message> Broadcast hear(const Message& message, uint32_t frame = 100) {
        Buffer octets;
        encode(message, octets);
        const auto b = burst(frame);
        view.on_burst(b, true);
        ReadBurst reading;
        return view.on_message(octets, reading, b, basic_cid);
    }
    /// Descriptors and a DL-MAP; the network's number of frame 100 is 0x1234.
    void find_network() {
        Dcd dcd = lab_dcd();
        dcd.frame_number = 0x1234;
        DlMap map;
        map.bs_id = kBsid;
        map.dcd_count = 1;
        EXPECT_EQ(hear(map), Broadcast::dl_map);
        EXPECT_EQ(hear(dcd), Broadcast::dcd);
        EXPECT_EQ(hear(lab_ucd()), Broadcast::ucd);
    }
    void pass(int64_t ms) { clock.now += clock.from_ms(ms); }

    uint16_t basic_cid = 0;
    FrameClock clock;
    DownlinkView view;
};

}  // namespace wimax::mac::test
