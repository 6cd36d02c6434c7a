/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queue of a service flow: packets hashed by 5-tuple into sub-queues, served by deficit round robin with new ones
 * first, each under CoDel (after RFC 8290 and RFC 8289), so that a bulk transfer neither starves its neighbours nor
 * lets a standing queue grow. Buffers come from a pool that is allocated once. Times are samples.
 */
#pragma once

#include <mac/station.h>
#include <mac/time.h>

#include <array>
#include <vector>

namespace wimax::mac {

inline constexpr size_t kMaxSduOctets = 2040;

/// Packet buffers; exhausted means a refused packet, never an allocation.
class SduPool {
public:
    using Handle = uint32_t;
    static constexpr Handle kNone = UINT32_MAX;

    explicit SduPool(size_t buffers);
    /// kNone: pool empty or packet empty or longer than kMaxSduOctets.
    Handle store(Octets packet, Samples now);
    void release(Handle handle);
    Octets octets(Handle handle) const { return {data_.data() + handle * kMaxSduOctets, nodes_[handle].size}; }
    size_t free_buffers() const { return free_count_; }

private:
    friend class SduQueue;
    struct Node {
        Samples queued = 0;
        Handle next = kNone;
        uint16_t size = 0;
    };
    std::vector<uint8_t> data_;
    std::vector<Node> nodes_;
    Handle free_ = kNone;
    size_t free_count_ = 0;
};

struct SduQueueConfig {
    size_t limit_bytes = 400'000;
    Samples codel_target = 0;  ///< 0: no CoDel
    Samples codel_interval = 0;
};

struct SduQueueCounters {
    uint64_t queued = 0, dropped_full = 0, dropped_codel = 0, dropped_pool = 0;
    uint64_t dropped() const { return dropped_full + dropped_codel + dropped_pool; }
};

class SduQueue {
public:
    SduQueue(SduPool& pool, const SduQueueConfig& config) : pool_(pool), config_(config) {}
    ~SduQueue() { clear(); }
    SduQueue(const SduQueue&) = delete;
    SduQueue& operator=(const SduQueue&) = delete;

    /// False: the packet itself was refused. A full queue drops from the head of its longest sub-queue instead.
    bool push(Octets packet, uint32_t hash, Samples now);
    /// The next packet, kNone if empty; the caller releases it.
    SduPool::Handle pop(Samples now);
    void clear();

    size_t bytes() const { return bytes_; }
    size_t packets() const { return packets_; }
    bool empty() const { return packets_ == 0; }
    const SduQueueCounters& counters() const { return counters_; }

private:
    static constexpr size_t kSubQueues = 64;
    static constexpr int kQuantum = 1514;
    /// What waits behind the packet and is no reason to drop it: at BPSK one packet fills a frame, so that even a
    /// sender below the link's rate has several in line for longer than the target.
    static constexpr size_t kNoStandingQueue = 8 * kQuantum;
    static constexpr uint8_t kNobody = 255;

    struct SubQueue {
        SduPool::Handle head = SduPool::kNone, tail = SduPool::kNone;
        size_t bytes = 0;
        int deficit = 0;
        uint8_t next = kNobody;
        bool listed = false;
        // CoDel
        Samples first_above = 0, drop_next = 0;
        uint32_t count = 0, last_count = 0;
        bool dropping = false;
    };
    struct List {
        uint8_t head = kNobody, tail = kNobody;
    };

    void append(List& list, uint8_t index);
    uint8_t take_front(List& list);
    SduPool::Handle unlink_head(SubQueue& queue);
    void drop_head(SubQueue& queue);
    void drop_from_longest();
    bool should_drop(SubQueue& queue, SduPool::Handle packet, Samples now) const;
    SduPool::Handle codel_pop(SubQueue& queue, Samples now);

    SduPool& pool_;
    SduQueueConfig config_;
    std::array<SubQueue, kSubQueues> queues_{};
    List new_, old_;
    size_t bytes_ = 0, packets_ = 0;
    SduQueueCounters counters_;
};

}  // namespace wimax::mac
