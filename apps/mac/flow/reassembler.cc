/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/flow/reassembler.h"

#include <utility>

namespace wimax::mac {

void Reassembler::deliver(Octets sdu, const Sink& sink) {
    if (sdu.empty()) return;
    ++counters_.sdus;
    counters_.sdu_octets += sdu.size();
    if (sink) sink(sdu);
}

void Reassembler::abandon() {
    if (!active_) return;
    ++counters_.dropped;
    active_ = false;
    partial_.clear();
}

void Reassembler::unit(FragmentControl fc, uint16_t fsn, uint16_t modulus_mask, Octets data, const Sink& sink) {
    const bool follows = active_ && fsn == (next_fsn_ & modulus_mask);
    next_fsn_ = static_cast<uint16_t>((fsn + 1) & modulus_mask);
    switch (fc) {
        case FragmentControl::unfragmented:
            abandon();
            deliver(data, sink);
            return;
        case FragmentControl::first:
            abandon();
            if (data.size() > limit_) {
                ++counters_.dropped;
                return;
            }
            partial_.assign(data.begin(), data.end());
            active_ = true;
            return;
        case FragmentControl::middle:
        case FragmentControl::last:
            if (!follows) {
                // The first fragment was lost, with it one SDU; count it once, at its end.
                if (!active_ && fc == FragmentControl::last) ++counters_.dropped;
                return abandon();
            }
            if (partial_.size() + data.size() > limit_) return abandon();
            partial_.insert(partial_.end(), data.begin(), data.end());
            if (fc == FragmentControl::middle) return;
            active_ = false;
            deliver(partial_, sink);
            partial_.clear();
            return;
    }
}

/// Every PDU of an ARQ connection says which blocks it carries.
void Reassembler::receive_blocks(const Pdu& pdu, const Subheaders& subheaders, const Sink& sink) {
    if (arq_->stopped() || (subheaders.feedback && !subheaders.packed)) return;
    if (!pdu.header.extended() || !(subheaders.packed || subheaders.fragmentation)) {
        ++counters_.malformed;
        return;
    }
    ArqReceiver& receiver = arq_->machine;
    const uint64_t malformed = receiver.counters().malformed, dropped = receiver.counters().dropped_sdus;
    const Sink counted = [&](Octets sdu) { deliver(sdu, sink); };
    if (subheaders.fragmentation)
        receiver.receive(subheaders.fragmentation->fc, subheaders.fragmentation->fsn, subheaders.rest, now_, counted);
    UnitReader units(subheaders.packed ? subheaders.rest : Octets{}, true);
    bool feedback = subheaders.feedback;
    while (const auto packed = units.next())
        if (!std::exchange(feedback, false))
            receiver.receive(packed->subheader.fc, packed->subheader.fsn, packed->data, now_, counted);
    counters_.malformed += receiver.counters().malformed - malformed + (units.error() ? 1 : 0);
    counters_.dropped += receiver.counters().dropped_sdus - dropped;
}

void Reassembler::tick(Samples now, const Sink& sink) {
    now_ = now;
    if (!arq_ || arq_->stopped()) return;
    const uint64_t dropped = arq_->machine.counters().dropped_sdus;
    arq_->machine.tick(now, [&](Octets sdu) { deliver(sdu, sink); });
    counters_.dropped += arq_->machine.counters().dropped_sdus - dropped;
}

void Reassembler::discard(uint16_t bsn, const Sink& sink) {
    if (!arq_ || arq_->stopped()) return;
    const uint64_t dropped = arq_->machine.counters().dropped_sdus;
    arq_->machine.discard(bsn, [&](Octets sdu) { deliver(sdu, sink); });
    counters_.dropped += arq_->machine.counters().dropped_sdus - dropped;
}

void Reassembler::receive(const Pdu& pdu, const Subheaders& subheaders, const Sink& sink) {
    if (arq_) return receive_blocks(pdu, subheaders, sink);
    const uint16_t mask = pdu.header.extended() ? 0x7FF : 7;
    if (subheaders.packed) {
        UnitReader units(subheaders.rest, pdu.header.extended());
        bool feedback = subheaders.feedback;  // the first unit then is not data
        while (const auto packed = units.next()) {
            if (feedback)
                feedback = false;
            else
                unit(packed->subheader.fc, packed->subheader.fsn, mask, packed->data, sink);
        }
        if (units.error()) ++counters_.malformed;
    } else if (subheaders.feedback) {
        return;
    } else if (subheaders.fragmentation) {
        unit(subheaders.fragmentation->fc, subheaders.fragmentation->fsn, mask, subheaders.rest, sink);
    } else if (fixed_octets_ != 0) {
        split(subheaders.rest, sink);
    } else {
        deliver(subheaders.rest, sink);
    }
}

void Reassembler::split(Octets sdus, const Sink& sink) {
    if (sdus.size() % fixed_octets_ != 0) {
        ++counters_.malformed;
        return;
    }
    for (; !sdus.empty(); sdus = sdus.subspan(fixed_octets_)) deliver(sdus.first(fixed_octets_), sink);
}

}  // namespace wimax::mac
