// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/server.h"

#include "common/realtime.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

namespace wimax::channeld {
namespace {
using Clock = Scheduler::Clock;
constexpr auto kHousekeeping = std::chrono::milliseconds(10);
}  // namespace

Server::Server(const ChannelConfig& config, ControlServer& control, StatusWriter& status)
    : config_(config),
      scheduler_(config),
      report_(config, scheduler_),
      channel_control_(control, scheduler_, report_),
      control_(control),
      status_(status) {}

tl::expected<void, DaemonFault> Server::open() {
    const auto refused = [](const DaemonFault& fault) {
        return tl::unexpected(DaemonFault{{"listen", {}, fault.str()}, fault.status});
    };
    for (const auto& marked : config_.listen) {
        const auto address = expand_address(marked);
        auto claim = AddressClaim::take(address);
        if (!claim) return refused(claim.error());
        const ActingAs owner(claim->acting_for());
        auto listener = vrf::listen(claim->address());
        claims_.push_back(std::move(*claim));
        if (!listener) return refused(listener.error());
        polled_ = polled_ || (*listener)->max_wait_ms() >= 0;
        listeners_.push_back(std::move(*listener));
    }
    return {};
}

void Server::run(const std::function<bool()>& stopped, int stop_fd) {
    if (config_.mode == vrf::TimeMode::rt && !go_as_hardware())
        say({"no right to real-time priority (CAP_SYS_NICE): more lates on a busy machine"}, radio_lines_);
    while (!stopped()) {
        const auto now = Clock::now();
        if (now >= housekeeping_) {
            housekeeping_ = now + kHousekeeping;
            keep_house();
        }
        // ZeroMQ delivers messages only on request; shared memory is read directly, its listener after a wake-up.
        if (std::exchange(woken_, false) || polled_) process();
        say(scheduler_.collect(), radio_lines_);
        if (!scheduler_.serve()) sleep(stop_fd);
    }
}

void Server::keep_house() {
    woken_ = true;
    control_.poll();
    if (!status_.due()) return;
    report_.tick();
    status_.write(report_.line(), status_.wants_json() ? report_.json().dump() : "");
    (void)std::fflush(stdout);
}

void Server::process() {
    for (auto& listener : listeners_)
        for (auto& port : listener->process()) {
            auto [line, accepted] = scheduler_.admit(std::move(port));
            say({std::move(line)}, accepted ? radio_lines_ : refusal_lines_);
        }
}

void Server::sleep(int stop_fd) {
    fds_.clear();
    fds_.push_back({stop_fd, POLLIN, 0});
    fds_.push_back({control_.fd(), POLLIN, 0});
    if (scheduler_.awaits_radios())  // else only the clock counts: keep_house() notices radios that attach or leave
        for (auto& listener : listeners_) listener->add_poll(fds_);
    const auto left = std::max(Clock::duration(0), std::min(scheduler_.wake_at(), housekeeping_) - Clock::now());
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
    woken_ = ::ppoll(fds_.data(), nfds_t(fds_.size()), &timeout, nullptr) > 0;
    if (woken_ && fds_[1].revents != 0) control_.poll();  // ZeroMQ's descriptor stays readable until it is read
}

void Server::say(std::vector<std::string> lines, LineLimit& limit) {
    static auto& layer = log::layer("channel");
    for (auto& line : lines)
        if (const auto passed = limit.pass(std::move(line), Clock::now()))
            layer.write(log::Level::info, log::kNoFrame, *passed);
}

}  // namespace wimax::channeld
