// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/polling_groups.h"

#include "mac/bs/subscriber.h"
#include "mac/pdu/cid.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint8_t kInvitations = 4;  // the first one, and three repetitions
constexpr int64_t kT15Ms = 100, kT15Frames = 10;

}  // namespace

void PollingGroups::begin() {
    members_.fill(0);
    seats_.fill(0);
    outside_ = 0;
}

void PollingGroups::count(Subscriber& station) {
    if (group_stations_ == 0 || !station.registered()) return;
    PollingSeat& seat = station.polling;
    if (seat.cid != 0) {
        const size_t group = seat.cid - cid::kFirstMulticastPolling;
        ++seats_[group];
        members_[group] = static_cast<uint16_t>(members_[group] + (seat.joined ? 1 : 0));
    }
    if (seat.joined) return;
    ++outside_;
    const bool due = seat.tries == 0 || seat.t15.expired(clock_.now);
    if (station.entry.operational() && seat.tries < kInvitations && due && station.management.empty()) ask(station);
}

/// Selects the first group with a free seat. Counting only the stations before this one in this frame is enough: a
/// group that fills up too early only means that another begins.
void PollingGroups::ask(Subscriber& station) {
    PollingSeat& seat = station.polling;
    if (seat.cid == 0) {
        const auto free =
            std::find_if(seats_.begin(), seats_.end(), [this](uint16_t n) { return n < group_stations_; });
        if (free == seats_.end()) {
            seat.tries = kInvitations;
            return;
        }
        ++*free;
        seat.cid = static_cast<uint16_t>(cid::kFirstMulticastPolling + (free - seats_.begin()));
        seat.tid = next_tid_++;
    }
    ++seat.tries;
    seat.t15.start(clock_.now, std::max(clock_.from_ms(kT15Ms), kT15Frames * frame_samples_));
    McaReq request;
    request.tid = seat.tid;
    request.multicast_cid = seat.cid;
    request.assignment = 1;
    station.management.push(station.primary_cid, request);
}

void PollingGroups::answered(Subscriber& station, const McaRsp& response) const {
    PollingSeat& seat = station.polling;
    if (seat.cid == 0 || response.tid != seat.tid || seat.joined) return;
    seat.joined = response.cc == confirmation::kSuccess;
    seat.t15.stop();  // a station that has refused is not asked again
}

uint16_t PollingGroups::next() {
    const bool any = std::ranges::any_of(members_, [](uint16_t n) { return n > 0; });
    if (!any) return cid::kBroadcast;
    for (size_t i = 0; i <= kMostGroups; ++i) {
        turn_ = (turn_ + 1) % (kMostGroups + 1);
        if (turn_ == kMostGroups && outside_ > 0) return cid::kBroadcast;
        if (turn_ < kMostGroups && members_[turn_] > 0)
            return static_cast<uint16_t>(cid::kFirstMulticastPolling + turn_);
    }
    return cid::kBroadcast;
}

}  // namespace wimax::mac
