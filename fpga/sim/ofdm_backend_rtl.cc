/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fpga/sim/ofdm_backend_rtl.h"

#include "fpga/sim/verilated_core.h"

#include <Vofdm_backend.h>

namespace wimax::fpga {
namespace {

/// A symbol leaves within 900 cycles that are not stalled.
constexpr int kQuietCycles = 2000;
constexpr int kStuckCycles = 100'000;

}  // namespace

struct OfdmBackendRtl::Impl {
    Impl(Stalls at_source, Stalls at_sink)
        : source(WIMAX_AXIS_PORTS(core.top(), s_axis), std::move(at_source)),
          sink(WIMAX_AXIS_PORTS(core.top(), m_axis), std::move(at_sink)) {
        core.reset();
    }

    VerilatedCore<Vofdm_backend> core;
    AxisSource source;
    AxisSink sink;
    uint64_t latency = 0;

    void cycle() { core.cycle(source, sink); }
};

OfdmBackendRtl::OfdmBackendRtl(Stalls source, Stalls sink)
    : impl_(std::make_unique<Impl>(std::move(source), std::move(sink))) {}
OfdmBackendRtl::~OfdmBackendRtl() = default;

void OfdmBackendRtl::write(uint32_t address, uint32_t value) {
    impl_->core.write(address, value, impl_->source, impl_->sink);
}
uint32_t OfdmBackendRtl::read(uint32_t address) { return impl_->core.read(address, impl_->source, impl_->sink); }
uint64_t OfdmBackendRtl::cycles() const { return impl_->core.cycles(); }
uint64_t OfdmBackendRtl::latency_cycles() const { return impl_->latency; }

void OfdmBackendRtl::process(std::span<const AxisWord> carriers, std::vector<AxisWord>& out) {
    auto& s = *impl_;
    s.source.send(carriers);
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
        if (s.latency == 0) s.latency = s.core.cycles() - taken;
    }
    for (auto& word : s.sink.words) {
        if (!word.has_time) word.time = 0;
        out.push_back(word);
    }
    s.sink.words.clear();
}

}  // namespace wimax::fpga
