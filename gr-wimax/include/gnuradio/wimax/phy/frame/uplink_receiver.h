/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Base station receiver: one uplink burst from the samples of its allocation. Channel, timing and frequency are
 * estimated from the burst's own preamble (and midambles); pilots track the rest.
 */
#pragma once

#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <memory>

namespace gr::wimax::phy {

class WIMAX_API UplinkReceiver {
public:
    explicit UplinkReceiver(const Numerology& numerology, int max_symbols = kMaxUplinkAllocationSymbols);
    ~UplinkReceiver();
    UplinkReceiver(UplinkReceiver&&) noexcept;

    /// Samples before and after the nominal burst that receive() looks at.
    int guard_samples() const;

    /// Decodes the burst, the strongest of those that begin in a search. `samples[0]` is absolute sample
    /// `first_sample`; the span should cover the allocation (with search_samples) plus guard_samples() on each side;
    /// what is missing counts as zero. Not detected: result.detected is false and rssi_dbfs is the noise level seen.
    void receive(std::span<const Complex> samples, int64_t first_sample, const UplinkAllocation& allocation,
                 ReceivedBurst& result);

    /// The same while samples come in: start(), advance() as often as there are more samples, finish() once those
    /// before end_sample() are there. Each takes all samples from first_sample() on, or from where they begin, and
    /// works on the symbols that are new and complete; finish() has the last one left to do. A burst that is searched
    /// for, and one not advanced, is received as a whole by finish(). The result does not depend on how samples came.
    void start(const UplinkAllocation& allocation);
    void advance(std::span<const Complex> samples, int64_t first_sample);
    void finish(std::span<const Complex> samples, int64_t first_sample, ReceivedBurst& result);

    /// Samples that the reception of an allocation looks at: from first_sample() to before end_sample().
    int64_t first_sample(const UplinkAllocation& allocation) const;
    int64_t end_sample(const UplinkAllocation& allocation) const;

    /// After receive() or finish() of an allocation with search_samples, with the same samples and allocation: the next
    /// strongest of the bursts that begin in it (stations that range at the same time). False if there is none or it
    /// does not decode (ReceivedBurst::fec_ok).
    bool receive_second(std::span<const Complex> samples, int64_t first_sample, const UplinkAllocation& allocation,
                        ReceivedBurst& result);

    /// Looks for the start of a burst with the given format anywhere in `samples` (offline tools: unknown start).
    /// On a group of subchannels within 12 samples, which receive() mends.
    std::optional<int64_t> search(std::span<const Complex> samples, int64_t first_sample, const BurstFormat& format);

    /// What bursts have told of this receiver's front end (DC offset, image) no longer holds: another frequency or gain.
    void forget_front_end();

    /// As in use now.
    FrontEndLevels front_end() const;
    /// Sees every data symbol from now on; nullptr: nobody. Must outlive the receiver or be taken off.
    void set_observer(SymbolObserver* observer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
