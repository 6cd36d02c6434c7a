/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/frame_parts.h"

namespace wimax::mac {

FrameParts::FrameParts(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& of)
    : places(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples()),
      demand({config.t27_idle_ms, config.t27_active_ms, layout.frame_seconds(), layout.frame_samples()}, of.clock,
             of.grid),
      rest({config.least_awake_stations, layout.frame_seconds()}, {of.clock, of.to.stations, of.to.links, demand}),
      plan(config.profile.ranging_symbols, layout, of.clock, places),
      focused({plan}),
      polling(config.profile.polling_group_stations, layout.frame_samples(), of.clock),
      users(config.profile.polling_group_stations > 0, {of.clock, of.to.stations, demand, polling}),
      planner(config, layout, {of.clock, users, of.broadcasts, places, plan, focused}),
      broadcast(config, layout, {of.clock, of.to.stations, of.broadcasts, plan, of.broadcast_replies, of.dl_symbols}),
      frame(config, layout, {of.clock, of.broadcasts, plan, of.dl_symbols}),
      downlink(config.dl_scheduler, {of.clock, of.to.stations, of.to.multicast, broadcast, of.bursts, of.grid, frame}),
      management({of.to.ranging, of.to.entry, of.to.flows, of.to.links, polling, of.broadcast_replies, of.to.privacy}),
      quality({of.clock, of.to.ranging, planner, of.to.subchannels}),
      receiver({of.clock, of.to.stations, of.to.ranging, management, demand, planner, quality, of.to.sources,
                of.to.privacy, of.on_sdu, layout.frame_samples(), of.grid}) {}

}  // namespace wimax::mac
