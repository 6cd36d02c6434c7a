// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/fpga_cores.h"

#include "vrf/tx_fifo.h"

#include <algorithm>
#include <utility>

namespace wimax::vrf {
namespace {

using fpga::AxisWord;

/// A frame of 20 ms has about 2^18 words of carriers; a late host has a few frames to catch up.
constexpr size_t kMostWords = 1U << 20;

/// A burst's samples as passed to the gate. A burst without last samples ends with a zero.
void append(const BurstPart& part, std::vector<AxisWord>& words) {
    constexpr std::array kZero{Sample{}};
    const auto samples = part.samples.empty() ? std::span<const Sample>(kZero) : part.samples;
    const size_t first = words.size();
    for (const Sample& sample : samples) words.push_back({fpga::pack(fpga::fixed_sample(sample))});
    if (part.tick) {
        words[first].has_time = true;
        words[first].time = static_cast<uint64_t>(*part.tick);
    }
    words.back().last = words.back().end_of_burst = part.end;
}

/// Intervals in which a line is on, from tick `first` on.
void note_line(std::span<const uint8_t> line, int64_t first, TxFifo& bursts) {
    for (size_t from = 0; from < line.size();) {
        const auto begin = std::find(line.begin() + ptrdiff_t(from), line.end(), 1);
        const auto end = std::find(begin, line.end(), 0);
        if (begin != end) bursts.note_line(first + (begin - line.begin()), first + (end - line.begin()));
        from = size_t(end - line.begin());
    }
}

}  // namespace

void FpgaCores::Packets::add(std::span<const AxisWord> words) {
    const std::lock_guard lock(mutex_);
    if (words_.size() + words.size() <= kMostWords) words_.insert(words_.end(), words.begin(), words.end());
}

CorePacket FpgaCores::Packets::take(std::span<uint32_t> to) {
    const std::lock_guard lock(mutex_);
    CorePacket packet;
    if (words_.empty()) return packet;
    packet.time = static_cast<int64_t>(words_.front().time);
    packet.has_time = words_.front().has_time;
    for (bool last = false; !last && !words_.empty() && packet.words < to.size();) {
        const AxisWord& word = words_.front();
        to[packet.words++] = word.data;
        packet.end_of_burst = word.end_of_burst;
        last = word.last;
        words_.pop_front();
    }
    return packet;
}

void FpgaCores::receive(int64_t first, std::span<Sample> samples) {
    const std::lock_guard lock(receiving_);
    heard_.clear();
    passed_.clear();
    detections_.clear();
    carriers_.clear();
    for (const Sample& sample : samples) heard_.push_back({fpga::pack(fpga::fixed_sample(sample))});
    heard_.front().has_time = true;
    heard_.front().time = static_cast<uint64_t>(first);
    if (detects_) detector_.process(heard_, passed_, detections_);
    else passed_ = heard_;
    for (const auto& detection : detections_) {
        record_.clear();
        detection.append_to(record_);
        records_.add(record_);
    }
    if (ordered_) frontend_.process(passed_, carriers_);
    symbols_.add(carriers_);
    std::transform(passed_.begin(), passed_.end(), samples.begin(),
                   [](const AxisWord& word) { return fpga::float_sample(fpga::unpack(word.data)); });
}

bool FpgaCores::transmit(int64_t first, TxFifo& bursts, std::span<Sample> out, BurstSpans& on) {
    const std::lock_guard lock(sending_);
    bursts_.clear();
    sent_.clear();
    line_.clear();
    const auto lead = int64_t{gate_.read(fpga::burst_gate::kLead)};
    bursts.hand_out(first + int64_t(out.size()) + lead, [&](const BurstPart& part) { append(part, bursts_); });
    gate_.process(bursts_, static_cast<uint64_t>(first), out.size(), sent_, line_);
    note_line(line_, first, bursts);
    if (sent_.empty()) return false;
    std::fill(out.begin(), out.end(), Sample{});
    for (const AxisWord& word : sent_) {
        const auto at = static_cast<size_t>(static_cast<int64_t>(word.time) - first);
        out[at] = fpga::float_sample(fpga::unpack(word.data));
        on.add(at, at + 1);
    }
    return true;
}

template <typename Core> CoreAccess FpgaCores::registers_of(std::string block, Core& core, std::mutex& mutex) {
    return {.block = std::move(block),
            .peek =
                [&core, &mutex](uint32_t address) {
                    const std::lock_guard lock(mutex);
                    return core.read(address);
                },
            .poke =
                [&core, &mutex](uint32_t address, uint32_t value) {
                    const std::lock_guard lock(mutex);
                    core.write(address, value);
                },
            .take = [](std::span<uint32_t>) { return CorePacket{}; },
            .order = [](std::span<const uint32_t>) { return false; }};
}

std::vector<CoreAccess> FpgaCores::access() {
    std::vector all{registers_of("preamble_detect", detector_, receiving_),
                    registers_of("ofdm_frontend", frontend_, receiving_), registers_of("burst_gate", gate_, sending_)};
    all[0].poke = [this](uint32_t address, uint32_t value) {
        const std::lock_guard lock(receiving_);
        if (address == fpga::preamble_detect::kControl) detects_ = (value & 1) != 0;
        detector_.write(address, value);
    };
    all[0].take = [this](std::span<uint32_t> words) { return records_.take(words); };
    all[1].take = [this](std::span<uint32_t> words) { return symbols_.take(words); };
    all[1].order = [this](std::span<const uint32_t> words) {
        if (words.size() != 4) return false;
        const auto pair = [&](size_t at) { return words[at] | static_cast<uint64_t>(words[at + 1]) << 32; };
        const std::lock_guard lock(receiving_);
        frontend_.order(fpga::ofdm_frontend::Order::Word{pair(0), pair(2)});
        return ordered_ = true;
    };
    return all;
}

tl::expected<std::shared_ptr<RadioCores>, Fault> make_cores() { return std::make_shared<FpgaCores>(); }

}  // namespace wimax::vrf
