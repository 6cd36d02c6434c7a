// SPDX-License-Identifier: GPL-3.0-or-later
// One symbol between carriers and soft bits (internal). Planes cover all places of Carriers, so that loops vectorize
// without gathering the data carriers. Carriers without data have weight 0.
#pragma once

#include "phy/carriers/symbol_reader.h"

namespace gr::wimax::phy {

struct alignas(64) SymbolPlanes {
    static constexpr size_t kPlaces = std::tuple_size_v<decltype(Carriers::values)>;
    using Plane = std::array<float, kPlaces>;

    Plane inverse_re{}, inverse_im{};  ///< 1 / H
    Plane snr{};                       ///< data carriers: |H|^2 / noise variance; other places: 0
    Plane re{}, im{};                  ///< received points
    /// Correction of the estimate, times the estimate: sum of conj(d) z - |d|^2 over the symbols since clearing.
    Plane lack_re{}, lack_im{};
    Plane tracked{};  ///< 1 for data carriers that count in these sums, else 0
    Plane error{};    ///< sum of |z - d|^2 with hard decisions d

    static constexpr size_t place(int offset) { return static_cast<size_t>(offset + kEdgeCarrier); }
};

}  // namespace gr::wimax::phy
