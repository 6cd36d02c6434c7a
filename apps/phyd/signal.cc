// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/signal.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <cmath>
#include <numbers>

namespace wimax::phyd {
namespace {

using gr::wimax::BurstKind;
using gr::wimax::BurstPicture;
using gr::wimax::phy::Complex;
constexpr size_t kCarriers = 201;

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

const char* name_of(const BurstPicture& burst) {
    if (burst.direction == gr::wimax::phy::Direction::downlink && burst.index == 1) return "broadcast";
    switch (burst.kind) {
        case BurstKind::ranging: return "ranging";
        case BurstKind::contention: return "contention";
        case BurstKind::data: break;
    }
    return "data";
}

nlohmann::json burst_picture(const BurstPicture& burst, double reference_dbm) {
    auto points = nlohmann::json::array();
    for (const Complex p : burst.points) {
        points.push_back(static_cast<int>(std::lround(std::clamp(p.real(), -9.0F, 9.0F) * 1000)));
        points.push_back(static_cast<int>(std::lround(std::clamp(p.imag(), -9.0F, 9.0F) * 1000)));
    }
    auto channels = nlohmann::json::array();
    const std::span all(burst.response);
    for (size_t at = 0; at + kCarriers <= all.size(); at += kCarriers)
        channels.push_back(channel_picture(all.subspan(at, kCarriers), reference_dbm));
    return {{"direction", burst.direction == gr::wimax::phy::Direction::downlink ? "downlink" : "uplink"},
            {"kind", name_of(burst)},
            {"cid", burst.cid},
            {"iuc", burst.format.iuc},
            {"rate_id", burst.format.rate_id},
            {"frame", burst.frame_number.value()},
            {"symbols", burst.format.data_symbols},
            {"fec_ok", burst.fec_ok},
            {"cinr_db", rounded(burst.measured.cinr_db, 10)},
            {"evm_db", rounded(burst.measured.evm_db, 10)},
            {"rssi_dbm", rounded(burst.measured.rssi_dbfs + reference_dbm, 10)},
            {"points", std::move(points)},
            {"channels", std::move(channels)}};
}

}  // namespace

nlohmann::json channel_picture(std::span<const Complex> response, double reference_dbm) {
    Complex turn = 0;
    for (size_t k = 1; k < response.size(); ++k) turn += std::conj(response[k - 1]) * response[k];
    const double slope = std::norm(turn) > 0 ? std::arg(turn) : 0;
    auto power = nlohmann::json::array(), phase = nlohmann::json::array();
    for (size_t k = 0; k < response.size(); ++k) {
        const double level = std::norm(response[k]);
        if (level <= 0) {
            power.push_back(nullptr);
            phase.push_back(nullptr);
            continue;
        }
        const auto straight = std::complex<double>(response[k]) * std::polar(1.0, -slope * static_cast<double>(k));
        power.push_back(rounded(10 * std::log10(level) + reference_dbm, 10));
        phase.push_back(rounded(std::arg(straight), 100));
    }
    const double delay = -slope * gr::wimax::phy::kFftSize / (2 * std::numbers::pi);
    return {{"power_dbm", std::move(power)}, {"phase_rad", std::move(phase)}, {"delay_samples", rounded(delay, 100)}};
}

nlohmann::json signal_picture(const gr::wimax::SignalTap& tap, const Transceiver::Radio& radio) {
    auto bursts = nlohmann::json::array(), spectrum = nlohmann::json::array();
    for (const auto& burst : tap.bursts()) bursts.push_back(burst_picture(burst, radio.rx_reference_dbm));
    for (const float level : tap.spectrum_dbfs()) spectrum.push_back(rounded(level + radio.rx_reference_dbm, 10));
    return {{"radio_open", true},
            {"sample_rate_hz", radio.sample_rate_hz},
            {"spectrum_dbm", std::move(spectrum)},
            {"bursts", std::move(bursts)}};
}

}  // namespace wimax::phyd
