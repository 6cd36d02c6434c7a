// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: counts the members of a structure, to check that its description names all of them.
#pragma once

#include <cstddef>

namespace gr::wimax::phy {

struct Anything {
    template <typename T> operator T() const;
};

/// Number of members of an aggregate: the largest number of initialisers.
template <typename M, typename... Initialisers> constexpr size_t members() {
    if constexpr (requires { M{Initialisers()..., Anything()}; }) return members<M, Initialisers..., Anything>();
    else return sizeof...(Initialisers);
}

}  // namespace gr::wimax::phy
