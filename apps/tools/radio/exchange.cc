// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/exchange.h"

#include <algorithm>

namespace wimax::radio {
namespace {

constexpr int64_t kEarliest = 512, kLatest = 2048;  // samples after the start, where the counts are known
constexpr double kTogetherS = 0.002;                // of waiting, where two radios are served in turns
constexpr double kAloneS = 0.2;
constexpr int kPacketsAtOnce = 64;
constexpr double kLongestQueueS = 10;  // of samples: far more than a radio queues

/// Reads what a radio has queued, for instance while the other radio was opened. An overflow in the queue is an empty
/// read, so only two of them mean that the queue is empty. A host that reads more slowly than the radio delivers never
/// finds it empty.
Outcome read_queue(BenchRadio& radio) {
    const int64_t until = radio.now() + static_cast<int64_t>(kLongestQueueS * static_cast<double>(radio.rate_hz()));
    for (int empty = 0; empty < 2 && radio.now() < until; empty = radio.newest().empty() ? empty + 1 : 0)
        if (const auto heard = radio.listen(0); !heard) return heard;
    return {};
}

}  // namespace

Exchange::Exchange(BenchRadio& from, BenchRadio& to, const KnownBurst& burst) : from_(from), to_(to), burst_(burst) {
    if (&from == &to) apart_ = 0;
}

Outcome Exchange::advance() {
    if (&from_ == &to_) return to_.listen(kAloneS);
    // All that is there: what one of them has not read keeps the time of both (lock-step), short as its packets may be.
    bool any = false;
    for (BenchRadio* radio : {&from_, &to_})
        for (int packets = 0; packets < kPacketsAtOnce; ++packets) {
            if (const auto heard = radio->listen(0); !heard) return heard;
            if (radio->newest().empty()) break;
            any = true;
        }
    if (any) return {};
    return from_.listen(kTogetherS).and_then([this] { return to_.listen(kTogetherS); });
}

tl::expected<std::optional<BurstAnalysis>, Fault> Exchange::once() {
    // Time begins when both radios have heard something.
    while (from_.kept().empty() || to_.kept().empty())
        if (const auto on = advance(); !on) return tl::unexpected(on.error());
    // Without a known difference of the counts the burst is searched from the receiver's present on.
    if (!apart_)
        for (BenchRadio* radio : {&from_, &to_})
            if (const auto read = read_queue(*radio); !read) return tl::unexpected(read.error());
    // A receiver hears its own transmitter as well, sometimes as loud.
    while (to_.now() < to_.sent_until() + kLatest)
        if (const auto on = advance(); !on) return tl::unexpected(on.error());
    const int64_t begin = to_.now(), from_begin = from_.now();
    const uint64_t lost = to_.lost_samples();
    sent_at_ = from_.next_start();
    if (!from_.send(sent_at_, burst_.samples)) return std::nullopt;
    const auto length = static_cast<int64_t>(burst_.samples.size());
    const int64_t margin = apart_ ? kEarliest + kLatest : from_.rate_hz() / 50;
    const auto done = [&] {
        if (apart_) return to_.now() >= sent_at_ + *apart_ + length + margin;
        return from_.now() >= sent_at_ + length + margin &&
               to_.now() >= begin + (sent_at_ - from_begin) + length + margin;
    };
    while (!done())
        if (const auto on = advance(); !on) return tl::unexpected(on.error());

    const int64_t from = apart_ ? sent_at_ + *apart_ - kEarliest : begin;
    const auto heard = to_.heard(from, static_cast<size_t>(std::max<int64_t>(0, to_.now() - from)));
    if (heard.empty() || to_.lost_samples() != lost) return std::nullopt;
    const int64_t room = apart_ ? kEarliest + kLatest : static_cast<int64_t>(heard.size());
    const auto found = find_burst(burst_, heard, 0, room);
    auto analysis = analyse_burst(burst_, heard, found);
    if (!analysis) return std::nullopt;
    analysis->start += static_cast<double>(from - sent_at_);
    if (&from_ != &to_) apart_ = static_cast<int64_t>(analysis->start);
    return analysis;
}

}  // namespace wimax::radio
