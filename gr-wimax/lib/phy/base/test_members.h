/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests: how many members a structure has, so that none is left out of its description.
 */
#pragma once

#include <cstddef>

namespace gr::wimax::phy {

struct Anything {
    template <typename T>
    operator T() const;
};

/// Of an aggregate: as many as it takes initialisers.
template <typename M, typename... Initialisers>
constexpr size_t members() {
    if constexpr (requires { M{Initialisers()..., Anything()}; })
        return members<M, Initialisers..., Anything>();
    else
        return sizeof...(Initialisers);
}

}  // namespace gr::wimax::phy
