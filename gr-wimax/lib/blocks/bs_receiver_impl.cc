// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/bs_receiver_core.h"
#include "blocks/receiver_block.h"
#include "blocks/refuse.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>

namespace gr::wimax {

bs_receiver::sptr bs_receiver::make(const Config& config, TransmitPathPtr radio) {
    if (config.cp_denominator != 4 && config.cp_denominator != 8 && config.cp_denominator != 16 &&
        config.cp_denominator != 32)
        refuse(phy::cyclic_prefix_fault(config.cp_denominator));
    const auto numerology =
        phy::Numerology::make(config.bandwidth_hz, static_cast<phy::CyclicPrefix>(config.cp_denominator));
    if (!numerology) refuse(phy::bandwidth_fault(config.bandwidth_hz));
    if (config.frame_duration_code < 0 || config.frame_duration_code > 6)
        refuse(phy::frame_duration_fault(config.frame_duration_code));
    const auto code = static_cast<uint8_t>(config.frame_duration_code);
    if (numerology->frame_symbols(code) > phy::kMaxFrameSymbols)
        refuse(phy::frame_symbols_fault(numerology->frame_symbols(code)));
    if (config.deadline_lead_us < 0 || config.tick_lead_us < config.deadline_lead_us || config.tick_lead_us > 1'000'000)
        refuse({"tick_lead_us", std::to_string(config.tick_lead_us), "deadline_lead_us..1000000"});
    if (config.first_frame_number > phy::FrameNumber::kLast)
        refuse(phy::out_of_range("first_frame_number", config.first_frame_number, 0, phy::FrameNumber::kLast));
    if (config.display_interval_frames < 1 || config.display_interval_frames > kMostDisplayInterval)
        refuse(phy::out_of_range("display_interval_frames", config.display_interval_frames, 1, kMostDisplayInterval));
    return gnuradio::make_block_sptr<ReceiverBlock<bs_receiver, BsReceiverCore>>(
        "wimax_bs_receiver", config.display_interval_frames, config.reports, config.signal, config, *numerology,
        std::move(radio));
}

}  // namespace gr::wimax
