// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/ranging_service.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kMaxInvitations = 16;
constexpr int64_t kInvitationMs = 40;
constexpr int kInvitationDoublings = 3;
constexpr int64_t kHopelessMs = 500;       // until a station that is too weak for its rate is heard again
constexpr int64_t kRangingAnswerMs = 100;  // between answers to RNG-REQs in a station's own grants

}  // namespace

RangingService::RangingService(const Config& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      stations_(dependencies.stations),
      admission_(dependencies.admission),
      descriptors_(dependencies.descriptors),
      links_(dependencies.links),
      broadcast_replies_(dependencies.broadcast_replies) {}

bool RangingService::on_request(const RngReq& request, uint16_t cid, const UplinkMeasurement& measured,
                                phy::FrameNumber frame) {
    Subscriber* station = nullptr;
    if (cid != cid::kInitialRanging) {
        station = stations_.find(cid);
    } else if (request.ss_mac) {
        station = stations_.find(*request.ss_mac, false);
        if (!station) station = admission_.admit(*request.ss_mac, measured.cinr_db);
        if (!station) {
            if (!stations_.find(*request.ss_mac, true)) admission_.refuse(*request.ss_mac);
            return true;
        }
    }
    if (!station) return false;
    if (cid == cid::kInitialRanging) station->ranging.begins();
    station->uplink.last = measured;
    answer(*station, cid, request, frame);
    return true;
}

bool RangingService::on_profile_request(const RngReq& request, uint16_t basic_cid) {
    Subscriber* found = stations_.find_basic(basic_cid);
    if (!found || !found->established()) return false;
    Subscriber& station = *found;
    if (!links_.lower(station, request)) return false;
    RngRsp rsp;
    rsp.status = RangingStatus::success;
    rsp.operational_profile = downlink_profile(station);
    broadcast_replies_.push(basic_cid, rsp);
    return true;
}

void RangingService::on_request_in_grant(Subscriber& station, const RngReq& request) {
    if (station.invitations.answers(clock_.now, clock_.from_ms(kRangingAnswerMs)))
        answer(station, station.basic_cid, request, std::nullopt);
}

/// `opportunity`: the frame of a ranging opportunity; null: in the station's own grant.
void RangingService::answer(Subscriber& station, uint16_t cid, const RngReq& request,
                            std::optional<phy::FrameNumber> opportunity) {
    const bool in_grant = !opportunity;
    const bool at_limit = (request.anomalies.value_or(0) & anomaly::kMaximumPower) != 0;
    station.health.heard(clock_.now);
    station.invitations.asked(clock_.now);
    RangingCorrection correction = station.ranging.on_request(station.uplink.last, at_limit);
    links_.on_ranging_request(station, request, in_grant);
    const bool hopeless = !station.established() && !station.uplink.rate.possible(station.uplink.last.cinr_db);
    if (hopeless) correction.status = RangingStatus::continue_ranging;  // no SBC-REQ would come through
    RngRsp rsp;
    correction.put_into(rsp);
    rsp.ss_mac = station.mac;
    if (opportunity && cid == cid::kInitialRanging) {  // open regions have one opportunity
        rsp.frame_number = opportunity->value();
        rsp.opportunity_number = 1;
    }
    station.link.power.corrected(static_cast<float>(correction.power_qdb) / 4);
    rsp.basic_cid = station.basic_cid;
    rsp.primary_cid = station.primary_cid;
    if (correction.status == RangingStatus::success) {
        succeed(station, rsp);
    } else {
        const int64_t wait_ms = hopeless ? kHopelessMs : kInvitationMs;
        station.invitations.begin(clock_.now, clock_.from_ms(wait_ms), !hopeless);
    }
    auto& queue = in_grant ? station.management : broadcast_replies_;  // the latter is sent at the most robust rate
    queue.push(cid, rsp);
}

OperationalProfile RangingService::downlink_profile(const Subscriber& station) const {
    return {descriptors_.diuc_of(station.dl_rate.profile()), descriptors_.dcd_count()};
}

void RangingService::succeed(Subscriber& station, RngRsp& rsp) {
    rsp.operational_profile = downlink_profile(station);
    station.ranging.restart();
    if (!station.established()) {
        station.uplink.rate.start(station.uplink.last.cinr_db);
        station.entry.ranged(clock_.now, clock_.from_ms(config_.t9_ms));
    }
    station.invitations.stop();
}

void RangingService::range_in_place(Subscriber& station) {
    if (!station.established() || station.invitations.asked_at() > station.health.delivered_at()) return;
    station.invitations.restart();
    invite_again(station);
}

/// Invites less and less often: a station that never responds may not exist.
void RangingService::invite_again(Subscriber& station) {
    const int64_t wait_ms = kInvitationMs << std::min(station.invitations.next(), kInvitationDoublings);
    station.invitations.again(clock_.now, clock_.from_ms(wait_ms) + 2 * config_.frame_samples);
}

bool RangingService::run_timer(Subscriber& station) {
    if (!station.invitations.expired(clock_.now)) return true;
    if (station.invitations.count() >= kMaxInvitations && station.entry.state() == EntryState::ranging) return false;
    invite_again(station);
    return true;
}

}  // namespace wimax::mac
