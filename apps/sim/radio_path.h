// SPDX-License-Identifier: GPL-3.0-or-later
// The path between a station and its base station: SNR over time, delay, and flat fading, constant within a frame.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace wimax::sim {

/// Allowed mean SNR of a path.
inline constexpr double kLeastSnrDb = -30, kMostSnrDb = 80;

/// The SNR is linear between points; before the first and after the last it is constant.
struct SnrPoint {
    double at_s = 0;  ///< since the measurement began, or since the series began again
    double snr_db = 0;
};

struct RadioPathConfig {
    double snr_db = 35;                ///< of the downlink, and of the uplink at the station's highest power
    std::vector<SnrPoint> snr_series;  ///< instead of snr_db
    double snr_period_s = 0;           ///< the series begins again after this time; 0: never
    double snr_delay_s = 0;            ///< the series begins this long after the measurement
    double uplink_offset_db = 0;       ///< the uplink's SNR above the downlink's
    double delay_us = 1.7;             ///< one way
    double carrier_offset_hz = 0;      ///< of the station's transmitter, as left over by its receiver
    double doppler_hz = 0;             ///< highest Doppler shift of the fading; 0: none
    double k_factor_db = -100;         ///< of the fixed path's power to the moving ones'; -100: Rayleigh
};

class RadioPath {
public:
    RadioPath(RadioPathConfig config, uint64_t seed);

    /// `measured_s`: since the measurement began, negative before; `air_s`: since the run began.
    double snr_db(double measured_s, double air_s) const { return mean_snr_db(measured_s) + fading_db(air_s); }
    /// A frame begins: its SNR, dB, which frame_snr_db() keeps.
    double begin_frame(double measured_s, double air_s) { return frame_snr_db_ = snr_db(measured_s, air_s); }
    double frame_snr_db() const { return frame_snr_db_; }
    double mean_snr_db(double measured_s) const {
        return config_.snr_series.empty() ? config_.snr_db : series_snr_db(measured_s);
    }
    /// Power against its mean, which is 1.
    double fading_db(double air_s) const { return waves_.empty() ? 0 : waves_db(air_s); }
    const RadioPathConfig& config() const { return config_; }
    /// Replaces the SNR or its series.
    void set_snr_db(double snr_db) {
        config_.snr_series.clear();
        config_.snr_db = snr_db;
    }
    /// Adopts everything but the SNR and the fading.
    void set_offsets(const RadioPathConfig& from) {
        config_.uplink_offset_db = from.uplink_offset_db;
        config_.delay_us = from.delay_us;
        config_.carrier_offset_hz = from.carrier_offset_hz;
    }

private:
    double series_snr_db(double measured_s) const;
    double waves_db(double air_s) const;

    /// Waves that make up the moving part.
    static constexpr int kWaves = 12;
    struct Wave {
        double radians_per_s = 0, phase_real = 0, phase_imaginary = 0;
    };
    RadioPathConfig config_;
    std::vector<Wave> waves_;
    double frame_snr_db_ = 0;
};

}  // namespace wimax::sim
