/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/air/ofdm256/descriptor_store.h"

namespace wimax::mac {

RateTable rates_of(const Dcd& dcd) {
    RateTable rates;
    rates.fill(-1);
    for (const auto& profile : dcd.profiles)
        if (profile.diuc < rates.size() && profile.fec && *profile.fec < phy::kRates)
            rates[profile.diuc] = static_cast<int8_t>(*profile.fec);
    return rates;
}

RateTable rates_of(const Ucd& ucd) {
    RateTable rates;
    rates.fill(-1);
    for (const auto& profile : ucd.profiles)
        if (profile.uiuc < rates.size() && profile.fec && *profile.fec < phy::kRates)
            rates[profile.uiuc] = static_cast<int8_t>(*profile.fec);
    return rates;
}

}  // namespace wimax::mac
