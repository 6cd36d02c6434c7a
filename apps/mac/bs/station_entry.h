// SPDX-License-Identifier: GPL-3.0-or-later
// One station's progress from initial ranging to operation, and its end (clauses 6.3.9.5 to 6.3.9.13).
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/sample_time.h"

#include <optional>
#include <utility>

namespace wimax::mac {

enum class EntryState : uint8_t {
    ranging,     ///< initial ranging not finished
    ranged,      ///< success sent, SBC-REQ awaited (T9)
    capable,     ///< SBC-RSP sent, REG-REQ awaited (T17)
    registered,  ///< REG-RSP sent, service flows being set up
    operational,
};
const char* to_string(EntryState state);

class StationEntry {
public:
    EntryState state() const { return state_; }
    bool operational() const { return state_ == EntryState::operational; }
    bool registered() const { return state_ >= EntryState::registered; }
    /// Has sent more than a RNG-REQ, which any station can send in its name.
    bool established() const { return state_ > EntryState::ranged; }

    /// Ranging has succeeded. `t9`: the time that its SBC-REQ has.
    void ranged(Samples now, Samples t9) {
        state_ = EntryState::ranged;
        t9_.start(now, t9);
    }
    /// Its capabilities are answered. `t17`: the time that its REG-REQ has.
    void capable(Samples now, Samples t17) {
        state_ = EntryState::capable;
        t9_.stop();
        t17_.start(now, t17);
    }
    void register_station() {
        state_ = EntryState::registered;
        t17_.stop();
    }
    /// It is managed. `t13`: the time that its TFTP-CPLT has.
    void await_file(Samples now, Samples t13) { t13_.start(now, t13); }
    void file_complete() { t13_.stop(); }
    void begin_operation(Samples now) {
        state_ = EntryState::operational;
        operational_at_ = now;
    }
    /// Sample of that time; -1: not yet.
    Samples operational_at() const { return operational_at_; }
    /// Why the next message is not awaited any longer; null: it is, or none is awaited.
    const char* overdue(Samples now) {
        if (t9_.expired(now)) return "no SBC-REQ (T9)";
        if (t17_.expired(now)) return "no registration (T17)";
        if (t13_.expired(now)) return "no TFTP-CPLT (T13)";
        return nullptr;
    }
    bool awaits_message() const { return t9_.running() || t17_.running() || t13_.running(); }

    /// The station is removed with the next tick, not at once: a message in its reassembler may be the cause.
    void leave(const char* reason) { leaving_ = reason; }
    /// The reason; null: it stays.
    const char* leaving() const { return leaving_; }

    /// Its SBC-REQ is answered when it is known whether another station with its address is still there.
    void postpone(const SbcReq& request) { postponed_ = request; }
    bool postponed() const { return postponed_.has_value(); }
    std::optional<SbcReq> take_postponed() { return std::exchange(postponed_, std::nullopt); }

private:
    EntryState state_ = EntryState::ranging;
    Timer t9_, t13_, t17_;
    Samples operational_at_ = -1;
    const char* leaving_ = nullptr;
    std::optional<SbcReq> postponed_;
};

}  // namespace wimax::mac
