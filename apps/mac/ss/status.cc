/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/control/status.h>
#include <mac/ss/subscriber_station.h>

namespace wimax::mac {

nlohmann::json SubscriberStation::status() const {
    using Json = nlohmann::json;
    Json flows = Json::array();
    const auto& c = counters_;
    uint64_t dl_sdus = c.dl_sdus, dl_bytes = c.dl_bytes, dl_dropped = c.dl_dropped;
    uint64_t ul_sdus = c.ul_sdus, ul_bytes = c.ul_bytes, ul_dropped = c.ul_dropped;
    size_t backlog = 0;
    for (const auto& flow : flows_) {
        Json entry = {{"sfid", flow->sfid},
                      {"cid", flow->cid},
                      {"name", flow->config.name},
                      {"direction", flow->transmitter ? "uplink" : "downlink"},
                      {"scheduling", to_string(flow->config.scheduling)}};
        if (flow->transmitter) {
            add_transmitter(entry, *flow->transmitter);
            entry["recorded_bytes"] = flow->request.octets();
            ul_sdus += flow->transmitter->counters().sdus;
            ul_bytes += flow->transmitter->counters().sdu_octets;
            ul_dropped += flow->transmitter->dropped();
            backlog += flow->transmitter->backlog_octets();
        }
        if (flow->reassembler) {
            const auto& r = flow->reassembler->counters();
            entry.update(
                {{"sdus", r.sdus}, {"bytes", r.sdu_octets}, {"dropped", r.dropped}, {"malformed", r.malformed}});
            dl_sdus += r.sdus;
            dl_bytes += r.sdu_octets;
            dl_dropped += r.dropped;
        }
        flows.push_back(std::move(entry));
    }
    // Entry is counted from the first frame heard: before that there was nothing to enter.
    const Samples entry = operational_at_ >= 0 && heard_at_ >= 0 ? operational_at_ - heard_at_ : -1;
    Json out = {{"role", "ss"},
                {"mac", to_text(config_.mac)},
                {"frame", (frame_ + frame_offset_) & 0xFFFFFF},
                {"time_samples", now_},
                {"sample_rate_hz", sample_rate_hz_},
                {"state", to_string(state_)},
                {"operational", operational()},
                {"synchronised", synchronised_},
                {"basic_cid", basic_cid_},
                {"bsid", bsid_.value_or(0)},
                {"heard_at_sample", heard_at_},
                {"operational_at_sample", operational_at_},
                {"entry_samples", entry},
                {"entry_time_s", entry >= 0 ? static_cast<double>(entry) / static_cast<double>(sample_rate_hz_) : -1.0},
                {"rssi_dbm", rssi_dbm_},
                {"cinr_db", cinr_db_},
                {"rssi_mean_dbm", quality_.rssi.mean_db()},
                {"cinr_mean_db", quality_.cinr.mean_db()},
                {"frequency_offset_hz", frequency_offset_hz_},
                {"clock_offset_ppm", clock_offset_ppm_},
                {"timing_advance_samples", timing_advance_samples_},
                {"frequency_adjust_hz", frequency_adjust_hz_},
                {"power_dbm", power_dbm_},
                {"maximum_power_dbm", max_power_dbm_}};
    out.update({{"frames", c.frames},
                {"unsynchronised_ticks", c.unsynchronised},
                {"maps", c.maps},
                {"maps_unusable", c.maps_unusable},
                {"dl_maps", c.dl_maps},
                {"dcds", c.dcds},
                {"ucds", c.ucds},
                {"bursts", c.bursts},
                {"undecoded_bursts", c.undecoded_bursts},
                {"stopped_bursts", c.stopped_bursts},
                {"late", c.late},
                {"phy_errors", c.errors},
                {"restarts", c.restarts},
                {"corrections", c.corrections},
                {"ranging", {{"attempts", c.ranging_attempts}, {"invited", c.ranging_invited}}},
                {"requests",
                 {{"contention", c.contention_requests},
                  {"contention_lost", c.contention_lost},
                  {"aggregate", c.aggregate_requests},
                  {"piggyback", c.piggyback_requests}}},
                {"grants",
                 {{"count", c.grants},
                  {"unusable", c.grants_unusable},
                  {"capacity_bytes", c.ul_capacity_bytes},
                  {"payload_bytes", c.ul_payload_bytes}}},
                {"drops",
                 {{"unclassified", c.unclassified},
                  {"refused", c.refused_sdus},
                  {"malformed", c.malformed},
                  {"foreign_pdus", c.foreign_pdus}}},
                {"dl", {{"sdus", dl_sdus}, {"bytes", dl_bytes}, {"dropped", dl_dropped}}},
                {"ul", {{"sdus", ul_sdus}, {"bytes", ul_bytes}, {"dropped", ul_dropped}, {"backlog_bytes", backlog}}},
                {"free_buffers", pool_.free_buffers()},
                {"flows", std::move(flows)}});
    return out;
}

}  // namespace wimax::mac
