// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/dsx/service_transactions.h"

#include <algorithm>

namespace wimax::mac {
namespace {

using State = ServiceTransactions::State;

template <class Message> std::optional<DsxMessage> decoded(Octets octets) {
    Message message;
    if (!decode(octets, message)) return std::nullopt;
    return message;
}

std::array<uint32_t, 2> flows_of(const FlowChange& change) {
    const auto sfid = [](const Opt<ServiceFlow>& flow) { return flow ? flow->sfid.value_or(0) : 0; };
    return {sfid(change.uplink), sfid(change.downlink)};
}

bool names(const std::array<uint32_t, 2>& sfids, uint32_t sfid) {
    return sfid != 0 && (sfids[0] == sfid || sfids[1] == sfid);
}

template <class Message, class Contents> Message message_of(const Contents& contents) {
    Message message;
    static_cast<Contents&>(message) = contents;
    return message;
}

/// Confirmation code of an acknowledgement for an abandoned transaction.
uint8_t aborted(DsxKind kind) { return kind == DsxKind::add ? confirmation::kAddAborted : confirmation::kRejectOther; }

}  // namespace

std::optional<DsxMessage> decode_dsx(Octets message) {
    const auto type = message_type(message);
    if (!type) return std::nullopt;
    switch (*type) {
        case MessageType::dsa_req: return decoded<DsaReq>(message);
        case MessageType::dsa_rsp: return decoded<DsaRsp>(message);
        case MessageType::dsa_ack: return decoded<DsaAck>(message);
        case MessageType::dsc_req: return decoded<DscReq>(message);
        case MessageType::dsc_rsp: return decoded<DscRsp>(message);
        case MessageType::dsc_ack: return decoded<DscAck>(message);
        case MessageType::dsd_req: return decoded<DsdReq>(message);
        case MessageType::dsd_rsp: return decoded<DsdRsp>(message);
        case MessageType::dsx_rvd: return decoded<DsxRvd>(message);
        default: return std::nullopt;
    }
}

ServiceTransactions::Transaction* ServiceTransactions::find(uint16_t tid) {
    const auto found = std::ranges::find(transactions_, tid, &Transaction::tid);
    return found == transactions_.end() ? nullptr : &*found;
}

ServiceTransactions::Transaction* ServiceTransactions::running_on(uint32_t sfid, bool own) {
    const auto found = std::ranges::find_if(transactions_, [&](const Transaction& t) {
        return t.own == own && t.state != State::holding && names(t.sfids, sfid);
    });
    return found == transactions_.end() ? nullptr : &*found;
}

bool ServiceTransactions::busy(uint32_t sfid) const {
    return std::ranges::any_of(transactions_,
                               [&](const Transaction& t) { return t.state != State::holding && names(t.sfids, sfid); });
}

bool ServiceTransactions::idle() const {
    return std::ranges::all_of(transactions_, [](const Transaction& t) { return t.state == State::holding; });
}

size_t ServiceTransactions::open() const {
    return static_cast<size_t>(std::ranges::count_if(
        transactions_, [](const Transaction& t) { return t.own && t.state == State::requested; }));
}

/// True for a message that was in transit while its flow was deleted.
bool ServiceTransactions::deleted_lately(const FlowChange& change) const {
    const auto sfids = flows_of(change);
    return std::ranges::any_of(
        transactions_, [&](const Transaction& t) { return t.kind == DsxKind::remove && names(sfids, t.deleted); });
}

/// Drops the oldest completed transaction if the table is full. False: none is completed.
bool ServiceTransactions::make_room() {
    if (transactions_.size() < kMaxTransactions) return true;
    const auto over = std::ranges::find(transactions_, State::holding, &Transaction::state);
    if (over == transactions_.end()) return false;
    transactions_.erase(over);
    return true;
}

uint16_t ServiceTransactions::new_id() {
    do {
        const bool last = next_tid_ == 0xFFFF || next_tid_ == kFirstOfBaseStation - 1;
        const uint16_t first = end_ == DsxEnd::base_station ? kFirstOfBaseStation : uint16_t{0};
        next_tid_ = last ? first : static_cast<uint16_t>(next_tid_ + 1);
    } while (find(next_tid_));
    return next_tid_;
}

std::optional<uint16_t> ServiceTransactions::begin(DsxKind kind, FlowChange request, FlowKeeper& flows) {
    const auto sfids = flows_of(request);
    if (busy(sfids[0]) || busy(sfids[1]) || !make_room()) return std::nullopt;
    Transaction& t = transactions_.emplace_back();
    t.tid = request.tid = new_id();
    t.kind = kind;
    t.sfids = sfids;
    request.hmac = HmacTuple{};
    t.request = std::move(request);
    t.reply.tid = t.tid;
    t.reply.hmac = HmacTuple{};
    send_request(t, flows);
    return t.tid;
}

std::optional<uint16_t> ServiceTransactions::begin_delete(uint32_t sfid, const char* why, FlowKeeper& flows) {
    if (busy(sfid) || !make_room()) return std::nullopt;
    Transaction& t = transactions_.emplace_back();
    t.tid = new_id();
    t.kind = DsxKind::remove;
    t.sfids = {sfid, 0};
    t.deleted = sfid;
    const uint16_t tid = t.tid;
    send_request(t, flows);
    flows.remove(sfid, why);
    return tid;
}

void ServiceTransactions::send_request(Transaction& t, FlowKeeper& flows) {
    const FrameClock& clock = flows.clock;
    if (t.sent++ > 0) ++counters_.repeated;
    t.timer.start(clock.now, clock.from_ms(config_.t7_ms));
    if (t.kind != DsxKind::remove && end_ == DsxEnd::subscriber_station)
        t.t14.start(clock.now, clock.from_ms(config_.t14_ms));
    switch (t.kind) {
        case DsxKind::add: return flows.send(message_of<DsaReq>(t.request));
        case DsxKind::change: return flows.send(message_of<DscReq>(t.request));
        case DsxKind::remove: return flows.send(DsdReq{t.tid, t.deleted, HmacTuple{}});
    }
}

void ServiceTransactions::send_reply(const Transaction& t, FlowKeeper& flows) const {
    switch (t.kind) {
        case DsxKind::add:
            return flows.send(t.own ? DsxMessage(message_of<DsaAck>(t.reply)) : message_of<DsaRsp>(t.reply));
        case DsxKind::change:
            return flows.send(t.own ? DsxMessage(message_of<DscAck>(t.reply)) : message_of<DscRsp>(t.reply));
        case DsxKind::remove:
            if (!t.own) flows.send(DsdRsp{t.tid, t.reply.cc, t.deleted, HmacTuple{}});
    }
}

void ServiceTransactions::hold(Transaction& t, const FrameClock& clock) const {
    t.state = State::holding;
    t.sfids = {};
    t.t14.stop();
    t.timer.start(clock.now, clock.from_ms(config_.t10_ms));
}

void ServiceTransactions::receive(const DsxMessage& message, FlowKeeper& flows) {
    struct Visitor {
        ServiceTransactions& to;
        FlowKeeper& flows;
        void operator()(const DsaReq& m) const { to.on_request(DsxKind::add, m, flows); }
        void operator()(const DscReq& m) const { to.on_request(DsxKind::change, m, flows); }
        void operator()(const DsaRsp& m) const { to.on_response(DsxKind::add, m, flows); }
        void operator()(const DscRsp& m) const { to.on_response(DsxKind::change, m, flows); }
        void operator()(const DsaAck& m) const { to.on_acknowledge(DsxKind::add, m, flows); }
        void operator()(const DscAck& m) const { to.on_acknowledge(DsxKind::change, m, flows); }
        void operator()(const DsdReq& m) const { to.on_delete(m, flows); }
        void operator()(const DsdRsp& m) const { to.on_deleted(m); }
        void operator()(const DsxRvd& m) const { to.on_received(m); }
    };
    std::visit(Visitor{*this, flows}, message);
}

void ServiceTransactions::on_received(const DsxRvd& received) {
    Transaction* t = find(received.tid);
    if (t && t->own) t->t14.stop();
    else ++counters_.unknown;
}

/// Resolves own transactions already begun on the flows of the other end's request.
uint8_t ServiceTransactions::collision(DsxKind kind, const std::array<uint32_t, 2>& sfids, FlowKeeper& flows) {
    for (const uint32_t sfid : sfids) {
        const Transaction* mine = running_on(sfid, true);
        if (!mine) continue;
        ++counters_.collisions;
        if (mine->kind == DsxKind::remove) return confirmation::kFlowNotFound;
        if (end_ == DsxEnd::base_station || kind != DsxKind::change) return confirmation::kTemporary;
        give_up(mine->tid, confirmation::kTemporary, flows);
    }
    return confirmation::kSuccess;
}

void ServiceTransactions::on_request(DsxKind kind, const FlowChange& request, FlowKeeper& flows) {
    if (own_id(request.tid)) {
        ++counters_.unknown;
        return;
    }
    if (end_ == DsxEnd::base_station) flows.send(DsxRvd{request.tid, confirmation::kSuccess});
    if (const Transaction* t = find(request.tid)) {  // our response was lost, or is in transit
        if (t->kind == kind) send_reply(*t, flows);
        return;
    }
    const auto sfids = flows_of(request);
    for (const uint32_t sfid : sfids)
        if (const Transaction* t = running_on(sfid, false)) {  // its acknowledgement was lost
            send_reply(*t, flows);
            return;
        }
    if (!make_room()) return;
    Transaction t;
    t.tid = t.reply.tid = request.tid;
    t.kind = kind;
    t.own = false;
    t.state = State::answered;
    t.sent = 1;
    t.reply.hmac = HmacTuple{};
    t.reply.cc = collision(kind, sfids, flows);
    if (t.reply.cc == confirmation::kSuccess && deleted_lately(request)) t.reply.cc = confirmation::kFlowNotFound;
    if (t.reply.cc == confirmation::kSuccess) {
        FlowChange answer;
        t.reply.cc = flows.take(kind, request, answer);
        t.reply.uplink = std::move(answer.uplink);
        t.reply.downlink = std::move(answer.downlink);
    }
    if (t.reply.cc == confirmation::kSuccess) t.sfids = flows_of(t.reply);
    t.timer.start(flows.clock.now, flows.clock.from_ms(config_.t8_ms));
    send_reply(t, flows);
    transactions_.push_back(std::move(t));
}

void ServiceTransactions::on_response(DsxKind kind, const FlowChangeReply& response, FlowKeeper& flows) {
    Transaction* t = find(response.tid);
    if (!t || !t->own || t->kind != kind) {
        ++counters_.unknown;
        if (!own_id(response.tid) || t) return;
        Transaction forgotten;
        forgotten.kind = kind;
        forgotten.reply.tid = response.tid;
        forgotten.reply.cc = confirmation::kUnknownTransaction;
        forgotten.reply.hmac = HmacTuple{};
        return send_reply(forgotten, flows);
    }
    if (t->state == State::holding) return send_reply(*t, flows);  // our acknowledgement was lost
    const FlowChange request = std::move(t->request);
    const bool taken = response.cc == confirmation::kSuccess;
    hold(*t, flows.clock);
    const uint8_t code = !taken                     ? response.cc
                         : deleted_lately(response) ? confirmation::kFlowNotFound
                                                    : flows.granted(kind, request, response);
    if (taken) t->reply.cc = code;
    send_reply(*t, flows);
    if (code != confirmation::kSuccess) flows.refused(kind, request, code);
}

void ServiceTransactions::on_acknowledge(DsxKind kind, const FlowChangeReply& acknowledge, FlowKeeper& flows) {
    Transaction* t = find(acknowledge.tid);
    if (!t || t->own || t->kind != kind) {
        ++counters_.unknown;
        return;
    }
    if (t->state != State::answered) return;
    const auto sfids = t->sfids;
    hold(*t, flows.clock);
    for (const uint32_t sfid : sfids)
        if (sfid != 0) flows.settled(kind, sfid, acknowledge.cc == confirmation::kSuccess);
}

void ServiceTransactions::on_delete(const DsdReq& request, FlowKeeper& flows) {
    if (own_id(request.tid)) {
        ++counters_.unknown;
        return;
    }
    if (const Transaction* t = find(request.tid)) {
        if (t->kind == DsxKind::remove) send_reply(*t, flows);
        return;
    }
    Transaction* mine = running_on(request.sfid, true);
    const bool both = mine && mine->kind == DsxKind::remove;
    if (mine && !both) leave_flow(mine->tid, request.sfid, flows);
    if (const Transaction* other = running_on(request.sfid, false)) leave_flow(other->tid, request.sfid, flows);
    Transaction t;
    t.tid = request.tid;
    t.kind = DsxKind::remove;
    t.own = false;
    t.deleted = request.sfid;
    const bool found = flows.remove(request.sfid, "deleted by the other end");
    t.reply.cc = found || both ? confirmation::kSuccess : confirmation::kFlowNotFound;
    hold(t, flows.clock);
    send_reply(t, flows);
    if (make_room()) transactions_.push_back(std::move(t));
}

void ServiceTransactions::on_deleted(const DsdRsp& response) {
    const auto over = std::erase_if(transactions_, [&](const Transaction& t) {
        return t.tid == response.tid && t.own && t.kind == DsxKind::remove;
    });
    if (over == 0) ++counters_.unknown;
}

/// Removes a deleted flow from a running transaction, which ends when it has lost all its flows.
void ServiceTransactions::leave_flow(uint16_t tid, uint32_t sfid, FlowKeeper& flows) {
    Transaction& t = *find(tid);
    ++counters_.collisions;
    for (uint32_t& one : t.sfids)
        if (one == sfid) one = 0;
    if (t.sfids[0] != 0 || t.sfids[1] != 0) return;
    if (t.own) return give_up(tid, confirmation::kFlowNotFound, flows);
    t.reply.cc = confirmation::kFlowNotFound;
    hold(t, flows.clock);
}

/// An own DSA or DSC ends; the changes of a late response are undone.
void ServiceTransactions::give_up(uint16_t tid, uint8_t code, FlowKeeper& flows) {
    Transaction& t = *find(tid);
    t.reply.cc = aborted(t.kind);
    hold(t, flows.clock);
    const DsxKind kind = t.kind;
    const FlowChange request = std::move(t.request);
    flows.refused(kind, request, code);
}

void ServiceTransactions::unanswered(uint16_t tid, FlowKeeper& flows) {
    Transaction& t = *find(tid);
    if (t.sent <= config_.request_retries) return send_request(t, flows);
    ++counters_.failed;
    if (t.kind != DsxKind::remove) return give_up(tid, kNoAnswer, flows);
    std::erase_if(transactions_, [tid](const Transaction& one) { return one.tid == tid; });
    flows.peer_lost();
}

void ServiceTransactions::unacknowledged(uint16_t tid, FlowKeeper& flows) {
    Transaction& t = *find(tid);
    if (t.sent <= config_.response_retries) {
        ++t.sent;
        ++counters_.repeated;
        t.timer.start(flows.clock.now, flows.clock.from_ms(config_.t8_ms));
        return send_reply(t, flows);
    }
    ++counters_.failed;
    const auto sfids = t.sfids;
    if (t.reply.cc == confirmation::kSuccess) t.reply.cc = aborted(t.kind);
    t.reply.uplink.reset();
    t.reply.downlink.reset();
    hold(t, flows.clock);
    for (const uint32_t sfid : sfids)
        if (sfid != 0) begin_delete(sfid, "no acknowledgement (T8)", flows);
}

void ServiceTransactions::run_timers(FlowKeeper& flows) {
    if (transactions_.empty()) return;
    const Samples now = flows.clock.now;
    std::erase_if(transactions_, [now](Transaction& t) { return t.state == State::holding && t.timer.expired(now); });
    for (size_t i = 0; i < transactions_.size(); ++i) {  // transactions begun meanwhile are appended
        Transaction& t = transactions_[i];
        if (t.state == State::holding) continue;
        const bool due = t.timer.expired(now);
        if (due && t.state == State::answered) unacknowledged(t.tid, flows);
        else if (due) unanswered(t.tid, flows);
        else if (t.t14.expired(now) && t.sent <= config_.request_retries) send_request(t, flows);
    }
}

}  // namespace wimax::mac
