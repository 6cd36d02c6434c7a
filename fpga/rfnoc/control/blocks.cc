// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/blocks.h"

#include "fpga/rfnoc/control/coding_blocks.h"
#include "fpga/rfnoc/control/receive_blocks.h"
#include "fpga/rfnoc/control/transmit_blocks.h"

#include <uhd/rfnoc/registry.hpp>

#include <memory>

namespace wimax::rfnoc {
namespace {

using uhd::rfnoc::noc_block_base;

template <class Control> bool add(const BlockFacts& facts) {
    const auto make = [](noc_block_base::make_args_ptr args) -> noc_block_base::sptr {
        return std::make_shared<Control>(std::move(args));
    };
    uhd::rfnoc::registry::register_block_direct(facts.noc_id, uhd::rfnoc::ANY_DEVICE, facts.name, false,
                                                uhd::rfnoc::CLOCK_KEY_GRAPH, "bus_clk", make);
    return true;
}

}  // namespace

void register_blocks() {
    // UHD reports a second registration as an error.
    static const bool added = add<PreambleDetectControl>(kPreambleDetect) && add<BurstGateControl>(kBurstGate) &&
                              add<OfdmFrontendControl>(kOfdmFrontend) && add<OfdmBackendControl>(kOfdmBackend) &&
                              add<DemapViterbiRsControl>(kDemapViterbiRs) && add<EncoderMapperControl>(kEncoderMapper);
    (void)added;
}

}  // namespace wimax::rfnoc
