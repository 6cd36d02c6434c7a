// SPDX-License-Identifier: GPL-3.0-or-later
// PDUs of the air as log lines: at level debug management messages and bandwidth requests, at level trace every PDU.
#pragma once

#include "common/log.h"
#include "mac/report/pdu_tap.h"

#include <string>

namespace wimax::macd {

/// A line about one PDU; empty: of no interest at this level. `basic_cids`: m of the base station.
std::string air_line(const mac::TappedBurst& burst, mac::Octets octets, mac::TappedOctets what, bool every_pdu,
                     uint16_t basic_cids);

/// Forwards each PDU to the next tap, and writes log lines. It costs time even if nothing is written: a station has it
/// only while wanted() is true.
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
