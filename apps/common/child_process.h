// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: a program with its output in a file, ended with the test.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace wimax {

class ChildProcess {
public:
    ChildProcess(const std::filesystem::path& log, std::vector<std::string> args) {
        pid_ = ::fork();
        if (pid_ != 0) return;
        const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ::dup2(fd, 1);
        ::dup2(fd, 2);
        std::vector<char*> argv;
        for (auto& a : args) argv.push_back(a.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() { end(SIGTERM); }
    pid_t pid() const { return pid_; }
    /// Exit status, or minus the signal.
    int end(int signal) {
        if (pid_ <= 0) return status_;
        ::kill(pid_, signal);
        int s = 0;
        ::waitpid(pid_, &s, 0);
        pid_ = -1;
        return status_ = WIFEXITED(s) ? WEXITSTATUS(s) : -WTERMSIG(s);
    }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

}  // namespace wimax
