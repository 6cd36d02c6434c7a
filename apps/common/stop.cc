// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace wimax {
namespace {

// A signal handler can only use globals.
std::atomic<int> raised_count{0};
std::atomic<int> event_fd{-1};
std::atomic<unsigned> bound{10};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
    if (raised_count.fetch_add(1) > 0) ::_exit(128 + number);
    const uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(event_fd.load(), &one, sizeof one);
    ::alarm(bound.load());  // SIGALRM's default action ends the process
}

std::atomic<bool> hung_up{false};

void on_hangup(int) { hung_up = true; }

}  // namespace

void StopSignal::reload_on_hangup() {
    hung_up = false;
    struct sigaction action {};
    action.sa_handler = on_hangup;  // interrupts poll(), so that the signal is handled at once
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, nullptr);
}

bool StopSignal::take_hangup() { return hung_up.exchange(false); }

StopSignal::StopSignal(unsigned bound_s) {
    raised_count = 0;
    bound = bound_s;
    event_fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGHUP, &action, nullptr);  // the terminal was closed
    std::signal(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGHUP, SIG_DFL);
    ::alarm(0);
    ::close(event_fd.exchange(-1));
}

bool StopSignal::raised() const { return raised_count.load(std::memory_order_relaxed) > 0; }
void StopSignal::raise() {
    if (!raised()) on_signal(SIGTERM);
}
int StopSignal::fd() const { return event_fd.load(); }

}  // namespace wimax
