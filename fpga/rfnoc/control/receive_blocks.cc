// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/receive_blocks.h"

#include "fpga/rfnoc/control/wrapper_registers.h"

#include <utility>

namespace wimax::rfnoc {
namespace {

constexpr size_t kRecords = 1;  // output of the detector

}  // namespace

PreambleDetectControl::PreambleDetectControl(make_args_ptr args, Connect connect)
    : BlockControl(std::move(args), kPreambleDetect) {
    write(fpga::preamble_detect::kControl, 0);
    give_core({.packets = kRecords}, std::move(connect));
}

OfdmFrontendControl::OfdmFrontendControl(make_args_ptr args, Connect connect)
    : BlockControl(std::move(args), kOfdmFrontend) {
    give_core({.packets = 0, .orders = true}, std::move(connect));
}

void PreambleDetectControl::set(const fpga::preamble_detect::Settings& settings) {
    using namespace fpga::preamble_detect;
    write(kControl, settings.detect);
    write(kGateThreshold, settings.gate_threshold);
    write(kFirstThreshold, settings.first_threshold);
    write(kSecondThreshold, settings.second_threshold);
    write(kMaxSteps, settings.max_steps);
    write(kPrefixes, settings.prefixes);
    write(kHoldOff, settings.hold_off_hops);
}

fpga::preamble_detect::Settings PreambleDetectControl::settings() {
    using namespace fpga::preamble_detect;
    const auto octet = [this](uint32_t address) { return static_cast<uint8_t>(read(address)); };
    return {.detect = (octet(kControl) & 1) != 0,
            .gate_threshold = octet(kGateThreshold),
            .first_threshold = octet(kFirstThreshold),
            .second_threshold = octet(kSecondThreshold),
            .max_steps = octet(kMaxSteps),
            .prefixes = octet(kPrefixes),
            .hold_off_hops = octet(kHoldOff)};
}

PreambleDetectControl::Counts PreambleDetectControl::counts() {
    using namespace fpga::preamble_detect;
    return {static_cast<uint16_t>(read(kDetections)), static_cast<uint16_t>(read(kPlateaus))};
}

void OfdmFrontendControl::order(const fpga::ofdm_frontend::Order& order) {
    const auto [low, high] = order.word();
    regs().block_poke32(wrapper::kOwn, {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                                        static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)});
}

void OfdmFrontendControl::forget_orders() {
    using namespace fpga::ofdm_frontend;
    write(kRegisterControl, (read(kRegisterControl) & kControlRestart) | kControlForget);
}

bool OfdmFrontendControl::has_room() { return (read(fpga::ofdm_frontend::kRegisterOrders) & 2) == 0; }

void OfdmFrontendControl::set_increment(int32_t increment) {
    write(fpga::ofdm_frontend::kRegisterIncrement, static_cast<uint32_t>(increment));
}

OfdmFrontendControl::Counts OfdmFrontendControl::counts() {
    using namespace fpga::ofdm_frontend;
    const uint32_t lost = read(kRegisterLost);
    return {.samples = read(kRegisterSamples),
            .words = read(kRegisterWords),
            .symbols = read(kRegisterSymbols),
            .cut = static_cast<uint16_t>(lost >> 16),
            .late = static_cast<uint16_t>(lost),
            .lost = read(wrapper::kStatus)};
}

}  // namespace wimax::rfnoc
