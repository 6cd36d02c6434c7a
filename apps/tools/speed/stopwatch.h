// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <ctime>

namespace wimax::speed {

/// Wall-clock time, and CPU time of all threads of the process: the same unless something else runs on the core.
class Stopwatch {
public:
    struct Seconds {
        double wall = 0, cpu = 0;
    };

    void start() {
        passed_ = {};
        resume();
    }
    /// What an item does between pause() and resume() is not measured.
    void pause() {
        const Seconds now = clock();
        passed_.wall += now.wall - since_.wall;
        passed_.cpu += now.cpu - since_.cpu;
    }
    void resume() { since_ = clock(); }
    Seconds stop() {
        pause();
        return passed_;
    }

private:
    static Seconds clock() {
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
                static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec)};
    }
    Seconds passed_, since_;
};

}  // namespace wimax::speed
