/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receives bursts whose symbols were transformed elsewhere, by an FPGA for instance: carriers with a symbol's number
 * and the place of its FFT window instead of samples. Who transforms knows timing and frequency, roughly; the rest
 * comes from the preamble and is followed from symbol to symbol, as with samples. Bursts over the whole band, no STC
 * zones.
 *
 *     receiver.begin(transform, preamble)          a downlink frame by its long preamble, an uplink burst by its own
 *     receiver.start(fch_format(), ...)            its frame prefix, and each burst of it in turn
 *     while (wants_symbol()) take(window, carriers)
 *     receiver.finish(result)
 *
 * Knows no samples, no GNU Radio and no threads; nothing is allocated after construction but in ReceivedBurst.
 */
#pragma once

#include <gnuradio/wimax/phy/coding/randomizer.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <memory>

namespace gr::wimax::phy {

/// How samples become carriers. Carriers are those of OfdmTransform::demodulate() (ofdm.h): 1 is 0 dBFS on all of them.
struct CarrierTransform {
    int64_t first_window = 0;      ///< first sample of the FFT window of symbol 0, the first preamble symbol
    double cycles_per_sample = 0;  ///< frequency taken off the samples before; its phase is zero at first_window
    /// Transmitter's sampling clock against the receiver's (positive: symbols come later and later), and how well it is
    /// known, one standard deviation.
    double clock_offset_ppm = 0, clock_deviation_ppm = 15;
};

class WIMAX_API CarrierReceiver {
public:
    static constexpr size_t kCarriers = 2 * kEdgeCarrier + 1;
    /// Of one symbol: offsets -100..100 in rising order, the unused carrier 0 in the middle.
    using Symbol = std::span<const Complex, kCarriers>;

    CarrierReceiver(const Numerology& numerology, Direction direction, int max_symbols = kMaxFrameSymbols);
    ~CarrierReceiver();
    CarrierReceiver(CarrierReceiver&&) noexcept;

    /// A frame or burst with a long preamble, symbols 0 and 1, or a burst with a short one, symbol 0. False: there is
    /// no preamble in them; no symbol is wanted then.
    bool begin(const CarrierTransform& transform, Symbol first, Symbol second);
    bool begin(const CarrierTransform& transform, Symbol only);
    /// After begin(): how many samples later all windows should have been, and where the first path lies behind the
    /// start of the windows, in samples. More than a few: transform the preamble again and begin() anew.
    int window_shift() const;
    float first_path() const;

    /// Begins a burst of the frame, or the burst. `first_symbol` from the frame's first preamble symbol: of its data,
    /// or of its own short preamble in the downlink. In the order of their symbols. `index` goes to the observer.
    /// False: begin() has found nothing, or the format is invalid or not of the whole band.
    bool start(const BurstFormat& format, int first_symbol, Randomizer randomizer, int index);

    /// False: all symbols have been taken.
    bool wants_symbol() const;
    int next_symbol() const;
    /// Where its window belongs now: first sample. A few samples more or less do no harm.
    int64_t next_window() const;
    /// The next symbol, from a window that begins at sample `window`. One that was lost is taken as zeros.
    void take(int64_t window, Symbol carriers);
    /// Payload, FEC state and measurements; start and indices are the caller's.
    void finish(ReceivedBurst& result);

    /// Sees every data symbol from now on; nullptr: nobody. Must outlive the receiver or be taken off.
    void set_observer(SymbolObserver* observer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
