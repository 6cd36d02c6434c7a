/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/io_signature.h>
#include <gnuradio/wimax/downlink_source.h>
#include <gnuradio/wimax/phy/modulator.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace gr::wimax {
namespace {

constexpr int kPrefixSymbols = 3;  // long preamble and FCH
constexpr size_t kMostBursts = 4;  // that a frame prefix announces

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
        phy::FramePrefix prefix;
        prefix.bsid_lsb = config_.bsid & 0xF;
        prefix.frame_lsb = number_ & 0xF;
        int symbol = kPrefixSymbols;
        for (const auto& b : config_.bursts) {
            auto& burst = bursts_[static_cast<size_t>(prefix.entry_count)];
            burst.first = prefix.entry_count == 0;
            burst.start_symbol = symbol;
            burst.payload = config_.payload;
            burst.format.rate_id = static_cast<uint8_t>(b.rate_id);
            burst.format.iuc = static_cast<uint8_t>(burst.first ? 0 : b.rate_id + 1);
            burst.format.bsid_lsb = prefix.bsid_lsb;
            burst.format.frame_lsb = prefix.frame_lsb;
            burst.format.data_symbols = b.data_symbols;
            // Entry 1 says the rate itself, the others a DIUC.
            prefix.entries[static_cast<size_t>(prefix.entry_count++)] = {
                burst.first ? burst.format.rate_id : burst.format.iuc, false, static_cast<uint16_t>(b.data_symbols)};
            symbol += b.data_symbols;
        }
        const size_t n = modulator_.downlink(prefix, {bursts_.data(), config_.bursts.size()}, frame_);
        std::fill(frame_.begin() + static_cast<std::ptrdiff_t>(n), frame_.end(), gr_complex{});
        ++number_;
        position_ = 0;
    }

    const Config config_;
    phy::Modulator modulator_;
    std::array<phy::DownlinkBurst, kMostBursts> bursts_{};
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
    if (config.frame_duration_code < 0 || config.frame_duration_code > 6)
        refuse("frame_duration_code: " + std::to_string(config.frame_duration_code) + ", allowed 0 .. 6");
    if (config.bursts.empty() || config.bursts.size() > kMostBursts)
        refuse("bursts: " + std::to_string(config.bursts.size()) + ", allowed 1 .. 4 in a frame");
    int left = numerology->frame_symbols(static_cast<uint8_t>(config.frame_duration_code)) - kPrefixSymbols;
    for (const auto& b : config.bursts) {
        if (b.rate_id < 0 || b.rate_id >= phy::kRates)
            refuse("rate_id: " + std::to_string(b.rate_id) + ", allowed 0 .. 6");
        if (b.data_symbols < 1 || b.data_symbols > left)
            refuse("data_symbols: " + std::to_string(b.data_symbols) + ", allowed 1 .. " + std::to_string(left) +
                   " (what is left of the frame)");
        left -= b.data_symbols;
        const int capacity = phy::burst_capacity_bytes(b.rate_id, b.data_symbols);
        if (config.payload.size() > static_cast<size_t>(capacity))
            refuse("payload: " + std::to_string(config.payload.size()) + " octets, allowed at most " +
                   std::to_string(capacity) + " in a burst of rate_id " + std::to_string(b.rate_id) + " and " +
                   std::to_string(b.data_symbols) + " data symbols");
    }
    return gnuradio::make_block_sptr<downlink_source_impl>(config, *numerology);
}

}  // namespace gr::wimax
