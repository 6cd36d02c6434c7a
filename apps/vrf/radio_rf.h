// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of a model's analog part and converters on the samples of a virtual radio (docs/virtual-radio.md).
//
//     transmitter   CIC, converter, front (channel/radio_front.h), T/R switch
//     receiver      leakage of the own transmitter, transient after it, front, converter, CIC
//
// A transmitter is on for its bursts and sends nothing else. The result is a function of (model, seed of the channel,
// name of the radio, the channel's count of samples, samples): two runs have the same bits.
#pragma once

#include "channel/radio_front.h"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "vrf/burst_spans.h"
#include "vrf/cic_droop.h"
#include "vrf/tuning.h"

namespace wimax::vrf {

struct NoiseFigurePoint {
    double gain_db = 0, figure_db = 0;
    bool operator==(const NoiseFigurePoint&) const = default;
};

struct RfModel {
    /// Relative to 0 dBFS. The transmitter's saturation is given at its highest gain; a lower gain adds the difference.
    /// The host sets the offset of the oscillators.
    channel::FrontConfig tx, rx;
    std::vector<NoiseFigurePoint> noise_figure;  ///< over the receive gain, ascending; empty: the channel's
    std::optional<double> port_isolation_db;     ///< of ports without a cable; none: no signal passes
    std::optional<double> own_isolation_db;      ///< from the own transmitter's port to the receiver; none: infinite
    double switch_us = 0;                        ///< time after switching on in which nothing is sent
    double recovery_us = 0;                      ///< time constant of the receiver's offset after the transmitter is
                                                 ///< switched off
    double recovery_dbfs = -10;                  ///< initial value of that offset

    bool ideal() const;
    bool operator==(const RfModel&) const = default;
};

/// Bits of I or Q in one of UHD's formats between host and radio; 16 for an unknown one.
int wire_bits(const std::string& format);

/// Linear between the points, constant beyond them; none: the channel's.
std::optional<double> noise_figure_db(const RfModel& model, double rx_gain_db);

class RadioRf {
public:
    RadioRf(RfModel model, size_t tx_channels);

    /// Applies the channel's values; with phase noise it takes part of a second, and memory.
    void join(const Welcome& welcome, const char* radio);

    /// Fills in the properties of receiver and ports for the channel.
    void note(TxHeader& header, const Tuning& tuning) const;
    /// Worker: a chunk before it is sent. `samples` has the channels one after the other.
    void transmit(const TxHeader& header, const Tuning& tuning, const BurstSpans& on, std::span<Sample> samples);
    /// Worker: a received chunk, after transmit() for the same index.
    void receive(int64_t index, std::span<Sample> samples);

    /// Bits per sample between host and radio, 16 by default. Any thread.
    void set_wire_bits(bool tx, int bits) { wire_bits_[tx] = bits; }
    /// Samples beyond full scale. Any thread.
    void count(VirtualRadioCounters& counters) const;

private:
    struct Sent {
        int64_t index = -1;
        BurstSpans on;
        Tuning tuning;
        uint8_t sending = 0;
        std::vector<Sample> samples;  ///< of each channel, if there is leakage
    };
    Sent& sent_at(int64_t index) { return sent_[size_t(index / int64_t(chunk_)) % sent_.size()]; }
    int bits(bool tx) const;
    void switch_on(const TxHeader& header, const BurstSpans& on, std::span<Sample> samples);
    void leak(const Sent& sent, std::span<Sample> samples) const;
    void recover(const BurstSpans& on, int64_t index, std::span<Sample> samples);
    void fade(int64_t index, std::span<Sample> samples) const;

    const RfModel model_;
    const size_t tx_channels_;
    double rate_hz_ = 0, tx_power_dbm_ = 0, rx_full_scale_dbm_ = 0;
    uint64_t seed_ = 0;
    size_t chunk_ = 1;
    std::vector<channel::RadioFront> tx_;  ///< of each channel; one oscillator, hence one seed
    channel::RadioFront rx_;
    std::vector<CicDroop> tx_droop_;  ///< of each channel
    CicDroop rx_droop_;
    std::vector<Sent> sent_;
    std::vector<Sample> transient_;  ///< of the receiver, from the time at which the transmitter is switched off
    Sample leak_phase_;
    int64_t on_since_ = 0, on_until_ = INT64_MIN;        ///< times of the transmitter, as of the last transmitted chunk
    int64_t off_at_ = INT64_MIN;                         ///< end of its transmission, as of the last received chunk
    std::array<std::atomic<int>, 2> wire_bits_{16, 16};  ///< RX, TX
    std::array<std::atomic<uint64_t>, 2> clipped_{};     ///< RX, TX
};

}  // namespace wimax::vrf
