// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/faults.h"

#include <algorithm>
#include <tuple>

namespace wimax {

void Faults::sort() {
    std::ranges::stable_sort(list_, {}, [](const Fault& fault) { return std::tie(fault.file, fault.line); });
}

std::vector<std::string> Faults::lines() const {
    std::vector<std::string> all;
    for (const auto& fault : list_) all.push_back(fault.str());
    if (suppressed_ > 0) all.push_back(std::to_string(suppressed_) + " more faults");
    return all;
}

std::string Faults::str() const {
    std::string all;
    for (const auto& line : lines()) all += (all.empty() ? "" : "; ") + line;
    return all;
}

}  // namespace wimax
