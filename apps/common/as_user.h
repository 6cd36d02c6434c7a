// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: work in a process of another user of this host.
#pragma once

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace wimax::test {

// Two users without accounts.
inline constexpr uid_t kAlice = 1001, kBob = 1002;

/// Result of `work` in a process of that user, under sudo of `caller` if that is not 0.
inline std::string as_user(uid_t uid, const std::function<std::string()>& work, uid_t caller = 0) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        for (const char* name : {"SUDO_UID", "SUDO_GID", "WIMAX_RUN", "XDG_RUNTIME_DIR"}) ::unsetenv(name);
        if (caller != 0)
            for (const char* name : {"SUDO_UID", "SUDO_GID"}) ::setenv(name, std::to_string(caller).c_str(), 1);
        ::umask(0);
        const bool is_user = uid == 0 || (::setgroups(0, nullptr) == 0 && ::setresgid(uid, uid, uid) == 0 &&
                                          ::setresuid(uid, uid, uid) == 0);
        const std::string text = is_user ? work() : "not that user";
        ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string text;
    char part[512];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
    ::close(ends[0]);
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0 ? text : "ended with " + std::to_string(status) + ": " + text;
}

}  // namespace wimax::test
