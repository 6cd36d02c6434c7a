/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/subscriber.h>

#include <algorithm>

namespace wimax::mac {

const char* to_string(EntryState state) {
    switch (state) {
        case EntryState::ranging: return "ranging";
        case EntryState::ranged: return "ranged";
        case EntryState::capable: return "capable";
        case EntryState::registered: return "registered";
        case EntryState::operational: return "operational";
    }
    return "?";
}

FlowContext* Subscriber::flow_by_cid(uint16_t cid) {
    const auto found = std::find_if(flows.begin(), flows.end(), [cid](const auto& flow) { return flow->cid == cid; });
    return found == flows.end() ? nullptr : found->get();
}

FlowContext* Subscriber::flow_by_tid(uint16_t tid) {
    const auto found = std::find_if(flows.begin(), flows.end(), [tid](const auto& flow) { return flow->tid == tid; });
    return found == flows.end() ? nullptr : found->get();
}

size_t Subscriber::downlink_demand() const {
    size_t octets = management.demand();
    for (const auto& flow : flows)
        if (flow->active && flow->transmitter) octets += flow->transmitter->demand();
    return octets;
}

size_t Subscriber::requested_octets() const {
    size_t octets = management_requested;
    for (const auto& flow : flows)
        if (flow->active) octets += flow->requested;
    return octets;
}

void Subscriber::granted(uint32_t frame, size_t octets, Samples now) {
    grants[next_grant] = {frame, octets};
    next_grant = (next_grant + 1) % kGrantsRemembered;
    frames_since_grant = 0;
    last_grant = now;
    ++counters.grants;
    const auto use = [&octets](size_t& wanted) {
        const size_t part = std::min(wanted, octets);
        wanted -= part;
        octets -= part;
    };
    use(management_requested);
    for (auto& flow : flows) use(flow->requested);  // flows are kept in serving order
}

size_t Subscriber::granted_after(uint32_t frame) const {
    size_t octets = 0;
    for (const auto& grant : grants) {
        const uint32_t ahead = (grant.frame - frame) & 0xFFFFFF;
        if (grant.octets > 0 && ahead > 0 && ahead < 8) octets += grant.octets;
    }
    return octets;
}

FlowContext* Subscriber::classify(const PacketFields& packet, int& priority) const {
    priority = -1;
    FlowContext* best = nullptr;
    for (const auto& flow : flows) {
        if (!flow->active || !flow->transmitter) continue;
        // A flow with a rule comes before the default flow.
        const int match = match_priority(flow->config.classifiers, packet);
        const int rank = match < 0 ? -1 : match * 2 + (flow->config.classifiers.empty() ? 0 : 1);
        if (rank > priority) {
            priority = rank;
            best = flow.get();
        }
    }
    return best;
}

void Subscriber::keep_counters() {
    for (const auto& flow : flows) {
        if (flow->transmitter) {
            counters.dl_sdus += flow->transmitter->counters().sdus;
            counters.dl_bytes += flow->transmitter->counters().sdu_octets;
            counters.dl_dropped += flow->transmitter->queue_counters().dropped();
        }
        if (flow->reassembler) counters.ul_dropped += flow->reassembler->counters().dropped;
    }
}

}  // namespace wimax::mac
