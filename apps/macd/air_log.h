/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What goes over the air as lines of the log: at debug management messages and bandwidth requests, at trace every PDU.
 */
#pragma once

#include "common/log.h"
#include "mac/report/pdu_tap.h"

#include <string>

namespace wimax::macd {

/// A line about one PDU; empty: none of interest at this level. `basic_cids`: as the base station has it.
std::string air_line(const mac::TappedBurst& burst, mac::Octets octets, mac::TappedOctets what, bool every_pdu,
                     uint16_t basic_cids);

/// Hands on what it is shown, and writes lines of it. Costs something also where nothing is written: a station has it
/// only while wanted() says so.
class AirLog final : public mac::PduTap {
public:
    explicit AirLog(uint16_t basic_cids) : basic_cids_(basic_cids), log_(log::layer("mac")) {}
    bool wanted() const { return log_.enabled(log::Level::debug); }
    void also(mac::PduTap* next) { next_ = next; }
    void on_pdu(const mac::TappedBurst& burst, size_t offset, mac::Octets octets, mac::TappedOctets what) override;

private:
    const uint16_t basic_cids_;
    log::Layer& log_;
    mac::PduTap* next_ = nullptr;
};

}  // namespace wimax::macd
