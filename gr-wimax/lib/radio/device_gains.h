/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gains of an open device while it runs. What the MAC reckons with are the gains that were asked for; below these the
 * transmitter's power plan and the receiver's control choose others, and samples are scaled so that nobody else
 * notices.
 *
 * A virtual radio in lock-step changes at the start of the exchange that holds a tick. Other devices change when they
 * are told, within a millisecond or so: not all models time their gains, so nothing here relies on it.
 */
#pragma once

#include "radio/radio_device.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace gr::wimax {

class DeviceGains {
public:
    /// `device`: open, with the gains of `config`; outlives the object.
    DeviceGains(RadioDevice& device, const RadioConfig& config);

    /// As asked for: what 0 dBFS means to those who send and receive.
    double tx_dbm() const { return tx_dbm_; }
    double rx_dbm() const { return rx_dbm_; }
    double tx_gain_db() const { return tx_gain_db_; }
    double rx_gain_db() const { return rx_gain_db_; }
    /// As set.
    double tx_gain_now_db() const { return tx_now_db_; }
    double rx_gain_now_db() const { return rx_now_db_; }

    /// Throws as RadioFrontend::set_gains() does.
    void check(double tx_gain_db, double rx_gain_db) const;
    /// Asks for others, which have been checked; a direction whose gain was asked for before is left alone.
    void ask(double tx_gain_db, double rx_gain_db);
    /// Counts the changes that were asked for: who keeps something of the gains begins anew.
    uint64_t tx_asked() const { return tx_asked_; }
    uint64_t rx_asked() const { return rx_asked_; }

    /// Sets a gain, in lock-step from `tick` on. Returns by how many dB samples have to be larger to mean the same.
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
    template <typename Set>
    void at_tick(int64_t tick, Set set);
    double full_scale_dbm(bool transmit, const At& asked) const;

    RadioDevice& device_;
    const RadioConfig& config_;
    const double spare_headroom_db_;
    std::mutex mutex_;
    At tx_, rx_;  ///< as asked
    std::atomic<double> tx_dbm_{0}, rx_dbm_{0}, tx_gain_db_{0}, rx_gain_db_{0}, tx_now_db_{0}, rx_now_db_{0};
    std::atomic<uint64_t> tx_asked_{0}, rx_asked_{0};
};

}  // namespace gr::wimax
