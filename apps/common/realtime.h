/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Real time on the host: priority, CPUs and memory of threads that must not wait for others. Where a process has no
 * right to it, it goes on without, and says so with the line to type.
 */
#pragma once

#include "common/config.h"

#include <string>
#include <vector>

namespace wimax {

/// What stands for hardware (the virtual radio, its channel) goes before the programs that use it.
inline constexpr int kHardwarePriority = 40;
/// From 50 on a thread goes before the kernel's own for interrupts.
inline constexpr int kMostPriority = 49;

struct RealtimeOptions {
    int priority = 20;        ///< of SCHED_FIFO, at most kMostPriority; 0: none
    std::vector<int> cpus;    ///< empty: all
    bool lock_memory = true;  ///< none of it is swapped out
};

/// The keys realtime.priority, realtime.cpus, realtime.lock_memory.
void declare(config::Schema& schema, RealtimeOptions& options);

/// For every thread of this process, those of libraries too, and, by inheritance, for those that they make. A thread
/// that has chosen another policy than the usual one keeps its own. What could not be had comes back, a line each.
std::vector<std::string> go_realtime(const RealtimeOptions& options);

/// The calling thread alone, as hardware. False without the right to it.
bool go_as_hardware();
/// The calling thread alone: it may wait, and go_realtime() leaves it out.
void go_in_background();

}  // namespace wimax
