// SPDX-License-Identifier: GPL-3.0-or-later
// Learns from symbols the errors of both front ends of a link (internal): the receiver's DC offset and image, which do
// not depend on the carrier offset, and the image of the sender's mixer, which moves with the signal. The residual of a
// symbol whose channel and contents are known shows all of them. If offset and channel cannot separate the two images,
// knowledge from earlier symbols does. An error is compensated only when it is certain, so that a clean signal is
// unchanged.
#pragma once

#include "phy/carriers/fft_plan.h"
#include "phy/carriers/symbol_reader.h"
#include "phy/channel/channel_estimator.h"

#include <limits>

namespace gr::wimax::phy {

class FrontEndTracker {
public:
    FrontEndTracker();

    /// Forgets everything.
    void reset();

    /// A DC offset measured before the next preamble; a known one stays if both may be the same.
    void suggest_dc(Complex value, float variance);
    Complex known_dc() const { return kept_.in_use.dc; }

    /// The next preamble is of another sender.
    void forget_sender() { now_.sender = kept_.sender = {{}, kUnknown}; }

    /// P_2x128, or a data symbol with its decisions.
    struct Symbol {
        const Carriers& carriers;
        const Carriers& sent;      ///< 0 on unused carriers
        const Carriers& response;  ///< the channel's in this symbol
        const ChannelEstimate& channel;
        float absorbed = 0;            ///< fraction of the unknowns that the channel's estimate absorbs
        FrontEnd taken_off;            ///< correction by the SymbolReader: in_use(), or none
        double cycles_per_sample = 0;  ///< frequency correction of the samples
        int64_t turned_samples = 0;    ///< from the zero of its phase to the symbol's window
        bool known_sender = false;     ///< same sender as that of the symbols before
    };
    void see(const Symbol& symbol);
    /// True if the uncertainty of the images would matter with this channel: more symbols are worth their time.
    bool doubts(const ChannelEstimate& channel) const;
    /// Keeps or discards what was learned since.
    void keep() { kept_ = now_; }
    void forget() { now_ = kept_; }

    /// Correction for samples.
    const FrontEnd& in_use() const { return now_.in_use; }
    /// True if the correction is significant: symbols transformed elsewhere from uncorrected samples would lose by it.
    /// Smaller errors are measured, and corrected only in symbols read from samples.
    bool felt() const { return now_.felt; }
    /// Image of the last symbol's sender: s + image * conj(s) was sent in place of s. 0 if it is not certain.
    Complex sender_image() const { return now_.sender_in_use; }

    static constexpr float kUnknown = std::numeric_limits<float>::infinity();
    struct Estimate {
        Complex value{};
        float variance = kUnknown;
    };
    const Estimate& dc() const { return now_.dc; }  ///< of a sample
    const Estimate& image() const { return now_.image; }

private:
    /// Covariance of two estimates: expected error of the first times the conjugate of that of the second.
    using Covariance = std::complex<double>;
    struct State {
        Estimate dc, image, sender;
        Covariance images{};  ///< of image and sender: the only knowledge if symbols show only their sum
        FrontEnd in_use;
        bool felt = false;
        Complex sender_in_use{};
    };
    /// Sums of products of a symbol's residual and its two possible explanations.
    struct Sums {
        float first = 0, second = 0;  ///< energies
        Complex both{}, first_lacking{}, second_lacking{};
    };
    static void explain(const Sums& sums, float noise, Complex taken_off, Estimate& first, Estimate& second,
                        Covariance& both);
    void load(const Symbol& symbol);
    float noise_of(const Symbol& symbol) const;
    float noise_on_peaks(const Symbol& symbol) const;
    void learn_dc(const Symbol& symbol);
    void learn_images(const Symbol& symbol);
    void choose_images();

    using Body = std::array<Complex, kFftSize>;
    State now_, kept_;
    FftPlan to_samples_{kFftSize, FftPlan::Sign::inverse};
    alignas(64) Body ones_, turn_, sent_, lacking_, mirrored_;
};

}  // namespace gr::wimax::phy
