// SPDX-License-Identifier: GPL-3.0-or-later
// Which management messages end with an HMAC tuple (7.5.3), by sender: with privacy a message without it is ignored.
// PKM messages have their own digest instead (pkm_message.h).
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>
#include "mac/pdu/dictionary.h"

#include <optional>

namespace wimax::mac::privacy {

using gr::wimax::phy::Direction;

/// `type`: as message_type() finds it; nothing: not a message, which is not signed. Downlink: of a base station.
bool is_signed(std::optional<MessageType> type, Direction direction);

}  // namespace wimax::mac::privacy
