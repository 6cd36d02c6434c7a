// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/base/decibels.h"
#include "phy/carriers/symbol_reader.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

constexpr int kChannelsPerSubchannel = 3;

/// In noise of variance 1 the agreement with one code is half the difference of two Gamma(4) variables. It exceeds this
/// in 1e-4 of opportunities for any of 48 channels and 8 codes; the median's own spread is included.
constexpr float kThreshold = 10.2F;
/// Median of a channel's energy (four carriers, two symbols: Gamma(8)) over the noise variance.
constexpr float kMedianEnergy = 7.669F;
/// A code has at least this share of its channel's energy; other signals rarely do.
constexpr float kMinCertainty = 0.5F;
/// Leakage between neighbours at carrier offsets of 4 % of the spacing, twice the standard's limit: weaker signals are
/// not detected as codes.
constexpr float kLeakage = 2e-3F;

}  // namespace

std::array<int, kContentionCarriers> contention_carriers(int channel) {
    const auto data = carrier_set(2 * (channel / kChannelsPerSubchannel) + 1).data();
    std::array<int, kContentionCarriers> offsets{};
    for (size_t group = 0; group < offsets.size(); ++group)
        offsets[group] = data[kChannelsPerSubchannel * group + static_cast<size_t>(channel % kChannelsPerSubchannel)];
    return offsets;
}

struct ContentionTransmitter::Impl {
    Numerology numerology;
    OfdmTransform transform;
};

ContentionTransmitter::ContentionTransmitter(const Numerology& numerology) : impl_(std::make_unique<Impl>()) {
    impl_->numerology = numerology;
    carrier_set(1);  // tables are built now
}
ContentionTransmitter::~ContentionTransmitter() = default;
ContentionTransmitter::ContentionTransmitter(ContentionTransmitter&&) noexcept = default;

std::string_view to_string(ContentionFault fault) {
    switch (fault) {
        case ContentionFault::code: return "no such code or channel";
        case ContentionFault::boost: return "boost_db out of range, allowed 0..30";
        case ContentionFault::room: return "too few samples of room";
    }
    return "";
}

tl::expected<size_t, ContentionFault> ContentionTransmitter::transmit(const ContentionCode& what, float boost_db,
                                                                      std::span<Complex> out) {
    const auto symbol = static_cast<size_t>(impl_->numerology.symbol_samples());
    if (what.channel >= kContentionChannels || what.code >= kContentionCodes.size())
        return tl::unexpected(ContentionFault::code);
    if (!(boost_db >= 0 && boost_db <= kMaxContentionBoostDb)) return tl::unexpected(ContentionFault::boost);
    if (out.size() < kContentionSymbols * symbol) return tl::unexpected(ContentionFault::room);
    const float amplitude = static_cast<float>(amplitude_of_db(boost_db)) / std::abs(p_all(1));
    const auto offsets = contention_carriers(what.channel);
    const auto bins = impl_->transform.carriers();
    for (size_t s = 0; s < kContentionSymbols; ++s) {
        std::fill(bins.begin(), bins.end(), Complex{});
        for (size_t i = 0; i < offsets.size(); ++i) {
            const float chip = s == 0 ? 1.0F : kContentionCodes[what.code][i];
            bins[static_cast<size_t>(bin_of(offsets[i]))] = amplitude * chip * p_all(offsets[i]);
        }
        impl_->transform.modulate(impl_->numerology.cp_samples(), out.subspan(s * symbol, symbol));
    }
    return kContentionSymbols * symbol;
}

struct ContentionDetector::Impl {
    struct Channel {
        std::array<int, kContentionCarriers> carriers{};
        float energy = 0;     // both symbols
        float agreement = 0;  // with the best code
        uint8_t code = 0;
    };

    explicit Impl(const Numerology& n) : numerology(n) {
        for (int c = 0; c < kContentionChannels; ++c)
            channels[static_cast<size_t>(c)].carriers = contention_carriers(c);
    }

    Numerology numerology;
    SymbolReader reader;
    std::array<Carriers, kContentionSymbols> symbols;
    std::array<Channel, kContentionChannels> channels;
    std::array<float, kContentionChannels> energies{};
    std::array<ContentionDetection, kContentionChannels> found;

    void measure(Channel& channel) const {
        std::array<float, kContentionCarriers> turn{};  // +: same phase in both symbols, -: opposite
        channel.energy = 0;
        for (size_t i = 0; i < turn.size(); ++i) {
            const Complex a = symbols[0][channel.carriers[i]], b = symbols[1][channel.carriers[i]];
            turn[i] = a.real() * b.real() + a.imag() * b.imag();
            channel.energy += std::norm(a) + std::norm(b);
        }
        channel.agreement = 0;
        for (size_t code = 0; code < kContentionCodes.size(); ++code) {
            float sum = 0;
            for (size_t i = 0; i < turn.size(); ++i) sum += turn[i] * kContentionCodes[code][i];
            if (sum <= channel.agreement) continue;
            channel.agreement = sum;
            channel.code = static_cast<uint8_t>(code);
        }
    }

    float noise_variance() {
        for (size_t c = 0; c < channels.size(); ++c) energies[c] = channels[c].energy;
        const auto middle = energies.begin() + kContentionChannels / 2;
        std::nth_element(energies.begin(), middle, energies.end());
        return *middle / kMedianEnergy;
    }
};

ContentionDetector::ContentionDetector(const Numerology& numerology) : impl_(std::make_unique<Impl>(numerology)) {}
ContentionDetector::~ContentionDetector() = default;
ContentionDetector::ContentionDetector(ContentionDetector&&) noexcept = default;

std::span<const ContentionDetection> ContentionDetector::detect(std::span<const Complex> samples, int64_t first_sample,
                                                                int64_t start_sample) {
    auto& s = *impl_;
    const SampleView view{samples.data(), first_sample, static_cast<int64_t>(samples.size())};
    // Windows from the middle of the prefix: no neighbouring symbol reaches into them.
    int64_t window = start_sample + s.numerology.cp_samples() / 2;
    for (auto& symbol : s.symbols) {
        s.reader.read(view, window, 0, start_sample, symbol);
        window += s.numerology.symbol_samples();
    }
    float strongest = 0;
    for (auto& channel : s.channels) {
        s.measure(channel);
        strongest = std::max(strongest, channel.agreement);
    }
    const float noise = s.noise_variance();
    const float threshold = std::max(kThreshold * noise, kLeakage * strongest);
    size_t count = 0;
    for (size_t c = 0; c < s.channels.size(); ++c) {
        const auto& channel = s.channels[c];
        const float certainty = std::min(2 * channel.agreement / std::max(channel.energy, 1e-30F), 1.0F);
        if (!(channel.agreement > threshold) || certainty < kMinCertainty) continue;
        auto& detection = s.found[count++];
        detection.what = {static_cast<uint8_t>(c), channel.code};
        detection.snr_db =
            static_cast<float>(decibels(channel.agreement / kContentionCarriers / std::max(noise, 1e-30F)));
        detection.rssi_dbfs = static_cast<float>(decibels(channel.agreement / kUsedCarriers));
        detection.certainty = certainty;
    }
    return std::span(s.found).first(count);
}

}  // namespace gr::wimax::phy
