// SPDX-License-Identifier: GPL-3.0-or-later
// Helper for descriptions of messages. A description is a function `visit(visitor, message)` that names the fields of a
// structure once, for visitors that read it and visitors that fill it.
#pragma once

#include <concepts>
#include <type_traits>

namespace gr::wimax::phy {

/// True for the structure M, constant or not.
template <class T, class M>
concept Is = std::same_as<std::remove_const_t<T>, M>;

}  // namespace gr::wimax::phy
