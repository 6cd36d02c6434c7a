/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Explicit Congestion Notification (RFC 3168): a packet whose ends understand it is marked where it would be dropped.
 */
#pragma once

#include <cstdint>
#include <span>

namespace wimax::mac {

/// Marks an IPv4 or IPv6 packet as having met congestion, IPv4's header checksum kept right. False: its ends do not
/// understand it, or it is no such packet; nothing is changed then.
bool mark_congestion(std::span<uint8_t> packet);

}  // namespace wimax::mac
