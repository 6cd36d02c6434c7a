// SPDX-License-Identifier: GPL-3.0-or-later
// Accepts connections without using up the descriptors of the program. libzmq aborts when accept4() finds no free
// descriptor for a peer of an ipc socket; for tcp it tries again without end. It offers no option for either. This
// module therefore defines accept4() and accept(): libzmq calls them instead of the C library's.
#pragma once

#include <sys/socket.h>

#include <cstdint>

namespace wimax {

/// Call once before a socket listens: opens the descriptor that is given up when no other is left.
void guard_descriptors() noexcept;

/// As accept4(2). A connection that would get one of the last descriptors of the process is closed at once, and the
/// call fails with ECONNABORTED, which servers expect. The last eighth of the limit (RLIMIT_NOFILE), at most 16, stays
/// free for files.
int accept_connection(int listener, sockaddr* address, socklen_t* length, int flags) noexcept;

/// Connections closed in this way since the start of the process.
uint64_t refused_connections() noexcept;

}  // namespace wimax
