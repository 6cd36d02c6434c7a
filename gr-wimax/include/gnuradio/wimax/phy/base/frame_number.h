/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The number of a frame: 24 bits (clause 11.4.1, the DCD's frame number), after which it begins anew.
 * The frame prefix has the low four alone (clause 8.3.5.1).
 */
#pragma once

#include <cstdint>

namespace gr::wimax::phy {

class FrameNumber {
public:
    static constexpr uint32_t kLast = 0xFFFFFF;

    constexpr FrameNumber() = default;
    /// Of any count of frames the part that a frame number has.
    constexpr explicit FrameNumber(int64_t count) : value_(static_cast<uint32_t>(count) & kLast) {}

    constexpr uint32_t value() const { return value_; }
    /// As the frame prefix and the randomizers of bursts have it, 0 .. 15.
    constexpr uint8_t lsb() const { return value_ & 0xF; }
    /// The frame so many after this one, before it where negative.
    constexpr FrameNumber operator+(int64_t frames) const { return FrameNumber(int64_t{value_} + frames); }
    /// How many frames this one is behind `earlier`, 0 .. kLast: one that is ahead of it counts as nearly 2^24 behind.
    constexpr uint32_t since(FrameNumber earlier) const { return (value_ - earlier.value_) & kLast; }
    /// This frame or the next one whose low four bits are those.
    constexpr FrameNumber next_with(uint8_t lsb) const { return *this + ((lsb - value_) & 0xF); }

    constexpr bool operator==(const FrameNumber&) const = default;
    /// The one with this value.
    constexpr bool operator==(uint32_t value) const { return value_ == value; }

private:
    uint32_t value_ = 0;
};

}  // namespace gr::wimax::phy
