// SPDX-License-Identifier: GPL-3.0-or-later
// Applies an SA to PDUs (7.5.1): sealing for a PduWriter, and opening of received PDUs. Forged DES-CBC PDUs are not
// detected, and opening in a frame other than the sealing one gives garbage.
#pragma once

#include "mac/pdu/pdu.h"
#include "mac/privacy/security_association.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <functional>

namespace wimax::mac::privacy {

using gr::wimax::phy::FrameNumber;

/// Seals with an SA that may be added, change its keys and be removed.
class AssociationSealer final : public PayloadSealer {
public:
    using Find = std::function<SecurityAssociation*()>;
    /// `suite`: of that SA. `frame`: the PDUs' frame, by the base station's count; outlives the object.
    AssociationSealer(Find find, const Suite& suite, const FrameNumber& frame)
        : find_(std::move(find)), ccm_(suite.data == DataEncryption::aes_ccm), frame_(frame) {}

    size_t lead_octets() const override { return ccm_ ? CcmCipher::kPnOctets : 0; }
    size_t tail_octets() const override { return ccm_ ? CcmCipher::kIcvOctets : 0; }
    std::optional<uint8_t> key_sequence() const override;
    bool seal(std::span<uint8_t> pdu) override;

private:
    Find find_;
    bool ccm_;
    const FrameNumber& frame_;
};

struct PayloadCounters {
    uint64_t opened = 0;
    uint64_t low_numbers = 0;                            ///< opened PDUs of the uplink without the top bit
    uint64_t unknown_key = 0, forged = 0, replayed = 0;  ///< dropped
    uint64_t unprotected = 0;                            ///< dropped: the flow is encrypted, the PDU is not

    void count(Opened opened);
};

class PduOpener {
public:
    /// An encrypted PDU as it would be without encryption: valid until the next one. Null, and counted: it is not
    /// genuine. `association`: of its flow; null: there is none. `frame`: the PDU's frame, by the base station's count.
    const Pdu* open(SecurityAssociation* association, const Pdu& pdu, FrameNumber frame, PayloadCounters& counters);
    /// Result of the last one.
    Opened last() const { return last_; }

private:
    std::array<uint8_t, kMaxPduOctets> octets_{};
    Pdu plain_;
    Opened last_ = Opened::plain;
};

}  // namespace wimax::mac::privacy
