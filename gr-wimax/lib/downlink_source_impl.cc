/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/io_signature.h>
#include <gnuradio/wimax/downlink_source.h>
#include <gnuradio/wimax/phy/modulator.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gr::wimax {
namespace {

constexpr int kPrefixSymbols = 3;  // long preamble and FCH

class downlink_source_impl final : public downlink_source {
public:
    downlink_source_impl(const Config& config, const phy::Numerology& numerology)
        : gr::sync_block("wimax_downlink_source", io_signature::make(0, 0, 0),
                         io_signature::make(1, 1, sizeof(gr_complex))),
          config_(config),
          modulator_(numerology),
          frame_(static_cast<size_t>(numerology.frame_samples(static_cast<uint8_t>(config.frame_duration_code)))) {
        position_ = frame_.size();
    }

    int work(int noutput_items, gr_vector_const_void_star&, gr_vector_void_star& output_items) override {
        if (position_ == frame_.size()) next_frame();
        const size_t n = std::min(static_cast<size_t>(noutput_items), frame_.size() - position_);
        std::copy_n(frame_.begin() + static_cast<std::ptrdiff_t>(position_), n,
                    static_cast<gr_complex*>(output_items[0]));
        position_ += n;
        return static_cast<int>(n);
    }

private:
    void next_frame() {
        phy::DownlinkBurst burst;
        burst.format.rate_id = static_cast<uint8_t>(config_.rate_id);
        burst.format.bsid_lsb = config_.bsid & 0xF;
        burst.format.frame_lsb = number_ & 0xF;
        burst.format.data_symbols = config_.data_symbols;
        burst.start_symbol = kPrefixSymbols;
        burst.first = true;
        burst.payload = config_.payload;
        phy::FramePrefix prefix;
        prefix.bsid_lsb = burst.format.bsid_lsb;
        prefix.frame_lsb = burst.format.frame_lsb;
        prefix.entries[0] = {burst.format.rate_id, false, static_cast<uint16_t>(config_.data_symbols)};
        prefix.entry_count = 1;
        const size_t n = modulator_.downlink(prefix, {&burst, 1}, frame_);
        std::fill(frame_.begin() + static_cast<std::ptrdiff_t>(n), frame_.end(), gr_complex{});
        ++number_;
        position_ = 0;
    }

    const Config config_;
    phy::Modulator modulator_;
    std::vector<gr_complex> frame_;
    size_t position_;
    uint32_t number_ = 0;
};

}  // namespace

downlink_source::sptr downlink_source::make(const Config& config) {
    const auto refuse = [](const std::string& text) { throw std::invalid_argument(text); };
    const auto cp = phy::parse_cyclic_prefix("1/" + std::to_string(config.cp_denominator));
    if (!cp) refuse("cp_denominator: " + std::to_string(config.cp_denominator) + ", allowed 4, 8, 16, 32");
    const auto numerology = phy::Numerology::make(config.bandwidth_hz, *cp);
    if (!numerology) refuse("bandwidth_hz: " + std::to_string(config.bandwidth_hz) + ", allowed 1250000 .. 28000000");
    if (config.frame_duration_code < 0 || config.frame_duration_code > 6) refuse("frame_duration_code: allowed 0 .. 6");
    if (config.rate_id < 0 || config.rate_id >= phy::kRates) refuse("rate_id: allowed 0 .. 6");
    const int most = numerology->frame_symbols(static_cast<uint8_t>(config.frame_duration_code)) - kPrefixSymbols;
    if (config.data_symbols < 1 || config.data_symbols > most)
        refuse("data_symbols: " + std::to_string(config.data_symbols) + ", allowed 1 .. " + std::to_string(most));
    const int capacity = phy::burst_capacity_bytes(config.rate_id, config.data_symbols);
    if (config.payload.size() > static_cast<size_t>(capacity))
        refuse("payload: " + std::to_string(config.payload.size()) + " bytes, allowed at most " +
               std::to_string(capacity));
    return gnuradio::make_block_sptr<downlink_source_impl>(config, *numerology);
}

}  // namespace gr::wimax
