// SPDX-License-Identifier: GPL-3.0-or-later
// The whole channel in one thread: listeners, scheduler, control socket and status polled. The program runs one, tests
// run several.
#pragma once

#include "channeld/channel_control.h"
#include "channeld/line_limit.h"
#include "common/address.h"
#include "common/status_writer.h"

namespace wimax::channeld {

class Server {
public:
    /// All arguments must outlive the server.
    Server(const ChannelConfig& config, ControlServer& control, StatusWriter& status);

    tl::expected<void, DaemonFault> open();
    /// Runs until `stopped()`, which is called at least every 10 ms and when `stop_fd` (or -1) becomes readable.
    void run(const std::function<bool()>& stopped, int stop_fd);
    const StatusReport& report() const { return report_; }

private:
    void keep_house();
    void process();
    void sleep(int stop_fd);
    static void say(std::vector<std::string> lines, LineLimit& limit);

    const ChannelConfig& config_;
    Scheduler scheduler_;
    StatusReport report_;
    ChannelControl channel_control_;
    ControlServer& control_;
    StatusWriter& status_;
    std::vector<AddressClaim> claims_;  // used by the listeners' objects: destroyed after them
    std::vector<std::unique_ptr<vrf::Listener>> listeners_;
    std::vector<pollfd> fds_;
    Scheduler::Clock::time_point housekeeping_ = Scheduler::Clock::now();
    LineLimit radio_lines_{2.0 * vrf::kMaxRadios}, refusal_lines_{10};
    bool woken_ = true, polled_ = false;
};

}  // namespace wimax::channeld
