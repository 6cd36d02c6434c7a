// SPDX-License-Identifier: GPL-3.0-or-later
// Timing, frequency and channel of an uplink burst on a group of subchannels (internal to the uplink receiver). Other
// stations may be sending on the others. The preamble, one symbol without repetition, gives channel and timing.
// Remaining frequency offsets within the standard's 2 % of the carrier spacing are measured in the first data symbols,
// larger ones in the cyclic prefixes (up to half the spacing; only if no other station is louder).
#pragma once

#include "phy/receive/burst_receiver.h"

namespace gr::wimax::phy {

class SubchannelLocator {
public:
    /// Both must outlive this object.
    SubchannelLocator(BurstReceiver& receiver, LinkEstimate& link) : receiver_(receiver), link_(link) {}

    /// First sample of the burst's cyclic prefix; sets the link up for receive().
    std::optional<double> locate(const SampleView& view, const UplinkAllocation& allocation);

    /// The burst that begins between `from` and `to` with the most likely preamble.
    std::optional<int64_t> find(const SampleView& view, int index, int64_t from, int64_t to);

private:
    static constexpr int kProbeSymbols = 8;
    struct PhaseRate {
        double value = 0, variance = 1;  // rad/symbol and its square
        double distance = 0;             // minus logarithm of the likelihood
    };
    struct SmallOffset {
        double carriers, variance;  // and its square
    };
    struct Probe {
        Complex point;
        float snr;
        int symbol;
    };

    int cp() const { return link_.cp_samples; }
    bool see(const SampleView& view, int index, int64_t window, DelayRange range);
    std::optional<SmallOffset> offset_by_prefixes(const SampleView& view, int64_t start, int symbols) const;
    PhaseRate most_likely_rate(const SampleView& view, const BurstFormat& format, bool certain,
                               const std::optional<SmallOffset>& seen);
    PhaseRate rate_by_data(const SampleView& view, const BurstFormat& format, SmallOffset expected);

    BurstReceiver& receiver_;
    LinkEstimate& link_;
    double cycles_ = 0;  ///< frequency correction, cycles per sample
    Carriers symbol_;
    std::array<Probe, kDataCarriers> probes_{};
};

}  // namespace gr::wimax::phy
