// SPDX-License-Identifier: GPL-3.0-or-later
// A base station and its subscriber stations over an air that moves bursts instead of samples, frame by frame, without
// threads or a clock. What the air does to a burst is left to the simulator and to the tests of the MAC.
//
// In the order in which real PHYs report and ask: the base station is asked for a frame before it begins, so that
// uplink bursts near the end of the frame before are reported later; a station is asked when its own uplink is near,
// but not before it has the maps.
#pragma once

#include "mac/clock.h"
#include "mac/duplex/duplex.h"
#include "mac/station.h"

#include <memory>
#include <optional>
#include <utility>

namespace wimax::mac {

/// Does a station that sends this burst mean this allocation? A region may be opened before its begin, for stations
/// that arrive early.
bool aims(const sap::TxBurst& burst, const sap::RxAllocation& allocation);

class BurstLoop {
public:
    virtual ~BurstLoop() = default;

    struct Timing {
        Samples frame = 0;      ///< length of a frame
        Samples tick_lead = 0;  ///< from the base station's tick until the frame begins
        Samples report = 0;     ///< from a burst's end until the MAC has it
        /// From a station's tick until its earliest uplink. Without a value, the tick follows the maps immediately.
        std::optional<Samples> turnaround;
    };
    /// A subscriber station and what its receiver holds.
    struct Listener {
        std::unique_ptr<SubscriberMac> mac;
        bool synchronised = false;
        int heard = 0, silent = 0;             ///< frames in a row
        phy::Slot foretold, next_uplink_slot;  ///< earliest uplink of this frame and of the next, by the map before
        sap::ProfilesRequest profiles;
        /// Of a half-duplex station in FDD: times around its bursts in which it hears nothing.
        std::optional<HalfDuplexGaps> half_duplex;
        sap::TxFrame tx;  ///< last response to a tick
        sap::RxExpect expect;

        std::vector<std::pair<Samples, Samples>> deaf;  ///< by the base station's time, of this frame and the next

        Listener() { forget(); }
        /// As a receiver that starts.
        void forget();
    };

protected:
    void join(Listener& listener) { listeners_.push_back(&listener); }
    /// One frame.
    void step(const sap::FrameTick& frame, const Timing& timing);
    /// Bursts that the base station's PHY has not reported yet are lost.
    void forget_late() { late_count_ = 0; }

    const sap::FrameTick& frame() const { return frame_; }
    const sap::TxFrame& downlink() const { return tx_; }
    const sap::RxExpect& uplink() const { return expect_; }

private:
    virtual void ask_base_station(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) = 0;
    /// Slot after a burst.
    virtual phy::Slot burst_end(phy::Slot start, const phy::BurstFormat& format) const = 0;
    /// Does the station hear the beginning of the frame, which has bursts then? Enters what its PHY measures.
    virtual bool hears(Listener& listener, sap::FrameTick& tick) = 0;
    /// Does the station's PHY find the i-th burst of the downlink?
    virtual bool finds(const Listener& listener, size_t i) = 0;
    virtual void deliver(Listener& listener, size_t i, Samples at, sap::RxExpect& expect) = 0;
    /// The station would have found the burst, but transmits.
    virtual void miss(Listener&, size_t) {}
    virtual void ask(Listener& listener, const sap::FrameTick& tick, Samples at) = 0;
    /// What the base station's PHY receives in an allocation; so far nothing is.
    virtual void receive(const sap::RxAllocation& allocation, sap::RxBurst& burst) = 0;
    virtual void receive_codes(sap::RxContention& contention) = 0;
    virtual void report(const sap::RxBurst& burst, Samples at) = 0;
    virtual void report(const sap::RxContention& contention) = 0;

    Samples reported_at(phy::Slot start, const phy::BurstFormat& format) const;
    void step(Listener& listener);
    void listen(Listener& listener, const sap::FrameTick& tick);
    void ask_station(Listener& listener, const sap::FrameTick& tick, Samples at);
    bool is_deaf(const Listener& listener, size_t i) const;
    void receive_uplink();

    std::vector<Listener*> listeners_;
    Timing timing_;
    sap::FrameTick frame_;
    sap::TxFrame tx_;
    sap::RxExpect expect_, unused_;
    std::vector<Samples> ends_;                      ///< when each burst of the downlink is reported
    std::vector<std::pair<Samples, size_t>> order_;  ///< and each of the uplink
    sap::RxBurst received_;
    std::vector<std::pair<Samples, sap::RxBurst>> late_;
    size_t late_count_ = 0;
};

}  // namespace wimax::mac
