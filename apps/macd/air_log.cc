// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/air_log.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/dictionary.h"
#include "mac/pdu/header.h"
#include "mac/rate_thresholds.h"

#include <fmt/format.h>

namespace wimax::macd {
namespace {

constexpr uint8_t kRequestBit = 0x80;  // HT of the first octet

std::string place(const mac::TappedBurst& burst) {
    const size_t row = mac::row_of(burst.profile);
    const char* rate = row < mac::kRateCount ? mac::kRateNames[row] : "?";
    std::string text = fmt::format("{} {}, {}", burst.downlink ? "DIUC" : "UIUC", burst.iuc, rate);
    if (burst.measured) text += fmt::format(", CINR {:.1f} dB", burst.cinr_db);
    return text;
}

/// Name of the message that begins in this PDU; a later fragment has none.
std::string message_of(const mac::GenericHeader& header, mac::Octets octets) {
    size_t at = mac::kHeaderOctets;
    if (header.type & mac::type::kFragmentation) {
        if (at >= octets.size() || (octets[at] >> 6) % 2 == 1) return "a fragment";  // last or middle
        at += mac::FragmentationSubheader::octets(header.extended());
    }
    if (at >= octets.size()) return "nothing";
    const auto& message = mac::message_spec(octets[at]);
    return message.name.empty() ? fmt::format("message {}", octets[at]) : std::string(message.name);
}

}  // namespace

std::string air_line(const mac::TappedBurst& burst, mac::Octets octets, mac::TappedOctets what, bool every_pdu,
                     uint16_t basic_cids) {
    const char* verb = burst.sent ? "sent" : "heard";
    if (what != mac::TappedOctets::pdu || octets.size() < mac::kHeaderOctets) {
        const char* fault = what == mac::TappedOctets::bad_crc ? "a PDU with a wrong CRC" : "something unreadable";
        return fmt::format("{} {}: {} octets ({})", verb, fault, octets.size(), place(burst));
    }
    if (octets[0] & kRequestBit) {
        const auto request = mac::parse_bandwidth_request(octets);
        if (!request) return "";
        return fmt::format("{} a request of {} octets{}, CID {:#06x} ({})", verb, request->br,
                           request->type == mac::RequestType::incremental ? " more" : "", request->cid, place(burst));
    }
    const auto header = mac::parse_generic_header(octets);
    if (!header) return "";
    const bool management = mac::cid::is_management(header->cid, basic_cids);
    if (!management && !every_pdu) return "";
    return fmt::format("{} {}: {} octets, CID {:#06x} ({})", verb, management ? message_of(*header, octets) : "data",
                       octets.size(), header->cid, place(burst));
}

void AirLog::on_pdu(const mac::TappedBurst& burst, size_t offset, mac::Octets octets, mac::TappedOctets what) {
    if (next_ != nullptr) next_->on_pdu(burst, offset, octets, what);
    const bool every = log_.enabled(log::Level::trace);
    const auto line = air_line(burst, octets, what, every, basic_cids_);
    if (!line.empty()) log_.write(every ? log::Level::trace : log::Level::debug, burst.frame.value(), line);
}

}  // namespace wimax::macd
