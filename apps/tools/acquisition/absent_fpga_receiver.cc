// SPDX-License-Identifier: GPL-3.0-or-later
// make_fpga_receiver() of a build without FPGA cores.
#include "tools/acquisition/fpga_receiver.h"

namespace wimax::acquisition {

std::optional<MeasuredReceiver> make_fpga_receiver(FpgaDetector /*detector*/, const Setup& /*setup*/) {
    return std::nullopt;
}

}  // namespace wimax::acquisition
