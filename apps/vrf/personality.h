// SPDX-License-Identifier: GPL-3.0-or-later
// Model of a USRP that a virtual radio imitates, read from a description (config/radios). An empty description is the
// ideal radio, which has the channel's rate and never refuses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/config.h"
#include "vrf/link.h"
#include "vrf/radio_rf.h"

namespace wimax::vrf {

enum class ClockKind : uint8_t {
    channel,  ///< the channel's rate is the master clock, and the only rate
    fixed,    ///< some clocks, chosen when the radio is opened
    chosen,   ///< some clocks, changed at any time
    ad9361,   ///< any clock of a range, with the resolution of an AD9361's fractional divider
};

/// Properties of one direction.
struct DirectionModel {
    double min_gain_db = 0, max_gain_db = kMaxRxGainDb, gain_step_db = kGainStepDb;
    std::vector<std::string> antennas{"TX/RX"};
    std::string antenna = "TX/RX";  ///< the model's default
    size_t packet_samples = 0;      ///< longest packet; 0: a chunk of the channel
    size_t frames = 0;              ///< largest number of packets in transit; 0: no limit
};

struct DecimationStep {
    int up_to = 1, step = 1;
};

struct PersonalityFault {
    std::string name, text;
};

struct Personality {
    std::string board = "vrf";
    ClockKind clock = ClockKind::channel;
    std::vector<double> clocks_hz;  ///< fixed and chosen: each, the default first; ad9361: lowest and highest
    double max_rate_hz = kMaxRateHz;
    std::vector<DecimationStep> decimations;
    double min_frequency_hz = kMinFrequencyHz, max_frequency_hz = kMaxFrequencyHz;
    DirectionModel rx{.antennas = {"TX/RX", "RX2"}}, tx{.max_gain_db = kMaxTxGainDb};
    std::string gpio_bank = "FP0";  ///< empty: the model has no GPIO lines
    std::string cabled_antenna;     ///< the only port with a cable; empty: all
    bool internal_ref_locked = true;
    double lo_settle_ms = 0;
    double lo_step_hz = 0;  ///< grid of the oscillators; the DSP tunes the rest
    RfModel rf{};
    int usb_version = 0;  ///< 0: not a USB device
    bool late_packets = false;
    size_t tail_samples = 0;
    double event_delay_us = 0;       ///< from an event at the transmitter until the host may be informed
    double overflow_restart_ms = 0;  ///< time from the host's notice of an overflow until the stream restarts
    double jitter_us = 0;            ///< rt mode: largest delay until received packets are readable
    double opening_s = 0;
    std::vector<PersonalityFault> faults;
};

void declare(config::Schema& schema, Personality& personality);

/// Loads an installed description by name, or a file by path. Faults have file and line.
tl::expected<Personality, Fault> load_personality(const std::string& name_or_path);

}  // namespace wimax::vrf
