// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cell_snapshot.h"

#include "sim/station_reader.h"

namespace wimax::sim {
namespace {

/// Reads the base station's figures of the stations.
class SnapshotReader final : public StationReader {
public:
    explicit SnapshotReader(CellSnapshot& snapshot) : s_(snapshot) {}

private:
    void figure(Place place, std::string_view path, std::string_view key, double value) override {
        if (place != Place::station || !station() || *station() >= s_.dl_rate_id.size()) return;
        const size_t n = *station();
        if (path.empty() && key == "dl_rate_id") s_.dl_rate_id[n] = static_cast<int32_t>(value);
        if (path.empty() && key == "ul_rate_id") s_.ul_rate_id[n] = static_cast<int32_t>(value);
        if (path == "dl." && key == "backlog_bytes") s_.dl_backlog_octets[n] = static_cast<uint64_t>(value);
        if (path == "dl." && key == "bytes") s_.dl_octets[n] = static_cast<uint64_t>(value);
        if (path == "ul." && key == "bytes") s_.ul_octets[n] = static_cast<uint64_t>(value);
    }

    CellSnapshot& s_;
};

/// Reads the octets that wait in a subscriber station.
class BacklogReader final : public StationReader {
public:
    uint64_t octets = 0;

private:
    void figure(Place place, std::string_view path, std::string_view key, double value) override {
        if (place == Place::node && path == "ul." && key == "backlog_bytes") octets = static_cast<uint64_t>(value);
    }
};

}  // namespace

CellSnapshot::CellSnapshot(const Cell& cell) {
    const size_t n = cell.stations();
    dl_rate_id.assign(n, -1);
    ul_rate_id.assign(n, -1);
    for (auto* octets : {&dl_backlog_octets, &dl_octets, &ul_octets}) octets->assign(n, 0);
    SnapshotReader reader(*this);
    cell.base_station().report(reader);
    for (size_t i = 0; i < n; ++i) {
        snr_db.push_back(cell.path(i).frame_snr_db());
        operational.push_back(cell.station(i).operational());
        BacklogReader backlog;
        cell.station(i).report(backlog);
        ul_backlog_octets.push_back(backlog.octets);
    }
}

}  // namespace wimax::sim
