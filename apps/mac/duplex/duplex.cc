// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/duplex/duplex.h"

#include "mac/duplex/frequency_division.h"
#include "mac/duplex/time_division.h"

namespace wimax::mac {
namespace {

template <class Kind> tl::expected<std::shared_ptr<const Duplex>, Faults> make_kind(const DuplexRequest& request) {
    return Kind::make(request).map(
        [](Kind&& duplex) -> std::shared_ptr<const Duplex> { return std::make_shared<const Kind>(std::move(duplex)); });
}

}  // namespace

tl::expected<std::shared_ptr<const Duplex>, Faults> make_duplex(const DuplexRequest& request) {
    return request.one_carrier ? make_kind<TimeDivision>(request) : make_kind<FrequencyDivision>(request);
}

}  // namespace wimax::mac
