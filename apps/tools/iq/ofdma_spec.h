// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON description of an OFDMA signal ("phy": "ofdma1024"), as `wimax-iq generate` reads it.
#pragma once

#include <gnuradio/wimax/phy/ofdma/transmit/dl_subframe_modulator.h>
#include <gnuradio/wimax/phy/ofdma/transmit/ul_zone_modulator.h>
#include "tools/iq/spec_reader.h"

#include <tl/expected.hpp>

#include <variant>

namespace wimax::iq {

namespace ofdma = gr::wimax::phy::ofdma;

inline constexpr const char* kOfdmaPhy = "ofdma1024";

struct OfdmaDlBurst {
    ofdma::DlRegion region;
    const ofdma::FecCode* code = nullptr;
    int repetition = 1;
    double boosting_db = 0;
    std::optional<uint16_t> cid;
    std::vector<uint8_t> payload;
};

/// One downlink subframe.
struct OfdmaDownlink {
    int preamble_index = 0;
    uint32_t frame_number = 0;
    int symbols = 0;
    ofdma::Dlfp prefix;
    std::vector<uint8_t> map;  ///< octets of the DL-MAP
    std::vector<OfdmaDlBurst> bursts;
};

/// What the path of a station does to its signal.
struct OfdmaPath {
    int delay_samples = 0;
    double cfo_hz = 0, gain_db = 0;
};

struct OfdmaUlBurst {
    int first_slot = 0, slots = 1;
    const ofdma::FecCode* code = nullptr;
    int repetition = 1;
    std::vector<uint8_t> payload;
    OfdmaPath path;
};

/// One uplink zone.
struct OfdmaUplink {
    int id_cell = 0, ul_perm_base = 0;
    uint32_t frame_number = 0;
    int symbols = 0;
    bool rotation = true;
    std::vector<ofdma::UlRegion> regions;
    std::vector<OfdmaUlBurst> bursts;
    struct Code {
        ofdma::RangingSignal signal;
        OfdmaPath path;
    };
    std::vector<Code> ranging;

    ofdma::UlZone zone() const { return {id_cell, ul_perm_base, symbols, rotation, regions}; }
};

struct OfdmaSpec {
    ofdma::OfdmaNumerology numerology;
    int64_t lead_in_samples = 0, tail_samples = 0;
    std::variant<OfdmaDownlink, OfdmaUplink> signal;
};

/// True if the document asks for OFDMA by its key "phy".
bool is_ofdma(const nlohmann::json& root);

/// `file` names the origin in faults.
tl::expected<OfdmaSpec, Faults> parse_ofdma_spec(const nlohmann::json& root, const std::string& file);

}  // namespace wimax::iq
