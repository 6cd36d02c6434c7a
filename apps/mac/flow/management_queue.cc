// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/management_queue.h"

#include <algorithm>

namespace wimax::mac {
namespace {
constexpr size_t kWhole = kHeaderOctets + kCrcOctets;
constexpr size_t kFragment = kWhole + 2;
constexpr size_t kMinMessagePart = 16;
}  // namespace

size_t ManagementQueue::demand_of_waiting() const {
    size_t octets = 0;
    for (const auto& message : waiting_) octets += message.octets.size() - message.offset + kFragment;
    return octets;
}

bool ManagementQueue::send_fragment(PduWriter& writer, size_t room, Message& message) {
    const size_t left = message.octets.size() - message.offset;
    if (room < kFragment + std::min(left, kMinMessagePart)) return false;
    const size_t part = std::min({left, room - kFragment, kMaxPduOctets - kFragment});
    const bool first = message.offset == 0, last = part == left;
    if (!writer.begin(message.cid)) return false;
    const auto fc = first ? (last ? FragmentControl::unfragmented : FragmentControl::first)
                          : (last ? FragmentControl::last : FragmentControl::middle);
    writer.fragmentation({fc, fsn_});
    fsn_ = (fsn_ + 1) & 0x7FF;
    writer.payload(Octets(message.octets).subspan(message.offset, part));
    message.offset += part;
    return writer.finish();
}

size_t ManagementQueue::fill(PduWriter& writer, size_t limit) {
    const size_t before = writer.room();
    const size_t reserve = before - std::min(before, limit);
    while (!waiting_.empty()) {
        Message& message = waiting_.front();
        const size_t room = writer.room() > reserve ? writer.room() - reserve : 0;
        if (message.offset == 0 && message.octets.size() + kWhole <= std::min(room, kMaxPduOctets)) {
            if (!writer.begin(message.cid, true, false)) break;
            writer.payload(message.octets);
            writer.finish();
            message.offset = message.octets.size();
        } else if (!(message.offset > 0 || message.cid == primary_cid_) || !send_fragment(writer, room, message)) {
            break;
        }
        if (message.offset < message.octets.size()) break;
        waiting_.pop_front();
    }
    return before - writer.room();
}

}  // namespace wimax::mac
