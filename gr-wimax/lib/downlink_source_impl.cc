/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/io_signature.h>
#include <gnuradio/wimax/downlink_source.h>
#include <gnuradio/wimax/phy/modulator.h>
#include <gnuradio/wimax/phy/stc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace gr::wimax {
namespace {

constexpr int kPrefixSymbols = 3;  // long preamble and FCH
constexpr size_t kMostBursts = 4;  // that a frame prefix announces

/// Bursts one behind the other from a symbol on, and the prefix that announces them.
class BurstRow {
public:
    BurstRow(const std::vector<downlink_source::Burst>& bursts, std::span<const uint8_t> payload, int start, bool stc) {
        for (const auto& b : bursts) {
            auto& burst = bursts_[static_cast<size_t>(prefix_.entry_count)];
            burst.first = prefix_.entry_count == 0;
            burst.start_symbol = start;
            burst.payload = payload;
            burst.format.stc = stc;
            burst.format.rate_id = static_cast<uint8_t>(b.rate_id);
            burst.format.iuc = static_cast<uint8_t>(burst.first ? 0 : b.rate_id + 1);
            burst.format.data_symbols = b.data_symbols;
            // Entry 1 says the rate itself, the others a DIUC.
            prefix_.entries[static_cast<size_t>(prefix_.entry_count++)] = {
                burst.first ? burst.format.rate_id : burst.format.iuc, false, static_cast<uint16_t>(b.data_symbols)};
            start += b.data_symbols;
        }
        end_ = start;
    }
    void announce_zone(int start) {
        prefix_.entries[static_cast<size_t>(prefix_.entry_count++)] = phy::stc_zone_entry(start);
        ++zones_;
    }
    void number(uint8_t bsid_lsb, uint8_t frame_lsb) {
        prefix_.bsid_lsb = bsid_lsb;
        prefix_.frame_lsb = frame_lsb;
        for (auto& burst : bursts_) {
            burst.format.bsid_lsb = bsid_lsb;
            burst.format.frame_lsb = frame_lsb;
        }
    }
    const phy::FramePrefix& prefix() const { return prefix_; }
    std::span<const phy::DownlinkBurst> bursts() const {
        return {bursts_.data(), static_cast<size_t>(prefix_.entry_count - zones_)};
    }
    int end() const { return end_; }

private:
    phy::FramePrefix prefix_;
    std::array<phy::DownlinkBurst, kMostBursts> bursts_{};
    int end_ = 0, zones_ = 0;
};

class downlink_source_impl final : public downlink_source {
public:
    downlink_source_impl(const Config& config, const phy::Numerology& numerology)
        : gr::sync_block("wimax_downlink_source", io_signature::make(0, 0, 0),
                         io_signature::make(antennas(config), antennas(config), sizeof(gr_complex))),
          bsid_lsb_(config.bsid & 0xF),
          payload_(config.payload),
          modulator_(numerology),
          row_(config.bursts, payload_, kPrefixSymbols, false),
          zone_(config.stc_bursts, payload_, row_.end() + phy::kStcFirstBurstSymbol, true),
          zone_start_(static_cast<size_t>(row_.end() * numerology.symbol_samples())),
          frame_(static_cast<size_t>(antennas(config))) {
        for (auto& samples : frame_)
            samples.resize(
                static_cast<size_t>(numerology.frame_samples(static_cast<uint8_t>(config.frame_duration_code))));
        if (frame_.size() > 1) {
            stc_.emplace(numerology);
            row_.announce_zone(row_.end());
        }
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
        row_.number(bsid_lsb_, number_ & 0xF);
        for (auto& samples : frame_) std::fill(samples.begin(), samples.end(), gr_complex{});
        modulator_.downlink(row_.prefix(), row_.bursts(), frame_[0]);
        if (stc_) {
            zone_.number(bsid_lsb_, number_ & 0xF);
            const auto part = [this](size_t antenna) { return std::span(frame_[antenna]).subspan(zone_start_); };
            stc_->zone({row_.end(), zone_.prefix(), zone_.bursts()}, part(0), part(1));
        }
        ++number_;
        position_ = 0;
    }

    const uint8_t bsid_lsb_;
    const std::vector<uint8_t> payload_;
    phy::Modulator modulator_;
    std::optional<phy::StcModulator> stc_;
    BurstRow row_, zone_;
    const size_t zone_start_;                     ///< sample
    std::vector<std::vector<gr_complex>> frame_;  ///< of each antenna
    size_t position_ = 0;
    uint32_t number_ = 0;
};

/// Throws unless the bursts fit in the `left` symbols, which it takes from.
void check_bursts(const std::vector<downlink_source::Burst>& bursts, size_t payload_bytes, int& left) {
    const auto refuse = [](const std::string& text) { throw std::invalid_argument(text); };
    for (const auto& b : bursts) {
        if (b.rate_id < 0 || b.rate_id >= phy::kRates)
            refuse("rate_id: " + std::to_string(b.rate_id) + ", allowed 0 .. 6");
        if (b.data_symbols < 1 || b.data_symbols > left)
            refuse("data_symbols: " + std::to_string(b.data_symbols) + ", allowed 1 .. " + std::to_string(left) +
                   " (what is left of the frame)");
        left -= b.data_symbols;
        const int capacity = phy::burst_capacity_bytes(b.rate_id, b.data_symbols);
        if (payload_bytes > static_cast<size_t>(capacity))
            refuse("payload: " + std::to_string(payload_bytes) + " octets, allowed at most " +
                   std::to_string(capacity) + " in a burst of rate_id " + std::to_string(b.rate_id) + " and " +
                   std::to_string(b.data_symbols) + " data symbols");
    }
}

}  // namespace

downlink_source::sptr downlink_source::make(const Config& config) {
    const auto refuse = [](const std::string& text) { throw std::invalid_argument(text); };
    const auto cp = phy::parse_cyclic_prefix("1/" + std::to_string(config.cp_denominator));
    if (!cp) refuse("cp_denominator: " + std::to_string(config.cp_denominator) + ", allowed 4, 8, 16, 32");
    const auto numerology = phy::Numerology::make(config.bandwidth_hz, *cp);
    if (!numerology) refuse("bandwidth_hz: " + std::to_string(config.bandwidth_hz) + ", allowed 1250000 .. 28000000");
    if (config.frame_duration_code < 0 || config.frame_duration_code > 6)
        refuse("frame_duration_code: " + std::to_string(config.frame_duration_code) + ", allowed 0 .. 6");
    const bool zone = !config.stc_bursts.empty();
    const size_t most = zone ? kMostBursts - 1 : kMostBursts;
    if (config.bursts.empty() || config.bursts.size() > most)
        refuse("bursts: " + std::to_string(config.bursts.size()) + ", allowed 1 .. " + std::to_string(most) +
               " in a frame" + (zone ? " with an STC zone" : ""));
    if (config.stc_bursts.size() > kMostBursts)
        refuse("stc_bursts: " + std::to_string(config.stc_bursts.size()) + ", allowed up to 4");
    for (const auto& b : config.stc_bursts)
        if (b.data_symbols % 2 != 0)
            refuse("stc_bursts: " + std::to_string(b.data_symbols) + " data symbols, allowed even numbers");
    int left = numerology->frame_symbols(static_cast<uint8_t>(config.frame_duration_code)) - kPrefixSymbols;
    check_bursts(config.bursts, config.payload.size(), left);
    left -= zone ? phy::kStcFirstBurstSymbol : 0;
    check_bursts(config.stc_bursts, config.payload.size(), left);
    return gnuradio::make_block_sptr<downlink_source_impl>(config, *numerology);
}

}  // namespace gr::wimax
