/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Initial ranging seen from the base station, and who may enter. A RNG-REQ proves nothing: it is answered with a
 * context of its own, beside that of a station which is served under the same address, and little is spent on it until
 * its SBC-REQ comes. Then it is seen which of the two is there.
 */
#include <mac/bs/base_station.h>
#include <mac/control/status.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int64_t kInvitationMs = 40;
constexpr int kInvitationDoublings = 3;
constexpr int64_t kHopelessMs = 500;       // until a station that is too weak for its rate is heard again
constexpr int64_t kRangingAnswerMs = 100;  // between answers to RNG-REQs in a station's own grants
constexpr uint8_t kAnomalyMaximumPower = 1;
constexpr size_t kMaxEntering = 32;    // contexts that have shown no more than RNG-REQs
constexpr uint32_t kSilentGrants = 3;  // unanswered in a row: nobody seems to be there

}  // namespace

Subscriber* BaseStation::find(const MacAddress& mac, bool established) {
    for (auto& [cid, station] : stations_)
        if (station->mac == mac && station->established() == established && !station->leaving) return station.get();
    return nullptr;
}

Subscriber* BaseStation::find(uint16_t basic_or_primary_cid) {
    const uint16_t basic = cid::is_primary(basic_or_primary_cid)
                               ? static_cast<uint16_t>(basic_or_primary_cid - cid::kBasicMax)
                               : basic_or_primary_cid;
    const auto found = stations_.find(basic);
    return found == stations_.end() ? nullptr : found->second.get();
}

std::optional<StationConfig> BaseStation::provisioned(const MacAddress& mac) const {
    for (const auto& station : config_.stations)
        if (station.mac == mac) return station;
    return config_.unknown_station;
}

/// Of those that have only ranged the one that was heard of longest ago goes; a real station is further by then.
void BaseStation::make_room() {
    size_t entering = 0;
    const Subscriber* oldest = nullptr;
    for (const auto& [cid, station] : stations_) {
        if (station->established()) continue;
        ++entering;
        if (!oldest || station->asked_at < oldest->asked_at) oldest = station.get();
    }
    if (!oldest || (entering < kMaxEntering && stations_.size() < cid::kBasicMax)) return;
    ++counters_.evicted_stations;
    remove(oldest->basic_cid, "too many that only range");
}

Subscriber* BaseStation::admit(const MacAddress& mac) {
    const auto provision = provisioned(mac);
    if (!provision) return nullptr;
    Subscriber* served = find(mac, true);
    const auto established = std::count_if(stations_.begin(), stations_.end(),
                                           [](const auto& entry) { return entry.second->established(); });
    if (!served && static_cast<size_t>(established) >= config_.max_stations) return nullptr;
    make_room();
    // Numbers are not reused at once: a station that was deleted may still listen to its old one.
    for (uint16_t tries = 0; tries < cid::kBasicMax; ++tries) {
        const uint16_t basic = next_basic_;
        next_basic_ = static_cast<uint16_t>(next_basic_ % cid::kBasicMax + 1);
        if (stations_.contains(basic)) continue;
        const uint8_t rate = provision->ul_rate_id.value_or(config_.ul_rate_id);
        const UplinkRate ul_rate(rate, config_.ul_lowest_rate_id.value_or(rate), config_.profile);
        auto station = std::make_unique<Subscriber>(mac, *provision, RangingLoop(config_, layout_), ul_rate);
        station->basic_cid = basic;
        station->primary_cid = static_cast<uint16_t>(basic + cid::kBasicMax);
        station->dl_rate_id = provision->dl_rate_id.value_or(config_.dl_rate_id);
        if (served) served->challenged = true;
        limited_event(admitted_events_,
                      to_text(mac) + (served ? " ranges beside the station with its address" : " initial ranging") +
                          ", basic CID " + std::to_string(basic));
        return (stations_[basic] = std::move(station)).get();
    }
    return nullptr;
}

void BaseStation::remove(uint16_t basic_cid, const char* why) {
    const auto found = stations_.find(basic_cid);
    if (found == stations_.end()) return;
    const Subscriber& station = *found->second;
    for (const auto& flow : station.flows) basic_by_transport_.erase(flow->cid);
    if (!station.flows.empty()) forget_destinations(basic_cid);
    const std::string text = to_text(station.mac) + " deleted: " + why;
    if (station.established())
        event("entry", text);
    else
        limited_event(deleted_events_, text);
    if (!station.leaving && (station.established() || station.counters.ul_bursts > 0)) {
        ResCmd reset;  // should it still listen, it shall know
        reset.hmac = HmacTuple{};
        initial_.push(basic_cid, reset);
    }
    Subscriber* served = station.established() ? nullptr : find(station.mac, true);
    if (served) served->challenged = false;
    stations_.erase(found);
}

void BaseStation::refuse(const MacAddress& mac) {
    ++counters_.refused_stations;
    limited_event(refused_events_, to_text(mac) + " refused");
    RngRsp refusal;
    refusal.status = RangingStatus::abort;
    refusal.ss_mac = mac;
    initial_.push(cid::kInitialRanging, refusal);
}

void BaseStation::on_ranging_request(const RngReq& request, uint16_t cid, const UplinkMeasurement& measured,
                                     uint32_t frame) {
    Subscriber* station = nullptr;
    if (cid != cid::kInitialRanging) {
        station = find(cid);
    } else if (request.ss_mac) {
        station = find(*request.ss_mac, false);
        if (!station) station = admit(*request.ss_mac);
        if (!station) return find(*request.ss_mac, true) ? void() : refuse(*request.ss_mac);
    }
    if (!station) {
        ++counters_.unknown_cid;
        return;
    }
    station->last = measured;
    station->asked_frame = frame;
    answer_ranging(*station, cid, request, false);
}

void BaseStation::on_ranging_in_grant(Subscriber& station, const RngReq& request) {
    if (now_ < station.next_ranging_answer) return;
    station.next_ranging_answer = now_ + layout_.samples_from_ms(kRangingAnswerMs);
    answer_ranging(station, station.basic_cid, request, true);
}

void BaseStation::answer_ranging(Subscriber& station, uint16_t cid, const RngReq& request, bool in_grant) {
    const bool at_limit = (request.anomalies.value_or(0) & kAnomalyMaximumPower) != 0;
    station.last_heard = station.asked_at = now_;
    station.misses = 0;
    RangingCorrection correction = station.ranging.on_request(station.last, at_limit);
    const bool hopeless = !station.established() && !station.ul_rate.possible(station.last.cinr_db);
    if (hopeless) correction.status = RangingStatus::continue_ranging;  // no SBC-REQ would come through
    RngRsp rsp;
    correction.put_into(rsp);
    rsp.ss_mac = station.mac;
    if (cid == cid::kInitialRanging) {  // open regions have one opportunity
        rsp.frame_number = station.asked_frame;
        rsp.opportunity_number = 1;
    }
    rsp.basic_cid = station.basic_cid;
    rsp.primary_cid = station.primary_cid;
    if (correction.status == RangingStatus::success) {
        rsp.operational_profile = OperationalProfile{diuc_of(station.dl_rate_id), broadcasts_.dcd(frame_).change_count};
        station.ranging.restart();
        if (!station.established()) {
            station.ul_rate.start(station.last.cinr_db);
            station.state = EntryState::ranged;
            station.t9.start(now_, layout_.samples_from_ms(config_.t9_ms));
        }
        station.stop_inviting();
    } else {
        station.invite_timer.start(now_, layout_.samples_from_ms(hopeless ? kHopelessMs : kInvitationMs));
        station.invite = !hopeless;
        station.invitations = 0;
    }
    (in_grant ? station.management : initial_).push(cid, rsp);  // the latter goes at the most robust rate
}

/// Nothing of a served station arrives where it should: it gets opportunities that are wide enough to find it. Once it
/// has answered it is not a matter of time.
void BaseStation::range_in_place(Subscriber& station) {
    if (!station.established() || station.asked_at > station.delivered_at) return;
    station.invitations = -1;
    invite_again(station);
}

/// Less and less often: who does not come may never have been there.
void BaseStation::invite_again(Subscriber& station) {
    const int64_t wait_ms = kInvitationMs << std::min(++station.invitations, kInvitationDoublings);
    station.invite = true;
    station.invite_timer.start(now_, layout_.samples_from_ms(wait_ms) + 2 * layout_.frame_samples());
}

/// Who asked last is invited first: of a flood of requests most are old when their turn comes.
Subscriber* BaseStation::next_invited() {
    Subscriber* next = nullptr;
    for (auto& [cid, station] : stations_)
        if (station->invite && (!next || station->asked_at > next->asked_at)) next = station.get();
    return next;
}

/// The newcomer's SBC-REQ has come. Was it a station that starts again, the old context is silent since; else there are
/// two with one address, and the one that is served stays.
bool BaseStation::takes_over(Subscriber& newcomer) {
    Subscriber* served = find(newcomer.mac, true);
    if (!served) return true;
    if (served->delivered_at > newcomer.asked_at) {
        ++counters_.duplicate_addresses;
        limited_event(duplicate_events_, to_text(newcomer.mac) + ": a second station with this address, basic CID " +
                                             std::to_string(newcomer.basic_cid) +
                                             ", is sent away; the first stays on " + std::to_string(served->basic_cid));
        RngRsp abort;
        abort.status = RangingStatus::abort;
        initial_.push(newcomer.basic_cid, abort);
        newcomer.leaving = "its address is in use";  // removed with the next tick: this may run inside its reassembler
        served->challenged = false;
        return false;
    }
    if (served->undelivered < kSilentGrants) return false;  // it is polled in every frame now: soon it will be known
    event("entry", to_text(newcomer.mac) + " enters again");
    served->keep_counters();
    newcomer.counters = served->counters;
    served->leaving = "it has started again";
    return true;
}

/// Unasked octets for one that has not got its flows yet: few stations a frame, and not for long to one that is silent.
bool BaseStation::entry_grant_due(const Subscriber& station) {
    if (station.state == EntryState::operational || station.misses >= kSilentGrants || entry_grants_left_ == 0)
        return false;
    --entry_grants_left_;
    return true;
}

}  // namespace wimax::mac
