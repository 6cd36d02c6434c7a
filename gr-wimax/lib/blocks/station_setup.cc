// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/station_setup.h"

#include "blocks/refuse.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>

#include <string>

namespace gr::wimax {

SubscriberSetup subscriber_setup(const ss_receiver::Config& config) {
    const auto numerology = phy::Numerology::make(config.bandwidth_hz, phy::CyclicPrefix::g1_8);
    if (!numerology) refuse(phy::bandwidth_fault(config.bandwidth_hz));
    phy::DownlinkReceiverConfig receiver;
    receiver.bandwidth_hz = config.bandwidth_hz;
    receiver.detector = config.detector;
    receiver.transformer = config.transformer;
    if (config.cp_denominator != 0) {
        receiver.cp = phy::parse_cyclic_prefix("1/" + std::to_string(config.cp_denominator));
        if (!receiver.cp) refuse(phy::cyclic_prefix_fault(config.cp_denominator, true));
    }
    if (config.turnaround_us < config.deadline_lead_us || config.deadline_lead_us < 0 ||
        config.turnaround_us > 1'000'000)
        refuse({"turnaround_us", std::to_string(config.turnaround_us), "deadline_lead_us..1000000"});
    if (config.response_us < 0 || config.response_us > 1'000'000)
        refuse(phy::out_of_range("response_us", config.response_us, 0, 1'000'000));
    return {receiver, numerology->sample_rate_hz};
}

void check_transmitter(int64_t bandwidth_hz, const phy::TransmitShape& shape) {
    if (!phy::Numerology::make(bandwidth_hz, phy::CyclicPrefix::g1_8)) refuse(phy::bandwidth_fault(bandwidth_hz));
    if (shape.window_samples < 0 || shape.window_samples > phy::kMaxWindowSamples)
        refuse(phy::out_of_range("window_samples", shape.window_samples, 0, phy::kMaxWindowSamples));
    if (shape.target_papr_db &&
        !(*shape.target_papr_db >= phy::kMinTargetPaprDb && *shape.target_papr_db <= phy::kMaxTargetPaprDb))
        refuse({"target_papr_db", std::to_string(*shape.target_papr_db), "4..13"});
}

}  // namespace gr::wimax
