// SPDX-License-Identifier: GPL-3.0-or-later
// Events of a station, one line each, and the interface by which its components report them. A peer can cause most of
// these lines at will, so all of them have a budget (common/line_limits.h).
#pragma once

#include "common/line_limits.h"
#include "mac/clock.h"
#include "mac/pdu/management_messages.h"

#include <functional>
#include <string>
#include <utility>

namespace wimax::mac {

/// The originator of a line, whose budget the line uses.
struct EventSource {
    uint64_t id = LineLimits::kShared;  ///< a peer that is not verified, or none

    /// The station's own user or PHY.
    static constexpr EventSource own() { return {LineLimits::kOwn}; }
    /// A peer that has proved its presence.
    static constexpr EventSource peer(const MacAddress& mac) {
        uint64_t id = 0;
        for (const uint8_t octet : mac) id = id << 8 | octet;
        return {id + 2};
    }
    bool operator==(const EventSource&) const = default;
};

struct Event {
    EventSource source;
    std::string layer, text;
};

class EventSink {
public:
    using Output = std::function<void(const Event&)>;
    EventSink(const FrameClock& clock, Output output) : clock_(clock), output_(std::move(output)) {}

    /// `variant`: distinguishes kinds of lines reported at one place in the source.
    void operator()(EventSource source, const char* layer, const std::string& text, uint32_t variant = 0,
                    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        std::string note;
        if (limits_.allow(source.id, line_kind(file, line, variant), now_s(), note))
            output_({source, layer, text + note});
    }
    void operator()(const char* layer, const std::string& text, uint32_t variant = 0,
                    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        (*this)(EventSource(), layer, text, variant, file, line);
    }
    /// Once a frame. A step of more than a second is a jump of the PHY's clock, in which no budget refills.
    void begin_frame() {
        if (clock_.now - last_ > clock_.sample_rate_hz) last_ = clock_.now;
        (void)now_s();
    }
    const LineLimits& limits() const { return limits_; }

private:
    double now_s() {
        if (clock_.now > last_)
            elapsed_s_ += static_cast<double>(clock_.now - last_) / static_cast<double>(clock_.sample_rate_hz);
        last_ = clock_.now;
        return elapsed_s_;
    }

    const FrameClock& clock_;
    Output output_;
    LineLimits limits_;
    Samples last_ = 0;
    double elapsed_s_ = 0;
};

}  // namespace wimax::mac
