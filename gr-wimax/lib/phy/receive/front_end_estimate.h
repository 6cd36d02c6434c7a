// SPDX-License-Identifier: GPL-3.0-or-later
// Measures both front ends of a link on correctly received symbols: DC offset, carrier leakage, images, phase error,
// EVM (clause 8.3.10.1.2). For instruments (a cable between two radios), not for normal reception: each symbol takes
// some microseconds.
//
//     FrontEndMeter meter(numerology);
//     receiver.set_observer(&meter);               // an UplinkReceiver or DownlinkReceiver
//     meter.listen_to(samples, first_sample);      // before each call of the receiver, the same samples
//     receiver.receive(samples, first_sample, ...);
//     const FrontEndEstimate estimate = meter.estimate();
//
// Symbols without samples, of an STC zone or of a part of the band are ignored. The measurement is of the samples as
// received, even if the receiver compensates DC offset and images.
#pragma once

#include "phy/carriers/fft_plan.h"
#include "phy/carriers/symbol_reader.h"

#include <gnuradio/wimax/phy/receive/symbol_observer.h>

namespace gr::wimax::phy {

/// Powers over the signal's, in dB; -200 dB where nothing was measured.
struct FrontEndEstimate {
    int symbols = 0;                ///< data symbols measured
    float dc_dbc = -200;            ///< receiver: constant added to its samples
    float image_dbc = -200;         ///< receiver: y = x + image * conj(x)
    float carrier_leak_dbc = -200;  ///< sender: constant added to its samples
    float sender_image_dbc = -200;  ///< sender: s + image * conj(s) sent in place of s
    /// False: carrier offset and channel hardly changed, so that errors of the two ends look alike. Both levels are
    /// then their sum.
    bool dc_separable = false, images_separable = false;
    float evm_db = -200;            ///< of data carriers as received, images and DC included
    float corrected_evm_db = -200;  ///< of the decoder's input
    float phase_error_deg = 0;      ///< rms of the common phase from symbol to symbol, without its linear part
    float signal_dbfs = -200;       ///< mean sample power of a data symbol
};

class FrontEndMeter final : public SymbolObserver {
public:
    explicit FrontEndMeter(const Numerology& numerology);

    /// Samples of the following symbols, from `first_sample` on; they must stay valid until the next call.
    void listen_to(std::span<const Complex> samples, int64_t first_sample);
    void on_symbol(const SymbolObservation& observation) override;

    FrontEndEstimate estimate() const;
    void reset();

private:
    /// Products of the two unknowns with each other and with the residual of the signal.
    struct Pair {
        double first = 0, second = 0;
        std::complex<double> both{}, first_lacking{}, second_lacking{};
    };
    struct Powers {
        float first_db, second_db;
        bool separable;
    };
    static Powers solve(const Pair& pair, double first_reference, double second_reference);
    /// Fills sent_ with the carriers without front ends and noise, and its components.
    void rebuild(const SymbolObservation& seen, int shift);
    void add_errors(const SymbolObservation& seen);
    void add_phase(const SymbolObservation& seen);
    void add_pairs(const SymbolObservation& seen, int64_t window);

    using Body = std::array<Complex, kFftSize>;
    int symbol_samples_;
    SampleView samples_;
    SymbolReader reader_;
    FftPlan to_samples_{kFftSize, FftPlan::Sign::inverse};
    Carriers received_, sent_;  // of a symbol, with the frequency correction of its receiver
    Carriers points_, line_;    // decisions and known pilots; channel and tracked phase
    alignas(64) Body turn_, body_, lacking_, mirrored_;

    int symbols_ = 0;
    double power_ = 0;  // sum of mean |H|^2
    double reference_ = 0, error_ = 0, corrected_error_ = 0;
    Pair dc_, images_;
    /// Phases of consecutive symbols of one link, and of earlier ones.
    struct Squares {
        double sum = 0;
        int count = 0;
    };
    struct Line {
        void end(Squares& squares) const;
        int64_t window = 0;
        int last = -1;  // symbol
        int count = 0;
        double x = 0, xx = 0, y = 0, yy = 0, xy = 0;
    };
    Line phases_;
    Squares phase_squares_;
};

}  // namespace gr::wimax::phy
