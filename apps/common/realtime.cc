// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/realtime.h"

#include <fmt/format.h>

#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace wimax {
namespace {

constexpr int kMostCpu = CPU_SETSIZE - 1;

bool set_fifo(pid_t thread, int priority) {
    sched_param parameters{};
    parameters.sched_priority = priority;
    return ::sched_setscheduler(thread, SCHED_FIFO, &parameters) == 0;
}

/// Those of now.
std::vector<pid_t> threads() {
    std::vector<pid_t> all;
    std::error_code gone;
    for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; !gone && task != end;
         task.increment(gone))
        all.push_back(static_cast<pid_t>(std::strtol(task->path().filename().c_str(), nullptr, 10)));
    return all;
}

std::string advice(const char* limit, const std::string& value) {
    return fmt::format(
        "type: echo \"$USER - {0} {1}\" | sudo tee /etc/security/limits.d/90-wimax-{0}.conf, then log in again", limit,
        value);
}

/// False without the right; a thread that has ended meanwhile does not count.
bool raise_threads(int priority) {
    for (const pid_t thread : threads())
        if (::sched_getscheduler(thread) == SCHED_OTHER && !set_fifo(thread, priority) && errno != ESRCH) return false;
    return true;
}

bool use_cpus(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<size_t>(cpu), &set);
    for (const pid_t thread : threads())
        if (::sched_setaffinity(thread, sizeof set, &set) != 0 && errno != ESRCH) return false;
    return true;
}

bool may_lock_memory() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
    return ::syscall(SYS_capget, &header, data.data()) == 0 && (data[0].effective >> CAP_IPC_LOCK & 1U) != 0;
}

/// Locks pages when they are first touched: stacks of threads would be gigabytes otherwise. Not under a limit: memory
/// would run out later, in the middle of a frame.
bool lock_memory() { return may_lock_memory() && ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0; }

std::string list_of(const std::vector<int>& cpus) { return fmt::format("{}", fmt::join(cpus, ", ")); }

}  // namespace

void declare(config::Schema& s, RealtimeOptions& o) {
    s.group("realtime",
            "threads of this program run before other programs; not in lock-step, and only with the right to it (wimax "
            "doctor --radio)");
    s.number("realtime.priority", o.priority, {0, kMostPriority}, "", "SCHED_FIFO priority of all threads; 0: none");
    s.list(
        "realtime.cpus", o.cpus,
        [](config::Schema& item, int& cpu) {
            item.number("", cpu, {0, static_cast<double>(kMostCpu)}, "", "number of a CPU, as in /proc/cpuinfo");
        },
        "CPUs that the threads may use; empty: all");
    s.flag("realtime.lock_memory", o.lock_memory, "keep the program's memory from being swapped out");
}

std::vector<std::string> go_realtime(const RealtimeOptions& o) {
    std::vector<std::string> missing;
    if (o.priority > 0 && !raise_threads(o.priority))
        missing.push_back(fmt::format("no right to real-time priority {}: more late frames on a busy machine; {}",
                                      o.priority, advice("rtprio", std::to_string(kMostPriority))));
    if (!o.cpus.empty() && !use_cpus(o.cpus))
        missing.push_back(fmt::format("realtime.cpus: {}: {}; this machine has CPUs 0..{}", list_of(o.cpus),
                                      std::strerror(errno), ::sysconf(_SC_NPROCESSORS_CONF) - 1));
    if (o.lock_memory && !lock_memory())
        missing.push_back("no right to lock memory, which may be swapped out; " + advice("memlock", "unlimited"));
    return missing;
}

bool go_as_hardware() { return set_fifo(0, kHardwarePriority); }

void go_in_background() {
    const sched_param none{};
    ::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
}

}  // namespace wimax
