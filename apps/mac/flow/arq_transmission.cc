// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/arq_transmission.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kUnitOctets = PackingSubheader::octets(true), kFragmentOctets = FragmentationSubheader::octets(true);

}  // namespace

ArqTransmission::ArqTransmission(const ArqParameters& parameters, bool packing, StagedSdus& sdus, FlowPdus& pdus,
                                 TransmitterCounters& counters)
    : packing_(packing),
      sdus_(sdus),
      pdus_(pdus),
      counters_(counters),
      connection_(parameters.t22, parameters, [this](uint32_t sdu, bool delivered) { done(sdu, delivered); }) {}

/// Until then the token bucket reserves its octets: missing blocks may release many SDUs at once.
void ArqTransmission::done(SduPool::Handle sdu, bool delivered) {
    const size_t octets = sdus_.finish(sdu);
    if (delivered) {
        ++counters_.sdus;
        counters_.sdu_octets += octets;
    } else {
        ++counters_.dropped_arq;
    }
}

/// Octets of repeats, and of blocks that the window and the rate permit.
size_t ArqTransmission::demand() const {
    if (connection_.stopped()) return 0;
    const ArqSender& sender = connection_.machine;
    const size_t here = sender.sendable_octets(), window = sender.window_room_octets();
    const SduQueue& queue = sdus_.queue();
    size_t packets = queue.packets(), waiting = queue.bytes(), allowed = sdus_.allowed_octets();
    if (const auto& current = sdus_.current(); current.held()) {
        const size_t size = sdus_.rest(current).size();
        if (!current.paid && size > allowed) allowed = 0;
        if (current.paid) allowed += std::min(size, SIZE_MAX - allowed);
        waiting += size;
        ++packets;
    } else if (packets > 0 && allowed < waiting / packets) {
        allowed = 0;
    }
    const size_t more = std::min({waiting, allowed, window});
    if (here + more == 0) return 0;
    const size_t units = waiting == 0 ? 0 : (more * packets + waiting - 1) / waiting;
    return here + more + (units + here / kMaxSduOctets + 2) * (pdus_.overhead_octets() + kUnitOctets);
}

void ArqTransmission::take_next(Samples now) {
    ArqSender& sender = connection_.machine;
    auto& current = sdus_.current();
    if (!sender.wants_sdu() || !sdus_.stage(current, now)) return;
    sender.add(current.handle, sdus_.octets(current.handle).size());
    current = {};
}

/// Writes one more unit into at most `room` octets, including its subheader. Returns its octets; 0: none fits.
size_t ArqTransmission::unit(PduWriter& writer, size_t room, Samples now) {
    const size_t overhead = packing_ ? kUnitOctets : kFragmentOctets;
    if (room <= overhead) return 0;
    take_next(now);
    ArqSender& sender = connection_.machine;
    const auto fragment = sender.next(room - overhead);
    if (!fragment) return 0;
    const Octets octets = sdus_.octets(fragment->sdu).subspan(fragment->offset, fragment->octets);
    if (packing_) {
        writer.packed(fragment->fc, bsn_of(fragment->first), octets);
        ++counters_.packed;
    } else {
        writer.fragmentation({fragment->fc, bsn_of(fragment->first)});
        writer.payload(octets);
    }
    if (fragment->fc != FragmentControl::unfragmented) ++counters_.fragments;
    if (!fragment->repeat) counters_.payload_octets += octets.size();
    sender.sent(*fragment, now);
    return overhead + octets.size();
}

/// Large SDUs get separate PDUs: a unit joins others only if its whole sendable part fits.
bool ArqTransmission::joins(size_t room, Samples now) {
    take_next(now);
    ArqSender& sender = connection_.machine;
    if (!packing_ || room <= kUnitOctets) return false;
    const auto fits = sender.next(room - kUnitOctets), all = sender.next(kMaxSduOctets);
    return fits && fits->octets == all->octets;
}

size_t ArqTransmission::fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback,
                             ArqFeedbackPayload* feedback) {
    const size_t before = writer.room(), reserve = before - std::min(before, limit);
    while (!connection_.stopped()) {
        size_t room = std::min(writer.room() - std::min(writer.room(), reserve), kMaxPduOctets);
        const bool carries = feedback && packing_ && !feedback->empty();
        const size_t overhead = pdus_.overhead_octets(piggyback) + (carries ? feedback->unit_octets() : 0);
        take_next(now);
        const size_t subheader = packing_ ? kUnitOctets : kFragmentOctets;
        if (room <= overhead + subheader || !connection_.machine.next(room - overhead - subheader)) break;
        room -= overhead;
        if (!pdus_.open(writer, piggyback)) break;
        if (carries) feedback->ride(writer);
        room -= unit(writer, room, now);
        while (joins(room, now)) room -= unit(writer, room, now);
        writer.finish();
    }
    return before - writer.room();
}

}  // namespace wimax::mac
