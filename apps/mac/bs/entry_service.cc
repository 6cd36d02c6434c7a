// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/entry_service.h"

#include "mac/capabilities.h"
#include "mac/flow_limits.h"
#include "mac/report/flow_status.h"

#include <utility>

namespace wimax::mac {
namespace {

constexpr uint32_t kUndeliveredWhenLost = 8;

}  // namespace

EntryService::EntryService(const Config& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      event_(dependencies.event),
      air_(dependencies.air),
      stations_(dependencies.stations),
      admission_(dependencies.admission),
      ranging_(dependencies.ranging),
      flows_(dependencies.flows),
      narrow_(dependencies.narrow),
      privacy_(dependencies.privacy),
      managed_(dependencies.managed) {}

void EntryService::on_capabilities(Subscriber& station, const SbcReq& request) {
    if (station.entry.state() == EntryState::ranging) return;
    if (station.entry.state() == EntryState::ranged && !admission_.takes_over(station)) {
        if (!station.entry.leaving()) station.entry.postpone(request);
        return;
    }
    SbcRsp rsp;
    air_.answer(request, rsp);
    if (!on_duplex(station, request, rsp)) return admission_.send_away(station, "it is half-duplex");
    rsp.pdu_construction = capability::common(request.pdu_construction, capability::kPiggybackAnd11BitFsn);
    rsp.authorization_policy = capability::common(request.authorization_policy, 0);
    if (!privacy_.on_capabilities(station, request, rsp)) return admission_.send_away(station, "it has no privacy");
    const StationMeans means = air_.means(request);
    narrow_.on_capabilities(station, means.narrow);
    station.capabilities.knows_codes = means.codes;
    station.management.push(station.basic_cid, rsp);
    if (station.entry.state() == EntryState::ranged) station.entry.capable(clock_.now, clock_.from_ms(config_.t17_ms));
}

/// False: the base station cannot serve it.
bool EntryService::on_duplex(Subscriber& station, const SbcReq& request, SbcRsp& rsp) {
    const auto gaps = request.transition_gaps_us.value_or(std::array<uint8_t, 2>{});
    station.capabilities.gaps = {gaps[0], gaps[1]};
    station.capabilities.half_duplex =
        !config_.one_carrier &&
        capability::is_half_duplex(request.bandwidth_allocation, request.transition_gaps_us.has_value());
    station.half_duplex.late = station.basic_cid % 2 == 0;  // until their loads are known
    rsp.bandwidth_allocation =
        capability::common(request.bandwidth_allocation, config_.one_carrier ? 0 : capability::kDuplexBits);
    return config_.half_duplex_stations || !station.capabilities.half_duplex;
}

void EntryService::on_registration(Subscriber& station, const RegReq& request) {
    if (station.entry.state() < EntryState::capable) return;
    RegRsp rsp;
    if (!managed_.on_registration(station, request, rsp)) return admission_.send_away(station, "it is unmanaged");
    const uint16_t most_cids = max_uplink_cids(station.managed.connection != nullptr);
    rsp.uplink_cids = std::min(request.uplink_cids.value_or(most_cids), most_cids);
    rsp.cs_support = request.cs_support.value_or(capability::kCsIpv4Bit) & capability::kCsBits;
    rsp.maximum_classifiers = request.maximum_classifiers;
    rsp.arq = request.arq.value_or(0) & capability::kArq;
    rsp.phs = request.phs.value_or(0) & capability::kPacketPhs;
    rsp.mac_crc = 1;
    rsp.mac_version = mac_version(config_.edition);
    rsp.hmac = HmacTuple{};
    station.management.push(station.primary_cid, rsp);
    if (station.entry.state() != EntryState::capable) return;  // its response was lost, the flows are being set up
    station.entry.register_station();
    station.capabilities.uplink_cids = *rsp.uplink_cids;
    station.capabilities.arq = rsp.arq.value_or(0) == capability::kArq;
    station.capabilities.phs = rsp.phs.value_or(0) == capability::kPacketPhs;
    station.health.registered(clock_.now);
    event_(station.event_source(), "entry", to_text(station.mac) + " registered");
    if (!station.managed.awaits_file()) return flows_.create(station);
    station.entry.await_file(clock_.now, clock_.from_ms(config_.t13_ms));
}

void EntryService::on_file_complete(Subscriber& station) {
    if (!station.registered() || !station.managed.connection) return station.count_malformed();
    TftpRsp rsp;
    rsp.hmac = HmacTuple{};
    station.management.push(station.primary_cid, rsp);
    if (!station.managed.awaits_file()) return;  // its response was lost
    station.managed.complete = true;
    station.entry.file_complete();
    event_(station.event_source(), "entry", to_text(station.mac) + " has its configuration file");
    flows_.create(station);
}

/// A station that was commanded to be silent has no grants to leave undelivered.
bool EntryService::lost(const Subscriber& station) const {
    return station.registered() && station.health.undelivered() >= kUndeliveredWhenLost &&
           clock_.now - station.health.delivered_at() > clock_.from_ms(config_.station_lost_ms);
}

void EntryService::check(Subscriber& station) {
    const auto remove = [&](const char* why) { admission_.remove(station.basic_cid, why); };
    StationEntry& entry = station.entry;
    if (entry.leaving()) return remove(entry.leaving());
    if (const auto request = entry.take_postponed()) on_capabilities(station, *request);
    if (const char* why = entry.overdue(clock_.now)) return remove(why);
    if (!ranging_.run_timer(station)) return remove("no answer to invited ranging");
    if (lost(station)) {
        ++lost_stations_;
        return remove(station.health.misses() >= station.health.undelivered() ? "lost, no answer to its grants"
                                                                              : "lost, none of its bursts is readable");
    }
    if (const char* why = privacy_.run_timers(station)) return remove(why);
    flows_.run_timers(station);
}

void EntryService::run_timers() {
    const auto& stations = stations_.awake();
    for (size_t i = 0; i < stations.size();) {
        const Subscriber* station = stations[i];
        check(*stations[i]);
        if (i < stations.size() && stations[i] == station) ++i;  // otherwise it has been removed
    }
}

}  // namespace wimax::mac
