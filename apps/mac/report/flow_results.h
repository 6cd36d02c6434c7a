/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What became of the changes of service flows that a user has asked for: who asked gave a number, and finds it here
 * with the confirmation code. The last ones are kept.
 */
#pragma once

#include "mac/dsx/service_transactions.h"

#include <deque>

namespace wimax::mac {

/// What a confirmation code (11.13) or kNoAnswer means.
const char* meaning_of(uint8_t code);

struct FlowResult {
    uint64_t id = 0;  ///< the asker's number
    DsxKind kind = DsxKind::add;
    uint32_t sfid = 0;            ///< 0: not known (yet)
    std::optional<uint8_t> code;  ///< of 11.13, or kNoAnswer; nothing: under way
    MacAddress station{};
    uint16_t tid = 0;  ///< 0 at a base station: the flow's SA comes first
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
    /// A flow that had to wait is asked for now.
    void asked(const MacAddress& station, uint32_t sfid, uint16_t tid) {
        if (FlowResult* result = waiting(station, sfid)) result->tid = tid;
    }
    /// It has waited in vain.
    void give_up(const MacAddress& station, uint32_t sfid) {
        if (FlowResult* result = waiting(station, sfid)) result->code = kNoAnswer;
    }
    /// The station begins anew: what was under way came to nothing.
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

template <class V>
void visit(V& v, const FlowResult& r) {
    v("id", r.id);
    v("what", r.kind == DsxKind::add ? "add" : r.kind == DsxKind::change ? "change" : "delete");
    v("sfid", r.sfid);
    v("done", r.code.has_value());
    v("ok", r.code == confirmation::kSuccess);
    v.maybe("code", r.code);
    v("text", r.code ? meaning_of(*r.code) : "under way");
}

}  // namespace wimax::mac
