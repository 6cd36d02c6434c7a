/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/flow/sdu_queue.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {

SduPool::SduPool(size_t buffers) : data_(buffers * kMaxSduOctets), nodes_(buffers) {
    for (size_t i = buffers; i-- > 0;) {
        nodes_[i].next = free_;
        free_ = static_cast<Handle>(i);
    }
    free_count_ = buffers;
}

SduPool::Handle SduPool::store(Octets packet, Samples now) {
    if (free_ == kNone || packet.empty() || packet.size() > kMaxSduOctets) return kNone;
    const Handle handle = free_;
    Node& node = nodes_[handle];
    free_ = node.next;
    --free_count_;
    node = {now, kNone, static_cast<uint16_t>(packet.size())};
    std::copy(packet.begin(), packet.end(), data_.begin() + static_cast<ptrdiff_t>(handle * kMaxSduOctets));
    return handle;
}

void SduPool::release(Handle handle) {
    nodes_[handle].next = free_;
    free_ = handle;
    ++free_count_;
}

void SduQueue::append(List& list, uint8_t index) {
    queues_[index].next = kNobody;
    if (list.tail == kNobody)
        list.head = index;
    else
        queues_[list.tail].next = index;
    list.tail = index;
}

uint8_t SduQueue::take_front(List& list) {
    const uint8_t index = list.head;
    list.head = queues_[index].next;
    if (list.head == kNobody) list.tail = kNobody;
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
    auto longest = std::max_element(queues_.begin(), queues_.end(),
                                    [](const SubQueue& a, const SubQueue& b) { return a.bytes < b.bytes; });
    drop_head(*longest);
    ++counters_.dropped_full;
}

bool SduQueue::push(Octets packet, uint32_t hash, Samples now) {
    while (bytes_ + packet.size() > config_.limit_bytes && packets_ > 0) drop_from_longest();
    SduPool::Handle handle = pool_.store(packet, now);
    if (handle == SduPool::kNone && packets_ > 0 && pool_.free_buffers() == 0) {
        drop_from_longest();
        handle = pool_.store(packet, now);
    }
    if (handle == SduPool::kNone) {
        ++counters_.dropped_pool;
        return false;
    }
    const auto index = static_cast<uint8_t>((hash ^ hash >> 16 ^ hash >> 8) % kSubQueues);
    SubQueue& queue = queues_[index];
    if (queue.tail == SduPool::kNone)
        queue.head = handle;
    else
        pool_.nodes_[queue.tail].next = handle;
    queue.tail = handle;
    queue.bytes += packet.size();
    bytes_ += packet.size();
    ++packets_;
    ++counters_.queued;
    if (!queue.listed) {
        queue.listed = true;
        queue.deficit = kQuantum;
        append(new_, index);
    }
    return true;
}

bool SduQueue::should_drop(SubQueue& queue, SduPool::Handle packet, Samples now) const {
    const Samples sojourn = now - pool_.nodes_[packet].queued;
    if (config_.codel_target <= 0 || sojourn < config_.codel_target || queue.bytes <= kNoStandingQueue) {
        queue.first_above = 0;
        return false;
    }
    if (queue.first_above == 0) {
        queue.first_above = now + config_.codel_interval;
        return false;
    }
    return now >= queue.first_above;
}

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
            discard();
            ++queue.count;
            if (packet == SduPool::kNone || !should_drop(queue, packet, now))
                queue.dropping = false;
            else
                queue.drop_next = control_law(queue.drop_next, queue.count);
        }
    } else if (drop) {
        discard();
        queue.dropping = true;
        const uint32_t delta = queue.count - queue.last_count;
        queue.count = delta > 1 && now - queue.drop_next < 16 * config_.codel_interval ? delta : 1;
        queue.drop_next = control_law(now, queue.count);
        queue.last_count = queue.count;
        if (packet != SduPool::kNone) should_drop(queue, packet, now);
    }
    if (packet == SduPool::kNone) queue.dropping = false;
    return packet;
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
            return packet;
        }
        // A new sub-queue that ran dry goes through the old list once, so that it cannot jump the line for ever.
        const uint8_t index = take_front(list);
        if (&list == &new_ && old_.head != kNobody)
            append(old_, index);
        else
            queue.listed = false;
    }
    return SduPool::kNone;
}

void SduQueue::clear() {
    for (auto& queue : queues_) {
        while (queue.head != SduPool::kNone) drop_head(queue);
        queue = SubQueue{};
    }
    new_ = old_ = List{};
}

}  // namespace wimax::mac
