// SPDX-License-Identifier: GPL-3.0-or-later
// The number of a frame: 24 bits that wrap (clause 11.4.1, the DCD's frame number).
// The frame prefix has only the low four (clause 8.3.5.1).
#pragma once

#include <cstdint>

namespace gr::wimax::phy {

class FrameNumber {
public:
    static constexpr uint32_t kLast = 0xFFFFFF;

    constexpr FrameNumber() = default;
    /// The low 24 bits of any count of frames.
    constexpr explicit FrameNumber(int64_t count) : value_(static_cast<uint32_t>(count) & kLast) {}

    constexpr uint32_t value() const { return value_; }
    /// Low four bits, as in the frame prefix and in the randomizers of bursts.
    constexpr uint8_t lsb() const { return value_ & 0xF; }
    /// The frame `frames` later than this one; negative: earlier.
    constexpr FrameNumber operator+(int64_t frames) const { return FrameNumber(int64_t{value_} + frames); }
    /// Number of frames from `earlier` to this one, 0 .. kLast. If this one is earlier, the result is nearly 2^24.
    constexpr uint32_t since(FrameNumber earlier) const { return (value_ - earlier.value_) & kLast; }
    /// The first frame from this one on with these low four bits.
    constexpr FrameNumber next_with(uint8_t lsb) const { return *this + ((lsb - value_) & 0xF); }

    constexpr bool operator==(const FrameNumber&) const = default;
    /// True if the value is equal.
    constexpr bool operator==(uint32_t value) const { return value_ == value; }

private:
    uint32_t value_ = 0;
};

}  // namespace gr::wimax::phy
