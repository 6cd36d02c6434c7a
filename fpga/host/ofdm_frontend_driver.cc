// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/host/ofdm_frontend_driver.h"

#include "fpga/model/axis_word.h"
#include "fpga/model/ofdm_frontend_registers.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>

#include <array>
#include <cmath>
#include <utility>

namespace wimax::fpga {
namespace {

namespace phy = gr::wimax::phy;
using namespace ofdm_frontend;

constexpr double kTurn = 0x1p32;
constexpr int kMostSymbols = 2048;
constexpr size_t kCarriers = 2 * phy::kEdgeCarrier, kPacketWords = kCarriers + 1;

class Driver final : public phy::SymbolTransformer {
public:
    explicit Driver(gr::wimax::RadioCorePtr core) : core_(std::move(core)) {}

    std::optional<double> order(const phy::SymbolOrder& o) override {
        if (o.symbols < 1 || o.symbols > kMostSymbols || o.first_window < o.cp_samples) return std::nullopt;
        const auto increment = static_cast<int32_t>(std::llround(o.cycles_per_sample * kTurn));
        const Order order{.time = static_cast<uint64_t>(o.first_window - o.cp_samples),
                          .increment = increment,
                          .symbols = static_cast<uint16_t>(o.symbols),
                          .prefix_samples = static_cast<uint16_t>(o.cp_samples),
                          .tag = o.tag};
        const auto word = order.word();
        const auto half = [](uint64_t bits, int shift) { return static_cast<uint32_t>(bits >> shift); };
        const std::array words{half(word.low, 0), half(word.low, 32), half(word.high, 0), half(word.high, 32)};
        if (!core_->order(words)) return std::nullopt;
        return increment / kTurn;
    }

    /// The core could not fill it: it is missing.
    bool take(phy::TransformedSymbol& symbol) override {
        for (;;) {
            const auto packet = core_->take(words_);
            if (packet.words == 0) return false;
            const Header header = Header::of(words_[0]);
            if (packet.words != kPacketWords || header.lost || !packet.has_time) continue;
            symbol.tag = header.tag;
            symbol.number = header.symbol;
            symbol.window = packet.time;
            // float_sample() scales integers by full scale; the packet's scale includes that already.
            const float scale = bin_scale(header.exponent) * 32768 * phy::kDemodulateScale;
            for (size_t i = 0; i < kCarriers; ++i)
                symbol.carriers[i < phy::kEdgeCarrier ? i : i + 1] = float_sample(unpack(words_[i + 1])) * scale;
            symbol.carriers[phy::kEdgeCarrier] = {};
            return true;
        }
    }

private:
    const gr::wimax::RadioCorePtr core_;
    std::array<uint32_t, kPacketWords> words_{};
};

}  // namespace

std::shared_ptr<phy::SymbolTransformer> make_ofdm_frontend(gr::wimax::RadioCorePtr core) {
    if (core->peek(kRegisterId) != kId || core->peek(kRegisterVersion) != kVersion) return nullptr;
    core->poke(kRegisterControl, kControlRestart | kControlForget);
    return std::make_shared<Driver>(std::move(core));
}

}  // namespace wimax::fpga
