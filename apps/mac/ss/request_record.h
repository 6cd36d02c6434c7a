// SPDX-License-Identifier: GPL-3.0-or-later
// Subscriber station's copy of the base station's record of one connection: octets requested and not granted yet. A
// request may be lost without notice. What is not granted when T16 expires counts as never requested. The next request
// is then an aggregate one, which replaces the record (clause 6.3.6).
#pragma once

#include "mac/pdu/pdu.h"
#include "mac/sample_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wimax::mac {

class RequestRecord {
public:
    size_t octets() const { return octets_; }
    void clear() { *this = {}; }

    /// A grant answers requests: subtracts its part from `granted`.
    void use(size_t& granted) {
        const size_t part = std::min(octets_, granted);
        octets_ -= part;
        granted -= part;
    }
    /// Checks T16. Octets that expired can only be requested again by an aggregate request.
    void expire(Samples now) {
        if (octets_ == 0) expiry_.stop();
        if (!expiry_.expired(now)) return;
        octets_ = 0;
        aggregate_due_ = true;
    }
    /// The request is known to be lost.
    void lost() {
        expiry_.stop();
        octets_ = 0;
        aggregate_due_ = true;
    }

    /// Whether a request is due for a backlog of that size.
    bool outdated(size_t backlog) const { return backlog > octets_ || octets_ > backlog + kSlackOctets; }
    /// Whether it must be an aggregate request. Regular aggregate requests synchronise both sides' records.
    bool needs_aggregate(size_t backlog) const { return aggregate_due_ || octets_ > backlog + kSlackOctets; }

    /// Writes an aggregate request for `backlog` octets. False: no room.
    bool ask(PduWriter& writer, uint16_t cid, size_t backlog, Samples now, Samples t16) {
        const auto octets = static_cast<uint32_t>(std::min<size_t>(backlog, kMaxBandwidthRequest));
        if (!writer.request({RequestType::aggregate, octets, cid})) return false;
        aggregate_sent(backlog, now, t16);
        return true;
    }
    void aggregate_sent(size_t backlog, Samples now, Samples t16) {
        octets_ = backlog;
        since_aggregate_ = 0;
        aggregate_due_ = false;
        if (backlog > 0) expiry_.start(now, t16);
        else expiry_.stop();
    }
    /// T16 keeps running from the oldest request that may have been lost.
    void incremental_sent(size_t more, Samples now, Samples t16) {
        octets_ += more;
        aggregate_due_ = ++since_aggregate_ >= kIncrementalsPerAggregate;
        if (!expiry_.running()) expiry_.start(now, t16);
    }

private:
    static constexpr uint32_t kIncrementalsPerAggregate = 16;
    /// The base station's record may be that much too large before an aggregate request is sent.
    static constexpr size_t kSlackOctets = 3000;

    size_t octets_ = 0;
    uint32_t since_aggregate_ = 0;
    bool aggregate_due_ = false;
    Timer expiry_;
};

}  // namespace wimax::mac
