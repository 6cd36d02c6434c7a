// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_admission.h"

#include <algorithm>

namespace wimax::policy {
namespace {

using mac::PolicyResult;
using Kind = mac::AdmissionRequest::Kind;

uint32_t kind_of(Kind kind) {
    switch (kind) {
        case Kind::station: return WIMAX_POLICY_STATION;
        case Kind::new_flow: return WIMAX_POLICY_NEW_FLOW;
        case Kind::changed_flow: return WIMAX_POLICY_CHANGED_FLOW;
    }
    return WIMAX_POLICY_STATION;
}

void put(const mac::ServiceFlowConfig& flow, wimax_policy_request& r) {
    r.uplink = flow.direction == mac::FlowDirection::uplink ? 1 : 0;
    r.scheduling = static_cast<uint32_t>(flow.scheduling);
    r.priority = flow.traffic_priority;
    r.min_rate_bps = flow.min_reserved_rate_bps;
    r.max_rate_bps = flow.max_sustained_rate_bps;
    r.max_latency_ms = flow.max_latency_ms;
}

}  // namespace

int AdmitCall::run(const wimax_policy_api& api, void* self) {
    request.reason = reason.c_str();
    admitted = 1;
    return api.admit(self, &request, &admitted, &error);
}

mac::AdmissionVerdict ForeignAdmission::admit(const mac::AdmissionRequest& request) {
    if (const auto ready = calls_.ready(); ready != PolicyResult::done) return {{ready}};
    auto& r = calls_->request = {};
    r.kind = kind_of(request.kind);
    r.time_s = static_cast<double>(cell_.clock.now) / static_cast<double>(cell_.clock.sample_rate_hz);
    std::ranges::copy(request.station, r.mac);
    r.cid = request.basic_cid;
    r.known = request.known ? 1 : 0;
    r.stations = request.stations;
    r.most_stations = request.most_stations;
    r.cinr_db = request.cinr_db;
    r.fits = request.builtin ? 1 : 0;
    calls_->reason = request.builtin ? std::string() : request.builtin.error().allowed;
    if (request.flow) put(*request.flow, r);
    r.rate_id = static_cast<uint32_t>(mac::row_of(request.rate));
    r.weight = request.weight;
    r.cost_units = request.cost_units;
    r.reserved_units = request.reserved_units;
    r.units = request.units;
    const auto outcome = calls_.call();
    if (outcome.result != PolicyResult::done) return {outcome};
    if (calls_->admitted > 1)
        return {calls_.nonsense("admit() set " + std::to_string(calls_->admitted) + ", allowed: 0, 1")};
    if (calls_->admitted == 1) return {outcome};
    return {outcome, failure("", calls_->error.text)};
}

}  // namespace wimax::policy
