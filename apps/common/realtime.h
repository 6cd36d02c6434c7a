// SPDX-License-Identifier: GPL-3.0-or-later
// Real time on the host: priority, CPUs and memory of threads that must not wait for others. A process without the
// right continues without it, and reports the line to type.
#pragma once

#include "common/config.h"

#include <string>
#include <vector>

namespace wimax {

/// Priority of simulated hardware (virtual radio, channel), above the programs that use it.
inline constexpr int kHardwarePriority = 40;
/// From 50 on a thread competes with the kernel's interrupt threads.
inline constexpr int kMostPriority = 49;

struct RealtimeOptions {
    int priority = 20;        ///< of SCHED_FIFO, at most kMostPriority; 0: none
    std::vector<int> cpus;    ///< empty: all
    bool lock_memory = true;  ///< none of it is swapped out
};

/// The keys realtime.priority, realtime.cpus, realtime.lock_memory.
void declare(config::Schema& schema, RealtimeOptions& options);

/// Applies to every thread of this process, those of libraries too; new threads inherit it. A thread that has chosen
/// another policy than the default keeps it. Returns a line for each option that was refused.
std::vector<std::string> go_realtime(const RealtimeOptions& options);

/// The calling thread alone, as hardware. False without the right to it.
bool go_as_hardware();
/// The calling thread alone: it may wait, and go_realtime() leaves it out.
void go_in_background();

}  // namespace wimax
