// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cid_owners.h"

#include "sim/station_reader.h"

namespace wimax::sim {
namespace {

class Reader final : public StationReader {
public:
    Reader(std::span<uint16_t> stations, uint16_t basic_cids) : stations_(stations), basic_cids_(basic_cids) {}

private:
    void figure(Place place, std::string_view path, std::string_view key, double value) override {
        if (!station()) return;
        const auto cid = static_cast<uint16_t>(value);
        const bool basic = place == Place::station && path.empty() && key == "basic_cid";
        const bool secondary = place == Place::station && path == "managed." && key == "secondary_cid";
        if (place == Place::flow && key == "multicast" && value != 0) stations_[last_flow_] = 0;
        if (!basic && !secondary && !(place == Place::flow && key == "cid")) return;
        if (cid == 0) return;  // not assigned yet
        stations_[cid] = static_cast<uint16_t>(*station() + 1);
        if (basic) stations_[cid + basic_cids_] = stations_[cid];
        if (place == Place::flow) last_flow_ = cid;
    }

    std::span<uint16_t> stations_;
    const uint16_t basic_cids_;
    uint16_t last_flow_ = 0;
};

}  // namespace

uint16_t CidOwners::station_of(uint16_t cid) {
    if (cid == mac::cid::kInitialRanging || cid > mac::cid::kLastTransport) return 0;
    if ((changed_ || stations_[cid] == 0) && read_at_ != cell_.now()) read();
    return stations_[cid];
}

void CidOwners::read() {
    changed_ = false;
    read_at_ = cell_.now();
    stations_.fill(0);
    Reader reader(stations_, cell_.basic_cids);
    cell_.base_station().report(reader);
}

}  // namespace wimax::sim
