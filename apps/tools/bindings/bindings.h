// SPDX-License-Identifier: GPL-3.0-or-later
// The extension module wimax_core of the Python package wimax. Each file adds the functions of one subject. The package
// has names, types and documentation for users; wimax_core has plain arrays, numbers and JSON texts.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <complex>
#include <span>
#include <string>
#include <vector>

namespace wimax::bindings {

namespace py = pybind11;

using ComplexArray = py::array_t<std::complex<float>, py::array::c_style | py::array::forcecast>;

/// Raises ValueError with one line for each fault.
[[noreturn]] void refuse(const std::vector<std::string>& lines);

/// The samples of a one-dimensional array; `name` is the argument's name for the error. Valid as long as the array.
std::span<const std::complex<float>> samples_of(const char* name, const ComplexArray& array);
ComplexArray array_of(std::span<const std::complex<float>> samples);

void add_recordings(py::module_& m);
void add_signals(py::module_& m);
// Stages of the PHY on arrays (stage_arrays.h).
void add_stage_tables(py::module_& m);
void add_coding_stages(py::module_& m);
void add_carrier_stages(py::module_& m);
void add_receive_stages(py::module_& m);
void add_pdus(py::module_& m);
void add_simulator(py::module_& m);

}  // namespace wimax::bindings
