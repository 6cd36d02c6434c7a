// SPDX-License-Identifier: GPL-3.0-or-later
// An authority of tests: certificates of stations, right ones and wrong ones, and lists of those that are revoked.
#pragma once

#include "mac/privacy/openssl_objects.h"
#include "mac/privacy/secret.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <set>
#include <string>

namespace wimax::mac::privacy::test {

inline constexpr int64_t kNow = 1'700'000'000;  ///< seconds since 1970
inline constexpr int64_t kDay = 86'400;

struct CertificateWish {
    std::string common_name = "02:00:00:00:00:01";
    long serial = 100;
    int64_t from = kNow - kDay, to = kNow + kDay;
    const EVP_MD* digest = EVP_sha256();
    bool authority = false;
};

struct MadeCertificate {
    KeyPair key;
    Certificate certificate;

    Buffer der() const {
        uint8_t* octets = nullptr;
        const int length = i2d_X509(certificate.get(), &octets);
        Buffer out(octets, octets + length);
        OPENSSL_free(octets);
        return out;
    }
};

inline std::string text_of(BIO* bio) {
    char* text = nullptr;
    const long length = BIO_get_mem_data(bio, &text);
    std::string out(text, static_cast<size_t>(length));
    BIO_free(bio);
    return out;
}
inline std::string pem(X509& certificate) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, &certificate);
    return text_of(bio);
}
inline std::string pem(EVP_PKEY& key) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, &key, nullptr, nullptr, 0, nullptr, nullptr);
    return text_of(bio);
}

/// Signed by `signer`, or self-signed.
inline MadeCertificate make(const CertificateWish& wish, KeyPair key, X509* issuer = nullptr,
                            EVP_PKEY* signer = nullptr) {
    Certificate out(X509_new());
    X509_set_version(out.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out.get()), wish.serial);
    ASN1_TIME_set(X509_getm_notBefore(out.get()), wish.from);
    ASN1_TIME_set(X509_getm_notAfter(out.get()), wish.to);
    X509_set_pubkey(out.get(), key.get());
    X509_NAME* name = X509_get_subject_name(out.get());
    const auto add = [&](const char* field, const std::string& text) {
        X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC, reinterpret_cast<const uint8_t*>(text.data()),
                                   static_cast<int>(text.size()), -1, 0);
    };
    add("O", "Lab");
    add("CN", wish.common_name);
    X509_set_issuer_name(out.get(), issuer ? X509_get_subject_name(issuer) : name);
    const Owned<X509_EXTENSION, X509_EXTENSION_free> constraint(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, wish.authority ? "critical,CA:TRUE" : "CA:FALSE"));
    X509_add_ext(out.get(), constraint.get(), -1);
    X509_sign(out.get(), signer ? signer : key.get(), wish.digest);
    return {std::move(key), std::move(out)};
}

class TestAuthority {
public:
    explicit TestAuthority(const std::string& name = "Lab CA")
        : own_(make({.common_name = name, .serial = 1, .to = kNow + 10 * kDay, .authority = true},
                    KeyPair(EVP_RSA_gen(2048)))) {}

    /// A manufacturer: an authority that `root` has signed.
    TestAuthority(const std::string& name, const TestAuthority& root, const CertificateWish& wish, unsigned bits = 2048)
        : own_(make({.common_name = name,
                     .serial = wish.serial,
                     .to = wish.to,
                     .digest = wish.digest,
                     .authority = wish.authority},
                    KeyPair(EVP_RSA_gen(bits)), root.own_.certificate.get(), root.own_.key.get())) {}

    MadeCertificate station(const CertificateWish& wish = {}, unsigned bits = 1024) const {
        return make(wish, KeyPair(EVP_RSA_gen(bits)), own_.certificate.get(), own_.key.get());
    }
    std::string pem_text() const { return pem(*own_.certificate); }
    const MadeCertificate& own() const { return own_; }

    std::string revoked(const std::set<long>& serials, int64_t next = kNow + kDay) const {
        const Owned<X509_CRL, X509_CRL_free> list(X509_CRL_new());
        X509_CRL_set_version(list.get(), 1);
        X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(own_.certificate.get()));
        const Owned<ASN1_TIME, ASN1_TIME_free> from(ASN1_TIME_set(nullptr, kNow - kDay)),
            to(ASN1_TIME_set(nullptr, next));
        X509_CRL_set1_lastUpdate(list.get(), from.get());
        X509_CRL_set1_nextUpdate(list.get(), to.get());
        for (const long serial : serials) {
            const Owned<ASN1_INTEGER, ASN1_INTEGER_free> number(ASN1_INTEGER_new());
            ASN1_INTEGER_set(number.get(), serial);
            X509_REVOKED* one = X509_REVOKED_new();
            X509_REVOKED_set_serialNumber(one, number.get());
            X509_REVOKED_set_revocationDate(one, from.get());
            X509_CRL_add0_revoked(list.get(), one);
        }
        X509_CRL_sign(list.get(), own_.key.get(), EVP_sha256());
        BIO* bio = BIO_new(BIO_s_mem());
        PEM_write_bio_X509_CRL(bio, list.get());
        return text_of(bio);
    }

private:
    MadeCertificate own_;
};

}  // namespace wimax::mac::privacy::test
