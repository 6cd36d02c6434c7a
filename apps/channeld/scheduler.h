// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated time. Radios may have clocks of different speed, so their chunks end at different instants: the scheduler
// always serves the radio whose next chunk ends first, as soon as all radios have sent their samples up to then. In rt
// mode it serves by the wall clock, waits a little, and replaces missing samples by silence.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "channeld/channel_station.h"

namespace wimax::channeld {

class Scheduler {
public:
    using Clock = std::chrono::steady_clock;

    /// `now` is the wall clock.
    explicit Scheduler(const ChannelConfig& config, std::function<Clock::time_point()> now = Clock::now);

    struct Admission {
        std::string line;  ///< for the log
        bool accepted = false;
    };
    /// Handles a Hello: accepts the radio, or refuses it and names the mismatch.
    Admission admit(std::unique_ptr<vrf::RadioPort> port);
    /// Reads TX chunks and removes dead radios. Returns lines for the log.
    std::vector<std::string> collect();
    /// Serves at most one chunk. True: one was served, call again. False: `wake_at()` or an event is next.
    bool serve();
    Clock::time_point wake_at() const { return wake_at_; }
    /// False: no message of a radio changes anything before wake_at().
    bool awaits_radios() const { return awaits_radios_; }

    double time_s() const { return time_s_; }
    double stretched_s() const { return stretched_s_; }
    bool held() const { return held_; }
    bool free_running() const;
    const std::vector<std::unique_ptr<ChannelStation>>& stations() const { return stations_; }
    const std::vector<std::unique_ptr<AirLink>>& links() const { return links_; }
    /// Exact names "a->b"; nullptr if there is none.
    AirLink* link(const std::string& name);
    /// Injects a fault from the next chunk on, for `length_s` (0: the model's duration). An unplugged radio is refused
    /// until the end, or for good with `length_s` 0; fault none: plugged in again.
    Outcome inject(const std::string& radio, vrf::RadioFault fault, double length_s);

private:
    ChannelStation& station(const std::string& name);
    void attach(ChannelStation& station, std::unique_ptr<vrf::RadioPort> port);
    void join_at_present(ChannelStation& station);
    bool impatient();
    std::string give_up(ChannelStation& station);
    std::string take_back(ChannelStation& station);
    void connect(ChannelStation& station);
    bool all_awaited(const std::function<bool(const ChannelStation&)>& are) const;
    void take_chunk(ChannelStation& station, const vrf::TxChunk& chunk);
    ChannelStation* earliest() const;
    const ChannelStation* missing(const ChannelStation& station) const;
    bool serve_next();
    bool paced(const ChannelStation& station);
    bool comes_soon(const ChannelStation& station);
    void wait_for(const ChannelStation* station);
    void fill_silence(const ChannelStation& station);
    void compute(ChannelStation& station, std::span<vrf::Sample> samples, bool hashed);
    void receive(ChannelStation& station, const vrf::RxChunk& chunk);
    void wake_radios();
    bool release_hold();

    const ChannelConfig& config_;
    const std::function<Clock::time_point()> now_;
    const uint32_t chunk_;
    const size_t awaited_names_;  ///< in time.wait_for
    std::vector<std::unique_ptr<ChannelStation>>
        stations_;                                 ///< sorted by name: the order of sums must not depend on arrival
    std::vector<std::unique_ptr<AirLink>> links_;  ///< sorted by receiver, then sender
    std::vector<const ChannelStation*> awaited_;   ///< those of time.wait_for that are known
    bool held_;
    double time_s_ = 0, stretched_s_ = 0;
    Clock::time_point zero_ = now_();  ///< wall time of simulated time 0
    Clock::time_point wake_at_{};
    Clock::time_point expected_back_ = now_();  ///< expected time of the next call of serve()
    Clock::time_point overslept_at_{};          ///< last call of serve() that was late
    bool awaits_radios_ = true;
    double stalled_s_ = 0;  ///< time that the clock has waited for a radio, as measured in short intervals
    Clock::time_point looked_at_{};
    ChannelStation* waited_for_ = nullptr;
    Clock::time_point waiting_since_{};
};

}  // namespace wimax::channeld
