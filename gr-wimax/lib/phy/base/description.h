/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For descriptions of messages: functions `visit(visitor, message)` that name the fields of a structure once, for
 * visitors that read it and for those that fill it.
 */
#pragma once

#include <concepts>
#include <type_traits>

namespace gr::wimax::phy {

/// The structure M, constant or not.
template <class T, class M>
concept Is = std::same_as<std::remove_const_t<T>, M>;

}  // namespace gr::wimax::phy
