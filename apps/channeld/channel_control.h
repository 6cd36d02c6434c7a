// SPDX-License-Identifier: GPL-3.0-or-later
// External interface of the channel: status as JSON and as a console line, and live changes of links.
//
//     {"get": "status"}
//     {"set": {"link": {"name": "bs->ss1", "snr_db": 12}}}
//     {"set": {"link": "bs->ss1", "snr_db": 12, "channel": "sui3"}}     the same, flat
#pragma once

#include "common/control.h"

#include "channeld/scheduler.h"

namespace wimax::channeld {

/// Progress of the last second, for the realtime factor.
class StatusReport {
public:
    StatusReport(const ChannelConfig& config, const Scheduler& scheduler);
    /// Call once per second: the factor is that of the time since the last tick().
    void tick();
    nlohmann::json json() const;
    std::string line() const;

private:
    /// Names each figure once.
    template <class V> void describe(V& v) const;

    const ChannelConfig& config_;
    const Scheduler& scheduler_;
    Scheduler::Clock::time_point start_, last_;
    double last_time_s_ = 0, factor_ = 0;
};

/// Requests on the control socket. All arguments must outlive this object, and the socket is not polled after it.
class ChannelControl {
public:
    ChannelControl(ControlServer& server, Scheduler& scheduler, const StatusReport& report);

private:
    Faults set_link(const nlohmann::json& value);
    Faults inject(const nlohmann::json& value);
    Faults apply(const std::string& name, const nlohmann::json& changes);

    Scheduler& scheduler_;
    std::string flat_name_;
    nlohmann::json flat_;  ///< keys of a flat request before its link
};

/// Applies known keys to `link`, or none of them if there are faults.
Faults change_link(LinkConfig& link, const nlohmann::json& changes);

}  // namespace wimax::channeld
