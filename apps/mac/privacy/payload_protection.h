/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An SA at work on PDUs (7.5.1): what a PduWriter seals with, and what opens PDUs that came. Only AES-CCM goes on air
 * here: of DES-CBC nobody would notice that it was forged.
 */
#pragma once

#include "mac/pdu/pdu.h"
#include "mac/privacy/security_association.h"

#include <functional>

namespace wimax::mac::privacy {

/// Seals with an SA that may come, change its keys and go.
class AssociationSealer final : public PayloadSealer {
public:
    using Find = std::function<SecurityAssociation*()>;
    explicit AssociationSealer(Find find) : find_(std::move(find)) {}

    size_t lead_octets() const override { return CcmCipher::kPnOctets; }
    size_t tail_octets() const override { return CcmCipher::kIcvOctets; }
    std::optional<uint8_t> key_sequence() const override;
    bool seal(std::span<uint8_t> pdu) override;

private:
    Find find_;
};

struct PayloadCounters {
    uint64_t opened = 0;
    uint64_t unknown_key = 0, forged = 0, replayed = 0;  ///< dropped
    uint64_t unprotected = 0;                            ///< dropped: the flow is encrypted, the PDU is not

    void count(Opened opened);
};

class PduOpener {
public:
    /// An encrypted PDU as it would be without encryption: valid until the next one. Null, and counted: it is not
    /// genuine. `association`: of its flow; null: there is none.
    const Pdu* open(SecurityAssociation* association, const Pdu& pdu, PayloadCounters& counters);
    /// What became of the last one.
    Opened last() const { return last_; }

private:
    std::array<uint8_t, kMaxPduOctets> octets_{};
    Pdu plain_;
    Opened last_ = Opened::plain;
};

}  // namespace wimax::mac::privacy
