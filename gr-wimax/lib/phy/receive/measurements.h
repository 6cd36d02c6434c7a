// SPDX-License-Identifier: GPL-3.0-or-later
// RSSI, CINR and EVM of a burst (clause 8.3.9: CINR is the power of the reference after the channel over that of what
// remains). Internal.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>

namespace gr::wimax::phy {

class QualityMeter {
public:
    void reset(int bits_per_carrier);

    /// Sums over data carriers of one symbol: |H d|^2, |y - H d|^2 with decisions d, |z - d|^2 and |d|^2 after the
    /// channel's division.
    void add_data(float reference, float error, float point_error, float point_reference, int carriers);
    /// Sum over known pilots: |y - H p|^2.
    void add_pilots(float error, int count);

    /// `preamble_noise`: noise variance per carrier from the preamble, with the weight of `preamble_carriers` carriers.
    void report(float preamble_noise, int preamble_carriers, BurstMeasurement& out) const;

private:
    int bits_per_carrier_ = 1;
    double reference_ = 0, error_ = 0, point_error_ = 0, point_reference_ = 0;
    double pilot_error_ = 0;
    int64_t carriers_ = 0, pilots_ = 0;
};

}  // namespace gr::wimax::phy
