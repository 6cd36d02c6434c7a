// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a radio's front, their ranges and meaning, shared by command lines, descriptions of radios, the channel's
// configuration and its control socket.
#pragma once

#include "channel/radio_front.h"

namespace wimax::channel {

/// Calls visit(name, member, low, high, unit, help) for numbers, and visit(name, mask, help) for the mask.
template <class Visit, class Config> void visit_front(Visit&& visit, Config& f) {
    visit("dc_dbc", f.dc_dbc, -150.0, 20.0, "dB", "DC offset or LO leakage over a signal of mean power 1");
    visit("image_dbc", f.image_dbc, -150.0, 0.0, "dB", "mirrored signal over the signal (IQ imbalance)");
    visit("iq_gain_db", f.iq_gain_db, -10.0, 10.0, "dB", "instead of image_dbc: gain of Q over that of I");
    visit("iq_phase_deg", f.iq_phase_deg, -45.0, 45.0, "degrees",
          "instead of image_dbc: deviation of Q from 90 degrees");
    visit("lo_offset_hz", f.lo_offset_hz, -1e8, 1e8, "Hz",
          "offset tuning: oscillator minus centre of the band; the leakage is there, and the image mirrors about it");
    visit("phase_noise_deg", f.phase_noise_deg, 0.0, kMaxPhaseNoiseDeg, "degrees",
          "integrated phase noise, rms up to half the sample rate");
    visit("phase_noise_mask", f.phase_noise_mask,
          "shape of the phase noise, and without phase_noise_deg its power: OFFSET_HZ:DBC_PER_HZ,...");
    visit("bits", f.bits, 0, kMaxConverterBits, "", "bits of the converter; 0: no converter, no clipping");
    visit("full_scale_db", f.full_scale_db, -60.0, 60.0, "dB",
          "amplitude at which the converter clips I and Q, over amplitude 1");
    visit("rapp_saturation_db", f.saturation_db, -60.0, 60.0, "dB",
          "amplifier's highest output over mean power 1 (Rapp)");
    visit("rapp_smoothness", f.smoothness, 0.5, 20.0, "",
          "sharpness of the amplifier's limit (Rapp): a higher value is sharper");
}

}  // namespace wimax::channel
