// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/sim/axis_ports.h"

namespace wimax::fpga {
namespace {

template <class Port, class Value> void put(Port* port, Value value) {
    if (port) *port = static_cast<Port>(value);
}

}  // namespace

void AxisSource::drive() {
    if (!shown_) {
        shown_ = !queue_.empty() && !stalls_.next();
        *ports_.tvalid = shown_;
    }
    // Without valid the other signals have no meaning and change nothing.
    if (!shown_) return;
    const AxisWord& word = queue_.front();
    *ports_.tdata = word.data;
    put(ports_.tlast, word.last);
    put(ports_.ttimestamp, word.time);
    put(ports_.thas_time, word.has_time);
    put(ports_.teob, word.end_of_burst);
}

void AxisSink::look() {
    if (!(*ports_.tvalid && *ports_.tready)) return;
    AxisWord word;
    word.data = *ports_.tdata;
    if (ports_.ttimestamp) word.time = *ports_.ttimestamp;
    if (ports_.thas_time) word.has_time = *ports_.thas_time != 0;
    if (ports_.tlast) word.last = *ports_.tlast != 0;
    if (ports_.teob) word.end_of_burst = *ports_.teob != 0;
    words.push_back(word);
}

}  // namespace wimax::fpga
