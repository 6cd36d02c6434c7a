// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/sdu_queue.h"
#include "mac/flow/ecn.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace wimax::mac {

SduPool::SduPool(size_t shared_buffers)
    : shared_(shared_buffers),
      free_shared_(shared_buffers),
      memory_(std::make_unique_for_overwrite<uint8_t[]>(shared_buffers * kMaxSduOctets)),
      nodes_(shared_buffers) {
    offer(0);
}

/// Puts the buffers from `first` on before the free ones, the lowest foremost, so that used buffers are reused.
void SduPool::offer(size_t first) {
    for (size_t i = nodes_.size(); i-- > first;) {
        nodes_[i].next = free_;
        free_ = static_cast<Handle>(i);
    }
}

void SduPool::join(Account& account) {
    account = {};
    if (++queues_ <= reserves_.size()) return;
    reserves_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kReserve * kMaxSduOctets));
    const size_t first = nodes_.size();
    nodes_.resize(first + kReserve);
    offer(first);
}

void SduPool::leave(Account& account) {
    assert(account.held == 0);
    account = {};
    --queues_;
}

SduPool::Handle SduPool::store(Octets packet, Samples now, Account& account) {
    const Handle handle = free_;
    Node& node = nodes_[handle];
    free_ = node.next;
    if (++account.held > kReserve) --free_shared_;
    node = {now, &account, kNone, 0, static_cast<uint16_t>(packet.size())};
    std::copy(packet.begin(), packet.end(), data(handle));
    return handle;
}

void SduPool::release(Handle handle) {
    Node& node = nodes_[handle];
    if (node.owner->held-- > kReserve) ++free_shared_;
    node.next = free_;
    free_ = handle;
}

void SduQueue::append(List& list, uint16_t index) {
    queues_[index].next = kNobody;
    if (list.tail == kNobody) list.head = index;
    else queues_[list.tail].next = index;
    list.tail = index;
}

uint16_t SduQueue::take_front(List& list) {
    const uint16_t index = list.head;
    list.head = queues_[index].next;
    if (list.head == kNobody) list.tail = kNobody;
    return index;
}

/// Removes empty sub-queues from the list.
void SduQueue::tidy(List& list) {
    List kept;
    while (list.head != kNobody) {
        const uint16_t index = take_front(list);
        queues_[index].listed = queues_[index].bytes > 0;
        if (queues_[index].listed) append(kept, index);
    }
    list = kept;
}

/// The connection's own, else a vacant one. If each of the set holds packets of others, the longest: packets are
/// dropped from its head when necessary.
uint16_t SduQueue::sub_queue_for(uint32_t hash) {
    const uint16_t first = static_cast<uint16_t>(hash % kSets * kWays), end = first + kWays;
    for (uint16_t i = first; i < end; ++i)
        if (hashes_[i] == hash) return i;
    const auto vacant = [&] {
        uint16_t i = first;
        while (i < end && queues_[i].listed) ++i;
        return i;
    };
    uint16_t index = vacant();
    if (index == end) {
        tidy(new_);
        tidy(old_);
        index = vacant();
    }
    if (index == end)
        return static_cast<uint16_t>(std::max_element(queues_.begin() + first, queues_.begin() + end,
                                                      [](const auto& a, const auto& b) { return a.bytes < b.bytes; }) -
                                     queues_.begin());
    queues_[index] = SubQueue{};
    hashes_[index] = hash;
    return index;
}

SduPool::Handle SduQueue::unlink_head(SubQueue& queue) {
    const SduPool::Handle handle = queue.head;
    if (handle == SduPool::kNone) return handle;
    const auto& node = pool_.nodes_[handle];
    queue.head = node.next;
    if (queue.head == SduPool::kNone) queue.tail = SduPool::kNone;
    queue.bytes -= node.size;
    bytes_ -= node.size;
    --packets_;
    return handle;
}

void SduQueue::drop_head(SubQueue& queue) {
    if (const auto handle = unlink_head(queue); handle != SduPool::kNone) pool_.release(handle);
}

void SduQueue::drop_from_longest() {
    SubQueue* longest = nullptr;
    for (const List& list : {new_, old_})
        for (uint16_t i = list.head; i != kNobody; i = queues_[i].next)
            if (!longest || queues_[i].bytes > longest->bytes) longest = &queues_[i];
    if (longest) drop_head(*longest);
}

bool SduQueue::push(Octets packet, uint32_t hash, Samples now) {
    if (packet.empty() || packet.size() > kMaxSduOctets) {
        ++counters_.refused;
        return false;
    }
    counters_.arrived_octets += packet.size();
    const auto fate = arrivals_.fate(config_.ecn && supports_ecn(packet));
    if (fate == DirectedArrivals::Fate::dropped) {
        ++counters_.dropped_policy;
        return true;
    }
    for (; full(packet.size()) && all_packets() > 0; ++counters_.dropped_full) drop_one();
    // Two for one: a queue that exceeds its share since others joined gives up the excess bit by bit.
    int given = 0;
    for (; given < 2 && !pool_.has_room_for(account_) && all_packets() > 0; ++given, ++counters_.dropped_pool)
        drop_one();
    if (given == 0 && !pool_.has_room_for(account_)) {  // unacknowledged SDUs hold all it may have
        ++counters_.refused;
        return false;
    }
    const SduPool::Handle handle = pool_.store(packet, now, account_);
    pool_.nodes_[handle].hash = hash;
    if (fate == DirectedArrivals::Fate::marked) mark(handle);
    ++counters_.queued;
    if (config_.hold > 0) hold_back(handle);
    else enqueue(handle);
    return true;
}

void SduQueue::direct(const QueueDirective& directive) {
    arrivals_.direct(directive);
    for (size_t left = std::min<size_t>(directive.drop_head, packets_); left > 0; --left, ++counters_.dropped_policy)
        drop_from_longest();
}

void SduQueue::hold_back(SduPool::Handle handle) {
    if (held_tail_ == SduPool::kNone) held_head_ = handle;
    else pool_.nodes_[held_tail_].next = handle;
    held_tail_ = handle;
    held_bytes_ += pool_.nodes_[handle].size;
    ++held_packets_;
}

SduPool::Handle SduQueue::release_held() {
    const SduPool::Handle handle = held_head_;
    auto& node = pool_.nodes_[handle];
    held_head_ = node.next;
    if (held_head_ == SduPool::kNone) held_tail_ = SduPool::kNone;
    held_bytes_ -= node.size;
    --held_packets_;
    node.next = SduPool::kNone;
    return handle;
}

void SduQueue::mature(Samples now) {
    while (held_packets_ > 0 && pool_.nodes_[held_head_].queued + config_.hold <= now) enqueue(release_held());
}

/// Waiting packets are dropped before delayed ones: they are older.
void SduQueue::drop_one() {
    if (packets_ > 0) drop_from_longest();
    else pool_.release(release_held());
}

void SduQueue::enqueue(SduPool::Handle handle) {
    const auto& node = pool_.nodes_[handle];
    const uint16_t index = sub_queue_for(node.hash);
    SubQueue& queue = queues_[index];
    if (queue.tail == SduPool::kNone) queue.head = handle;
    else pool_.nodes_[queue.tail].next = handle;
    queue.tail = handle;
    queue.bytes += node.size;
    bytes_ += node.size;
    ++packets_;
    if (!queue.listed) {
        queue.listed = true;
        queue.deficit = kQuantum;
        append(new_, index);
    }
}

bool SduQueue::should_drop(SubQueue& queue, SduPool::Handle packet, Samples now) const {
    const Samples sojourn = now - pool_.nodes_[packet].queued;
    if (!arrivals_.directive().codel || config_.codel_target <= 0 || sojourn < config_.codel_target ||
        queue.bytes <= kNoStandingQueue) {
        queue.first_above = 0;
        return false;
    }
    if (queue.first_above == 0) {
        queue.first_above = now + config_.codel_interval;
        return false;
    }
    return now >= queue.first_above;
}

bool SduQueue::mark(SduPool::Handle packet) {
    if (!config_.ecn || packet == SduPool::kNone || !mark_congestion(pool_.buffer(packet))) return false;
    ++counters_.marked;
    return true;
}

/// RFC 8289, and RFC 8290 where a packet is marked: it counts as dropped, and is sent.
SduPool::Handle SduQueue::codel_pop(SubQueue& queue, Samples now) {
    const auto control_law = [this](Samples t, uint32_t count) {
        return t + static_cast<Samples>(static_cast<double>(config_.codel_interval) / std::sqrt(count));
    };
    SduPool::Handle packet = unlink_head(queue);
    if (packet == SduPool::kNone) {
        queue.first_above = 0;
        queue.dropping = false;
        return packet;
    }
    const bool drop = should_drop(queue, packet, now);
    const auto discard = [&] {
        pool_.release(packet);
        ++counters_.dropped_codel;
        packet = unlink_head(queue);
    };
    if (queue.dropping) {
        if (!drop) queue.dropping = false;
        while (queue.dropping && now >= queue.drop_next && packet != SduPool::kNone) {
            const bool marked = mark(packet);
            if (!marked) discard();
            ++queue.count;
            if (marked) {
                queue.drop_next = control_law(queue.drop_next, queue.count);
                break;
            }
            if (packet == SduPool::kNone || !should_drop(queue, packet, now)) queue.dropping = false;
            else queue.drop_next = control_law(queue.drop_next, queue.count);
        }
    } else if (drop) {
        const bool marked = mark(packet);
        if (!marked) discard();
        queue.dropping = true;
        const uint32_t delta = queue.count - queue.last_count;
        queue.count = delta > 1 && now - queue.drop_next < 16 * config_.codel_interval ? delta : 1;
        queue.drop_next = control_law(now, queue.count);
        queue.last_count = queue.count;
        if (!marked && packet != SduPool::kNone) should_drop(queue, packet, now);
    }
    if (packet == SduPool::kNone) queue.dropping = false;
    return packet;
}

/// Oldest packet of the sub-queue whose turn it is; the others are queried in their turn.
Samples SduQueue::oldest() const {
    for (const List& list : {new_, old_})
        for (uint16_t i = list.head; i != kNobody; i = queues_[i].next)
            if (queues_[i].head != SduPool::kNone) return pool_.nodes_[queues_[i].head].queued;
    return 0;
}

Samples SduQueue::oldest_of_all() const {
    Samples first = INT64_MAX;
    for (const List& list : {new_, old_})
        for (uint16_t i = list.head; i != kNobody; i = queues_[i].next)
            if (queues_[i].head != SduPool::kNone) first = std::min(first, pool_.nodes_[queues_[i].head].queued);
    return first;
}

SduPool::Handle SduQueue::pop(Samples now) {
    while (new_.head != kNobody || old_.head != kNobody) {
        List& list = new_.head != kNobody ? new_ : old_;
        SubQueue& queue = queues_[list.head];
        if (queue.deficit <= 0) {
            queue.deficit += kQuantum;
            append(old_, take_front(list));
            continue;
        }
        const SduPool::Handle packet = codel_pop(queue, now);
        if (packet != SduPool::kNone) {
            queue.deficit -= pool_.nodes_[packet].size;
            counters_.sent_octets += pool_.nodes_[packet].size;
            return packet;
        }
        // A new sub-queue that ran dry is moved to the old list once, so that it cannot jump the line for ever.
        const uint16_t index = take_front(list);
        if (&list == &new_ && old_.head != kNobody) append(old_, index);
        else queue.listed = false;
    }
    return SduPool::kNone;
}

void SduQueue::clear() {
    for (auto& queue : queues_) {
        while (queue.head != SduPool::kNone) drop_head(queue);
        queue = SubQueue{};
    }
    new_ = old_ = List{};
    while (held_packets_ > 0) pool_.release(release_held());
}

}  // namespace wimax::mac
