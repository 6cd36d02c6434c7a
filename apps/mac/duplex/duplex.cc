// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/duplex/duplex.h"

#include "mac/duplex/time_division.h"

namespace wimax::mac {

tl::expected<std::shared_ptr<const Duplex>, Faults> make_duplex(const DuplexRequest& request) {
    if (!request.one_carrier)
        return tl::unexpected(Faults(Fault{"duplex_spacing_hz", "a carrier for each direction", "0 (TDD)"}));
    auto tdd = TimeDivision::make(request);
    if (!tdd) return tl::unexpected(std::move(tdd.error()));
    return std::make_shared<const TimeDivision>(*std::move(tdd));
}

}  // namespace wimax::mac
