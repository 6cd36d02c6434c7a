// SPDX-License-Identifier: GPL-3.0-or-later
// Gains of an open device while it runs. The MAC uses the requested gains. The transmitter's power plan and the
// receiver's control choose lower ones and scale the samples to match.
//
// A virtual radio in lock-step changes a gain at the start of the exchange that contains a tick. Other devices change
// within about a millisecond after the request. Some models cannot time gains, so timed gains are not used.
#pragma once

#include "radio/radio_device.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace gr::wimax {

class DeviceGains {
public:
    /// `device`: open, with the gains of `config`; must outlive the object.
    DeviceGains(RadioDevice& device, const RadioConfig& config);

    /// Levels of 0 dBFS and gains, as requested: valid for callers that send and receive.
    double tx_dbm() const { return tx_dbm_; }
    double rx_dbm() const { return rx_dbm_; }
    double tx_gain_db() const { return tx_gain_db_; }
    double rx_gain_db() const { return rx_gain_db_; }
    /// Gains as set in the device.
    double tx_gain_now_db() const { return tx_now_db_; }
    double rx_gain_now_db() const { return rx_now_db_; }

    /// Throws like RadioFrontend::set_gains().
    void check(double tx_gain_db, double rx_gain_db) const;
    /// Requests gains that check() accepted; an unchanged request leaves its direction alone.
    void ask(double tx_gain_db, double rx_gain_db);
    /// Counts the requests; a caller with gain-dependent state discards it when the count changes.
    uint64_t tx_asked() const { return tx_asked_; }
    uint64_t rx_asked() const { return rx_asked_; }

    /// Sets a gain, in lock-step from `tick` on. Returns the increase of samples in dB that compensates it.
    double set_tx(double gain_db, int64_t tick);
    double set_rx(double gain_db, int64_t tick);
    /// Mean power of data symbols below the converter's full scale at the asked gain, beyond what peaks need.
    double spare_headroom_db() const { return spare_headroom_db_; }

private:
    struct At {
        double gain_db = 0, full_scale_dbm = 0;
    };
    void note_tx(const RadioLevels& levels);
    void note_rx(const RadioLevels& levels);
    RadioLevels levels() const;
    size_t tx_channels() const;
    template <typename Set> void at_tick(int64_t tick, Set set);
    double full_scale_dbm(bool transmit, const At& asked) const;

    RadioDevice& device_;
    const RadioConfig& config_;
    const double spare_headroom_db_;
    std::mutex mutex_;
    At tx_, rx_;  ///< as requested
    std::atomic<double> tx_dbm_{0}, rx_dbm_{0}, tx_gain_db_{0}, rx_gain_db_{0}, tx_now_db_{0}, rx_now_db_{0};
    std::atomic<uint64_t> tx_asked_{0}, rx_asked_{0};
};

}  // namespace gr::wimax
