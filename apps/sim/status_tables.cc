// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/status_tables.h"

#include "sim/scenario_flows.h"
#include "sim/station_reader.h"

namespace wimax::sim {
namespace {

/// Reads one MAC into the tables.
class TableReader final : public StationReader {
public:
    /// `station`: from 0; nullopt: the base station.
    TableReader(StatusTables& tables, std::optional<size_t> station) : t_(tables), at_base_station_(!station) {
        if (station) {
            set_station(*station);
            t_.stations.begin_row(*station);
        } else {
            t_.base_station.begin_row(0);
        }
    }

private:
    void began(Place place) override {
        if (!station()) return;
        if (place == Place::station) return t_.stations.begin_row(*station());
        t_.flows.begin_row(t_.flows.rows());
        t_.flows.put("", "station", static_cast<double>(*station() + 1));
        t_.flows.put("", "at_base_station", at_base_station_ ? 1 : 0);
    }
    void figure(Place place, std::string_view path, std::string_view key, double value) override {
        const bool of_base_station = at_base_station_ && place == Place::node;
        if (of_base_station) return t_.base_station.put(path, key, value);
        if (!station() || place == Place::other) return;
        if (place == Place::flow) return t_.flows.put(path, key, value);
        path_.assign(at_base_station_ ? "bs." : "ss.").append(path);
        t_.stations.put(path_, key, value);
    }
    void named(Place place, std::string_view key, std::string_view value) override {
        if (!station() || place != Place::flow) return;
        if (key == "name") t_.flows.put("", "entry", static_cast<double>(entry_of(value)));
        if (key == "direction") t_.flows.put("", "uplink", value == "uplink" ? 1 : 0);
    }

    StatusTables& t_;
    const bool at_base_station_;
    std::string path_;
};

void put(FigureTable& table, std::string_view path, const CellContentionCounters& c) {
    table.put(path, "opportunities", static_cast<double>(c.opportunities));
    table.put(path, "attempts", static_cast<double>(c.attempts));
    table.put(path, "collisions", static_cast<double>(c.collisions));
    table.put(path, "collided", static_cast<double>(c.collided));
    table.put(path, "captured", static_cast<double>(c.captured));
    table.put(path, "successes", static_cast<double>(c.successes));
}

void put(FigureTable& table, const CellCounters& c) {
    put(table, "phy.requests.", c.requests);
    put(table, "phy.ranging.", c.ranging);
    put(table, "phy.codes.", c.codes);
    for (const auto& [key, value] :
         {std::pair("dl_bursts", c.dl_bursts), std::pair("dl_bursts_wrong", c.dl_bursts_wrong),
          std::pair("dl_symbols", c.dl_symbols), std::pair("ul_bursts", c.ul_bursts),
          std::pair("ul_bursts_wrong", c.ul_bursts_wrong), std::pair("ul_grants", c.ul_grants),
          std::pair("ul_granted_symbols", c.ul_granted_symbols), std::pair("ul_collisions", c.ul_collisions),
          std::pair("stray_bursts", c.stray_bursts)})
        table.put("phy.", key, static_cast<double>(value));
}

}  // namespace

StatusTables::StatusTables(const Cell& cell) : base_station(1), stations(cell.stations()) {
    TableReader of_base_station(*this, std::nullopt);
    cell.base_station().report(of_base_station);
    put(base_station, cell.counters());
    for (size_t n = 0; n < cell.stations(); ++n) {
        TableReader of_station(*this, n);
        cell.station(n).report(of_station);
    }
}

}  // namespace wimax::sim
