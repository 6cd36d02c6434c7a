// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/air_interfaces.h"

#include "phyd/flowgraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wimax::phyd {
namespace {

struct AirInterface {
    sap::AirInterface number;
    const char* name;
    Faults (*faults)(const sap::ConfigRequest& request);
    tl::expected<std::unique_ptr<Transceiver>, Fault> (*open)(const PhydConfig&, const sap::ConfigRequest&, Outbox&);
};
constexpr std::array kAirInterfaces{
    AirInterface{sap::AirInterface::ofdm256, "OFDM-256", Flowgraph::faults, Flowgraph::open}};

const AirInterface* find(sap::AirInterface number) {
    const auto* found = std::ranges::find(kAirInterfaces, number, &AirInterface::number);
    return found == kAirInterfaces.end() ? nullptr : found;
}

std::string names() {
    std::string all;
    for (const auto& one : kAirInterfaces)
        all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", one.name, static_cast<int>(one.number));
    return all;
}

}  // namespace

Faults config_faults(const PhydConfig& config, const sap::ConfigRequest& m) {
    Faults f;
    const auto* air = find(m.phy);
    if (!air) {  // the other values have another meaning there
        f.add(
            {"phy",
             {},
             fmt::format("the MAC requests air interface {}, this PHY has only {}", static_cast<int>(m.phy), names())});
        return f;
    }
    if (m.role != config.role)
        f.add({"role", {}, fmt::format("this PHY is a {}", config.role == sap::Role::base_station ? "bs" : "ss")});
    f.add_all(air->faults(m));
    const auto limits = transmit_limits(config);
    const auto add = [&f](gr::wimax::phy::Fault fault) {
        fault.key = "radio." + fault.key;
        f.add(std::move(fault));
    };
    if (auto fault = gr::wimax::band_fault(limits, static_cast<double>(m.carriers.sent_by(m.role)),
                                           static_cast<double>(m.bandwidth_hz)))
        add(*std::move(fault));
    if (!m.carriers.shared()) std::ranges::for_each(gr::wimax::continuity_faults(limits), add);
    return f;
}

tl::expected<std::unique_ptr<Transceiver>, Fault> open_transceiver(const PhydConfig& config,
                                                                   const sap::ConfigRequest& request, Outbox& outbox) {
    return find(request.phy)->open(config, request, outbox);
}

}  // namespace wimax::phyd
