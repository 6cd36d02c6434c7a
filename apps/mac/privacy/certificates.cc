// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/certificates.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace wimax::mac::privacy {
namespace {

using Text = Owned<BIO, BIO_free>;
using RevocationList = Owned<X509_CRL, X509_CRL_free>;
using Verification = Owned<X509_STORE_CTX, X509_STORE_CTX_free>;
using Serial = Owned<BIGNUM, BN_free>;

constexpr int kAnyStrength = 0;  ///< the library's own limits; ours are checked separately

struct FreedText {
    void operator()(char* text) const { OPENSSL_free(text); }
};

void free_stack(STACK_OF(X509) * certificates) { sk_X509_free(certificates); }  // not the certificates

Text text_of(std::string_view pem) { return Text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

/// Keys with a pass phrase are refused: no user is present to enter it.
int no_pass_phrase(char*, int, int, void*) { return -1; }

Certificate certificate_of(Octets der) {
    const uint8_t* at = der.data();
    Certificate certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
    ERR_clear_error();
    if (at != der.data() + der.size()) certificate.reset();
    return certificate;
}

Buffer der_of(X509& certificate) {
    uint8_t* octets = nullptr;
    const int length = i2d_X509(&certificate, &octets);
    if (length <= 0) return {};
    Buffer der(octets, octets + length);
    OPENSSL_free(octets);
    return der;
}

std::string serial_of(X509& certificate) {
    const Serial number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
    const std::unique_ptr<char, FreedText> text(number ? BN_bn2hex(number.get()) : nullptr);
    return text ? text.get() : "";
}

int64_t seconds_of(const ASN1_TIME* time) {
    std::tm parts{};
    return time && ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<int64_t>(timegm(&parts)) : INT64_MAX;
}

std::optional<MacAddress> address_of(std::string_view text) {
    MacAddress mac{};
    if (text.size() != 3 * mac.size() - 1) return std::nullopt;
    for (size_t i = 0; i < mac.size(); ++i) {
        if (i > 0 && text[3 * i - 1] != ':') return std::nullopt;
        const char* digits = text.data() + 3 * i;
        const auto [end, error] = std::from_chars(digits, digits + 2, mac[i], 16);
        if (error != std::errc{} || end != digits + 2) return std::nullopt;
    }
    return mac;
}

/// The MAC address among the common names; nothing: none or several.
std::optional<MacAddress> address_of(X509& certificate) {
    const X509_NAME* subject = X509_get_subject_name(&certificate);
    std::optional<MacAddress> found;
    for (int i = -1; (i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) >= 0;) {
        const ASN1_STRING* name = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i));
        const auto mac = address_of(std::string_view(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                                                     static_cast<size_t>(ASN1_STRING_length(name))));
        if (mac && found) return std::nullopt;
        if (mac) found = mac;
    }
    return found;
}

CertificateFault fault_of(int error) {
    switch (error) {
        case X509_V_ERR_CERT_SIGNATURE_FAILURE: return CertificateFault::wrong_signature;
        case X509_V_ERR_CERT_NOT_YET_VALID: return CertificateFault::not_yet_valid;
        case X509_V_ERR_CERT_HAS_EXPIRED: return CertificateFault::expired;
        case X509_V_ERR_CERT_REVOKED: return CertificateFault::revoked;
        case X509_V_ERR_UNABLE_TO_GET_CRL:
        case X509_V_ERR_CRL_SIGNATURE_FAILURE:
        case X509_V_ERR_CRL_NOT_YET_VALID:
        case X509_V_ERR_CRL_HAS_EXPIRED: return CertificateFault::revocation_list;
        default: return CertificateFault::unknown_issuer;
    }
}

}  // namespace

const char* to_string(CertificateFault fault) {
    switch (fault) {
        case CertificateFault::unreadable: return "unreadable";
        case CertificateFault::unknown_issuer: return "unknown issuer";
        case CertificateFault::wrong_signature: return "wrong signature";
        case CertificateFault::not_yet_valid: return "not yet valid";
        case CertificateFault::expired: return "expired";
        case CertificateFault::revoked: return "revoked";
        case CertificateFault::revocation_list: return "revocation list out of date";
        case CertificateFault::weak: return "weak key or digest";
        case CertificateFault::no_station: return "no station's";
        case CertificateFault::other_station: return "of another station";
    }
    return "";
}

tl::expected<TrustedAuthorities, Fault> TrustedAuthorities::from_pem(std::string_view authorities,
                                                                     std::string_view revoked,
                                                                     CertificateStrength strength) {
    Store store(X509_STORE_new());
    const Text certificates = text_of(authorities), lists = text_of(revoked);
    if (!store || !certificates || !lists) return failure("", "out of memory");
    int count = 0, revocations = 0;
    while (const Certificate one{PEM_read_bio_X509(certificates.get(), nullptr, no_pass_phrase, nullptr)}) {
        if (X509_check_ca(one.get()) == 0) return failure("", "a certificate among them is no authority's");
        count += X509_STORE_add_cert(store.get(), one.get());
    }
    while (const RevocationList one{PEM_read_bio_X509_CRL(lists.get(), nullptr, no_pass_phrase, nullptr)})
        revocations += X509_STORE_add_crl(store.get(), one.get());
    ERR_clear_error();
    if (count == 0) return failure("", "there is no certificate of an authority (PEM)");
    if (revocations == 0 && !revoked.empty()) return failure("", "there is no list of revoked certificates (PEM)");
    return TrustedAuthorities(std::move(store), revocations > 0, strength);
}

tl::expected<int64_t, CertificateFault> TrustedAuthorities::chain_end(X509& certificate, X509* manufacturer,
                                                                      int64_t now_s) const {
    const Owned<STACK_OF(X509), free_stack> named(sk_X509_new_null());
    if (manufacturer && named) sk_X509_push(named.get(), manufacturer);
    const Verification verification(X509_STORE_CTX_new());
    if (!verification || X509_STORE_CTX_init(verification.get(), store_.get(), &certificate, named.get()) != 1)
        return tl::make_unexpected(CertificateFault::unreadable);
    X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(verification.get());
    X509_VERIFY_PARAM_set_time(rules, now_s);
    X509_VERIFY_PARAM_set_auth_level(rules, kAnyStrength);
    if (lists_) X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    const bool good = X509_verify_cert(verification.get()) == 1;
    const int error = X509_STORE_CTX_get_error(verification.get());
    ERR_clear_error();
    if (!good) return tl::make_unexpected(fault_of(error));
    int64_t end_s = INT64_MAX;
    const STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(verification.get());
    const int above = sk_X509_num(chain) - 1;  // the trusted one
    for (int i = 0; i <= above; ++i) {
        X509& one = *sk_X509_value(chain, i);
        if (i > 0 && i < above && weak(one)) return tl::make_unexpected(CertificateFault::weak);
        end_s = std::min(end_s, seconds_of(X509_get0_notAfter(&one)));
    }
    const STACK_OF(X509_OBJECT)* trusted = X509_STORE_get0_objects(store_.get());
    for (int i = 0; i < sk_X509_OBJECT_num(trusted); ++i) {
        const X509_CRL* list = X509_OBJECT_get0_X509_CRL(sk_X509_OBJECT_value(trusted, i));
        if (list && X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_issuer_name(&certificate)) == 0)
            end_s = std::min(end_s, seconds_of(X509_CRL_get0_nextUpdate(list)));
    }
    return end_s;
}

bool TrustedAuthorities::weak(X509& certificate) const {
    int digest = NID_undef;
    const EVP_PKEY* key = X509_get0_pubkey(&certificate);
    return !key || EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_get_bits(key) < strength_.rsa_bits ||
           X509_get_signature_info(&certificate, &digest, nullptr, nullptr, nullptr) != 1 || digest == NID_md5 ||
           (digest == NID_sha1 && !strength_.sha1);
}

tl::expected<StationIdentity, CertificateFault> TrustedAuthorities::verify(Octets octets, const MacAddress& ranged,
                                                                           int64_t now_s, Octets manufacturer) const {
    const auto refused = [](CertificateFault fault) { return tl::make_unexpected(fault); };
    const Certificate certificate = certificate_of(octets);
    if (!certificate) return refused(CertificateFault::unreadable);
    const Certificate issuer = certificate_of(manufacturer);
    const auto end_s = chain_end(*certificate, issuer.get(), now_s);
    if (!end_s) return refused(end_s.error());
    if (weak(*certificate)) return refused(CertificateFault::weak);
    const auto mac = address_of(*certificate);
    if (!mac || X509_check_ca(certificate.get()) != 0) return refused(CertificateFault::no_station);
    if (*mac != ranged) return refused(CertificateFault::other_station);
    return StationIdentity{*mac, serial_of(*certificate), KeyPair(X509_get_pubkey(certificate.get())), *end_s};
}

tl::expected<StationCredentials, Fault> StationCredentials::from_pem(std::string_view certificate,
                                                                     std::string_view authority,
                                                                     std::string_view private_key) {
    const Text texts[] = {text_of(certificate), text_of(authority), text_of(private_key)};
    const Certificate own(PEM_read_bio_X509(texts[0].get(), nullptr, no_pass_phrase, nullptr)),
        issuer(PEM_read_bio_X509(texts[1].get(), nullptr, no_pass_phrase, nullptr));
    KeyPair key(PEM_read_bio_PrivateKey(texts[2].get(), nullptr, no_pass_phrase, nullptr));
    ERR_clear_error();
    if (!own) return failure("", "the station's certificate is not readable (PEM)");
    if (!issuer) return failure("", "the authority's certificate is not readable (PEM)");
    if (!key) return failure("", "the private key is not readable (PEM without a pass phrase)");
    const bool matches = X509_check_private_key(own.get(), key.get()) == 1;
    ERR_clear_error();
    if (!matches) return failure("", "the private key is not the one of the certificate");
    return StationCredentials{der_of(*own), der_of(*issuer), std::move(key)};
}

}  // namespace wimax::mac::privacy
