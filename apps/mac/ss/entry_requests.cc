// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/entry_requests.h"

#include "mac/capabilities.h"
#include "mac/flow_limits.h"

namespace wimax::mac {

SbcReq capabilities_request(const SubscriberConfig& config, const Ranging& ranging, const SubscriberAir& air,
                            const PrivacyAgent& privacy) {
    SbcReq request;
    const bool one_carrier = config.carriers.shared();
    const bool half_duplex = !one_carrier && config.half_duplex;
    request.bandwidth_allocation = one_carrier   ? uint8_t{0}
                                   : half_duplex ? capability::kHalfDuplex
                                                 : capability::kDuplexBits;
    if (one_carrier) request.transition_gaps_us = std::array<uint8_t, 2>{0, 0};
    if (half_duplex) request.transition_gaps_us = std::array{config.ssttg_us, config.ssrtg_us};
    const uint8_t most = power_code(ranging.corrections().max_power_dbm());
    request.maximum_power = std::array<uint8_t, 4>{most, most, most, most};
    request.pdu_construction = capability::kPiggybackAnd11BitFsn;
    request.current_transmit_power = power_code(ranging.corrections().power_dbm());
    air.describe(request);
    if (privacy.offered()) request.authorization_policy = capability::kPrivacy;
    return request;
}

RegReq registration_request(const SubscriberConfig& config, const ManagedEntry& managed) {
    RegReq request;
    managed.offer(request);
    request.uplink_cids = max_uplink_cids(config.managed.offered);
    request.cs_support = capability::kCsBits;
    request.arq = capability::kArq;
    request.phs = capability::kPacketPhs;
    request.mac_crc = 1;
    request.mac_version = mac_version(config.edition);
    request.hmac = HmacTuple{};
    return request;
}

}  // namespace wimax::mac
