// SPDX-License-Identifier: GPL-3.0-or-later
// A subscriber station's view of broadcast messages: typed opportunities of the uplink, rates in force, frame numbers,
// bursts beyond the frame prefix.
#include "mac/air/ofdm256/test_listener.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_downlink_view {

TEST(UplinkMap, ElementsBecomeOpportunities) {
    std::vector<UlMapIe> ies;
    for (uint8_t code = 0; code < 16; ++code) ies.push_back(element(code, 7, static_cast<uint16_t>(10 * code), 9));
    const UplinkMap uplink = uplink_with(ies);
    ASSERT_EQ(uplink.opportunities().size(), 12U);  // nothing is sent in UIUC 0 and from 13 on
    using Kind = OpportunityKind;
    const std::vector<Kind> kinds{Kind::initial_ranging, Kind::request_region, Kind::code_region, Kind::code_answer};
    for (size_t i = 1; i <= 12; ++i) {
        const auto& o = uplink.opportunities()[i - 1];
        EXPECT_EQ(o.kind, i <= kinds.size() ? kinds[i - 1] : Kind::grant) << i;
        EXPECT_EQ(o.start_slot, 7200 + 720 * i);
        EXPECT_EQ(o.cid, 7);
        EXPECT_EQ(o.usable(), i >= 5 && i <= 11) << i;  // UIUC 12 has no profile
        if (o.usable()) {
            EXPECT_EQ(o.profile, profile_in_row(i - 5));
            EXPECT_EQ(o.data_symbols, 8);
        }
    }
    EXPECT_EQ(uplink.slot(uplink.opportunities()[1], 4), 7200U + 24 * 72);
    EXPECT_TRUE(uplink.describes(phy::FrameNumber(100)));
    EXPECT_TRUE(uplink.describes(phy::FrameNumber(0x1000064)));  // 24 bits
    EXPECT_FALSE(uplink.describes(phy::FrameNumber(101)));
    EXPECT_EQ(uplink.seed_frame_lsb(), 4);
}

/// Most frames end a search there.
TEST(UplinkMap, KnowsWhetherItHasGrantsAndInvitations) {
    const auto known = [](const UplinkMap& uplink) { return std::pair(uplink.has_grants(), uplink.has_invitations()); };
    const auto open = element(uiuc::kInitialRanging, cid::kBroadcast, 0, 4);
    const auto request = element(uiuc::kReqRegionFull, cid::kBroadcast, 4, 2);
    const auto invitation = element(uiuc::kInitialRanging, 7, 6, 4);
    const auto grant = element(uiuc::kFirstProfile, 7, 10, 9);
    UplinkMap uplink = uplink_with({open, request});
    EXPECT_EQ(known(uplink), std::pair(false, false));
    EXPECT_EQ(known(uplink_with({open, request, invitation})), std::pair(false, true));
    EXPECT_EQ(known(uplink_with({open, request, grant})), std::pair(true, false));
    uplink = uplink_with({open, invitation, grant});
    EXPECT_EQ(known(uplink), std::pair(true, true));
    UlMap map;
    map.ies = {open, grant};
    uplink.read(IndexedUlMap(map), seven_rates(), phy::FrameNumber(101), 5, phy::Slot(7200), 72, 8);
    EXPECT_EQ(known(uplink), std::pair(false, false)) << "the grant is another station's";
}

TEST(UplinkMap, DataSymbolsAreWithoutPreambleAndMidambles) {
    // Midambles every 8, 16, 32 symbols of data: 20 symbols hold a preamble and 17, 18, 19 data symbols.
    constexpr auto k2004 = Edition::ieee2004, kCor1 = Edition::cor1;
    for (const auto& [edition, field, duration, data] : {std::tuple{k2004, 0, 20, 19},
                                                         {k2004, 1, 20, 17},
                                                         {k2004, 2, 20, 18},
                                                         {k2004, 3, 20, 19},
                                                         {k2004, 1, 9, 8},
                                                         {k2004, 1, 10, 8},
                                                         {k2004, 1, 11, 9},
                                                         {k2004, 0, 1, 0},
                                                         {k2004, 0, 0, 0},
                                                         {kCor1, 0, 20, 19},
                                                         {kCor1, 1, 20, 16},
                                                         {kCor1, 2, 20, 17},
                                                         {kCor1, 3, 20, 18},
                                                         {kCor1, 1, 5, 4},
                                                         {kCor1, 1, 6, 4},
                                                         {kCor1, 1, 7, 5},
                                                         {kCor1, 2, 10, 8}}) {
        auto ie = element(9, 7, 0, static_cast<uint16_t>(duration));
        ie.midamble = static_cast<uint8_t>(field);
        const UplinkMap uplink = uplink_with({ie}, edition);
        const auto& grant = uplink.opportunities()[0];
        EXPECT_EQ(grant.data_symbols, data) << field << " " << duration;
        EXPECT_EQ(grant.usable(), data > 0);
    }
    auto part = element(9, 7, 0, 20);
    for (const int subchannel : {0, 1, 15, 16, 31}) {
        part.subchannel = static_cast<uint8_t>(subchannel);
        const auto grant = uplink_with({part}).opportunities()[0];
        EXPECT_TRUE(grant.usable()) << subchannel;
        EXPECT_EQ(grant.subchannel, subchannel == 0 ? 16 : subchannel);
    }
}

/// On its own carrier, an uplink may begin with the frame.
TEST(UplinkMap, AnUplinkAtTheFramesStartIsNotTakenForNone) {
    UlMap map;
    map.ies = {element(9, 8, 0, 4)};
    UplinkMap uplink;
    uplink.read(IndexedUlMap(map), seven_rates(), phy::FrameNumber(100), 4, phy::Slot(0), 72);
    EXPECT_EQ(uplink.first_slot_of_anybody(), 1U);
    EXPECT_EQ(uplink.first_slot({8, false, false}), 1U);
    EXPECT_EQ(uplink.first_slot({9, false, false}), 0U);
    EXPECT_EQ(uplink.opportunities()[0].start_slot, 0U);
}

TEST(UplinkMap, FirstSlotDependsOnRights) {
    const UplinkMap uplink =
        uplink_with({element(3, cid::kBroadcast, 0, 2), element(9, 8, 2, 4), element(1, 7, 10, 6), element(9, 7, 20, 4),
                     element(2, cid::kBroadcast, 30, 2), element(1, cid::kBroadcast, 40, 6), element(14, 0, 46, 0)});
    const auto symbol = [&](const UplinkRights& rights) { return (uplink.first_slot(rights).value() - 7200) / 72; };
    EXPECT_EQ(uplink.first_slot({}), 0U);
    EXPECT_EQ(symbol({0, true, false}), 40U);
    EXPECT_EQ(symbol({9, false, true}), 0U);  // a code
    const UplinkMap answers = uplink_with({element(4, cid::kBroadcast, 4, 2), element(2, cid::kBroadcast, 30, 2)});
    EXPECT_EQ((answers.first_slot({9, false, true}).value() - 7200) / 72, 4U);
    EXPECT_EQ(answers.first_slot({9, true, false}), 0U);
    EXPECT_EQ(symbol({7, false, false}), 10U);  // invited
    EXPECT_EQ(symbol({8, true, false}), 2U);
    EXPECT_EQ(uplink.first_slot_of_anybody(), 7200U);
    EXPECT_EQ(uplink_with({element(13, 7, 0, 6), element(14, 0, 6, 0)}).first_slot_of_anybody(), 0U);
}

TEST(DownlinkView, MapsNeedTheirUcdAndTheFramesLength) {
    Listener l;
    UlMap map;
    map.ucd_count = 1;
    map.alloc_start_ps = 7200;
    map.ies = {element(9, 7, 3, 4)};
    EXPECT_EQ(l.hear(map), Broadcast::unusable_ul_map);
    l.find_network();
    EXPECT_EQ(l.hear(map), Broadcast::ul_map);
    ASSERT_NE(l.view.uplink_of(phy::FrameNumber(100)), nullptr);
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(100))->opportunities()[0].start_slot, 7200U + 3 * 72);
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(101)), nullptr);
    map.alloc_start_ps = 14'400 + 7200;  // of the next frame
    EXPECT_EQ(l.hear(map), Broadcast::ul_map);
    ASSERT_NE(l.view.uplink_of(phy::FrameNumber(101)), nullptr);
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(101))->opportunities()[0].start_slot, 7200U + 3 * 72);
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(101))->seed_frame_lsb(), 100 & 15);
    map.alloc_start_ps = 2 * 14'400 + 7200;  // of a frame that no map may describe
    EXPECT_EQ(l.hear(map), Broadcast::ul_map);
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(102)), nullptr);
    map.ucd_count = 2;
    EXPECT_EQ(l.hear(map), Broadcast::unusable_ul_map);
    l.view.forget();
    EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(100)), nullptr);
    EXPECT_EQ(l.view.ucd(), nullptr);
    EXPECT_EQ(l.view.frame_samples(), 0);
    EXPECT_EQ(l.view.counters().maps, 5U);
    for (const uint8_t count : {1, 2}) l.hear(lab_ucd(count));  // of another network, before any map
    ASSERT_NE(l.view.ucd(), nullptr);
    EXPECT_EQ(l.view.ucd()->change_count, 2);
}

/// Base stations write the whole band as 16 or as 0. Only what is for the station counts.
TEST(DownlinkView, CountsTheFormOfTheWholeBand) {
    Listener l;
    l.basic_cid = 7;
    l.find_network();
    UlMap map;
    map.ucd_count = 1;
    map.alloc_start_ps = 7200;
    for (const uint8_t subchannel : {0, 16, 0, 7})
        for (const uint16_t cid : {uint16_t{7}, uint16_t{8}}) {
            map.ies = {element(9, cid, 3, 4)};
            map.ies[0].subchannel = subchannel;
            l.hear(map);
            if (cid != 7) continue;
            const auto* uplink = l.view.uplink_of(phy::FrameNumber(100));
            ASSERT_NE(uplink, nullptr);
            EXPECT_EQ(uplink->opportunities().at(0).subchannel, subchannel == 0 ? kAllSubchannels : subchannel);
        }
    EXPECT_EQ(l.view.counters().zero_subchannels, 2U);
}

/// Two symbols between bursts of one station, as other makers leave them, and none.
TEST(UplinkMap, BurstsOfAStationMayHaveGaps) {
    for (const uint16_t gap : {0, 1, 2, 50}) {
        const auto second = static_cast<uint16_t>(8 + gap);
        const UplinkMap uplink = uplink_with({element(9, 7, 4, 4), element(9, 7, second, 6)});
        ASSERT_EQ(uplink.opportunities().size(), 2U);
        EXPECT_EQ(uplink.opportunities()[0].start_slot, 7200U + 4 * 72);
        EXPECT_EQ(uplink.opportunities()[1].start_slot, 7200U + second * 72U);
        EXPECT_EQ(uplink.opportunities()[1].data_symbols, 5);
    }
}

/// Its own grants, and the slot in which the uplink begins, are those of the whole map.
TEST(DownlinkView, GrantsOfOtherStationsAreLeftOut) {
    std::mt19937 random(1);
    for (int n = 0; n < 500; ++n) {
        UlMap map;
        for (uint32_t i = random() % 12; i > 0; --i) {
            UlMapIe ie;
            ie.cid = std::array<uint16_t, 4>{5, 6, 7, cid::kBroadcast}[random() % 4];
            ie.uiuc = static_cast<uint8_t>(random() % 13);
            ie.start_symbols = static_cast<uint16_t>(random() % 90);
            ie.duration_symbols = static_cast<uint16_t>(1 + random() % 9);
            map.ies.push_back(ie);
        }
        const uint16_t basic_cid = 6;
        UplinkMap all, own;
        all.read(IndexedUlMap(map), seven_rates(), phy::FrameNumber(100), 4, phy::Slot(0), 72);
        own.read(IndexedUlMap(map), seven_rates(), phy::FrameNumber(100), 4, phy::Slot(0), 72, basic_cid);
        EXPECT_EQ(own.first_slot_of_anybody(), all.first_slot_of_anybody());
        EXPECT_EQ(own.density_gain_db(basic_cid), all.density_gain_db(basic_cid));
        const UplinkRights rights{basic_cid, random() % 2 == 0, random() % 2 == 0, {}};
        EXPECT_EQ(own.first_slot(rights), all.first_slot(rights));
        auto next = own.opportunities().begin();
        for (const auto& o : all.opportunities()) {
            if (o.kind == OpportunityKind::grant && o.cid != basic_cid) continue;
            ASSERT_NE(next, own.opportunities().end());
            EXPECT_EQ(next->cid, o.cid);
            EXPECT_EQ(next->start_slot, o.start_slot);
            EXPECT_EQ(next->data_symbols, o.data_symbols);
            ++next;
        }
        EXPECT_EQ(next, own.opportunities().end());
    }
}

/// The signal of an entry on a subchannel is not known: such an element is no opportunity, and the others stay.
TEST(UplinkMap, EntryOnASubchannelIsSkipped) {
    const std::vector<UlMapIe> known{element(uiuc::kInitialRanging, cid::kInitialRanging, 0, 6),
                                     element(uiuc::kReqRegionFull, cid::kBroadcast, 6, 4), element(7, 33, 14, 8)};
    std::mt19937 random(5);
    for (size_t place = 0; place <= known.size(); ++place) {
        auto ies = known;
        auto entry = element(uiuc::kNetworkEntry, cid::kBroadcast, 10, 4);
        entry.entry = {static_cast<uint8_t>(random() % 32), static_cast<uint8_t>(random() % 16),
                       static_cast<uint8_t>(random() % 8)};
        ies.insert(ies.begin() + static_cast<std::ptrdiff_t>(place), entry);
        Listener l;
        l.basic_cid = 33;
        l.find_network();
        UlMap map;
        map.ucd_count = 1;
        map.alloc_start_ps = 7200;
        map.ies = ies;
        map.ies.push_back(element(uiuc::kEndOfMap, 0, 22, 0));
        ASSERT_EQ(l.hear(map), Broadcast::ul_map);
        const auto* uplink = l.view.uplink_of(phy::FrameNumber(100));
        ASSERT_TRUE(uplink);
        const auto& there = uplink->opportunities();
        ASSERT_EQ(there.size(), known.size()) << place;
        for (size_t i = 0; i < known.size(); ++i) {
            EXPECT_EQ(there[i].uiuc, known[i].uiuc);
            EXPECT_EQ(there[i].cid, known[i].cid);
            EXPECT_EQ(there[i].duration_symbols, known[i].duration_symbols);
            EXPECT_EQ(there[i].start_slot, phy::Slot(7200).after(known[i].start_symbols, 72));
        }
        EXPECT_EQ(uplink->first_slot({33, true, true, {}}), phy::Slot(7200));
    }
}

/// A frame has one power, which its widest part limits.
TEST(DownlinkView, CodesAreAsStrongAsOnOneSubchannel) {
    const Listener l;
    sap::TxFrame tx;
    tx.codes.push_back({phy::Slot(100), {3, 1}, 0});
    EXPECT_NEAR(l.view.density_gain_db(tx), 12.04, 0.01);
    sap::TxBurst burst;
    burst.format.subchannel_index = 4;
    tx.bursts.push_back(burst);
    EXPECT_NEAR(l.view.density_gain_db(tx), 6.02, 0.01);
    tx.codes.push_back({phy::Slot(200), {3, 1}, 2});
    EXPECT_EQ(l.view.density_gain_db(tx), 0);
}

std::optional<Dcd> dcd_of(const Listener& l) { return l.view.dcd() ? std::optional(*l.view.dcd()) : std::nullopt; }

void expect_terms_of_the_ucd(const Listener& l) {
    const auto terms = l.view.contention_terms();
    ASSERT_EQ(terms.has_value(), l.view.ucd() != nullptr);
    if (!terms) return;
    const auto expected = terms_of(*l.view.ucd());
    EXPECT_EQ(terms->ranging.first, expected.ranging.first);
    EXPECT_EQ(terms->requests.last, expected.requests.last);
    EXPECT_EQ(terms->answer_maps, expected.answer_maps);
}

/// Messages in random order. What is derived from the descriptors in force follows them, also if one changes without
/// its count, or is stored again.
TEST(DownlinkView, WhatIsKeptOfDescriptorsFollowsThem) {
    std::mt19937 random(1);
    const auto below = [&](uint32_t n) { return static_cast<uint8_t>(random() % n); };
    Listener l;
    l.find_network();
    int changes = 0, grants = 0;
    for (int n = 0; n < 3000; ++n) {
        const auto before = dcd_of(l);
        const uint32_t version = l.view.state().dcd_version;
        const auto count = static_cast<uint8_t>(1 + below(3));
        Dcd dcd = lab_dcd(count);
        dcd.profiles[6].entry_threshold = static_cast<uint8_t>(60 + below(3));
        Ucd ucd = lab_ucd(count);
        ucd.request_backoff[1] = below(16);
        ucd.profiles[0].fec = below(7);
        DlMap dl_map;
        dl_map.bs_id = Listener::kBsid;
        dl_map.dcd_count = count;
        UlMap ul_map;
        ul_map.ucd_count = count;
        ul_map.ies.resize(1);
        ul_map.ies[0].cid = 6;
        ul_map.ies[0].uiuc = ucd.profiles[0].uiuc;
        switch (below(9)) {
            case 0: l.view.forget(); break;
            case 1:
            case 2: l.hear(dcd); break;
            case 3:
            case 4: l.hear(dl_map); break;
            case 5:
            case 6: l.hear(ucd); break;
            default:
                if (l.hear(ul_map) != Broadcast::ul_map) break;
                ++grants;
                EXPECT_EQ(l.view.uplink_of(phy::FrameNumber(100))->opportunities().at(0).profile,
                          profile_of(rates_of(*l.view.ucd()), ul_map.ies[0].uiuc));
        }
        expect_terms_of_the_ucd(l);
        if (dcd_of(l) == before) continue;
        ++changes;
        EXPECT_NE(l.view.state().dcd_version, version);
    }
    EXPECT_GT(changes, 300);
    EXPECT_GT(grants, 100);
}

TEST(DownlinkView, OneBaseStationAtATime) {
    Listener any, one(0x42);
    DlMap map;
    map.bs_id = Listener::kBsid;
    EXPECT_EQ(one.hear(map), Broadcast::foreign);
    EXPECT_FALSE(one.view.state().bsid);
    EXPECT_EQ(any.hear(map), Broadcast::dl_map);
    map.bs_id = 0x42;
    EXPECT_EQ(any.hear(map), Broadcast::foreign);
    EXPECT_EQ(any.view.state().bsid, Listener::kBsid);
    EXPECT_EQ(one.hear(map), Broadcast::dl_map);
    ReadBurst reading;
    EXPECT_EQ(any.view.on_message(std::vector<uint8_t>{0xEE}, reading, any.burst(), 0), Broadcast::malformed);
    for (const auto type : {MessageType::dl_map, MessageType::ul_map, MessageType::dcd, MessageType::ucd}) {
        const std::vector message{static_cast<uint8_t>(type)};
        EXPECT_EQ(any.view.on_message(message, reading, any.burst(), 0), Broadcast::malformed);
    }
}

TEST(DownlinkView, AReportAveragesAsItsRequestSays) {
    for (int alpha = 1; alpha < 16; ++alpha) {
        Listener l;
        l.find_network();
        RepReq asked;
        const auto type =
            static_cast<uint8_t>(tlv::report_request::cinr | alpha << tlv::report_request::kAveragingShift);
        asked.request = ReportRequest{type, 9};
        const auto report_at = [&](float cinr_db) {
            auto burst = l.burst();
            burst.measured.cinr_db = cinr_db;
            l.view.on_burst(burst, true);
            return l.view.report(asked).report.value().cinr.value()[0];
        };
        for (int i = 0; i < 300; ++i) report_at(10);
        const double share = alpha / 32.0, mean_db = 10 * std::log10((1 - share) * 10 + share * 100);
        EXPECT_EQ(report_at(20), phy::cinr_mean_code(static_cast<float>(mean_db))) << alpha;
    }
}

TEST(DownlinkView, ProfilesHoldFromTheirDlMapOn) {
    Listener l;
    l.find_network();
    sap::ProfilesRequest profiles;
    EXPECT_TRUE(l.view.profiles_changed(profiles));
    EXPECT_FALSE(l.view.profiles_changed(profiles));
    EXPECT_EQ(profiles.diuc_rates[7], 6);
    EXPECT_EQ(profiles.diuc_rates[8], -1);
    Dcd other = lab_dcd(2);
    other.profiles[6].fec = 5;
    l.hear(other);
    EXPECT_FALSE(l.view.profiles_changed(profiles));
    DlMap map;
    map.bs_id = Listener::kBsid;
    map.dcd_count = 2;
    l.hear(map);
    EXPECT_TRUE(l.view.profiles_changed(profiles));
    EXPECT_EQ(profiles.diuc_rates[7], 5);
    EXPECT_EQ(profiles.dcd_count, 2);
}

TEST(DownlinkView, FrameNumbersComeFromTheDcd) {
    Listener l;
    EXPECT_EQ(l.view.network_frame(), 100U);
    l.find_network();
    EXPECT_EQ(l.view.network_frame(), 0x1234U);
    l.clock.frame = phy::FrameNumber(90);
    EXPECT_EQ(l.view.network_frame(), 0x1234U - 10);
}

/// A DL-MAP as the lab network sends it, in the frame whose prefix has these entries.
sap::RxExpect expected_of(Listener& l, std::vector<DlMapIe> ies, std::initializer_list<phy::FramePrefixEntry> entries) {
    DlMap map;
    map.bs_id = Listener::kBsid;
    map.dcd_count = 1;
    map.ies = std::move(ies);
    EXPECT_EQ(l.hear(map), Broadcast::dl_map);
    auto burst = l.burst();
    for (const auto& e : entries) burst.prefix.entries[static_cast<size_t>(burst.prefix.entry_count++)] = e;
    sap::RxExpect expect;
    l.view.expect_bursts(burst, expect);
    return expect;
}
DlMapIe burst_ie(uint8_t diuc, uint16_t start, bool preamble = false) {
    return {cid::kBroadcast, diuc, preamble, start, {}};
}

/// Bursts 1 to 4 are in the frame prefix. An element's burst ends where the next begins; its preamble is no data.
TEST(DownlinkView, BurstsBeyondTheFramePrefixAreExpected) {
    const auto prefix = {phy::FramePrefixEntry{0, false, 5}, {2, false, 4}, {3, false, 4}, {4, false, 4}};
    for (const bool names_first : {false, true}) {
        Listener l;
        l.find_network();
        const uint16_t starts[] = {3, 8, 12, 16, 20, 31};
        std::vector<DlMapIe> ies;
        for (size_t i = names_first ? 0 : 1; i < 6; ++i)
            ies.push_back(burst_ie(static_cast<uint8_t>(i + 1), starts[i], i == 5));
        ies.push_back(burst_ie(diuc::kEndOfMap, 40));
        auto expect = expected_of(l, ies, prefix);
        ASSERT_EQ(expect.allocations.size(), 2U) << names_first;
        EXPECT_EQ(expect.allocations[0].start_slot, 20U * 72);
        EXPECT_EQ(expect.allocations[0].format.rate_id, 4);
        EXPECT_EQ(expect.allocations[0].format.iuc, 5);
        EXPECT_EQ(expect.allocations[0].format.preamble, phy::Preamble::none);
        EXPECT_EQ(expect.allocations[0].format.data_symbols, 11);
        EXPECT_EQ(expect.allocations[0].format.frame_lsb, 4);
        EXPECT_FALSE(expect.allocations[0].format.stc);
        EXPECT_EQ(expect.allocations[1].start_slot, 31U * 72);
        EXPECT_EQ(expect.allocations[1].format.preamble, phy::Preamble::short_);
        EXPECT_EQ(expect.allocations[1].format.data_symbols, 8);
        EXPECT_TRUE(expect.stc_zone_slots.empty());
        expect.allocations.clear();
        l.view.on_burst(l.burst(), false);  // the next burst has none
        l.view.expect_bursts(l.burst(), expect);
        EXPECT_TRUE(expect.allocations.empty());
    }
}

/// A base station may announce fewer than four, and a gap ends the prefix's bursts.
TEST(DownlinkView, AShortPrefixLeavesMoreToTheMap) {
    Listener l;
    l.find_network();
    const auto expect = expected_of(
        l, {burst_ie(2, 9), burst_ie(diuc::kGap, 13), burst_ie(3, 20), burst_ie(4, 24), burst_ie(diuc::kEndOfMap, 30)},
        {{0, false, 6}, {2, false, 4}});
    ASSERT_EQ(expect.allocations.size(), 2U);
    EXPECT_EQ(expect.allocations[0].start_slot, 20U * 72);
    EXPECT_EQ(expect.allocations[0].format.data_symbols, 4);
    EXPECT_EQ(expect.allocations[1].start_slot, 24U * 72);
    EXPECT_EQ(expect.allocations[1].format.data_symbols, 6);
}

/// Several elements may share a burst, and extended ones (DIUC 15) end none.
TEST(DownlinkView, ElementsThatBeginTogetherAreOneBurst) {
    Listener l;
    l.find_network();
    DlMapIe extended = burst_ie(diuc::kExtended, 0);
    extended.extended = {3, 1, {7}};
    const auto expect = expected_of(
        l, {burst_ie(2, 9), burst_ie(2, 9), extended, burst_ie(3, 12), burst_ie(diuc::kEndOfMap, 14)}, {{0, false, 6}});
    ASSERT_EQ(expect.allocations.size(), 2U);
    EXPECT_EQ(expect.allocations[0].start_slot, 9U * 72);
    EXPECT_EQ(expect.allocations[0].format.data_symbols, 3);
    EXPECT_EQ(expect.allocations[1].start_slot, 12U * 72);
}

/// The first four bursts of a zone are in the zone's prefix.
TEST(DownlinkView, StcZonesAndTheirFifthBurst) {
    Listener l;
    l.find_network();
    std::vector<DlMapIe> ies{burst_ie(diuc::kStcZone, 9)};
    for (uint16_t i = 0; i < 5; ++i)
        ies.push_back(burst_ie(static_cast<uint8_t>(i + 1), static_cast<uint16_t>(12 + 4 * i)));
    ies.push_back(burst_ie(diuc::kEndOfMap, 32));
    auto expect = expected_of(l, ies, {{0, false, 6}});
    EXPECT_EQ(expect.stc_zone_slots, std::vector{phy::Slot(9 * 72)});
    ASSERT_EQ(expect.allocations.size(), 1U);
    EXPECT_EQ(expect.allocations[0].start_slot, 28U * 72);
    EXPECT_EQ(expect.allocations[0].format.data_symbols, 4);
    EXPECT_TRUE(expect.allocations[0].format.stc);
    expect = expected_of(l, ies, {{0, false, 6}, {phy::kStcZoneDiuc, false, 9}});
    EXPECT_TRUE(expect.stc_zone_slots.empty());
    EXPECT_EQ(expect.allocations.size(), 1U);
}

TEST(DownlinkView, TheMostDemandingProfileThatTheCinrAllows) {
    Listener l;
    EXPECT_EQ(l.view.preferred_code(), diuc::kFirstProfile);
    l.find_network();
    for (const auto& [cinr_db, diuc] : {std::pair{4.0F, 1}, {5.0F, 1}, {7.9F, 1}, {8.0F, 2}, {22.9F, 6}, {30.0F, 7}}) {
        auto burst = l.burst();
        burst.measured.cinr_db = cinr_db;
        l.view.on_burst(burst, true);
        EXPECT_EQ(l.view.preferred_code(), diuc) << cinr_db;
    }
}

}  // namespace test_downlink_view
