// SPDX-License-Identifier: GPL-3.0-or-later
// What programs read from a running cell: the numbers of all MACs, owners of connections, PDUs; entries that are
// removed.
#include "sim/pdu_records.h"
#include "sim/scenario_flows.h"
#include "sim/scenario_text.h"
#include "sim/status_tables.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>

namespace wimax::sim {
namespace test_readings {

using Json = nlohmann::json;

Scenario read(const std::string& yaml) {
    auto written = WrittenScenario::read(yaml);
    EXPECT_TRUE(written) << written.error().str();
    return written->scenario;
}

const std::string kTwo =
    "stations: 2\nseconds: 5\nsnr_db: 22\nrate: auto\ntraffic:\n  - {kind: poisson, rate_bps: 400000}\n"
    "  - {kind: poisson, rate_bps: 300000, direction: uplink, service: nrtPS, min_rate_bps: 50000}\n"
    "  - {kind: cbr, rate_bps: 50000, same_flow_as: 1}\n";

TEST(FigureTable, HasARowForEachObjectAndNaNWhereOneHasNoSuchFigure) {
    FigureTable table(3);
    table.begin_row(2);
    table.put("dl.", "bytes", 7);
    table.put("", "cid", 1);
    table.begin_row(0);
    table.put("", "cid", 2);
    table.put("dl.", "bytes", 8);
    table.begin_row(table.rows());
    table.put("", "state", 5);
    table.put("dl.b", "ytes", 9);  // the same name in other parts
    const auto columns = table.take();
    ASSERT_EQ(columns.size(), 3U);
    EXPECT_EQ(columns[0].name, "dl.bytes");
    EXPECT_EQ(columns[1].name, "cid");
    EXPECT_EQ(columns[2].name, "state");
    const auto expect = [](const std::vector<double>& values, const std::vector<double>& wanted) {
        ASSERT_EQ(values.size(), wanted.size());
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_TRUE(values[i] == wanted[i] || (std::isnan(values[i]) && wanted[i] < 0)) << i << ": " << values[i];
    };
    expect(columns[0].values, {8, -1, 7, 9});
    expect(columns[1].values, {2, -1, 1, -1});
    expect(columns[2].values, {-1, -1, -1, 5});
}

/// Numbers of a status under their joined keys.
void collect(const Json& json, const std::string& path, std::map<std::string, double>& out) {
    for (const auto& [key, value] : json.items()) {
        if (value.is_object()) collect(value, path + key + ".", out);
        else if (value.is_boolean()) out[path + key] = value.get<bool>() ? 1 : 0;
        else if (value.is_number()) out[path + key] = value.get<double>();
    }
}

std::map<std::string, double> row_of(const std::vector<FigureTable::Column>& columns, size_t row) {
    std::map<std::string, double> out;
    for (const auto& column : columns)
        if (!std::isnan(column.values[row])) out[column.name] = column.values[row];
    return out;
}

TEST(StatusTables, HaveEveryNumberOfEveryStatus) {
    Simulation simulation(read(kTwo));
    simulation.enter();
    simulation.step(150);
    const Cell& cell = simulation.cell();
    StatusTables tables(cell);
    const auto base_station = tables.base_station.take(), stations = tables.stations.take(),
               flows = tables.flows.take();
    const auto status = cell.base_station().status();
    std::map<std::string, double> wanted;
    collect(status, "", wanted);
    auto of_base_station = row_of(base_station, 0);
    EXPECT_EQ(of_base_station["phy.ul_grants"], static_cast<double>(cell.counters().ul_grants));
    std::erase_if(of_base_station, [](const auto& figure) { return figure.first.starts_with("phy."); });
    EXPECT_EQ(of_base_station, wanted);
    size_t row = 0;
    const auto check_flows = [&](const Json& all, size_t station, bool at_base_station) {
        for (const auto& flow : all) {
            std::map<std::string, double> flow_wanted;
            collect(flow, "", flow_wanted);
            flow_wanted["station"] = static_cast<double>(station + 1);
            flow_wanted["at_base_station"] = at_base_station;
            flow_wanted["uplink"] = flow["direction"] == "uplink";
            flow_wanted["entry"] = flow["name"] == "entry-1" ? 1 : flow["name"] == "entry-2" ? 2 : 0;
            EXPECT_EQ(row_of(flows, row++), flow_wanted);
        }
    };
    for (const auto& station : status["stations"])
        check_flows(station["flows"], station["mac"] == "02:00:00:01:00:00" ? 0 : 1, true);
    for (size_t n = 0; n < 2; ++n) {
        std::map<std::string, double> station_wanted;
        for (const auto& station : status["stations"])
            if (station["mac"] == (n == 0 ? "02:00:00:01:00:00" : "02:00:00:01:00:01"))
                collect(station, "bs.", station_wanted);
        const auto own = cell.station(n).status();
        collect(own, "ss.", station_wanted);
        EXPECT_EQ(row_of(stations, n), station_wanted);
        check_flows(own["flows"], n, false);
    }
    EXPECT_EQ(row, flows[0].values.size());
    EXPECT_EQ(row, 8U);
}

/// All PDUs of the burst with what it is about.
struct Counter : mac::PduTap {
    void on_pdu(const mac::TappedBurst&, size_t, Octets octets, mac::TappedOctets) override {
        all.insert(all.end(), octets.begin(), octets.end());
        ++pdus;
    }
    std::vector<uint8_t> all;
    size_t pdus = 0;
};

TEST(PduRecords, HaveWhatTheTapReceivesUpToTheLimit) {
    Simulation simulation(read(kTwo)), again(read(kTwo));
    simulation.enter();
    again.enter();
    Counter counter;
    again.cell().base_station().tap = &counter;
    again.step(100);
    CidOwners owners(simulation.cell());
    const size_t limit = counter.all.size() / 2 + counter.pdus * sizeof(PduRecord) / 2;
    PduRecords records(simulation.cell(), owners, limit);
    simulation.cell().base_station().tap = &records;
    simulation.step(100);
    EXPECT_EQ(records.records().size() + records.dropped(), counter.pdus);
    EXPECT_GT(records.dropped(), 0U);
    ASSERT_GT(records.records().size(), 100U);
    std::vector<uint8_t> all;
    std::map<uint16_t, std::set<uint16_t>> cids;
    for (const auto& record : records.records()) {
        const auto octets = records.octets(record);
        all.insert(all.end(), octets.begin(), octets.end());
        cids[record.station].insert(record.cid);
    }
    EXPECT_LE(all.size() + records.records().size() * sizeof(PduRecord), limit);
    const size_t first = records.records().front().octets;
    EXPECT_TRUE(std::equal(all.begin(), all.begin() + static_cast<long>(first), counter.all.begin()));
    // Transport connections, as the base station's status has them.
    for (const auto& station : simulation.cell().base_station().status()["stations"]) {
        const uint16_t number = station["mac"] == "02:00:00:01:00:00" ? 1 : 2;
        for (const auto& flow : station["flows"]) EXPECT_TRUE(cids[number].contains(flow["cid"])) << flow["cid"];
    }
    EXPECT_TRUE(cids[0].contains(mac::cid::kBroadcast));
    records.clear();
    EXPECT_TRUE(records.records().empty());
    EXPECT_EQ(records.dropped(), 0U);
}

TEST(CidOwners, FollowAStationThatEntersAgain) {
    Simulation simulation(read(kTwo));
    simulation.enter();
    CidOwners owners(simulation.cell());
    simulation.cell().on_event = [&](size_t node, uint32_t, const mac::Event&) {
        if (node == 0) owners.changed();
    };
    const auto check = [&] {
        const auto status = simulation.cell().base_station().status();
        ASSERT_EQ(status["stations"].size(), 2U);
        for (const auto& station : status["stations"]) {
            const uint16_t number = station["mac"] == "02:00:00:01:00:00" ? 1 : 2, basic = station["basic_cid"];
            EXPECT_EQ(owners.station_of(basic), number);
            EXPECT_EQ(owners.station_of(static_cast<uint16_t>(basic + simulation.cell().basic_cids)), number);
            for (const auto& flow : station["flows"]) EXPECT_EQ(owners.station_of(flow["cid"]), number);
        }
    };
    check();
    for (size_t n : {1, 0}) EXPECT_TRUE(command(simulation, "reset", n, "{}").empty());
    simulation.step(500);
    check();
    for (const uint16_t cid : {mac::cid::kInitialRanging, mac::cid::kBroadcast, mac::cid::kPadding})
        EXPECT_EQ(owners.station_of(cid), 0U);
}

TEST(RemovedEntries, HaveNoServiceFlowAndSendNothing) {
    auto scenario = read(kTwo);
    Simulation simulation(scenario);
    simulation.enter();
    simulation.step(100);
    const std::vector<size_t> owner{0}, both{0, 2};
    auto refused = scenario;
    EXPECT_EQ(remove_entries(refused, owner).str(),
              "entry: value 1: allowed an entry whose service flow no other entry uses; remove entry 3 first");
    ASSERT_TRUE(remove_entries(scenario, both).empty());
    ASSERT_TRUE(simulation.adopt(scenario));
    simulation.step(20);
    std::vector<uint64_t> sent;
    for (const auto& flow : simulation.traffic().flows()) sent.push_back(flow->record().sent());
    simulation.step(100);
    for (size_t i = 0; i < sent.size(); ++i) {
        const auto& flow = *simulation.traffic().flows()[i];
        EXPECT_EQ(flow.record().sent() > sent[i], flow.ends().entry == 1) << i;
    }
    const auto status = simulation.cell().base_station().status();
    for (const auto& station : status["stations"])
        for (const auto& flow : station["flows"]) EXPECT_NE(flow["name"], "entry-1");
    simulation.run();
    EXPECT_EQ(simulation.result()["flows"].size(), 6U);
}

}  // namespace test_readings
}  // namespace wimax::sim
