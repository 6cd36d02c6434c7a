// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/figure_reader.h"
#include "common/json_object.h"
#include "mac/ss/subscriber_figures.h"
#include "mac/ss/subscriber_station.h"

namespace wimax::mac {
namespace {

FlowStatus figures_of(const SubscriberFlow& flow) {
    FlowStatus s;
    s.sfid = flow.sfid;
    s.cid = flow.cid;
    s.said = flow.said;
    s.name = flow.config.name;
    s.direction = flow.transmitter ? FlowDirection::uplink : FlowDirection::downlink;
    s.scheduling = flow.config.scheduling;
    s.state = flow.state();
    s.qos = qos_of(flow.config);
    s.classifiers = flow.config.classifiers.size();
    if (flow.transmitter) {
        s.transmitter = status_of(*flow.transmitter);
        s.recorded_octets = flow.request.octets();
    }
    if (flow.reassembler) s.received = flow.reassembler->counters();
    s.arq = arq_status_of(flow.transmitter.get(), flow.reassembler.get());
    if (flow.suppression) s.phs = flow.suppression->counters();
    return s;
}

}  // namespace

SubscriberFigures SubscriberStation::figures() const {
    SubscriberFigures s;
    s.mac = config_.mac;
    s.clock = clock_;
    s.network_frame = air_->network_frame();
    s.state = entry_.state();
    s.operational = operational();
    const auto& downlink = air_->state();
    s.synchronised = downlink.synchronised;
    s.frequency_hz = channels_.carriers().downlink_hz;
    s.channel_changes = channels_.changes();
    s.basic_cid = ranging_.basic_cid();
    s.bsid = downlink.bsid.value_or(0);
    s.heard_at = entry_.figures().heard_at;
    s.operational_at = entry_.figures().operational_at;
    s.levels = {downlink.rssi_dbm,
                downlink.cinr_db,
                downlink.quality.rssi.mean_db(),
                downlink.quality.cinr.mean_db(),
                downlink.frequency_offset_hz,
                downlink.clock_offset_ppm,
                ranging_.corrections().timing_advance_samples(),
                ranging_.corrections().frequency_adjust_hz(),
                ranging_.corrections().power_dbm(),
                ranging_.corrections().max_power_dbm()};
    s.frames = counts_.frames;
    s.late = counts_.late;
    s.phy_errors = counts_.errors;
    s.restarts = entry_.figures().restarts;
    s.down = air_->counters();
    s.missed_for_grants = counts_.missed_for_grants;
    s.received = receiver_.counters();
    s.ranging = ranging_.counters();
    s.dl_profile = profile_.profile();
    s.dl_margin_db = profile_.margin_db();
    s.dl_changes = profile_.changes();
    s.profile = profile_.counters();
    s.contention = contention_.counters();
    s.up = uplink_.counters();
    s.flow_results.assign(agent_.results().all().begin(), agent_.results().all().end());
    s.unclassified = flows_.unclassified();
    s.refused = flows_.refused();
    s.totals = flows_.totals();
    s.free_buffers = flows_.free_buffers();
    s.privacy = privacy_.figures();
    s.managed = managed_.figures();
    s.networks_without_privacy = privacy_.networks_without();
    s.policies = policies_.figures();
    for (const auto& flow : flows_.flows()) {
        s.flows.push_back(figures_of(*flow));
        if (flow->transmitter) s.ul_backlog_octets += flow->transmitter->backlog_octets();
    }
    return s;
}

nlohmann::json SubscriberStation::status() const { return to_json_object(figures()); }

void SubscriberStation::report(FigureReader& reader) const { read_figures(figures(), reader); }

}  // namespace wimax::mac
