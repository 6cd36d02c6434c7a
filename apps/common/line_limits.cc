// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/line_limits.h"

#include <algorithm>
#include <utility>

namespace wimax {
namespace {

/// The element with this id, or a fresh one, for which the element used longest ago makes room.
template <class T> T& find_or_add(std::vector<T>& all, uint64_t id, size_t most) {
    if (const auto found = std::ranges::find(all, id, &T::id); found != all.end()) return *found;
    T fresh;
    fresh.id = id;
    if (all.size() < most) return all.emplace_back(std::move(fresh));
    T& oldest = *std::ranges::min_element(all, {}, &T::used_s);
    oldest = std::move(fresh);
    return oldest;
}

}  // namespace

bool LineBucket::full_enough(const Rate& rate, double now_s) {
    const double passed_s = std::max(0.0, now_s - at_s_);
    tokens_ = used_ ? std::min(rate.burst, tokens_ + passed_s * rate.per_second) : rate.burst;
    used_ = true;
    at_s_ = std::max(at_s_, now_s);
    return tokens_ >= 1;
}

LineLimits::Source& LineLimits::source(uint64_t id, double now_s) {
    const bool known = id == kShared || id == kOwn || std::ranges::find(sources_, id, &Source::id) != sources_.end();
    if (!known && !new_sources_.full_enough(kOfNewSources, now_s)) return source(kShared, now_s);
    if (!known) new_sources_.take();
    Source& found = find_or_add(sources_, id, kMostSources);
    found.used_s = now_s;
    return found;
}

bool LineLimits::allow(uint64_t source_id, uint64_t kind_id, double now_s, std::string& note) {
    note.clear();
    Source& source = this->source(source_id, now_s);
    Kind& kind = find_or_add(source.kinds, kind_id, kMostKinds);
    kind.used_s = now_s;
    // Both buckets refill, even if one is empty.
    const bool kind_may = kind.bucket.full_enough(rates_.of_kind, now_s);
    if (!source.bucket.full_enough(rates_.of_source, now_s) || !kind_may) {
        ++kind.left_out;
        ++left_out_;
        return false;
    }
    kind.bucket.take();
    source.bucket.take();
    if (kind.left_out > 0) note = " (" + std::to_string(kind.left_out) + " more of this kind before)";
    kind.left_out = 0;
    return true;
}

}  // namespace wimax
