// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/device_arguments.h>

#include "radio/opening_faults.h"

#include <uhd/device.hpp>
#include <uhd/types/device_addr.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace gr::wimax {
namespace {

// Keys of UHD 4's USRPs that a user may need, and those of the virtual radio. A digit at the end (addr0, addr1) is
// allowed everywhere: UHD numbers the motherboards that way.
constexpr std::array kUsrpKeys{"type",
                               "addr",
                               "second_addr",
                               "mgmt_addr",
                               "serial",
                               "name",
                               "product",
                               "resource",
                               "fpga",
                               "fw",
                               "master_clock_rate",
                               "system_ref_rate",
                               "clock_source",
                               "time_source",
                               "sync_source",
                               "rx_antenna",
                               "tx_antenna",
                               "recv_frame_size",
                               "send_frame_size",
                               "num_recv_frames",
                               "num_send_frames",
                               "recv_buff_size",
                               "send_buff_size",
                               "recv_buff_fullness",
                               "enable_tx_dual_eth",
                               "use_dpdk",
                               "skip_dram",
                               "skip_ddc",
                               "skip_duc",
                               "skip_init",
                               "dboard_clock_rate",
                               "mode_n",
                               "ups_per_sec",
                               "ups_per_fifo",
                               "ref_clk_freq",
                               "converter_type",
                               "claimed",
                               "reclaim_timeout",
                               "mpm_reboot",
                               "init_cals",
                               "tracking_cals",
                               "force_reinit"};
constexpr std::array kVirtualKeys{"type",
                                  "addr",
                                  "name",
                                  "rate",
                                  "chunk",
                                  "mode",
                                  "tx_channels",
                                  "personality",
                                  "opening_s",
                                  "fault",
                                  "fpga",
                                  "cables",
                                  "serial",
                                  "master_clock_rate",
                                  "recv_frame_size",
                                  "send_frame_size",
                                  "num_recv_frames",
                                  "num_send_frames",
                                  "init_cals",
                                  "tracking_cals",
                                  "force_reinit"};

std::string without_digits(std::string key) {
    while (!key.empty() && key.back() >= '0' && key.back() <= '9') key.pop_back();
    return key;
}

}  // namespace

std::vector<std::string> unknown_device_arguments(const std::string& args) {
    const uhd::device_addr_t given(args);
    const bool is_virtual = given.get("type", "") == "vrf";
    std::vector<std::string> unknown;
    for (const auto& key : given.keys()) {
        const std::string plain = without_digits(key);
        const bool known = is_virtual ? std::find(kVirtualKeys.begin(), kVirtualKeys.end(), plain) != kVirtualKeys.end()
                                      : std::find(kUsrpKeys.begin(), kUsrpKeys.end(), plain) != kUsrpKeys.end();
        if (!known) unknown.push_back(key);
    }
    return unknown;
}

std::string device_type(const std::string& args) { return uhd::device_addr_t(args).get("type", ""); }

void check_device_arguments(const std::string& args) {
    const auto unknown = unknown_device_arguments(args);
    if (unknown.empty()) return;
    std::string text = "device arguments '" + args + "': unknown";
    for (const auto& key : unknown) text += " '" + key + "'";
    text += "; allowed:";
    const auto list = [&](const auto& keys) {
        for (const char* key : keys) text += std::string(" ") + key;
    };
    device_type(args) == "vrf" ? list(kVirtualKeys) : list(kUsrpKeys);
    throw std::runtime_error(text);
}

std::string look_for_device(const std::string& args) {
    const uhd::device_addr_t wanted(args);
    if (wanted.get("type", "") == "vrf") return "the virtual radio, which is not asked";
    try {
        const auto found = uhd::device::find(wanted, uhd::device::USRP);
        if (!found.empty()) return "found: " + found.front().to_string();
    } catch (const std::exception& e) {
        const OpeningFault fault = opening_fault(e.what(), args);
        return std::string("not found: ") + e.what() + "; " + fault.advice;
    }
    return "not found; " + opening_fault("", args).advice;
}

}  // namespace gr::wimax
