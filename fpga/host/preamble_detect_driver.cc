// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/host/preamble_detect_driver.h"

#include "fpga/model/preamble_detect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace wimax::fpga {
namespace {

namespace phy = gr::wimax::phy;
using namespace preamble_detect;

static_assert(PreambleDetect::kLatencySamples <= phy::PreambleDetector::kLatencySamples);

class Driver final : public phy::PreambleDetector {
public:
    explicit Driver(gr::wimax::RadioCorePtr core) : core_(std::move(core)) {}

    std::optional<phy::DetectedPreamble> next() override {
        std::array<uint32_t, Detection::kWords> words{};
        for (;;) {
            const auto packet = core_->take(words);
            if (packet.words == 0) return std::nullopt;
            if (packet.words != words.size() || !packet.has_time) continue;
            const auto record = Detection::of(static_cast<uint64_t>(packet.time), words);
            const auto cp = std::find_if(phy::kCyclicPrefixes.begin(), phy::kCyclicPrefixes.end(), [&](auto prefix) {
                return phy::kFftSize / static_cast<int>(prefix) == record.cp_samples;
            });
            if (cp != phy::kCyclicPrefixes.end())
                return phy::DetectedPreamble{packet.time, *cp, record.cycles_per_sample()};
        }
    }

private:
    const gr::wimax::RadioCorePtr core_;
};

/// Offsets of up to 4 steps + 2 carriers are searched.
uint32_t steps_for(const phy::Numerology& numerology) {
    const double carriers = std::ceil(phy::kMaxCarrierOffsetHz / numerology.carrier_spacing_hz());
    return static_cast<uint32_t>(std::clamp(std::ceil((carriers - 2) / 4), 0.0, 7.0));
}

/// Prefixes: all, or one: a bit each for 8, 16, 32 and 64 samples.
uint32_t prefixes_for(std::optional<phy::CyclicPrefix> cp) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < 4; ++i)
        if (!cp || 8U << i == phy::kFftSize / static_cast<uint32_t>(*cp)) all |= 1U << i;
    return all;
}

}  // namespace

std::shared_ptr<phy::PreambleDetector> make_preamble_detect(gr::wimax::RadioCorePtr core,
                                                            const phy::Numerology& numerology,
                                                            std::optional<phy::CyclicPrefix> cp) {
    if (core->peek(kIdAddress) != kId || core->peek(kVersionAddress) != kVersion) return nullptr;
    core->poke(kMaxSteps, steps_for(numerology));
    core->poke(kPrefixes, prefixes_for(cp));
    core->poke(kControl, 1);
    return std::make_shared<Driver>(std::move(core));
}

void switch_off_preamble_detect(gr::wimax::RadioCore& core) { core.poke(kControl, 0); }

}  // namespace wimax::fpga
