// SPDX-License-Identifier: GPL-3.0-or-later
// ZeroMQ as all programs use it: contexts, sockets, messages and options are cppzmq's. Opening may throw, and attempt()
// converts that to faults. Code that runs per frame sends, receives and waits by the functions below, which do not
// throw: cppzmq throws if a peer has gone or a signal arrives.
#pragma once

#include "common/exit_status.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <zmq.hpp>

namespace wimax {

/// Result of `open()`. If it throws, the fault is of `what`, and its status follows from the error number.
template <typename Open>
auto attempt(const std::string& what, const Open& open) -> tl::expected<decltype(open()), DaemonFault> {
    try {
        return open();
    } catch (const zmq::error_t& error) {
        return tl::unexpected(DaemonFault{{what, {}, error.what()}, exit_status_of(error.num())});
    }
}

enum class Sent : uint8_t { yes, full, no_peer };

/// Sends one part of a message; does not wait unless `wait`.
inline Sent send_part(zmq::socket_ref socket, zmq::const_buffer part, bool more, bool wait = false) noexcept {
    const int flags = (more ? ZMQ_SNDMORE : 0) | (wait ? 0 : ZMQ_DONTWAIT);
    if (zmq_send(socket.handle(), part.data(), part.size(), flags) >= 0) return Sent::yes;
    return zmq_errno() == EHOSTUNREACH ? Sent::no_peer : Sent::full;
}

/// Receives one part of a message; false: none is there. The parts of a message arrive together: waiting for those
/// after the first is short.
inline bool receive_part(zmq::socket_ref socket, zmq::message_t& part, bool wait = false) noexcept {
    return zmq_msg_recv(part.handle(), socket.handle(), wait ? 0 : ZMQ_DONTWAIT) >= 0;
}

/// Descriptor of the connection of a received part.
inline int source_of(zmq::message_t& part) noexcept { return zmq_msg_get(part.handle(), ZMQ_SRCFD); }

/// False on time-out, and after a signal. Negative: without end.
inline bool wait_for(std::span<zmq::pollitem_t> items, std::chrono::milliseconds timeout) noexcept {
    return zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(timeout.count())) > 0;
}

struct ConnectionEvent {
    int fd = -1;
    bool closed = false;  ///< else accepted
};

/// Reports connections of a socket that open and close, by descriptor. Servers limit them by Connections
/// (common/connections.h).
class ConnectionMonitor {
public:
    /// Construct it before the socket is bound or connected, and destroy it before the socket.
    ConnectionMonitor(zmq::context_t& context, zmq::socket_t& socket)
        : socket_(socket.handle()), events_(context, zmq::socket_type::pair) {
        constexpr const char* kAddress = "inproc://connections";
        if (zmq_socket_monitor(socket_, kAddress, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) != 0)
            throw zmq::error_t();
        events_.set(zmq::sockopt::rcvhwm, 0);  // unlimited: else ZeroMQ's own thread would wait for the reader
        events_.set(zmq::sockopt::linger, 0);
        events_.connect(kAddress);
    }
    ConnectionMonitor(const ConnectionMonitor&) = delete;
    ConnectionMonitor& operator=(const ConnectionMonitor&) = delete;
    ~ConnectionMonitor() { zmq_socket_monitor(socket_, nullptr, 0); }

    /// False: nothing new.
    bool next(ConnectionEvent& event) noexcept {
        uint16_t kind;  // then the descriptor; the address follows as a separate part
        int32_t fd;
        if (!receive_part(events_, part_) || part_.size() != sizeof kind + sizeof fd) return false;
        std::memcpy(&kind, part_.data(), sizeof kind);
        std::memcpy(&fd, part_.data<std::byte>() + sizeof kind, sizeof fd);
        receive_part(events_, part_);
        event = {fd, kind == ZMQ_EVENT_DISCONNECTED};
        return true;
    }
    zmq::socket_ref socket() { return events_; }

private:
    void* const socket_;
    zmq::socket_t events_;
    zmq::message_t part_;
};

/// ZeroMQ reports the end of a connection before it closes the descriptor: a descriptor without such a report is still
/// a connection.
inline void close_connection(int fd) { ::shutdown(fd, SHUT_RDWR); }

}  // namespace wimax
