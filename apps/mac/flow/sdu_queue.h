// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of a service flow: packets hashed by 5-tuple into sub-queues, served by deficit round robin with new ones
// first, each under CoDel (after RFC 8290 and RFC 8289), so that a bulk transfer neither starves its neighbours nor
// lets a standing queue grow. Buffers come from a pool that all flows share. Times are samples.
#pragma once

#include "mac/flow/queue_directive.h"
#include "mac/sample_time.h"
#include "mac/station.h"

#include <memory>
#include <vector>

namespace wimax::mac {

inline constexpr size_t kMaxSduOctets = 2040;

/// Packet buffers for many queues. Each queue has kReserve private ones; of the shared ones it may hold as many as it
/// leaves free. So a flooding flow takes half of them at most, and sixteen such flows leave a seventeenth part. A flow
/// that holds less than its reserve is never refused. Memory is allocated with the pool and with each queue that joins,
/// never for a packet, and the system provides it only as it is written to.
class SduPool {
public:
    using Handle = uint32_t;
    static constexpr Handle kNone = UINT32_MAX;
    static constexpr size_t kReserve = 16;

    /// Buffers a queue holds until release(): in its sub-queues and on the way into PDUs.
    struct Account {
        size_t held = 0;
    };

    explicit SduPool(size_t shared_buffers);
    void join(Account& account);
    /// Pre: it holds no buffer.
    void leave(Account& account);

    bool has_room_for(const Account& account) const {
        return account.held < kReserve || account.held - kReserve < free_shared_;
    }
    /// Pre: has_room_for(account), or it has released a buffer just now; 1..kMaxSduOctets octets.
    Handle store(Octets packet, Samples now, Account& account);
    void release(Handle handle);
    Octets octets(Handle handle) const { return {data(handle), nodes_[handle].size}; }
    Samples queued_at(Handle handle) const { return nodes_[handle].queued; }
    /// Free shared buffers.
    size_t free_buffers() const { return free_shared_; }
    /// All buffers, including the reserves of queues that have left.
    size_t buffers() const { return nodes_.size(); }

private:
    friend class SduQueue;
    struct Node {
        Samples queued = 0;
        Account* owner = nullptr;
        Handle next = kNone;
        uint32_t hash = 0;  ///< of its connection, while it is delayed
        uint16_t size = 0;
    };
    std::span<uint8_t> buffer(Handle handle) { return {data(handle), nodes_[handle].size}; }
    uint8_t* data(Handle handle) const {
        return handle < shared_
                   ? memory_.get() + handle * kMaxSduOctets
                   : reserves_[(handle - shared_) / kReserve].get() + (handle - shared_) % kReserve * kMaxSduOctets;
    }
    void offer(size_t first);

    size_t shared_, free_shared_;
    size_t queues_ = 0;
    std::unique_ptr<uint8_t[]> memory_;                 ///< of the shared buffers
    std::vector<std::unique_ptr<uint8_t[]>> reserves_;  ///< kReserve buffers each
    std::vector<Node> nodes_;
    Handle free_ = kNone;
};

struct SduQueueConfig {
    size_t limit_bytes = 400'000;
    Samples codel_target = 0;  ///< 0: no CoDel
    Samples codel_interval = 0;
    size_t limit_packets = SIZE_MAX;
    bool ecn = true;    ///< CoDel marks packets whose ends support it instead of dropping them
    Samples hold = 0;   ///< packets are delayed for this time before they count as waiting
    uint64_t seed = 0;  ///< for the draws of DirectedArrivals
};

struct SduQueueCounters {
    uint64_t queued = 0;
    uint64_t arrived_octets = 0, sent_octets = 0;                    ///< offered to push(), and returned by pop()
    uint64_t dropped_policy = 0;                                     ///< because a QueueDirective asked for it
    uint64_t dropped_full = 0, dropped_codel = 0, dropped_pool = 0;  ///< for a limit, delay, lack of buffers
    uint64_t marked = 0;   ///< with ECN, for delay or because a directive asked for it
    uint64_t refused = 0;  ///< empty, longer than an SDU may be, no buffer
    uint64_t dropped() const { return dropped_full + dropped_codel + dropped_pool + dropped_policy + refused; }
};

/// SduQueueConfig::hold for packets delayed by `frames` additional frames. A packet between two ticks has the time of
/// the earlier tick; half a frame allows for corrections of the frame grid.
constexpr Samples held_back(uint32_t frames, Samples frame) { return frames == 0 ? 0 : frames * frame + frame / 2; }

class SduQueue {
public:
    SduQueue(SduPool& pool, const SduQueueConfig& config) : pool_(pool), config_(config), arrivals_(config.seed) {
        pool_.join(account_);
    }
    /// Pre: all popped packets are released.
    ~SduQueue() {
        clear();
        pool_.leave(account_);
    }
    SduQueue(const SduQueue&) = delete;
    SduQueue& operator=(const SduQueue&) = delete;

    /// False: no packet, too long for an SDU, or all its buffers are in transmission. A full queue drops from the head
    /// of its longest sub-queue instead. A packet that the directive drops counts as taken.
    bool push(Octets packet, uint32_t hash, Samples now);
    /// Moves packets delayed long enough to the sub-queues; needed only with `hold`, once a frame.
    void mature(Samples now);
    /// The next packet, kNone if empty; the caller releases it.
    SduPool::Handle pop(Samples now);
    void clear();
    /// In force for arrivals until the next call. Drops `drop_head` packets now.
    void direct(const QueueDirective& directive);

    /// Waiting packets, without the delayed ones.
    size_t bytes() const { return bytes_; }
    size_t packets() const { return packets_; }
    size_t all_packets() const { return packets_ + held_packets_; }
    bool empty() const { return packets_ == 0; }
    /// Time at which a packet at the head of a sub-queue was queued; 0 if there is none.
    Samples oldest() const;
    /// Time at which the oldest waiting packet was queued. Pre: there is one.
    Samples oldest_of_all() const;
    const SduQueueCounters& counters() const { return counters_; }
    const SduQueueConfig& config() const { return config_; }
    /// For the caller of direct().
    QueueMeter& meter() { return meter_; }

private:
    /// A connection looks for a separate sub-queue in a set of 64: as many connections as full-sized packets fit into
    /// the default limit hardly ever share one.
    static constexpr size_t kSets = 8, kWays = 64;
    static constexpr int kQuantum = 1514;
    /// Bytes after the packet that are no reason to drop it: at BPSK one packet fills a frame, so that even a sender
    /// below the link's rate has several in line for longer than the target.
    static constexpr size_t kNoStandingQueue = 5 * kQuantum;
    static constexpr uint16_t kNobody = UINT16_MAX;

    struct SubQueue {
        SduPool::Handle head = SduPool::kNone, tail = SduPool::kNone;
        uint32_t bytes = 0;
        int deficit = 0;
        uint16_t next = kNobody;
        bool listed = false;
        // CoDel
        bool dropping = false;
        uint32_t count = 0, last_count = 0;
        Samples first_above = 0, drop_next = 0;
    };
    struct List {
        uint16_t head = kNobody, tail = kNobody;
    };

    bool full(size_t more) const {
        return bytes_ + held_bytes_ + more > config_.limit_bytes || packets_ + held_packets_ >= config_.limit_packets;
    }
    void hold_back(SduPool::Handle handle);
    SduPool::Handle release_held();
    void enqueue(SduPool::Handle handle);
    void drop_one();
    uint16_t sub_queue_for(uint32_t hash);
    void tidy(List& list);
    void append(List& list, uint16_t index);
    uint16_t take_front(List& list);
    SduPool::Handle unlink_head(SubQueue& queue);
    void drop_head(SubQueue& queue);
    void drop_from_longest();
    bool should_drop(SubQueue& queue, SduPool::Handle packet, Samples now) const;
    bool mark(SduPool::Handle packet);
    SduPool::Handle codel_pop(SubQueue& queue, Samples now);

    SduPool& pool_;
    SduPool::Account account_;
    SduQueueConfig config_;
    // 34 kB, which only packets need; each frame reads the other members.
    std::vector<SubQueue> queues_ = std::vector<SubQueue>(kSets * kWays);
    std::vector<uint32_t> hashes_ = std::vector<uint32_t>(kSets * kWays);  ///< of the connections they belong to
    List new_, old_;
    SduQueueCounters counters_;
    SduPool::Handle held_head_ = SduPool::kNone, held_tail_ = SduPool::kNone;  ///< delayed, the oldest first
    size_t held_bytes_ = 0, bytes_ = 0;
    size_t held_packets_ = 0, packets_ = 0;
    DirectedArrivals arrivals_;
    QueueMeter meter_;
};

}  // namespace wimax::mac
