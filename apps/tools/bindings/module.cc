// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bindings/bindings.h"

namespace wimax::bindings {

void refuse(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
    throw py::value_error(text);
}

std::span<const std::complex<float>> samples_of(const char* name, const ComplexArray& array) {
    if (array.ndim() != 1) refuse({std::string(name) + ": a one-dimensional array of complex numbers is wanted"});
    return {array.data(), static_cast<size_t>(array.size())};
}

ComplexArray array_of(std::span<const std::complex<float>> samples) {
    return ComplexArray(static_cast<py::ssize_t>(samples.size()), samples.data());
}

}  // namespace wimax::bindings

PYBIND11_MODULE(wimax_core, m) {
    m.doc() = "The C++ core of the package wimax. Use the package.";
    m.attr("__version__") = WIMAX_VERSION;
    wimax::bindings::add_recordings(m);
    wimax::bindings::add_signals(m);
    wimax::bindings::add_stage_tables(m);
    wimax::bindings::add_coding_stages(m);
    wimax::bindings::add_carrier_stages(m);
    wimax::bindings::add_receive_stages(m);
    wimax::bindings::add_pdus(m);
    wimax::bindings::add_simulator(m);
}
