// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure of both stations' status against an independent count on air and at the users. A figure that is neither
// counted here nor named with the test that compares it fails this test.
#include "mac/pdu/cid.h"
#include "mac/test_cells.h"
#include "mac/test_transcript.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_figures {

/// Values by path, as leaves() names them.
using Figures = std::map<std::string, double>;

/// Counts of one connection, from its PDUs.
struct FlowCount {
    double pdus = 0, fragments = 0, packed = 0;
    double sdus = 0;  ///< whole, or a last fragment
};

class CountedCell : public Air {
public:
    static constexpr size_t kStations = 2;

    CountedCell() : Air(config()) {
        for (size_t i = 0; i < kStations; ++i) {
            add({.delay_samples = 10 + 20 * static_cast<int>(i),
                 .path_loss_db = 70 + 5 * static_cast<float>(i),
                 .carrier_offset_hz = 300 * static_cast<float>(i)});
        }
        bs->on_phy_start(confirmed());
        on_received = [this](const Terminal* t, const sap::RxBurst& burst) {
            if (t) heard_by(index_of(*t), burst);
            else heard_by_base(burst);
        };
        for (size_t i = 0; i < kStations; ++i) {
            terminals[i]->mac->on_sdu = [this, i](Octets p) {
                ss_[i]["dl.sdus"] += 1;
                ss_[i]["dl.bytes"] += static_cast<double>(p.size());
            };
        }
        bs->on_sdu = [this](Octets p) {
            const size_t i = source_of(p) == station_address(0) ? 0 : 1;
            at_bs_[i]["ul.sdus"] += 1;
            at_bs_[i]["ul.bytes"] += static_cast<double>(p.size());
        };
    }
    void next() {
        step();
        bs_["frames"] += 1;
        if (last_tx().bursts.empty()) bs_["silent_frames"] += 1;
        else count_downlink();
        for (size_t i = 0; i < kStations; ++i) count_station(i);
    }
    bool send_down(size_t i, size_t octets, uint16_t port = 5000) {
        const bool taken = bs->push_sdu(ip_packet(kServer, station_address(i), octets, port));
        if (!taken) bs_["drops.refused"] += 1;
        return taken;
    }
    bool send_up(size_t i, size_t octets, uint16_t port = 5000) {
        const bool taken = terminals[i]->mac->push_sdu(ip_packet(station_address(i), kServer, octets, port));
        if (taken) {
            ss_[i]["ul.sdus"] += 1;
            ss_[i]["ul.bytes"] += static_cast<double>(octets);
        } else {
            ss_[i]["drops.refused"] += 1;
        }
        return taken;
    }

    /// Events that must not have happened.
    Figures bs_{{"contention.undecoded", 0}, {"contention.bursts", 0},  {"drops.refused", 0},
                {"drops.unknown_cid", 0},    {"drops.stale_bursts", 0}, {"drops.wrong_source", 0},
                {"ranging.undecoded", 0}};
    Figures ss_[kStations]{nothing_yet(), nothing_yet()};
    Figures at_bs_[kStations]{{{"malformed", 0}, {"ul.missed", 0}, {"ul.wrong_source", 0}},
                              {{"malformed", 0}, {"ul.missed", 0}, {"ul.wrong_source", 0}}};
    std::map<uint16_t, FlowCount> sent_;  ///< by connection

private:
    static Figures nothing_yet() {
        return {{"drops.malformed", 0},    {"drops.refused", 0},      {"requests.contention", 0},
                {"requests.aggregate", 0}, {"requests.piggyback", 0}, {"stopped_bursts", 0}};
    }
    static BaseStationConfig config() {
        auto config = bare(kStations, 6);
        set_flows(config, {flow(FlowDirection::uplink, SchedulingType::best_effort)});
        // UGS carries requests to be polled: the other station asks in contention.
        config.stations[0].flows.push_back(flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, 80'000));
        return config;
    }
    sap::ConfigConfirm confirmed() const {
        sap::ConfigConfirm c;
        c.sample_rate_hz = static_cast<uint32_t>(layout.sample_rate_hz());
        c.tx_reference_dbm = 20;
        c.rx_reference_dbm = -10;
        return c;
    }
    size_t index_of(const Terminal& t) const { return &t == terminals[0].get() ? 0 : 1; }
    static bool counts(const sap::RxBurst& burst, const Pdu& pdu) { return burst.fec_ok || pdu.crc_style.has_value(); }

    /// Counts what a station reads in a burst.
    void heard_by(size_t i, const sap::RxBurst& burst) {
        Figures& f = ss_[i];
        f["bursts"] += 1;
        f["undecoded_bursts"] += !burst.fec_ok;
        const Json status = terminals[i]->status();
        std::set<uint16_t> own{cid::kInitialRanging, cid::kBroadcast};
        const uint16_t basic = status["basic_cid"];
        if (basic != 0) own.insert({basic, static_cast<uint16_t>(basic + bs_config.basic_cids)});
        for (const auto& of : status["flows"]) own.insert(of["cid"].get<uint16_t>());
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request || !counts(burst, *pdu)) {
                f["drops.malformed"] += 1;
                continue;
            }
            if (!own.contains(pdu->cid())) f["drops.foreign_pdus"] += 1;
            const auto type = message_type(pdu->body);
            if (pdu->cid() == cid::kBroadcast) {
                f["maps"] += type == MessageType::ul_map;
                f["dl_maps"] += type == MessageType::dl_map;
                f["dcds"] += type == MessageType::dcd;
                f["ucds"] += type == MessageType::ucd;
            } else if (RngRsp rsp; type == MessageType::rng_rsp && own.contains(pdu->cid()) &&
                                   wimax::mac::decode(pdu->body, rsp) && rsp.ss_mac.value_or(mac_of(i)) == mac_of(i)) {
                f["corrections"] += rsp.timing_adjust_samples.value_or(0) != 0 ||
                                    rsp.power_adjust_qdb.value_or(0) != 0 || rsp.frequency_adjust_hz.value_or(0) != 0;
            }
        }
        f["stopped_bursts"] += reader.error().has_value();
    }

    void heard_by_base(const sap::RxBurst& burst) {
        if (burst.kind != sap::BurstKind::data) {
            if (!burst.detected) return;
            const std::string of = burst.kind == sap::BurstKind::ranging ? "ranging" : "contention";
            bs_[of + ".bursts"] += 1;
            PduReader reader(burst.payload);
            const auto pdu = reader.next();
            if (!pdu || pdu->is_request != (of == "contention")) bs_[of + ".undecoded"] += 1;
            else if (pdu->is_request) request_of(pdu->request.cid, 1);
            return;
        }
        const auto owner = station_of(burst.cid);
        if (!owner) {
            bs_["drops.stale_bursts"] += 1;
            return;
        }
        Figures& f = at_bs_[*owner];
        if (!burst.detected) {
            f["ul.missed"] += 1;
            return;
        }
        f["ul.bursts"] += 1;
        f["ul.fec_errors"] += !burst.fec_ok;
        bs_["bytes.ul_capacity"] += static_cast<double>(burst.payload.size());
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request) {
                if (burst.fec_ok) request_of(pdu->request.cid, 1);
                continue;
            }
            if (!counts(burst, *pdu)) {
                f["malformed"] += 1;
                continue;
            }
            const auto subheaders = parse_subheaders(*pdu);
            if (subheaders && subheaders->grant_management && pdu->cid() != voice_cid(*owner)) f["ul.requests"] += 1;
        }
        f["ul.stopped"] += reader.error().has_value();
        if (reader.error()) return;
        size_t padding = burst.payload.size();  // octets after the last PDU
        PduReader again(burst.payload);
        while (const auto pdu = again.next_any()) padding = burst.payload.size() - pdu->offset - pdu->octets.size();
        bs_["bytes.ul_padding"] += static_cast<double>(padding);
    }
    void request_of(uint16_t cid, double count) {
        if (const auto owner = owner_of(cid)) at_bs_[*owner]["ul.requests"] += count;
        else bs_["drops.unknown_cid"] += count;
    }
    std::optional<size_t> station_of(uint16_t basic_cid) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["basic_cid"] == basic_cid) return s["mac"] == "02:00:00:00:00:01" ? 0 : 1;
        return {};
    }
    std::optional<size_t> owner_of(uint16_t cid) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"]) {
            const size_t i = s["mac"] == "02:00:00:00:00:01" ? 0 : 1;
            const uint16_t basic = s["basic_cid"];
            if (cid == basic || cid == basic + bs_config.basic_cids) return i;
            for (const auto& of : s["flows"])
                if (of["cid"] == cid) return i;
        }
        return {};
    }
    uint16_t voice_cid(size_t i) const {
        const Json status = terminals[i]->status();
        for (const auto& of : status["flows"])
            if (of["scheduling"] == "UGS") return of["cid"];
        return 0;
    }

    /// PDUs of connections as they are sent.
    void count_pdus(Octets payload) {
        PduReader reader(payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request || !cid::is_transport(pdu->cid())) continue;
            const auto subheaders = parse_subheaders(*pdu);
            FlowCount& of = sent_[pdu->cid()];
            of.pdus += 1;
            const auto unit = [&](FragmentControl fc) {
                of.fragments += fc != FragmentControl::unfragmented;
                of.sdus += fc == FragmentControl::unfragmented || fc == FragmentControl::last;
            };
            if (subheaders->packed) {
                UnitReader units(subheaders->rest, true);
                while (const auto one = units.next()) {
                    unit(one->subheader.fc);
                    // Each that is not cut off at the PDU's end.
                    of.packed += one->subheader.fc != FragmentControl::first;
                }
            } else if (subheaders->fragmentation) {
                unit(subheaders->fragmentation->fc);
            } else {
                unit(FragmentControl::unfragmented);
            }
        }
    }

    void count_downlink() {
        const auto& bursts = last_tx().bursts;
        const auto& first = bursts[0];
        double symbols = first.format.data_symbols;
        size_t octets = 0;
        PduReader reader(first.payload);
        // A symbol belongs to the message that begins it.
        while (const auto pdu = reader.next()) {
            const uint8_t rate = first.format.rate_id;
            const uint32_t before = octets == 0 ? 0 : symbols_for(rate, octets);
            octets += pdu->octets.size();
            const auto more = static_cast<double>(symbols_for(rate, octets) - before);
            const auto type = pdu->cid() == cid::kBroadcast ? message_type(pdu->body) : std::nullopt;
            bs_["dl_maps"] += type == MessageType::dl_map;
            bs_["ul_maps"] += type == MessageType::ul_map;
            bs_["dcds"] += type == MessageType::dcd;
            bs_["ucds"] += type == MessageType::ucd;
            if (type == MessageType::dl_map || type == MessageType::ul_map) bs_["symbols.dl.maps"] += more;
            else if (type == MessageType::dcd || type == MessageType::ucd) bs_["symbols.dl.descriptors"] += more;
            else bs_["symbols.dl.management"] += more;
            if (UlMap map; type == MessageType::ul_map && wimax::mac::decode(pdu->body, map)) count_map(map);
        }
        for (size_t b = 1; b < bursts.size(); ++b) {
            const auto& burst = bursts[b];
            symbols += burst.format.data_symbols;
            bs_["symbols.dl.data"] += burst.format.data_symbols;
            bs_["bytes.dl_payload"] += static_cast<double>(burst.payload.size());
            bs_["bytes.dl_capacity"] += static_cast<double>(bytes_in(burst.format.rate_id, burst.format.data_symbols));
            count_pdus(burst.payload);
        }
        bs_["symbols.dl.preamble"] += 2;
        bs_["symbols.dl.fch"] += 1;
        bs_["symbols.dl.idle"] += layout.downlink.symbols - symbols - 3;
        bs_["symbols.dl.gap"] +=
            layout.uplink.first.symbol(layout.symbol_slots) - static_cast<int>(layout.downlink.symbols);
    }
    void count_map(const UlMap& map) {
        std::set<uint16_t> granted;
        double used = 0;
        for (const auto& ie : map.ies) {
            if (ie.uiuc == uiuc::kEndOfMap) continue;
            used += ie.duration_symbols;
            if (ie.uiuc == uiuc::kInitialRanging) {
                bs_["symbols.ul.ranging"] += ie.duration_symbols;
            } else if (ie.uiuc == uiuc::kReqRegionFull) {
                bs_["symbols.ul.contention"] += ie.duration_symbols;
            } else {
                bs_["symbols.ul.preamble"] += 1;
                bs_["symbols.ul.data"] += ie.duration_symbols - 1;
                const auto owner = station_of(ie.cid);
                ASSERT_TRUE(owner);
                at_bs_[*owner]["ul.symbols"] += ie.duration_symbols;
                granted.insert(ie.cid);
            }
        }
        for (const uint16_t cid : granted) at_bs_[*station_of(cid)]["ul.grants"] += 1;
        bs_["symbols.ul.idle"] += layout.uplink.symbols - used;
        bs_["symbols.ul.gap"] += layout.frame_symbols -
                                 static_cast<double>(layout.uplink.first.symbol(layout.symbol_slots)) -
                                 layout.uplink.symbols;
    }

    void count_station(size_t i) {
        Figures& f = ss_[i];
        const Terminal& t = *terminals[i];
        f["frames"] += 1;
        f["unsynchronised_ticks"] += !t.synchronised;
        for (const auto& burst : t.tx.bursts) {
            if (burst.format.iuc == uiuc::kInitialRanging) {
                PduReader reader(burst.payload);
                f["ranging.attempts"] += 1;
                f["ranging.invited"] += reader.next()->cid() != cid::kInitialRanging;
                continue;
            }
            if (burst.format.iuc == uiuc::kReqRegionFull) {
                f["requests.contention"] += 1;
                continue;
            }
            f["grants.count"] += 1;
            f["grants.capacity_bytes"] +=
                static_cast<double>(bytes_in(burst.format.rate_id, burst.format.data_symbols));
            f["grants.payload_bytes"] += static_cast<double>(burst.payload.size());
            PduReader reader(burst.payload);
            while (const auto pdu = reader.next()) {
                f["requests.aggregate"] += pdu->is_request;
                if (pdu->is_request) continue;
                const auto subheaders = parse_subheaders(*pdu);
                f["requests.piggyback"] += subheaders->grant_management && pdu->cid() != voice_cid(i);
            }
            count_pdus(burst.payload);
        }
    }
};

/// Compares counted and constant values; the rest has to be compared elsewhere.
void compare(const std::string& who, const Json& status, const Figures& counted, const std::map<std::string, Json>& is,
             const std::set<std::string>& elsewhere) {
    std::set<std::string> met;
    for (const auto& [leaf, value] : leaves(status)) {
        const std::string path = path_of(leaf);
        met.insert(path);
        if (const auto found = is.find(path); found != is.end()) {
            if (value.is_number_float())
                EXPECT_NEAR(value.get<double>(), found->second.get<double>(), 0.02) << who << " " << path;
            else EXPECT_EQ(value, found->second) << who << " " << path;
        } else if (const auto count = counted.find(path); count != counted.end()) {
            EXPECT_EQ(value.get<double>(), count->second) << who << " " << path;
        } else if (!among(path, elsewhere)) {
            ADD_FAILURE() << who << ": nothing counts this figure: " << path << " = " << value;
        }
    }
    for (const auto& [path, value] : counted)
        if (value != 0) {
            EXPECT_TRUE(met.contains(path)) << who << ": no figure says that: " << path << " = " << value;
        }
    for (const auto& [path, value] : is) EXPECT_TRUE(met.contains(path)) << who << ": there is no figure " << path;
}

Json of_flow(const Json& flows, uint16_t cid) {
    for (const auto& f : flows)
        if (f["cid"] == cid) return f;
    return {};
}

class Figures_ : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithoutAndWithLosses, Figures_, ::testing::Bool());

TEST_P(Figures_, AreWhatPassedOnAirAndAtTheUsers) {
    const bool losses = GetParam();
    CountedCell cell;
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) cell.next();
    ASSERT_TRUE(cell.all_operational());
    for (auto& t : cell.terminals) t->link.downlink_loss = t->link.uplink_loss = losses ? 0.15 : 0;
    for (int i = 0; i < 400; ++i) {
        if (i % 2 == 0) cell.send_up(0, 180, kVoicePort);
        for (size_t s = 0; s < CountedCell::kStations; ++s) {
            if (random() % 4 == 0) cell.send_up(s, 40 + random() % 1460);
            if (random() % 3 == 0) cell.send_down(s, 40 + random() % 1460);
            if (i % 50 == 0)
                for (int k = 0; k < 6; ++k) {
                    cell.send_up(s, 60);
                    cell.send_down(s, 60);
                }
        }
        cell.next();
    }
    for (auto& t : cell.terminals) t->link.downlink_loss = t->link.uplink_loss = 0;
    for (int i = 0; i < 150; ++i) cell.next();
    // No station has these.
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(cell.bs->push_sdu(ip_packet(kServer, 0x0B000001, 100)));
        std::vector<uint8_t> ipv6(60, 0x60);
        for (auto& t : cell.terminals) EXPECT_FALSE(t->mac->push_sdu(ipv6));
    }
    sap::ErrorIndication error;
    error.kind = sap::ErrorKind::late;
    cell.bs->on_error(error);
    for (auto& t : cell.terminals) t->mac->on_error(error);
    error.kind = sap::ErrorKind::invalid;
    for (int i = 0; i < 2; ++i) {
        cell.bs->on_error(error);
        cell.terminals[1]->mac->on_error(error);
    }

    const Json bs = cell.bs_status();
    for (size_t i = 0; i < CountedCell::kStations; ++i) {
        SCOPED_TRACE("station " + std::to_string(i));
        const Json ss = cell.terminals[i]->status();
        const Link& link = cell.terminals[i]->link;
        const Json& seen = bs["stations"][0]["mac"] == ss["mac"] ? bs["stations"][0] : bs["stations"][1];
        Figures& own = cell.ss_[i];
        Figures& at_bs = cell.at_bs_[i];
        double dl_sent = 0, dl_octets = 0, ul_dropped = 0;
        for (const auto& f : seen["flows"]) {
            const FlowCount& sent = cell.sent_[f["cid"].get<uint16_t>()];
            const Json there = of_flow(ss["flows"], f["cid"]);
            const Json &sender = f["direction"] == "downlink" ? f : there,
                       &receiver = f["direction"] == "downlink" ? there : f;
            EXPECT_EQ(sender["pdus"], sent.pdus) << f;
            EXPECT_EQ(sender["fragments"], sent.fragments) << f;
            EXPECT_EQ(sender["packed"], sent.packed) << f;
            EXPECT_EQ(sender["sdus"], sent.sdus) << f;
            EXPECT_EQ(sender["backlog_bytes"], 0);
            EXPECT_EQ(sender["dropped"], 0);
            if (!losses) {
                EXPECT_EQ(receiver["sdus"], sender["sdus"]);
                EXPECT_EQ(receiver["bytes"], sender["bytes"]);
                EXPECT_EQ(receiver["dropped"], 0);
            } else {
                EXPECT_LT(receiver["sdus"], sender["sdus"]);
            }
            EXPECT_EQ(receiver["malformed"], 0);
            if (f["direction"] == "downlink") {
                dl_sent += f["sdus"].get<double>();
                dl_octets += f["bytes"].get<double>();
                own["dl.dropped"] += receiver["dropped"].get<double>();
            } else {
                ul_dropped += f["dropped"].get<double>();
            }
        }
        own["drops.unclassified"] += 3;
        const std::string name = "subscriber station " + std::to_string(i);
        compare(name, ss, own,
                {{"role", "ss"},
                 {"mac", i == 0 ? "02:00:00:00:00:01" : "02:00:00:00:00:02"},
                 {"frame", (cell.frame + (-1U)).value()},
                 {"time_samples", (849) * cell.layout.frame_samples()},
                 {"sample_rate_hz", cell.layout.sample_rate_hz()},
                 {"state", "operational"},
                 {"operational", true},
                 {"synchronised", true},
                 {"frequency_hz", 3'500'000'000},
                 {"channel_changes", 0},
                 {"basic_cid", seen["basic_cid"]},
                 {"bsid", bs["bsid"]},
                 {"rssi_dbm", 20 - link.path_loss_db},
                 {"rssi_mean_dbm", 20 - link.path_loss_db},
                 {"cinr_db", 120 - link.path_loss_db},
                 {"cinr_mean_db", 120 - link.path_loss_db},
                 {"frequency_offset_hz", 0},
                 {"clock_offset_ppm", 0},
                 {"maximum_power_dbm", 20},
                 {"timing_advance_samples", 2 * link.delay_samples},
                 {"frequency_adjust_hz", -link.carrier_offset_hz},
                 {"late", 1},
                 {"phy_errors", i == 1 ? 3 : 1},
                 {"restarts", 1},
                 {"missed_for_grants", 0},
                 {"maps_unusable", 0},
                 {"zero_subchannels", 0},
                 {"requests.codes", 0},
                 {"requests.codes_answered", 0},
                 {"grants.unusable", 0},
                 {"ul.dropped", 0},
                 {"ul.backlog_bytes", 0},
                 {"free_buffers", 2048},
                 {"networks_without_privacy", 0},
                 {"downlink_profile.rate_id", 6},
                 {"downlink_profile.falls", 0},
                 {"downlink_profile.rises", 0},
                 {"downlink_profile.repetitions", 0},
                 {"downlink_profile.ranging_requests", 0},
                 {"ranging.fast_power", 0},
                 {"downlink_profile.refusals", 0}},
                {"heard_at_sample", "operational_at_sample", "entry_samples", "entry_time_s",  // test_mac_air_entry
                 "power_dbm",                                                                  // test_mac_ss_ranging
                 "requests.contention_lost",                                                   // test_mac_ss_flows
                 "downlink_profile.margin_db", "downlink_profile.requests",  // test_mac_air_adaptation
                 "flows."});                                                 // above
        at_bs["dl.sdus"] = dl_sent;
        at_bs["dl.bytes"] = dl_octets;
        at_bs["ul.dropped"] = ul_dropped;
        EXPECT_EQ(seen["corrections"].get<double>() <= own["corrections"], true);
        compare("base station of " + name, seen, at_bs,
                {{"mac", ss["mac"]},
                 {"name", ""},
                 {"basic_cid", ss["basic_cid"]},
                 {"state", "operational"},
                 {"restriction", "none"},
                 {"dl_rate_id", 6},
                 {"ul_rate_id", 6},
                 {"timing_offset_samples", 0},
                 {"frequency_offset_hz", 0},
                 {"link.dl_falls", 0},
                 {"link.dl_rises", 0},
                 {"link.ul_falls", 0},
                 {"link.ul_rises", 0},
                 {"link.ul_margin_db", 0},
                 {"link.ul_subchannels", 16},
                 {"link.ul_width_changes", 0},
                 {"link.ul_midambles", 0},
                 {"link.stc", false},
                 {"link.stc_changes", 0},
                 {"dl.dropped", 0},
                 {"dl.backlog_bytes", 0}},
                {"rssi_dbm", "cinr_db", "evm_db", "operational_at_sample", "silent_s", "corrections", "link.dl_cinr_db",
                 "link.power_left_db", "link.dl_variation",  // test_mac_bs_frames, link_choices
                 "dl.symbols",                               // below
                 "flows."});
        EXPECT_NEAR(seen["rssi_dbm"].get<double>(), ss["power_dbm"].get<double>() - link.path_loss_db, 0.3);
        EXPECT_NEAR(seen["cinr_db"].get<double>(), seen["rssi_dbm"].get<double>() + 100, 1e-3);
    }
    Figures& of_bs = cell.bs_;
    of_bs["drops.unclassified"] += 3;
    double dl_symbols = 0;
    for (const auto& s : bs["stations"]) dl_symbols += s["dl"]["symbols"].get<double>();
    EXPECT_NEAR(dl_symbols, of_bs["bytes.dl_payload"] / 108, 0.25 * dl_symbols) << "each burst's part is rounded";
    compare("base station", bs, of_bs,
            {{"role", "bs"},
             {"frame", (cell.frame + (-1U)).value()},
             {"time_samples", 849 * cell.layout.frame_samples()},
             {"sample_rate_hz", cell.layout.sample_rate_hz()},
             {"state", "transmitting"},
             {"operational", true},
             {"bsid", "20E9FA000001"},
             {"profile", "Lab"},
             {"registered", 2},
             {"late", 1},
             {"phy_errors", 3},
             {"time_jumps", 0},
             {"ul_map_full", 0},
             {"ul_maps_failed", 0},
             {"broadcast_deferred", 0},
             {"symbols.dl.contention", 0},
             {"symbols.dl.ranging", 0},
             {"symbols.ul.fch", 0},
             {"symbols.ul.maps", 0},
             {"symbols.ul.descriptors", 0},
             {"symbols.ul.management", 0},
             {"ranging.refused", 0},
             {"ranging.duplicates", 0},
             {"ranging.evicted", 0},
             {"contention.request_symbols", 2},
             {"contention.backoff_start", 0},
             {"contention.backoff_end", 6},
             {"contention.t27_idle_ms", 2500},
             {"focused_contention.codes", 0},
             {"focused_contention.answers", 0},
             {"focused_contention.dropped", 0},
             {"drops.unlearnt", 0},
             {"reserved.refused", 0},
             {"reserved.overbooked", 0},
             {"reserved.flows_without_room", 0},
             {"lost_stations", 0},
             {"free_buffers", 4096}},
            {"layout.", "capacity_kbps.", "capacity.",                                             // test_mac_cell
             "reserved.downlink.", "reserved.uplink.", "reserved.map_bytes", "reserved.map_room",  // test_mac_flow_cost
             "privacy.",     // test_mac_air_privacy
             "stations."});  // above
    // Whole frames: nothing is counted twice, nothing left out.
    double all = 0;
    for (const auto& [leaf, value] : leaves(bs["symbols"])) all += value.get<double>();
    EXPECT_EQ(all, (of_bs["frames"] - of_bs["silent_frames"]) * cell.layout.frame_symbols);
    expect_clean(cell);
}

}  // namespace test_air_figures
