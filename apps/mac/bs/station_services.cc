// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_services.h"

namespace wimax::mac {
namespace {

/// Choices of a loaded classifier, of all stations together.
constexpr size_t kRememberedConnections = 8192;

SduQueueConfig queue_config(const BaseStationConfig& config, const FrameTiming& timing) {
    SduQueueConfig queue;
    queue.codel_target = static_cast<Samples>(config.codel_target_frames * static_cast<float>(timing.frame_samples));
    queue.codel_interval = timing.samples_from_ms(config.codel_interval_ms);
    queue.ecn = config.ecn && config.link == UserLink::ip;
    queue.hold = held_back(config.sdu_hold_frames, timing.frame_samples);
    return queue;
}

ServiceFlowManager::Config flow_config(const BaseStationConfig& config, const FrameTiming& timing) {
    ServiceFlowManager::Config flows;
    flows.service_classes = &config.service_classes;
    flows.frame_ms = timing.frame_seconds() * 1000;
    flows.transactions.t7_ms = config.t7_ms;
    flows.transactions.t8_ms = config.t8_ms;
    flows.transactions.t10_ms = config.t10_ms;
    flows.queue = queue_config(config, timing);
    flows.arq_feedback = config.arq_feedback;
    return flows;
}

}  // namespace

StationServices::StationServices(const BaseStationConfig& config, const Dependencies& to)
    : queues(QueueManagement::of(to.policies)),
      classifier(FlowClassifier::of(to.policies, kRememberedConnections)),
      multicast(
          {queue_config(config, to.air.timing()), to.air.timing().frame_seconds(), config.profile.broadcast_profile()},
          {to.clock, stations, to.pool}),
      stations(config.basic_cids),
      sources(config, {to.clock, to.event}),
      router({to.clock, stations, multicast, sources, config.link, &classifier}),
      links(config.adaptation, config.stc, {to.clock, stations, to.air}),
      reservations(config, {to.clock, to.event, stations, multicast, to.air}),
      control(config, {stations, reservations, to.policies}),
      admission(config, {to.event, stations, router, sources, to.air, control, to.policies, to.broadcast_replies}),
      ranging({config.t9_ms, to.air.timing().frame_samples},
              {to.clock, stations, admission, to.air.descriptors(), links, to.broadcast_replies}),
      flows(flow_config(config, to.air.timing()), to.pool,
            {to.clock, to.event, stations, router, reservations, control, multicast}),
      narrow(config.subchannelization, {to.clock, to.air.descriptors().thresholds()}),
      privacy(config.privacy, config.basic_cids, {to.clock, to.event}),
      managed({config.managed.policy, config.arq_feedback, to.air.timing().frame_seconds() * 1000},
              {to.clock, stations}),
      entry({config.t17_ms, config.managed.t13_ms, config.station_lost_ms, config.edition, config.carriers.shared(),
             config.half_duplex_stations},
            {to.clock, to.event, to.air, stations, admission, ranging, flows, narrow, privacy, managed}),
      network(config.managed, {to.clock, to.event, stations, to.on_management}),
      commands({to.clock, to.event, stations, admission, flows, links, config, to.broadcast_replies}) {
    to.broadcast_replies.finish_with([this](uint16_t cid, Buffer& message) {
        if (Subscriber* station = stations.find_basic(cid)) privacy.sign(*station, message);
    });
    multicast.provision(config);
}

}  // namespace wimax::mac
