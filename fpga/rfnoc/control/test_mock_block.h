// SPDX-License-Identifier: GPL-3.0-or-later
// UHD's mock of a block whose registers keep the written values, and record their order. A detector is on after a
// reset.
#pragma once

#include "fpga/model/preamble_detect.h"
#include "fpga/rfnoc/control/blocks.h"
#include "fpga/rfnoc/control/wrapper_registers.h"

#include <uhd/exception.hpp>
#include <uhd/rfnoc/mock_block.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace wimax::rfnoc {

class Registers : public uhd::rfnoc::mock_reg_iface_t {
public:
    std::vector<std::pair<uint32_t, uint32_t>> writes;
    bool gone = false;

protected:
    void _poke_cb(uint32_t address, uint32_t value, uhd::time_spec_t, bool) override {
        answer();
        writes.emplace_back(address, value);
        read_memory[address] = value;
    }
    void _peek_cb(uint32_t, uhd::time_spec_t) override { answer(); }

private:
    void answer() const {
        if (gone) throw uhd::io_error("no answer");
    }
};

struct Mock {
    static constexpr uint32_t kPacketWords = 2044;  ///< after a reset

    explicit Mock(const BlockFacts& facts, size_t inputs = 1, size_t outputs = 0, size_t mtu_octets = 8000) {
        register_blocks();
        registers->read_memory = {{0x00, facts.core}, {0x04, facts.version}, {wrapper::kPacketWords, kPacketWords}};
        if (facts.core == fpga::preamble_detect::kId) registers->read_memory[fpga::preamble_detect::kControl] = 1;
        container = std::make_unique<uhd::rfnoc::mock_block_container>(
            uhd::rfnoc::get_mock_block(facts.noc_id, inputs, outputs ? outputs : facts.outputs, uhd::device_addr_t(),
                                       mtu_octets, uhd::rfnoc::ANY_DEVICE, registers));
    }

    template <class Control> std::shared_ptr<Control> block() {
        auto made = container->get_block<Control>();
        registers->writes.clear();
        return made;
    }

    std::shared_ptr<Registers> registers = std::make_shared<Registers>();
    std::unique_ptr<uhd::rfnoc::mock_block_container> container;
};

}  // namespace wimax::rfnoc
