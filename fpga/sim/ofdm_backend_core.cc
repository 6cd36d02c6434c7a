// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/sim/ofdm_backend_core.h"

#include "fpga/sim/stream_core.h"

#include <Vofdm_backend.h>

namespace wimax::fpga {
namespace {

/// A symbol is output within 900 cycles without stalls.
constexpr int kQuietCycles = 2000;

}  // namespace

struct OfdmBackendCore::Impl : StreamCore<Vofdm_backend> {
    using StreamCore::StreamCore;
};

OfdmBackendCore::OfdmBackendCore(const Stalls& source, const Stalls& sink)
    : impl_(std::make_unique<Impl>(kQuietCycles, source, sink)) {}
OfdmBackendCore::~OfdmBackendCore() = default;

void OfdmBackendCore::write(uint32_t address, uint32_t value) { impl_->write(address, value); }
uint32_t OfdmBackendCore::read(uint32_t address) { return impl_->read(address); }
uint64_t OfdmBackendCore::cycles() const { return impl_->cycles(); }
uint64_t OfdmBackendCore::latency_cycles() const { return impl_->cycles_to_first(); }

void OfdmBackendCore::process(std::span<const AxisWord> carriers, std::vector<AxisWord>& out) {
    const auto words = impl_->run(carriers);
    out.insert(out.end(), words.begin(), words.end());
}

}  // namespace wimax::fpga
