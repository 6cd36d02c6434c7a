// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the service flow changes that users requested, by the number of the request, with the confirmation code.
// The last ones are kept.
#pragma once

#include "mac/dsx/service_transactions.h"

#include <deque>

namespace wimax::mac {

/// Meaning of a confirmation code (11.13) or kNoAnswer.
const char* meaning_of(uint8_t code);

struct FlowResult {
    uint64_t id = 0;  ///< number of the request
    DsxKind kind = DsxKind::add;
    uint32_t sfid = 0;            ///< 0: not known (yet)
    std::optional<uint8_t> code;  ///< of 11.13, or kNoAnswer; nothing: pending
    MacAddress station{};
    uint16_t tid = 0;  ///< 0 at a base station until the flow's SA is set up
};

class FlowResults {
public:
    static constexpr size_t kKept = 64;

    void add(const FlowResult& result) {
        if (results_.size() == kKept) results_.pop_front();
        results_.push_back(result);
    }
    void end(const MacAddress& station, uint16_t tid, uint32_t sfid, uint8_t code) {
        for (auto& result : results_)
            if (!result.code && result.tid == tid && result.station == station) {
                result.code = code;
                if (sfid != 0) result.sfid = sfid;
            }
    }
    /// The request of a flow that had to wait is sent now.
    void asked(const MacAddress& station, uint32_t sfid, uint16_t tid) {
        if (FlowResult* result = waiting(station, sfid)) result->tid = tid;
    }
    /// The waiting request is abandoned.
    void give_up(const MacAddress& station, uint32_t sfid) {
        if (FlowResult* result = waiting(station, sfid)) result->code = kNoAnswer;
    }
    /// The station enters again: its pending changes have failed.
    void forget(const MacAddress& station) {
        for (auto& result : results_)
            if (!result.code && result.station == station) result.code = kNoAnswer;
    }
    const std::deque<FlowResult>& all() const { return results_; }

private:
    FlowResult* waiting(const MacAddress& station, uint32_t sfid) {
        for (auto& result : results_)
            if (!result.code && result.tid == 0 && result.sfid == sfid && result.station == station) return &result;
        return nullptr;
    }

    std::deque<FlowResult> results_;
};

template <class V> void visit(V& v, const FlowResult& r) {
    v("id", r.id);
    v("what", r.kind == DsxKind::add ? "add" : r.kind == DsxKind::change ? "change" : "delete");
    v("sfid", r.sfid);
    v("done", r.code.has_value());
    v("ok", r.code == confirmation::kSuccess);
    v.maybe("code", r.code);
    v("text", r.code ? meaning_of(*r.code) : "under way");
}

}  // namespace wimax::mac
