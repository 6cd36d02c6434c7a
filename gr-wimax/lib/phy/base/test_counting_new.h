// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of code that must not allocate: counts every operator new of the program while `counting`. The replacements
// are weak, so that several files of a program may include this.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace gr::wimax::phy::test {

inline std::atomic<bool> counting{false};
inline std::atomic<uint64_t> allocations{0};

/// Allocations during `work`.
template <class Work> uint64_t allocations_of(Work&& work) {
    const uint64_t before = allocations;
    counting = true;
    work();
    counting = false;
    return allocations - before;
}

}  // namespace gr::wimax::phy::test

// Array forms call this one. Not inlined: the compiler would see memory from one replaced function freed by
// another's body and warn.
[[gnu::noinline, gnu::weak]] void* operator new(std::size_t size) {
    gr::wimax::phy::test::allocations += gr::wimax::phy::test::counting;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline, gnu::weak]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    gr::wimax::phy::test::allocations += gr::wimax::phy::test::counting;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline, gnu::weak]] void* operator new(std::size_t size, std::align_val_t alignment) {
    gr::wimax::phy::test::allocations += gr::wimax::phy::test::counting;
    const auto step = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(step, (size + step) / step * step)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline, gnu::weak]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline, gnu::weak]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
