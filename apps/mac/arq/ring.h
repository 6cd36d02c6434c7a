// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

/// The last elements of an endless sequence, by their numbers in it. Memory is allocated only at construction.
template <class T> class Ring {
public:
    /// Has room for at least that many elements in a row.
    explicit Ring(size_t least) : slots_(std::bit_ceil(least)) {}

    T& operator[](uint64_t number) { return slots_[number & (slots_.size() - 1)]; }
    const T& operator[](uint64_t number) const { return slots_[number & (slots_.size() - 1)]; }

private:
    std::vector<T> slots_;
};

}  // namespace wimax::mac
