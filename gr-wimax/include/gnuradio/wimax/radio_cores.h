/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cores in a radio's FPGA, found by the names of their blocks: registers and words, whatever carries them (nodes of the
 * virtual radio, RFNoC). What a core's registers mean its driver knows, which is not part of this module; the module
 * knows what a driver does.
 */
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gr::wimax {

/// Any thread. Nothing is thrown: of a device that has gone its streams tell.
class WIMAX_API RadioCore {
public:
    struct Packet {
        size_t words = 0;  ///< 0: none has come
        int64_t time = 0;  ///< sample of the device, where has_time
        bool has_time = false, end_of_burst = false;
    };

    virtual ~RadioCore() = default;
    /// Registers by their byte address.
    virtual uint32_t peek(uint32_t address) = 0;
    virtual void poke(uint32_t address, uint32_t value) = 0;
    /// The next packet that the core has sent, as much of it as there is room for. Does not wait.
    virtual Packet take(std::span<uint32_t> words) = 0;
    /// An order to the core, the lowest bits first. False: it takes none of this length.
    virtual bool order(std::span<const uint32_t> words) = 0;
};
using RadioCorePtr = std::shared_ptr<RadioCore>;

/// How the controller of an RFNoC block gives its core: by a node of this name in the block's folder of UHD's property
/// tree. `tick_rate_hz` is that of the device's time, a whole multiple of that of its samples. The core is there as long
/// as the device. Throws std::exception where rates do not go together, or packets have no way to the host.
using OpenRadioCore = std::function<RadioCorePtr(double tick_rate_hz, double sample_rate_hz)>;
inline constexpr const char* kOpenCoreNode = "open_core";

/// What a gate in front of the antenna lets out. Samples are the device's.
struct GateSettings {
    static constexpr int64_t kNoLimit = INT64_MAX;

    bool enable = false;
    int64_t edge_samples = 0;                   ///< zeros before and behind each burst
    int64_t lead_samples = 0, lag_samples = 0;  ///< of an amplifier's line before and behind it
    int64_t longest_samples = kNoLimit;         ///< without a pause
    /// No window of this length, nor a sixteenth more, holds more than its share.
    int64_t window_samples = 0, share_samples = kNoLimit;
    int64_t patience_samples = kNoLimit;  ///< silence when beat() was not called for so long
};

/// A burst that the gate left out. Samples are the device's.
struct LateBurst {
    int64_t sample = 0;  ///< where it should have begun
    int64_t by_samples = 0;
};

/// Bursts, monotone since the gate was set up.
struct GateCounters {
    uint64_t bursts = 0;      ///< begun
    uint64_t late = 0;        ///< left out, or without a time
    uint64_t too_long = 0;    ///< cut
    uint64_t too_often = 0;   ///< cut
    uint64_t silenced = 0;    ///< cut or left out: not enabled, or no beat
    uint64_t underflows = 0;  ///< cut: samples came too slowly
    LateBurst last_late{};    ///< where there was one
};

/// The driver of the core burst_gate. Any thread.
class WIMAX_API TransmitGate {
public:
    virtual ~TransmitGate() = default;
    /// What is beyond the core's numbers is as near as it comes.
    virtual void set_up(const GateSettings& settings) = 0;
    /// The host lives.
    virtual void beat() = 0;
    virtual GateCounters counters() = 0;
};
/// Null: that core is not the one, or of another version.
using MakeTransmitGate = std::function<std::shared_ptr<TransmitGate>(RadioCorePtr)>;

namespace core_block {
inline constexpr const char* preamble_detect = "preamble_detect";
inline constexpr const char* burst_gate = "burst_gate";
inline constexpr const char* ofdm_frontend = "ofdm_frontend";
}  // namespace core_block

}  // namespace gr::wimax
