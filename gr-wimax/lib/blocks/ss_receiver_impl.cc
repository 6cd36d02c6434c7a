// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/receiver_block.h"
#include "blocks/refuse.h"
#include "blocks/ss_receiver_core.h"
#include "blocks/station_setup.h"

namespace gr::wimax {

ss_receiver::sptr ss_receiver::make(const Config& config, TransmitPathPtr radio) {
    const auto setup = subscriber_setup(config);
    if (config.display_interval_frames < 1 || config.display_interval_frames > kMostDisplayInterval)
        refuse(phy::out_of_range("display_interval_frames", config.display_interval_frames, 1, kMostDisplayInterval));
    return gnuradio::make_block_sptr<ReceiverBlock<ss_receiver, SsReceiverCore>>(
        "wimax_ss_receiver", config.display_interval_frames, config.reports, config.signal, config, setup.receiver,
        setup.sample_rate_hz, std::move(radio));
}

}  // namespace gr::wimax
