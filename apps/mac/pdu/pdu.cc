// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/pdu.h"
#include "mac/pdu/cid.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wimax::mac {

bool PduReader::stop(Reason reason, const char* detail) {
    error_ = ParseError{offset_, reason, detail};
    if (counters_) ++counters_->stopped;
    return false;
}

bool PduReader::next_header(Pdu& pdu) {
    if (error_ || padding_ > 0 || offset_ == burst_.size()) return false;
    const Octets rest = burst_.subspan(offset_);
    // No header begins with 0xFF (HT = 1 with EC = 1 is reserved): the rest is padding.
    if (rest[0] == 0xFF) {
        // Each octet equals the one before it.
        if (std::memcmp(rest.data(), rest.data() + 1, rest.size() - 1) != 0)
            return stop(Reason::reserved, "0xFF where a header should begin, but not padding");
        padding_ = rest.size();
        return false;
    }
    if (rest.size() < kHeaderOctets) return stop(Reason::truncated, "less than a header");
    if (hcs8(rest.first(kHeaderOctets - 1)) != rest[kHeaderOctets - 1])
        return stop(Reason::hcs, "header check sequence");
    pdu = Pdu{};
    pdu.offset = offset_;
    pdu.is_request = rest[0] & 0x80;
    if (!(pdu.is_request ? read_request(rest, pdu) : read_generic(rest, pdu))) return false;
    offset_ += pdu.octets.size();
    return true;
}

bool PduReader::read_request(Octets rest, Pdu& pdu) {
    const auto request = parse_bandwidth_request(rest);
    if (!request) return stop(request.error().reason, request.error().detail);
    pdu.request = *request;
    pdu.octets = rest.first(kHeaderOctets);
    return true;
}

bool PduReader::read_generic(Octets rest, Pdu& pdu) {
    const auto header = parse_generic_header(rest);
    if (!header) return stop(header.error().reason, header.error().detail);
    pdu.header = *header;
    const size_t trailer = pdu.header.ci ? kCrcOctets : 0;
    if (pdu.header.len < kHeaderOctets + trailer) return stop(Reason::length, "LEN below header and CRC");
    if (pdu.header.len > rest.size()) return stop(Reason::truncated, "LEN beyond the end of the burst");
    pdu.octets = rest.first(pdu.header.len);
    pdu.body = pdu.octets.subspan(kHeaderOctets, pdu.header.len - kHeaderOctets - trailer);
    return true;
}

void check_crc(Pdu& pdu) {
    if (!pdu.is_request && pdu.header.ci) pdu.crc_style = matching_crc(pdu.octets);
}

void PduReader::count(const Pdu& pdu) const {
    if (!counters_) return;
    if (pdu.is_request) {
        ++counters_->requests;
        return;
    }
    ++counters_->pdus;
    if (!pdu.header.ci) return;
    if (!pdu.crc_style) ++counters_->bad_crc;
    else if (*pdu.crc_style == CrcStyle::ieee8023) ++counters_->crc_8023;
    else ++counters_->crc_msb;
}

std::optional<Pdu> PduReader::next_any() {
    Pdu pdu;
    if (!next_header(pdu)) return std::nullopt;
    check_crc(pdu);
    count(pdu);
    return pdu;
}

std::optional<Pdu> PduReader::next() {
    while (auto pdu = next_any())
        if (pdu->crc_ok() && pdu->cid() != cid::kPadding) return pdu;
    return std::nullopt;
}

Result<Subheaders> parse_subheaders(const Pdu& pdu) {
    Subheaders out;
    out.rest = pdu.body;
    if (pdu.is_request) return out;
    const uint8_t bits = pdu.header.type;
    const auto offset = [&] { return static_cast<size_t>(out.rest.data() - pdu.octets.data()); };
    if ((bits & type::kFragmentation) && (bits & type::kPacking))
        return parse_error(0, Reason::subheader, "fragmentation and packing at once");
    if (bits & type::kGrantManagement) {
        if (out.rest.size() < GrantManagementSubheader::kOctets)
            return parse_error(offset(), Reason::subheader, "grant management subheader cut short");
        out.grant_management = GrantManagementSubheader{BitReader(out.rest).get16()};
        out.rest = out.rest.subspan(GrantManagementSubheader::kOctets);
    }
    if (bits & type::kFragmentation) {
        const bool extended = pdu.header.extended();
        const size_t octets = FragmentationSubheader::octets(extended);
        if (out.rest.size() < octets)
            return parse_error(offset(), Reason::subheader, "fragmentation subheader cut short");
        BitReader in(out.rest);
        FragmentationSubheader subheader;
        subheader.fc = static_cast<FragmentControl>(in.get(2));
        subheader.fsn = in.get16(extended ? 11 : 3);
        if (in.get(3) != 0) return parse_error(offset(), Reason::reserved, "reserved bits of fragmentation subheader");
        out.fragmentation = subheader;
        out.rest = out.rest.subspan(octets);
    }
    out.packed = bits & type::kPacking;
    out.feedback = bits & type::kArqFeedback;
    return out;
}

std::optional<PackedUnit> UnitReader::next() {
    if (error_ || offset_ == rest_.size()) return std::nullopt;
    const Octets rest = rest_.subspan(offset_);
    const size_t octets = PackingSubheader::octets(extended_);
    if (rest.size() < octets) {
        error_ = ParseError{offset_, Reason::subheader, "packing subheader cut short"};
        return std::nullopt;
    }
    BitReader in(rest);
    PackedUnit unit;
    unit.subheader.fc = static_cast<FragmentControl>(in.get(2));
    unit.subheader.fsn = in.get16(extended_ ? 11 : 3);
    unit.subheader.length = in.get16(11);
    if (unit.subheader.length < octets || unit.subheader.length > rest.size()) {
        error_ = ParseError{offset_, Reason::subheader, "length of a packed unit"};
        return std::nullopt;
    }
    unit.data = rest.subspan(octets, unit.subheader.length - octets);
    offset_ += unit.subheader.length;
    return unit;
}

/// Size of the burst up to which the open PDU may grow before its tail is added.
size_t PduWriter::limit_of_pdu() const {
    size_t limit = std::min(capacity_, start_ + kMaxPduOctets);
    if (header_.ci) limit -= std::min(limit, kCrcOctets);
    if (sealer_) limit -= std::min(limit, sealer_->tail_octets());
    return limit;
}

bool PduWriter::begin(uint16_t cid, bool crc, bool extended, PayloadSealer* sealer) {
    const size_t lead = sealer ? sealer->lead_octets() : 0, more = sealer ? sealer->overhead_octets() : 0;
    const auto key = sealer ? sealer->key_sequence() : std::nullopt;
    if (room() < kHeaderOctets + (crc ? kCrcOctets : 0) + more || (sealer && !key)) return false;
    header_ = GenericHeader{};
    header_.cid = cid;
    header_.ci = crc;
    header_.ec = sealer != nullptr;
    header_.eks = key.value_or(0);
    sealer_ = sealer;
    extended_ = extended;
    start_ = out_.size();
    open_ = true;
    out_.resize(start_ + kHeaderOctets + lead);
    return true;
}

void PduWriter::grant_management(GrantManagementSubheader subheader) {
    header_.type |= type::kGrantManagement;
    subheader.encode(out_);
}

void PduWriter::fragmentation(FragmentationSubheader subheader) {
    header_.type |= type::kFragmentation | (extended_ ? type::kExtended : 0);
    subheader.encode(out_, extended_);
}

void PduWriter::packed(FragmentControl fc, uint16_t fsn, Octets data) {
    header_.type |= type::kPacking | (extended_ ? type::kExtended : 0);
    const size_t length = data.size() + PackingSubheader::octets(extended_);
    PackingSubheader{fc, fsn, static_cast<uint16_t>(length)}.encode(out_, extended_);
    payload(data);
}

void PduWriter::mark_feedback() { header_.type |= type::kArqFeedback; }

void PduWriter::payload(Octets octets) { out_.insert(out_.end(), octets.begin(), octets.end()); }

bool PduWriter::finish() {
    open_ = false;
    PayloadSealer* sealer = std::exchange(sealer_, nullptr);
    if (sealer) out_.resize(out_.size() + sealer->tail_octets());
    const size_t octets = out_.size() - start_ + (header_.ci ? kCrcOctets : 0);
    if (octets > kMaxPduOctets || start_ + octets > capacity_) {
        out_.resize(start_);
        return false;
    }
    header_.len = static_cast<uint16_t>(octets);
    // Six octets are already there: append the header, then move it to the front.
    header_.encode(out_);
    std::copy(out_.end() - kHeaderOctets, out_.end(), out_.begin() + static_cast<std::ptrdiff_t>(start_));
    out_.resize(out_.size() - kHeaderOctets);
    if (sealer && !sealer->seal(std::span(out_).subspan(start_))) {
        out_.resize(start_);
        return false;
    }
    if (header_.ci) {
        const CrcOctets crc = crc32(Octets(out_).subspan(start_), style_);
        out_.insert(out_.end(), crc.begin(), crc.end());
    }
    return true;
}

bool PduWriter::request(const BandwidthRequestHeader& header) {
    if (open_ || room() < kHeaderOctets) return false;
    header.encode(out_);
    return true;
}

}  // namespace wimax::mac
