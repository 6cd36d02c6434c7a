// SPDX-License-Identifier: GPL-3.0-or-later
// Keys: derived, wrapped, encrypted for a station, compared, wiped.
#include "mac/privacy/key_derivation.h"
#include "mac/privacy/key_wrap.h"
#include "mac/privacy/message_digest.h"
#include "mac/privacy/rsa_key.h"
#include "mac/privacy/test_privacy.h"

#include <gtest/gtest.h>
#include <openssl/rsa.h>

#include <cstring>
#include <set>

namespace wimax::mac::privacy {
namespace {

using namespace test;

TEST(Keys, AreDerivedAsTheGoldenVectorsAre) {
    const auto keys = derive_keys(vectors_ak());
    ASSERT_TRUE(keys);
    EXPECT_EQ(buffer(keys->kek.octets()), hex("6fcc6584b48590b08e48975e0846b1d3"));
    EXPECT_EQ(buffer(keys->hmac_uplink.octets()), hex("5914b352895b599a23f499078165e547ab213b96"));
    EXPECT_EQ(buffer(keys->hmac_downlink.octets()), hex("49102fc0a476c83a4ef2865ffd4626ae1609c819"));
}

/// KeyRequest of the golden vectors, from its type octet up to the digest attribute; the digest.
const Buffer kCovered = hex("0907030a01010c020021"), kDigest = hex("63a7df2ac7820c678384ea6201edefd7af16bd4d");

TEST(Keys, DigestOfAKeyRequest) {
    auto digest = MessageDigest::with(derive_keys(vectors_ak())->hmac_uplink);
    ASSERT_TRUE(digest);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(buffer(*digest->of(kCovered)), kDigest);
    EXPECT_TRUE(digest->matches(kCovered, kDigest));
    for (size_t i = 0; i < kDigest.size(); ++i) {
        Buffer wrong = kDigest;
        wrong[i] ^= 0x01;
        EXPECT_FALSE(digest->matches(kCovered, wrong)) << i;
    }
    EXPECT_FALSE(digest->matches(kCovered, Octets(kDigest).first(19)));
    EXPECT_FALSE(digest->matches(Octets(kCovered).first(9), kDigest));
    EXPECT_FALSE(MessageDigest::with(derive_keys(vectors_ak())->hmac_downlink)->matches(kCovered, kDigest));
}

// FIPS 197's example, and 3-DES as another program computes it.
TEST(Keys, TeksAreWrapped) {
    const auto aes = TrafficKey::of(hex("00112233445566778899aabbccddeeff"));
    const auto kek = secret<16>("000102030405060708090a0b0c0d0e0f");
    const auto wrapped = wrap_tek(TekEncryption::aes_ecb, kek, *aes);
    ASSERT_TRUE(wrapped);
    EXPECT_EQ(*wrapped, hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
    EXPECT_TRUE(unwrap_tek(TekEncryption::aes_ecb, kek, *wrapped) == aes);

    const auto des = TrafficKey::of(hex("0123456789abcdef"));
    const auto vectors_kek = secret<16>("6fcc6584b48590b08e48975e0846b1d3");
    const auto ede = wrap_tek(TekEncryption::des_ede, vectors_kek, *des);
    ASSERT_TRUE(ede);
    EXPECT_EQ(*ede, hex("e1d3997dbe382209"));
    EXPECT_TRUE(unwrap_tek(TekEncryption::des_ede, vectors_kek, *ede) == des);
}

TEST(Keys, OfAnotherLengthAreNotWrapped) {
    const auto kek = secret<16>("000102030405060708090a0b0c0d0e0f");
    const auto aes = TrafficKey::random(16), des = TrafficKey::random(8);
    EXPECT_FALSE(wrap_tek(TekEncryption::aes_ecb, kek, *des));
    EXPECT_FALSE(wrap_tek(TekEncryption::des_ede, kek, *aes));
    for (const auto method : {TekEncryption::none, TekEncryption::rsa}) EXPECT_FALSE(wrap_tek(method, kek, *aes));
    for (const size_t octets : {0, 7, 8, 15, 17, 32})
        EXPECT_FALSE(unwrap_tek(TekEncryption::aes_ecb, kek, Buffer(octets))) << octets;
    EXPECT_FALSE(unwrap_tek(TekEncryption::des_ede, kek, Buffer(16)));
    for (const size_t octets : {0, 7, 9, 15, 17}) EXPECT_FALSE(TrafficKey::of(Buffer(octets))) << octets;
    EXPECT_FALSE(TrafficKey::random(17));
}

TEST(Keys, AnAkIsEncryptedForOneStation) {
    for (const unsigned bits : {1024u, 2048u}) {
        const KeyPair own(EVP_RSA_gen(bits)), other(EVP_RSA_gen(bits));
        ASSERT_TRUE(own && other);
        const auto encrypted = encrypt_for(*own, vectors_ak().octets());
        ASSERT_TRUE(encrypted);
        EXPECT_EQ(encrypted->size(), bits / 8);
        EXPECT_NE(*encrypted, *encrypt_for(*own, vectors_ak().octets()));  // padding is random
        AuthorizationKey ak;
        ASSERT_TRUE(decrypt_with(*own, *encrypted, ak.writable()));
        EXPECT_TRUE(ak == vectors_ak());
        AuthorizationKey untouched;
        EXPECT_FALSE(decrypt_with(*other, *encrypted, untouched.writable()));
        Secret<16> shorter;
        EXPECT_FALSE(decrypt_with(*own, *encrypted, shorter.writable()));
        Buffer changed = *encrypted;
        changed[40] ^= 0x10;
        EXPECT_FALSE(decrypt_with(*own, changed, untouched.writable()));
        EXPECT_FALSE(decrypt_with(*own, Octets(changed).first(changed.size() - 1), untouched.writable()));
        EXPECT_TRUE(untouched == AuthorizationKey());
        EXPECT_FALSE(encrypt_for(*own, Buffer(bits / 8)));
    }
    const KeyPair elliptic(EVP_EC_gen("P-256"));
    EXPECT_FALSE(encrypt_for(*elliptic, vectors_ak().octets()));
    AuthorizationKey ak;
    EXPECT_FALSE(decrypt_with(*elliptic, Buffer(64), ak.writable()));
}

TEST(Keys, AreGoneWhereTheyEnd) {
    alignas(AuthorizationKey) unsigned char memory[sizeof(AuthorizationKey)];
    auto* key = new (memory) AuthorizationKey(vectors_ak());
    EXPECT_EQ(std::memcmp(memory, vectors_ak().octets().data(), sizeof memory), 0);
    key->~AuthorizationKey();
    unsigned set = 0;
    for (const volatile unsigned char& octet : memory) set += octet != 0;
    EXPECT_EQ(set, 0u);
}

TEST(Keys, RandomOnesDiffer) {
    std::set<Buffer> drawn;
    for (int i = 0; i < 100; ++i) drawn.insert(buffer(TrafficKey::random(8)->octets()));
    EXPECT_EQ(drawn.size(), 100u);
}

TEST(Keys, CompareByEveryOctet) {
    const auto ak = vectors_ak();
    for (size_t i = 0; i < AuthorizationKey::kOctets; ++i) {
        AuthorizationKey other = ak;
        EXPECT_TRUE(other == ak);
        other.writable()[i] ^= 0x80;
        EXPECT_FALSE(other == ak) << i;
    }
    EXPECT_FALSE(*TrafficKey::of(Buffer(8)) == *TrafficKey::of(Buffer(16)));
}

}  // namespace
}  // namespace wimax::mac::privacy
