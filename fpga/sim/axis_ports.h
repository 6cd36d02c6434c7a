// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of a Verilated core's AXI-Streams, and stalls at either. A cycle is: drive() of every end, evaluation with
// the clock low, look() of every end, evaluation with the clock high (verilated_core.h does so).
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/sim/stalls.h"

#include <verilated.h>

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace wimax::fpga {

/// Pointers into the Verilated module; null for signals that a stream does not have. WIMAX_AXIS_* fill them.
struct SourcePorts {
    IData* tdata = nullptr;
    CData* tvalid = nullptr;
    const CData* tready = nullptr;
    CData* tlast = nullptr;
    QData* ttimestamp = nullptr;
    CData* thas_time = nullptr;
    CData* teob = nullptr;
};
struct SinkPorts {
    const IData* tdata = nullptr;
    const CData* tvalid = nullptr;
    CData* tready = nullptr;
    const CData* tlast = nullptr;
    const QData* ttimestamp = nullptr;
    const CData* thas_time = nullptr;
    const CData* teob = nullptr;
};

/// Ports of a stream of samples: WIMAX_AXIS_PORTS(top, s_axis).
#define WIMAX_AXIS_PORTS(top, prefix)                                                                 \
    {                                                                                                 \
        &(top).prefix##_tdata, &(top).prefix##_tvalid, &(top).prefix##_tready, &(top).prefix##_tlast, \
            &(top).prefix##_ttimestamp, &(top).prefix##_thas_time, &(top).prefix##_teob               \
    }

/// Sends words to a core. A valid word stays until it is taken, as the bus requires.
class AxisSource {
public:
    explicit AxisSource(const SourcePorts& ports, const Stalls& stalls = {}) : ports_(ports), stalls_(stalls) {}

    void send(std::span<const AxisWord> words) { queue_.insert(queue_.end(), words.begin(), words.end()); }
    bool idle() const { return queue_.empty(); }
    /// Words that the core has not taken yet.
    size_t left() const { return queue_.size(); }

    void drive();
    void look() {
        if (!(*ports_.tvalid && *ports_.tready)) return;
        queue_.pop_front();
        shown_ = false;
    }

private:
    SourcePorts ports_;
    Stalls stalls_;
    std::deque<AxisWord> queue_;
    bool shown_ = false;
};

/// Takes words from a core.
class AxisSink {
public:
    explicit AxisSink(const SinkPorts& ports, const Stalls& stalls = {}) : ports_(ports), stalls_(stalls) {}

    void drive() { *ports_.tready = !stalls_.next(); }
    void look();

    /// All words received; the caller removes them.
    std::vector<AxisWord> words;

private:
    SinkPorts ports_;
    Stalls stalls_;
};

/// ctrlport of RFNoC: one request at a time, one acknowledgement each.
struct CtrlportPorts {
    CData* req_wr = nullptr;
    CData* req_rd = nullptr;
    IData* req_addr = nullptr;
    IData* req_data = nullptr;
    const CData* resp_ack = nullptr;
    const IData* resp_data = nullptr;
};
#define WIMAX_CTRLPORT_PORTS(top)                                                                                   \
    {                                                                                                               \
        &(top).s_ctrlport_req_wr, &(top).s_ctrlport_req_rd, &(top).s_ctrlport_req_addr, &(top).s_ctrlport_req_data, \
            &(top).s_ctrlport_resp_ack, &(top).s_ctrlport_resp_data                                                 \
    }

}  // namespace wimax::fpga
