// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT, SIGTERM and SIGHUP (the terminal was closed; optionally "read again") as a flag and a descriptor for poll().
// Clean shutdown is bounded: a second signal ends the process at once, and so does a timer if shutdown takes too long.
#pragma once

namespace wimax {

class StopSignal {
public:
    /// Installs the handlers (and ignores SIGPIPE). One object per process, made before threads are.
    /// `bound_s`: the process is ended that many seconds after the first signal if it is still there.
    explicit StopSignal(unsigned bound_s = 10);
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    bool raised() const;
    /// Acts like the signal (control socket); starts the bound as well.
    void raise();
    /// True once after SIGHUP: the configuration is to be read again. Only after reload_on_hangup().
    bool take_hangup();
    void reload_on_hangup();
    /// Becomes readable when raised; never read from it.
    int fd() const;
};

}  // namespace wimax
