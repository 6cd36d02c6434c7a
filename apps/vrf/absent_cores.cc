// SPDX-License-Identifier: GPL-3.0-or-later
// make_cores() of a build without FPGA cores.
#include "vrf/core_access.h"

namespace wimax::vrf {

tl::expected<std::shared_ptr<RadioCores>, Fault> make_cores() {
    return failure("fpga",
                   "this build has no FPGA cores: install verilator 5.0 or later, then configure with "
                   "cmake -D WIMAX_FPGA=ON and build again");
}

}  // namespace wimax::vrf
