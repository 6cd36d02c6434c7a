// SPDX-License-Identifier: GPL-3.0-or-later
// One security association at one end (7.1.3, 7.4): its suite and the two generations of its TEK. The base station
// encrypts with the older one until it ends, the station with the newer one as soon as it has it; both decrypt with
// either. Only install() allocates.
#pragma once

#include "mac/privacy/authorization_keys.h"
#include "mac/privacy/cbc_cipher.h"
#include "mac/privacy/ccm_cipher.h"
#include "mac/privacy/replay_window.h"
#include "mac/privacy/suite.h"

#include <functional>

namespace wimax::mac::privacy {

/// Result of opening an encrypted PDU.
enum class Opened : uint8_t {
    plain,        ///< opened
    unknown_key,  ///< of a TEK that is not installed (any more)
    forged,       ///< not genuine, or too short
    replayed      ///< repeated, or too late
};
const char* to_string(Opened opened);

/// Octets that encryption adds to a PDU.
constexpr size_t overhead_octets(const Suite& suite) {
    return suite.data == DataEncryption::aes_ccm ? CcmCipher::kOverheadOctets : 0;
}

/// Called once for each TEK.
using KeySink = std::function<void(uint16_t said, uint8_t sequence, Octets tek)>;

class SecurityAssociation {
public:
    static constexpr uint8_t kSequences = 4;  ///< of TEKs: EKS is two bits

    /// `sends`: this end's direction. `forms`: of its PDUs.
    SecurityAssociation(uint16_t said, Suite suite, Direction sends, PayloadForms forms = {})
        : said_(said), suite_(suite), sends_(sends), forms_(forms) {}

    uint16_t said() const { return said_; }
    const Suite& suite() const { return suite_; }
    size_t overhead_octets() const { return privacy::overhead_octets(suite_); }

    /// Installs a TEK: as the newer one, whose predecessor becomes the older one; as the older one if its number
    /// precedes the newer's; or instead of one with its number. A present TEK keeps its packet numbers and gets the new
    /// end. A former one is refused, since its packet numbers would repeat. False: refused, or no key of the suite's.
    [[nodiscard]] bool install(const TrafficKey& tek, uint8_t sequence, Samples expires, const CbcCipher::Iv& iv);
    /// Uses no key until one is installed. Present keys keep their packet numbers until then.
    void suspend() { suspended_ = true; }
    /// Removes keys that ended more than `patience` ago.
    void expire(Samples now, Samples patience);

    bool has_key() const { return newer_ && !suspended_; }
    std::optional<uint8_t> newer_sequence() const;
    std::optional<uint8_t> older_sequence() const;
    Samples newer_expires() const { return newer_ ? newer_->expires : 0; }
    Samples older_expires() const { return older_ ? older_->expires : 0; }
    /// Key of a generation, to be sent or logged.
    const TrafficKey* key(uint8_t sequence) const;
    const CbcCipher::Iv* cbc_iv(uint8_t sequence) const;

    /// EKS of PDUs sent now; nothing: no key, or no packet numbers left.
    std::optional<uint8_t> eks_to_send() const;
    /// True if few packet numbers are left of the sending key, or of the newer one at the other end: a new one is
    /// needed.
    bool nearly_used_up() const;
    /// `pdu`: as CcmCipher::seal() wants it, its header with EC and EKS set. False: must not be sent.
    [[nodiscard]] bool seal(std::span<uint8_t> pdu, uint32_t frame_number);
    /// `pdu` without its CRC; `plain`: overhead_octets() and the header shorter.
    [[nodiscard]] Opened open(Octets pdu, std::span<uint8_t> plain, uint32_t frame_number);
    /// True if a PDU of the uplink has a packet number without the top bit.
    bool has_low_number(Octets pdu) const;

private:
    using Fingerprint = std::array<uint8_t, 32>;  ///< SHA-256 of a TEK
    struct Generation {
        TrafficKey tek;
        uint8_t sequence = 0;
        Samples expires = 0;
        CbcCipher::Iv iv{};
        std::optional<CcmCipher> ccm;
        std::optional<CbcCipher> cbc;
        uint32_t sent = 0;  ///< packet numbers
        ReplayWindow received;
    };
    Generation* find(uint8_t sequence);
    void retire(std::optional<Generation>& generation);
    uint32_t mask_sent() const;
    bool was_there(const TrafficKey& tek) const;
    const Generation* sending() const;
    Opened open_ccm(Generation& generation, Octets pdu, std::span<uint8_t> plain);

    uint16_t said_;
    Suite suite_;
    Direction sends_;
    PayloadForms forms_;
    std::optional<Generation> older_, newer_;
    std::vector<Fingerprint> retired_;
    std::optional<uint32_t> mask_received_;  ///< top bit of the numbers, as in the first genuine one
    bool suspended_ = false;
};

}  // namespace wimax::mac::privacy
