// SPDX-License-Identifier: GPL-3.0-or-later
// Certificates of stations (7.6): X.509 version 3, RSA, the station's MAC address as a common name of the subject. The
// base station trusts only the configured authorities. A manufacturer that a station names is an authority if one of
// them has signed its certificate.
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/privacy/openssl_objects.h"

#include <gnuradio/wimax/phy/base/fault.h>

#include <openssl/x509_vfy.h>

#include <string>
#include <string_view>

namespace wimax::mac::privacy {

using gr::wimax::phy::Fault, gr::wimax::phy::failure;

/// Reason for which a certificate is refused.
enum class CertificateFault : uint8_t {
    unreadable,       ///< no certificate, or octets follow it
    unknown_issuer,   ///< not signed by a trusted issuer, or self-signed
    wrong_signature,  ///< names a trusted issuer that has not signed it
    not_yet_valid,
    expired,
    revoked,
    revocation_list,  ///< the issuer's list has expired: revocation is unknown
    weak,             ///< key or digest below the required strength
    no_station,       ///< an authority's, or one without a MAC address
    other_station,    ///< of another MAC address than the one that ranged
};
const char* to_string(CertificateFault fault);

/// Minimum strength of a certificate. The standard's are RSA of 1024 bits with SHA-1.
struct CertificateStrength {
    int rsa_bits = 1024;
    bool sha1 = true;
};

struct StationIdentity {
    MacAddress mac{};
    std::string serial;  ///< hex, as `wimax keys list` has it
    KeyPair public_key;
    int64_t ends_s = 0;  ///< seconds since 1970 at which the certificate, its authority or its revocation list ends
};

/// Authorities that a base station trusts, with their lists of revoked certificates.
class TrustedAuthorities {
public:
    /// PEM texts; `revoked` may be empty: then nothing is revoked.
    static tl::expected<TrustedAuthorities, Fault> from_pem(std::string_view authorities, std::string_view revoked,
                                                            CertificateStrength strength = {});

    /// `ranged`: the address that the station has given in RNG-REQ. `now_s`: seconds since 1970. `manufacturer`: the
    /// certificate that the station has sent as that of its issuer; empty: none.
    tl::expected<StationIdentity, CertificateFault> verify(Octets certificate, const MacAddress& ranged, int64_t now_s,
                                                           Octets manufacturer = {}) const;

private:
    using Store = Owned<X509_STORE, X509_STORE_free>;
    TrustedAuthorities(Store store, bool lists, CertificateStrength strength)
        : store_(std::move(store)), lists_(lists), strength_(strength) {}
    /// When the certificate, an authority above it or their list of revoked ones ends first; seconds since 1970.
    tl::expected<int64_t, CertificateFault> chain_end(X509& certificate, X509* manufacturer, int64_t now_s) const;
    bool weak(X509& certificate) const;

    Store store_;
    bool lists_;  ///< of revoked certificates are there
    CertificateStrength strength_;
};

/// Credentials of the station: certificates to send, and its private key.
struct StationCredentials {
    Buffer certificate, ca_certificate;  ///< DER
    KeyPair private_key;

    /// PEM texts. The key has to be the certificate's.
    static tl::expected<StationCredentials, Fault> from_pem(std::string_view certificate, std::string_view authority,
                                                            std::string_view private_key);
};

}  // namespace wimax::mac::privacy
