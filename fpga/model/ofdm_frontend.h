// SPDX-License-Identifier: GPL-3.0-or-later
// Model of the core `ofdm_frontend`, bit by bit: samples in, packets of the used carriers of ordered OFDM symbols out
// (clause 8.3.2). Packets, orders and registers: ofdm_frontend_registers.h. Carriers are those of offsets -100..-1,
// 1..100 in this order, I in the upper half of a word. The first word of a packet has the time of the body's first
// sample, and an order's last packet ends a burst.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/fft256.h"
#include "fpga/model/ofdm_frontend_registers.h"

#include <deque>
#include <span>
#include <vector>

namespace wimax::fpga {

class OfdmFrontend {
public:
    using Order = ofdm_frontend::Order;

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address) const;
    /// Must be called before the samples of its time; at most kOrdersWaiting wait.
    void order(const Order& order) { orders_.push_back(order); }
    /// Takes samples, appends words of packets to `out`.
    void process(std::span<const AxisWord> samples, std::vector<AxisWord>& out);

private:
    enum class State : uint8_t { idle, prefix, body };

    void take(const AxisWord& word, std::vector<AxisWord>& out);
    void begin(uint64_t time, std::vector<AxisWord>& out);
    void take_body(FixedSample sample, uint64_t time, std::vector<AxisWord>& out);
    void send(std::vector<AxisWord>& out);
    void send_lost(uint16_t tag, int symbol, std::vector<AxisWord>& out);

    std::deque<Order> orders_;
    bool obey_restart_ = true;
    int32_t register_increment_ = 0;
    uint32_t samples_ = 0, words_ = 0, symbols_ = 0;
    uint16_t late_ = 0, cut_ = 0;

    bool time_known_ = false;
    uint64_t next_time_ = 0, body_time_ = 0;
    State state_ = State::idle;
    Order current_;
    int symbol_ = 0;
    int left_ = 0;      // samples of the prefix
    size_t place_ = 0;  // in the body
    bool restart_ = false;
    uint32_t increment_ = 0, phase_ = 0;
    FixedBlock block_{};
};

}  // namespace wimax::fpga
