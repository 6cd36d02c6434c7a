// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/air_log.h"

#include "mac/air/ofdm256/air_codes.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/dictionary.h"
#include "mac/pdu/header.h"

#include <gtest/gtest.h>

namespace wimax::macd {
namespace {

using mac::TappedOctets;

mac::TappedBurst uplink() {
    mac::TappedBurst burst;
    burst.iuc = 5;
    burst.profile = mac::profile_of_fec_code(1);
    burst.measured = true;
    burst.cinr_db = 12.34F;
    return burst;
}

/// A PDU with these octets after its header.
std::vector<uint8_t> pdu(uint16_t cid, std::initializer_list<uint8_t> payload, uint8_t type = 0) {
    mac::Buffer octets;
    mac::GenericHeader header;
    header.cid = cid;
    header.type = type;
    header.len = static_cast<uint16_t>(mac::kHeaderOctets + payload.size());
    header.encode(octets);
    std::vector<uint8_t> all(octets.begin(), octets.end());
    all.insert(all.end(), payload);
    return all;
}

std::string line(const mac::TappedBurst& burst, const std::vector<uint8_t>& octets, bool every = false,
                 TappedOctets what = TappedOctets::pdu) {
    return air_line(burst, octets, what, every, mac::cid::kBasicMax);
}

TEST(AirLog, ManagementMessagesByName) {
    EXPECT_EQ(line(uplink(), pdu(0, {4, 0})), "heard RNG-REQ: 8 octets, CID 0x0000 (UIUC 5, QPSK 1/2, CINR 12.3 dB)");
    auto down = uplink();
    down.downlink = down.sent = true;
    down.measured = false;
    EXPECT_EQ(line(down, pdu(5, {5, 0})), "sent RNG-RSP: 8 octets, CID 0x0005 (DIUC 5, QPSK 1/2)");
    EXPECT_EQ(line(down, pdu(5, {0x80, 5, 0}, mac::type::kFragmentation)),
              "sent RNG-RSP: 9 octets, CID 0x0005 (DIUC 5, QPSK 1/2)");
    EXPECT_EQ(line(down, pdu(5, {0x40, 5, 0}, mac::type::kFragmentation)),
              "sent a fragment: 9 octets, CID 0x0005 (DIUC 5, QPSK 1/2)");
    EXPECT_EQ(line(down, pdu(5, {})), "sent nothing: 6 octets, CID 0x0005 (DIUC 5, QPSK 1/2)");
}

TEST(AirLog, DataAtTraceOnly) {
    EXPECT_EQ(line(uplink(), pdu(1000, {1, 2, 3})), "");
    EXPECT_EQ(line(uplink(), pdu(1000, {1, 2, 3}), true),
              "heard data: 9 octets, CID 0x03e8 (UIUC 5, QPSK 1/2, CINR 12.3 dB)");
}

TEST(AirLog, Requests) {
    mac::Buffer octets;
    mac::BandwidthRequestHeader request;
    request.br = 1234;
    request.cid = 700;
    request.encode(octets);
    EXPECT_EQ(line(uplink(), {octets.begin(), octets.end()}),
              "heard a request of 1234 octets more, CID 0x02bc (UIUC 5, QPSK 1/2, CINR 12.3 dB)");
}

TEST(AirLog, WhatIsNoPduIsSaid) {
    const std::vector<uint8_t> octets(3);
    EXPECT_EQ(line(uplink(), octets, false, TappedOctets::unreadable),
              "heard something unreadable: 3 octets (UIUC 5, QPSK 1/2, CINR 12.3 dB)");
    EXPECT_EQ(line(uplink(), pdu(1000, {1}), false, TappedOctets::bad_crc),
              "heard a PDU with a wrong CRC: 7 octets (UIUC 5, QPSK 1/2, CINR 12.3 dB)");
}

struct Next final : mac::PduTap {
    void on_pdu(const mac::TappedBurst&, size_t offset, mac::Octets octets, TappedOctets) override {
        shown += offset * 100 + octets.size();
    }
    size_t shown = 0;
};

TEST(AirLog, WhoStandsBehindIsShownAll) {
    AirLog log(mac::cid::kBasicMax);
    Next next;
    log.also(&next);
    const auto octets = pdu(1000, {1});
    log.on_pdu(uplink(), 3, octets, TappedOctets::pdu);
    EXPECT_EQ(next.shown, 307U);
    EXPECT_FALSE(log.wanted());
    log::set_level("mac", log::Level::debug);
    EXPECT_TRUE(log.wanted());
    log::set_level("mac", log::Level::info);
}

}  // namespace
}  // namespace wimax::macd
