// SPDX-License-Identifier: GPL-3.0-or-later
// Data symbols kept as the receiver saw them, for the report.
#pragma once

#include "tools/iq/decode.h"

namespace wimax::iq {

SeenSymbol keep(const phy::SymbolObservation& seen);

}  // namespace wimax::iq
