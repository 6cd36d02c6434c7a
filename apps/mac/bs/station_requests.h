// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of one station, the grants that answer them, and its use of these grants.
#pragma once

#include "mac/pdu/header.h"
#include "mac/sample_time.h"
#include "mac/scheduler/fair_share.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

struct FlowContext;

inline constexpr size_t kGrantsRemembered = 4;

/// Requests of one connection, and the grants that answered them.
class RequestBook {
public:
    /// Asked for and not granted.
    size_t octets() const { return octets_; }
    /// `may_lower`: the message proves the sender.
    void ask(RequestType type, size_t octets, bool may_lower);
    void forget() { octets_ = 0; }
    void clear() { *this = RequestBook(); }
    /// A remembered grant answers requests with `octets`. Returns the rest.
    size_t answer(size_t grant, size_t octets);
    /// The grant did not include the latest request: its part is asked for again.
    void restore(size_t grant) { octets_ += std::exchange(answered_by_[grant], 0); }

private:
    size_t octets_ = 0;
    std::array<size_t, kGrantsRemembered> answered_by_{};  ///< its part of each remembered grant
};

class StationRequests {
public:
    using Flows = std::vector<std::unique_ptr<FlowContext>>;

    /// `flows` are in serving order, and outlive the object.
    explicit StationRequests(const Flows& flows) : flows_(flows) {}

    RequestBook& management() { return management_; }
    const RequestBook& management() const { return management_; }
    /// Of management and all active flows.
    size_t octets() const;

    /// A grant was sent; `octets` of it answer requests, in serving order.
    void granted(phy::FrameNumber frame, size_t octets, Samples now);
    /// A request received in a burst of `frame`. Grants after that frame did not include it; they are booked again, as
    /// the station books them. `may_lower`: the burst proves the sender.
    void request(RequestBook& book, RequestType type, size_t octets, phy::FrameNumber frame, bool may_lower);
    void forget();

    /// A contention request, which any station can send in its name, until one of its bursts proves more.
    void doubt(phy::FrameNumber frame) { unproven_since_ = frame; }
    void end_doubt() { unproven_since_.reset(); }
    /// Frame of that request; null: there is none.
    const std::optional<phy::FrameNumber>& unproven_since() const { return unproven_since_; }

    /// Its UGS flow asked for a poll: other flows have requests.
    void want_poll(bool wanted) { poll_me_ = poll_me_ || wanted; }
    void polled() { poll_me_ = false; }
    bool wants_poll() const { return poll_me_; }

    ServiceHistory& history() { return history_; }
    void begin_frame() {
        ++frames_since_grant_;
        if (active_frames_ > 0) --active_frames_;
    }
    /// It rested for that many frames.
    void rested(uint32_t frames) { frames_since_grant_ += frames; }
    uint32_t frames_since_grant() const { return frames_since_grant_; }
    Samples last_grant() const { return last_grant_; }

    /// It has used a grant, or asked for one.
    void used() { active_frames_ = kActiveFrames; }
    /// Frames that it counts as active: it used its grants lately.
    uint32_t active_frames() const { return active_frames_; }

    /// Octets of PDUs with data.
    void carried(size_t octets) { carried_octets_ += octets; }
    /// Octets since the last call.
    size_t take_carried() { return std::exchange(carried_octets_, 0); }
    void average_use(double units) { used_units_ += kUsedMean * (units - used_units_); }
    /// Resource units per frame, moving average.
    double used_units() const { return used_units_; }

private:
    struct Grant {
        phy::FrameNumber frame;
        size_t octets = 0;  ///< granted in answer to requests
    };
    static constexpr uint32_t kActiveFrames = 8;
    static constexpr double kUsedMean = 1.0 / 8;  // weight of the last frame

    template <class Action> void for_each_book(Action&& action);
    bool after(const Grant& grant, phy::FrameNumber frame) const;
    void answer(size_t index);

    const Flows& flows_;
    RequestBook management_;
    ServiceHistory history_;
    std::array<Grant, kGrantsRemembered> grants_{};
    size_t next_grant_ = 0;
    uint32_t frames_since_grant_ = 0;
    Samples last_grant_ = INT64_MIN;
    std::optional<phy::FrameNumber> unproven_since_;
    bool poll_me_ = false;
    uint32_t active_frames_ = 0;
    size_t carried_octets_ = 0;
    double used_units_ = 0;
};

}  // namespace wimax::mac
