// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/burst_damage.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"

#include <algorithm>
#include <cmath>

namespace wimax::sim {
namespace {

constexpr uint8_t kPadding = 0xFF;

void spoil_octets(std::span<uint8_t> octets, Random& random) {
    for (auto& octet : octets) octet = static_cast<uint8_t>(octet ^ (1 + random() % 255));
}

}  // namespace

int decode_blocks(sap::RxBurst& burst, double block_error, Random& random) {
    burst.fec_ok = true;
    burst.failed_blocks = 0;
    if (block_error <= 0) return 0;
    const auto block_octets = static_cast<size_t>(phy::kRateTable[burst.rate_id].uncoded_bytes);
    const size_t blocks = (burst.payload.size() + block_octets) / block_octets;  // one octet is the code's tail
    // Number of good blocks before the next wrong one.
    const double log_good = block_error >= 1 ? -1e300 : std::log1p(-block_error);
    int failed = 0;
    for (double next = 0;;) {
        next += std::floor(std::log1p(-uniform(random)) / log_good);
        if (next >= static_cast<double>(blocks)) break;
        const size_t from = static_cast<size_t>(next) * block_octets;
        const size_t to = std::min(from + block_octets, burst.payload.size());
        if (from < to) spoil_octets(std::span(burst.payload).subspan(from, to - from), random);
        ++failed;
        next += 1;
    }
    const bool noticed = burst.rate_id != 0 && failed > 0;
    burst.fec_ok = !noticed;
    if (noticed) burst.failed_blocks = static_cast<uint16_t>(failed);
    return failed;
}

void spoil(sap::RxBurst& burst, Random& random) {
    burst.fec_ok = burst.rate_id == 0;
    for (auto& octet : burst.payload) octet = static_cast<uint8_t>(random());
}

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
