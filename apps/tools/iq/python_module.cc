/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax_core: generate, impair and decode on arrays. The Python package wimax (signals.py) has the words for people;
 * here specifications and results are JSON texts, as wimax-iq reads and writes them.
 */
#include "tools/iq/decode.h"
#include "tools/iq/generate.h"
#include "tools/iq/impair.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace wimax;
using iq::Complex;

namespace {

using Array = py::array_t<Complex, py::array::c_style | py::array::forcecast>;

[[noreturn]] void refuse(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += (all.empty() ? "" : "\n") + line;
    throw py::value_error(all);
}

iq::Spec spec_of(const std::string& text, iq::Purpose purpose) {
    auto spec = iq::parse_spec(text, "spec", purpose);
    if (!spec) refuse(spec.error().lines());
    return std::move(*spec);
}

std::span<const Complex> span_of(const Array& samples) {
    if (samples.ndim() != 1) throw py::value_error("samples: a one-dimensional array of complex numbers is wanted");
    return {samples.data(), static_cast<size_t>(samples.size())};
}

Array array_of(const std::vector<Complex>& samples) {
    return Array(static_cast<py::ssize_t>(samples.size()), samples.data());
}

/// What `make(sink)` puts out; other Python threads go on meanwhile.
template <typename Make>
Array collected(const Make& make) {
    std::vector<Complex> all;
    const iq::SampleSink sink = [&all](std::span<const Complex> part) {
        all.insert(all.end(), part.begin(), part.end());
        return Outcome();
    };
    Outcome done;
    {
        const py::gil_scoped_release others;
        done = make(sink);
    }
    if (!done) refuse({done.error().str()});
    return array_of(all);
}

Array generate(const std::string& text) {
    const auto spec = spec_of(text, iq::Purpose::generate);
    return collected([&](const auto& sink) { return iq::generate(spec, sink); });
}

Array impair(const Array& samples, double sample_rate_hz, const std::string& channel, std::optional<double> doppler_hz,
             std::optional<double> snr_db, double cfo_hz, double sfo_ppm, double delay_samples, double gain_db,
             uint64_t seed) {
    const auto profile = channel::load_profile(channel, doppler_hz);
    if (!profile) refuse({"channel: " + profile.error().str()});
    const iq::Impairments impairments{snr_db, cfo_hz, sfo_ppm, delay_samples, gain_db, *profile, seed};
    const auto in = span_of(samples);
    return collected([&](const auto& sink) { return iq::impair(in, sample_rate_hz, impairments, sink); });
}

std::string decode(const Array& samples, const std::string& text) {
    const auto spec = spec_of(text, iq::Purpose::decode);
    const auto in = span_of(samples);
    const py::gil_scoped_release others;
    return iq::to_json(spec, iq::decode(spec, in)).dump();
}

double sample_rate_hz(int64_t bandwidth_hz) {
    const auto numerology = gr::wimax::phy::Numerology::make(bandwidth_hz, gr::wimax::phy::CyclicPrefix::g1_8);
    if (!numerology) throw py::value_error("bandwidth_hz: " + std::to_string(bandwidth_hz) + " is not a channel's");
    return static_cast<double>(numerology->sample_rate_hz);
}

}  // namespace

PYBIND11_MODULE(wimax_core, m) {
    m.doc() = "The signal generator and analyser on arrays; use the package wimax.";
    m.def("generate", &generate, py::arg("spec"));
    m.def("impair", &impair, py::arg("samples"), py::arg("sample_rate_hz"), py::arg("channel"), py::arg("doppler_hz"),
          py::arg("snr_db"), py::arg("cfo_hz"), py::arg("sfo_ppm"), py::arg("delay_samples"), py::arg("gain_db"),
          py::arg("seed"));
    m.def("decode", &decode, py::arg("samples"), py::arg("spec"));
    m.def("sample_rate_hz", &sample_rate_hz, py::arg("bandwidth_hz"));
}
