// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the service access point that every air interface has: the session, the clock, errors. messages.h shows
// the exchange.
#pragma once

#include "sap/air_interface.h"
#include "sap/carriers.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <cstdint>
#include <string>
#include <vector>

namespace wimax::sap {

using gr::wimax::phy::FrameNumber;

inline constexpr uint32_t kSchemaVersion = 1;
inline constexpr double kMaxGainDb = 200;       ///< either sign
inline constexpr float kNoReferenceDbm = -400;  ///< unknown
inline constexpr uint64_t kMaxBsid = 0xFFFFFFFFFFFF;

/// MAC -> PHY, first message of a session, repeated whenever nothing was received for a while (idempotent). A different
/// request in the same session configures the PHY again.
struct ConfigRequest {
    uint64_t mac_session = 0;  ///< random, new at each start of the MAC
    Role role = Role::base_station;
    AirInterface phy = AirInterface::ofdm256;  ///< a PHY without this air interface refuses the request
    uint32_t bandwidth_hz = 0;
    Carriers carriers;
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
