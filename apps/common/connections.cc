// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/connections.h"
#include "common/accept_gate.h"

#include <algorithm>
#include <utility>

namespace wimax {

Connections::Connections(zmq::context_t& context, zmq::socket_t& socket, Limits limits)
    : limits_(limits), monitor_(context, socket) {
    guard_descriptors();
    socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(limits.silence.count()));
}

bool Connections::update(Clock::time_point now) {
    bool changed = false;
    for (ConnectionEvent event; monitor_.next(event); changed = true) {
        if (event.closed) all_.erase(event.fd);
        else all_[event.fd] = {Rank::newcomer, now};
    }
    return changed;
}

bool Connections::keeps(int fd) const {
    const auto found = all_.find(fd);
    return found != all_.end() && found->second.rank == Rank::kept;
}

size_t Connections::count(Rank rank) const {
    return static_cast<size_t>(
        std::count_if(all_.begin(), all_.end(), [rank](const auto& entry) { return entry.second.rank == rank; }));
}

void Connections::close_oldest(Rank rank) {
    const auto before = [rank](const auto& a, const auto& b) {
        if ((a.second.rank == rank) != (b.second.rank == rank)) return a.second.rank == rank;
        return a.second.since < b.second.since;
    };
    const auto oldest = std::min_element(all_.begin(), all_.end(), before);
    close_connection(oldest->first);
    oldest->second.rank = Rank::closing;
}

void Connections::enforce(Clock::time_point now) {
    if (all_.empty()) return;
    for (auto& [fd, connection] : all_) {
        if (connection.rank != Rank::newcomer || now - connection.since < limits_.silence) continue;
        close_connection(fd);
        connection.rank = Rank::closing;
    }
    size_t guests = count(Rank::guest), newcomers = count(Rank::newcomer);
    for (; guests > limits_.most; --guests) close_oldest(Rank::guest);
    for (const size_t places = std::max(kNewcomers, limits_.most - guests); newcomers > places; --newcomers)
        close_oldest(Rank::newcomer);
    const uint64_t before = std::exchange(refused_, refused_connections());
    if (refused_ == before || newcomers + guests <= kNewcomers) return;
    close_oldest(newcomers > 0 ? Rank::newcomer : Rank::guest);  // no descriptors are left for the next peer
}

void Connections::heard(int fd, Clock::time_point now) {
    const auto found = all_.find(fd);
    if (found == all_.end() || found->second.rank > Rank::guest) return;
    found->second = {Rank::guest, now};
}

void Connections::keep(int fd) {
    const auto found = all_.find(fd);
    if (found != all_.end() && found->second.rank != Rank::closing) found->second.rank = Rank::kept;
}

void Connections::release(int fd, Clock::time_point now) {
    const auto found = all_.find(fd);
    if (found != all_.end() && found->second.rank == Rank::kept) found->second = {Rank::newcomer, now};
}

}  // namespace wimax
