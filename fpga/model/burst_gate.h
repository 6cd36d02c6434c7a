// SPDX-License-Identifier: GPL-3.0-or-later
// Model of the core burst_gate, the last stage before a transmitter. Timed bursts are sent at their time or dropped,
// with zeros around them. It drives a line for an amplifier, limits length and duty cycle, and is silent without a
// heartbeat. Time is an input, sample by sample: the output of a tick depends on the words before it.
//
// It differs from TransmitGuard and BurstSender (gr-wimax/lib/radio) because it does not know a burst's length in
// advance: a burst over the duty cycle is cut, not dropped. A burst that begins while the line is on needs no lead.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/burst_gate_registers.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace wimax::fpga {

class BurstGate {
public:
    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address) const;

    /// Processes input words, then the times `first` .. `first` + `ticks` - 1. `out` gets words for the transmitter,
    /// each with its time, and end_of_burst before a pause; `line` gets one value per tick.
    void process(std::span<const AxisWord> words, uint64_t first, size_t ticks, std::vector<AxisWord>& out,
                 std::vector<uint8_t>& line);

private:
    static constexpr int kParts = 16;

    void drain();
    void tick(uint64_t now, std::vector<AxisWord>& out, std::vector<uint8_t>& line);
    struct Ahead {  ///< of the next burst: it begins now, its line is on, its zeros have begun, or will with the next
                    ///< tick
        bool starts = false, near = false, soon = false, next = false;
    };
    Ahead look_ahead(uint64_t now, bool silent);
    bool may_pass(bool silent);
    void count_part(bool passes);

    std::deque<AxisWord> queue_;
    bool enable_ = false;
    uint32_t edge_ = 0, lead_ = 0, lag_ = 0, longest_ = 0xFFFFFF, part_ = 2, share_ = 0x3FFFFFF, patience_ = 0x3FFFFFF;
    uint16_t bursts_ = 0, late_ = 0, too_long_ = 0, too_often_ = 0, silenced_ = 0, underflows_ = 0;
    uint32_t late_by_ = 0;
    uint64_t late_time_ = 0;

    enum class State : uint8_t { idle, burst, drop };
    State state_ = State::idle;
    bool line_ = false, muted_ = false, cut_ = false, open_ = false;
    uint32_t run_ = 0, tail_ = 0, hold_ = 0, silence_ = 0, in_part_ = 0;
    std::array<uint32_t, kParts> parts_{};
    uint32_t newest_ = 0, this_part_ = 0, total_ = 0;
};

}  // namespace wimax::fpga
