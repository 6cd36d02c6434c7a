// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_requests.h"

#include "mac/bs/subscriber.h"
#include "mac/request_rules.h"

#include <algorithm>

namespace wimax::mac {

void RequestBook::ask(RequestType type, size_t octets, bool may_lower) {
    const size_t wanted = type == RequestType::aggregate ? octets : octets_ + octets;
    octets_ = std::min<size_t>(may_lower ? wanted : std::max(wanted, octets_), kMaxBandwidthRequest);
}

size_t RequestBook::answer(size_t grant, size_t octets) {
    const size_t part = std::min(octets_, octets);
    answered_by_[grant] = part;
    octets_ -= part;
    return octets - part;
}

size_t StationRequests::octets() const {
    size_t octets = management_.octets();
    for (const auto& flow : flows_)
        if (flow->active) octets += flow->requests.octets();
    return octets;
}

/// Visits the books in the order in which the station uses its grants; flows are kept in serving order.
template <class Action> void StationRequests::for_each_book(Action&& action) {
    action(management_);
    for (const auto& flow : flows_) action(flow->requests);
}

bool StationRequests::after(const Grant& grant, phy::FrameNumber frame) const {
    const uint32_t ahead = grant.frame.since(frame);
    return grant.octets > 0 && ahead > 0 && ahead < 8;
}

void StationRequests::answer(size_t index) {
    size_t octets = grants_[index].octets;
    for_each_book([&](RequestBook& book) { octets = book.answer(index, octets); });
}

void StationRequests::granted(phy::FrameNumber frame, size_t octets, Samples now) {
    const size_t index = next_grant_;
    next_grant_ = (next_grant_ + 1) % kGrantsRemembered;
    grants_[index] = {frame, answering_octets(octets)};
    answer(index);
    frames_since_grant_ = 0;
    last_grant_ = now;
}

void StationRequests::request(RequestBook& book, RequestType type, size_t octets, phy::FrameNumber frame,
                              bool may_lower) {
    for (size_t i = 0; i < kGrantsRemembered; ++i)
        if (after(grants_[i], frame)) for_each_book([i](RequestBook& of) { of.restore(i); });
    book.ask(type, octets, may_lower);
    for (size_t i = 0; i < kGrantsRemembered; ++i) {  // the oldest first
        const size_t index = (next_grant_ + i) % kGrantsRemembered;
        if (after(grants_[index], frame)) answer(index);
    }
}

void StationRequests::forget() {
    for_each_book([](RequestBook& book) { book.forget(); });
}

}  // namespace wimax::mac
