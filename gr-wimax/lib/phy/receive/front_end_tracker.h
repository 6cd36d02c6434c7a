/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learns from symbols what the two front ends of a link add to the signal (internal): a receiver's DC offset and the
 * image of its mixer, which stay where they are whatever the carrier offset, and the image of the sender's mixer, which
 * goes with the signal. A symbol whose channel is known, and what was sent in it, shows all of them in what it lacks;
 * where offset and channel do not tell the two images apart, what is known from earlier symbols does. Nothing is taken
 * off before it is certain that there is anything, so that a clean signal stays what it is.
 */
#pragma once

#include "phy/carriers/fft_plan.h"
#include "phy/carriers/symbol_reader.h"
#include "phy/channel/channel_estimator.h"

#include <limits>

namespace gr::wimax::phy {

class FrontEndTracker {
public:
    FrontEndTracker();

    /// Nothing is known.
    void reset();

    /// A DC offset that was heard before the next preamble; one that is known already stays if it may be the same.
    void suggest_dc(Complex value, float variance);
    Complex known_dc() const { return kept_.in_use.dc; }

    /// The next preamble is of another sender.
    void forget_sender() { now_.sender = kept_.sender = {{}, kUnknown}; }

    /// P_2x128, or a data symbol by its decisions.
    struct Symbol {
        const Carriers& carriers;
        const Carriers& sent;      ///< 0 where nothing was
        const Carriers& response;  ///< the channel's in this symbol
        const ChannelEstimate& channel;
        float absorbed = 0;            ///< of what is looked for, by the channel's estimate
        FrontEnd taken_off;            ///< what the SymbolReader had: in_use(), or nothing where it was not asked
        double cycles_per_sample = 0;  ///< frequency taken off the samples
        int64_t turned_samples = 0;    ///< from where the phase of that is zero to the symbol's window
        bool known_sender = false;     ///< the same as that of the symbols before
    };
    void see(const Symbol& symbol);
    /// What is not known of the images would be felt behind this channel: more symbols are worth their time.
    bool doubts(const ChannelEstimate& channel) const;
    /// What was seen counts from now on, or never.
    void keep() { kept_ = now_; }
    void forget() { now_ = kept_; }

    /// To be taken off samples.
    const FrontEnd& in_use() const { return now_.in_use; }
    /// Taking that off is worth something: carriers that others have transformed, from samples as they came, would lose
    /// by it. What is less is measured, and taken off where that is to be had.
    bool felt() const { return now_.felt; }
    /// Of the sender of the last symbol: s + image * conj(s) was sent in place of s. 0 where it is not certain.
    Complex sender_image() const { return now_.sender_in_use; }

    static constexpr float kUnknown = std::numeric_limits<float>::infinity();
    struct Estimate {
        Complex value{};
        float variance = kUnknown;
    };
    const Estimate& dc() const { return now_.dc; }  ///< of a sample
    const Estimate& image() const { return now_.image; }

private:
    /// Of two estimates at once: errors of the first times the conjugate of those of the second, expected.
    using Covariance = std::complex<double>;
    struct State {
        Estimate dc, image, sender;
        Covariance images{};  ///< of image and sender: where symbols show only their sum, it is all that is known
        FrontEnd in_use;
        bool felt = false;
        Complex sender_in_use{};
    };
    /// What a symbol lacks, and the two things that may explain it: sums of their products.
    struct Sums {
        float first = 0, second = 0;  ///< energies
        Complex both{}, first_lacking{}, second_lacking{};
    };
    static void explain(const Sums& sums, float noise, Complex taken_off, Estimate& first, Estimate& second,
                        Covariance& both);
    void load(const Symbol& symbol);
    float noise_of(const Symbol& symbol) const;
    void learn_dc(const Symbol& symbol);
    void learn_images(const Symbol& symbol);
    void choose_images();

    using Body = std::array<Complex, kFftSize>;
    State now_, kept_;
    FftPlan to_samples_{kFftSize, FftPlan::Sign::inverse};
    alignas(64) Body ones_, turn_, sent_, lacking_, mirrored_;
};

}  // namespace gr::wimax::phy
