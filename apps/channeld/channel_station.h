// SPDX-License-Identifier: GPL-3.0-or-later
// State of one radio in the channel, attached or not, and one direction between two of them. A station outlives its
// radio: counters and configuration remain when the radio dies and returns.
#pragma once

#include "channel/noise_source.h"
#include "channel/propagation_path.h"
#include "channel/radio_front.h"
#include "channel/transmit_history.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channeld/channel_config.h"
#include "channeld/radio_faults.h"
#include "vrf/link.h"

namespace wimax::channeld {

uint64_t seed_of(uint64_t seed, const std::string& text);

struct StationCounters {
    uint64_t attached = 0, died = 0, given_up = 0;
    uint64_t chunks = 0, active_tx_chunks = 0;
    uint64_t lost_tx_chunks = 0, lost_rx_chunks = 0;  ///< rt mode: too late for the channel, not read by the radio
    uint64_t omitted_rx_chunks = 0;                   ///< not looked at by the radio's host
    uint64_t waits = 0;                               ///< number of waits of the channel's clock for this radio
    double waited_s = 0;
};

class AirLink;

/// Chunks in which a radio's host does not look at what it receives, by their first sample. Remembers the last ones.
class UnusedChunks {
public:
    explicit UnusedChunks(uint32_t chunk) : chunk_(chunk) { first_.fill(-1); }
    void note(int64_t index, bool unused) { first_[place(index)] = unused ? index : -1; }
    bool has(int64_t index) const { return first_[place(index)] == index; }

private:
    size_t place(int64_t index) const { return static_cast<size_t>(index / chunk_) % first_.size(); }

    const int64_t chunk_;
    std::array<int64_t, vrf::kRingSlots> first_;
};

/// Samples that a radio receives, undefined until something is added.
class ReceivedChunk {
public:
    explicit ReceivedChunk(std::span<vrf::Sample> samples) : samples_(samples) {}
    bool silent() const { return silent_; }
    size_t size() const { return samples_.size(); }
    /// To be added to.
    std::span<vrf::Sample> sum() {
        if (std::exchange(silent_, false)) std::fill(samples_.begin(), samples_.end(), vrf::Sample{});
        return samples_;
    }

private:
    const std::span<vrf::Sample> samples_;
    bool silent_ = true;
};

struct ChannelStation {
    ChannelStation(const ChannelConfig& config, const std::string& name);

    /// A radio of this name attaches, with its number of transmit antennas.
    void attach(std::unique_ptr<vrf::RadioPort> radio);
    /// Appends its samples from `index` on, of the sending antennas, or silence. The samples pass through its front in
    /// place.
    void append(const vrf::TxHeader& header, std::span<vrf::Sample> samples, size_t chunk);
    void append_silence(int64_t index, size_t count);
    /// True if the channel's time depends on it.
    bool present() const { return port && !given_up; }
    /// Seconds of simulated time at this radio's sample `index`.
    double time_of(int64_t index) const { return double(index) / rate_hz; }
    double tx_reference_dbm(size_t antenna = 0) const {
        return config.tx_power_dbm - (vrf::kMaxTxGainDb - tuning.tx_gain_db[antenna]);
    }
    double rx_reference_dbm() const { return config.rx_full_scale_dbm - tuning.rx_gain_db; }
    double noise_figure_db() const;
    /// Samples beyond the full scale of converters, of the radio or of the channel's model.
    uint64_t tx_clipped() const;
    uint64_t rx_clipped() const { return tuning.counters.rx_clipped + receiver.clipped(); }
    double noise_dbm() const;

    std::string name;
    ChannelRadioConfig config;
    double nominal_rate_hz, rate_hz;
    size_t history_samples;
    std::unique_ptr<vrf::RadioPort> port;  ///< none: silent
    bool given_up = false;                 ///< live, but time does not wait for it: silent until it continues
    int64_t next_rx = 0;                   ///< first index of the chunk to serve next
    int64_t tx_end = 0;                    ///< transmitted samples are known up to here
    int unannounced = 0;                   ///< chunks for which it was not woken
    std::vector<AirLink*> heard;           ///< links to it, in the order of their senders' names
    std::chrono::steady_clock::time_point served_at{};  ///< wall clock, of the last chunk
    vrf::TxHeader tuning;                               ///< as of the last TX chunk
    UnusedChunks unused;
    std::vector<channel::TransmitHistory> antennas;  ///< transmitted samples of each antenna
    channel::NoiseSource noise;
    RadioFaults faults;
    std::optional<double> unplugged_until_s;        ///< as if the device did not exist
    std::vector<channel::RadioFront> transmitters;  ///< one per antenna, with a common oscillator
    channel::RadioFront receiver;
    StationCounters counters;
    uint64_t hash = 0xcbf29ce484222325;  ///< FNV-1a over the bits of the leading received samples, 64 bits per step
    double rx_power = 0;                 ///< mean of the last computed chunk, full scale 1
};

/// From one station to another: a path from each transmit antenna. All have one delay profile and fade independently.
class AirLink {
public:
    AirLink(const ChannelConfig& config, const LinkConfig& link, const ChannelStation& from, const ChannelStation& to);

    const LinkConfig& config() const { return link_; }
    void change(const LinkConfig& link);
    /// One past the last transmitter sample that receiver samples before `rx_end` need.
    int64_t tx_needed(int64_t rx_end) const { return paths_[0]->tx_end_needed(rx_end); }
    /// Adds the signal of `from` to the samples of `to` from `rx_index` on.
    void add(int64_t rx_index, ReceivedChunk& out);
    bool in_band() const;
    double path_loss_db() const;

    const ChannelStation& from;
    const ChannelStation& to;

private:
    void rebuild();
    channel::PathConfig path_config(size_t antenna) const;
    void add_antenna(size_t antenna, int64_t rx_index, ReceivedChunk& out);
    void add_interference(int64_t rx_index, ReceivedChunk& out);

    const ChannelConfig& config_;
    LinkConfig link_;
    std::array<std::unique_ptr<channel::PropagationPath>, vrf::kMaxTxChannels> paths_;  ///< by antenna
    channel::NoiseSource interference_;
};

}  // namespace wimax::channeld
