// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/air_model.h"

#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/symbol_grid.h"

#include <gnuradio/wimax/phy/frame/frame_composer.h>

#include <algorithm>

namespace wimax::sim {
namespace {

/// The frame prefix is one symbol of BPSK 1/2.
constexpr uint8_t kPrefixRate = 0;

class Ofdm256Air final : public AirModel {
public:
    explicit Ofdm256Air(uint32_t symbol_slots) : symbol_slots_(symbol_slots) {}

    size_t octets(const phy::BurstFormat& format) const override {
        return mac::octets_on(format.subchannel_index, mac::profile_of(format),
                              static_cast<uint32_t>(format.data_symbols));
    }
    bool share_carriers(const phy::BurstFormat& a, const phy::BurstFormat& b) const override {
        return mac::share_carriers(a.subchannel_index, b.subchannel_index);
    }
    double power_gain_db(const sap::TxFrame& tx) const override {
        uint32_t most = tx.codes.empty() ? 0 : phy::kFullSubchannel;
        for (const auto& burst : tx.bursts)
            most = std::max(most, mac::subchannels_in(static_cast<uint8_t>(burst.format.subchannel_index)));
        return mac::density_gain_db(most);
    }
    double block_error(uint8_t rate_id, Direction direction, double snr_db) const override {
        return errors_.block_error(rate_id, direction, snr_db);
    }
    double start_error(double snr_db) const override { return block_error(kPrefixRate, Direction::downlink, snr_db); }

    void announce(const sap::TxFrame& tx, std::span<sap::RxBurst> received) override {
        downlink_.begin({0, tx.frame_number.lsb(), static_cast<uint8_t>(tx.dcd_count & 0xF)});
        for (const auto& burst : tx.bursts) downlink_.add(burst.format, burst.start_slot.symbol(symbol_slots_), {});
        if (received.empty()) return;
        prefix_ = downlink_.prefix();
        for (auto& burst : received) burst.prefix = prefix_;
    }
    bool finds(const sap::TxBurst& burst, const phy::DiucRates& rates, const sap::RxExpect& expect) const override {
        const auto same = [&](const phy::BurstFormat& f) {
            return f.rate_id == burst.format.rate_id && f.data_symbols == burst.format.data_symbols;
        };
        const auto announced = phy::read_prefix(prefix_, rates);
        const int symbol = burst.start_slot.symbol(symbol_slots_);
        for (int i = 0; i < announced.count; ++i) {
            const auto& item = announced.items[static_cast<size_t>(i)];
            if (!item.zone && item.burst.start_symbol == symbol && same(item.burst.format)) return true;
        }
        return std::ranges::any_of(expect.allocations, [&](const auto& a) {
            return a.start_slot == burst.start_slot && a.format.iuc == burst.format.iuc && same(a.format);
        });
    }

private:
    const ErrorModel& errors_ = ErrorModel::white_noise();
    const uint32_t symbol_slots_;
    phy::FrameComposer downlink_;
    phy::FramePrefix prefix_;
};

}  // namespace

std::unique_ptr<AirModel> make_air_model(const mac::BaseStationConfig&, uint32_t symbol_slots) {
    return std::make_unique<Ofdm256Air>(symbol_slots);
}

}  // namespace wimax::sim
