// SPDX-License-Identifier: GPL-3.0-or-later
// FlowTransmitter of an ARQ connection: SDUs move from the queue to the sending machine as its window permits, and stay
// in their buffers until released. PDUs are packed from the blocks it wants sent.
#include "mac/flow/transmitter.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kUnitOctets = PackingSubheader::octets(true), kFragmentOctets = FragmentationSubheader::octets(true);

}  // namespace

std::unique_ptr<ArqConnection<ArqSender>> FlowTransmitter::make_arq(const ServiceFlowConfig& config,
                                                                    int64_t sample_rate_hz) {
    if (!config.arq.enable) return nullptr;
    const ArqParameters parameters = arq_parameters(config.arq, sample_rate_hz);
    return std::make_unique<ArqConnection<ArqSender>>(
        parameters.t22, parameters, [this](uint32_t sdu, bool delivered) { arq_done(sdu, delivered); });
}

/// Until then the token bucket reserves its octets: missing blocks may release many SDUs at once.
void FlowTransmitter::arq_done(SduPool::Handle sdu, bool delivered) {
    const size_t octets = pool_.octets(sdu).size();
    bucket_.settle(octets);
    if (delivered) {
        ++counters_.sdus;
        counters_.sdu_octets += octets;
    } else {
        ++counters_.dropped_arq;
    }
    pool_.release(sdu);
}

/// Octets of repeats, and of blocks that the window and the rate permit.
size_t FlowTransmitter::arq_demand() const {
    if (arq_->stopped()) return 0;
    const ArqSender& sender = arq_->machine;
    const size_t here = sender.sendable_octets(), window = sender.window_room_octets();
    size_t packets = queue_.packets(), waiting = queue_.bytes(), allowed = bucket_.available();
    if (current_.held()) {
        const size_t size = rest(current_).size();
        if (!current_.paid && size > allowed) allowed = 0;
        if (current_.paid) allowed += std::min(size, SIZE_MAX - allowed);
        waiting += size;
        ++packets;
    } else if (packets > 0 && allowed < waiting / packets) {
        allowed = 0;
    }
    const size_t more = std::min({waiting, allowed, window});
    if (here + more == 0) return 0;
    const size_t units = waiting == 0 ? 0 : (more * packets + waiting - 1) / waiting;
    return here + more + (units + here / kMaxSduOctets + 2) * (pdu_overhead() + kUnitOctets);
}

void FlowTransmitter::arq_take_next(Samples now) {
    ArqSender& sender = arq_->machine;
    if (!sender.wants_sdu() || !stage(current_, now)) return;
    sender.add(current_.handle, pool_.octets(current_.handle).size());
    current_ = {};
}

/// Writes one more unit into at most `room` octets, including its subheader. Returns its octets; 0: none fits.
size_t FlowTransmitter::arq_unit(PduWriter& writer, size_t room, Samples now) {
    const size_t overhead = packing_ ? kUnitOctets : kFragmentOctets;
    if (room <= overhead) return 0;
    arq_take_next(now);
    ArqSender& sender = arq_->machine;
    const auto fragment = sender.next(room - overhead);
    if (!fragment) return 0;
    const Octets octets = pool_.octets(fragment->sdu).subspan(fragment->offset, fragment->octets);
    if (packing_) {
        writer.packed(fragment->fc, bsn_of(fragment->first), octets);
        ++counters_.packed;
    } else {
        writer.fragmentation({fragment->fc, bsn_of(fragment->first)});
        writer.payload(octets);
    }
    if (fragment->fc != FragmentControl::unfragmented) ++counters_.fragments;
    if (!fragment->repeat) payload_octets_ += octets.size();
    sender.sent(*fragment, now);
    return overhead + octets.size();
}

/// Large SDUs get separate PDUs: a unit joins others only if its whole sendable part fits.
bool FlowTransmitter::arq_joins(size_t room, Samples now) {
    arq_take_next(now);
    ArqSender& sender = arq_->machine;
    if (!packing_ || room <= kUnitOctets) return false;
    const auto fits = sender.next(room - kUnitOctets), all = sender.next(kMaxSduOctets);
    return fits && fits->octets == all->octets;
}

size_t FlowTransmitter::fill_arq(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback,
                                 ArqFeedbackPayload* feedback) {
    const size_t before = writer.room(), reserve = before - std::min(before, limit);
    while (!arq_->stopped()) {
        size_t room = std::min(writer.room() - std::min(writer.room(), reserve), kMaxPduOctets);
        const bool carries = feedback && packing_ && !feedback->empty();
        const size_t overhead = pdu_overhead() + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0) +
                                (carries ? feedback->unit_octets() : 0);
        arq_take_next(now);
        const size_t subheader = packing_ ? kUnitOctets : kFragmentOctets;
        if (room <= overhead + subheader || !arq_->machine.next(room - overhead - subheader)) break;
        room -= overhead;
        if (!open(writer, piggyback)) break;
        if (carries) feedback->ride(writer);
        room -= arq_unit(writer, room, now);
        while (arq_joins(room, now)) room -= arq_unit(writer, room, now);
        writer.finish();
    }
    return before - writer.room();
}

}  // namespace wimax::mac
