/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The subscriber station's counters as JSON. Everything counts from the start of the program; readers take differences.
 */
#include "mac/report/status.h"
#include "mac/ss/subscriber_station.h"

namespace wimax::mac {
namespace {

using Json = nlohmann::json;

Json status_of(const SubscriberFlow& flow) {
    Json entry = {{"sfid", flow.sfid},
                  {"cid", flow.cid},
                  {"name", flow.config.name},
                  {"direction", flow.transmitter ? "uplink" : "downlink"},
                  {"scheduling", to_string(flow.config.scheduling)}};
    if (flow.transmitter) {
        add_transmitter(entry, *flow.transmitter);
        entry["recorded_bytes"] = flow.request.octets();
    }
    if (flow.reassembler) {
        const auto& r = flow.reassembler->counters();
        entry.update({{"sdus", r.sdus}, {"bytes", r.sdu_octets}, {"dropped", r.dropped}, {"malformed", r.malformed}});
    }
    return entry;
}

}  // namespace

Json SubscriberStation::flow_status() const {
    const FlowTotals totals = flows_.totals();
    size_t backlog = 0;
    Json flows = Json::array();
    for (const auto& flow : flows_.flows()) {
        flows.push_back(status_of(*flow));
        if (flow->transmitter) backlog += flow->transmitter->backlog_octets();
    }
    return {{"dl", {{"sdus", totals.dl_sdus}, {"bytes", totals.dl_bytes}, {"dropped", totals.dl_dropped}}},
            {"ul",
             {{"sdus", totals.ul_sdus},
              {"bytes", totals.ul_bytes},
              {"dropped", totals.ul_dropped},
              {"backlog_bytes", backlog}}},
            {"free_buffers", flows_.free_buffers()},
            {"flows", std::move(flows)}};
}

Json SubscriberStation::status() const {
    // Entry is counted from the first frame heard: before that there was nothing to enter.
    const Samples heard = entry_.heard_at(), there = entry_.operational_at();
    const Samples entry = there >= 0 && heard >= 0 ? there - heard : -1;
    const auto& quality = downlink_.quality();
    const auto& down = downlink_.counters();
    const auto& received = receiver_.counters();
    const auto& ranging = ranging_.counters();
    const auto& contention = contention_.counters();
    const auto& up = uplink_.counters();
    Json out = {
        {"role", "ss"},
        {"mac", to_text(config_.mac)},
        {"frame", downlink_.network_frame().value()},
        {"time_samples", clock_.now},
        {"sample_rate_hz", clock_.sample_rate_hz},
        {"state", to_string(entry_.state())},
        {"operational", operational()},
        {"synchronised", downlink_.synchronised()},
        {"basic_cid", ranging_.basic_cid()},
        {"bsid", downlink_.bsid().value_or(0)},
        {"heard_at_sample", heard},
        {"operational_at_sample", there},
        {"entry_samples", entry},
        {"entry_time_s", entry >= 0 ? static_cast<double>(entry) / static_cast<double>(clock_.sample_rate_hz) : -1.0},
        {"rssi_dbm", downlink_.rssi_dbm()},
        {"cinr_db", downlink_.cinr_db()},
        {"rssi_mean_dbm", quality.rssi.mean_db()},
        {"cinr_mean_db", quality.cinr.mean_db()},
        {"frequency_offset_hz", downlink_.frequency_offset_hz()},
        {"clock_offset_ppm", downlink_.clock_offset_ppm()},
        {"timing_advance_samples", ranging_.timing_advance_samples()},
        {"frequency_adjust_hz", ranging_.frequency_adjust_hz()},
        {"power_dbm", ranging_.power_dbm()},
        {"maximum_power_dbm", ranging_.max_power_dbm()}};
    out.update({{"frames", frames_},
                {"unsynchronised_ticks", down.unsynchronised_ticks},
                {"maps", down.maps},
                {"maps_unusable", received.maps_unusable},
                {"dl_maps", down.dl_maps},
                {"dcds", down.dcds},
                {"ucds", down.ucds},
                {"bursts", received.bursts},
                {"undecoded_bursts", received.undecoded_bursts},
                {"stopped_bursts", received.stopped_bursts},
                {"late", late_},
                {"phy_errors", errors_},
                {"restarts", entry_.restarts()},
                {"corrections", ranging.corrections},
                {"ranging", {{"attempts", ranging.attempts}, {"invited", ranging.invited}}},
                {"requests",
                 {{"contention", contention.requests},
                  {"contention_lost", contention.lost},
                  {"codes", contention.codes},
                  {"codes_answered", contention.answered},
                  {"aggregate", up.aggregate_requests},
                  {"piggyback", up.piggyback_requests}}},
                {"grants",
                 {{"count", up.grants},
                  {"unusable", up.grants_unusable},
                  {"capacity_bytes", up.capacity_bytes},
                  {"payload_bytes", up.payload_bytes}}},
                {"drops",
                 {{"unclassified", flows_.unclassified()},
                  {"refused", flows_.refused()},
                  {"malformed", received.malformed},
                  {"foreign_pdus", received.foreign_pdus}}}});
    out.update(flow_status());
    return out;
}

}  // namespace wimax::mac
