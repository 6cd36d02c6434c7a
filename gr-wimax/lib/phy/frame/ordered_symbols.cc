// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/frame/ordered_symbols.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gr::wimax::phy {

OrderedSymbols::OrderedSymbols(std::shared_ptr<SymbolTransformer> transformer) : transformer_(std::move(transformer)) {
    if (!transformer_) return;
    for (auto& slot : slots_) {
        slot.symbols.resize(kMaxFrameSymbols);
        slot.here.resize(kMaxFrameSymbols);
    }
}

void OrderedSymbols::order(const Frame& frame) {
    if (!transformer_) return;
    collect();  // symbols of the slot's previous frame are stored or dropped
    auto& slot = slots_[1 - at_hand_];
    slot.frame = frame;
    slot.frame.symbols = std::clamp(frame.symbols, 1, kMaxFrameSymbols);
    slot.tag = ++tag_;
    std::fill(slot.here.begin(), slot.here.end(), uint8_t{0});
    const auto exact = transformer_->order(
        {slot.tag, frame.first_window, frame.cp_samples, slot.frame.symbols, frame.cycles_per_sample});
    slot.ordered = exact.has_value();
    slot.frame.cycles_per_sample = exact.value_or(0);
}

const OrderedSymbols::Frame* OrderedSymbols::begin(int64_t first_window) {
    const auto is_it = [&](const Slot& slot) { return slot.ordered && slot.frame.first_window == first_window; };
    if (is_it(slots_[1 - at_hand_])) at_hand_ = 1 - at_hand_;
    begun_ = is_it(slots_[at_hand_]);
    return begun_ ? &slots_[at_hand_].frame : nullptr;
}

void OrderedSymbols::forget() {
    begun_ = false;
    for (auto& slot : slots_) slot.ordered = false;
}

void OrderedSymbols::collect() {
    while (transformer_->take(symbol_)) {
        const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                       [&](const Slot& s) { return s.ordered && s.tag == symbol_.tag; });
        if (slot == slots_.end() || symbol_.number < 0 || symbol_.number >= slot->frame.symbols) continue;
        const auto& f = slot->frame;
        if (symbol_.window != f.first_window + int64_t{symbol_.number} * (kFftSize + f.cp_samples)) continue;
        const auto number = static_cast<size_t>(symbol_.number);
        std::copy(symbol_.carriers.begin(), symbol_.carriers.end(), slot->symbols[number].data());
        slot->here[number] = 1;
    }
}

const Carriers* OrderedSymbols::find(const FftWindow& at, const FrequencyCorrection& by) {
    if (!begun_) return nullptr;
    auto& slot = slots_[at_hand_];
    const auto& f = slot.frame;
    if (by.phase_reference != f.first_window || by.cycles_per_sample != f.cycles_per_sample) return nullptr;
    if (at.symbol < 0 || at.symbol >= f.symbols || std::abs(at.shift) > kMostShift) return nullptr;
    collect();
    const auto number = static_cast<size_t>(at.symbol);
    if (slot.here[number] == 0) return nullptr;
    ++found_;
    return &slot.symbols[number];
}

}  // namespace gr::wimax::phy
