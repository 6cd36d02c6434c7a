// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/coding/slot_coder.h>

#include <algorithm>
#include <cassert>

namespace gr::wimax::phy::ofdma {
namespace {

const CtcCode& ctc_of(const FecCode& code, int slots) {
    const CtcCode* ctc = CtcCode::find(4 * code.slot_octets * slots);
    assert(ctc != nullptr);  // SlotConcatenation makes no other sizes
    return *ctc;
}

constexpr SoftBit sum(SoftBit a, SoftBit b) { return static_cast<SoftBit>(std::clamp(int{a} + int{b}, -127, 127)); }

}  // namespace

size_t encode_block(const FecCode& code, int slots, std::span<const uint8_t> octets, std::span<uint8_t> bits) {
    const auto count = static_cast<size_t>(code.slot_bits() * slots);
    if (code.kind == FecKind::ctc) {
        ctc_encode(ctc_of(code, slots), octets, bits.first(count));
        return count;
    }
    std::array<uint8_t, kMaxBlockBits> coded;
    tail_biting_encode(code.rate, octets, coded);
    const auto positions = BlockInterleaver::get(code, slots).positions();
    for (size_t k = 0; k < count; ++k) bits[positions[k]] = coded[k];
    return count;
}

void labels_of_bits(int bits_per_carrier, std::span<const uint8_t> bits, std::span<uint8_t> labels) {
    const uint8_t* from = bits.data();
    for (uint8_t& label : labels) {
        unsigned value = 0;
        for (int b = 0; b < bits_per_carrier; ++b) value = value << 1 | *from++;
        label = static_cast<uint8_t>(value);
    }
}

void SlotBurstEncoder::start(const FecCode& code, int slots, int repetition, std::span<const uint8_t> payload) {
    code_ = &code;
    blocks_ = SlotConcatenation(code, slots / repetition);
    repetition_ = repetition;
    sent_ = 0;
    slot_ = block_slots_ = 0;
    payload_ = payload;
}

void SlotBurstEncoder::encode_next_block() {
    const int slots = blocks_.next();
    block_slots_ = static_cast<size_t>(slots);
    slot_ = 0;
    std::array<uint8_t, kMaxBlockOctets> data;
    const auto block = std::span(data).first(static_cast<size_t>(slots * code_->slot_octets));
    const size_t given = std::min(block.size(), payload_.size());
    std::copy_n(payload_.begin(), given, block.begin());
    std::ranges::fill(block.subspan(given), kBurstPadding);
    payload_ = payload_.subspan(given);
    Randomizer::at(kBlockRandomizerState).apply(block);
    std::array<uint8_t, kMaxBlockBits> bits;
    encode_block(*code_, slots, block, bits);
    labels_of_bits(code_->bits_per_carrier, bits, std::span(labels_).first(block_slots_ * kSlotPoints));
}

void SlotBurstEncoder::next_slot(std::span<uint8_t, kSlotPoints> labels) {
    if (slot_ == block_slots_) encode_next_block();
    std::copy_n(labels_.begin() + static_cast<std::ptrdiff_t>(slot_ * kSlotPoints), kSlotPoints, labels.begin());
    if (++sent_ < repetition_) return;
    sent_ = 0;
    ++slot_;
}

void SlotBurstDecoder::start(const FecCode& code, int slots, int repetition, std::span<uint8_t> octets) {
    code_ = &code;
    blocks_ = SlotConcatenation(code, slots / repetition);
    repetition_ = repetition;
    received_ = 0;
    slot_ = 0;
    block_slots_ = static_cast<size_t>(blocks_.next());
    octets_ = octets;
    result_ = {};
}

void SlotBurstDecoder::feed_slot(std::span<const SoftBit> soft) {
    if (slot_ == block_slots_) return;  // after the burst's end
    const auto bits = static_cast<size_t>(code_->slot_bits());
    const auto slot = std::span(soft_).subspan(slot_ * bits, bits);
    if (received_ == 0) std::copy_n(soft.begin(), bits, slot.begin());
    else std::transform(slot.begin(), slot.end(), soft.begin(), slot.begin(), sum);
    if (++received_ < repetition_) return;
    received_ = 0;
    if (++slot_ == block_slots_) decode_block();
}

void SlotBurstDecoder::decode_block() {
    const auto slots = static_cast<int>(block_slots_);
    const auto received = std::span<const SoftBit>(soft_).first(block_slots_ * static_cast<size_t>(code_->slot_bits()));
    const auto block = octets_.first(static_cast<size_t>(slots * code_->slot_octets));
    if (code_->kind == FecKind::cc) {
        cc_.decode(code_->rate, received, BlockInterleaver::get(*code_, slots).positions(), block);
    } else {
        const auto decoded = ctc_.decode(ctc_of(*code_, slots), received, block);
        result_.iterations += decoded.iterations;
        result_.failed += decoded.converged ? 0 : 1;
    }
    std::array<uint8_t, kMaxBlockBits> again;
    encode_block(*code_, slots, block, again);
    for (size_t k = 0; k < received.size(); ++k)
        result_.corrected_bits += received[k] != 0 && (received[k] < 0) != (again[k] != 0) ? 1 : 0;
    result_.coded_bits += static_cast<int>(received.size());
    Randomizer::at(kBlockRandomizerState).apply(block);
    ++result_.blocks;
    result_.octets += static_cast<int>(block.size());
    octets_ = octets_.subspan(block.size());
    block_slots_ = static_cast<size_t>(blocks_.next());
    slot_ = 0;
}

}  // namespace gr::wimax::phy::ofdma
