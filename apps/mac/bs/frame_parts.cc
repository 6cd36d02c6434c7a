// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/frame_parts.h"

namespace wimax::mac {

FrameParts::FrameParts(const BaseStationConfig& config, const Dependencies& of)
    : schedulers(config, of.policies),
      demand({config.t27_idle_ms, config.t27_active_ms, of.air.timing().frame_seconds(), of.air.timing().frame_samples},
             of.clock, of.air.grid()),
      rest({config.least_awake_stations, of.air.timing().frame_seconds()},
           {of.clock, of.to.stations, of.to.links, demand}),
      half_duplex({of.to.stations, of.to.multicast, of.to.reservations, of.air, of.clock}),
      polling(config.profile.polling_group_stations, of.air.timing().frame_samples, of.clock),
      users(config.profile.polling_group_stations > 0, {of.clock, of.to.stations, demand, polling}),
      entering({of.clock, of.to.stations, of.broadcast_replies}),
      air(of.air.make_frames({of.clock, users, entering, schedulers})),
      downlink(schedulers.downlink(),
               {of.clock, of.to.stations, of.to.multicast, of.bursts, of.air.grid(), air->downlink()}),
      management({of.to.ranging, of.to.entry, of.to.flows, of.to.links, polling, of.broadcast_replies, of.to.privacy}),
      fast_power(config.fast_power_stations, {of.to.stations, of.broadcast_replies}),
      quality({of.clock, of.to.ranging, air->reception(), of.to.narrow, fast_power, config.adaptation}),
      receiver({of.clock, of.to.stations, of.to.ranging, management, demand, air->reception(), quality, of.to.sources,
                of.to.privacy, of.to.network, of.on_sdu, of.air.timing().frame_samples, of.air.grid()}) {}

}  // namespace wimax::mac
