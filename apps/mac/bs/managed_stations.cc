// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/managed_stations.h"

#include "mac/capabilities.h"

#include <algorithm>

namespace wimax::mac {

bool ManagedStations::on_registration(Subscriber& station, const RegReq& request, RegRsp& answer) {
    answer.managed = 0;
    answer.ip_version = capability::kIpv4;
    const bool offers = request.managed.value_or(0) == capability::kManaged &&
                        (request.ip_version.value_or(capability::kIpv4) & capability::kIpv4);
    StationManagement& managed = station.managed;
    if (!managed.connection) {  // else its response was lost
        if (!offers || config_.policy == ManagedPolicy::off) return config_.policy != ManagedPolicy::required;
        if (station.registered()) return true;  // as an unmanaged one, which it remains
        open(station, request);
    }
    answer.managed = capability::kManaged;
    answer.ip_mode = capability::kIpManaged;
    answer.secondary_cid = managed.connection->cid;
    if (managed.arq.enable) put_arq(managed.arq, answer.secondary_arq.emplace());
    return true;
}

void ManagedStations::open(Subscriber& station, const RegReq& request) {
    station.managed.arq = arq_for(request);
    station.managed.active_at = to_.clock.now;
    SecondaryConnection::Terms terms{to_.stations.new_transport_cid(station), station.managed.arq,
                                     config_.arq_feedback};
    if (station.privacy) {
        terms.said = station.privacy->primary_said;
        terms.sealer = station.privacy->sealer(*terms.said);
    }
    station.managed.connection = std::make_unique<SecondaryConnection>(terms, to_.clock.sample_rate_hz);
}

/// ARQ if the station asks for it.
ArqConfig ManagedStations::arq_for(const RegReq& request) const {
    ArqConfig arq;
    arq.enable = request.secondary_arq && request.arq.value_or(0) & capability::kArq;
    arq.retry_timeout_ms = std::min(kArqRetryFrames * config_.frame_ms, kMaxArqTimeMs);
    return arq.enable ? agreed_arq(arq, *request.secondary_arq, FlowDirection::downlink) : arq;
}

}  // namespace wimax::mac
