// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: a server in a separate process with few descriptors, and many peers that connect and send nothing.
#pragma once

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/scratch.h"

namespace wimax {

class LimitedServer {
public:
    /// `serve` opens a server and works until its argument returns true. Call it while the process has one thread.
    LimitedServer(rlim_t descriptors, const std::function<void(const std::function<bool()>&)>& serve) {
        pid_ = ::fork();
        if (pid_ != 0) return;
        const rlimit limit{descriptors, descriptors};
        ::setrlimit(RLIMIT_NOFILE, &limit);
        static volatile std::sig_atomic_t stopped = 0;
        struct sigaction action {};  // std::signal() would restart system calls after the signal
        action.sa_handler = [](int) { stopped = 1; };
        ::sigaction(SIGTERM, &action, nullptr);
        serve([] { return stopped != 0; });
        ::_exit(0);
    }
    LimitedServer(const LimitedServer&) = delete;
    LimitedServer& operator=(const LimitedServer&) = delete;
    ~LimitedServer() { end(); }

    /// Ends it; exit status, or minus the signal that it died of.
    int end() {
        if (pid_ <= 0) return status_;
        int s = 0;
        do {  // again, where the signal came just before a system call that waits
            ::kill(pid_, SIGTERM);
            ::usleep(10'000);
        } while (::waitpid(pid_, &s, WNOHANG) == 0);
        pid_ = -1;
        return status_ = WIFEXITED(s) ? WEXITSTATUS(s) : -WTERMSIG(s);
    }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

/// Connections to an address of ZeroMQ or the path of a UNIX socket, open until this object ends.
class Flood {
public:
    explicit Flood(const std::string& address, int type = SOCK_STREAM) {
        if (address.starts_with("tcp://")) {
            tcp_.emplace();
            tcp_->sin_family = AF_INET;
            tcp_->sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
            tcp_->sin_port = ::htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
        } else {
            const std::string path = address.starts_with("ipc://") ? address.substr(6) : address;
            unix_.sun_family = AF_UNIX;
            path.copy(unix_.sun_path, sizeof unix_.sun_path - 1);
        }
        type_ = type;
    }
    Flood(const Flood&) = delete;
    Flood& operator=(const Flood&) = delete;
    ~Flood() {
        for (const int fd : fds_) ::close(fd);
    }

    /// Waits until the server listens. False: it does not.
    bool connect(size_t count) {
        constexpr int kTries = 2000;
        for (int tries = 0; fds_.size() < count && tries < kTries; ++tries)
            if (!connect_once()) ::usleep(10'000);
        return fds_.size() >= count;
    }

private:
    bool connect_once() {
        const int fd = ::socket(tcp_ ? AF_INET : AF_UNIX, type_ | SOCK_CLOEXEC, 0);
        if (fd < 0) return false;
        const auto* to = tcp_ ? reinterpret_cast<const sockaddr*>(&*tcp_) : reinterpret_cast<const sockaddr*>(&unix_);
        const auto length = static_cast<socklen_t>(tcp_ ? sizeof *tcp_ : sizeof unix_);
        if (::connect(fd, to, length) != 0) {
            ::close(fd);
            return false;
        }
        fds_.push_back(fd);
        return true;
    }

    std::optional<sockaddr_in> tcp_;
    sockaddr_un unix_{};
    int type_ = SOCK_STREAM;
    std::vector<int> fds_;
};

/// An address of each transport that is free.
inline std::string free_address(const std::string& transport) {
    static int count = 0;
    if (transport == "ipc") return "ipc://" + Scratch::path("flooded" + std::to_string(count++));
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof any;
    auto* generic = reinterpret_cast<sockaddr*>(&any);
    const bool found = ::bind(fd, generic, length) == 0 && ::getsockname(fd, generic, &length) == 0;
    ::close(fd);
    return found ? "tcp://127.0.0.1:" + std::to_string(::ntohs(any.sin_port)) : "";
}

}  // namespace wimax
