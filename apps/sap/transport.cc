// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/transport.h"
#include "sap/codec.h"
#include "sap/random_session.h"

#include "common/address.h"
#include "common/connections.h"
#include "common/log.h"
#include "common/zmq_socket.h"

#include <deque>
#include <memory>
#include <utility>

#if defined(__SANITIZE_THREAD__)
// Debian's libzmq is not instrumented: the sanitizer cannot see how its queues hand messages from thread to thread.
extern "C" const char* __tsan_default_suppressions() { return "race:libzmq.so\ncalled_from_lib:libzmq.so\n"; }
#endif

namespace wimax::sap {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kProbeInterval{50};
constexpr milliseconds kSilence{200};
constexpr milliseconds kRetry{10};
constexpr milliseconds kConnectionCheck{50};  ///< interval of the PHY
constexpr Connections::Limits kPeers{16, milliseconds(2000)};
constexpr milliseconds kAskAgain{1000};  // after a refusal
constexpr size_t kMaxDisplaced = 64;
constexpr int kMessagesPerTurn = 64;  // without news; then the time limit is checked, whatever peers send
constexpr size_t kMaxParts = kMaxBursts + 2;
constexpr int kQueueMessages = 20'000;

/// Common part of both sides: the socket, whole messages in and out, counters.
class ZmqPort : public Port {
public:
    explicit ZmqPort(zmq::socket_type type, AddressClaim claim = {})
        : claim_(std::move(claim)), socket_(context_, type) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::sndhwm, kQueueMessages);
        socket_.set(zmq::sockopt::rcvhwm, kQueueMessages);
        socket_.set(zmq::sockopt::maxmsgsize, kMaxPartBytes);
        parts_.reserve(8);
        views_.reserve(8);
    }
    ZmqPort(const ZmqPort&) = delete;
    ZmqPort& operator=(const ZmqPort&) = delete;

    const PortCounters& counters() const override { return counters_; }

protected:
    /// A host that vanishes closes nothing: over TCP, ask now and then. A process that dies closes its socket.
    void set_heartbeat(const std::string& endpoint) {
        if (!endpoint.starts_with("tcp:")) return;
        socket_.set(zmq::sockopt::heartbeat_ivl, 1000);
        socket_.set(zmq::sockopt::heartbeat_timeout, 5000);
    }

    /// `identity` empty: DEALER, no routing part.
    Sent send_encoded(const std::string& identity) {
        const auto payloads = codec_.payloads();
        if (!identity.empty())
            if (const Sent sent = send_part(socket_, zmq::buffer(identity), true); sent != Sent::yes) return sent;
        const auto send = [&](Part part, bool more, bool wait) {
            return send_part(socket_, zmq::buffer(part.data(), part.size()), more, wait);
        };
        if (const Sent sent = send(codec_.header(), !payloads.empty(), false); sent != Sent::yes) return sent;
        // Once the first part is accepted the rest of the message is, too.
        for (size_t i = 0; i < payloads.size(); ++i) send(payloads[i], i + 1 < payloads.size(), true);
        return Sent::yes;
    }

    /// Receives one whole multipart into parts_; false: nothing there.
    bool receive() {
        parts_.clear();
        views_.clear();
        source_ = -1;
        bool more = true;
        size_t dropped = 0;
        while (more) {
            zmq::message_t part;
            if (!receive_part(socket_, part, !parts_.empty())) return false;
            more = part.more();
            if (source_ < 0) source_ = source_of(part);
            if (parts_.size() < kMaxParts) parts_.push_back(std::move(part));
            else ++dropped;
        }
        for (const auto& part : parts_) views_.emplace_back(part.data<uint8_t>(), part.size());
        if (dropped == 0) return true;
        views_.emplace_back();  // no message has that many parts: decode() refuses it
        return true;
    }

    /// Waits for the socket or one of `also`; false on time-out.
    bool wait(milliseconds timeout, std::span<const int> also) {
        items_.clear();
        items_.push_back({socket_, 0, ZMQ_POLLIN, 0});
        for (const int fd : also)
            if (fd >= 0) items_.push_back({nullptr, fd, ZMQ_POLLIN, 0});
        wait_for(items_, timeout);
        woken_by_other_ = false;
        for (size_t i = 1; i < items_.size(); ++i) woken_by_other_ |= items_[i].revents != 0;
        return (items_[0].revents & ZMQ_POLLIN) != 0;
    }

    std::optional<Envelope> decode(std::span<const Part> parts) {
        auto envelope = codec_.decode(parts);
        if (envelope) return std::move(*envelope);
        faults_ = envelope.error().str();
        // The first ones are logged; a flood is only counted.
        if (++counters_.malformed <= 10)
            log::layer("sap").warn(log::kNoFrame, "message dropped: {}", envelope.error().str());
        return std::nullopt;
    }

    /// Counts a message that was not sent.
    bool unsent() {
        ++counters_.unsent;
        return false;
    }
    /// Counts a message that is not handed on, by its reason.
    std::nullopt_t drop(uint64_t PortCounters::*reason) {
        ++(counters_.*reason);
        return std::nullopt;
    }

    /// True for messages of the session's air interface and of all air interfaces.
    bool fits(const Message& message, AirInterface phy) {
        if (std::visit([phy](const auto& m) { return belongs_to(phy, m); }, message)) return true;
        if (++counters_.malformed <= 10)
            log::layer("sap").warn(log::kNoFrame, "message dropped: {}: not of the session's air interface, {}",
                                   summary(as_ref(message)), static_cast<int>(phy));
        return false;
    }

    void count_sequence(uint32_t sequence) {
        const uint32_t gap = sequence - next_sequence_;
        if (have_sequence_ && gap < 1U << 31) counters_.lost += gap;
        have_sequence_ = true;
        next_sequence_ = sequence + 1;
    }

    AddressClaim claim_;  // destroyed after the socket; removes the socket's file
    zmq::context_t context_;
    zmq::socket_t socket_;
    Codec codec_;
    PortCounters counters_;
    std::string faults_;  // of the last message refused
    uint32_t sequence_ = 0;
    uint32_t next_sequence_ = 0;
    bool have_sequence_ = false;
    bool woken_by_other_ = false;
    int source_ = -1;  // descriptor of the connection of the last message
    std::vector<zmq::message_t> parts_;
    std::vector<Part> views_;
    std::vector<zmq::pollitem_t> items_;
};

class PhyPort final : public ZmqPort {
public:
    PhyPort(const std::string& endpoint, AddressClaim claim)
        : ZmqPort(zmq::socket_type::router, std::move(claim)),
          phy_session_(random_session()),
          connections_(context_, socket_, kPeers) {
        socket_.set(zmq::sockopt::router_mandatory, true);
        set_heartbeat(endpoint);
        const ActingAs owner(claim_.acting_for());
        socket_.bind(claim_.address());
    }

    using Port::send;
    bool send(const MessageRef& message) override {
        if (const auto* const* confirm = std::get_if<const ConfigConfirm*>(&message)) return answer(**confirm);
        if (!alive_) return unsent();
        codec_.encode(message, sequence_, peer_.session, phy_session_);
        return sent(send_encoded(peer_.identity));
    }

    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        const bool endless = timeout.count() < 0;
        const auto end = Clock::now() + timeout;
        for (;;) {
            limit_connections();
            for (int i = 0; i < kMessagesPerTurn && receive(); ++i)
                if (auto message = accept()) return message;
            const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
            if (!endless && left.count() <= 0) return std::nullopt;
            const milliseconds nap = endless ? kConnectionCheck : std::min(left, kConnectionCheck);
            if (!wait(nap, also) && woken_by_other_) return std::nullopt;
        }
    }

    bool peer_alive() override {
        if (!alive_) return false;
        const auto now = Clock::now();
        if (now - probed_ < kProbeInterval) return true;
        probed_ = now;
        codec_.encode(std::nullopt, sequence_, peer_.session, phy_session_);
        const Sent result = send_encoded(peer_.identity);
        if (result == Sent::yes) ++sequence_;
        if (result == Sent::no_peer) lose_peer();
        return alive_;
    }

    uint64_t mac_session() const override { return alive_ ? peer_.session : 0; }
    uint64_t phy_session() const override { return phy_session_; }

private:
    struct Peer {
        std::string identity;
        uint64_t session = 0;
        std::optional<ConfigRequest> request;  ///< the last one, unless it was refused
        AirInterface phy = AirInterface::ofdm256;
    };

    void limit_connections() {
        const auto now = Clock::now();
        if (now - limited_ < kConnectionCheck) return;
        limited_ = now;
        connections_.update(now);
        connections_.enforce(now);
    }

    /// Records the connection of a valid message; `of_peer`: from the current MAC. Its connection is kept, and its
    /// previous one is not.
    void note_source(bool of_peer) {
        if (of_peer && source_ == peer_source_ && connections_.keeps(source_)) return;
        const auto now = Clock::now();
        connections_.update(now);
        connections_.heard(source_, now);
        if (!of_peer) return;
        connections_.release(std::exchange(peer_source_, source_), now);
        connections_.keep(source_);
    }

    bool sent(Sent result) {
        if (result == Sent::yes) {
            ++sequence_;
            ++counters_.sent;
            return true;
        }
        if (result == Sent::no_peer) lose_peer();
        return unsent();
    }

    void lose_peer() {
        if (alive_) log::layer("sap").warn(log::kNoFrame, "MAC of session {:016x} is gone", peer_.session);
        alive_ = false;
    }

    /// The program's response to the last ConfigRequest handed out. Without a new request it applies to the peer: its
    /// session restarts because the time base does.
    bool answer(const ConfigConfirm& confirm) {
        if (candidate_.session == 0 && !alive_) return unsent();
        const Peer mac = candidate_.session == 0 ? peer_ : std::exchange(candidate_, {});
        if (confirm.faults.empty()) {
            if (peer_.session != 0 && peer_.session != mac.session) {
                displaced_.push_back(peer_.session);
                if (displaced_.size() > kMaxDisplaced) displaced_.pop_front();
            }
            std::erase(displaced_, mac.session);
            peer_ = mac;
            alive_ = true;
            sequence_ = 0;
            have_sequence_ = false;
            confirm_ = confirm;
            log::layer("sap").info(log::kNoFrame, "MAC of session {:016x} accepted", mac.session);
        }
        // The program judges the next request, even if it is the one in force before.
        if (!confirm.faults.empty() && mac.session == peer_.session) peer_.request.reset();
        codec_.encode(MessageRef(&confirm), sequence_, mac.session, phy_session_);
        const Sent result = send_encoded(mac.identity);
        if (confirm.faults.empty()) return sent(result);
        return result == Sent::yes;
    }

    bool is_displaced(uint64_t session) const {
        for (const uint64_t old : displaced_)
            if (old == session) return true;
        return false;
    }

    std::optional<Message> accept() {
        if (views_.size() < 2) return drop(&PortCounters::malformed);
        auto envelope = decode(std::span(views_).subspan(1));
        if (!envelope) return accept_refused();
        if (!envelope->message) return std::nullopt;
        note_source(alive_ && envelope->mac_session == peer_.session && envelope->phy_session == phy_session_);
        const std::string identity(reinterpret_cast<const char*>(views_[0].data()), views_[0].size());

        if (std::holds_alternative<ConfigRequest>(*envelope->message)) {
            if (envelope->mac_session == 0) return drop(&PortCounters::malformed);
            if (alive_ && is_displaced(envelope->mac_session))
                return refuse_displaced({identity, envelope->mac_session, {}, {}});
            const auto& request = std::get<ConfigRequest>(*envelope->message);
            if (envelope->mac_session == peer_.session && request == peer_.request)
                return confirm_again(identity, *envelope);
            candidate_ = {identity, envelope->mac_session, request, request.phy};
            ++counters_.received;
            return std::move(envelope->message);
        }
        const bool from_mac = std::holds_alternative<ProfilesRequest>(*envelope->message) ||
                              std::holds_alternative<TxFrame>(*envelope->message) ||
                              std::holds_alternative<RxExpect>(*envelope->message);
        if (!from_mac) return drop(&PortCounters::malformed);
        if (envelope->mac_session != peer_.session || envelope->phy_session != phy_session_)
            return drop(&PortCounters::stale);
        if (!fits(*envelope->message, peer_.phy)) return std::nullopt;
        count_sequence(envelope->sequence);
        ++counters_.received;
        return std::move(envelope->message);
    }

    /// Refuses a request with invalid values: the MAC would otherwise wait for a confirmation.
    std::nullopt_t refuse_request(const Envelope& request) {
        if (request.mac_session == 0) return std::nullopt;
        if (request.mac_session == peer_.session) peer_.request.reset();
        ConfigConfirm refusal;
        refusal.faults = {faults_.substr(0, kMaxTextBytes)};
        const std::string identity(reinterpret_cast<const char*>(views_[0].data()), views_[0].size());
        codec_.encode(MessageRef(&refusal), sequence_, request.mac_session, phy_session_);
        send_encoded(identity);
        return std::nullopt;
    }

    /// Invalid response from the current MAC: the MAC is informed, and the program gets an empty response instead.
    std::optional<Message> accept_refused() {
        const auto envelope = codec_.refused();
        if (envelope && std::holds_alternative<ConfigRequest>(*envelope->message)) return refuse_request(*envelope);
        if (!envelope || envelope->mac_session != peer_.session || envelope->phy_session != phy_session_)
            return std::nullopt;
        if (!fits(*envelope->message, peer_.phy)) return std::nullopt;
        count_sequence(envelope->sequence);
        Message message = *envelope->message;
        ErrorIndication error;
        error.kind = ErrorKind::invalid;
        error.frame_number = std::visit(
            [](const auto& m) {
                if constexpr (requires { m.frame_number; }) return m.frame_number;
                return FrameNumber();
            },
            message);
        error.detail = faults_.substr(0, kMaxTextBytes);
        send(error);
        return message;
    }

    /// The peer received nothing for a while; it may use a new connection.
    std::optional<Message> confirm_again(const std::string& identity, const Envelope& envelope) {
        peer_.identity = identity;
        alive_ = true;
        count_sequence(envelope.sequence);
        codec_.encode(MessageRef(&confirm_), sequence_, peer_.session, phy_session_);
        sent(send_encoded(peer_.identity));
        return std::nullopt;
    }

    std::optional<Message> refuse_displaced(const Peer& mac) {
        ++counters_.stale;
        ConfigConfirm refusal;
        refusal.superseded = true;
        refusal.faults = {
            "mac_session: a newer MAC has taken this PHY, allowed one at a time; waiting until it disconnects"};
        codec_.encode(MessageRef(&refusal), 0, mac.session, phy_session_);
        send_encoded(mac.identity);
        return std::nullopt;
    }

    const uint64_t phy_session_;
    Peer peer_, candidate_;
    bool alive_ = false;
    Clock::time_point probed_{}, limited_{};
    int peer_source_ = -1;  // descriptor of the peer's connection
    ConfigConfirm confirm_;
    std::deque<uint64_t> displaced_;
    Connections connections_;
};

class MacPort final : public ZmqPort {
public:
    explicit MacPort(const std::string& endpoint) : ZmqPort(zmq::socket_type::dealer), mac_session_(random_session()) {
        socket_.set(zmq::sockopt::immediate, true);  // nothing queues up for a PHY that is not there
        socket_.set(zmq::sockopt::reconnect_ivl, 10);
        socket_.set(zmq::sockopt::reconnect_ivl_max, 100);
        set_heartbeat(endpoint);
        socket_.connect(endpoint);
    }

    using Port::send;
    bool send(const MessageRef& message) override {
        if (const auto* const* request = std::get_if<const ConfigRequest*>(&message)) {
            request_ = **request;
            refused_ = false;
            return ask();
        }
        if (phy_session_ == 0) return unsent();
        return transmit(message);
    }

    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        const bool endless = timeout.count() < 0;
        const auto end = Clock::now() + timeout;
        for (;;) {
            for (int i = 0; i < kMessagesPerTurn && receive(); ++i)
                if (auto message = accept()) return message;
            const auto now = Clock::now();
            auto until_ask = std::chrono::ceil<milliseconds>(std::max(heard_, asked_) + ask_after() - now);
            if (request_ && until_ask.count() <= 0) {
                ask();
                until_ask = ask_after();
            }
            const auto left = std::chrono::ceil<milliseconds>(end - now);
            if (!endless && left.count() <= 0) return std::nullopt;
            milliseconds nap = endless ? milliseconds(-1) : left;
            if (request_) nap = endless ? until_ask : std::min(nap, until_ask);
            if (!wait(nap, also) && woken_by_other_) return std::nullopt;
        }
    }

    bool peer_alive() override { return phy_session_ != 0 && Clock::now() - heard_ < kSilence; }
    uint64_t mac_session() const override { return mac_session_; }
    uint64_t phy_session() const override { return phy_session_; }

private:
    bool transmit(const MessageRef& message) {
        codec_.encode(message, sequence_, mac_session_, phy_session_);
        if (send_encoded({}) != Sent::yes) return unsent();
        ++sequence_;
        ++counters_.sent;
        return true;
    }

    milliseconds ask_after() const { return asked_in_vain_ ? kRetry : refused_ ? kAskAgain : kSilence; }

    bool ask() {
        asked_ = Clock::now();
        asked_in_vain_ = !transmit(MessageRef(&*request_));
        if (asked_in_vain_) --counters_.unsent;  // no loss: the request will be repeated
        return !asked_in_vain_;
    }

    std::optional<Message> accept() {
        auto envelope = decode(views_);
        if (!envelope) return std::nullopt;
        if (envelope->mac_session != mac_session_) return drop(&PortCounters::stale);
        if (!envelope->message) {
            if (envelope->phy_session == phy_session_) hear(*envelope);
            return std::nullopt;
        }
        if (const auto* confirm = std::get_if<ConfigConfirm>(&*envelope->message)) {
            // A MAC that waits for its PHY repeats the request. Its program sees the refusal once.
            const bool told = std::exchange(superseded_, confirm->superseded);
            // A session counts from 0: it may have been another MAC's for a while without our hearing of it.
            const bool anew = envelope->phy_session != phy_session_ ||
                              (envelope->sequence == 0 && have_sequence_ && next_sequence_ > 1);
            const bool news = confirm->faults.empty() ? anew : !(told && superseded_);
            if (superseded_) phy_session_ = 0;
            refused_ = !confirm->faults.empty() && !superseded_;
            if (confirm->faults.empty()) {
                if (anew) have_sequence_ = false;
                phy_session_ = envelope->phy_session;
            }
            hear(*envelope);
            if (!news) return std::nullopt;
            ++counters_.received;
            return std::move(envelope->message);
        }
        const bool from_phy = std::holds_alternative<FrameTick>(*envelope->message) ||
                              std::holds_alternative<RxBurst>(*envelope->message) ||
                              std::holds_alternative<ErrorIndication>(*envelope->message) ||
                              std::holds_alternative<RxContention>(*envelope->message);
        if (!from_phy) return drop(&PortCounters::malformed);
        if (envelope->phy_session != phy_session_ || phy_session_ == 0) return drop(&PortCounters::stale);
        hear(*envelope);
        ++counters_.received;
        return std::move(envelope->message);
    }

    void hear(const Envelope& envelope) {
        heard_ = Clock::now();
        count_sequence(envelope.sequence);
    }

    const uint64_t mac_session_;
    uint64_t phy_session_ = 0;
    std::optional<ConfigRequest> request_;
    Clock::time_point heard_{}, asked_{};
    bool asked_in_vain_ = false;  // there was no connection
    bool superseded_ = false;     // another MAC has the PHY
    bool refused_ = false;        // the last request
};

}  // namespace

tl::expected<std::unique_ptr<Port>, DaemonFault> open_phy_port(const std::string& endpoint) {
    const auto address = expand_address(endpoint);
    return AddressClaim::take(address).and_then([&](AddressClaim claim) {
        return attempt(address,
                       [&]() -> std::unique_ptr<Port> { return std::make_unique<PhyPort>(address, std::move(claim)); });
    });
}

tl::expected<std::unique_ptr<Port>, DaemonFault> open_mac_port(const std::string& endpoint) {
    const auto address = expand_address(endpoint);
    if (const auto safe = check_server(address); !safe) return tl::unexpected(DaemonFault{safe.error()});
    return attempt(address, [&]() -> std::unique_ptr<Port> { return std::make_unique<MacPort>(address); });
}

}  // namespace wimax::sap
