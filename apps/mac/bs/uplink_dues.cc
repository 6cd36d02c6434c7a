// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_dues.h"

#include "mac/bs/grant_rules.h"
#include "mac/pdu/pdu.h"
#include "mac/request_rules.h"

#include <cmath>

namespace wimax::mac {
namespace {

/// UGS grants that found no room are made up for, at most those of that many frames.
constexpr double kUgsCreditFrames = 4.0;
constexpr double kSlipExtra = 0.01;  // more grants while the slip indicator is set (clause 6.3.5)

/// Octets of a PDU in addition to its packet or fragment.
double pdu_allowance(const ServiceFlowConfig& flow) {
    return static_cast<double>(kPduOverheadOctets + 2 + flow.sealing_octets);
}

}  // namespace

size_t UplinkDues::elapse(const ServiceFlowConfig& flow, double frame_s, Samples now) {
    const UnaskedGrants grants = unasked_grants(flow, frame_s);
    const double per_frame = frame_s / grants.interval_s * (now < slipped_until_ ? 1 + kSlipExtra : 1);
    intervals_ += per_frame;
    const double elapsed = std::floor(intervals_ + 1e-6);
    intervals_ -= elapsed;
    packet_octets_ = grants.octets;
    owed_octets_ =
        std::min(owed_octets_ + elapsed * packet_octets_, kUgsCreditFrames * std::max(1.0, per_frame) * packet_octets_);
    return owed_pdus(flow);
}

/// Octets for the owed packets, the first of which may have been sent in part.
size_t UplinkDues::owed_pdus(const ServiceFlowConfig& flow) const {
    if (owed_octets_ < 1) return 0;
    return static_cast<size_t>(std::ceil(owed_octets_ - 1e-6) +
                               std::ceil(owed_octets_ / packet_octets_ - 1e-6) * pdu_allowance(flow));
}

/// Octets still owed after a grant smaller than due: the last packets, and the rest of a packet that is cut. Its second
/// piece needs another header; charging that to the first would lengthen the queue with every cut. A piece without room
/// for a fragment carries nothing.
double UplinkDues::left_after(const ServiceFlowConfig& flow, size_t paid) const {
    if (paid >= unasked_due_octets_) return 0;
    if (paid < kLeastAnswerOctets) return owed_octets_;
    const double grant = packet_octets_ + pdu_allowance(flow),
                 missing = static_cast<double>(unasked_due_octets_ - paid);
    const double part = std::fmod(missing, grant);
    const bool carries = flow.fragmentation && grant - part >= kLeastAnswerOctets;
    const double cut = part == 0 || carries ? part : packet_octets_;
    return std::min(owed_octets_, std::floor(missing / grant) * packet_octets_ + cut);
}

UplinkDues::Payment UplinkDues::pay(const ServiceFlowConfig& flow, size_t left) {
    Payment paid;
    paid.octets = std::min(left, std::exchange(due_octets_, 0));
    paid.unasked = std::min(paid.octets, unasked_due_octets_);
    if (paid.unasked == 0) return paid;
    owed_octets_ = left_after(flow, paid.unasked);
    unused_ = std::min(unused_ + 1, kSilentGrants);
    return paid;
}

}  // namespace wimax::mac
