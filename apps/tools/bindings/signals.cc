// SPDX-License-Identifier: GPL-3.0-or-later
// Whole signals on arrays: generate, impair and decode, with the specifications of wimax-iq as JSON texts.
#include "channel/radio_front_fields.h"
#include "tools/bindings/bindings.h"
#include "tools/cli/command.h"
#include "tools/cli/front_options.h"
#include "tools/iq/decode.h"
#include "tools/iq/generate.h"
#include "tools/iq/impair.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <pybind11/stl.h>

#include <algorithm>

namespace wimax::bindings {
namespace {

using iq::Complex;
using Array = ComplexArray;

iq::Spec spec_of(const std::string& text, iq::Purpose purpose) {
    auto spec = iq::parse_spec(text, "spec", purpose);
    if (!spec) refuse(spec.error().lines());
    return std::move(*spec);
}

/// Samples that `make(sink)` produces; other Python threads run meanwhile.
template <typename Make> Array collected(const Make& make) {
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

/// A front's keys from a dictionary; each fault names its key.
struct ReadFront {
    const py::dict& from;
    std::vector<std::string> known{}, faults{};

    template <class T, class Bound>
    void operator()(const char* key, T& target, Bound low, Bound high, const char*, const char*) {
        const auto allowed =
            config::describe({double(low), double(high)}, double(low), double(high), std::is_integral_v<T>);
        read(key, target, allowed, [low, high](const auto& value) { return value >= low && value <= high; });
    }
    template <class T, class Bound>
    void operator()(const char* key, std::optional<T>& target, Bound low, Bound high, const char* unit,
                    const char* help) {
        T value{};
        (*this)(key, value, low, high, unit, help);
        if (from.contains(key)) target = value;
    }
    void operator()(const char* key, channel::PhaseMask& mask, const char*) {
        std::string text;
        read(key, text, "a text", [](const std::string&) { return true; });
        if (auto parsed = channel::parse_phase_mask(text)) mask = std::move(*parsed);
        else faults.push_back(parsed.error().str());
    }

private:
    template <class T, class Fits> void read(const char* key, T& target, const std::string& allowed, const Fits& fits) {
        known.emplace_back(key);
        if (!from.contains(key)) return;
        bool right = true;
        try {
            target = from[key].template cast<T>();
        } catch (const py::cast_error&) {
            right = false;
        }
        if (!right || !fits(target)) faults.push_back("front: " + std::string(key) + ": allowed " + allowed);
    }
};

channel::FrontConfig front_of(const py::dict& dict) {
    channel::FrontConfig front{.full_scale_db = cli::kFullScaleDb};
    ReadFront reader{dict};
    channel::visit_front(reader, front);
    std::string names;
    for (const auto& name : reader.known) names += (names.empty() ? "" : ", ") + name;
    for (const auto& [key, value] : dict)
        if (const auto name = py::str(key).cast<std::string>();
            std::ranges::find(reader.known, name) == reader.known.end())
            reader.faults.push_back("front: " + name + ": unknown key; allowed " + names);
    if (const auto fits = channel::check(front); !fits) reader.faults.push_back("front: " + fits.error().str());
    if (!reader.faults.empty()) refuse(reader.faults);
    return front;
}

void check_channel(std::optional<double> snr_db, double cfo_hz, double sfo_ppm, double delay_samples, double gain_db) {
    std::vector<std::string> lines;
    const auto within = [&lines](const char* name, double value, iq::ImpairmentRange range) {
        const auto [low, high] = range;
        if (!(value >= low && value <= high))
            lines.push_back(std::string(name) + ": value " + std::string(py::str(py::float_(value))) + ": allowed " +
                            config::describe({low, high}, low, high, false));
    };
    using Ranges = iq::ImpairmentRanges;
    within("snr_db", snr_db.value_or(0), Ranges::snr_db);
    within("cfo_hz", cfo_hz, Ranges::cfo_hz);
    within("sfo_ppm", sfo_ppm, Ranges::sfo_ppm);
    within("delay_samples", delay_samples, Ranges::delay_samples);
    within("gain_db", gain_db, Ranges::gain_db);
    if (!lines.empty()) refuse(lines);
}

Array impair(const Array& samples, double sample_rate_hz, const std::string& channel, std::optional<double> doppler_hz,
             std::optional<double> snr_db, double cfo_hz, double sfo_ppm, double delay_samples, double gain_db,
             uint64_t seed, const py::dict& transmitter, const py::dict& receiver) {
    check_channel(snr_db, cfo_hz, sfo_ppm, delay_samples, gain_db);
    const auto profile = channel::load_profile(channel, doppler_hz);
    if (!profile) refuse({"channel: " + profile.error().str()});
    const iq::Impairments impairments{
        snr_db, cfo_hz, sfo_ppm, delay_samples, gain_db, *profile, seed, front_of(transmitter), front_of(receiver)};
    const auto in = samples_of("samples", samples);
    return collected([&](const auto& sink) { return iq::impair(in, sample_rate_hz, impairments, sink); });
}

/// The result as JSON text without payloads, and the payloads in the order of the text.
std::pair<std::string, py::list> decode(const Array& samples, const std::string& text) {
    const auto spec = spec_of(text, iq::Purpose::decode);
    const auto in = samples_of("samples", samples);
    std::vector<iq::DecodedFrame> frames;
    std::string json;
    {
        const py::gil_scoped_release others;
        frames = iq::decode(spec, in);
        json = iq::to_json(spec, frames, iq::Payloads::null).dump();
    }
    py::list payloads;
    for (const auto& frame : frames)
        for (const auto& burst : frame.bursts)
            payloads.append(py::bytes(reinterpret_cast<const char*>(burst.payload.data()), burst.payload.size()));
    return {std::move(json), std::move(payloads)};
}

double sample_rate_hz(int64_t bandwidth_hz) {
    const auto numerology = gr::wimax::phy::Numerology::make(bandwidth_hz, gr::wimax::phy::CyclicPrefix::g1_8);
    if (!numerology) refuse({"bandwidth_hz: " + std::to_string(bandwidth_hz) + " is not the bandwidth of a channel"});
    return static_cast<double>(numerology->sample_rate_hz);
}

}  // namespace

void add_signals(py::module_& m) {
    py::list rates;
    for (const auto& rate : gr::wimax::phy::kRateTable) rates.append(rate.name);
    m.attr("rate_names") = rates;
    m.def("generate", &generate, py::arg("spec"));
    m.def("impair", &impair, py::arg("samples"), py::arg("sample_rate_hz"), py::arg("channel"), py::arg("doppler_hz"),
          py::arg("snr_db"), py::arg("cfo_hz"), py::arg("sfo_ppm"), py::arg("delay_samples"), py::arg("gain_db"),
          py::arg("seed"), py::arg("transmitter"), py::arg("receiver"));
    m.def("decode", &decode, py::arg("samples"), py::arg("spec"));
    m.def("sample_rate_hz", &sample_rate_hz, py::arg("bandwidth_hz"));
}

}  // namespace wimax::bindings
