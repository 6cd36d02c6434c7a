// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/device_cores.h"

#include "radio/refusal.h"
#include "radio/vrf_nodes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gr::wimax {
namespace {

constexpr double kPatienceS = 0.1;  // the longest frame is 20 ms

class VrfCore final : public RadioCore {
public:
    explicit VrfCore(VrfCoreAccess access) : access_(std::move(access)) {}

    uint32_t peek(uint32_t address) override { return access_.peek(address); }
    void poke(uint32_t address, uint32_t value) override { access_.poke(address, value); }
    Packet take(std::span<uint32_t> words) override {
        const auto [count, time, has_time, end_of_burst] = access_.take(words);
        return {count, time, has_time, end_of_burst};
    }
    bool order(std::span<const uint32_t> words) override { return access_.order(words); }

private:
    const VrfCoreAccess access_;
};

/// Node of the first block with this name.
std::string open_node(const std::string& block) { return "/blocks/0/" + block + "#0/" + kOpenCoreNode; }

}  // namespace

RadioCorePtr find_core(uhd::usrp::multi_usrp& usrp, const RatePlan& plan, const std::string& block) {
    const auto tree = usrp.get_tree();
    if (auto access = vrf_core(tree, block)) return std::make_shared<VrfCore>(std::move(*access));
    if (!tree->exists(open_node(block))) return nullptr;
    return tree->access<OpenRadioCore>(open_node(block)).get()(usrp.get_master_clock_rate(), plan.tick_rate_hz);
}

GateSettings gate_settings(const RadioConfig& config, const RatePlan& plan) {
    const auto& limits = config.limits;
    const auto& amplifier = config.amplifier;
    const auto samples = [&](double seconds) { return static_cast<int64_t>(std::ceil(seconds * plan.tick_rate_hz)); };
    GateSettings settings;
    settings.enable = limits.enable;
    settings.edge_samples = config.burst_edge_samples;
    if (amplifier.driven()) {
        settings.lead_samples = samples(1e-6 * amplifier.lead_us);
        settings.lag_samples = samples(1e-6 * amplifier.lag_us);
    }
    if (limits.longest_burst_ms) settings.longest_samples = samples(1e-3 * *limits.longest_burst_ms);
    settings.window_samples = samples(1e-3 * limits.duty_window_ms);
    // The gate counts in sixteenths, and one part more than the window has: it passes everything that TransmitGuard
    // admits.
    if (limits.max_duty_cycle < 1)
        settings.share_samples =
            std::llround(limits.max_duty_cycle * static_cast<double>(settings.window_samples) * 17 / 16);
    settings.patience_samples = samples(kPatienceS);
    return settings;
}

std::shared_ptr<TransmitGate> open_gate(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, const RatePlan& plan) {
    const std::string device = "device '" + config.device_args + "': ";
    RadioCorePtr core;
    try {
        core = find_core(usrp, plan, core_block::burst_gate);
    } catch (const std::exception& e) {
        refuse(device + "its core burst_gate: " + e.what());
    }
    if (!core) return nullptr;
    if (!config.gate)
        refuse(device + "it has the core burst_gate, of which this program knows nothing: nothing would leave");
    auto gate = config.gate(std::move(core));
    if (!gate) refuse(device + "its core burst_gate is not the one that this program knows");
    gate->set_up(gate_settings(config, plan));
    return gate;
}

std::string describe_cores(uhd::usrp::multi_usrp& usrp) {
    const auto tree = usrp.get_tree();
    std::string all;
    for (const char* block : {core_block::preamble_detect, core_block::burst_gate, core_block::ofdm_frontend})
        if (vrf_core(tree, block) || tree->exists(open_node(block)))
            all += (all.empty() ? "" : ", ") + std::string(block);
    return all;
}

}  // namespace gr::wimax
