/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fpga/sim/ofdm_frontend_rtl.h"

#include "fpga/sim/verilated_core.h"

#include <Vofdm_frontend.h>

namespace wimax::fpga {
namespace {

/// A symbol leaves within 600 cycles that are not stalled; orders that are late need a few each.
constexpr int kQuietCycles = 2000;
constexpr int kStuckCycles = 100'000;

}  // namespace

struct OfdmFrontendRtl::Impl {
    Impl(Stalls at_source, Stalls at_sink)
        : source(WIMAX_AXIS_PORTS(core.top(), s_axis), std::move(at_source)),
          sink(WIMAX_AXIS_PORTS(core.top(), m_axis), std::move(at_sink)) {
        core.reset();
    }

    VerilatedCore<Vofdm_frontend> core;
    AxisSource source;
    AxisSink sink;
    uint64_t latency = 0;

    void cycle() { core.cycle(source, sink); }
};

OfdmFrontendRtl::OfdmFrontendRtl(Stalls source, Stalls sink)
    : impl_(std::make_unique<Impl>(std::move(source), std::move(sink))) {}
OfdmFrontendRtl::~OfdmFrontendRtl() = default;

void OfdmFrontendRtl::write(uint32_t address, uint32_t value) {
    impl_->core.write(address, value, impl_->source, impl_->sink);
}
uint32_t OfdmFrontendRtl::read(uint32_t address) { return impl_->core.read(address, impl_->source, impl_->sink); }
uint64_t OfdmFrontendRtl::cycles() const { return impl_->core.cycles(); }
uint64_t OfdmFrontendRtl::latency_cycles() const { return impl_->latency; }

void OfdmFrontendRtl::order(const ofdm_frontend::Order& order) {
    auto& top = impl_->core.top();
    const auto word = order.word();
    top.s_axis_cmd_tdata[0] = static_cast<uint32_t>(word.low);
    top.s_axis_cmd_tdata[1] = static_cast<uint32_t>(word.low >> 32);
    top.s_axis_cmd_tdata[2] = static_cast<uint32_t>(word.high);
    top.s_axis_cmd_tdata[3] = static_cast<uint32_t>(word.high >> 32);
    top.s_axis_cmd_tvalid = 1;
    bool taken = false;
    for (int waited = 0; !taken && waited < kStuckCycles; ++waited) {
        taken = top.s_axis_cmd_tready;
        impl_->cycle();
    }
    top.s_axis_cmd_tvalid = 0;
}

void OfdmFrontendRtl::process(std::span<const AxisWord> samples, std::vector<AxisWord>& out) {
    auto& s = *impl_;
    s.source.send(samples);
    // A core that takes nothing any more is left alone: its words are missing then.
    for (int stuck = 0; !s.source.idle() && stuck < kStuckCycles; ++stuck) {
        const size_t left = s.source.left();
        s.cycle();
        if (s.source.left() < left) stuck = 0;
    }
    const uint64_t taken = s.core.cycles();
    s.latency = 0;
    for (int quiet = 0; quiet < kQuietCycles; ++quiet) {
        const size_t before = s.sink.words.size();
        s.cycle();
        if (s.sink.words.size() == before) continue;
        quiet = 0;
        s.latency = s.core.cycles() - taken;
    }
    for (auto& word : s.sink.words) {
        if (!word.has_time) word.time = 0;
        out.push_back(word);
    }
    s.sink.words.clear();
}

}  // namespace wimax::fpga
