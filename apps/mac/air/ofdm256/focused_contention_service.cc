// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/focused_contention_service.h"

namespace wimax::mac {
namespace {

constexpr uint32_t kFramesToAnswer = 8;  // a response identifies its frame by four bits
constexpr size_t kMostWaiting = 64;

}  // namespace

FocusedContentionService::FocusedContentionService(const BaseStationConfig& config, const Dependencies& dependencies)
    : subchannel_codes_(code_set(static_cast<uint8_t>(config.profile.focused_subchannel_codes), true)),
      width_(static_cast<uint8_t>(config.subchannelization.fewest)),
      plan_(dependencies.plan) {}

void FocusedContentionService::heard(const sap::RxContention& contention) {
    const auto opportunity = plan_.focused_opportunity(contention.frame_number, contention.start_slot);
    for (const auto& code : contention.codes) {
        ++counters_.codes;
        if (!opportunity || waiting_.size() >= kMostWaiting) {
            ++counters_.dropped;
            continue;
        }
        const auto frame_lsb4 = contention.frame_number.lsb();
        waiting_.push_back({contention.frame_number, {frame_lsb4, *opportunity, code.what.channel, code.what.code}});
    }
}

void FocusedContentionService::answer(uint32_t most) {
    const auto too_late = [this](const Heard& of) { return plan_.frame().since(of.frame) > kFramesToAnswer; };
    counters_.dropped += std::erase_if(waiting_, too_late);
    size_t left = 0;
    uint32_t answered = 0;
    for (const Heard& of : waiting_) {
        const uint8_t width = subchannel_codes_.has(of.code.code) ? width_ : kWholeBand;
        if (answered < most && plan_.add_answer(of.code, width)) ++answered;
        else waiting_[left++] = of;
    }
    waiting_.resize(left);
    counters_.answers += answered;
}

}  // namespace wimax::mac
