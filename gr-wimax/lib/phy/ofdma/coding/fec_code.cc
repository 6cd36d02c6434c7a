// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/coding/fec_code.h>

#include <algorithm>
#include <utility>

namespace gr::wimax::phy::ofdma {
namespace {

template <class Key, class Member> const FecCode* find(const Key& key, Member member) {
    const auto found = std::ranges::find(kFecCodes, key, member);
    return found == kFecCodes.end() ? nullptr : &*found;
}

}  // namespace

const FecCode* find_fec_code(std::string_view name) { return find(name, &FecCode::name); }
const FecCode* find_fec_code(int code) { return find(code, &FecCode::code); }

SlotConcatenation::SlotConcatenation(const FecCode& code, int slots) : whole_slots_(code.max_block_slots) {
    const bool ctc = code.kind == FecKind::ctc;
    const int remainder = slots % whole_slots_;
    if (slots <= whole_slots_ && !(ctc && slots == kForbiddenCtcSlots)) {
        last_[0] = slots;
    } else if (remainder == 0) {
        whole_blocks_ = slots / whole_slots_;
    } else {
        // The last whole block and the remainder become two blocks of nearly equal size.
        whole_blocks_ = std::max(slots / whole_slots_ - 1, 0);
        const int rest = slots - whole_blocks_ * whole_slots_;
        last_ = {(rest + 1) / 2, rest / 2};
        if (ctc && std::ranges::find(last_, kForbiddenCtcSlots) != last_.end()) {
            ++last_[0];
            --last_[1];
        }
    }
}

int SlotConcatenation::next() {
    if (whole_blocks_ > 0) {
        --whole_blocks_;
        return whole_slots_;
    }
    const int slots = std::exchange(last_[0], last_[1]);
    last_[1] = 0;
    return slots;
}

}  // namespace gr::wimax::phy::ofdma
