// SPDX-License-Identifier: GPL-3.0-or-later
// The standard's tables for the cores' Verilog, generated from those of the PHY core: one text of `define lines.
#pragma once

#include "fpga/model/rom.h"

#include <string>

namespace wimax::fpga {

/// Text of coding_facts.vh, for `include. Tables are packed with entry 0 in the lowest bits.
std::string coding_facts_verilog();

/// By {punctured parity bytes / 4, power}: factor that restores the magnitude of an error after the erasures' locator
/// (see reed_solomon.cc).
Rom magnitude_factor_rom();

/// Inverse of each element of GF(256); 0 for 0.
Rom inverse_rom();

}  // namespace wimax::fpga
