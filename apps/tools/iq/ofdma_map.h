// SPDX-License-Identifier: GPL-3.0-or-later
// DL-MAP of an OFDMA subframe, normal (IEEE 802.16-2009 clause 8.4.5.3) or compressed (8.4.5.6), as `wimax-iq generate`
// announces its bursts. No UL-MAP is appended.
#pragma once

#include <gnuradio/wimax/phy/ofdma/transmit/dl_subframe_modulator.h>

#include <optional>
#include <vector>

namespace wimax::iq {

/// Values of the boosting field in dB, by code. From memory, apart from 0 dB.
inline constexpr std::array<double, 8> kBoostingDb{0, 6, -6, 9, 3, -3, -9, -12};
std::optional<uint8_t> boosting_code(double db);

struct DlMapElement {
    uint8_t diuc = 0;
    std::optional<uint16_t> cid;
    gr::wimax::phy::ofdma::DlRegion region;
    double boosting_db = 0;  ///< one of kBoostingDb
    int repetition = 1;
};

struct DlMapMessage {
    uint32_t frame_number = 0;  ///< 24 bits
    uint8_t dcd_count = 0;
    uint64_t bsid = 0;    ///< 48 bits; a compressed map has only operator ID and sector ID, octets 2 and 5 of it
    uint8_t symbols = 0;  ///< of the downlink subframe, without the preamble
    std::vector<DlMapElement> elements;
};

/// The MAC PDU of a normal DL-MAP, with header and CRC. If an element has a CID, the first is a CID_Switch_IE, and
/// elements without a CID get the broadcast CID.
std::vector<uint8_t> encode_dl_map(const DlMapMessage& map);
/// A compressed DL-MAP with its CRC.
std::vector<uint8_t> encode_compressed_dl_map(const DlMapMessage& map);

}  // namespace wimax::iq
