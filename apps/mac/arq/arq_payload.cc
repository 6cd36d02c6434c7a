// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/arq/arq_payload.h"

namespace wimax::mac {
namespace {

constexpr size_t kMostConnections = 64;
constexpr size_t kLastBitOctet = 2;
constexpr uint8_t kLastBit = 0x80;

}  // namespace

ArqFeedbackPayload::ArqFeedbackPayload() {
    octets_.reserve(kMostOctets);
    receivers_.reserve(kMostConnections);
}

void ArqFeedbackPayload::clear() {
    octets_.clear();
    receivers_.clear();
}

void ArqFeedbackPayload::add(uint16_t cid, ArqReceiver& receiver) {
    if (!receiver.feedback_due() || receivers_.size() == kMostConnections ||
        octets_.size() + receiver.feedback_octets() > kMostOctets)
        return;
    std::array<FeedbackIe, kMaxFeedbackElements> elements;
    const size_t count = receiver.feedback(cid, elements);
    if (count == 0) return receiver.feedback_sent();
    if (!octets_.empty()) octets_[last_ + kLastBitOctet] &= static_cast<uint8_t>(~kLastBit);
    for (size_t i = 0; i < count; ++i) {
        last_ = octets_.size();
        BitWriter out(octets_);
        write(out, elements[i]);
    }
    octets_[last_ + kLastBitOctet] |= kLastBit;
    receivers_.push_back(&receiver);
}

void ArqFeedbackPayload::sent() {
    for (ArqReceiver* receiver : receivers_) receiver->feedback_sent();
    clear();
}

void ArqFeedbackPayload::ride(PduWriter& writer) {
    writer.mark_feedback();
    writer.packed(FragmentControl::unfragmented, 0, octets_);
    sent();
}

bool ArqFeedbackPayload::send_alone(PduWriter& writer, uint16_t basic_cid) {
    if (writer.room() < message_octets() || !writer.begin(basic_cid, true, false)) return false;
    const auto type = static_cast<uint8_t>(MessageType::arq_feedback);
    writer.payload({&type, 1});
    writer.payload(octets_);
    writer.finish();
    sent();
    return true;
}

}  // namespace wimax::mac
