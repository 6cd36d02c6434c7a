// SPDX-License-Identifier: GPL-3.0-or-later
// The known word that most probably was meant by a mistyped one: "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wimax {

/// The shortest candidate that begins with the word, else the one with the fewest changed letters: two, or a third of a
/// long word. Empty: none is similar.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// ", did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace wimax
