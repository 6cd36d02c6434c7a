// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and results of the stages: arrays of blocks, one per row. The package checks ranges and names; here only
// sizes are checked, so that no stage reads outside its arrays.
#pragma once

#include "tools/bindings/bindings.h"
#include "tools/bindings/result_memory.h"

#include <gnuradio/wimax/phy/base/burst_types.h>

#include <pybind11/stl.h>

#include <array>

namespace wimax::bindings {

namespace phy = gr::wimax::phy;

template <class T> using ArrayOf = py::array_t<T, py::array::c_style | py::array::forcecast>;
using OctetArray = ArrayOf<uint8_t>;

inline constexpr size_t kCarrierSpanOfArrays = 2 * phy::kEdgeCarrier + 1;  ///< offsets -100..100

/// Rows of equal length.
template <class T> struct Rows {
    T* data = nullptr;
    size_t count = 0, width = 0;

    std::span<T> operator[](size_t row) const { return {data + row * width, width}; }
};

/// Rows of a two-dimensional array; refused unless each has `width` elements.
template <class T> Rows<const T> rows_of(const char* name, const ArrayOf<T>& array, size_t width) {
    if (array.ndim() != 2 || static_cast<size_t>(array.shape(1)) != width)
        refuse({std::string(name) + ": rows of " + std::to_string(width) + " elements are wanted"});
    return {array.data(), static_cast<size_t>(array.shape(0)), width};
}
/// The same with rows of any length.
template <class T> Rows<const T> rows_of(const char* name, const ArrayOf<T>& array) {
    if (array.ndim() != 2) refuse({std::string(name) + ": a two-dimensional array is wanted"});
    return rows_of(name, array, static_cast<size_t>(array.shape(1)));
}
/// One value for each row.
template <class T> std::span<const T> column_of(const char* name, const ArrayOf<T>& array, size_t rows) {
    if (array.ndim() != 1 || static_cast<size_t>(array.size()) != rows)
        refuse({std::string(name) + ": one value for each of " + std::to_string(rows) + " blocks is wanted"});
    return {array.data(), rows};
}

/// A new array with any content.
template <class T> py::array_t<T> new_array(size_t count, size_t width) {
    const std::array shape{static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(width)};
    const size_t octets = count * width * sizeof(T);
    if (octets < kLeastBlockOctets) return py::array_t<T>(shape);
    auto block = std::make_unique<ResultBlock>(take_block(octets));
    if (!*block) return py::array_t<T>(shape);  // raises MemoryError
    const auto data = static_cast<const T*>(block->get());
    const py::capsule owner(block.release(), [](void* held) { delete static_cast<ResultBlock*>(held); });
    return py::array_t<T>(shape, data, owner);
}

/// A new array, its rows, and conversion to what a binding returns.
template <class T> class NewRows {
public:
    NewRows(size_t count, size_t width)
        : array_(new_array<T>(count, width)), rows_{array_.mutable_data(), count, width} {}
    std::span<T> operator[](size_t row) const { return rows_[row]; }
    const py::array_t<T>& array() const { return array_; }

private:
    py::array_t<T> array_;
    Rows<T> rows_;
};
template <class T> py::array_t<T> new_column(size_t count) { return py::array_t<T>(static_cast<py::ssize_t>(count)); }

/// rate_id, data_symbols, subchannel_index, iuc, bsid_lsb, frame_lsb, preamble symbols, midamble_interval.
using FormatNumbers = std::array<int, 8>;
phy::BurstFormat format_of(const FormatNumbers& numbers);
phy::Numerology numerology_of(int64_t bandwidth_hz, int cp_denominator);

/// Calls `work(row)` for all rows; other Python threads run meanwhile.
template <class Work> void for_each_row(size_t rows, const Work& work) {
    const py::gil_scoped_release others;
    for (size_t row = 0; row < rows; ++row) work(row);
}

}  // namespace wimax::bindings
