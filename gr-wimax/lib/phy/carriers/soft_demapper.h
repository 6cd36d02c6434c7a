// SPDX-License-Identifier: GPL-3.0-or-later
// The soft demapper of constellation.h for points stored in planes between other carriers (internal to the equalizer).
#pragma once

#include "phy/carriers/symbol_planes.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>

namespace gr::wimax::phy {

/// Soft bits of the points at `offsets`, in label order; planes.snr times `trust` is their signal-to-noise ratio.
void soft_demap(int bits_per_carrier, const SymbolPlanes& planes, float trust, std::span<const int16_t> offsets,
                std::span<int8_t> out);

}  // namespace gr::wimax::phy
