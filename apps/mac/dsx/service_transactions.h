// SPDX-License-Identifier: GPL-3.0-or-later
// Dynamic service transactions (clause 6.3.14.9): DSA, DSC and DSD begun by either end, with their timers and
// repetitions, DSX-RVD, and the rules for two that meet. One machine for both ends; it keeps transactions and no flows,
// sends through its FlowKeeper, and has no clock: the keeper supplies the time.
//
//     begun here:         REQ, T7 (T14 until DSX-RVD) ─ RSP: ACK ─ T10: forgotten
//     begun by the other: REQ: DSX-RVD, RSP, T8 ─ ACK ─ T10: forgotten
//
// A flow has one transaction at a time. Collisions:
// - DSC against DSC: the base station's wins and it refuses the other for the time being. The subscriber drops its one.
// - DSD ends whatever else runs on the flow.
// - A new request on a flow whose last response was not acknowledged yet: that response is repeated, the request will
//   be. An answer to a transaction that was given up or forgotten is acknowledged as refused, so that it is undone.
// - Responses that are not acknowledged: the flow is deleted with DSD, as it may exist on one side only. If DSD is not
//   answered either, the other end is lost.
#pragma once

#include "mac/clock.h"
#include "mac/pdu/management_messages.h"

#include <span>
#include <variant>
#include <vector>

namespace wimax::mac {

using DsxMessage = std::variant<DsaReq, DsaRsp, DsaAck, DscReq, DscRsp, DscAck, DsdReq, DsdRsp, DsxRvd>;
/// Nothing: another message, or a malformed one.
std::optional<DsxMessage> decode_dsx(Octets message);

enum class DsxKind : uint8_t { add, change, remove };
enum class DsxEnd : uint8_t { base_station, subscriber_station };

/// Local code in addition to those of 11.13: the other end has not answered. Never sent.
inline constexpr uint8_t kNoAnswer = 0xFF;

/// The flows of one end, as its transactions see them. A FlowChange names one flow each way at most. Only refused() and
/// peer_lost() may begin transactions.
class FlowKeeper {
public:
    explicit FlowKeeper(const FrameClock& time) : clock(time) {}
    virtual ~FlowKeeper() = default;

    virtual void send(const DsxMessage& message) = 0;
    /// Applies the other end's DSA-REQ or DSC-REQ, until settled(). Returns a confirmation code; with success `answer`
    /// names the flows.
    virtual uint8_t take(DsxKind kind, const FlowChange& request, FlowChange& answer) = 0;
    /// Confirms or undoes the change of take().
    virtual void settled(DsxKind kind, uint32_t sfid, bool holds) = 0;
    /// The other end has accepted this end's request. The code is sent in the acknowledgement; unless it is success,
    /// nothing has changed here, and refused() follows.
    virtual uint8_t granted(DsxKind kind, const FlowChange& request, const FlowChange& answer) = 0;
    /// Own DSA or DSC failed; a confirmation code or kNoAnswer.
    virtual void refused(DsxKind kind, const FlowChange& request, uint8_t code) = 0;
    /// Deletes the flow; false: there is none.
    virtual bool remove(uint32_t sfid, const char* why) = 0;
    /// DSD was not answered either: the two ends may disagree about their flows.
    virtual void peer_lost() = 0;

    const FrameClock& clock;
};

class ServiceTransactions {
public:
    struct Config {
        uint32_t t7_ms = 1000, t8_ms = 300, t10_ms = 3000, t14_ms = 200;
        int request_retries = 3, response_retries = 3;
    };
    enum class State : uint8_t {
        requested,  ///< own; response awaited (T7, T14)
        answered,   ///< the other's; acknowledgement awaited (T8)
        holding,    ///< over; kept for repeated messages (T10)
    };
    struct Transaction {
        uint16_t tid = 0;
        DsxKind kind = DsxKind::add;
        State state = State::requested;
        bool own = true;
        std::array<uint32_t, 2> sfids{};  ///< flows it occupies; 0: none
        FlowChange request;               ///< own: the request
        FlowChangeReply reply;            ///< own: the acknowledgement; the other's: the response
        uint32_t deleted = 0;             ///< DSD: the flow
        Timer timer, t14;
        int sent = 0;  ///< requests or responses
    };
    struct Counters {
        uint64_t repeated = 0;  ///< requests and responses sent again
        uint64_t failed = 0;    ///< transactions without response or acknowledgement
        uint64_t collisions = 0;
        uint64_t unknown = 0;  ///< messages that fit no transaction
    };

    ServiceTransactions(DsxEnd end, const Config& config)
        : config_(config), end_(end), next_tid_(end == DsxEnd::base_station ? kFirstOfBaseStation : uint16_t{0}) {}

    /// Transaction ids of base stations; those of subscriber stations are below.
    static constexpr uint16_t kFirstOfBaseStation = 0x8000;
    static constexpr size_t kMaxTransactions = 64;

    /// Begins a transaction. Nothing: one of its flows has one already, or there are too many.
    std::optional<uint16_t> begin(DsxKind kind, FlowChange request, FlowKeeper& flows);
    /// Deletes the flow here and asks the other end to do so.
    std::optional<uint16_t> begin_delete(uint32_t sfid, const char* why, FlowKeeper& flows);
    bool busy(uint32_t sfid) const;
    /// True if no transaction is running.
    bool idle() const;

    void receive(const DsxMessage& message, FlowKeeper& flows);
    /// Once a frame.
    void run_timers(FlowKeeper& flows);
    /// The other end has restarted: nothing is sent, no flow is touched.
    void forget() { transactions_.clear(); }

    std::span<const Transaction> transactions() const { return transactions_; }
    /// Number of transactions begun here and not completed.
    size_t open() const;
    const Counters& counters() const { return counters_; }

private:
    bool own_id(uint16_t tid) const { return (tid >= kFirstOfBaseStation) == (end_ == DsxEnd::base_station); }
    Transaction* find(uint16_t tid);
    /// A transaction on the flow that is not completed, begun by this end (`own`) or the other.
    Transaction* running_on(uint32_t sfid, bool own);
    bool deleted_lately(const FlowChange& change) const;
    bool make_room();
    uint16_t new_id();

    void on_request(DsxKind kind, const FlowChange& request, FlowKeeper& flows);
    void on_response(DsxKind kind, const FlowChangeReply& response, FlowKeeper& flows);
    void on_acknowledge(DsxKind kind, const FlowChangeReply& acknowledge, FlowKeeper& flows);
    void on_delete(const DsdReq& request, FlowKeeper& flows);
    void on_deleted(const DsdRsp& response);
    void on_received(const DsxRvd& received);

    uint8_t collision(DsxKind kind, const std::array<uint32_t, 2>& sfids, FlowKeeper& flows);
    void send_request(Transaction& transaction, FlowKeeper& flows);
    void send_reply(const Transaction& transaction, FlowKeeper& flows) const;
    void hold(Transaction& transaction, const FrameClock& clock) const;
    void give_up(uint16_t tid, uint8_t code, FlowKeeper& flows);
    void unanswered(uint16_t tid, FlowKeeper& flows);
    void unacknowledged(uint16_t tid, FlowKeeper& flows);
    void leave_flow(uint16_t tid, uint32_t sfid, FlowKeeper& flows);

    Config config_;
    DsxEnd end_;
    uint16_t next_tid_;
    std::vector<Transaction> transactions_;
    Counters counters_;
};

}  // namespace wimax::mac
