// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/focused_contention_service.h"

namespace wimax::mac {
namespace {

constexpr uint32_t kFramesToAnswer = 8;  // a response identifies its frame by four bits
constexpr size_t kMostWaiting = 64;

}  // namespace

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

uint32_t FocusedContentionService::answer(uint32_t most) {
    const auto too_late = [this](const Heard& of) { return plan_.frame().since(of.frame) > kFramesToAnswer; };
    counters_.dropped += std::erase_if(waiting_, too_late);
    uint32_t answered = 0;
    while (answered < waiting_.size() && answered < most && plan_.add_answer(waiting_[answered].code)) ++answered;
    waiting_.erase(waiting_.begin(), waiting_.begin() + answered);
    counters_.answers += answered;
    return answered;
}

}  // namespace wimax::mac
