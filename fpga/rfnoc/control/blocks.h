// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks: their names in UHD's graph ("0/preamble_detect#0"), which are those of their cores, and their streams.
// NoC IDs are those of the descriptions (fpga/rfnoc/blocks); IDs and versions are those of the cores.
#pragma once

#include "fpga/model/burst_gate_registers.h"
#include "fpga/model/demap_viterbi_rs_registers.h"
#include "fpga/model/encoder_mapper_registers.h"
#include "fpga/model/ofdm_backend_registers.h"
#include "fpga/model/ofdm_frontend_registers.h"
#include "fpga/model/preamble_detect_registers.h"

#include <cstddef>
#include <cstdint>

namespace wimax::rfnoc {

struct BlockFacts {
    const char* name;
    uint32_t noc_id;
    uint32_t core, version;  ///< registers 0x00 and 0x04
    size_t outputs;          ///< each has one input
};

inline constexpr BlockFacts kPreambleDetect{"preamble_detect", 0x80216001, fpga::preamble_detect::kId,
                                            fpga::preamble_detect::kVersion, 2};
inline constexpr BlockFacts kBurstGate{"burst_gate", 0x80216002, fpga::burst_gate::kId, fpga::burst_gate::kVersion, 1};
inline constexpr BlockFacts kOfdmFrontend{"ofdm_frontend", 0x80216003, fpga::ofdm_frontend::kId,
                                          fpga::ofdm_frontend::kVersion, 1};
inline constexpr BlockFacts kOfdmBackend{"ofdm_backend", 0x80216004, fpga::ofdm_backend::kId,
                                         fpga::ofdm_backend::kVersion, 1};
inline constexpr BlockFacts kDemapViterbiRs{"demap_viterbi_rs", 0x80216005, fpga::demap_viterbi_rs::kIdValue,
                                            fpga::demap_viterbi_rs::kVersionValue, 1};
inline constexpr BlockFacts kEncoderMapper{"encoder_mapper", 0x80216006, fpga::encoder_mapper::kIdValue,
                                           fpga::encoder_mapper::kVersionValue, 1};

/// Registers the controllers for devices that are opened later. May be called repeatedly.
void register_blocks();

}  // namespace wimax::rfnoc
