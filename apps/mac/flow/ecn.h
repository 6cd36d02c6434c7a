// SPDX-License-Identifier: GPL-3.0-or-later
// Explicit Congestion Notification (RFC 3168): a packet whose ends support it is marked instead of dropped.
#pragma once

#include <cstdint>
#include <span>

namespace wimax::mac {

/// True if the ends of an IPv4 or IPv6 packet support ECN; also for a marked packet.
bool supports_ecn(std::span<const uint8_t> packet);
/// Marks an IPv4 or IPv6 packet as congestion experienced, and updates IPv4's header checksum. False: its ends do not
/// support ECN, or it is no such packet; nothing is changed then.
bool mark_congestion(std::span<uint8_t> packet);

}  // namespace wimax::mac
