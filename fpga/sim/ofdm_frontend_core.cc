// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/sim/ofdm_frontend_core.h"

#include "fpga/sim/stream_core.h"

#include <Vofdm_frontend.h>

namespace wimax::fpga {
namespace {

/// A symbol is output within this number of cycles without stalls; late orders need a few each.
constexpr int kLatency = 700, kStalled = 2000;
constexpr int kStuckCycles = 100'000;

}  // namespace

struct OfdmFrontendCore::Impl : StreamCore<Vofdm_frontend> {
    using StreamCore::StreamCore;
};

OfdmFrontendCore::OfdmFrontendCore(const Stalls& source, const Stalls& sink)
    : impl_(std::make_unique<Impl>(source.none() && sink.none() ? kLatency : kStalled, source, sink)) {}
OfdmFrontendCore::~OfdmFrontendCore() = default;

void OfdmFrontendCore::write(uint32_t address, uint32_t value) { impl_->write(address, value); }
uint32_t OfdmFrontendCore::read(uint32_t address) { return impl_->read(address); }
uint64_t OfdmFrontendCore::cycles() const { return impl_->cycles(); }
uint64_t OfdmFrontendCore::latency_cycles() const { return impl_->cycles_to_last(); }

void OfdmFrontendCore::order(const ofdm_frontend::Order::Word& word) {
    auto& top = impl_->top();
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

void OfdmFrontendCore::process(std::span<const AxisWord> samples, std::vector<AxisWord>& out) {
    const auto words = impl_->run(samples);
    out.insert(out.end(), words.begin(), words.end());
}

}  // namespace wimax::fpga
