/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PHY service access point: messages between MAC and PHY, as plain data. The schema on the wire is phy_sap.proto;
 * codec.h converts and validates. Nothing here depends on sockets or threads.
 *
 * The PHY is the clock. One exchange per frame:
 *
 *   base station                                   subscriber station
 *   PHY -> FrameTick(n)   before frame n           PHY -> RxBurst(n, burst #1)   broadcast burst decoded
 *   MAC -> RxExpect(n)    uplink of frame n        MAC -> RxExpect(n)            further bursts; when its uplink starts
 *   MAC -> TxFrame(n)     downlink of frame n      PHY -> FrameTick(n)           as late as the turnaround allows
 *   PHY -> RxBurst(n)...  as bursts end            MAC -> TxFrame(n)             uplink bursts (may be empty)
 *   PHY -> RxContention(n)... focused contention   PHY -> RxBurst(n)...          other downlink bursts, as they end
 *
 * Exactly one TxFrame per FrameTick, exactly one RxExpect per TxFrame (BS) or per RxBurst of the broadcast burst (SS).
 * A response with a field out of range, or beyond its frame (frame_bounds.h), counts as an empty one. The MAC receives
 * an ErrorIndication.
 * An unsynchronised SS PHY ticks every 10 ms of samples (synchronised = false): no RxExpect before it, the TxFrame is
 * empty.
 *
 * All times are samples of the PHY's receive clock or physical slots (4 samples) from the frame start. Frame numbers
 * are 24 bits; an SS PHY receives only their low four bits and counts from them, the MAC gets the rest from the DCD.
 */
#pragma once

#include <gnuradio/wimax/phy/base/burst_requests.h>
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/base/slot.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wimax::sap {

using gr::wimax::phy::FrameNumber;
using gr::wimax::phy::Slot;

inline constexpr uint32_t kSchemaVersion = 1;
inline constexpr uint64_t kMinFrequencyHz = 1'000'000, kMaxFrequencyHz = 100'000'000'000;
inline constexpr double kMaxGainDb = 200;       ///< either sign
inline constexpr float kNoReferenceDbm = -400;  ///< unknown
inline constexpr uint64_t kMaxBsid = 0xFFFFFFFFFFFF;

enum class Role : uint8_t { base_station, subscriber_station };

/// MAC -> PHY, first message of a session, repeated whenever nothing was received for a while (idempotent). A different
/// request in the same session configures the PHY again.
struct ConfigRequest {
    uint64_t mac_session = 0;  ///< random, new at each start of the MAC
    Role role = Role::base_station;
    uint32_t bandwidth_hz = 0;
    uint64_t frequency_hz = 0;  ///< TDD: one carrier for both directions
    double tx_gain_db = 0, rx_gain_db = 0;
    // Base station only; a subscriber station finds these itself.
    uint8_t cp_denominator = 8;       ///< 4, 8, 16, 32
    uint8_t frame_duration_code = 4;  ///< 0..6
    uint64_t bsid = 0;                ///< 48 bits
    FrameNumber first_frame_number;   ///< number of the first frame ticked in this session

    bool operator==(const ConfigRequest&) const = default;
};

/// PHY -> MAC. `faults` empty: accepted.
struct ConfigConfirm {
    uint64_t mac_session = 0, phy_session = 0;
    std::vector<std::string> faults;  ///< "key: value, allowed range", all at once
    uint32_t sample_rate_hz = 0;
    float rx_reference_dbm = 0;  ///< dBm at the antenna for 0 dBFS received
    float tx_reference_dbm = 0;  ///< dBm at the antenna for 0 dBFS transmitted at the configured gain (the maximum)
    bool lock_step = false;      ///< commit mode: the PHY waits for responses; else it discards late ones
    /// Refused only because a newer MAC has this PHY. The port repeats the request until the newer MAC disconnects.
    bool superseded = false;
    uint8_t tx_antennas = 1;  ///< BS: 2: STC zones can be sent
    std::string version;      ///< of the PHY's program; the MAC warns if its own version differs
};

/// MAC -> PHY (SS): DIUC -> rate_id as announced by the DCD, -1 unknown.
struct ProfilesRequest {
    uint64_t phy_session = 0;
    uint8_t dcd_count = 0;
    std::array<int8_t, 16> diuc_rates{};
};

struct FrameTick {
    uint64_t phy_session = 0;
    FrameNumber frame_number;
    int64_t frame_start_sample = 0;  ///< BS: of the next frame; SS: of the frame being received
    uint32_t sample_rate_hz = 0;
    int64_t deadline_sample = 0;  ///< the response must be at the PHY when the receive clock reaches this
    bool synchronised = true;     ///< SS only
    // SS only: measured at the last frame's preamble.
    uint8_t cp_denominator = 8;
    uint32_t frame_samples = 0;  ///< 0: unknown
    float rssi_dbm = -200, cinr_db = -100, frequency_offset_hz = 0;
    float clock_offset_ppm = 0;
    /// As in ConfigConfirm, with the gains of this frame, which the PHY's operator may change; -400: as they were.
    float rx_reference_dbm = kNoReferenceDbm, tx_reference_dbm = kNoReferenceDbm;
};

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
    bool want_prefix_bursts = true;  ///< SS: decode bursts 2..4 announced by the frame prefix
    std::vector<RxAllocation> allocations;
    std::vector<Slot> contention_slots;  ///< BS: where focused contention opportunities start
    std::vector<Slot> stc_zone_slots;    ///< SS: STC zones that only the DL-MAP announces
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
    uint8_t channel = 0;  ///< 0..47
    uint8_t code = 0;     ///< 0..7
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

/// another_cell: received by a base station's PHY before its MAC transmits, once per session.
enum class ErrorKind : uint8_t { late, underflow, overflow, sync_lost, invalid, time_jump, another_cell };

/// PHY -> MAC: lateness is data.
struct ErrorIndication {
    uint64_t phy_session = 0;
    ErrorKind kind = ErrorKind::late;
    FrameNumber frame_number;
    int64_t microseconds = 0;  ///< how late; 0 where it has no meaning
    std::string detail;
};

}  // namespace wimax::sap
