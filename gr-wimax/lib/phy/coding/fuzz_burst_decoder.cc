// SPDX-License-Identifier: GPL-3.0-or-later
// Any soft bits in any format: the decoder must end with exactly the burst's capacity of payload.
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <cstdlib>

using namespace gr::wimax::phy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t kHeader = 6;
    if (size <= kHeader) return 0;
    static BurstDecoder decoder(64);
    BurstFormat format;
    format.rate_id = data[0] & 7;
    format.data_symbols = data[1] & 127;
    format.subchannel_index = data[2] & 63;
    format.iuc = data[3];
    format.frame_lsb = data[4];
    const bool valid = valid_burst_format(format) && format.data_symbols <= 64;
    if (decoder.start(format, burst_randomizer(format, (data[5] & 1) != 0)) != valid) std::abort();
    if (!valid) return 0;
    std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
    const std::span source(data + kHeader, size - kHeader);
    size_t at = 0;
    for (int symbol = 0; symbol < format.data_symbols; ++symbol) {
        for (auto& s : soft) s = static_cast<SoftBit>(source[at++ % source.size()]);
        if (decoder.feed(soft) != (symbol + 1 == format.data_symbols)) std::abort();
    }
    if (decoder.payload().size() != static_cast<size_t>(burst_payload_bytes(format))) std::abort();
    if (decoder.fec_ok() != (decoder.failed_blocks() == 0) || decoder.failed_blocks() > format.data_symbols)
        std::abort();
    return 0;
}
