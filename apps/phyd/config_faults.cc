// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/config_faults.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>

#include <fmt/format.h>

namespace wimax::phyd {
namespace {

namespace phy = gr::wimax::phy;

constexpr auto kAirInterface = sap::AirInterface::ofdm256;

}  // namespace

Faults config_faults(const PhydConfig& config, const sap::ConfigRequest& m) {
    Faults f;
    if (m.phy != kAirInterface) {  // the other values have another meaning there
        f.add({"phy",
               {},
               fmt::format("the MAC requests air interface {}, this PHY has only OFDM-256 ({})",
                           static_cast<int>(m.phy), static_cast<int>(kAirInterface))});
        return f;
    }
    if (m.role != config.role)
        f.add({"role", {}, fmt::format("this PHY is a {}", config.role == sap::Role::base_station ? "bs" : "ss")});
    const auto cp = phy::parse_cyclic_prefix(fmt::format("1/{}", m.cp_denominator));
    const auto numerology = phy::Numerology::make(m.bandwidth_hz, cp.value_or(phy::CyclicPrefix::g1_8));
    if (!numerology) f.add(phy::bandwidth_fault(m.bandwidth_hz));
    if (auto fault = gr::wimax::band_fault(transmit_limits(config), static_cast<double>(m.carriers.sent_by(m.role)),
                                           static_cast<double>(m.bandwidth_hz))) {
        fault->key = "radio." + fault->key;
        f.add(*fault);
    }
    if (m.role != sap::Role::base_station) return f;
    if (!cp) f.add(phy::cyclic_prefix_fault(m.cp_denominator));
    if (m.frame_duration_code >= phy::kFrameDurationUs.size()) f.add(phy::frame_duration_fault(m.frame_duration_code));
    else if (numerology && numerology->frame_symbols(m.frame_duration_code) > phy::kMaxFrameSymbols)
        f.add(phy::frame_symbols_fault(numerology->frame_symbols(m.frame_duration_code)));
    return f;
}

}  // namespace wimax::phyd
