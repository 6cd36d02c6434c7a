// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/sim/burst_gate_core.h"

#include "fpga/sim/axis_ports.h"
#include "fpga/sim/verilated_core.h"

#include <Vburst_gate.h>

namespace wimax::fpga {
namespace {

/// Drives the time; never while an earlier word is held back.
class TimeSource {
public:
    TimeSource(Vburst_gate& top, const AxisSource& words, const Stalls& stalls)
        : top_(top), words_(words), stalls_(stalls) {}

    void begin(uint64_t first, size_t ticks) {
        now_ = first;
        left_ = ticks;
    }
    bool idle() const { return left_ == 0; }
    /// Line of the tick before the last edge: it is valid after that edge.
    void take_line(std::vector<uint8_t>& line) {
        if (ticked_) line.push_back(top_.tr_line);
        ticked_ = false;
    }
    void drive() {
        top_.s_time_tvalid = left_ > 0 && (words_.idle() || top_.s_axis_tvalid) && !stalls_.next();
        top_.s_time_ttimestamp = now_;
    }
    void look() {
        ticked_ = top_.s_time_tvalid && top_.s_time_tready;
        if (!ticked_) return;
        ++now_;
        --left_;
    }

private:
    Vburst_gate& top_;
    const AxisSource& words_;
    Stalls stalls_;
    uint64_t now_ = 0;
    size_t left_ = 0;
    bool ticked_ = false;
};

}  // namespace

struct BurstGateCore::Impl {
    Impl(const Stalls& source_stalls, const Stalls& sink_stalls, const Stalls& time_stalls)
        : source(WIMAX_AXIS_PORTS(core.top(), s_axis), source_stalls),
          sink(WIMAX_AXIS_PORTS(core.top(), m_axis), sink_stalls),
          time(core.top(), source, time_stalls) {
        core.reset();
    }

    VerilatedCore<Vburst_gate> core;
    AxisSource source;
    AxisSink sink;
    TimeSource time;
};

BurstGateCore::BurstGateCore(const Stalls& source, const Stalls& sink, const Stalls& time)
    : impl_(std::make_unique<Impl>(source, sink, time)) {}
BurstGateCore::~BurstGateCore() = default;

// Dropped words continue meanwhile.
void BurstGateCore::write(uint32_t address, uint32_t value) {
    impl_->core.write(address, value, impl_->source, impl_->sink);
}
uint32_t BurstGateCore::read(uint32_t address) { return impl_->core.read(address, impl_->source, impl_->sink); }

void BurstGateCore::process(std::span<const AxisWord> words, uint64_t first, size_t ticks, std::vector<AxisWord>& out,
                            std::vector<uint8_t>& line) {
    auto& [core, source, sink, time] = *impl_;
    source.send(words);
    time.begin(first, ticks);
    while (!time.idle()) {
        core.cycle(source, time, sink);
        time.take_line(line);
    }
    core.cycle(source, time, sink);  // no more time: a word at the output has been taken
    out.insert(out.end(), sink.words.begin(), sink.words.end());
    sink.words.clear();
}

}  // namespace wimax::fpga
