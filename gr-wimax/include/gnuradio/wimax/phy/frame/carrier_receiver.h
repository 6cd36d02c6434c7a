// SPDX-License-Identifier: GPL-3.0-or-later
// Receives bursts whose symbols were transformed elsewhere, for example by an FPGA. Its input is carriers with a
// symbol's number and the position of its FFT window instead of samples. The transform knows timing and frequency
// roughly; the preamble gives the rest, and tracking continues from symbol to symbol, as with samples. Only bursts of
// the whole band, no STC zones.
//
//     receiver.begin(transform, preamble)          preamble of a downlink frame or of an uplink burst
//     receiver.start(fch_format(), ...)            its frame prefix, and each burst of it in turn
//     while (wants_symbol()) take(window, carriers)
//     receiver.finish(result)
//
// Uses no samples, no GNU Radio and no threads. Only ReceivedBurst allocates after construction.
#pragma once

#include <gnuradio/wimax/phy/coding/randomizer.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <memory>

namespace gr::wimax::phy {

/// Parameters of the transform. Carriers are those of OfdmTransform::demodulate() (ofdm.h): 1 is 0 dBFS on all of them.
struct CarrierTransform {
    int64_t first_window = 0;      ///< first sample of the FFT window of symbol 0, the first preamble symbol
    double cycles_per_sample = 0;  ///< applied frequency correction; its phase is zero at first_window
    /// Transmitter's sampling clock relative to the receiver's (positive: symbols arrive later and later), and its
    /// standard deviation.
    double clock_offset_ppm = 0, clock_deviation_ppm = 15;
};

class WIMAX_API CarrierReceiver {
public:
    static constexpr size_t kCarriers = 2 * kEdgeCarrier + 1;
    /// Carriers of one symbol: offsets -100..100 in rising order, the unused carrier 0 in the middle.
    using Symbol = std::span<const Complex, kCarriers>;

    CarrierReceiver(const Numerology& numerology, Direction direction, int max_symbols = kMaxFrameSymbols);
    ~CarrierReceiver();
    CarrierReceiver(CarrierReceiver&&) noexcept;

    /// Begins a frame or burst with a long preamble, symbols 0 and 1, or a burst with a short one, symbol 0. False: no
    /// preamble was found; then no symbol is expected.
    bool begin(const CarrierTransform& transform, Symbol first, Symbol second);
    bool begin(const CarrierTransform& transform, Symbol only);
    /// After begin(): samples by which all windows should be later, and delay of the first path from the
    /// start of the windows, in samples. More than a few: transform the preamble again and repeat begin().
    int window_shift() const;
    float first_path() const;

    /// Begins a burst, in the order of their symbols. `first_symbol` counts from the frame's first preamble symbol to
    /// the burst's data, or to its short preamble in the downlink. The observer gets `index`.
    /// False: begin() found no preamble, or the format is invalid or not of the whole band.
    bool start(const BurstFormat& format, int first_symbol, Randomizer randomizer, int index);

    /// False: all symbols have been processed.
    bool wants_symbol() const;
    int next_symbol() const;
    /// First sample of its expected window. A difference of a few samples is harmless.
    int64_t next_window() const;
    /// Processes the next symbol, from a window that begins at sample `window`. Pass zeros for a lost symbol.
    void take(int64_t window, Symbol carriers);
    /// Fills payload, FEC state and measurements; the caller sets start and indices.
    void finish(ReceivedBurst& result);

    /// See BurstDecoder::set_second_chance().
    void set_second_chance(bool on);
    /// Sets the observer of every further data symbol; nullptr: none. It must outlive the receiver or be removed.
    void set_observer(SymbolObserver* observer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
