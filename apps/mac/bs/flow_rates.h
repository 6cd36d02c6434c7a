// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of a service flow at the base station: what it owes the flow, and what it accepts of an uplink flow, whose
// station it need not trust.
#pragma once

#include "mac/flow/rate_rules.h"
#include "mac/flow/token_bucket.h"

namespace wimax::mac {

/// Octets of PDUs per SDU octet of an uplink flow, learnt from received PDUs.
class PduOverhead {
public:
    void pdu(size_t octets) { pdus_ += static_cast<double>(octets); }
    void sdu(size_t octets) {
        sdus_ += static_cast<double>(octets);
        if (sdus_ < kMemoryOctets) return;
        sdus_ /= 2;
        pdus_ /= 2;
    }
    double ratio() const { return std::clamp(pdus_ / sdus_, 1.0, kMost); }

private:
    static constexpr double kMemoryOctets = 20'000, kMost = 4;
    double sdus_ = 1000, pdus_ = 1300;  // until known: small packets
};

struct FlowRates {
    TokenBucket reserved;       ///< minimum reserved rate: SDU octets owed
    TokenBucket sustained;      ///< uplink: SDU octets that may arrive
    PduOverhead overhead;       ///< uplink
    uint64_t dropped_rate = 0;  ///< SDUs beyond the maximum sustained rate

    /// Called with every change of the parameters.
    void set(const ServiceFlowConfig& flow, int64_t sample_rate_hz) {
        reserved.change(flow.min_reserved_rate_bps, reserve_octets(flow), sample_rate_hz);
        sustained.change(flow.max_sustained_rate_bps, burst_octets(flow), sample_rate_hz);
    }
    /// An SDU has arrived. `now`: start of its frame. False: it is not to be passed on.
    bool admits(size_t octets, Samples now) {
        sustained.update(now);
        overhead.sdu(octets);
        if (octets > sustained.available()) {
            ++dropped_rate;
            return false;
        }
        sustained.take(octets);
        return true;
    }
    /// Octets of PDUs that carry `sdu_octets`.
    size_t on_air(size_t sdu_octets) const {
        return static_cast<size_t>(static_cast<double>(sdu_octets) * overhead.ratio());
    }
    size_t in_sdus(size_t pdu_octets) const {
        return static_cast<size_t>(static_cast<double>(pdu_octets) / overhead.ratio());
    }
};

}  // namespace wimax::mac
