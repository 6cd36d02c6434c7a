// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include "phy/coding/burst_code.h"

#include <algorithm>

namespace gr::wimax::phy {
namespace {

constexpr uint8_t kPadding = 0xFF;
constexpr uint8_t kTail = 0x00;
constexpr size_t kMaxSymbolBits = 6 * kDataCarriers;

constexpr std::array<const BurstCode*, kRates> kCodes = [] {
    std::array<const BurstCode*, kRates> codes{};
    codes.fill(&kRsCc);
    return codes;
}();
constexpr BurstRates kOfdmRates{kRateTable, kCodes};

const Interleaver& interleaver_of(const RateInfo& rate, const BurstFormat& format) {
    return Interleaver::get(rate.bits_per_carrier, subchannel_count(format.subchannel_index));
}

size_t symbol_bits(const RateInfo& rate, const BurstFormat& format) {
    return static_cast<size_t>(burst_carriers(format) * rate.bits_per_carrier);
}

size_t capacity_of(const RateInfo& rate, const BurstFormat& format) {
    return static_cast<size_t>(payload_bytes(rate, format, subchannel_count(format.subchannel_index)));
}

/// The coders of a table's rows: one of each code.
template <class Coder> class Coders {
public:
    Coders(const BurstRates& rates, std::unique_ptr<Coder> (*BurstCode::*make)()) {
        std::vector<const BurstCode*> known;
        for (const auto* code : rates.codes) {
            const auto at = std::ranges::find(known, code);
            of_row_.push_back(static_cast<size_t>(at - known.begin()));
            if (at != known.end()) continue;
            known.push_back(code);
            coders_.push_back((code->*make)());
        }
    }
    template <class Use> void each(Use use) {
        for (auto& coder : coders_) use(*coder);
    }
    Coder& of(const BurstFormat& format) { return *coders_[of_row_[format.rate_id]]; }

private:
    std::vector<size_t> of_row_;
    std::vector<std::unique_ptr<Coder>> coders_;
};

}  // namespace

const BurstRates& ofdm_rates() { return kOfdmRates; }

int burst_payload_bytes(const BurstFormat& format) {
    return payload_bytes(kOfdmRates.of(format), format, subchannel_count(format.subchannel_index));
}

int burst_carriers(const BurstFormat& format) { return kDataCarriers / 16 * subchannel_count(format.subchannel_index); }

int burst_symbol_bits(const BurstFormat& format) {
    return static_cast<int>(symbol_bits(kOfdmRates.of(format), format));
}

bool BurstRates::valid(const BurstFormat& format) const {
    return format.rate_id < rows.size() && format.data_symbols > 0 && format.data_symbols <= kMaxFrameSymbols &&
           valid_subchannel_index(format.subchannel_index) &&
           payload_bytes(of(format), format, subchannel_count(format.subchannel_index)) > 0;
}

bool valid_burst_format(const BurstFormat& format) { return kOfdmRates.valid(format); }

// ---- octets ----

void BurstSource::start(std::span<const uint8_t> payload, size_t capacity, Randomizer randomizer) {
    payload_ = payload;
    capacity_ = capacity;
    next_ = 0;
    randomizer_ = randomizer;
}

void BurstSource::take(std::span<uint8_t> out) {
    const size_t randomized = std::min(out.size(), capacity_ - next_);
    const size_t known = std::min(randomized, payload_.size() - std::min(payload_.size(), next_));
    if (known > 0) std::copy_n(&payload_[next_], known, out.begin());
    std::ranges::fill(out.first(randomized).subspan(known), kPadding);
    randomizer_.apply(out.first(randomized));
    std::ranges::fill(out.subspan(randomized), kTail);
    next_ += randomized;
}

void BurstSink::start(size_t capacity, Randomizer randomizer) {
    capacity_ = capacity;
    octets_ = 0;
    randomizer_ = randomizer;
}

void BurstSink::accept(std::span<const uint8_t> data) {
    const size_t count = std::min(data.size(), capacity_ - octets_);
    const auto out = std::span(payload_).subspan(octets_, count);
    std::copy_n(data.begin(), count, out.begin());
    randomizer_.apply(out);
    octets_ += count;
}

// ---- encoder ----

struct BurstEncoder::Impl {
    explicit Impl(const BurstRates& of) : rates(of), coders(of, &BurstCode::encoder) {}

    const BurstRates& rates;
    Coders<SymbolEncoder> coders;
    SymbolEncoder* coder = nullptr;
    BurstFormat format;
    BurstSource source;
    const Interleaver* interleaver = nullptr;
    int symbols_left = 0;
    std::array<uint8_t, kMaxSymbolBits> coded;
    size_t coded_bits = 0;
};

BurstEncoder::BurstEncoder(const BurstRates& rates) : impl_(std::make_unique<Impl>(rates)) { Interleaver::get(1, 16); }
BurstEncoder::~BurstEncoder() = default;
BurstEncoder::BurstEncoder(BurstEncoder&&) noexcept = default;

bool BurstEncoder::start(const BurstFormat& format, std::span<const uint8_t> payload, Randomizer randomizer) {
    auto& s = *impl_;
    s.symbols_left = 0;
    if (!s.rates.valid(format)) return false;
    const RateInfo& rate = s.rates.of(format);
    const size_t capacity = capacity_of(rate, format);
    if (payload.size() > capacity) return false;
    s.format = format;
    s.source.start(payload, capacity, randomizer);
    s.coder = &s.coders.of(format);
    s.coder->start(rate, format);
    s.interleaver = &interleaver_of(rate, format);
    s.symbols_left = format.data_symbols;
    s.coded_bits = 0;
    return true;
}

bool BurstEncoder::next_symbol(std::span<uint8_t> labels) {
    auto& s = *impl_;
    if (s.symbols_left == 0 || labels.size() < static_cast<size_t>(burst_carriers(s.format))) return false;
    --s.symbols_left;
    s.coded_bits = s.coder->next(s.source, s.coded);
    s.interleaver->interleave(std::span(s.coded).first(s.coded_bits), labels);
    return true;
}

std::span<const uint8_t> BurstEncoder::last_block() const {
    return impl_->coder ? impl_->coder->last_block() : std::span<const uint8_t>();
}
std::span<const uint8_t> BurstEncoder::last_coded_bits() const { return {impl_->coded.data(), impl_->coded_bits}; }

// ---- decoder ----

struct BurstDecoder::Impl {
    Impl(int most_symbols, const BurstRates& of)
        : rates(of), max_symbols(most_symbols), coders(of, &BurstCode::decoder), sink(most_octets(of, most_symbols)) {}

    static size_t most_octets(const BurstRates& rates, int symbols) {
        const auto densest = std::ranges::max(rates.rows, {}, &RateInfo::uncoded_bytes);
        return static_cast<size_t>(densest.uncoded_bytes * symbols);
    }

    const BurstRates& rates;
    int max_symbols;
    Coders<SymbolDecoder> coders;
    SymbolDecoder* coder = nullptr;
    BurstSink sink;
    size_t symbol_bits = 0;
    int symbols_left = 0;
    DecodedBlocks blocks;
    bool complete = false;
};

BurstDecoder::BurstDecoder(int max_symbols, const BurstRates& rates)
    : impl_(std::make_unique<Impl>(std::clamp(max_symbols, 1, kMaxFrameSymbols), rates)) {
    Interleaver::get(1, 16);
}
BurstDecoder::~BurstDecoder() = default;
BurstDecoder::BurstDecoder(BurstDecoder&&) noexcept = default;

bool BurstDecoder::start(const BurstFormat& format, Randomizer randomizer) {
    auto& s = *impl_;
    s.sink.start(0, randomizer);
    s.blocks = {};
    s.symbols_left = 0;
    s.complete = false;
    if (!s.rates.valid(format) || format.data_symbols > s.max_symbols) return false;
    const RateInfo& rate = s.rates.of(format);
    s.sink.start(capacity_of(rate, format), randomizer);
    s.coder = &s.coders.of(format);
    s.coder->start(rate, format, interleaver_of(rate, format));
    s.symbol_bits = symbol_bits(rate, format);
    s.symbols_left = format.data_symbols;
    return true;
}

bool BurstDecoder::feed(std::span<const SoftBit> soft) {
    auto& s = *impl_;
    if (s.symbols_left == 0) return s.complete;
    if (soft.size() < s.symbol_bits) return false;
    const DecodedBlocks done = s.coder->feed(soft, s.sink);
    s.blocks.failed += done.failed;
    s.blocks.corrected_octets += done.corrected_octets;
    s.blocks.retried += done.retried;
    s.complete = --s.symbols_left == 0;
    return s.complete;
}

int BurstDecoder::decision_steps() const { return impl_->coder ? static_cast<int>(impl_->coder->decision_steps()) : 0; }
std::span<const uint8_t> BurstDecoder::decide(std::span<uint8_t, kDataCarriers> labels) {
    if (decision_steps() == 0) return {};
    return impl_->coder->decide(labels) ? labels : std::span<const uint8_t>();
}

void BurstDecoder::set_second_chance(bool on) {
    impl_->coders.each([on](SymbolDecoder& coder) { coder.set_second_chance(on); });
    renew_second_chance();
}
void BurstDecoder::renew_second_chance() {
    impl_->coders.each([](SymbolDecoder& coder) { coder.renew_second_chance(); });
}

std::span<const uint8_t> BurstDecoder::payload() const { return impl_->sink.payload(); }
bool BurstDecoder::complete() const { return impl_->complete; }
int BurstDecoder::failed_blocks() const { return impl_->blocks.failed; }
int BurstDecoder::corrected_bytes() const { return impl_->blocks.corrected_octets; }
RetriedBlocks BurstDecoder::retried_blocks() const { return impl_->blocks.retried; }

}  // namespace gr::wimax::phy
