// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/sim/preamble_detect_core.h"

#include "fpga/sim/axis_ports.h"
#include "fpga/sim/verilated_core.h"

#include <Vpreamble_detect.h>

namespace wimax::fpga {

struct PreambleDetectCore::Impl {
    Impl(const Stalls& source_stalls, const Stalls& sink_stalls, const Stalls& record_stalls)
        : source(WIMAX_AXIS_PORTS(core.top(), s_axis), source_stalls),
          sink(WIMAX_AXIS_PORTS(core.top(), m_axis), sink_stalls),
          records(WIMAX_AXIS_PORTS(core.top(), m_axis_det), record_stalls) {
        core.reset();
    }

    VerilatedCore<Vpreamble_detect> core;
    AxisSource source;
    AxisSink sink, records;
};

PreambleDetectCore::PreambleDetectCore(const Stalls& source, const Stalls& sink, const Stalls& records)
    : impl_(std::make_unique<Impl>(source, sink, records)) {}
PreambleDetectCore::~PreambleDetectCore() = default;

uint64_t PreambleDetectCore::cycles() const { return impl_->core.cycles(); }

void PreambleDetectCore::write(uint32_t address, uint32_t value) { impl_->core.write(address, value); }
uint32_t PreambleDetectCore::read(uint32_t address) { return impl_->core.read(address); }

void PreambleDetectCore::process(std::span<const AxisWord> in, std::vector<AxisWord>& out,
                                 std::vector<Detection>& detections) {
    auto& [core, source, sink, records] = *impl_;
    source.send(in);
    while (!source.idle() || sink.words.size() < in.size()) core.cycle(source, sink, records);
    while (core.read(preamble_detect::kBusy, source, sink, records)) core.cycle(source, sink, records);
    out.insert(out.end(), sink.words.begin(), sink.words.end());
    sink.words.clear();
    const std::span<const AxisWord> all = records.words;
    for (size_t i = 0; i + Detection::kWords <= all.size(); i += Detection::kWords)
        detections.push_back(Detection::of(all.subspan(i).first<Detection::kWords>()));
    records.words.clear();
}

void PreambleDetectCore::process(uint64_t first, std::span<const FixedSample> in, std::vector<Detection>& detections) {
    words_.clear();
    for (size_t i = 0; i < in.size(); ++i) words_.push_back({pack(in[i]), first + i, true, false, false});
    passed_.clear();
    process(words_, passed_, detections);
}

}  // namespace wimax::fpga
