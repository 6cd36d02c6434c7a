// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that both ends must share, so that their records of requests and grants agree (clause 6.3.6): the part of a
// grant not used by UGS flows answers requests, management first, then the flows in serving order (served_before()).
#pragma once

#include <cstddef>

namespace wimax::mac {

/// A smaller part of a grant answers nothing: it may not hold a fragment, only a request. If it did, a backlog could be
/// granted for ever in pieces that carry nothing.
inline constexpr size_t kLeastAnswerOctets = 40;

constexpr size_t answering_octets(size_t granted) { return granted < kLeastAnswerOctets ? 0 : granted; }

}  // namespace wimax::mac
