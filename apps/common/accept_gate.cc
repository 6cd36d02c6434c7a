// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/accept_gate.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <mutex>

namespace wimax {
namespace {

constexpr rlim_t kMostReserved = 16, kReservedShare = 8;

std::atomic<uint64_t> g_refused{0};

/// A descriptor that can be given up, so that a connection can be accepted and closed when no descriptor is free.
class Spare {
public:
    void fill() {
        const std::lock_guard lock(mutex_);
        if (fd_ < 0) fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    template <typename Accept> int replace_by(const Accept& accept) {
        const std::lock_guard lock(mutex_);
        if (fd_ >= 0) ::close(fd_);
        const int accepted = accept();
        if (accepted >= 0) ::close(accepted);
        fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        return accepted;
    }

private:
    std::mutex mutex_;
    int fd_ = -1;
};

Spare& spare() {
    static Spare one;
    return one;
}

/// The kernel gives out the lowest free descriptor: one of this number or above is one of the last.
int first_reserved() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > rlim_t{std::numeric_limits<int>::max()})
        return std::numeric_limits<int>::max();
    return static_cast<int>(limit.rlim_cur - std::min(limit.rlim_cur / kReservedShare, kMostReserved));
}

int refuse() {
    ++g_refused;
    errno = ECONNABORTED;
    return -1;
}

}  // namespace

void guard_descriptors() noexcept { spare().fill(); }

int accept_connection(int listener, sockaddr* address, socklen_t* length, int flags) noexcept {
    const auto accept = [&] {
        return static_cast<int>(::syscall(SYS_accept4, listener, address, length, flags));  // accept4() is ours
    };
    const int fd = accept();
    if (fd < 0) return errno == EMFILE || errno == ENFILE ? (spare().replace_by(accept), refuse()) : fd;
    if (fd < first_reserved()) return fd;
    ::close(fd);
    return refuse();
}

uint64_t refused_connections() noexcept { return g_refused; }

}  // namespace wimax

extern "C" {
[[gnu::visibility("default")]] int accept4(int listener, sockaddr* __restrict address, socklen_t* __restrict length,
                                           int flags) {
    return wimax::accept_connection(listener, address, length, flags);
}
[[gnu::visibility("default")]] int accept(int listener, sockaddr* __restrict address, socklen_t* __restrict length) {
    return wimax::accept_connection(listener, address, length, 0);
}
}
