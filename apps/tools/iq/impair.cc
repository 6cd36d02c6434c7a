// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/impair.h"
#include "channel/noise_source.h"
#include "channel/propagation_path.h"

#include <cmath>

namespace wimax::iq {
namespace {

/// Seeds of the fronts of both ends.
constexpr uint64_t kTransmitterSeed = 0x7478, kReceiverSeed = 0x7278;

}  // namespace

Outcome impair(std::span<const Complex> in, double sample_rate_hz, const Impairments& impairments,
               const SampleSink& sink) {
    channel::PathConfig config;
    config.sample_rate_hz = sample_rate_hz;
    config.gain_db = impairments.gain_db;
    config.delay_samples = impairments.delay_samples;
    config.carrier_offset_hz = impairments.cfo_hz;
    config.clock_offset_ppm = impairments.sfo_ppm;
    config.profile = impairments.profile;
    config.seed = impairments.seed;
    channel::PropagationPath path(config);
    // The ratio is that of the signal after its gain.
    const double variance =
        impairments.snr_db ? channel::snr_noise_variance(*impairments.snr_db - impairments.gain_db) : 0.0;
    const channel::NoiseSource noise(impairments.seed, variance);

    const double spread = impairments.profile.spread_s() * sample_rate_hz;
    const double stretched = (static_cast<double>(in.size()) + spread) * (1.0 + impairments.sfo_ppm * 1e-6);
    const auto total = in.empty() ? 0 : static_cast<int64_t>(std::ceil(stretched + impairments.delay_samples - 1e-6));
    using channel::RadioFront;
    std::vector<Complex> sent;
    if (!impairments.transmitter.ideal()) {
        sent.assign(in.begin(), in.end());
        RadioFront(RadioFront::End::transmitter, impairments.transmitter, sample_rate_hz,
                   impairments.seed ^ kTransmitterSeed)
            .pass(0, sent);
        in = sent;
    }
    RadioFront receiver(RadioFront::End::receiver, channel::at_level(impairments.receiver, impairments.gain_db),
                        sample_rate_hz, impairments.seed ^ kReceiverSeed);
    std::vector<Complex> chunk;
    for (int64_t at = 0; at < total; at += static_cast<int64_t>(chunk.size())) {
        chunk.assign(static_cast<size_t>(std::min<int64_t>(total - at, 65536)), Complex{});
        path.accumulate(at, chunk, {0, in});
        noise.add(at, chunk);
        receiver.pass(at, chunk);
        if (const auto done = sink(chunk); !done) return done;
    }
    return {};
}

}  // namespace wimax::iq
