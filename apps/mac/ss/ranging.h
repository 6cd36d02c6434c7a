// SPDX-License-Identifier: GPL-3.0-or-later
// Ranging of a subscriber station (clauses 6.3.9.5 and 6.3.10): RNG-REQs by contention or in opportunities that it is
// invited to, and the results: management CIDs, timing, power and frequency of all transmissions.
#pragma once

#include "mac/air/subscriber_air.h"
#include "mac/burst_store.h"
#include "mac/ss/backoff.h"
#include "mac/ss/transmit_corrections.h"

#include <utility>

namespace wimax::mac {

/// Meaning of a RNG-RSP for this station.
enum class RangingAnswer : uint8_t {
    ignored,    ///< not for it, or not now
    corrected,  ///< its corrections are applied, and ranging continues
    succeeded,  ///< initial ranging is over: it has its management CIDs
    rerange,    ///< the base station wants initial ranging again
    aborted,    ///< it shall leave this channel
};

struct RangingCounters {
    uint64_t attempts = 0, invited = 0, corrections = 0;
    uint64_t fast_power = 0;  ///< corrections by FPC, counted above, too
};

class Ranging {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        const SubscriberAir& air;
        Backoff::Random& random;
        BurstStore& bursts;
    };
    Ranging(const SubscriberConfig& config, const Dependencies& dependencies);

    void new_phy(float max_power_dbm);
    /// No ranging, no CIDs; corrections are kept.
    void stop();
    /// Like stop(), and discards corrections.
    void forget();
    /// Begins initial ranging. Pre: a UCD is known.
    void start();

    /// T2: no ranging opportunity was received. True once.
    bool starved() { return t2_.expired(clock_.now); }
    /// T3: no response was received. True if that was the last try.
    bool exhausted();
    /// Adds this frame's RNG-REQ, if one is to be sent.
    void add_request(const SubscriberUplink& uplink, sap::TxFrame& tx);
    RangingAnswer on_response(const RngRsp& rsp, uint16_t cid);
    /// Power command of an FPC; it is for a served station.
    void on_fast_power(int8_t adjust_qdb);
    /// The burst profile that RNG-REQs request, by its number in messages; 0: the one that suits the last CINR.
    void want_profile(uint8_t code) { wanted_code_ = code; }
    /// A served station requests that profile in the next open region, if it cannot reach the base station otherwise
    /// (clause 6.3.10).
    void ask_for_profile();
    /// Number of the profile in the last RNG-RSP that named one, once.
    std::optional<uint8_t> take_profile() { return std::exchange(told_code_, std::nullopt); }

    /// Initial ranging is under way.
    bool ranging() const { return phase_ == Phase::initial; }
    uint16_t basic_cid() const { return basic_cid_; }  ///< 0: none
    uint16_t primary_cid() const { return primary_cid_; }

    TransmitCorrections& corrections() { return corrections_; }
    const TransmitCorrections& corrections() const { return corrections_; }
    const RangingCounters& counters() const { return counters_; }

private:
    enum class Phase : uint8_t { none, initial, served };
    enum class Step : uint8_t { contention, waiting, invited };

    void contend();
    void draw_backoff();
    void draw_again();
    void write_request(const SubscriberUplink& uplink, uint16_t cid, sap::TxBurst& burst);
    bool may_send(const SubscriberUplink& uplink) const;
    bool mine(const RngRsp& rsp, uint16_t cid) const;
    Samples t3() const;
    float power_ceiling_dbm() const;

    const SubscriberConfig& config_;
    const FrameClock& clock_;
    const SubscriberAir& air_;
    Backoff::Random& random_;
    BurstStore& bursts_;

    uint8_t wanted_code_ = 0;
    bool asks_for_profile_ = false;
    std::optional<uint8_t> told_code_;
    Phase phase_ = Phase::none;
    Step step_ = Step::contention;
    Backoff backoff_;
    Timer t2_, t3_;
    phy::FrameNumber asked_frame_;
    uint32_t asked_opportunity_ = 0;  ///< of the last RNG-REQ in contention
    uint16_t basic_cid_ = 0, primary_cid_ = 0;

    TransmitCorrections corrections_;
    RangingCounters counters_;
};

/// Power code of SBC-REQ and REP-RSP: half decibels above -64 dBm.
uint8_t power_code(float dbm);

}  // namespace wimax::mac
