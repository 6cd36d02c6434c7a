/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Connections of a ZeroMQ socket by their descriptors. ZeroMQ takes as many as there are descriptors: a server that
 * wants fewer watches them, and closes what is too many.
 */
#pragma once

#include <sys/socket.h>
#include <zmq.h>

#include <cstdint>
#include <cstring>

namespace wimax {

struct ConnectionEvent {
    int fd = -1;
    bool closed = false;  ///< else accepted
};

/// A monitor of connections that come and go, to be closed with zmq_close(). Before the socket is bound or connected.
inline void* monitor_connections(void* context, void* socket) {
    constexpr const char* kAddress = "inproc://connections";
    zmq_socket_monitor(socket, kAddress, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
    void* monitor = zmq_socket(context, ZMQ_PAIR);
    const int unlimited = 0, linger = 0;  // unlimited: else ZeroMQ's own thread would wait for the reader
    zmq_setsockopt(monitor, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(monitor, ZMQ_LINGER, &linger, sizeof linger);
    zmq_connect(monitor, kAddress);
    return monitor;
}

/// False: nothing new.
inline bool next_connection_event(void* monitor, ConnectionEvent& event) {
    uint8_t head[6];  // 16 bits of kind, 32 of descriptor; the address follows
    char address[256];
    if (zmq_recv(monitor, head, sizeof head, ZMQ_DONTWAIT) != int(sizeof head)) return false;
    zmq_recv(monitor, address, sizeof address, ZMQ_DONTWAIT);
    uint16_t kind;
    int32_t fd;
    std::memcpy(&kind, head, sizeof kind);
    std::memcpy(&fd, head + 2, sizeof fd);
    event = {fd, kind == ZMQ_EVENT_DISCONNECTED};
    return true;
}

/// ZeroMQ says that a connection has ended before it closes its descriptor: those of which it has not said so are still
/// connections.
inline void close_connection(int fd) { ::shutdown(fd, SHUT_RDWR); }

}  // namespace wimax
