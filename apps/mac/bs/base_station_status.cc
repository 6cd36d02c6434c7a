// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/figure_reader.h"
#include "common/json_object.h"
#include "mac/bs/base_station_figures.h"

namespace wimax::mac {
namespace {

FlowStatus figures_of(const FlowContext& flow) {
    FlowStatus s;
    s.sfid = flow.sfid;
    s.cid = flow.cid;
    s.said = flow.said;
    s.name = flow.config.name;
    s.direction = flow.config.direction;
    s.scheduling = flow.config.scheduling;
    s.active = flow.active;
    s.state = flow.state();
    s.qos = qos_of(flow.config);
    if (flow.config.multicast) s.multicast = true;
    s.held = flow.held;
    s.refusal = flow.refusal;
    s.classifiers = flow.config.classifiers.size();
    if (flow.transmitter) s.transmitter = status_of(*flow.transmitter);
    if (flow.reassembler) {
        s.received = flow.reassembler->counters();
        s.requested_octets = flow.requests.octets();
        s.dropped_rate = flow.rates.dropped_rate;
    }
    s.arq = arq_status_of(flow.transmitter.get(), flow.reassembler.get());
    if (flow.suppression) s.phs = flow.suppression->counters();
    return s;
}

PrivacyFigures figures_of(const StationPrivacy& privacy, const FrameClock& clock) {
    const auto& pkm = privacy.pkm.figures();
    PrivacyFigures s;
    s.state = privacy.pkm.authorized(clock.now) ? "authorized" : "auth wait";
    s.certificate = privacy.pkm.certificate_serial();
    s.certificate_ends_s = privacy.pkm.certificate_ends_s();
    s.take_keys(privacy.pkm.keys(), privacy.pkm.association(privacy.primary_said), privacy.pkm.figures().times, clock);
    s.take_counters(pkm, privacy.counters);
    s.wrong_digests += pkm.old_keys;
    s.downgrades = pkm.no_suite;
    s.associations = privacy.pkm.associations();
    if (const auto& suite = privacy.pkm.suite()) s.suite = to_string(suite->data);
    return s;
}

StationFigures figures_of(const Subscriber& station, const FrameClock& clock) {
    StationFigures s;
    s.mac = station.mac;
    s.name = station.config.name;
    s.basic_cid = station.basic_cid;
    s.state = station.entry.state();
    s.restriction = station.restriction.kind;
    s.dl_profile = station.dl_rate.profile();
    s.ul_profile = station.grant_profile();
    s.measured = station.ranging.smoothed();
    s.link = station.link;
    s.dl_falls = station.dl_rate.falls();
    s.dl_rises = station.dl_rate.rises();
    s.ul_changes = station.uplink.rate.changes();
    s.ul_margin_db = station.uplink.rate.margin_db();
    s.ul_subchannels = station.uplink.width.count();
    s.ul_width_changes = station.uplink.width.changes();
    s.ul_midambles = station.uplink.training ? station.uplink.training->field() : uint8_t{0};
    s.operational_at = station.entry.operational_at();
    s.silent_s =
        static_cast<double>(clock.now - station.health.last_heard()) / static_cast<double>(clock.sample_rate_hz);
    s.counters = station.counters_with_flows();
    if (const auto& managed = station.managed; managed.connection)
        s.managed = {managed.connection->cid, managed.address, managed.complete, managed.arq.enable};
    if (station.privacy) s.privacy = figures_of(*station.privacy, clock);
    for (const auto& flow : station.flows) {
        s.flows.push_back(figures_of(*flow));
        if (flow->transmitter) s.dl_backlog_octets += flow->transmitter->backlog_octets();
    }
    return s;
}

MulticastFigures figures_of(const MulticastConnection& connection) {
    MulticastFigures s;
    s.flow = figures_of(connection.flow);
    s.members = connection.members().size();
    s.listeners = connection.listeners();
    if (connection.heard()) s.dl_profile = connection.profile();
    s.units = connection.units;
    s.dropped_unheard = connection.dropped_unheard;
    return s;
}

}  // namespace

BaseStationFigures BaseStation::figures() const {
    BaseStationFigures s;
    s.clock = clock_;
    s.silent = silent_;
    s.operational = operational();
    s.bsid = config_.bsid;
    s.profile = config_.profile.name;
    for (const auto& [cid, station] : services_.stations.stations()) {
        s.stations.push_back(figures_of(*station, clock_));
        s.registered += station->registered() ? 1 : 0;
    }
    for (const auto& [cid, connection] : services_.multicast.all()) s.multicast.push_back(figures_of(*connection));
    parts_.air->report(s, s.registered);
    s.counters = counters_;
    s.built = parts_.downlink.counters();
    s.received = parts_.receiver.counters();
    s.admission = services_.admission.counters();
    s.router = services_.router.counters();
    s.sources = services_.sources.counters();
    s.reserved = services_.reservations.uses();
    s.flows_without_room = services_.reservations.flows_without_room();
    s.reservations = services_.reservations.counters();
    s.flow_results.assign(services_.flows.results().all().begin(), services_.flows.results().all().end());
    s.lost_stations = services_.entry.lost_stations();
    s.policies = policies_.figures();
    s.privacy = services_.privacy.counters();
    if (config_.managed.policy != ManagedPolicy::off) s.management = services_.network.counters();
    s.free_buffers = pool_.free_buffers();
    return s;
}

nlohmann::json BaseStation::status() const { return to_json_object(figures()); }

void BaseStation::report(FigureReader& reader) const { read_figures(figures(), reader); }

}  // namespace wimax::mac
