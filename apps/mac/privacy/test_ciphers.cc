// SPDX-License-Identifier: GPL-3.0-or-later
// Ciphers of PDUs: published examples, every changed octet, lengths, memory; suites and the replay window.
#include "mac/pdu/crc.h"
#include "mac/privacy/cbc_cipher.h"
#include "mac/privacy/ccm_cipher.h"
#include "mac/privacy/replay_window.h"
#include "mac/privacy/suite.h"
#include "mac/privacy/test_privacy.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <random>

namespace wimax::mac::privacy {
namespace {

using namespace test;

std::atomic<uint64_t> taken{0};  ///< number of allocations by OpenSSL
/// Must run before the library's first use.
const bool counting = CRYPTO_set_mem_functions(
                          [](size_t octets, const char*, int) {
                              ++taken;
                              return std::malloc(octets);
                          },
                          [](void* memory, size_t octets, const char*, int) {
                              ++taken;
                              return std::realloc(memory, octets);
                          },
                          [](void* memory, const char*, int) { std::free(memory); }) == 1;

/// The published example without its CRC.
const Buffer kPublished = hex("40401a06c45abcf65721e75536c827a8d71b432ca548");
constexpr uint32_t kPublishedPn = 0x2157F6BC;
CcmCipher published_cipher() {
    return std::move(*CcmCipher::with(*TrafficKey::of(hex("d50e18a844ac5bf38e4cd72d9b0942e5"))));
}

TEST(Ccm, ThePublishedExample) {
    CcmCipher cipher = published_cipher();
    Buffer pdu = hex("40401a06c45a00000000000102030000000000000000");
    ASSERT_TRUE(cipher.seal(pdu, kPublishedPn));
    EXPECT_EQ(pdu, kPublished);
    EXPECT_EQ(buffer(CcmCipher::nonce_of(pdu)), hex("40401a06c400000000bcf65721"));
    EXPECT_EQ(CcmCipher::packet_number(pdu), kPublishedPn);
    Buffer plain(4);
    ASSERT_TRUE(cipher.open(pdu, plain));
    EXPECT_EQ(plain, hex("00010203"));
}

/// A PDU of two blocks and an octet, of the published vectors of NXP's security engine.
TEST(Ccm, ThePublishedLongExample) {
    CcmCipher cipher = std::move(*CcmCipher::with(*TrafficKey::of(hex("b74eb0e4f81ad63d121b7e9aeccd268f"))));
    constexpr uint32_t kPn = 0x78D0'7D08;
    Buffer pdu = hex("4040377eb2c700000000"), payload(33);
    std::iota(payload.begin(), payload.end(), uint8_t{0});
    pdu.insert(pdu.end(), payload.begin(), payload.end());
    pdu.resize(pdu.size() + CcmCipher::kIcvOctets);
    ASSERT_TRUE(cipher.seal(pdu, kPn));
    const auto part = [&](size_t from, size_t octets) { return buffer(Octets(pdu).subspan(from, octets)); };
    EXPECT_EQ(part(6, 8), hex("087dd078713fb122"));
    EXPECT_EQ(part(pdu.size() - 10, 10), hex("c1b3e7e48d2db761cf94"));
    const auto ieee8023 = crc32(pdu, CrcStyle::ieee8023), msb = crc32(pdu, CrcStyle::msb);
    EXPECT_EQ(buffer(ieee8023), hex("921b3241"));
    EXPECT_EQ(buffer(msb), hex("fd037b1d"));
    Buffer plain(33);
    ASSERT_TRUE(cipher.open(pdu, plain));
    EXPECT_EQ(plain, payload);
}

TEST(Ccm, AnyChangedBitIsSeen) {
    CcmCipher cipher = published_cipher();
    for (size_t bit = 0; bit < 8 * kPublished.size(); ++bit) {
        if (bit / 8 == kHeaderOctets - 1) continue;  // the HCS follows from the others
        Buffer changed = kPublished;
        changed[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
        Buffer plain(4, 0xEE);
        EXPECT_FALSE(cipher.open(changed, plain)) << bit;
        EXPECT_EQ(plain, Buffer(4)) << bit;
    }
    CcmCipher other = std::move(*CcmCipher::with(*TrafficKey::random(16)));
    Buffer plain(4);
    EXPECT_FALSE(other.open(kPublished, plain));
    ASSERT_TRUE(cipher.open(kPublished, plain));  // and a failure is no one's but its own
    EXPECT_EQ(plain, hex("00010203"));
}

TEST(Ccm, EveryLength) {
    CcmCipher cipher = published_cipher();
    std::mt19937 random(1);
    for (size_t octets = 0; octets <= kMaxPduOctets - kHeaderOctets - CcmCipher::kOverheadOctets;
         octets += 1 + octets / 7) {
        Buffer pdu(kHeaderOctets + CcmCipher::kOverheadOctets + octets);
        for (auto& octet : pdu) octet = static_cast<uint8_t>(random());
        const Buffer payload(pdu.begin() + 10, pdu.end() - 8);
        ASSERT_TRUE(cipher.seal(pdu, static_cast<uint32_t>(octets + 1)));
        Buffer plain(octets);
        ASSERT_TRUE(cipher.open(pdu, plain)) << octets;
        EXPECT_EQ(plain, payload);
        Buffer wrong(octets + 1);
        EXPECT_FALSE(cipher.open(pdu, wrong));
    }
}

// The value was computed with another program. OpenSSL does not check it when decrypting no octets.
TEST(Ccm, AnEmptyPayloadHasToProveItselfToo) {
    CcmCipher cipher = std::move(*CcmCipher::with(*TrafficKey::of(hex("000102030405060708090a0b0c0d0e0f"))));
    const Buffer sealed = hex("4040169e215c581a22b2d2c6dfc6c7d5947d");
    Buffer pdu = sealed, plain;
    std::fill(pdu.begin() + kHeaderOctets, pdu.end(), uint8_t{0});
    ASSERT_TRUE(cipher.seal(pdu, 0xb2221a58));
    EXPECT_EQ(pdu, sealed);
    EXPECT_TRUE(cipher.open(sealed, plain));
    for (size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
        if (bit / 8 == 5) continue;  // the HCS is no part of it
        Buffer changed = sealed;
        changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_FALSE(cipher.open(changed, plain)) << bit;
    }
}

TEST(Ccm, TooShort) {
    CcmCipher cipher = published_cipher();
    for (size_t octets = 0; octets < kHeaderOctets + CcmCipher::kOverheadOctets; ++octets) {
        Buffer pdu(octets), plain;
        EXPECT_FALSE(cipher.seal(pdu, 1)) << octets;
        EXPECT_FALSE(cipher.open(pdu, plain)) << octets;
        EXPECT_FALSE(CcmCipher::packet_number(pdu)) << octets;
    }
    EXPECT_FALSE(CcmCipher::with(*TrafficKey::random(8)));
    EXPECT_FALSE(CbcCipher::with(*TrafficKey::random(16)));
}

const Buffer kText = buffer(std::string_view("Now is the time for all "));
constexpr CbcCipher::Iv kIv{0x12, 0x34, 0x56, 0x78, 0x90, 0xab, 0xcd, 0xef};
CbcCipher fips_cipher() { return std::move(*CbcCipher::with(*TrafficKey::of(hex("0123456789abcdef")))); }

// FIPS 81's example, cut; what residual termination makes of it was computed with another program.
TEST(Cbc, WholeBlocksResidualTerminationAndLessThanABlock) {
    CbcCipher cipher = fips_cipher();
    const std::pair<size_t, const char*> cases[] = {{24, "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"},
                                                    {21, "e5c7cdde872bf27c43e934008c389c0f6f810e0507"},
                                                    {5, "f3096249c7"},
                                                    {0, ""}};
    for (const auto& [octets, encrypted] : cases) {
        Buffer payload(kText.begin(), kText.begin() + static_cast<std::ptrdiff_t>(octets));
        ASSERT_TRUE(cipher.seal(payload, kIv));
        EXPECT_EQ(payload, hex(encrypted));
        ASSERT_TRUE(cipher.open(payload, kIv));
        EXPECT_EQ(payload, Buffer(kText.begin(), kText.begin() + static_cast<std::ptrdiff_t>(octets)));
    }
}

TEST(Cbc, TheFrameNumberIsInTheIv) {
    EXPECT_EQ(buffer(CbcCipher::iv_of(kIv, 0)), buffer(kIv));
    EXPECT_EQ(buffer(CbcCipher::iv_of(kIv, 0xABCDEF)), hex("1234567890000000"));
    EXPECT_EQ(buffer(CbcCipher::iv_of(kIv, 0xABCDEF, CbcIvForm::parameter)), buffer(kIv));
    EXPECT_EQ(buffer(CbcCipher::iv_of(kIv, 0xABCDEF, CbcIvForm::zero)), hex("0000000000000000"));
}

TEST(Ciphers, TakeNoMemoryOnceTheyAreThere) {
    ASSERT_TRUE(counting);
    CcmCipher ccm = published_cipher();
    CbcCipher cbc = fips_cipher();
    Buffer pdu(1400), plain(pdu.size() - 18), changed, without_payload(18), nothing;
    ASSERT_TRUE(ccm.seal(pdu, 1) && ccm.open(pdu, plain) && cbc.seal(pdu, kIv) && cbc.open(pdu, kIv));
    changed = pdu;
    changed.back() ^= 1;
    EXPECT_GT(taken, 0u);
    const uint64_t before = taken;
    for (uint32_t pn = 2; pn < 100; ++pn) {
        ASSERT_TRUE(ccm.seal(pdu, pn) && ccm.open(pdu, plain));
        ASSERT_TRUE(ccm.seal(without_payload, pn) && ccm.open(without_payload, nothing));
        ASSERT_TRUE(cbc.seal(pdu, kIv) && cbc.open(pdu, kIv));
    }
    EXPECT_EQ(taken - before, 0u);
}

TEST(Suites, AreTheStandardsAndCcmHasTwoNames) {
    const auto of = [](uint8_t data, uint8_t authentication, uint8_t tek) {
        return suite_of(std::array<uint8_t, 3>{data, authentication, tek});
    };
    EXPECT_EQ(of(2, 0, 3), kAesCcm);
    ASSERT_TRUE(of(2, 1, 3));
    EXPECT_NE(*of(2, 1, 3), kAesCcm);
    EXPECT_TRUE(of(2, 1, 3)->same_as(kAesCcm));
    EXPECT_EQ(of(2, 1, 3)->octets(), (std::array<uint8_t, 3>{2, 1, 3}));  // answered by the name it was asked by
    EXPECT_EQ(of(1, 0, 1), kDesCbc);
    EXPECT_EQ(of(1, 0, 2), kDesCbcRsa);
    EXPECT_EQ(of(0, 0, 1), kNoEncryption);
    EXPECT_EQ(of(0, 0, 2), kNoEncryptionRsa);
    int known = 0;
    for (int i = 0; i < 6 * 6 * 6; ++i)
        known += of(static_cast<uint8_t>(i / 36), static_cast<uint8_t>(i / 6 % 6), static_cast<uint8_t>(i % 6)) ? 1 : 0;
    EXPECT_EQ(known, 6);
}

TEST(Replay, EachNumberOnce) {
    ReplayWindow window;
    EXPECT_FALSE(window.take(0));
    for (uint32_t pn = 1; pn < 200; ++pn) {
        EXPECT_TRUE(window.take(pn));
        EXPECT_FALSE(window.take(pn));
    }
    EXPECT_TRUE(window.take(300));
    EXPECT_FALSE(window.take(300 - kReplayWindow));     // too far behind
    EXPECT_TRUE(window.take(300 - kReplayWindow + 1));  // not yet
    EXPECT_FALSE(window.take(300 - kReplayWindow + 1));
    EXPECT_FALSE(window.take(199));
    EXPECT_EQ(window.newest(), 300u);
}

TEST(Replay, AnyOrderWithinTheWindow) {
    ReplayWindow window;
    ASSERT_TRUE(window.take(1000));
    for (uint32_t behind = 1; behind < kReplayWindow; ++behind) EXPECT_TRUE(window.take(1000 - behind)) << behind;
    for (uint32_t behind = 0; behind < 2 * kReplayWindow; ++behind) EXPECT_FALSE(window.take(1000 - behind)) << behind;
    EXPECT_TRUE(window.take(1002));
    EXPECT_TRUE(window.take(1001));
    EXPECT_TRUE(window.take(0xFFFFFFFF));
    EXPECT_FALSE(window.take(1003));
    EXPECT_FALSE(window.take(0xFFFFFFFF));
}

}  // namespace
}  // namespace wimax::mac::privacy
