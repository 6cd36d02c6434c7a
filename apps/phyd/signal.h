// SPDX-License-Identifier: GPL-3.0-or-later
// The received signal as JSON for the control socket.
#pragma once

#include "phyd/transceiver.h"

#include <nlohmann/json.hpp>

namespace wimax::phyd {

/// Spectrum in dBm per bin; bursts with points in 1/1000 (I, Q, I, Q ...), channel in dBm per carrier, null: none.
nlohmann::json signal_picture(const gr::wimax::SignalTap& tap, const Transceiver::Radio& radio);
/// Channel at offsets -100..100: power, phase beyond the mean delay, and that delay in samples of the FFT window.
nlohmann::json channel_picture(std::span<const gr::wimax::phy::Complex> response, double reference_dbm);

}  // namespace wimax::phyd
