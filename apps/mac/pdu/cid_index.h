// SPDX-License-Identifier: GPL-3.0-or-later
// Places in a list by CID: each of many receivers of the same list finds its own entries without reading all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

class CidIndex {
public:
    CidIndex() { clear(); }

    /// Does not allocate for a list no longer than earlier ones.
    void clear() {
        first_.fill(kNone);
        last_.fill(kNone);
        used_groups_ = 0;
        entries_.clear();
    }
    /// Adds the next place of the list. Pre: size() < UINT16_MAX.
    void add(uint16_t cid) {
        const auto place = static_cast<uint16_t>(entries_.size());
        const size_t group = group_of(cid);
        uint16_t& link = last_[group] == kNone ? first_[group] : entries_[last_[group]].next;
        link = place;
        last_[group] = place;
        used_groups_ |= uint64_t{1} << group;
        entries_.push_back({cid, kNone});
    }

    size_t size() const { return entries_.size(); }
    /// False: there is none with this CID. Most CIDs that are not there are recognized.
    bool may_have(uint16_t cid) const { return (used_groups_ >> group_of(cid) & 1) != 0; }
    /// First place from `from` on with this CID; size(): none.
    size_t next(uint16_t cid, size_t from) const {
        uint16_t place = first_[group_of(cid)];
        while (place != kNone && (place < from || entries_[place].cid != cid)) place = entries_[place].next;
        return place == kNone ? entries_.size() : place;
    }

private:
    static constexpr uint16_t kNone = UINT16_MAX;
    static constexpr size_t kGroups = 64;
    struct Entry {
        uint16_t cid = 0, next = kNone;  ///< `next`: place of the next entry of its group
    };
    static size_t group_of(uint16_t cid) { return cid % kGroups; }

    std::array<uint16_t, kGroups> first_, last_;
    uint64_t used_groups_ = 0;  ///< bits
    std::vector<Entry> entries_;
};

}  // namespace wimax::mac
