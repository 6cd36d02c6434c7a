// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/io_signature.h>
#include <gnuradio/wimax/downlink_source.h>
#include <gnuradio/wimax/phy/base/channel_faults.h>
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/frame/frame_composer.h>
#include "blocks/refuse.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace gr::wimax {
namespace {

class downlink_source_impl final : public downlink_source {
public:
    downlink_source_impl(const Config& config, const phy::Numerology& numerology)
        : gr::sync_block("wimax_downlink_source", io_signature::make(0, 0, 0),
                         io_signature::make(antennas(config), antennas(config), sizeof(gr_complex))),
          config_(config),
          modulator_(numerology),
          frame_(static_cast<size_t>(antennas(config))) {
        for (auto& samples : frame_)
            samples.resize(
                static_cast<size_t>(numerology.frame_samples(static_cast<uint8_t>(config.frame_duration_code))));
        if (frame_.size() > 1) stc_.emplace(numerology);
        position_ = frame_[0].size();
    }

    int work(int noutput_items, gr_vector_const_void_star&, gr_vector_void_star& output_items) override {
        if (position_ == frame_[0].size()) next_frame();
        const size_t n = std::min(static_cast<size_t>(noutput_items), frame_[0].size() - position_);
        for (size_t antenna = 0; antenna < frame_.size(); ++antenna)
            std::copy_n(frame_[antenna].begin() + static_cast<std::ptrdiff_t>(position_), n,
                        static_cast<gr_complex*>(output_items[antenna]));
        position_ += n;
        return static_cast<int>(n);
    }

private:
    static int antennas(const Config& config) { return config.stc_bursts.empty() ? 1 : phy::kStcAntennas; }

    void next_frame() {
        compose();
        for (auto& samples : frame_) std::fill(samples.begin(), samples.end(), gr_complex{});
        std::span<gr_complex> second;
        if (stc_)
            second = std::span(frame_[1]).subspan(
                static_cast<size_t>(downlink_.zone_start() * modulator_.numerology().symbol_samples()));
        phy::modulate(downlink_, modulator_, stc_ ? &*stc_ : nullptr, frame_[0], second);
        number_ = number_ + 1;
        position_ = 0;
    }

    void compose() {
        phy::BurstFormat format;
        format.bsid_lsb = config_.bsid & 0xF;
        format.frame_lsb = number_.lsb();
        downlink_.begin({format.bsid_lsb, format.frame_lsb, 0});
        const auto append = [&](const std::vector<Burst>& bursts, bool stc) {
            format.stc = stc;
            for (size_t i = 0; i < bursts.size(); ++i) {
                format.rate_id = static_cast<uint8_t>(bursts[i].rate_id);
                format.iuc = static_cast<uint8_t>(i == 0 ? 0 : bursts[i].rate_id + 1);
                format.data_symbols = bursts[i].data_symbols;
                downlink_.append(format, config_.payload);
            }
        };
        append(config_.bursts, false);
        append(config_.stc_bursts, true);
    }

    const Config config_;
    phy::Modulator modulator_;
    std::optional<phy::StcModulator> stc_;
    phy::FrameComposer downlink_;
    std::vector<std::vector<gr_complex>> frame_;  ///< of each antenna
    size_t position_ = 0;
    phy::FrameNumber number_;
};

/// Throws unless the bursts fit in the `left` symbols, which it takes from.
void check_bursts(const std::vector<downlink_source::Burst>& bursts, size_t payload_bytes, int& left) {
    for (const auto& b : bursts) {
        if (b.rate_id < 0 || b.rate_id >= phy::kRates)
            refuse(phy::out_of_range("rate_id", b.rate_id, 0, phy::kRates - 1));
        if (b.data_symbols < 1 || b.data_symbols > left)
            refuse({"data_symbols", std::to_string(b.data_symbols),
                    "1.." + std::to_string(left) + " (what is left of the frame)"});
        left -= b.data_symbols;
        const int capacity = phy::burst_capacity_bytes(b.rate_id, b.data_symbols);
        if (payload_bytes > static_cast<size_t>(capacity))
            refuse({"payload", std::to_string(payload_bytes) + " octets",
                    "at most " + std::to_string(capacity) + " in a burst of rate_id " + std::to_string(b.rate_id) +
                        " and " + std::to_string(b.data_symbols) + " data symbols"});
    }
}

}  // namespace

downlink_source::sptr downlink_source::make(const Config& config) {
    const auto cp = phy::parse_cyclic_prefix("1/" + std::to_string(config.cp_denominator));
    if (!cp) refuse(phy::cyclic_prefix_fault(config.cp_denominator));
    const auto numerology = phy::Numerology::make(config.bandwidth_hz, *cp);
    if (!numerology) refuse(phy::bandwidth_fault(config.bandwidth_hz));
    if (config.frame_duration_code < 0 || config.frame_duration_code > 6)
        refuse(phy::frame_duration_fault(config.frame_duration_code));
    const bool zone = !config.stc_bursts.empty();
    const size_t most = zone ? phy::kPrefixEntries - 1 : phy::kPrefixEntries;
    if (config.bursts.empty() || config.bursts.size() > most)
        refuse({"bursts", std::to_string(config.bursts.size()),
                "1.." + std::to_string(most) + " in a frame" + (zone ? " with an STC zone" : "")});
    if (config.stc_bursts.size() > phy::kPrefixEntries)
        refuse({"stc_bursts", std::to_string(config.stc_bursts.size()), "up to 4"});
    for (const auto& b : config.stc_bursts)
        if (b.data_symbols % 2 != 0)
            refuse({"stc_bursts", std::to_string(b.data_symbols) + " data symbols", "even numbers"});
    int left = numerology->frame_symbols(static_cast<uint8_t>(config.frame_duration_code)) - phy::kFirstBurstSymbol;
    check_bursts(config.bursts, config.payload.size(), left);
    left -= zone ? phy::kStcFirstBurstSymbol : 0;
    check_bursts(config.stc_bursts, config.payload.size(), left);
    return gnuradio::make_block_sptr<downlink_source_impl>(config, *numerology);
}

}  // namespace gr::wimax
