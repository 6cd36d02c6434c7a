// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/suggestion.h"

#include <algorithm>
#include <cstddef>

namespace wimax {
namespace {

constexpr size_t kLongestWord = 64;  // longer ones are no slip of the finger
constexpr size_t kLeastBeginning = 3;

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

/// The shortest candidate that begins with the word; empty: none, or the word is too short.
std::string shortest_with(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    if (word.substr(std::min(word.find_first_not_of('-'), word.size())).size() < kLeastBeginning) return best;
    for (const auto& candidate : candidates)
        if (candidate.starts_with(word) && (best.empty() || candidate.size() < best.size())) best = candidate;
    return best;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() >= kLongestWord) return {};
    std::string best = shortest_with(word, candidates);
    if (!best.empty()) return best;
    size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const size_t distance = edit_distance(word, candidate);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = candidate;
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto near = nearest(word, candidates);
    return near.empty() ? near : ", did you mean " + near + "?";
}

}  // namespace wimax
