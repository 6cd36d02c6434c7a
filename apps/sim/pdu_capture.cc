// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/pdu_capture.h"

namespace wimax::sim {

PduCapture::PduCapture(cli::ResultFile& file, const CellConfig& config, const mac::FrameTiming& timing)
    : file_(file), encoder_(macd::address_of(config.bs.bsid)) {
    encoder_.set_sample_rate(timing.sample_rate_hz);
    encoder_.set_basic_cids(static_cast<uint16_t>(config.bs.basic_cids));
    write(macd::pcap_header());
}

void PduCapture::on_pdu(const mac::TappedBurst& burst, size_t offset, Octets octets, mac::TappedOctets what) {
    write(encoder_.encode(burst, offset, octets, what));
}

void PduCapture::write(Octets octets) {
    if (written_) written_ = file_.add({octets.begin(), octets.end()});
}

}  // namespace wimax::sim
