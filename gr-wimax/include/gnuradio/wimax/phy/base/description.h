// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of messages. A description is a function `visit(visitor, message)` that names the fields of a structure
// and their ranges once, for the wire between MAC and PHY and for the PDUs between blocks, in visitors that read it and
// visitors that fill it:
//
//   v(key, member, low, high)          both ends included
//   v.maybe(key, member, usual)        may be absent if it has the usual value
//   v.of_phy(key, member, low, high)   filled in by the PHY: not on the wire from the MAC
//   v.payload(octets, most)
//   v.list(key, array, count)          `count` elements
#pragma once

#include <concepts>
#include <type_traits>

namespace gr::wimax::phy {

/// True for the structure M, constant or not.
template <class T, class M>
concept Is = std::same_as<std::remove_const_t<T>, M>;

}  // namespace gr::wimax::phy
