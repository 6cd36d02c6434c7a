// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/uplink_places.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Failures beyond successes that make a symbol one to avoid. One burst in ten lost at random reaches it once in
/// thousands of frames, interference in every frame reaches it within four.
constexpr uint8_t kFailures = 4;
/// Limit of the failures counted from long bursts when they are cut.
constexpr uint8_t kFailuresBeforePieces = kFailures - 2;
/// Failures of pieces to avoid a symbol. More are needed: pieces are many, and bursts may fail all over the frame.
constexpr uint8_t kFailuresOfPieces = kFailures + 2;
/// A longer burst does not locate the interference well enough.
constexpr uint32_t kTellingSymbols = 16;
constexpr uint32_t kBlamedSymbols = 12;  // a shorter one also indicates interference on its neighbours
constexpr uint32_t kPieceSymbols = 8;    // of long bursts, while the interference is being located
constexpr Samples kCutFrames = 64;
constexpr uint32_t kLeastRun = 5;               // shorter ones are left free
constexpr uint32_t kLeastPiece = 4;             // no grant is cut into less, preamble included
constexpr uint8_t kGrowth = 2, kMostSteps = 2;  // 1, 4, 16 s
constexpr uint32_t kLeastShare = 4;             // with less than this part of the subframe usable, all is used

}  // namespace

UplinkPlaces::UplinkPlaces(uint32_t symbols, Samples second, Samples frame, uint32_t regions_from)
    : regions_from_(regions_from), symbols_(symbols), second_(second), frame_(frame) {
    runs_.reserve(symbols / 2 + 1);
}

void UplinkPlaces::restart() {
    std::fill(symbols_.begin(), symbols_.end(), Symbol{});
    cut_until_ = ignore_until_ = INT64_MIN;
    cut_again_ = 0;
    cut_times_ = 0;
}

void UplinkPlaces::mistaken(Samples now) {
    restart();
    ignore_until_ = now + second_;
}

/// Pieces cost preambles. If they did not locate the losses, they are tried again after 1, 4, 16 s.
void UplinkPlaces::cut(Samples now) {
    if (now < cut_again_) return;
    if (now - cut_again_ > second_ << kGrowth * (kMostSteps + 1)) cut_times_ = 0;
    cut_until_ = now + kCutFrames * frame_;
    cut_again_ = cut_until_ + (second_ << kGrowth * cut_times_);
    cut_times_ = std::min<uint8_t>(static_cast<uint8_t>(cut_times_ + 1), kMostSteps);
    for (auto& symbol : symbols_) symbol.failures = std::min(symbol.failures, kFailuresBeforePieces);
}

void UplinkPlaces::avoid(Symbol& symbol, Samples now) {
    cut_times_ = 0;
    cut_again_ = std::min(cut_again_, now);
    symbol.avoided_until = now + (second_ << kGrowth * symbol.times);
    symbol.times = std::min<uint8_t>(static_cast<uint8_t>(symbol.times + 1), kMostSteps);
    symbol.failures = kFailures - 1;  // after its time one more failure is enough
}

void UplinkPlaces::whole(Place place) {
    const size_t end = std::min<size_t>(place.first + place.count, symbols_.size());
    for (size_t i = place.first; i < end; ++i) {
        if (symbols_[i].failures > 0) --symbols_[i].failures;
        if (symbols_[i].failures == 0) symbols_[i] = {};
    }
}

void UplinkPlaces::failed(Place place, uint32_t in_a_row, Samples now) {
    if (now < ignore_until_) return;
    const bool telling = place.count <= kTellingSymbols;
    const uint32_t wider = place.count < kBlamedSymbols ? (kBlamedSymbols - place.count) / 2 : 0;
    const size_t end = std::min<size_t>(place.first + place.count + wider, symbols_.size());
    const uint8_t weight = in_a_row > kFailures ? 2 : 1;  // too many for random losses
    const uint8_t enough = telling && now < cut_until_ ? kFailuresOfPieces : kFailures;
    bool in_vain = false;
    for (size_t i = place.first - std::min(place.first, wider); i < end; ++i) {
        Symbol& symbol = symbols_[i];
        if (now < symbol.avoided_until) continue;
        if (symbol.failures + weight < enough) symbol.failures = static_cast<uint8_t>(symbol.failures + weight);
        else if (telling) avoid(symbol, now);
        else in_vain = true;
    }
    if (in_vain) cut(now);
}

bool UplinkPlaces::fit(const Symbol& symbol, Samples now, bool trial) {
    if (now < symbol.avoided_until) return false;
    return trial || symbol.times == 0 || symbol.failures + 1 < kFailures;
}

void UplinkPlaces::find_runs(Samples now, bool trial) {
    runs_.clear();
    const auto count = static_cast<uint32_t>(symbols_.size());
    uint32_t usable = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count && fit(symbols_[end], now, trial)) ++end;
        if (end - i >= kLeastRun) {
            runs_.push_back({i, end});
            usable += end - i;
        }
        i = end + 1;
    }
    avoided_ = count - usable;
}

bool UplinkPlaces::hopeless(uint32_t regions) const {
    const bool room =
        std::any_of(runs_.begin(), runs_.end(), [regions](const Run& run) { return run.end - run.first >= regions; });
    return !room || (symbols_.size() - avoided_) * kLeastShare < symbols_.size();
}

void UplinkPlaces::begin(Samples now, uint32_t regions, bool trial) {
    find_runs(now, trial);
    if (avoided_ > 0 && hopeless(regions)) {
        mistaken(now);
        find_runs(now, trial);
    }
    cutting_now_ = now < cut_until_;
}

std::optional<uint32_t> UplinkPlaces::region(uint32_t symbols, bool last) {
    for (size_t i = 0; i < runs_.size(); ++i) {
        const size_t at = last ? runs_.size() - 1 - i : i;
        const Run run = runs_[at];
        const uint32_t from = last ? run.first : std::max(run.first, regions_from_);
        if (run.end < from + symbols) continue;
        const uint32_t first = last ? run.end - symbols : from;
        take(at, first, first + symbols);
        return first;
    }
    return std::nullopt;
}

void UplinkPlaces::count_room(uint32_t elements) {
    uint32_t all = 0, runs = 0;
    for (const auto& run : runs_) {
        all += run.end - run.first;
        runs += run.end > run.first ? 1 : 0;
    }
    // Each end of a run may cut a grant, or stay free because the piece would be too short.
    cuts_ = runs > 0 ? runs - 1 : 0;
    room_ = all - std::min(all, cuts_ * kLeastPiece);
    longest_ = UINT32_MAX;
    if (!cutting_now_) return;
    longest_ = std::max(kPieceSymbols, room_ / std::max(1U, elements / 2) + 1);
    const uint32_t pieces = (room_ + longest_ - 1) / longest_;
    cuts_ += pieces;
    room_ -= std::min(room_, pieces);
}

std::optional<UplinkPlaces::Place> UplinkPlaces::burst(uint32_t symbols, bool last, SymbolSpan within) {
    symbols = std::min(symbols, longest_);
    for (size_t i = 0; i < runs_.size(); ++i) {
        const size_t at = last ? runs_.size() - 1 - i : i;
        const Run run = runs_[at];
        const uint32_t from = std::max(run.first, within.from), to = std::min(run.end, within.to);
        const uint32_t free = to - std::min(from, to);
        if (free < std::min(symbols, kLeastPiece)) continue;
        const uint32_t taken = std::min(symbols, free), first = last ? to - taken : from;
        take(at, first, first + taken);
        return Place{first, taken};
    }
    return std::nullopt;
}

/// The rest of the run on both sides stays free. Without room for one more run the part after it is not used.
void UplinkPlaces::take(size_t run, uint32_t first, uint32_t end) {
    const Run before{runs_[run].first, first}, behind{end, runs_[run].end};
    if (before.first == before.end) {
        runs_[run] = behind;
        return;
    }
    runs_[run] = before;
    if (behind.first < behind.end && runs_.size() < runs_.capacity())
        runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(run) + 1, behind);
}

}  // namespace wimax::mac
