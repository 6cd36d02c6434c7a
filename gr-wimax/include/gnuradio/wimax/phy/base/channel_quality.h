// SPDX-License-Identifier: GPL-3.0-or-later
// Channel quality as clause 8.3.9 defines it: running means and standard deviations of RSSI and CINR, averaged in
// linear terms, and the codes in which REP-RSP and channel measurement reports carry them.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>

namespace gr::wimax::phy {

/// Averaging parameter alpha unless the base station sets it. Uncertain: 1/4 from memory.
inline constexpr float kDefaultAveraging = 0.25F;
/// REP-REQ sets alpha in these steps, 0 .. 15.
inline constexpr float kAveragingStep = 1.0F / 32;

/// mean[0] = x[0], mean[k] = (1 - alpha) mean[k-1] + alpha x[k]; the same of x^2. x is a linear power or power ratio.
class WIMAX_API RunningPower {
public:
    RunningPower() = default;
    explicit RunningPower(float alpha) { set_averaging(alpha); }
    /// 0 < `alpha` <= 1; other values mean kDefaultAveraging.
    void set_averaging(float alpha);
    void reset() { measured_ = settled_ = false; }
    /// Adds a measurement in dB or dBm; NaN and infinity are ignored.
    void add_db(float db) {
        if (!settled_ || db != last_db_) average(db);
    }

    bool measured() const { return measured_; }
    float mean_db() const;       ///< 10 log10 mean; -200 without measurements
    float deviation_db() const;  ///< 5 log10 |mean of squares - square of mean|, in dB of the linear unit

private:
    void average(float db);

    float alpha_ = kDefaultAveraging;
    double mean_ = 0, square_ = 0;
    float last_db_ = 0;  ///< the last measurement
    double last_ = 1;    ///< the same as a power
    bool measured_ = false;
    bool settled_ = false;  ///< another measurement like the last one changes nothing
};

/// RSSI and CINR, updated once per burst or frame.
struct ChannelQuality {
    RunningPower rssi;  ///< mW: means in dBm
    RunningPower cinr;  ///< ratio: means in dB

    void add(float rssi_dbm, float cinr_db) {
        rssi.add_db(rssi_dbm);
        cinr.add_db(cinr_db);
    }
    void set_averaging(float alpha) {
        rssi.set_averaging(alpha);
        cinr.set_averaging(alpha);
    }
    void reset() {
        rssi.reset();
        cinr.reset();
    }
};

/// Codes of the reports (11.12), steps of 1 dB, rounded and clipped at the ends.
WIMAX_API uint8_t rssi_mean_code(float dbm);  ///< 0x00: -123 dBm .. 0x53: -40 dBm
WIMAX_API uint8_t cinr_mean_code(float db);   ///< 0x00: -10 dB .. 0x3F: 53 dB
WIMAX_API uint8_t deviation_code(float db);   ///< 0x00: 0 dB .. 0xFF: 255 dB

}  // namespace gr::wimax::phy
