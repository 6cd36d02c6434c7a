// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/descriptor_store.h"

namespace wimax::mac {

RateTable rates_of(const Dcd& dcd) {
    RateTable rates;
    rates.fill(-1);
    for (const auto& profile : dcd.profiles)
        if (const auto known = known_profile(profile.fec); known && profile.diuc < rates.size())
            rates[profile.diuc] = static_cast<int8_t>(row_of(*known));
    return rates;
}

RateTable rates_of(const Ucd& ucd) {
    RateTable rates;
    rates.fill(-1);
    for (const auto& profile : ucd.profiles)
        if (const auto known = known_profile(profile.fec); known && profile.uiuc < rates.size())
            rates[profile.uiuc] = static_cast<int8_t>(row_of(*known));
    return rates;
}

}  // namespace wimax::mac
