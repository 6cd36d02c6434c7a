// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/pdu_drops.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"

#include <algorithm>

namespace wimax::sim {
namespace {

constexpr uint8_t kPadding = 0xFF;

}  // namespace

void drop_pdus(sap::RxBurst& burst, const DropConfig& config, uint16_t basic_cids, Random& random,
               DropCounters& counters) {
    size_t kept = 0;
    mac::PduReader reader(burst.payload);
    while (const auto pdu = reader.next_any()) {
        bool drop = false;
        if (!pdu->is_request && mac::cid::is_transport(pdu->cid(), basic_cids)) {
            ++counters.pdus_seen;
            drop = uniform(random) < config.pdu;
            counters.pdus_dropped += drop;
        } else if (!pdu->is_request && mac::message_type(pdu->body) == mac::MessageType::arq_feedback) {
            ++counters.feedback_seen;
            drop = uniform(random) < config.feedback;
            counters.feedback_dropped += drop;
        }
        if (drop) continue;
        const size_t size = pdu->octets.size();
        if (kept != pdu->offset)
            std::copy_n(burst.payload.begin() + static_cast<std::ptrdiff_t>(pdu->offset), size,
                        burst.payload.begin() + static_cast<std::ptrdiff_t>(kept));
        kept += size;
    }
    // The unreadable rest is left to the receiver.
    if (const auto& error = reader.error())
        kept = static_cast<size_t>(std::copy(burst.payload.begin() + static_cast<std::ptrdiff_t>(error->offset),
                                             burst.payload.end(),
                                             burst.payload.begin() + static_cast<std::ptrdiff_t>(kept)) -
                                   burst.payload.begin());
    std::fill(burst.payload.begin() + static_cast<std::ptrdiff_t>(kept), burst.payload.end(), kPadding);
}

}  // namespace wimax::sim
