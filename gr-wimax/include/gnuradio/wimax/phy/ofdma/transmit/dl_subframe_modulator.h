// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a downlink subframe of one PUSC zone, IEEE 802.16-2009 clauses 8.4.4 and 8.4.5: preamble, FCH, DL-MAP from
// slot 4 on, bursts in two dimensions. Symbol 0 is the preamble, symbol 1 the first of the zone.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/dl_pusc.h>
#include <gnuradio/wimax/phy/ofdma/coding/dlfp.h>
#include <gnuradio/wimax/phy/ofdma/transmit/ofdma_fault.h>

#include <tl/expected.hpp>

#include <memory>

namespace gr::wimax::phy::ofdma {

/// A region of the zone on whole slots: `symbol` is odd, `symbols` even. Its slots are filled subchannels first.
struct DlRegion {
    int symbol = 1;      ///< from the preamble, which is 0
    int subchannel = 0;  ///< logical
    int symbols = 2, subchannels = 1;

    int slots() const { return symbols / kDlSlotSymbols * subchannels; }
};

struct DlBurst {
    DlRegion region;
    const FecCode* code = nullptr;
    int repetition = 1;
    double boosting_db = 0;  ///< of data carriers; pilots keep their level
    std::span<const uint8_t> payload;
};

struct DlSubframe {
    int symbols = 0;  ///< with the preamble: odd
    Dlfp prefix;
    std::span<const uint8_t> map;  ///< octets of the DL-MAP, padded to prefix.map_slots
    std::span<const DlBurst> bursts;
};

class WIMAX_API DlSubframeModulator {
public:
    /// `preamble_index` (0..113) gives segment and IDcell; the zone's PermBase is the IDcell.
    DlSubframeModulator(const OfdmaNumerology& numerology, int preamble_index, int most_symbols);
    ~DlSubframeModulator();
    DlSubframeModulator(DlSubframeModulator&&) noexcept;

    /// Writes `subframe.symbols` symbols and returns the number of samples. Nothing is allocated unless the groups of
    /// the prefix change.
    tl::expected<size_t, OfdmaFault> modulate(const DlSubframe& subframe, std::span<Complex> out);

    /// Carriers of a symbol of the last subframe.
    std::span<const Complex, kFft> carriers(int symbol) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy::ofdma
