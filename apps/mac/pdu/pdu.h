// SPDX-License-Identifier: GPL-3.0-or-later
// A burst as a sequence of MAC PDUs (6.3.3.2 concatenation, 6.3.3.7 padding): taking it apart and putting it together.
//
//     PduReader reader(burst);
//     while (auto pdu = reader.next()) { ... parse_subheaders(*pdu) ... }
//
//     PduWriter writer(burst, capacity_octets);
//     writer.begin(cid);  writer.fragmentation({FragmentControl::first, 0});  writer.payload(part);  writer.finish();
//
// Nothing is allocated but by the writer's buffer when its capacity does not suffice.
#pragma once

#include "mac/pdu/crc.h"
#include "mac/pdu/header.h"
#include "mac/pdu/management_messages.h"

#include <optional>

namespace wimax::mac {

/// Octets that a PDU adds to an SDU that is sent whole; where it is encrypted, those of PayloadSealer as well.
inline constexpr size_t kPduOverheadOctets = kHeaderOctets + kCrcOctets;

struct Pdu {
    size_t offset = 0;        ///< in the burst
    Octets octets;            ///< the whole PDU
    bool is_request = false;  ///< which of the two headers holds
    GenericHeader header;
    BandwidthRequestHeader request;
    Octets body;                        ///< generic: after the header, without CRC
    std::optional<CrcStyle> crc_style;  ///< CI = 1: the style that fits; empty: the CRC is wrong
    uint16_t cid() const { return is_request ? request.cid : header.cid; }
    bool crc_ok() const { return is_request || !header.ci || crc_style.has_value(); }
};

struct PduCounters {
    uint32_t pdus = 0, requests = 0, bad_crc = 0, crc_8023 = 0, crc_msb = 0;
    uint32_t stopped = 0;  ///< bursts whose rest was dropped (bad HCS, reserved, truncated, length)
};

/// Sets crc_style, if there is a CRC and it is right.
void check_crc(Pdu& pdu);

class PduReader {
public:
    /// Counters of a longer life than this burst may be passed in.
    explicit PduReader(Octets burst, PduCounters* counters = nullptr) : burst_(burst), counters_(counters) {}

    /// The next PDU to work with: those with a bad CRC and padding PDUs are skipped.
    std::optional<Pdu> next();
    /// Every PDU, damaged and padding ones too.
    std::optional<Pdu> next_any();
    /// The next one, its CRC not checked. False: there is none, `pdu` is undefined.
    bool next_header(Pdu& pdu);

    /// Set when the burst could not be followed to its end; its offset is where the unreadable PDU begins.
    const std::optional<ParseError>& error() const { return error_; }
    /// 0xFF octets at the end (after next() returned nothing).
    size_t padding_octets() const { return padding_; }

private:
    bool read_request(Octets rest, Pdu& pdu);
    bool read_generic(Octets rest, Pdu& pdu);
    void count(const Pdu& pdu) const;
    bool stop(Reason reason, const char* detail);

    Octets burst_;
    PduCounters* counters_;
    size_t offset_ = 0, padding_ = 0;
    std::optional<ParseError> error_;
};

/// Subheaders of an unencrypted generic PDU; `rest`: the octets after them (packed units, feedback or SDU).
struct Subheaders {
    std::optional<GrantManagementSubheader> grant_management;
    std::optional<FragmentationSubheader> fragmentation;
    bool packed = false;
    bool feedback = false;  ///< the first packed unit or, without packing, all of `rest` is ARQ feedback
    Octets rest;
};
/// Error offsets count from the start of the PDU.
Result<Subheaders> parse_subheaders(const Pdu& pdu);

struct PackedUnit {
    PackingSubheader subheader;
    Octets data;
};
/// Walks the units of a packed PDU. After a failure there are no more units.
class UnitReader {
public:
    UnitReader(Octets rest, bool extended) : rest_(rest), extended_(extended) {}
    std::optional<PackedUnit> next();
    const std::optional<ParseError>& error() const { return error_; }  ///< offset: octets from the start of `rest`

private:
    Octets rest_;
    bool extended_;
    size_t offset_ = 0;
    std::optional<ParseError> error_;
};

/// Encrypts payloads of sent PDUs (7.5); implemented by privacy.
class PayloadSealer {
public:
    virtual ~PayloadSealer() = default;
    /// Additional octets of an encrypted PDU before and after its payload.
    virtual size_t lead_octets() const = 0;
    virtual size_t tail_octets() const = 0;
    size_t overhead_octets() const { return lead_octets() + tail_octets(); }
    /// EKS of PDUs sent now; nothing: there is no key, and no PDU may be sent.
    virtual std::optional<uint8_t> key_sequence() const = 0;
    /// `pdu`: the header as it is sent, room, payload, room; no CRC. False: it must not be sent.
    [[nodiscard]] virtual bool seal(std::span<uint8_t> pdu) = 0;
};

/// Appends PDUs to a burst of limited size. One PDU at a time; begin() .. finish().
class PduWriter {
public:
    PduWriter(Buffer& burst, size_t capacity_octets, CrcStyle style = kAirCrcStyle)
        : out_(burst), capacity_(capacity_octets), style_(style) {}

    /// Octets still free in the burst; inside a PDU, octets that may still be appended to it.
    size_t room() const {
        const size_t limit = open_ ? limit_of_pdu() : capacity_;
        return limit > out_.size() ? limit - out_.size() : 0;
    }
    /// False (and nothing written): not even an empty PDU fits, or its sealer has no key. `extended`: 11-bit FSN or
    /// BSN. `sealer`: the PDU is encrypted; it is kept until finish().
    bool begin(uint16_t cid, bool crc = true, bool extended = true, PayloadSealer* sealer = nullptr);
    void grant_management(GrantManagementSubheader subheader);
    void fragmentation(FragmentationSubheader subheader);
    /// One packed unit; length is computed.
    void packed(FragmentControl fc, uint16_t fsn, Octets data);
    /// The PDU, or its first packed unit (to be added next with packed()), is ARQ feedback.
    void mark_feedback();
    void payload(Octets octets);
    /// Buffer for encoders that append to it (messages); only between begin() and finish().
    Buffer& buffer() { return out_; }
    /// Fills in LEN and HCS, seals, and appends the CRC. False: too long for the burst or for LEN, or it could not be
    /// sealed; the PDU is taken back.
    bool finish();

    /// False: no room.
    bool request(const BandwidthRequestHeader& header);

    /// A management message as a separate PDU: unfragmented, unpacked, with CRC.
    template <class Message> bool message(uint16_t cid, const Message& m) {
        if (!begin(cid, true, false)) return false;
        encode(m, out_);
        return finish();
    }

private:
    size_t limit_of_pdu() const;

    Buffer& out_;
    size_t capacity_;
    CrcStyle style_;
    size_t start_ = 0;
    bool open_ = false, extended_ = true;
    GenericHeader header_;
    PayloadSealer* sealer_ = nullptr;
};

}  // namespace wimax::mac
