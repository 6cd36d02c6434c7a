// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the service access point about frames: bursts and codes to send, to expect, and received. Every air
// interface has them. What differs is in the formats of bursts, and in fields that say which air interface has them.
// messages.h shows the exchange.
#pragma once

#include <gnuradio/wimax/phy/base/burst_requests.h>
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/base/slot.h>

#include <cstdint>
#include <vector>

namespace wimax::sap {

using gr::wimax::phy::FrameNumber;
using gr::wimax::phy::Slot;

// Bursts and codes to send, bursts to receive: the structures of the PHY's blocks. The PHY fills in bsid_lsb of their
// formats; the MAC sets frame_lsb to that of the frame whose map announced the burst.
using gr::wimax::phy::BurstKind;
using TxBurst = gr::wimax::phy::TransmitBurst;
using TxCode = gr::wimax::phy::TransmitCode;
using RxAllocation = gr::wimax::phy::ExpectedBurst;

/// MAC -> PHY, exactly one per tick. BS: bursts[0] is burst #1 (rate into the frame prefix, right after the FCH); the
/// PHY announces the first four in the frame prefix. An empty list is legal: the BS then transmits nothing in that
/// frame.
struct TxFrame {
    uint64_t phy_session = 0;
    FrameNumber frame_number;
    uint8_t dcd_count = 0;               ///< BS: Configuration_Change_Count of the frame prefix
    int32_t timing_advance_samples = 0;  ///< SS: transmit this much before the received frame grid
    float frequency_adjust_hz = 0;       ///< SS: added to the correction by the downlink's offset
    float power_dbm = 0;                 ///< SS: mean power of a data symbol at the antenna
    std::vector<TxBurst> bursts;
    std::vector<TxCode> codes;  ///< SS
};

/// MAC -> PHY. BS: the uplink of frame n. SS: bursts of frame n beyond the frame prefix.
struct RxExpect {
    uint64_t phy_session = 0;
    FrameNumber frame_number;
    Slot first_uplink_slot;  ///< SS: its earliest allocation in this frame; 0: none
    /// SS: earliest allocation of any station in the next frame, if a map describes it already; 0: no map does
    Slot next_uplink_slot;
    bool want_prefix_bursts = true;  ///< SS, OFDM-256: decode bursts 2..4 announced by the frame prefix
    std::vector<RxAllocation> allocations;
    std::vector<Slot> contention_slots;  ///< BS: where focused contention opportunities start
    std::vector<Slot> stc_zone_slots;    ///< SS, OFDM-256: STC zones that only the DL-MAP announces
};

/// What the PHY measured of a received burst.
struct RxMeasurement {
    float rssi_dbm = -200, cinr_db = -100, evm_db = 0;
    float timing_offset_samples = 0;  ///< positive: arrived late
    float frequency_offset_hz = 0;    ///< positive: received too high
};

/// PHY -> MAC, sent as soon as the burst is decoded. BS: also for allocations where nothing was detected.
struct RxBurst {
    uint64_t phy_session = 0;
    FrameNumber frame_number;
    BurstKind kind = BurstKind::data;
    uint8_t index = 0;  ///< SS: 1 = broadcast burst, 2..; BS: position in RxExpect.allocations
    Slot start_slot;    ///< as expected
    uint8_t rate_id = 0, iuc = 0;
    uint16_t cid = 0;  ///< copied from RxAllocation
    bool detected = false;
    bool fec_ok = false;
    uint16_t failed_blocks = 0, corrected_bytes = 0;
    RxMeasurement measured;
    // SS, broadcast burst only: from the frame prefix and the synchronizer.
    int64_t frame_start_sample = 0;
    gr::wimax::phy::FramePrefix prefix;
    uint8_t cp_denominator = 8;
    uint32_t frame_samples = 0;
    std::vector<uint8_t> payload;
};

/// A received code.
struct RxCode {
    gr::wimax::phy::ContentionCode what;
    float snr_db = -100;  ///< per carrier, boost included
    float rssi_dbm = -200;
    float certainty = 0;  ///< agreement of its carriers with the code, 0..1
};

/// PHY -> MAC (BS), once for each of RxExpect.contention_slots, perhaps without a code.
struct RxContention {
    uint64_t phy_session = 0;
    FrameNumber frame_number;
    Slot start_slot;
    std::vector<RxCode> codes;
};

}  // namespace wimax::sap
