// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/burst_tap.h"

#include "mac/air/ofdm256/air_codes.h"
#include "mac/pdu/pdu.h"

namespace wimax::mac {
namespace {

void tap_pdus(PduTap& tap, const TappedBurst& burst, Octets payload) {
    PduReader reader(payload);
    while (const auto pdu = reader.next_any())
        tap.on_pdu(burst, pdu->offset, pdu->octets, pdu->crc_ok() ? TappedOctets::pdu : TappedOctets::bad_crc);
    if (!reader.error()) return;
    const size_t offset = reader.error()->offset;
    tap.on_pdu(burst, offset, payload.subspan(offset), TappedOctets::unreadable);
}

}  // namespace

Samples start_of(phy::FrameNumber frame, const FrameClock& clock, Samples frame_samples) {
    int64_t later = frame.since(clock.frame);
    if (later > phy::FrameNumber::kLast / 2) later -= int64_t{phy::FrameNumber::kLast} + 1;
    return clock.now + later * frame_samples;
}

void tap_sent(PduTap& tap, const TappedFrame& frame, uint16_t cid, std::span<const sap::TxBurst> bursts) {
    for (size_t i = 0; i < bursts.size(); ++i) {
        const auto& format = bursts[i].format;
        TappedBurst burst;
        burst.frame = frame.number;
        burst.start = frame.start + bursts[i].start_slot.samples();
        burst.downlink = frame.downlink;
        burst.sent = true;
        burst.index = static_cast<uint8_t>(frame.downlink ? i + 1 : i);
        burst.profile = profile_of(format);
        burst.iuc = format.iuc;
        burst.subchannel = frame.downlink ? 0 : format.subchannel_index;
        burst.stc = format.stc;
        burst.cid = cid;
        tap_pdus(tap, burst, bursts[i].payload);
    }
}

void tap_received(PduTap& tap, const TappedFrame& frame, const sap::RxBurst& received) {
    if (!received.detected) return;
    TappedBurst burst;
    burst.frame = frame.number;
    burst.start = frame.start + received.start_slot.samples();
    burst.downlink = frame.downlink;
    burst.kind = received.kind;
    burst.index = received.index;
    burst.profile = profile_of(received);
    burst.iuc = received.iuc;
    burst.cid = received.cid;
    burst.fec_ok = received.fec_ok;
    burst.measured = true;
    burst.rssi_dbm = received.measured.rssi_dbm;
    burst.cinr_db = received.measured.cinr_db;
    tap_pdus(tap, burst, received.payload);
}

}  // namespace wimax::mac
