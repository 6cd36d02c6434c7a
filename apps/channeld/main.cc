/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax-channeld: the air between virtual radios. One thread.
 */
#include <common/log.h>
#include <common/stop.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "channeld/control.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;
using Clock = Scheduler::Clock;

constexpr auto kHousekeeping = std::chrono::milliseconds(10);

class Program {
   public:
    explicit Program(const ChannelConfig& config)
        : config_(config), scheduler_(config), report_(config, scheduler_),
          control_(config, scheduler_, report_, [this] { stop_.raise(); }), status_(config.console, config.json) {}

    /// "" or why it cannot start.
    std::string open() {
        if (!control_.fault().empty()) return "control: " + control_.fault();
        if (!status_.fault().empty()) return "json: " + status_.fault();
        for (const auto& address : config_.listen) {
            auto listener = vrf::listen(address);
            if (!listener) return "listen: " + listener.error();
            listeners_.push_back(std::move(*listener));
        }
        return {};
    }

    void run() {
        while (!stop_.raised()) {
            const auto now = Clock::now();
            if (now >= housekeeping_) {
                housekeeping_ = now + kHousekeeping;
                keep_house();
            }
            // ZeroMQ hands out messages only when asked; shared memory is seen directly, its listener after a wake-up.
            if (std::exchange(woken_, false) || polled_) process();
            say(scheduler_.collect());
            if (!scheduler_.serve()) sleep();
        }
    }

   private:
    void keep_house() {
        woken_ = true;
        control_.poll();
        if (!status_.due()) return;
        report_.tick();
        status_.write(report_.line(), status_.wants_json() ? report_.json().dump() : "");
        (void)std::fflush(stdout);
    }

    void process() {
        polled_ = false;
        for (auto& listener : listeners_) {
            polled_ = polled_ || listener->max_wait_ms() >= 0;
            for (auto& port : listener->process()) say({scheduler_.admit(std::move(port))});
        }
    }

    void sleep() {
        fds_.clear();
        fds_.push_back({stop_.fd(), POLLIN, 0});
        if (control_.fd() >= 0) fds_.push_back({control_.fd(), POLLIN, 0});
        for (auto& listener : listeners_) listener->add_poll(fds_);
        const auto left = std::max(Clock::duration(0), std::min(scheduler_.wake_at(), housekeeping_) - Clock::now());
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
        const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
        woken_ = ::ppoll(fds_.data(), nfds_t(fds_.size()), &timeout, nullptr) > 0;
    }

    static void say(const std::vector<std::string>& lines) {
        static auto& layer = log::layer("channel");
        for (const auto& line : lines) layer.info(log::kNoFrame, "{}", line);
    }

    const ChannelConfig& config_;
    StopSignal stop_{1};
    Scheduler scheduler_;
    StatusReport report_;
    ChannelControl control_;
    log::StatusWriter status_;
    std::vector<std::unique_ptr<vrf::Listener>> listeners_;
    std::vector<pollfd> fds_;
    Clock::time_point housekeeping_ = Clock::now();
    bool woken_ = true, polled_ = true;
};

}  // namespace

int main(int argc, char** argv) {
    ChannelConfig config;
    auto schema = schema_of(config);
    if (const auto done = config::configure(argc, argv, schema, [&] { return derived_of(config); })) return *done;
    if (const auto fault = log::start(config.log); !fault.empty()) {
        fmt::print(stderr, "wimax-channeld: {}\n", fault);
        return 2;
    }
    Program program(config);
    if (const auto fault = program.open(); !fault.empty()) {
        fmt::print(stderr, "wimax-channeld: {}\n", fault);
        return 2;
    }
    program.run();
    log::stop();
    return 0;
}
