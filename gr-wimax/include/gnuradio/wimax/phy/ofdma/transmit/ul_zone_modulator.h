// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of one station in an uplink PUSC zone, IEEE 802.16-2009 clauses 8.4.4, 8.4.6.2 and 8.4.7: a burst on data
// slots, or a ranging code. Symbol 0 is the first of the zone.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ranging_code.h>
#include <gnuradio/wimax/phy/ofdma/coding/slot_coder.h>
#include <gnuradio/wimax/phy/ofdma/transmit/ofdma_fault.h>

#include <tl/expected.hpp>

#include <memory>

namespace gr::wimax::phy::ofdma {

struct UlZone {
    int id_cell = 0;
    int ul_perm_base = 0;  ///< 0..69
    int symbols = kUlSlotSymbols;
    bool rotation = true;  ///< of the subchannels (UCD)
    std::span<const UlRegion> regions;
};

struct UlBurst {
    int first_slot = 0, slots = 1;  ///< in the count of UlSlots
    const FecCode* code = nullptr;
    int repetition = 1;
    std::span<const uint8_t> payload;
};

struct RangingSignal {
    RangingKind kind = RangingKind::initial;
    int code = 0;        ///< 0..255
    int symbol = 0;      ///< first one
    int subchannel = 0;  ///< first of six
};

class WIMAX_API UlZoneModulator {
public:
    UlZoneModulator(const OfdmaNumerology& numerology, const UlZone& zone);
    ~UlZoneModulator();
    UlZoneModulator(UlZoneModulator&&) noexcept;

    const UlSlots& slots() const;

    /// Writes all symbols of the zone, silent outside the burst, and returns the number of samples.
    tl::expected<size_t, OfdmaFault> burst(const UlBurst& burst, uint32_t frame_number, std::span<Complex> out);
    /// The same for a ranging code.
    tl::expected<size_t, OfdmaFault> ranging(const RangingSignal& signal, std::span<Complex> out);

    /// Carriers of a symbol of the last burst.
    std::span<const Complex, kFft> carriers(int symbol) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy::ofdma
