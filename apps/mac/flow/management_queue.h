// SPDX-License-Identifier: GPL-3.0-or-later
// Management messages waiting for room in a burst. Those on a primary management connection may be fragmented, others
// wait until they fit whole (the connections' rules of clause 6.3.3.3).
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/pdu/pdu.h"

#include <deque>
#include <functional>

namespace wimax::mac {

class ManagementQueue {
public:
    template <class Message> void push(uint16_t cid, const Message& message) {
        if (waiting_.size() >= kLimit) {
            ++dropped_;
            return;
        }
        waiting_.push_back({cid, {}, 0});
        encode(message, waiting_.back().octets);
        if (finish_) finish_(cid, waiting_.back().octets);
    }
    /// Queues an encoded message.
    void push(uint16_t cid, Buffer message) {
        if (waiting_.size() >= kLimit) ++dropped_;
        else waiting_.push_back({cid, std::move(message), 0});
    }
    /// Applied to each message that is encoded here, to sign it.
    using Finish = std::function<void(uint16_t cid, Buffer& message)>;
    void finish_with(Finish finish) { finish_ = std::move(finish); }
    /// Sets the station's primary management connection, as assigned by the base station.
    void may_fragment_on(uint16_t primary_cid) { primary_cid_ = primary_cid; }
    /// Discards waiting messages and resets fragment numbers when the connection ends.
    void clear() {
        waiting_.clear();
        fsn_ = 0;
    }
    bool empty() const { return waiting_.empty(); }
    size_t size() const { return waiting_.size(); }
    uint64_t dropped() const { return dropped_; }
    /// Octets of PDUs for all waiting messages.
    size_t demand() const { return waiting_.empty() ? 0 : demand_of_waiting(); }
    /// Appends as much as fits in `limit` octets; returns octets appended.
    size_t fill(PduWriter& writer, size_t limit);

private:
    struct Message {
        uint16_t cid = 0;
        Buffer octets;
        size_t offset = 0;
    };
    static constexpr size_t kLimit = 64;
    size_t demand_of_waiting() const;
    bool send_fragment(PduWriter& writer, size_t room, Message& message);

    std::deque<Message> waiting_;
    uint16_t fsn_ = 0, primary_cid_ = 0;
    uint64_t dropped_ = 0;
    Finish finish_;
};

}  // namespace wimax::mac
