// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/pkm_message.h"
#include "mac/pdu/tlv.h"

namespace wimax::mac::privacy {
namespace {

namespace attribute {
constexpr uint8_t kDisplayString = 6, kAuthKey = 7, kTek = 8, kKeyLifetime = 9, kKeySequence = 10, kDigest = 11,
                  kSaid = 12, kTekParameters = 13, kCbcIv = 15, kErrorCode = 16, kCaCertificate = 17,
                  kSsCertificate = 18, kCapabilities = 19, kSuite = 20, kSuiteList = 21, kVersion = 22,
                  kSaDescriptor = 23, kSaType = 24;
}

constexpr size_t kFixedOctets = 3;        ///< type, code, identifier
constexpr size_t kMinRsaOctets = 128;     ///< of 1024 bits
constexpr size_t kMaxRsaOctets = 512;     ///< of 4096
constexpr size_t kMaxCertificate = 1800;  ///< limit of a message
constexpr uint8_t kMaxAkSequence = 15, kMaxTekSequence = 3;

/// Mandatory attributes of a code; one bit for each type.
constexpr uint32_t bit(uint8_t type) { return uint32_t{1} << type; }
constexpr uint32_t needed_by(PkmCode code) {
    using namespace attribute;
    switch (code) {
        case PkmCode::auth_info: return bit(kCaCertificate);
        case PkmCode::auth_request: return bit(kSsCertificate) | bit(kCapabilities) | bit(kSaid);
        case PkmCode::auth_reply: return bit(kAuthKey) | bit(kKeyLifetime) | bit(kKeySequence) | bit(kSaDescriptor);
        case PkmCode::auth_reject:
        case PkmCode::auth_invalid: return bit(kErrorCode);
        case PkmCode::key_request: return bit(kKeySequence) | bit(kSaid) | bit(kDigest);
        case PkmCode::key_reply: return bit(kKeySequence) | bit(kSaid) | bit(kTekParameters) | bit(kDigest);
        case PkmCode::key_reject:
        case PkmCode::tek_invalid: return bit(kKeySequence) | bit(kSaid) | bit(kErrorCode) | bit(kDigest);
        case PkmCode::sa_add: return bit(kKeySequence) | bit(kSaDescriptor) | bit(kDigest);
    }
    return 0;
}

constexpr bool is_code(uint8_t code) {
    return code >= static_cast<uint8_t>(PkmCode::sa_add) && code <= static_cast<uint8_t>(PkmCode::auth_info);
}

/// Reads the attributes of one list; the first fault stays in error().
class AttributeReader {
public:
    AttributeReader(Octets list, size_t offset) : tlvs_(list), offset_(offset) {}

    /// The next attribute; each type occurs once except `repeated`.
    std::optional<Tlv> next(uint32_t repeated) {
        if (error_) return std::nullopt;
        const auto tlv = tlvs_.next();
        if (const auto& error = tlvs_.error()) fail(error->offset, error->reason, error->detail);
        if (!tlv) return std::nullopt;
        if (seen(attribute::kDigest)) {
            fail(tlv->offset, Reason::length, "attributes behind the digest");
            return std::nullopt;
        }
        if (tlv->type >= 32) return tlv;
        if (seen(tlv->type) && !(repeated & bit(tlv->type))) {
            fail(tlv->offset, Reason::length, "an attribute is repeated");
            return std::nullopt;
        }
        seen_ |= bit(tlv->type);
        return tlv;
    }
    bool seen(uint8_t type) const { return seen_ & bit(type); }
    bool all_of(uint32_t types) const { return (seen_ & types) == types; }

    uint64_t integer(const Tlv& tlv, size_t octets, uint64_t max) {
        const auto value = tlv.value.size() == octets ? tlv.unsigned_value() : std::nullopt;
        if (value && *value <= max) return *value;
        fail(tlv.offset, Reason::length, "length or value of an attribute");
        return 0;
    }
    Octets octets(const Tlv& tlv, size_t least, size_t most) {
        if (tlv.value.size() >= least && tlv.value.size() <= most) return tlv.value;
        fail(tlv.offset, Reason::length, "length of an attribute");
        return {};
    }
    template <size_t N> std::array<uint8_t, N> array(const Tlv& tlv) {
        std::array<uint8_t, N> out{};
        std::ranges::copy(octets(tlv, N, N), out.begin());
        return out;
    }

    AttributeReader inner(const Tlv& tlv) const { return {tlv.value, offset_ + tlv.value_offset}; }
    /// Adopts the error of a compound.
    void take_error(const AttributeReader& compound) {
        if (compound.error_ && !error_) error_ = compound.error_;
    }
    void fail(size_t offset, Reason reason, const char* detail) {
        if (!error_) error_ = ParseError{offset_ + offset, reason, detail};
    }
    void require(uint32_t types, const char* detail) {
        if (!error_ && !all_of(types)) fail(0, Reason::truncated, detail);
    }
    const std::optional<ParseError>& error() const { return error_; }

private:
    TlvReader tlvs_;
    size_t offset_;
    uint32_t seen_ = 0;
    std::optional<ParseError> error_;
};

void read_tek_parameters(AttributeReader& outer, const Tlv& compound, PkmMessage& out) {
    using namespace attribute;
    AttributeReader in = outer.inner(compound);
    TekParameters tek;
    while (const auto tlv = in.next(0)) {
        switch (tlv->type) {
            case kTek: tek.tek = in.octets(*tlv, TrafficKey::kDesOctets, kMaxRsaOctets); break;
            case kKeyLifetime: tek.lifetime_s = static_cast<uint32_t>(in.integer(*tlv, 4, UINT32_MAX)); break;
            case kKeySequence: tek.sequence = static_cast<uint8_t>(in.integer(*tlv, 1, kMaxTekSequence)); break;
            case kCbcIv: tek.cbc_iv = in.array<8>(*tlv); break;
            default: break;
        }
    }
    in.require(bit(kTek) | bit(kKeyLifetime) | bit(kKeySequence), "TEK parameters are not complete");
    outer.take_error(in);
    if (out.teks.size() == kMaxTeks) return outer.fail(compound.offset, Reason::length, "more than two TEKs");
    out.teks.push_back(tek);
}

void read_suites(AttributeReader& outer, const Tlv& compound, PkmMessage& out) {
    AttributeReader in = outer.inner(compound);
    while (const auto tlv = in.next(bit(attribute::kSuite))) {
        if (tlv->type != attribute::kSuite) continue;
        if (out.suites.size() < kMaxSuites) out.suites.push_back(in.array<3>(*tlv));
        else in.fail(tlv->offset, Reason::length, "too many suites");
    }
    in.require(bit(attribute::kSuite), "a list without a suite");
    outer.take_error(in);
}

void read_capabilities(AttributeReader& outer, const Tlv& compound, PkmMessage& out) {
    using namespace attribute;
    AttributeReader in = outer.inner(compound);
    while (const auto tlv = in.next(0)) {
        if (tlv->type == kSuiteList) read_suites(in, *tlv, out);
        if (tlv->type == kVersion && in.integer(*tlv, 1, UINT8_MAX) != kPkmVersion)
            in.fail(tlv->offset, Reason::reserved, "another version of PKM");
    }
    in.require(bit(kSuiteList) | bit(kVersion), "security capabilities are not complete");
    outer.take_error(in);
}

void read_sa_descriptor(AttributeReader& outer, const Tlv& compound, PkmMessage& out) {
    using namespace attribute;
    AttributeReader in = outer.inner(compound);
    SaDescriptor sa;
    while (const auto tlv = in.next(0)) {
        switch (tlv->type) {
            case kSaid: sa.said = static_cast<uint16_t>(in.integer(*tlv, 2, UINT16_MAX)); break;
            case kSaType:
                sa.type = static_cast<SaType>(in.integer(*tlv, 1, static_cast<uint8_t>(SaType::dynamic)));
                break;
            case kSuite: sa.suite = in.array<3>(*tlv); break;
            default: break;
        }
    }
    in.require(bit(kSaid) | bit(kSaType) | bit(kSuite), "an SA descriptor is not complete");
    outer.take_error(in);
    if (out.sas.size() == kMaxAssociations) return outer.fail(compound.offset, Reason::length, "too many SAs");
    out.sas.push_back(sa);
}

void read_attribute(AttributeReader& in, const Tlv& tlv, PkmMessage& out) {
    using namespace attribute;
    switch (tlv.type) {
        case kDisplayString: {
            const Octets text = in.octets(tlv, 0, kMaxDisplayOctets);
            out.display_string = {reinterpret_cast<const char*>(text.data()), text.size()};
            break;
        }
        case kAuthKey: out.auth_key = in.octets(tlv, kMinRsaOctets, kMaxRsaOctets); break;
        case kKeyLifetime: out.key_lifetime_s = static_cast<uint32_t>(in.integer(tlv, 4, UINT32_MAX)); break;
        case kKeySequence: out.key_sequence = static_cast<uint8_t>(in.integer(tlv, 1, kMaxAkSequence)); break;
        case kDigest:
            out.digest = in.array<20>(tlv);
            out.covered_octets = kFixedOctets + tlv.offset;
            break;
        case kSaid: out.said = static_cast<uint16_t>(in.integer(tlv, 2, UINT16_MAX)); break;
        case kTekParameters: read_tek_parameters(in, tlv, out); break;
        case kErrorCode:
            out.error = static_cast<PkmError>(in.integer(tlv, 1, static_cast<uint8_t>(PkmError::permanent)));
            break;
        case kCaCertificate: out.ca_certificate = in.octets(tlv, 1, kMaxCertificate); break;
        case kSsCertificate: out.ss_certificate = in.octets(tlv, 1, kMaxCertificate); break;
        case kCapabilities: read_capabilities(in, tlv, out); break;
        case kSaDescriptor: read_sa_descriptor(in, tlv, out); break;
        default: break;
    }
}

void put_tek(TlvWriter& tlvs, const TekParameters& tek) {
    using namespace attribute;
    const size_t mark = tlvs.begin(kTekParameters);
    tlvs.put(kTek, tek.tek);
    tlvs.put_integer(kKeyLifetime, tek.lifetime_s, 4);
    tlvs.put_integer(kKeySequence, tek.sequence, 1);
    tlvs.put(kCbcIv, tek.cbc_iv);
    tlvs.end(mark);
}

void put_capabilities(TlvWriter& tlvs, std::span<const SuiteOctets> suites) {
    using namespace attribute;
    const size_t capabilities = tlvs.begin(kCapabilities), list = tlvs.begin(kSuiteList);
    for (const auto& suite : suites) tlvs.put(kSuite, suite);
    tlvs.end(list);
    tlvs.put_integer(kVersion, kPkmVersion, 1);
    tlvs.end(capabilities);
}

void put_sa(TlvWriter& tlvs, const SaDescriptor& sa) {
    using namespace attribute;
    const size_t mark = tlvs.begin(kSaDescriptor);
    tlvs.put_integer(kSaid, sa.said, 2);
    tlvs.put_integer(kSaType, static_cast<uint8_t>(sa.type), 1);
    tlvs.put(kSuite, sa.suite);
    tlvs.end(mark);
}

}  // namespace

const char* to_string(PkmError error) {
    constexpr const char* names[] = {"no reason",
                                     "unauthorized station",
                                     "unauthorized SAID",
                                     "unsolicited",
                                     "invalid key sequence",
                                     "message authentication failure",
                                     "permanent authorization failure"};
    return names[static_cast<unsigned>(error)];
}

Result<PkmMessage> decode_pkm(Octets message) {
    if (message.size() < kFixedOctets) return parse_error(message.size(), Reason::truncated, "PKM message cut short");
    if (!is_code(message[1])) return parse_error(1, Reason::reserved, "code of a PKM message");
    PkmMessage out;
    out.code = static_cast<PkmCode>(message[1]);
    out.identifier = message[2];
    const auto type = is_request(out.code) ? MessageType::pkm_req : MessageType::pkm_rsp;
    if (message[0] != static_cast<uint8_t>(type))
        return parse_error(0, Reason::reserved, "code of the other direction");
    AttributeReader in(message.subspan(kFixedOctets), kFixedOctets);
    constexpr uint32_t kRepeated = bit(attribute::kTekParameters) | bit(attribute::kSaDescriptor);
    while (const auto tlv = in.next(kRepeated)) read_attribute(in, *tlv, out);
    in.require(needed_by(out.code), "an attribute is missing");
    if (in.error()) return tl::make_unexpected(*in.error());
    return out;
}

void encode_pkm(const PkmMessage& message, Buffer& out) {
    using namespace attribute;
    out.push_back(static_cast<uint8_t>(is_request(message.code) ? MessageType::pkm_req : MessageType::pkm_rsp));
    out.push_back(static_cast<uint8_t>(message.code));
    out.push_back(message.identifier);
    TlvWriter tlvs(out);
    if (!message.ca_certificate.empty()) tlvs.put(kCaCertificate, message.ca_certificate);
    if (!message.ss_certificate.empty()) tlvs.put(kSsCertificate, message.ss_certificate);
    if (!message.suites.empty()) put_capabilities(tlvs, message.suites);
    if (!message.auth_key.empty()) tlvs.put(kAuthKey, message.auth_key);
    if (message.key_lifetime_s) tlvs.put_integer(kKeyLifetime, *message.key_lifetime_s, 4);
    if (message.key_sequence) tlvs.put_integer(kKeySequence, *message.key_sequence, 1);
    if (message.said) tlvs.put_integer(kSaid, *message.said, 2);
    for (const auto& tek : message.teks) put_tek(tlvs, tek);
    for (const auto& sa : message.sas) put_sa(tlvs, sa);
    if (message.error) tlvs.put_integer(kErrorCode, static_cast<uint8_t>(*message.error), 1);
    const auto text = message.display_string.substr(0, kMaxDisplayOctets);
    if (!text.empty()) tlvs.put(kDisplayString, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

bool sign_pkm(Buffer& message, MessageDigest& digest) {
    const auto own = digest.of(message);
    if (!own) return false;
    TlvWriter(message).put(attribute::kDigest, *own);
    return true;
}

bool is_signed_by(Octets octets, const PkmMessage& message, MessageDigest& own) {
    return message.digest && own.matches(octets.first(message.covered_octets), *message.digest);
}

bool needs_digest(PkmCode code) { return needed_by(code) & bit(attribute::kDigest); }

}  // namespace wimax::mac::privacy
