// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/service_flow_manager.h"

#include "mac/bs/privacy_service.h"
#include "mac/flow/flow_change.h"
#include "mac/flow_limits.h"
#include "mac/report/flow_status.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kAtOnce = 8;  // flows of a station that are set up in parallel
constexpr int64_t kAskAgainMs = 1000;
constexpr int64_t kKnownByMs = 5000;  // for a flow's own SA, which is announced once per second
constexpr const char* kChanging = "it is changing";
constexpr const char* kTooMany = "the station has too many flows";

const Opt<ServiceFlow>& only(const FlowChange& change) { return change.uplink ? change.uplink : change.downlink; }
FlowDirection direction_of(const FlowChange& change) {
    return change.uplink ? FlowDirection::uplink : FlowDirection::downlink;
}

/// True for a request without QoS parameters: the class is to be expanded (clause 6.3.14.4).
bool names_class_alone(const ServiceFlow& asked) {
    return asked.service_class && !asked.scheduling && !asked.policy && !asked.maximum_rate_bps &&
           !asked.minimum_rate_bps && !asked.maximum_latency_ms && !asked.tolerated_jitter_ms &&
           !asked.traffic_priority && !asked.maximum_burst_octets;
}

/// A station may request packets to its own addresses only, and an existing multicast flow.
bool names_own_addresses(const AgreedFlow& flow, const std::vector<AddressMask>& own) {
    if (flow.config.direction == FlowDirection::uplink || flow.config.multicast) return true;
    const auto owned = [&own](const AddressMask& a) {
        return std::ranges::any_of(own, [&](const AddressMask& o) {
            return (o.mask & a.mask) == o.mask && ((a.address ^ o.address) & o.mask) == IpAddress(0, 0);
        });
    };
    return std::ranges::all_of(flow.config.classifiers,
                               [&](const auto& rule) { return std::ranges::all_of(rule.destination, owned); });
}

/// In a multicast flow a change may only start or stop the station's reception.
bool is_of_state_alone(const AgreedFlow& from, const AgreedFlow& to) {
    const auto same = [&](const std::optional<QosParameters>& set) { return !set || *set == from.provisioned_set; };
    return to.config == from.config && to.phs == from.phs && same(to.admitted_set) && same(to.active_set);
}

}  // namespace

/// Applies the transactions of one station to its flows.
class ServiceFlowManager::Keeper final : public FlowKeeper {
public:
    Keeper(ServiceFlowManager& manager, Subscriber& station)
        : FlowKeeper(manager.clock_), to_(manager), station_(station) {}

    void send(const DsxMessage& message) override {
        std::visit([this](const auto& m) { station_.management.push(station_.primary_cid, m); }, message);
    }
    /// Of two flows in one message the uplink flow is used, since this base station's messages have one flow each.
    uint8_t take(DsxKind kind, const FlowChange& request, FlowChange& answer) override {
        const auto& asked = only(request);
        if (!asked) return confirmation::kParameterMissing;
        if (request.uplink && request.downlink) return confirmation::kUnrecognized;
        return kind == DsxKind::add ? take_new(*asked, direction_of(request), answer)
                                    : take_change(*asked, direction_of(request), answer);
    }
    void settled(DsxKind kind, uint32_t sfid, bool holds) override {
        FlowContext* flow = station_.flow_by_sfid(sfid);
        if (!flow) return;
        if (kind == DsxKind::add) {
            if (!holds) remove(sfid, "refused by the acknowledgement");
            return;
        }
        if (!holds && flow->before) {
            static_cast<AgreedFlow&>(*flow) = std::move(*flow->before);
            to_.put_in_force(station_, *flow);
        }
        flow->before.reset();
    }
    uint8_t granted(DsxKind kind, const FlowChange& request, const FlowChange& answer) override {
        const uint32_t sfid = only(request)->sfid.value_or(0);
        FlowContext* flow = station_.flow_by_sfid(sfid);
        if (!flow) return confirmation::kFlowNotFound;
        if (kind == DsxKind::add) {
            if (const auto& agreed = only(answer))
                flow->config.arq = agreed_arq(flow->config.arq, *agreed, flow->config.direction);
            to_.set_up(station_, *flow);
        } else {
            if (const uint8_t code = mac::change(*flow, *only(request)); code != confirmation::kSuccess) return code;
            tell(*flow, to_string(flow->state()));
        }
        to_.put_in_force(station_, *flow);
        to_.results_.end(station_.mac, request.tid, sfid, confirmation::kSuccess);
        to_.settle(station_);
        return confirmation::kSuccess;
    }
    void refused(DsxKind kind, const FlowChange& request, uint8_t code) override {
        const uint32_t sfid = only(request)->sfid.value_or(0);
        to_.results_.end(station_.mac, request.tid, sfid, code);
        const bool add = kind == DsxKind::add;
        const char* what = add ? "DSA-REQ" : "DSC-REQ";
        to_.event_(station_.event_source(), "flow",
                   to_text(station_.mac) +
                       (code == kNoAnswer ? std::string(" did not answer ") + what + " of flow " + std::to_string(sfid)
                                          : std::string(" refused ") + (add ? "" : "to change ") + "flow " +
                                                std::to_string(sfid) + ", code " + std::to_string(code)));
        FlowContext* flow = station_.flow_by_sfid(sfid);
        if (!flow) return;
        flow->ask_again = clock.now + clock.from_ms(kAskAgainMs);
        if (!add) return to_.reservations_.hold(*flow);
        if (flow->origin == FlowContext::Origin::user) return to_.erase(station_, sfid);
        // The station deleted it during setup; with another SFID it can be set up.
        if (code != confirmation::kFlowNotFound) flow->set_up.give_up();
        else if (flow->set_up.try_again()) flow->sfid = to_.next_sfid_++;
        to_.reservations_.hold(*flow);
        to_.settle(station_);
    }
    bool remove(uint32_t sfid, const char* why) override {
        const FlowContext* flow = station_.flow_by_sfid(sfid);
        if (!flow || flow->set_up.waiting()) return false;
        tell(*flow, std::string("deleted: ") + why);
        to_.erase(station_, sfid);
        return true;
    }
    void peer_lost() override { station_.entry.leave("no answer to DSD-REQ (T7)"); }

private:
    uint8_t take_new(const ServiceFlow& asked, FlowDirection direction, FlowChange& answer) {
        const auto own = std::ranges::count_if(
            station_.flows, [](const auto& flow) { return flow->origin == FlowContext::Origin::station; });
        if (static_cast<size_t>(own) >= station_.config.dynamic_flows)
            return station_.config.dynamic_flows == 0 ? confirmation::kPermanent : confirmation::kServiceLimit;
        if (asked.service_class && !is_text(*asked.service_class)) return confirmation::kUnrecognized;
        AgreedFlow terms = agreed(asked, direction);
        if (names_class_alone(asked) && !expand(asked, terms)) return confirmation::kUnrecognized;
        const uint8_t cs =
            names_class_alone(asked) ? static_cast<uint8_t>(terms.config.cs) : asked.cs_specification.value_or(kCsIpv4);
        if (cs < kCsIpv4 || cs > kCsVlan || link_of(static_cast<ConvergenceSublayer>(cs)) != to_.router_.link())
            return confirmation::kUnrecognized;
        if (!names_own_addresses(terms, station_.config.ip_addresses)) return confirmation::kPermanent;
        if (terms.config.scheduling == SchedulingType::ugs && terms.config.max_sustained_rate_bps == 0)
            return confirmation::kParameterMissing;
        if (!to_.multicast_.check(station_, terms.config)) return confirmation::kPermanent;
        terms.config.classifiers = own_rules(terms.config);
        while (terms.rule_indices.size() < terms.config.classifiers.size())
            terms.rule_indices.push_back(static_cast<uint16_t>(terms.rule_indices.size() + 1));
        if (!terms.config.multicast) terms.config.arq = to_.arq_for(station_, terms.config.arq);
        terms.config.sealing_octets = PrivacyService::sealing_octets(station_, terms.config);
        if (terms.admitted_set && !has_room(terms.config)) return confirmation::kTemporary;
        FlowContext* flow = to_.make(station_, std::move(terms));
        if (!flow) return confirmation::kServiceLimit;
        flow->origin = FlowContext::Origin::station;
        to_.set_up(station_, *flow);
        to_.put_in_force(station_, *flow);
        answer = one_flow(direction, to_message(*flow, flow->sfid, flow->cid));
        return confirmation::kSuccess;
    }
    uint8_t take_change(const ServiceFlow& asked, FlowDirection direction, FlowChange& answer) {
        FlowContext* flow = station_.flow_by_sfid(asked.sfid.value_or(0));
        if (!flow || !flow->set_up.done() || flow->config.direction != direction) return confirmation::kFlowNotFound;
        if (asked.qos_set_type.value_or(0) & qos_set::kProvisioned) return confirmation::kPermanent;
        AgreedFlow changed = *flow;
        if (const uint8_t code = mac::change(changed, asked); code != confirmation::kSuccess) return code;
        const bool allowed = (!changed.admitted_set || within(*changed.admitted_set, changed.provisioned_set)) &&
                             (!changed.active_set || within(*changed.active_set, *changed.admitted_set)) &&
                             names_own_addresses(changed, station_.config.ip_addresses) &&
                             (!flow->member || is_of_state_alone(*flow, changed));
        auto own = own_rules(changed.config);
        // Without rules the flow would have one that the station does not know.
        if (!allowed || own.size() != changed.config.classifiers.size()) return confirmation::kPermanent;
        changed.config.classifiers = std::move(own);
        if (changed.admitted_set) {
            ServiceFlowConfig admitted = changed.config;
            apply(*changed.admitted_set, admitted);
            if (!to_.has_room(station_, admitted, *flow)) return confirmation::kTemporary;
        }
        ServiceFlow echo;
        echo.sfid = flow->sfid;
        echo.cid = flow->cid;
        echo.qos_set_type = asked.qos_set_type;
        put_rules(echo, flow->config.cs, settled_rules(asked, *flow, changed));
        answer = one_flow(direction, std::move(echo));
        flow->before = *flow;
        static_cast<AgreedFlow&>(*flow) = std::move(changed);
        to_.put_in_force(station_, *flow);
        tell(*flow, std::string(to_string(flow->state())) + ", as the station asked");
        return confirmation::kSuccess;
    }
    /// Downlink rules that name no destination are for the station's own addresses.
    std::vector<ClassifierConfig> own_rules(const ServiceFlowConfig& flow) const {
        if (flow.direction == FlowDirection::uplink || flow.multicast) return flow.classifiers;
        return bound_rules(flow, station_.config.ip_addresses);
    }
    /// The requested rules with their assigned indices and addresses.
    static std::vector<RuleParameters> settled_rules(const ServiceFlow& asked, const AgreedFlow& before,
                                                     const AgreedFlow& changed) {
        auto rules = rules_of(asked);
        AgreedFlow so_far = before;
        for (auto& rule : rules) {
            ServiceFlow one;
            put_rules(one, before.config.cs, {rule});
            mac::change(so_far, one);
            if (rule.action == ClassifierAction::remove) continue;
            if (rule.action == ClassifierAction::add) rule.index = so_far.rule_indices.back();
            const auto found = std::ranges::find(changed.rule_indices, *rule.index);
            if (found == changed.rule_indices.end()) continue;  // it is removed again
            rule.rule = changed.config.classifiers[static_cast<size_t>(found - changed.rule_indices.begin())];
        }
        return rules;
    }
    /// Expands the class of that name as provisioned; rules of the station replace those of the class.
    bool expand(const ServiceFlow& asked, AgreedFlow& terms) const {
        const auto* classes = to_.config_.service_classes;
        if (!classes) return false;
        const auto found = std::ranges::find_if(*classes, [&](const auto& flow) {
            return flow.name == *asked.service_class && flow.direction == terms.config.direction;
        });
        if (found == classes->end()) return false;
        ServiceFlowConfig flow = *found;
        if (!terms.config.classifiers.empty() && !flow.multicast) flow.classifiers = terms.config.classifiers;
        terms = agreed(to_.prepared(station_, flow), terms.state());
        return true;
    }
    /// For a flow that the station requests.
    bool has_room(const ServiceFlowConfig& wanted) const {
        const Outcome room = to_.admission_.flow(station_, wanted, nullptr);
        if (room) return true;
        to_.reservations_.count_refusal();
        to_.event_(station_.event_source(), "flow",
                   to_text(station_.mac) + " may not add a flow: " + room.error().allowed);
        return false;
    }
    void tell(const FlowContext& flow, const std::string& what) const {
        to_.event_(station_.event_source(), "flow",
                   to_text(station_.mac) + (flow.downlink() ? " downlink flow " : " uplink flow ") +
                       std::to_string(flow.sfid) + " " + what);
    }

    ServiceFlowManager& to_;
    Subscriber& station_;
};

ServiceFlowManager::ServiceFlowManager(const Config& config, SduPool& pool, const Dependencies& dependencies)
    : config_(config),
      pool_(pool),
      clock_(dependencies.clock),
      event_(dependencies.event),
      stations_(dependencies.stations),
      router_(dependencies.router),
      reservations_(dependencies.reservations),
      admission_(dependencies.admission),
      multicast_(dependencies.multicast) {}

void ServiceFlowManager::create(Subscriber& station) {
    station.transactions = ServiceTransactions(DsxEnd::base_station, config_.transactions);
    results_.forget(station.mac);
    auto flows = station.config.flows;
    if (flows.empty()) {
        flows.resize(2);
        flows[1].direction = FlowDirection::uplink;
    }
    std::ranges::stable_sort(flows, {}, [](const auto& flow) { return service_order(flow); });
    for (const auto& flow : flows)
        if (!provide(station, flow))
            event_(station.event_source(), "flow", to_text(station.mac) + " cannot have all of its flows");
    begin_waiting(station);
}

/// Without room for its promise the flow is only provisioned, until a packet finds room for it.
Outcome ServiceFlowManager::provide(Subscriber& station, const ServiceFlowConfig& flow) {
    const ServiceFlowConfig terms = prepared(station, flow);
    if (Outcome allowed = multicast_.check(station, terms); !allowed) return allowed;
    FlowState state = terms.active_at_start ? FlowState::active
                      : terms.idle_releases ? FlowState::provisioned
                                            : FlowState::admitted;
    Outcome room;
    if (state != FlowState::provisioned) room = admission_.flow(station, terms, nullptr);
    if (!room) state = FlowState::provisioned;
    FlowContext* made = make(station, agreed(terms, state));
    if (!made) return failure("", kTooMany);
    if (!room) tell_refusal(station, *made, room.error().allowed);
    return {};
}

/// Reports an admission without room, once as long as the reason stays the same.
void ServiceFlowManager::tell_refusal(const Subscriber& station, FlowContext& flow, const std::string& why) {
    reservations_.count_refusal();
    if (flow.refusal != why)
        event_(station.event_source(), "flow",
               to_text(station.mac) + (flow.downlink() ? " downlink flow " : " uplink flow ") +
                   std::to_string(flow.sfid) + " is not admitted: " + why);
    flow.refusal = why;
}

/// Whether the flow could be admitted; otherwise the reason is reported.
bool ServiceFlowManager::has_room(const Subscriber& station, const ServiceFlowConfig& wanted, FlowContext& flow) {
    const Outcome room = admission_.flow(station, wanted, &flow);
    if (!room) tell_refusal(station, flow, room.error().allowed);
    return room.has_value();
}

ServiceFlowConfig ServiceFlowManager::prepared(const Subscriber& station, const ServiceFlowConfig& config) const {
    if (config.multicast) return multicast_.terms_of(config);
    ServiceFlowConfig flow = config;
    flow.classifiers = bound_rules(config, station.config.ip_addresses);
    flow.arq = arq_for(station, config.arq);
    if (!station.capabilities.phs) flow.phs.clear();
    flow.sealing_octets = PrivacyService::sealing_octets(station, flow);
    make_header_rules(flow);
    return flow;
}

/// The part that the station supports, with a default timeout if none is set.
ArqConfig ServiceFlowManager::arq_for(const Subscriber& station, ArqConfig arq) const {
    arq.enable = arq.enable && station.capabilities.arq;
    if (arq.retry_timeout_ms == 0) arq.retry_timeout_ms = std::min(kArqRetryFrames * config_.frame_ms, kMaxArqTimeMs);
    return arq;
}

/// Null: the station cannot have another flow.
FlowContext* ServiceFlowManager::make(Subscriber& station, AgreedFlow terms) {
    const auto direction = terms.config.direction;
    const size_t management = management_cids(station.managed.connection != nullptr);
    size_t most = kMaxFlowsEachWay;
    if (direction == FlowDirection::uplink)
        most = std::min<size_t>(
            most, station.capabilities.uplink_cids - std::min<size_t>(station.capabilities.uplink_cids, management));
    if (station.flows_of(direction) >= most) return nullptr;
    if (!PrivacyService::protect(station, terms)) return nullptr;
    MulticastConnection* connection = terms.config.multicast ? &multicast_.connection_for(terms.config) : nullptr;
    const uint16_t cid = connection ? connection->flow.cid : stations_.new_transport_cid(station);
    auto flow = std::make_unique<FlowContext>(next_sfid_++, cid, terms);
    FlowContext* made = flow.get();
    if (!PrivacyService::is_ready(station, terms)) made->set_up.wait_for_key(clock_.now + clock_.from_ms(kKnownByMs));
    if (connection) made->member = std::make_unique<MulticastMember>(*connection, station, *made);
    reservations_.hold(*made);
    station.flows.push_back(std::move(flow));
    return made;
}

void ServiceFlowManager::erase(Subscriber& station, uint32_t sfid) {
    std::optional<uint16_t> said;
    std::erase_if(station.flows, [&](const auto& flow) {
        if (flow->sfid != sfid) return false;
        station.keep_counters_of(*flow);
        if (!flow->member) stations_.release_transport_cid(flow->cid);
        said = flow->said;
        return true;
    });
    PrivacyService::release(station, said);
    router_.flows_changed();
}

bool ServiceFlowManager::ask(Subscriber& station, FlowContext& flow, Keeper& keeper) {
    const auto tid = station.transactions.begin(
        DsxKind::add, one_flow(flow.config.direction, to_message(flow, flow.sfid, flow.cid)), keeper);
    if (!tid) return false;
    results_.asked(station.mac, flow.sfid, *tid);
    flow.set_up.ask();
    return true;
}

void ServiceFlowManager::begin_waiting(Subscriber& station) {
    Keeper keeper(*this, station);
    for (auto& flow : station.flows)
        if (flow->set_up.waiting() && PrivacyService::is_ready(station, *flow) &&
            (station.transactions.open() >= kAtOnce || !ask(station, *flow, keeper)))
            return;
}

/// Gives up a flow with an SA that the station does not ask for, or cannot receive; one flow per frame.
void ServiceFlowManager::give_up_waiting(Subscriber& station) {
    const auto found = std::ranges::find_if(station.flows, [&](const auto& flow) {
        return flow->set_up.key_overdue(clock_.now) && !PrivacyService::is_ready(station, *flow);
    });
    if (found == station.flows.end()) return;
    FlowContext& flow = **found;
    event_(station.event_source(), "flow",
           to_text(station.mac) + " asks for no keys of security association " + std::to_string(*flow.said) +
               ": flow " + std::to_string(flow.sfid) + " is given up");
    results_.give_up(station.mac, flow.sfid);
    flow.set_up.give_up();
    reservations_.hold(flow);
    if (flow.origin == FlowContext::Origin::user) erase(station, flow.sfid);
    settle(station);
}

/// Called when the station has the flow, too.
void ServiceFlowManager::set_up(const Subscriber& station, FlowContext& flow) {
    flow.set_up.finish();
    flow.use.begin(clock_.now);
    if (flow.downlink()) {
        if (!flow.member) flow.open_sender(pool_, config_.queue, clock_.sample_rate_hz);
        PrivacyService::seal(station, flow);
    } else {
        if (flow.phs) flow.suppression = std::make_unique<HeaderSuppression>();
        flow.reassembler =
            flow.config.arq.enable
                ? std::make_unique<Reassembler>(
                      kMaxSduOctets, arq_parameters(flow.config.arq, clock_.sample_rate_hz, config_.arq_feedback))
                : std::make_unique<Reassembler>(kMaxSduOctets, flow.config.fixed_sdu_octets);
    }
    event_(station.event_source(), "flow",
           to_text(station.mac) + (flow.downlink() ? " downlink flow " : " uplink flow ") + std::to_string(flow.sfid) +
               " " + to_string(flow.state()) + ", CID " + std::to_string(flow.cid));
}

/// Called after parameters have changed: both ends serve flows in the same order.
void ServiceFlowManager::put_in_force(Subscriber& station, FlowContext& flow) {
    flow.rates.set(flow.config, clock_.sample_rate_hz);
    reservations_.hold(flow);
    if (flow.admitted_set) flow.refusal.clear();
    if (flow.transmitter) flow.transmitter->change(flow.config);
    flow.active = flow.set_up.done() && flow.active_set && station.restriction.kind == Restriction::none;
    if (!flow.active) {
        flow.requests.clear();
        flow.dues.stop();
    }
    std::ranges::stable_sort(station.flows, [](const auto& a, const auto& b) { return served_before(*a, *b); });
    router_.flows_changed();
}

void ServiceFlowManager::receive(Subscriber& station, const DsxMessage& message) {
    Keeper keeper(*this, station);
    station.transactions.receive(message, keeper);
}

/// A station is operational when all of its flows are set up or given up, unless it has none.
void ServiceFlowManager::settle(Subscriber& station) {
    const auto& flows = station.flows;
    const bool open = std::ranges::any_of(flows, [](const auto& flow) { return flow->set_up.open(); });
    const bool any = std::ranges::any_of(flows, [](const auto& flow) { return flow->set_up.done(); });
    if (open || !any || station.entry.state() != EntryState::registered) return;
    station.entry.begin_operation(clock_.now);
    event_(station.event_source(), "entry", to_text(station.mac) + " operational");
}

void ServiceFlowManager::run_timers(Subscriber& station) {
    if (!station.registered() || station.restriction.kind == Restriction::silent) return;
    Keeper keeper(*this, station);
    if (!station.transactions.transactions().empty()) station.transactions.run_timers(keeper);
    if (std::ranges::any_of(station.flows, [](const auto& flow) { return flow->set_up.waiting(); })) {
        begin_waiting(station);
        give_up_waiting(station);
    }
    watch_use(station, keeper);
}

void ServiceFlowManager::restriction_changed(Subscriber& station) {
    std::vector<FlowContext*> flows;  // their order may change
    for (auto& flow : station.flows) flows.push_back(flow.get());
    for (auto* flow : flows) put_in_force(station, *flow);
}

namespace {

/// For a member of a multicast connection: it was refused for lack of room.
bool wants_to_be_up(const FlowContext& flow) {
    if (flow.member) return !flow.refusal.empty();
    return flow.transmitter ? flow.transmitter->backlog_packets() > 0 : flow.requests.octets() > 0;
}

}  // namespace

/// Takes idle flows down, and brings flows up for which packets wait.
void ServiceFlowManager::watch_use(Subscriber& station, Keeper& keeper) {
    if (station.restriction.kind != Restriction::none) return;
    for (auto& flow : station.flows) {
        if (!flow->set_up.done()) continue;
        const auto timeout = flow->config.idle_timeout_ms;
        if (flow->active && timeout == 0) {
            flow->use.ignore();
            continue;
        }
        const bool waits = wants_to_be_up(*flow);
        const uint64_t packets = flow->transmitter   ? flow->transmitter->counters().sdus
                                 : flow->reassembler ? flow->reassembler->counters().sdus
                                                     : 0;
        flow->use.watch(packets, waits, clock_.now);
        if (clock_.now < flow->ask_again || station.transactions.busy(flow->sfid)) continue;
        if (flow->active && clock_.now - flow->use.last() >= clock_.from_ms(timeout)) {
            const auto state = flow->config.idle_releases ? FlowState::provisioned : FlowState::admitted;
            begin_change(station, *flow, flow->config, state, false, keeper);
        } else if (!flow->active && flow->downlink() && waits) {
            if (flow->admitted_set || has_room(station, flow->config, *flow))
                begin_change(station, *flow, flow->config, FlowState::active, false, keeper);
            else flow->ask_again = clock_.now + clock_.from_ms(kAskAgainMs);
        }
    }
}

bool ServiceFlowManager::begin_change(Subscriber& station, FlowContext& flow, const ServiceFlowConfig& to,
                                      FlowState state, bool provisioned, Keeper& keeper) {
    const auto tid = station.transactions.begin(
        DsxKind::change, one_flow(flow.config.direction, change_message(flow, to, state, flow.sfid, provisioned)),
        keeper);
    if (tid && state != FlowState::provisioned) reservations_.hold(flow, &to);
    return tid.has_value();
}

Outcome ServiceFlowManager::add(Subscriber& station, const ServiceFlowConfig& config, FlowState state, uint64_t id) {
    if (!station.registered()) return failure("", "the station is not registered");
    if (!station.may_have_flows()) return failure("", "the station awaits its configuration file");
    const ServiceFlowConfig terms = prepared(station, config);
    if (Outcome allowed = multicast_.check(station, terms); !allowed) return allowed;
    if (state != FlowState::provisioned)
        if (Outcome room = admission_.flow(station, terms, nullptr); !room) {
            reservations_.count_refusal();
            return room;
        }
    FlowContext* flow = make(station, agreed(terms, state));
    if (!flow) return failure("", kTooMany);
    Keeper keeper(*this, station);
    const uint32_t sfid = flow->sfid;
    const bool ready = PrivacyService::is_ready(station, *flow);
    if (ready && !ask(station, *flow, keeper)) {
        erase(station, sfid);
        return failure("", kTooMany);
    }
    flow->origin = FlowContext::Origin::user;
    const uint16_t tid = ready ? station.transactions.transactions().back().tid : 0;
    results_.add({id, DsxKind::add, sfid, std::nullopt, station.mac, tid});
    return {};
}

Outcome ServiceFlowManager::change(Subscriber& station, uint32_t sfid, const ServiceFlowConfig& to, FlowState state,
                                   uint64_t id) {
    FlowContext* flow = station.flow_by_sfid(sfid);
    if (!flow || !flow->set_up.done() || station.transactions.busy(sfid)) return failure("", kChanging);
    if (flow->member && !(to == flow->member->connection().flow.config))
        return failure("", "a multicast flow is the same at all of its stations");
    ServiceFlowConfig terms = to;
    if (!flow->member) terms.classifiers = bound_rules(to, station.config.ip_addresses);
    if (state != FlowState::provisioned && !has_room(station, terms, *flow)) return failure("", flow->refusal);
    Keeper keeper(*this, station);
    if (!begin_change(station, *flow, terms, state, true, keeper)) return failure("", kChanging);
    results_.add(
        {id, DsxKind::change, sfid, std::nullopt, station.mac, station.transactions.transactions().back().tid});
    return {};
}

Outcome ServiceFlowManager::remove(Subscriber& station, uint32_t sfid, uint64_t id) {
    const FlowContext* flow = station.flow_by_sfid(sfid);
    if (!flow || flow->set_up.waiting()) return failure("", kChanging);
    Keeper keeper(*this, station);
    const auto tid = station.transactions.begin_delete(sfid, "asked for", keeper);
    if (!tid) return failure("", kChanging);
    results_.add({id, DsxKind::remove, sfid, confirmation::kSuccess, station.mac, *tid});
    return {};
}

}  // namespace wimax::mac
