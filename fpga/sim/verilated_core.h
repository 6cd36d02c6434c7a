// SPDX-License-Identifier: GPL-3.0-or-later
// A Verilated module with its clock: `clk` and `rst`, registers through ctrlport if it has them.
#pragma once

#include "fpga/sim/axis_ports.h"

#include <verilated.h>

#include <cstdint>
#include <memory>

namespace wimax::fpga {

template <class Top> class VerilatedCore {
public:
    VerilatedCore() {
        context_.threads(1);  // otherwise a pool of threads, which a core compiled for one does not use
        top_ = std::make_unique<Top>(&context_);
    }
    ~VerilatedCore() { top_->final(); }
    VerilatedCore(const VerilatedCore&) = delete;
    VerilatedCore& operator=(const VerilatedCore&) = delete;

    Top& top() { return *top_; }
    uint64_t cycles() const { return cycles_; }

    /// Two cycles of `rst`.
    void reset() {
        top_->rst = 1;
        cycle();
        cycle();
        top_->rst = 0;
    }

    /// One cycle with these ends of streams (AxisSource, AxisSink or a type with drive() and look()).
    template <class... Ends> void cycle(Ends&... ends) {
        (ends.drive(), ...);
        top_->clk = 0;
        top_->eval();
        (ends.look(), ...);
        top_->clk = 1;
        top_->eval();
        ++cycles_;
    }

    /// Registers by ctrlport. The ends continue meanwhile.
    template <class... Ends> void write(uint32_t address, uint32_t data, Ends&... ends) {
        const CtrlportPorts port = WIMAX_CTRLPORT_PORTS(*top_);
        *port.req_data = data;
        request(port, *port.req_wr, address, ends...);
    }
    template <class... Ends> uint32_t read(uint32_t address, Ends&... ends) {
        const CtrlportPorts port = WIMAX_CTRLPORT_PORTS(*top_);
        return request(port, *port.req_rd, address, ends...);
    }

private:
    struct Answer {  // sampled like the streams: before the edge
        const CtrlportPorts& port;
        bool acknowledged = false;
        uint32_t data = 0;
        void drive() {}
        void look() {
            if (!*port.resp_ack) return;
            acknowledged = true;
            data = *port.resp_data;
        }
    };

    template <class... Ends>
    uint32_t request(const CtrlportPorts& port, CData& strobe, uint32_t address, Ends&... ends) {
        Answer answer{port};
        *port.req_addr = address;
        strobe = 1;
        cycle(ends..., answer);
        strobe = 0;
        while (!answer.acknowledged) cycle(ends..., answer);
        return answer.data;
    }

    VerilatedContext context_;
    std::unique_ptr<Top> top_;
    uint64_t cycles_ = 0;
};

}  // namespace wimax::fpga
