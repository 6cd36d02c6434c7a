// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration of wimax-channeld: radios, links between them, time.
#pragma once

#include "channel/channel_profile.h"
#include "channel/radio_front.h"
#include "common/daemon.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "channeld/radio_faults.h"
#include "vrf/link.h"

namespace wimax::channeld {

struct ChannelRadioConfig {
    double clock_ppm = 0;    ///< sampling clock, positive: fast
    double carrier_ppm = 0;  ///< local oscillator
    double noise_figure_db = 5;
    double tx_power_dbm = 30;                    ///< level of 0 dBFS at the highest TX gain
    double rx_full_scale_dbm = -10;              ///< received level that gives 0 dBFS at RX gain 0
    FaultRates fault_rates_hz{};                 ///< random faults; none of kind unplug
    channel::FrontConfig transmitter, receiver;  ///< for radios without their own model
};

/// Deviations from the defaults for radios of this name.
struct RadioOverride {
    std::string name;  ///< or a pattern, "ss*"
    std::optional<double> clock_ppm, carrier_ppm, noise_figure_db, tx_power_dbm, rx_full_scale_dbm;
    std::array<std::optional<double>, vrf::kRadioFaults> fault_rates_hz;
    channel::FrontConfig transmitter, receiver;  ///< replaces the defaults' unless ideal
};

/// Noise-like bursts that only the receiver of the link receives.
struct InterferenceConfig {
    std::optional<double> power_dbm;                      ///< at the antenna; none: no interference
    double start_ms = 0, duration_ms = 1, period_ms = 0;  ///< period 0: once
};

struct LinkConfig {
    std::string from = "bs", to = "ss*";  ///< names or patterns
    bool both = true;                     ///< also the other direction
    std::optional<double> snr_db, path_loss_db;
    double delay_samples = 0;
    double cfo_hz = 0;                               ///< in addition to the radios' oscillators
    std::string channel = "awgn";                    ///< built-in profile or tap file
    std::optional<channel::ChannelProfile> profile;  ///< content of the tap file, which is read only once
    std::optional<double> doppler_hz;
    InterferenceConfig interference;
};

enum class Pace : uint8_t { wall, free };

struct ChannelConfig {
    std::vector<std::string> listen{vrf::kDefaultAddress};
    double sample_rate_hz = 5'760'000;
    double chunk_us = 500;
    uint32_t chunk_samples = 0;  ///< 0: from chunk_us
    vrf::TimeMode mode = vrf::TimeMode::commit;
    Pace pace = Pace::wall;
    bool hold = false;
    std::vector<std::string> wait_for;
    double catch_up_ms = 50;
    double give_up_s = 20;  ///< commit mode, wall clock; 0: never
    uint64_t seed = 1;
    double hash_s = 0;  ///< leading part of each radio's samples that is hashed, simulated time
    ChannelRadioConfig defaults;
    std::vector<RadioOverride> radios;
    std::vector<LinkConfig> links{default_link()};
    DaemonOptions daemon = default_daemon();

    static DaemonOptions default_daemon() {
        DaemonOptions options;
        options.control_endpoint = "ipc://{run}/channeld.ctl";
        return options;
    }
    static LinkConfig default_link() {
        LinkConfig link;
        link.snr_db = 30;
        return link;
    }
    uint32_t chunk() const { return chunk_samples ? chunk_samples : uint32_t(sample_rate_hz * chunk_us * 1e-6 + 0.5); }
};

inline constexpr double kMaxLinkDelaySamples = 20'000;
inline constexpr size_t kMaxRadios = vrf::kMaxRadios;

/// Reads the profile or file of `link.channel` into `link.profile`.
Outcome load_channel(LinkConfig& link);

config::Schema schema_of(ChannelConfig& config);
config::Derived derived_of(const ChannelConfig& config);

bool name_matches(const std::string& pattern, const std::string& name);
ChannelRadioConfig radio_config(const ChannelConfig& config, const std::string& name);
/// The last matching rule; none: `to` does not receive `from`.
std::optional<LinkConfig> link_config(const ChannelConfig& config, const std::string& from, const std::string& to);

}  // namespace wimax::channeld
