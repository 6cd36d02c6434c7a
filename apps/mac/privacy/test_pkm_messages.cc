// SPDX-License-Identifier: GPL-3.0-or-later
// PKM messages: the golden vectors both ways, every code, and input that a
// strict reader refuses.
#include "mac/pdu/tlv.h"
#include "mac/privacy/key_derivation.h"
#include "mac/privacy/pkm_message.h"
#include "mac/privacy/test_pkm_vectors.h"

#include <gtest/gtest.h>

namespace wimax::mac::privacy {
namespace {

using namespace test;

MessageDigest uplink_digest() { return std::move(*MessageDigest::with(derive_keys(vectors_ak())->hmac_uplink)); }

TEST(PkmVectors, ThereAndBack) {
    for (const char* name : {"pkm_auth_info_long_tlv", "pkm_auth_request", "pkm_auth_reply", "pkm_key_request"}) {
        const Buffer octets = vector_message(name);
        const auto message = decode_pkm(octets);
        ASSERT_TRUE(message) << name << " " << message.error().detail;
        Buffer again;
        encode_pkm(*message, again);
        MessageDigest digest = uplink_digest();
        if (message->digest) {
            EXPECT_TRUE(is_signed_by(octets, *message, digest));
            ASSERT_TRUE(sign_pkm(again, digest));
        }
        EXPECT_EQ(again, octets) << name;
    }
}

TEST(PkmVectors, Values) {
    const Buffer octets = vector_message("pkm_auth_request");
    const auto request = decode_pkm(octets);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->code, PkmCode::auth_request);
    EXPECT_EQ(request->identifier, 2);
    EXPECT_EQ(request->ss_certificate.size(), 140u);
    EXPECT_EQ(request->suites, (std::vector<SuiteOctets>{{2, 0, 3}, {1, 0, 1}, {0, 0, 1}}));
    EXPECT_EQ(request->said, 33);
    const Buffer reply_octets = vector_message("pkm_auth_reply");
    const auto reply = decode_pkm(reply_octets);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->key_lifetime_s, 604800u);
    EXPECT_EQ(reply->key_sequence, 1);
    EXPECT_EQ(reply->auth_key.size(), 128u);
    EXPECT_EQ(reply->sas, (std::vector<SaDescriptor>{{33, SaType::primary, {2, 0, 3}}}));
}

const Buffer kTek(16, 0x11), kOtherTek(16, 0x22), kAk(128, 0x33), kCertificate(200, 0x44);

/// One with all that its code needs, and a little more.
PkmMessage complete(PkmCode code) {
    PkmMessage m;
    m.code = code;
    m.identifier = 77;
    switch (code) {
        case PkmCode::auth_info: m.ca_certificate = kCertificate; break;
        case PkmCode::auth_request:
            m.ss_certificate = kCertificate;
            m.suites = {{2, 0, 3}, {1, 0, 1}};
            m.said = 33;
            break;
        case PkmCode::auth_reply:
            m.auth_key = kAk;
            m.key_lifetime_s = 604800;
            m.sas = {
                {33, SaType::primary, {2, 0, 3}}, {700, SaType::fixed, {2, 0, 3}}, {701, SaType::dynamic, {1, 0, 1}}};
            break;
        case PkmCode::auth_reject:
        case PkmCode::auth_invalid:
            m.error = PkmError::unauthorized_ss;
            m.display_string = "who is this";
            break;
        case PkmCode::key_request: m.said = 33; break;
        case PkmCode::key_reply:
            m.said = 33;
            m.teks = {{kTek, 100, 2, {1}}, {kOtherTek, 200, 3, {2}}};
            break;
        case PkmCode::key_reject:
        case PkmCode::tek_invalid:
            m.said = 33;
            m.error = PkmError::unauthorized_said;
            break;
        case PkmCode::sa_add: m.sas = {{33, SaType::dynamic, {2, 0, 3}}}; break;
    }
    if (needs_digest(code) || code == PkmCode::auth_reply) m.key_sequence = 9;
    return m;
}

Buffer octets_of(const PkmMessage& message) {
    Buffer out;
    encode_pkm(message, out);
    MessageDigest digest = uplink_digest();
    EXPECT_TRUE(!needs_digest(message.code) || sign_pkm(out, digest));
    return out;
}

constexpr PkmCode kCodes[] = {PkmCode::sa_add,      PkmCode::auth_request, PkmCode::auth_reply, PkmCode::auth_reject,
                              PkmCode::key_request, PkmCode::key_reply,    PkmCode::key_reject, PkmCode::auth_invalid,
                              PkmCode::tek_invalid, PkmCode::auth_info};

TEST(PkmMessages, EveryCodeThereAndBack) {
    for (const PkmCode code : kCodes) {
        const PkmMessage sent = complete(code);
        const Buffer octets = octets_of(sent);
        const auto read = decode_pkm(octets);
        ASSERT_TRUE(read) << int(code) << read.error().detail;
        EXPECT_EQ(read->code, code);
        EXPECT_EQ(read->identifier, 77);
        EXPECT_EQ(read->display_string, sent.display_string);
        EXPECT_EQ(read->error, sent.error);
        EXPECT_EQ(read->said, sent.said);
        EXPECT_EQ(read->key_sequence, sent.key_sequence);
        EXPECT_EQ(read->sas, sent.sas);
        EXPECT_EQ(read->digest.has_value(), needs_digest(code));
        ASSERT_EQ(read->teks.size(), sent.teks.size());
        for (size_t i = 0; i < sent.teks.size(); ++i) {
            EXPECT_EQ(buffer(read->teks[i].tek), buffer(sent.teks[i].tek));
            EXPECT_EQ(read->teks[i].lifetime_s, sent.teks[i].lifetime_s);
            EXPECT_EQ(read->teks[i].sequence, sent.teks[i].sequence);
            EXPECT_EQ(read->teks[i].cbc_iv, sent.teks[i].cbc_iv);
        }
    }
}

TEST(PkmMessages, TruncatedAnywhereTheyAreRefused) {
    for (const PkmCode code : kCodes) {
        PkmMessage message = complete(code);
        if (message.sas.size() > 1) message.sas.resize(1);  // one is enough, and an AuthReply is not signed
        const Buffer octets = octets_of(message);
        for (size_t length = 0; length < octets.size(); ++length) {
            const auto read = decode_pkm(Octets(octets).first(length));
            // Where the last attribute is one that the code can do without, the message is whole before it.
            const bool optional_left = (code == PkmCode::auth_reject || code == PkmCode::auth_invalid) && length == 6;
            EXPECT_EQ(read.has_value(), optional_left) << int(code) << " " << length;
        }
    }
}

/// The message without the attributes of that type.
Buffer without(const Buffer& message, uint8_t type) {
    Buffer out(message.begin(), message.begin() + 3);
    TlvReader in(Octets(message).subspan(3));
    TlvWriter writer(out);
    while (const auto tlv = in.next())
        if (tlv->type != type) writer.put(tlv->type, tlv->value);
    return out;
}

TEST(PkmMessages, EachAttributeOfTheStandardIsNeeded) {
    for (const PkmCode code : kCodes) {
        const Buffer octets = octets_of(complete(code));
        TlvReader in(Octets(octets).subspan(3));
        while (const auto tlv = in.next()) {
            if (tlv->type == 6) continue;  // display strings are for people
            EXPECT_FALSE(decode_pkm(without(octets, tlv->type))) << int(code) << " " << int(tlv->type);
        }
    }
}

TEST(PkmMessages, AttributesOfOtherLengthsAreRefused) {
    for (const PkmCode code : kCodes) {
        const Buffer octets = octets_of(complete(code));
        TlvReader in(Octets(octets).subspan(3));
        while (const auto tlv = in.next()) {
            const bool any_length = tlv->type == 6 || tlv->type == 7 || tlv->type == 17 || tlv->type == 18;
            for (const int more : {-1, 1}) {
                Buffer value = buffer(tlv->value);
                value.resize(value.size() + static_cast<size_t>(more));
                Buffer changed(octets.begin(), octets.begin() + 3);
                TlvReader again(Octets(octets).subspan(3));
                TlvWriter writer(changed);
                while (const auto other = again.next())
                    writer.put(other->type, other->offset == tlv->offset ? Octets(value) : other->value);
                EXPECT_EQ(decode_pkm(changed).has_value(), any_length && !(tlv->type == 7 && more < 0))
                    << int(code) << " " << int(tlv->type) << " " << more;
            }
        }
    }
}

TEST(PkmMessages, OversizedAttributesAreRefused) {
    const auto readable = [](const PkmMessage& message) { return decode_pkm(octets_of(message)).has_value(); };
    PkmMessage request = complete(PkmCode::auth_request);
    const Buffer large(1801), fits(1800);
    request.ss_certificate = fits;
    EXPECT_TRUE(readable(request));
    request.ss_certificate = large;
    EXPECT_FALSE(readable(request));
    request = complete(PkmCode::auth_request);
    request.suites.assign(17, {2, 0, 3});
    EXPECT_FALSE(readable(request));
    PkmMessage reply = complete(PkmCode::auth_reply);
    const Buffer key(513);
    reply.auth_key = key;
    EXPECT_FALSE(readable(reply));
    reply = complete(PkmCode::auth_reply);
    reply.sas.assign(kMaxAssociations, {33, SaType::fixed, {2, 0, 3}});
    EXPECT_TRUE(readable(reply));
    reply.sas.push_back(reply.sas[0]);
    EXPECT_FALSE(readable(reply));
    reply = complete(PkmCode::auth_reply);
    reply.key_sequence = 16;
    EXPECT_FALSE(readable(reply));
    PkmMessage keys = complete(PkmCode::key_reply);
    keys.teks[1].sequence = 4;
    EXPECT_FALSE(readable(keys));
    keys = complete(PkmCode::key_reply);
    keys.teks.push_back(keys.teks[0]);
    EXPECT_FALSE(readable(keys));
    keys = complete(PkmCode::key_reply);
    keys.teks[0].tek = Octets(kTek).first(7);
    EXPECT_FALSE(readable(keys));
}

TEST(PkmMessages, TwiceOrBehindTheDigest) {
    Buffer octets = octets_of(complete(PkmCode::key_request));
    EXPECT_TRUE(decode_pkm(octets));
    Buffer behind = octets;
    behind.insert(behind.end(), {200, 1, 0});
    EXPECT_FALSE(decode_pkm(behind));
    Buffer twice = octets;
    twice.insert(twice.begin() + 3, {12, 2, 0, 34});
    EXPECT_FALSE(decode_pkm(twice));
    Buffer unknown = octets;
    unknown.insert(unknown.begin() + 3, {200, 1, 0, 201, 0});
    const auto read = decode_pkm(unknown);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->said, 33);
}

TEST(PkmMessages, CodesOfTheOtherDirectionAndUnknownOnes) {
    for (const PkmCode code : kCodes) {
        Buffer octets = octets_of(complete(code));
        octets[0] = static_cast<uint8_t>(19 - octets[0]);
        EXPECT_FALSE(decode_pkm(octets)) << int(code);
    }
    for (const int code : {0, 1, 2, 13, 255}) {
        Buffer octets = octets_of(complete(PkmCode::auth_info));
        octets[1] = static_cast<uint8_t>(code);
        EXPECT_FALSE(decode_pkm(octets)) << code;
    }
}

TEST(PkmMessages, SignaturesCoverAllBeforeThem) {
    MessageDigest own = uplink_digest();
    const Buffer octets = octets_of(complete(PkmCode::key_reject));
    const auto read = decode_pkm(octets);
    ASSERT_TRUE(read && is_signed_by(octets, *read, own));
    EXPECT_EQ(read->covered_octets, octets.size() - 22);
    for (size_t i = 0; i < octets.size(); ++i) {
        Buffer changed = octets;
        changed[i] ^= 0x01;
        const auto other = decode_pkm(changed);
        EXPECT_FALSE(other && is_signed_by(changed, *other, own)) << i;
    }
    MessageDigest downlink = std::move(*MessageDigest::with(derive_keys(vectors_ak())->hmac_downlink));
    EXPECT_FALSE(is_signed_by(octets, *read, downlink));
    PkmMessage bare = *read;
    bare.digest.reset();
    EXPECT_FALSE(is_signed_by(octets, bare, own));
}

TEST(PkmMessages, DisplayStringsAreCut) {
    PkmMessage reject = complete(PkmCode::auth_reject);
    const std::string text(200, 'x');
    reject.display_string = text;
    const Buffer octets = octets_of(reject);
    EXPECT_EQ(decode_pkm(octets)->display_string, text.substr(0, 128));
}

}  // namespace
}  // namespace wimax::mac::privacy
