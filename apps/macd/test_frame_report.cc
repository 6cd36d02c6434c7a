// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/frame_report.h"

#include "mac/pdu/pdu.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wimax::macd {
namespace {

using gr::wimax::phy::BurstKind;
using nlohmann::json;

std::vector<uint8_t> pdus(const std::vector<uint16_t>& cids) {
    mac::Buffer burst;
    for (const uint16_t cid : cids) mac::BandwidthRequestHeader{mac::RequestType::aggregate, 100, cid}.encode(burst);
    return burst;
}

TEST(FrameReport, TellsBurstsOfBothDirections) {
    sap::TxFrame sent;
    sent.frame_number = sap::FrameNumber(7);
    sent.bursts.resize(2);
    sent.bursts[0].start_slot = sap::Slot(216);
    sent.bursts[0].format.data_symbols = 4;
    sent.bursts[0].payload = pdus({0xFFFF});
    sent.bursts[1].start_slot = sap::Slot(504);
    sent.bursts[1].format.rate_id = 6;
    sent.bursts[1].format.iuc = 7;
    sent.bursts[1].format.frame_lsb = 9;
    sent.bursts[1].format.bsid_lsb = 3;  // of the PHY
    sent.bursts[1].format.preamble = gr::wimax::phy::Preamble::short_;
    sent.bursts[1].format.data_symbols = 9;
    sent.bursts[1].format.stc = true;
    sent.bursts[1].payload = pdus({641, 642, 641});
    sap::RxExpect expected;
    expected.allocations.resize(2);
    expected.allocations[0].start_slot = sap::Slot(7200);
    expected.allocations[0].kind = BurstKind::ranging;
    expected.allocations[0].format.preamble = gr::wimax::phy::Preamble::long_;
    expected.allocations[1].start_slot = sap::Slot(7560);
    expected.allocations[1].cid = 2;
    expected.allocations[1].format.data_symbols = 20;

    const json report = frame_report(sent, expected);
    EXPECT_EQ(report["frame"], 7);
    const auto& bursts = report["bursts"];
    ASSERT_EQ(bursts.size(), 4u);
    EXPECT_EQ(bursts[0]["kind"], "maps");
    EXPECT_EQ(bursts[0]["cids"], json({0xFFFF}));
    EXPECT_EQ(bursts[1], json({{"direction", "downlink"},
                               {"kind", "data"},
                               {"slot", 504},
                               {"symbols", 10},
                               {"cids", {641, 642}},
                               {"rate_id", 6},
                               {"iuc", 7},
                               {"frame_lsb", 9},
                               {"preamble_symbols", 1},
                               {"data_symbols", 9},
                               {"midamble_interval", 0},
                               {"subchannel_index", 16},
                               {"attenuation_db", 0},
                               {"stc", true}}));
    EXPECT_EQ(bursts[2]["kind"], "ranging");
    EXPECT_EQ(bursts[2]["symbols"], 2);
    EXPECT_EQ(bursts[3]["direction"], "uplink");
    EXPECT_EQ(bursts[3]["cids"], json({2}));
}

}  // namespace
}  // namespace wimax::macd
