// SPDX-License-Identifier: GPL-3.0-or-later
// Privacy configuration of stations (7): policy, timers and lifetimes of PKM (10.2) in seconds of sample time, and
// credentials.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace wimax::mac {

namespace privacy {
class TrustedAuthorities;
struct StationCredentials;
}  // namespace privacy

enum class PrivacyPolicy : uint8_t {
    off,      ///< neither offered nor requested
    allowed,  ///< if the other end has it
    required  ///< nothing without it
};

/// Cipher suites of payloads (11.9.14).
enum class PrivacySuite : uint8_t {
    aes_ccm,
    des_cbc  ///< weak, and forged or repeated PDUs are not detected
};

/// Packet numbers of AES-CCM in the uplink, as sent. Both are received.
enum class UplinkNumbers : uint8_t {
    high,  ///< with the top bit
    low    ///< as in the downlink
};

/// Initialization vector of DES-CBC, sent and received: a PDU does not show which one it has.
enum class CbcIvForm : uint8_t {
    frame_number,  ///< the TEK's vector XOR the frame number
    parameter,     ///< the TEK's vector
    zero
};

/// Encrypted PDUs differ by maker in these (7.5.1): the public texts do not settle it.
struct PayloadForms {
    UplinkNumbers uplink_numbers = UplinkNumbers::high;
    CbcIvForm cbc_iv = CbcIvForm::frame_number;
};

/// The station's.
struct PkmTimers {
    uint32_t authorize_wait_s = 10;         ///< 2..30
    uint32_t reauthorize_wait_s = 10;       ///< 2..30
    uint32_t authorization_grace_s = 600;   ///< before the AK ends: 300 to 35 days; shorter ones for a laboratory
    uint32_t operational_wait_s = 1;        ///< 1..10
    uint32_t rekey_wait_s = 1;              ///< 1..10
    uint32_t tek_grace_s = 3600;            ///< before the newer TEK ends: 300 to 302 399
    uint32_t authorize_reject_wait_s = 60;  ///< 10..600
};

/// The base station's.
struct PkmLifetimes {
    uint32_t ak_s = 604'800;  ///< 1 to 70 days
    uint32_t tek_s = 43'200;  ///< 30 minutes to 7 days
};

/// Called when a TEK has been generated or received, to decrypt captures. `mac`: of the station.
using KeyLog = std::function<void(const std::array<uint8_t, 6>& mac, uint16_t said, uint8_t sequence,
                                  std::span<const uint8_t> tek)>;

struct BaseStationPrivacy {
    PrivacyPolicy policy = PrivacyPolicy::off;
    PkmLifetimes lifetimes;
    std::shared_ptr<const privacy::TrustedAuthorities> authorities;  ///< needed unless it is off
    std::function<int64_t()> wall_s;  ///< seconds since 1970, for certificates alone; needed unless it is off
    KeyLog key_log;                   ///< null: keys are not exported
    std::vector<PrivacySuite> suites{PrivacySuite::aes_ccm};  ///< the first one that a station offers is taken
    PayloadForms forms{};
};

struct SubscriberPrivacy {
    PrivacyPolicy policy = PrivacyPolicy::off;
    PkmTimers timers;
    std::shared_ptr<const privacy::StationCredentials> credentials;  ///< needed unless it is off
    KeyLog key_log;                                                  ///< null: keys are not exported
    std::vector<PrivacySuite> suites{PrivacySuite::aes_ccm};         ///< offered, the first one preferred
    PayloadForms forms{};
};

}  // namespace wimax::mac
