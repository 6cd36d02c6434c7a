// SPDX-License-Identifier: GPL-3.0-or-later
// Base station receiver: one uplink burst from the samples of its allocation. Channel, timing and frequency are
// estimated from the burst's preamble (and midambles); pilots track the rest.
#pragma once

#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <memory>

namespace gr::wimax::phy {

class WIMAX_API UplinkReceiver {
public:
    explicit UplinkReceiver(const Numerology& numerology, int max_symbols = kMaxUplinkAllocationSymbols);
    ~UplinkReceiver();
    UplinkReceiver(UplinkReceiver&&) noexcept;

    /// Samples before and after the nominal burst that receive() uses.
    int guard_samples() const;

    /// Decodes the burst, in a search the strongest one. `samples[0]` is absolute sample
    /// `first_sample`; the span should cover the allocation (with search_samples) plus guard_samples() on each side;
    /// missing samples count as zero. Not detected: result.detected is false and rssi_dbfs is the noise level.
    void receive(std::span<const Complex> samples, int64_t first_sample, const UplinkAllocation& allocation,
                 ReceivedBurst& result);

    /// The same while samples arrive: start(), advance() whenever there are more samples, finish() when all samples
    /// before end_sample() are available. Each call gets all samples from first_sample() on, or from their beginning,
    /// and processes new complete symbols; finish() processes the last one. finish() receives a burst that needs a
    /// search, or was not advanced, as a whole. The result does not depend on the division of the samples into calls.
    void start(const UplinkAllocation& allocation);
    void advance(std::span<const Complex> samples, int64_t first_sample);
    void finish(std::span<const Complex> samples, int64_t first_sample, ReceivedBurst& result);

    /// Samples that the reception of an allocation uses: from first_sample() to before end_sample().
    int64_t first_sample(const UplinkAllocation& allocation) const;
    int64_t end_sample(const UplinkAllocation& allocation) const;

    /// After receive() or finish() of an allocation with search_samples, with the same samples and allocation: the next
    /// strongest burst that begins in it (stations that range at the same time). False if there is none or it
    /// does not decode (ReceivedBurst::fec_ok).
    bool receive_second(std::span<const Complex> samples, int64_t first_sample, const UplinkAllocation& allocation,
                        ReceivedBurst& result);

    /// Searches for the start of a burst with the given format anywhere in `samples` (offline tools: unknown start).
    /// On a group of subchannels it is good to 12 samples, which receive() corrects.
    std::optional<int64_t> search(std::span<const Complex> samples, int64_t first_sample, const BurstFormat& format);

    /// See BurstDecoder::set_second_chance().
    void set_second_chance(bool on);
    /// Discards the estimates of this receiver's front end (DC offset, image) after a change of frequency or gain.
    void forget_front_end();

    /// Values in use now.
    FrontEndLevels front_end() const;
    /// Sets the observer of every further data symbol; nullptr: none. It must outlive the receiver or be removed.
    void set_observer(SymbolObserver* observer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
