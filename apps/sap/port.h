// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of one end of the PHY service access point: send a message, poll for one. Sockets, recorders, replayers and
// fault injectors implement it, so MAC and PHY do not depend on which one they have.
//
// Call an object from one thread only. Only poll() blocks, at most for the given time.
#pragma once

#include "sap/messages.h"

#include <chrono>
#include <optional>
#include <span>
#include <variant>

namespace wimax::sap {

using Message = std::variant<ConfigRequest, ConfigConfirm, ProfilesRequest, FrameTick, TxFrame, RxExpect, RxBurst,
                             ErrorIndication, RxContention>;
/// For sending without a copy.
using MessageRef =
    std::variant<const ConfigRequest*, const ConfigConfirm*, const ProfilesRequest*, const FrameTick*, const TxFrame*,
                 const RxExpect*, const RxBurst*, const ErrorIndication*, const RxContention*>;
inline MessageRef as_ref(const Message& message) {
    return std::visit([](const auto& m) { return MessageRef(&m); }, message);
}

struct PortCounters {
    uint64_t sent = 0, received = 0;
    uint64_t unsent = 0;     ///< no peer, or its queue was full
    uint64_t stale = 0;      ///< of another session
    uint64_t malformed = 0;  ///< could not be decoded, a field out of range, or (PHY) of another air interface
    uint64_t lost = 0;       ///< gaps in the peer's sequence numbers
};

/// For statuses (common/json_object.h).
template <class V> void visit(V& v, const PortCounters& c) {
    v("sent", c.sent);
    v("received", c.received);
    v("unsent", c.unsent);
    v("stale", c.stale);
    v("malformed", c.malformed);
    v("lost", c.lost);
}

class Port {
public:
    virtual ~Port() = default;

    /// False: there is no peer or its queue is full; counted. The port replaces the session numbers in the message.
    /// Payloads are copied before it returns.
    virtual bool send(const MessageRef& message) = 0;
    template <typename T>
    requires std::is_constructible_v<MessageRef, const T*>
    bool send(const T& message) { return send(MessageRef(&message)); }

    /// The next message; waits for at most `timeout` (negative: for ever), less if one of the descriptors in `also`
    /// becomes readable.
    virtual std::optional<Message> poll(std::chrono::milliseconds timeout, std::span<const int> also = {}) = 0;

    /// PHY side: a MAC was accepted and its process runs (its end is noticed within 0.2 s if called every 50 ms while
    /// waiting). MAC side: a PHY accepted the configuration and sent a message within 200 ms.
    virtual bool peer_alive() = 0;
    /// Session numbers in force; 0: none yet.
    virtual uint64_t mac_session() const = 0;
    virtual uint64_t phy_session() const = 0;
    virtual const PortCounters& counters() const = 0;
};

}  // namespace wimax::sap
