/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The base station's counters as JSON. Everything counts from the start of the program; readers take differences.
 */
#include <mac/bs/base_station.h>
#include <mac/control/status.h>

namespace wimax::mac {
namespace {

using Json = nlohmann::json;

Json flow_status(const FlowContext& flow) {
    Json out = {{"sfid", flow.sfid},
                {"cid", flow.cid},
                {"name", flow.config.name},
                {"direction", flow.config.direction == FlowDirection::downlink ? "downlink" : "uplink"},
                {"scheduling", to_string(flow.config.scheduling)},
                {"active", flow.active}};
    if (flow.transmitter) add_transmitter(out, *flow.transmitter);
    if (flow.reassembler) {
        const auto& counters = flow.reassembler->counters();
        out.update({{"sdus", counters.sdus},
                    {"bytes", counters.sdu_octets},
                    {"dropped", counters.dropped},
                    {"malformed", counters.malformed},
                    {"requested_bytes", flow.requests.octets}});
    }
    return out;
}

Json station_status(const Subscriber& station) {
    const auto& c = station.counters;
    const auto& m = station.ranging.smoothed();
    uint64_t dl_sdus = c.dl_sdus, dl_bytes = c.dl_bytes, ul_lost = c.ul_dropped, dl_dropped = c.dl_dropped;
    size_t backlog = 0;
    Json flows = Json::array();
    for (const auto& flow : station.flows) {
        flows.push_back(flow_status(*flow));
        if (flow->transmitter) {
            dl_sdus += flow->transmitter->counters().sdus;
            dl_bytes += flow->transmitter->counters().sdu_octets;
            dl_dropped += flow->transmitter->dropped();
            backlog += flow->transmitter->backlog_octets();
        }
        if (flow->reassembler) ul_lost += flow->reassembler->counters().dropped;
    }
    return {{"mac", to_text(station.mac)},
            {"name", station.config.name},
            {"basic_cid", station.basic_cid},
            {"state", to_string(station.state)},
            {"dl_rate_id", station.dl_rate_id},
            {"ul_rate_id", station.ul_rate.id()},
            {"rssi_dbm", m.rssi_dbm},
            {"cinr_db", m.cinr_db},
            {"evm_db", m.evm_db},
            {"timing_offset_samples", m.timing_offset_samples},
            {"frequency_offset_hz", m.frequency_offset_hz},
            {"operational_at_sample", station.operational_at},
            {"corrections", c.corrections},
            {"dl",
             {{"sdus", dl_sdus},
              {"bytes", dl_bytes},
              {"dropped", dl_dropped},
              {"backlog_bytes", backlog},
              {"symbols", c.dl_symbols}}},
            {"ul",
             {{"sdus", c.ul_sdus},
              {"bytes", c.ul_bytes},
              {"dropped", ul_lost},
              {"bursts", c.ul_bursts},
              {"missed", c.ul_missed},
              {"fec_errors", c.ul_fec_errors},
              {"stopped", c.ul_stopped},
              {"grants", c.grants},
              {"requests", c.requests},
              {"symbols", c.ul_symbols}}},
            {"malformed", c.malformed},
            {"flows", flows}};
}

}  // namespace

Json BaseStation::status() const {
    Json stations = Json::array();
    uint32_t registered = 0;
    for (const auto& [cid, station] : stations_) {
        stations.push_back(station_status(*station));
        registered += station->registered() ? 1 : 0;
    }
    const auto symbols = [](const Symbols& s) {
        return Json{{"preamble", s.preamble},
                    {"fch", s.fch},
                    {"maps", s.maps},
                    {"descriptors", s.descriptors},
                    {"management", s.management},
                    {"data", s.data},
                    {"contention", s.contention},
                    {"ranging", s.ranging},
                    {"idle", s.idle},
                    {"gap", s.gap}};
    };
    const auto capacity = [](const Capacity& c) {
        return Json{{"kbps", c.kbps}, {"data_symbols", c.data_symbols}, {"ip_symbols", c.ip_symbols}};
    };
    const uint32_t sharing = std::max(1U, registered);
    const Capacity down = downlink_capacity(config_, layout_, config_.dl_rate_id, 1);
    const Capacity up = uplink_capacity(config_, layout_, config_.ul_rate_id, 1);
    const auto& c = counters_;
    return Json{{"role", "bs"},
                {"frame", frame_},
                {"time_samples", now_},
                {"sample_rate_hz", layout_.sample_rate_hz()},
                {"state", silent_ ? "silent" : "transmitting"},
                {"operational", operational()},
                {"bsid", config_.bsid},
                {"profile", config_.profile.name},
                {"registered", registered},
                {"layout",
                 {{"symbol_slots", layout_.symbol_slots},
                  {"frame_slots", layout_.frame_slots},
                  {"frame_symbols", layout_.frame_symbols},
                  {"dl_symbols", layout_.dl_symbols},
                  {"ul_symbols", layout_.ul_symbols},
                  {"ul_start_slot", layout_.ul_start_slot},
                  {"frame_s", layout_.frame_seconds()},
                  {"maps_next_frame", layout_.maps_next_frame}}},
                {"capacity_kbps", {{"downlink", down.kbps}, {"uplink", up.kbps}}},
                {"capacity",
                 {{"downlink", capacity(down)},
                  {"uplink", capacity(up)},
                  {"uplink_shared", capacity(uplink_capacity(config_, layout_, config_.ul_rate_id, sharing))}}},
                {"frames", c.frames},
                {"silent_frames", c.silent_frames},
                {"late", c.late},
                {"phy_errors", c.errors},
                {"time_jumps", c.time_jumps},
                {"dl_maps", c.dl_maps},
                {"ul_maps", c.ul_maps},
                {"ul_map_full", c.ul_map_full},
                {"ul_maps_failed", c.ul_maps_failed},
                {"dcds", c.dcds},
                {"ucds", c.ucds},
                {"broadcast_deferred", c.broadcast_deferred},
                {"symbols", {{"dl", symbols(dl_symbols_)}, {"ul", symbols(ul_symbols_)}}},
                {"bytes",
                 {{"dl_capacity", c.dl_capacity_bytes},
                  {"dl_payload", c.dl_payload_bytes},
                  {"ul_capacity", c.ul_capacity_bytes},
                  {"ul_padding", c.ul_padding_bytes}}},
                {"ranging",
                 {{"bursts", c.ranging_bursts},
                  {"undecoded", c.ranging_undecoded},
                  {"refused", c.refused_stations},
                  {"duplicates", c.duplicate_addresses},
                  {"evicted", c.evicted_stations}}},
                {"contention", {{"bursts", c.contention_bursts}, {"undecoded", c.contention_undecoded}}},
                {"drops",
                 {{"unclassified", c.unclassified},
                  {"unlearnt", c.unlearnt},
                  {"refused", c.refused_sdus},
                  {"unknown_cid", c.unknown_cid},
                  {"stale_bursts", c.stale_bursts}}},
                {"lost_stations", c.lost_stations},
                {"free_buffers", pool_.free_buffers()},
                {"stations", std::move(stations)}};
}

}  // namespace wimax::mac
