// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/admission.h"

#include "mac/report/flow_status.h"

namespace wimax::mac {
namespace {

constexpr size_t kMaxEntering = 32;  // contexts that have shown no more than RNG-REQs

}  // namespace

Admission::Admission(const BaseStationConfig& config, const Dependencies& dependencies)
    : config_(config),
      event_(dependencies.event),
      stations_(dependencies.stations),
      router_(dependencies.router),
      sources_(dependencies.sources),
      air_(dependencies.air),
      control_(dependencies.control),
      uplink_rates_(config.adaptation, dependencies.policies),
      broadcast_replies_(dependencies.broadcast_replies) {}

std::optional<StationConfig> Admission::provisioned(const MacAddress& mac) const {
    for (const auto& station : config_.stations)
        if (station.mac == mac) return station;
    return config_.unknown_station;
}

/// Removes the station that has only ranged and was heard longest ago; a real station has proceeded by then.
void Admission::make_room() {
    size_t entering = 0;
    const Subscriber* oldest = nullptr;
    for (const auto& [cid, station] : stations_.stations()) {
        if (station->established()) continue;
        ++entering;
        if (!oldest || station->invitations.asked_at() < oldest->invitations.asked_at()) oldest = station.get();
    }
    if (!oldest || (entering < kMaxEntering && !stations_.full())) return;
    ++counters_.evicted_stations;
    remove(oldest->basic_cid, "too many that only range");
}

Subscriber* Admission::admit(const MacAddress& mac, float cinr_db) {
    refusal_.clear();
    const auto provision = provisioned(mac);
    if (!provision) return nullptr;
    Subscriber* served = stations_.find(mac, true);
    if (!served && stations_.established() >= config_.max_stations) return nullptr;
    if (!served) {
        const Outcome admitted = control_.station(mac, cinr_db);
        if (!admitted) refusal_ = ": " + admitted.error().allowed;
        if (!admitted) return nullptr;
    }
    make_room();
    const RateLimits rates = rate_limits(config_, *provision);
    const FrameTiming& timing = air_.timing();
    UplinkRate ul_rate(
        rates.ul_highest, rates.ul_lowest,
        uplink_rates_.make({mac, true}, timing.frame_samples, timing.sample_rate_hz, air_.descriptors().thresholds()));
    Subscriber* station = stations_.add(std::make_unique<Subscriber>(mac, *provision, RangingLoop(config_, timing),
                                                                     DownlinkRate(rates.dl_lowest, rates.dl_highest),
                                                                     std::move(ul_rate)));
    if (!station) return nullptr;
    station->uplink.training = air_.make_training();
    if (served) served->health.challenge();
    event_("entry", to_text(mac) + (served ? " ranges while a station has its address" : " initial ranging") +
                        ", basic CID " + std::to_string(station->basic_cid));
    return station;
}

void Admission::remove(uint16_t basic_cid, const char* why) {
    const auto found = stations_.stations().find(basic_cid);
    if (found == stations_.stations().end()) return;
    const Subscriber& station = *found->second;
    if (!station.flows.empty()) router_.flows_changed();
    sources_.forget(basic_cid);
    const std::string text = to_text(station.mac) + " deleted: " + why;
    event_(station.event_source(), "entry", text);
    if (!station.entry.leaving() && (station.established() || station.counters.ul_bursts > 0)) {
        ResCmd reset;  // it shall know, should it still listen
        reset.hmac = HmacTuple{};
        broadcast_replies_.push(basic_cid, reset);
    }
    Subscriber* served = station.established() ? nullptr : stations_.find(station.mac, true);
    if (served) served->health.end_challenge();
    stations_.erase(basic_cid);
}

void Admission::refuse(const MacAddress& mac) {
    ++counters_.refused_stations;
    event_("entry", to_text(mac) + " refused" + refusal_);
    refusal_.clear();
    RngRsp refusal;
    refusal.status = RangingStatus::abort;
    refusal.ss_mac = mac;
    broadcast_replies_.push(cid::kInitialRanging, refusal);
}

void Admission::send_away(Subscriber& station, const char* why) {
    RngRsp abort;
    abort.status = RangingStatus::abort;
    broadcast_replies_.push(station.basic_cid, abort);
    station.entry.leave(why);
}

/// If the old context has been silent since the request, the station has restarted. Otherwise two stations have the
/// same address, and the one that is served stays.
bool Admission::takes_over(Subscriber& newcomer) {
    Subscriber* served = stations_.find(newcomer.mac, true);
    if (!served) return true;
    if (served->health.delivered_at() > newcomer.invitations.asked_at()) {
        ++counters_.duplicate_addresses;
        event_("entry", to_text(newcomer.mac) + ": a second station with this address, basic CID " +
                            std::to_string(newcomer.basic_cid) + ", is sent away; the first stays on " +
                            std::to_string(served->basic_cid));
        send_away(newcomer, "its address is in use");
        served->health.end_challenge();
        return false;
    }
    if (served->health.undelivered() < kSilentGrants) return false;  // polled in every frame now: decided soon
    event_(newcomer.event_source(), "entry", to_text(newcomer.mac) + " enters again");
    served->counters = served->counters_with_flows();
    newcomer.counters = served->counters;
    served->entry.leave("it has started again");
    return true;
}

}  // namespace wimax::mac
