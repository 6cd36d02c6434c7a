// SPDX-License-Identifier: GPL-3.0-or-later
// Cores in a radio's FPGA, found by the names of their blocks. A core is accessed by registers and words, over nodes of
// the virtual radio or RFNoC. Drivers, which are not part of this module, know the registers of a core. This module
// defines the interface of a driver.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gr::wimax {

/// Access to one core, from any thread. Nothing is thrown: the streams report a lost device.
class WIMAX_API RadioCore {
public:
    struct Packet {
        size_t words = 0;  ///< 0: no packet
        int64_t time = 0;  ///< sample of the device, valid if has_time
        bool has_time = false, end_of_burst = false;
    };

    virtual ~RadioCore() = default;
    /// Reads or writes a register by its byte address.
    virtual uint32_t peek(uint32_t address) = 0;
    virtual void poke(uint32_t address, uint32_t value) = 0;
    /// The next packet from the core, cut to the size of `words`. Does not wait.
    virtual Packet take(std::span<uint32_t> words) = 0;
    /// Sends an order to the core, the lowest bits first. False: the core accepts no order of this length.
    virtual bool order(std::span<const uint32_t> words) = 0;
};
using RadioCorePtr = std::shared_ptr<RadioCore>;

/// Opens the core of an RFNoC block. The controller stores this function in a node named kOpenCoreNode, in the block's
/// folder of UHD's property tree. `tick_rate_hz` is the rate of the device's time, a multiple of `sample_rate_hz`. The
/// core lives as long as the device. Throws std::exception if rates do not match or packets cannot reach the host.
using OpenRadioCore = std::function<RadioCorePtr(double tick_rate_hz, double sample_rate_hz)>;
inline constexpr const char* kOpenCoreNode = "open_core";

/// Settings of the gate before the antenna. Samples are those of the device.
struct GateSettings {
    static constexpr int64_t kNoLimit = INT64_MAX;

    bool enable = false;
    int64_t edge_samples = 0;                   ///< zeros before and after each burst
    int64_t lead_samples = 0, lag_samples = 0;  ///< amplifier line on before the burst, and after it
    int64_t longest_samples = kNoLimit;         ///< longest burst without a pause
    /// No window of this length, or of a sixteenth more, has more than `share_samples` of signal.
    int64_t window_samples = 0, share_samples = kNoLimit;
    int64_t patience_samples = kNoLimit;  ///< samples without beat() after which the gate is silent
};

/// A burst that the gate suppressed. Samples are those of the device.
struct LateBurst {
    int64_t sample = 0;  ///< intended start
    int64_t by_samples = 0;
};

/// Bursts, monotone since the gate was set up.
struct GateCounters {
    uint64_t bursts = 0;      ///< begun
    uint64_t late = 0;        ///< suppressed as late, or without a time
    uint64_t too_long = 0;    ///< cut
    uint64_t too_often = 0;   ///< cut
    uint64_t silenced = 0;    ///< cut or suppressed: not enabled, or no beat
    uint64_t underflows = 0;  ///< cut: samples arrived too slowly
    LateBurst last_late{};    ///< valid if late > 0
};

/// Driver of the core burst_gate. Any thread may call it.
class WIMAX_API TransmitGate {
public:
    virtual ~TransmitGate() = default;
    /// Values beyond the core's range are clipped.
    virtual void set_up(const GateSettings& settings) = 0;
    /// Heartbeat of the host.
    virtual void beat() = 0;
    virtual GateCounters counters() = 0;
};
/// Makes the driver; null: the core is another one, or of another version.
using MakeTransmitGate = std::function<std::shared_ptr<TransmitGate>(RadioCorePtr)>;

namespace core_block {
inline constexpr const char* preamble_detect = "preamble_detect";
inline constexpr const char* burst_gate = "burst_gate";
inline constexpr const char* ofdm_frontend = "ofdm_frontend";
}  // namespace core_block

}  // namespace gr::wimax
