// SPDX-License-Identifier: GPL-3.0-or-later
// One FFTW transform with its own buffers (internal): the only code that plans. Not normalised. Plans are estimated,
// not measured: a plan chosen by timing may round differently in each process, and two runs in lock-step would differ.
#pragma once

#include <gnuradio/wimax/phy/carriers/ofdm.h>

#include <fftw3.h>

#include <algorithm>
#include <utility>

namespace gr::wimax::phy {

class FftPlan {
public:
    enum class Sign : int { forward = FFTW_FORWARD, inverse = FFTW_BACKWARD };

    FftPlan(int size, Sign sign) : size_(static_cast<size_t>(size)) {
        FftwPlannerLock lock;
        in_ = fftwf_alloc_complex(size_);
        out_ = fftwf_alloc_complex(size_);
        plan_ = fftwf_plan_dft_1d(size, in_, out_, static_cast<int>(sign), FFTW_ESTIMATE);
        std::ranges::fill(in(), Complex{});  // zeros at first: a caller may fill a part only
    }
    ~FftPlan() {
        FftwPlannerLock lock;
        fftwf_destroy_plan(plan_);
        fftwf_free(in_);
        fftwf_free(out_);
    }
    FftPlan(const FftPlan&) = delete;
    FftPlan& operator=(const FftPlan&) = delete;

    std::span<Complex> in() { return {reinterpret_cast<Complex*>(in_), size_}; }
    std::span<Complex> out() { return {reinterpret_cast<Complex*>(out_), size_}; }
    void execute() { fftwf_execute(plan_); }

private:
    size_t size_;
    fftwf_complex* in_ = nullptr;
    fftwf_complex* out_ = nullptr;
    fftwf_plan plan_ = nullptr;
};

}  // namespace gr::wimax::phy
