// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/reassembler.h"

#include <utility>

namespace wimax::mac {

void Reassembler::deliver(Octets sdu, const Sink& sink) {
    if (sdu.empty()) return;
    ++counters_.sdus;
    counters_.sdu_octets += sdu.size();
    if (sink) sink(sdu);
}

/// The current SDU will not be complete. It counts once, regardless of its further fragments.
void Reassembler::abandon(Progress then) {
    if (progress_ == Progress::building) ++counters_.dropped;
    progress_ = then;
    partial_.clear();
}

void Reassembler::unit(FragmentControl fc, uint16_t fsn, uint16_t modulus_mask, Octets data, const Sink& sink) {
    const bool follows = progress_ == Progress::building && fsn == (next_fsn_ & modulus_mask);
    next_fsn_ = static_cast<uint16_t>((fsn + 1) & modulus_mask);
    const bool ends = fc == FragmentControl::last;
    switch (fc) {
        case FragmentControl::unfragmented:
            abandon(Progress::none);
            deliver(data, sink);
            return;
        case FragmentControl::first:
            abandon(Progress::building);
            if (data.size() > limit_) return abandon(Progress::broken);
            partial_.assign(data.begin(), data.end());
            return;
        case FragmentControl::middle:
        case FragmentControl::last:
            // The first fragment was lost, with it one SDU.
            if (progress_ == Progress::none) progress_ = Progress::building;
            if (!follows || partial_.size() + data.size() > limit_)
                return abandon(ends ? Progress::none : Progress::broken);
            partial_.insert(partial_.end(), data.begin(), data.end());
            if (!ends) return;
            progress_ = Progress::none;
            deliver(partial_, sink);
            partial_.clear();
            return;
    }
}

/// Every PDU of an ARQ connection names the blocks it carries.
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
            if (feedback) feedback = false;
            else unit(packed->subheader.fc, packed->subheader.fsn, mask, packed->data, sink);
        }
        if (units.error()) ++counters_.malformed;
    } else if (subheaders.feedback) {
        return;
    } else if (subheaders.fragmentation) {
        unit(subheaders.fragmentation->fc, subheaders.fragmentation->fsn, mask, subheaders.rest, sink);
    } else {
        abandon(Progress::none);  // whole SDUs: earlier fragments will not arrive any more
        if (fixed_octets_ != 0) split(subheaders.rest, sink);
        else deliver(subheaders.rest, sink);
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
