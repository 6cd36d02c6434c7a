// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of large results. A fast stage takes as long as the page faults of a new array, so blocks that Python has
// released are used again, in large pages where the system has them.
#pragma once

#include <cstddef>
#include <memory>

namespace wimax::bindings {

/// Returns a block to where it came from. Call with the interpreter lock.
struct ReleaseBlock {
    size_t octets = 0;
    void operator()(void* block) const;
};
using ResultBlock = std::unique_ptr<void, ReleaseBlock>;

/// Results below this size come from Python's own memory.
inline constexpr size_t kLeastBlockOctets = size_t{1} << 18;
/// Released blocks that are kept for later results, in sum.
inline constexpr size_t kMostKeptOctets = size_t{64} << 20;

/// A block of at least `octets`, with any content. Null: the system has no memory. Call with the interpreter lock.
ResultBlock take_block(size_t octets);
/// Octets of all released blocks that are kept.
size_t kept_octets();

}  // namespace wimax::bindings
