/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The standard's tables as the cores' Verilog has them, written from those of the PHY core: one text of `define lines.
 */
#pragma once

#include "fpga/model/rom.h"

#include <string>

namespace wimax::fpga {

/// Text of coding_facts.vh, for `include. Tables are packed with entry 0 in the lowest bits.
std::string coding_facts_verilog();

/// By {punctured parity bytes / 4, power}: what takes an error that the erasures' locator has gone over back to its
/// magnitude (see reed_solomon.cc).
Rom magnitude_factor_rom();

/// By element of GF(256) its inverse; of zero zero.
Rom inverse_rom();

}  // namespace wimax::fpga
