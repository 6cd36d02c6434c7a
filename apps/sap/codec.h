// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes and decodes messages of the PHY service access point (phy_sap.proto plus payload parts), with validation of
// every field. decode() accepts any input: it returns faults, and allocates no more memory than the input justifies.
#pragma once

#include "common/faults.h"
#include "sap/port.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wimax::sap {

/// Bounds of the lists, far above the content of a frame.
inline constexpr size_t kMaxBursts = 1024;
inline constexpr size_t kMaxTexts = 64;
inline constexpr size_t kMaxTextBytes = 512;
inline constexpr int64_t kMaxPartBytes = 1 << 20;  ///< a longer part is not taken: off a socket, out of a recording

/// Faults that are kept of one message: a hostile one cannot fill a log.
inline constexpr size_t kMaxFaults = 16;

/// Every field of the message against its range (messages.h).
Faults validate(const MessageRef& message);

struct Envelope {
    uint32_t sequence = 0;
    uint64_t mac_session = 0, phy_session = 0;
    /// Empty: a probe.
    std::optional<Message> message;
};

using Part = std::span<const uint8_t>;

/// Keeps its buffers, so that a steady exchange does not allocate.
class Codec {
public:
    Codec();
    ~Codec();
    Codec(Codec&&) noexcept;

    /// Wire form: `header()` then `payloads()`, which point into the message. nullopt message: probe.
    void encode(const std::optional<MessageRef>& message, uint32_t sequence, uint64_t mac_session,
                uint64_t phy_session);
    Part header() const { return {reinterpret_cast<const uint8_t*>(header_.data()), header_.size()}; }
    std::span<const Part> payloads() const { return payloads_; }

    /// parts[0] is the header. Session numbers inside the message are set from the envelope.
    tl::expected<Envelope, Faults> decode(std::span<const Part> parts);
    /// Replacement for a message that decode() refused, if a program waits for it. For a TxFrame or RxExpect of this
    /// schema version: its envelope with an empty message for the same frame. For a ConfigRequest: a default one, to be
    /// refused by a ConfigConfirm.
    const std::optional<Envelope>& refused() const { return refused_; }

private:
    template <class M> void add_payloads(const M& message);

    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::string header_;
    std::vector<Part> payloads_;
    std::optional<Envelope> refused_;
};

/// One line for logs: "TxFrame 1234: 3 bursts, 812 bytes".
std::string summary(const MessageRef& message);

}  // namespace wimax::sap
