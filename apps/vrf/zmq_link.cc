// SPDX-License-Identifier: GPL-3.0-or-later
// ZeroMQ, between hosts: the channel's ROUTER, one DEALER per radio. Messages are one octet of kind and the structure
// (Hello, Welcome), or the header and its samples in a second part. TX samples end with the last channel that sends;
// there are none when silent. A killed process is noticed at once, by its closed connection (socket monitor); a dead
// host or cable by missing heartbeats, which idle ends send. The latter takes longer, so that a busy machine does not
// look dead.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <optional>

#include "common/connections.h"
#include "vrf/link.h"

namespace wimax::vrf {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kHeartbeat = 50ms, kDeath = 2000ms;

constexpr int kQueue = 64, kLingerMs = 100;  // nothing may accumulate, the last message (BYE) may be sent
constexpr int64_t kMaxPart = kMaxTxChannels * kMaxChunkSamples * sizeof(Sample);  // a longer message ends its
                                                                                  // connection
constexpr size_t kMostParts = 8;        // most parts that are read; no valid message has more
constexpr int kMessagesPerTurn = 1000;  // more than radios have in transit; the rest is read in the next turn
constexpr int kMalformedPerTurn = 100;
constexpr Connections::Limits kStrangers{64, 2000ms};  // connections without a radio

enum Kind : uint8_t { kHello, kWelcome, kTx, kRx, kBeat, kBye };

struct Message {
    std::string peer;  ///< ROUTER only
    int fd = -1;       ///< of the connection that delivered it
    Kind kind{};
    std::string body, samples;
};

std::span<const std::byte> octets(const std::string& text) { return std::as_bytes(std::span(text)); }

class Socket {
public:
    explicit Socket(zmq::socket_type type) : socket_(context_, type), router_(type == zmq::socket_type::router) {
        if (router_) connections_.emplace(context_, socket_, kStrangers);
        else monitor_.emplace(context_, socket_);
        socket_.set(zmq::sockopt::linger, kLingerMs);
        socket_.set(zmq::sockopt::sndhwm, kQueue);
        socket_.set(zmq::sockopt::rcvhwm, kQueue);
        socket_.set(zmq::sockopt::maxmsgsize, kMaxPart);
    }
    void bind(const std::string& address) { socket_.bind(address); }
    void connect(const std::string& address) { socket_.connect(address); }

    bool send(const std::string& peer, Kind kind, const void* body, size_t size, const Sample* samples = nullptr,
              size_t count = 0) {
        if (router_ && send_part(socket_, zmq::buffer(peer), true) != Sent::yes) return false;
        return send_part(socket_, zmq::buffer(&kind, 1), true) == Sent::yes &&
               send_part(socket_, zmq::buffer(body, size), true) == Sent::yes &&
               send_part(socket_, zmq::buffer(samples, count * sizeof(Sample)), false) == Sent::yes;
    }

    /// Reads one whole message if there is one; skips malformed ones.
    bool receive(Message& message) {
        std::vector<std::string> parts;
        for (int i = 0; i < kMalformedPerTurn && read_parts(parts); ++i) {
            const size_t skip = router_ ? 1 : 0;
            if (parts.size() != skip + 3 || parts[skip].size() != 1) continue;
            if (router_) message.peer = std::move(parts[0]);
            message.fd = fd_;
            message.kind = Kind(parts[skip][0]);
            message.body = std::move(parts[skip + 1]);
            message.samples = std::move(parts[skip + 2]);
            return true;
        }
        return false;
    }

    /// Waits for a message or a closed connection.
    bool wait(int timeout_ms) {
        zmq::pollitem_t items[] = {{socket_, 0, ZMQ_POLLIN, 0}, {events().handle(), 0, ZMQ_POLLIN, 0}};
        return wait_for(items, std::chrono::milliseconds(timeout_ms));
    }

    /// DEALER only: a connection opened or closed since the last call; false: none.
    bool next(ConnectionEvent& event) { return monitor_->next(event); }
    /// ROUTER only.
    Connections& connections() { return *connections_; }

    int poll_fd() { return socket_.get(zmq::sockopt::fd); }
    int monitor_fd() { return events().get(zmq::sockopt::fd); }

private:
    zmq::socket_ref events() { return router_ ? connections_->events() : monitor_->socket(); }
    bool read_parts(std::vector<std::string>& parts) {
        parts.clear();
        for (zmq::message_t part;;) {
            if (!receive_part(socket_, part)) return false;
            if (parts.size() < kMostParts) parts.push_back(part.to_string());
            fd_ = source_of(part);
            if (!part.more()) return true;
        }
    }

    zmq::context_t context_;
    zmq::socket_t socket_;
    std::optional<ConnectionMonitor> monitor_;  // of a DEALER
    std::optional<Connections> connections_;    // of a ROUTER
    const bool router_;
    int fd_ = -1;
};

/// A chunk in private memory.
template <typename Header> struct Buffer {
    Header header;
    std::vector<Sample> samples;
    Chunk<Header> chunk() { return {&header, samples.data()}; }
};

template <typename Header>
bool unpack_chunk(const Message& message, uint32_t chunk_samples, size_t channels, Buffer<Header>& buffer) {
    if (chunk_samples == 0) return false;  // not known yet: the radio has not awaited the Welcome
    buffer.samples.resize(channels * chunk_samples);
    return read_chunk(octets(message.body), octets(message.samples), buffer.header, buffer.samples, chunk_samples);
}

class ZmqRadioLink : public RadioLink {
public:
    ZmqRadioLink(std::unique_ptr<Socket> socket, const Welcome& welcome, size_t tx_channels)
        : socket_(std::move(socket)), welcome_(welcome) {
        tx_.samples.resize(tx_channels * welcome.chunk_samples);
    }
    ~ZmqRadioLink() override { socket_->send("", kBye, nullptr, 0); }
    const Welcome& welcome() const override { return welcome_; }
    TxChunk tx_chunk() override { return tx_.chunk(); }
    bool send() override {
        const size_t count = size_t(std::bit_width(tx_.header.sending)) * welcome_.chunk_samples;
        sent_ = Clock::now();
        return socket_->send("", kTx, &tx_.header, sizeof tx_.header, tx_.samples.data(), count);
    }
    void wake() override {}
    RxChunk receive(int timeout_ms) override {
        if (received_.empty() && socket_->wait(std::min(timeout_ms, 20))) read_all();
        return next();
    }
    RxChunk next() override { return received_.empty() ? RxChunk{} : received_.front().chunk(); }
    void release() override { received_.pop_front(); }
    bool alive() override {
        read_all();
        for (ConnectionEvent event; socket_->next(event);) bye_ = bye_ || event.closed;
        const auto now = Clock::now();
        if (now - sent_ > kHeartbeat) {
            socket_->send("", kBeat, nullptr, 0);
            sent_ = now;
        }
        // After a long pause the peer's heartbeats are in the queue: read them before judging.
        return !bye_ && now - heard_ < kDeath;
    }

private:
    void read_all() {
        for (Message message; socket_->receive(message);) {
            heard_ = Clock::now();
            if (message.kind == kBye) bye_ = true;
            Buffer<RxHeader> buffer;
            if (message.kind == kRx && received_.size() < 2 * kRingSlots &&
                unpack_chunk(message, welcome_.chunk_samples, 1, buffer))
                received_.push_back(std::move(buffer));
        }
    }

    std::unique_ptr<Socket> socket_;
    Welcome welcome_;
    Buffer<TxHeader> tx_;
    std::deque<Buffer<RxHeader>> received_;
    Clock::time_point sent_ = Clock::now(), heard_ = Clock::now();
    bool bye_ = false;
};

struct ZmqPeer {
    std::string id;
    int fd = -1;
    Hello hello;
    uint32_t chunk_samples = 0;
    bool alive = true;
    std::deque<Buffer<TxHeader>> received;
    Buffer<RxHeader> rx;
    uint64_t outstanding = 0;
    Clock::time_point sent = Clock::now(), heard = Clock::now();
};

class ZmqRadioPort : public RadioPort {
public:
    ZmqRadioPort(std::shared_ptr<Socket> socket, std::shared_ptr<ZmqPeer> peer)
        : socket_(std::move(socket)), peer_(std::move(peer)) {}
    ~ZmqRadioPort() override {
        if (peer_->alive) socket_->send(peer_->id, kBye, nullptr, 0);
        peer_->alive = false;
    }
    const Hello& hello() const override { return peer_->hello; }
    bool answer(const Welcome& welcome) override {
        if (welcome.accepted) {
            peer_->chunk_samples = welcome.chunk_samples;
            peer_->rx.samples.resize(welcome.chunk_samples);
        }
        return socket_->send(peer_->id, kWelcome, &welcome, sizeof welcome);
    }
    bool alive() override { return peer_->alive; }
    TxChunk front() override { return peer_->received.empty() ? TxChunk{} : peer_->received.front().chunk(); }
    void pop() override { peer_->received.pop_front(); }
    RxChunk rx_chunk() override { return peer_->outstanding >= kRingSlots ? RxChunk{} : peer_->rx.chunk(); }
    void push() override {
        ++peer_->outstanding;
        peer_->sent = Clock::now();
        const auto& rx = peer_->rx;
        socket_->send(peer_->id, kRx, &rx.header, sizeof rx.header, rx.samples.data(),
                      rx.header.omitted ? 0 : rx.samples.size());
    }
    void wake() override {}  // ZeroMQ has its own thread, which wakes the radio

private:
    std::shared_ptr<Socket> socket_;
    std::shared_ptr<ZmqPeer> peer_;
};

class ZmqListener : public Listener {
public:
    explicit ZmqListener(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}
    ~ZmqListener() override {
        for (auto& [id, peer] : peers_) socket_->send(id, kBye, nullptr, 0);
    }
    int max_wait_ms() const override { return 20; }  // ZMQ_FD is edge-triggered, and heartbeats must be sent
    void add_poll(std::vector<pollfd>& fds) override {
        fds.push_back({socket_->poll_fd(), POLLIN, 0});
        fds.push_back({socket_->monitor_fd(), POLLIN, 0});
    }

    std::vector<std::unique_ptr<RadioPort>> process() override {
        std::vector<std::unique_ptr<RadioPort>> fresh;
        const auto now = Clock::now();
        Message message;
        for (int i = 0; i < kMessagesPerTurn && socket_->receive(message); ++i) {
            look_at_connections(now);
            handle(message, fresh);
        }
        look_at_connections(now);
        for (auto& [id, peer] : peers_) {
            if (now - peer->sent > kHeartbeat) {
                socket_->send(id, kBeat, nullptr, 0);
                peer->sent = now;
            }
            if (now - peer->heard > kDeath) peer->alive = false;
        }
        std::erase_if(peers_, [&](const auto& entry) {
            if (entry.second->alive) return false;
            connections().release(entry.second->fd, now);
            return true;
        });
        connections().enforce(now);
        return fresh;
    }

private:
    Connections& connections() { return socket_->connections(); }

    /// Marks radios with a closed connection as gone.
    void look_at_connections(Clock::time_point now) {
        if (!connections().update(now)) return;
        for (auto& [id, peer] : peers_)
            if (!connections().keeps(peer->fd)) peer->alive = false;
    }

    void greet(const Message& message, std::vector<std::unique_ptr<RadioPort>>& fresh) {
        auto peer = std::make_shared<ZmqPeer>();
        peer->id = message.peer;
        peer->fd = message.fd;
        if (message.body.size() != sizeof peer->hello || !connections().knows(message.fd)) return;  // or already closed
        std::memcpy(&peer->hello, message.body.data(), sizeof peer->hello);
        peer->hello.name[sizeof peer->hello.name - 1] = 0;
        const auto old = peers_.find(message.peer);
        if (old != peers_.end()) {
            old->second->alive = false;
        } else if (peers_.size() >= kMaxRadios) {
            const Welcome refusal = too_many_radios();
            socket_->send(message.peer, kWelcome, &refusal, sizeof refusal);
            return;
        }
        connections().keep(message.fd);
        peers_[message.peer] = peer;
        fresh.push_back(std::make_unique<ZmqRadioPort>(socket_, peer));
    }

    void handle(Message& message, std::vector<std::unique_ptr<RadioPort>>& fresh) {
        if (message.kind == kHello) return greet(message, fresh);
        const auto found = peers_.find(message.peer);
        if (found == peers_.end()) return;
        ZmqPeer& peer = *found->second;
        peer.heard = Clock::now();
        if (message.kind == kBye) peer.alive = false;
        Buffer<TxHeader> buffer;
        if (message.kind == kTx && peer.received.size() < 2 * kRingSlots &&
            unpack_chunk(message, peer.chunk_samples, peer.hello.tx_channels, buffer)) {
            // Lock-step: a TX chunk acknowledges the RX chunk before it.
            peer.outstanding = peer.outstanding > 0 ? peer.outstanding - 1 : 0;
            peer.received.push_back(std::move(buffer));
        }
    }

    std::shared_ptr<Socket> socket_;
    std::map<std::string, std::shared_ptr<ZmqPeer>> peers_;
};

}  // namespace

tl::expected<std::unique_ptr<RadioLink>, Fault> zmq_attach(const std::string& address, const Hello& hello,
                                                           int timeout_ms) {
    auto opened = attempt("cannot connect to " + address, [&] {
        auto made = std::make_unique<Socket>(zmq::socket_type::dealer);
        made->connect(address);
        return made;
    });
    if (!opened) return tl::unexpected(opened.error());
    auto& socket = *opened;
    if (!socket->send("", kHello, &hello, sizeof hello)) return failure(address, "cannot say hello");
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
    for (Message message;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0 || !socket->wait(int(left))) return failure(address, "no wimax-channeld there");
        for (ConnectionEvent event; socket->next(event);) continue;  // the socket connects again
        if (!socket->receive(message) || message.kind != kWelcome) continue;
        return read_welcome(octets(message.body), hello).map([&](const Welcome& welcome) {
            return std::unique_ptr<RadioLink>(
                std::make_unique<ZmqRadioLink>(std::move(socket), welcome, hello.tx_channels));
        });
    }
}

tl::expected<std::unique_ptr<Listener>, DaemonFault> zmq_listen(const std::string& address) {
    return attempt("cannot listen at " + address, [&]() -> std::unique_ptr<Listener> {
        auto socket = std::make_shared<Socket>(zmq::socket_type::router);
        socket->bind(address);
        return std::make_unique<ZmqListener>(std::move(socket));
    });
}

}  // namespace wimax::vrf
