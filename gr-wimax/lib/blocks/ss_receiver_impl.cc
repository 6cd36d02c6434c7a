// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/receiver_block.h"
#include "blocks/refuse.h"
#include "blocks/ss_receiver_core.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>

namespace gr::wimax {

ss_receiver::sptr ss_receiver::make(const Config& config, TransmitPathPtr radio) {
    const auto numerology = phy::Numerology::make(config.bandwidth_hz, phy::CyclicPrefix::g1_8);
    if (!numerology) refuse(phy::bandwidth_fault(config.bandwidth_hz));
    phy::DownlinkReceiverConfig core;
    core.bandwidth_hz = config.bandwidth_hz;
    core.detector = config.detector;
    core.transformer = config.transformer;
    if (config.cp_denominator != 0) {
        core.cp = phy::parse_cyclic_prefix("1/" + std::to_string(config.cp_denominator));
        if (!core.cp) refuse(phy::cyclic_prefix_fault(config.cp_denominator, true));
    }
    if (config.turnaround_us < config.deadline_lead_us || config.deadline_lead_us < 0 ||
        config.turnaround_us > 1'000'000)
        refuse({"turnaround_us", std::to_string(config.turnaround_us), "deadline_lead_us..1000000"});
    if (config.response_us < 0 || config.response_us > 1'000'000)
        refuse(phy::out_of_range("response_us", config.response_us, 0, 1'000'000));
    if (config.display_interval_frames < 1 || config.display_interval_frames > kMostDisplayInterval)
        refuse(phy::out_of_range("display_interval_frames", config.display_interval_frames, 1, kMostDisplayInterval));
    return gnuradio::make_block_sptr<ReceiverBlock<ss_receiver, SsReceiverCore>>(
        "wimax_ss_receiver", config.display_interval_frames, config.reports, config.signal, config, core,
        numerology->sample_rate_hz, std::move(radio));
}

}  // namespace gr::wimax
