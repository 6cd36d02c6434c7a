// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/air_model.h"
#include "sim/ofdm256/block_errors.h"
#include "sim/ofdm256/error_model.h"

#include "mac/air/ofdm256/frame_layout.h"
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/symbol_grid.h"

#include <gnuradio/wimax/phy/frame/frame_composer.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace wimax::sim {
namespace {

/// The frame prefix is one symbol of BPSK 1/2.
constexpr uint8_t kPrefixRate = 0;
/// A preamble is found with half its symbols wrong, as those of BPSK 1/2 are: below that nothing is.
constexpr double kPreambleError = 0.5;

class Ofdm256Air final : public AirModel {
public:
    explicit Ofdm256Air(const mac::FrameLayout& layout) : layout_(layout), timing_(layout.timing()) {}

    const mac::FrameTiming& timing() const override { return timing_; }
    uint32_t frame_units() const override { return layout_.frame_symbols; }
    void describe(sap::FrameTick& tick) const override {
        tick.sample_rate_hz = static_cast<uint32_t>(timing_.sample_rate_hz);
        tick.frame_samples = static_cast<uint32_t>(timing_.frame_samples);
        tick.cp_denominator = static_cast<uint8_t>(layout_.numerology.cp);
    }
    phy::Slot end_of(phy::Slot start, const phy::BurstFormat& format) const override {
        return start.after(format.total_symbols(), layout_.symbol_slots);
    }

    size_t octets(const phy::BurstFormat& format) const override {
        return mac::octets_on(format.subchannel_index, mac::profile_of(format),
                              static_cast<uint32_t>(format.data_symbols));
    }
    bool share_carriers(const phy::BurstFormat& a, const phy::BurstFormat& b) const override {
        return mac::share_carriers(a.subchannel_index, b.subchannel_index);
    }
    double power_gain_db(const sap::TxFrame& tx) const override {
        uint32_t most = tx.codes.empty() ? 0 : 1;  // a code has fewer carriers than a subchannel
        for (const auto& burst : tx.bursts)
            most = std::max(most, mac::subchannels_in(static_cast<uint8_t>(burst.format.subchannel_index)));
        return mac::density_gain_db(most);
    }
    double block_error(uint8_t rate_id, Direction direction, double snr_db) const override {
        return errors_.block_error(rate_id, direction, snr_db);
    }
    int decode(sap::RxBurst& burst, double error, Random& random) const override {
        return decode_blocks(burst, error, random);
    }
    void spoil(sap::RxBurst& burst, Random& random) const override { sim::spoil(burst, random); }
    double start_error(double snr_db) const override { return block_error(kPrefixRate, Direction::downlink, snr_db); }

    void announce(const sap::TxFrame& tx, std::span<sap::RxBurst> received) override {
        downlink_.begin({0, tx.frame_number.lsb(), static_cast<uint8_t>(tx.dcd_count & 0xF)});
        for (const auto& burst : tx.bursts)
            downlink_.add(burst.format, burst.start_slot.symbol(layout_.symbol_slots), {});
        if (received.empty()) return;
        prefix_ = downlink_.prefix();
        announced_.reset();
        for (auto& burst : received) burst.prefix = prefix_;
    }
    bool finds(const sap::TxBurst& burst, const sap::ProfilesRequest& profiles, const sap::RxExpect& expect) override {
        const auto same = [&](const phy::BurstFormat& f) {
            return f.rate_id == burst.format.rate_id && f.data_symbols == burst.format.data_symbols;
        };
        const auto& announced = announced_to(profiles.diuc_rates);
        const int symbol = burst.start_slot.symbol(layout_.symbol_slots);
        for (int i = 0; i < announced.count; ++i) {
            const auto& item = announced.items[static_cast<size_t>(i)];
            if (!item.zone && item.burst.start_symbol == symbol && same(item.burst.format)) return true;
        }
        return std::ranges::any_of(expect.allocations, [&](const auto& a) {
            return a.start_slot == burst.start_slot && a.format.iuc == burst.format.iuc && same(a.format);
        });
    }

    bool detects(const Arrival& arrival, const sap::RxAllocation& a) const override {
        const int cp = layout_.numerology.cp_samples();
        const int latest =
            a.kind == sap::BurstKind::ranging ? static_cast<int>(phy::samples_in_slots(a.search_slots)) : cp / 2;
        const bool in_window = arrival.late_samples >= -cp / 2 && arrival.late_samples <= latest;
        const bool in_tune = std::abs(arrival.frequency_hz) < layout_.numerology.carrier_spacing_hz() / 2;
        return in_window && in_tune && block_error(kPrefixRate, Direction::uplink, arrival.sinr_db) < kPreambleError;
    }
    bool as_expected(const phy::BurstFormat& sent, const phy::BurstFormat& expected) const override {
        return sent.iuc == expected.iuc && sent.rate_id == expected.rate_id &&
               sent.data_symbols == expected.data_symbols && sent.frame_lsb == expected.frame_lsb &&
               sent.preamble == expected.preamble && sent.subchannel_index == expected.subchannel_index;
    }
    void receive_codes(std::span<const CodeArrival> codes, sap::RxContention& contention,
                       CellContentionCounters& counters) const override;

private:
    /// What the frame's prefix announces. Most stations know the same profiles.
    const phy::PrefixContent& announced_to(const phy::DiucRates& rates) {
        if (!announced_ || announced_->rates != rates) announced_ = {rates, phy::read_prefix(prefix_, rates)};
        return announced_->content;
    }
    struct Announced {
        phy::DiucRates rates;
        phy::PrefixContent content;
    };

    const ErrorModel& errors_ = ErrorModel::white_noise();
    const mac::FrameLayout layout_;
    const mac::FrameTiming timing_;
    phy::FrameComposer downlink_;
    phy::FramePrefix prefix_;
    std::optional<Announced> announced_;  ///< for the station that was asked about last
};

/// One code on each channel of focused contention; two codes on one are none.
void Ofdm256Air::receive_codes(std::span<const CodeArrival> codes, sap::RxContention& contention,
                               CellContentionCounters& counters) const {
    for (const auto& c : codes) {
        if (c.code.start_slot != contention.start_slot) continue;
        const auto others = [&](auto&& differs) {
            return std::any_of(codes.begin(), codes.end(), [&](const CodeArrival& other) {
                return &other != &c && other.code.start_slot == contention.start_slot &&
                       other.code.what.channel == c.code.what.channel && differs(other);
            });
        };
        const bool alone = !others([](const CodeArrival&) { return true; });
        ++counters.attempts;
        counters.collisions += !alone;
        counters.collided += !alone;
        const bool another_code = others([&](const CodeArrival& o) { return o.code.what.code != c.code.what.code; });
        const bool heard_already = std::any_of(contention.codes.begin(), contention.codes.end(),
                                               [&](const auto& h) { return h.what.channel == c.code.what.channel; });
        if (another_code || heard_already) continue;
        contention.codes.push_back({c.code.what, 20, static_cast<float>(c.rssi_dbm), 1});
        counters.successes += alone;
    }
}

}  // namespace

std::unique_ptr<AirModel> make_air_model(const mac::BaseStationConfig& config) {
    return std::make_unique<Ofdm256Air>(*mac::FrameLayout::make(config));
}

}  // namespace wimax::sim
