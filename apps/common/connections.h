// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of a listening ZeroMQ socket, one set of rules for control sockets, the PHY service access point and the
// channel. ZeroMQ accepts any number of peers and keeps them for ever; Connections closes surplus ones.
//
// A peer is a newcomer until the server calls heard() for it, and a guest from then on. A peer that keep() names is
// neither: it is never closed. Rules:
//   * guests and newcomers share `most` places; a newcomer always finds one of kNewcomers places;
//   * where there are too many, the newcomer that connected first is closed,
//     or the guest with the oldest last message;
//   * a newcomer is closed after `silence`, with or without the handshake of ZeroMQ;
//   * where descriptors have run out (common/accept_gate.h), a socket with more than kNewcomers of them closes one at
//     each enforce().
#pragma once

#include "common/zmq_socket.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

namespace wimax {

class Connections {
public:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        size_t most;
        std::chrono::milliseconds silence{2000};
    };
    static constexpr size_t kNewcomers = 4;

    /// Before the socket is bound. Ends before the socket.
    Connections(zmq::context_t& context, zmq::socket_t& socket, Limits limits);

    /// Updates opened and closed connections. Call it before heard(), keep() and release() of a received message:
    /// ZeroMQ reports a connection before its first message. False: no change.
    bool update(Clock::time_point now);
    /// Closes the connections that the limits do not allow.
    void enforce(Clock::time_point now);

    /// A valid message came over this connection (ZMQ_SRCFD of the message). Unknown descriptors are ignored.
    void heard(int fd, Clock::time_point now);
    void keep(int fd);
    void release(int fd, Clock::time_point now);
    bool knows(int fd) const { return all_.contains(fd); }
    /// False also when the connection has ended and another one has its descriptor.
    bool keeps(int fd) const;

    size_t count() const { return all_.size(); }
    /// Readable when there is something for update().
    zmq::socket_ref events() { return monitor_.socket(); }

private:
    enum class Rank : uint8_t { newcomer, guest, kept, closing };
    struct Connection {
        Rank rank = Rank::newcomer;
        Clock::time_point since;  ///< time of accept or of the last heard()
    };
    size_t count(Rank rank) const;
    void close_oldest(Rank rank);

    const Limits limits_;
    ConnectionMonitor monitor_;
    std::map<int, Connection> all_;  ///< by descriptor
    uint64_t refused_ = 0;           ///< refused_connections() at the last enforce()
};

}  // namespace wimax
