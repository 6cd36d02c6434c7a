// SPDX-License-Identifier: GPL-3.0-or-later
// The logic of burst_transmitter, without GNU Radio.
#pragma once

#include "phy/base/decibels.h"

#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/burst_transmitter.h>
#include <gnuradio/wimax/phy/frame/frame_composer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace gr::wimax {

class TransmitterOutput {
public:
    virtual ~TransmitterOutput() = default;
    /// Output without a radio; the first sample is for `start_sample`.
    virtual void samples(phy::FrameNumber frame, int64_t start_sample, const TransmitPiece& piece) = 0;
    virtual void error(const ErrorReport& error) = 0;
};

namespace transmitter {

/// Highest level of a data symbol on all subchannels. If all bursts of the frame use fewer, their carriers may be
/// stronger at the same power.
inline float densest_dbfs(const TransmitFrame& frame) {
    int most = frame.bursts.empty() || !frame.codes.empty() ? phy::kFullSubchannel : 1;
    for (const auto& burst : frame.bursts) {
        const int index = burst.format.subchannel_index;
        most = std::max(most, index & -index);  // subchannels in the group
    }
    return static_cast<float>(phy::decibels(double(phy::kFullSubchannel) / most));
}

inline void rotate_and_scale(std::span<phy::Complex> x, double hz, double rate, float amplitude) {
    if (hz == 0 && amplitude == 1.0F) return;
    constexpr size_t kBlock = 256;
    const double turn = 2 * std::numbers::pi * hz / rate;
    std::array<float, kBlock> cosine, sine;
    for (size_t i = 0; i < kBlock; ++i) {
        cosine[i] = static_cast<float>(std::cos(turn * static_cast<double>(i)));
        sine[i] = static_cast<float>(std::sin(turn * static_cast<double>(i)));
    }
    for (size_t begin = 0; begin < x.size(); begin += kBlock) {
        // The angle of each block is computed in double: no error adds up over a frame.
        const phy::Complex p(std::polar(static_cast<double>(amplitude), turn * static_cast<double>(begin)));
        const auto part = x.subspan(begin, std::min(kBlock, x.size() - begin));
        auto* values = reinterpret_cast<float*>(part.data());
        for (size_t i = 0; i < part.size(); ++i) {
            const float re = values[2 * i], im = values[2 * i + 1];
            const float c = p.real() * cosine[i] - p.imag() * sine[i], s = p.real() * sine[i] + p.imag() * cosine[i];
            values[2 * i] = re * c - im * s;
            values[2 * i + 1] = re * s + im * c;
        }
    }
}

}  // namespace transmitter

/// Not thread-safe except for counters().
class TransmitterCore {
public:
    TransmitterCore(TransmitterOutput& output, int64_t bandwidth_hz, TransmitPathPtr radio,
                    const phy::TransmitShape& shape)
        : output_(output), bandwidth_hz_(bandwidth_hz), shape_(shape), radio_(std::move(radio)) {}

    burst_transmitter::Counters counters() const { return {frames_, empty_, late_, invalid_}; }

    /// Reports a malformed message and the reason.
    void refuse(const phy::Fault& why) {
        ++invalid_;
        report({ErrorKind::invalid, {}, 0, "tx: " + why.str()});
    }
    /// Payloads are read where they lie.
    void transmit(const TransmitFrame& frame) {
        ++frames_;
        if (frame.bursts.empty() && frame.codes.empty()) ++empty_;
        else if (const int64_t over = lateness(frame); over > 0) late(frame, over);
        else if (frame.direction == phy::Direction::downlink) downlink(frame);
        else uplink(frame);
    }

private:
    /// Samples after the deadline; 0 in lock-step, where time waits for the response.
    int64_t lateness(const TransmitFrame& frame) const {
        if (!radio_ || radio_->lock_step() || frame.deadline_sample == kNoDeadline) return 0;
        return radio_->now() - frame.deadline_sample;
    }

    void downlink(const TransmitFrame& frame) {
        if (!frame.codes.empty()) return fault(frame, "codes: only in the uplink");
        phy::Modulator& m = modulator(frame.cp);
        const auto& numerology = m.numerology();
        downlink_.begin({frame.bsid_lsb, frame.frame_number.lsb(), frame.change_count_lsb});
        for (const auto& b : frame.bursts) {
            if (!b.start_slot.begins_symbol(numerology.symbol_slots()))
                return fault(frame, "start_slot of a downlink burst is not a symbol boundary");
            downlink_.add(b.format, b.start_slot.symbol(numerology.symbol_slots()), b.payload);
        }
        if (downlink_.end_symbol() > phy::kMaxFrameSymbols) return fault(frame, "frame longer than 2047 symbols");
        if (const char* what = zone_fault()) return fault(frame, what);
        const bool zone = downlink_.has_zone();
        const auto out =
            workspace(static_cast<size_t>(downlink_.end_symbol() * numerology.symbol_samples()) + m.tail_samples());
        if (zone && second_.size() < out.size()) second_.resize(out.size());
        const auto made = phy::modulate(
            downlink_, m, zone ? &of_prefix(stc_modulators_, frame.cp, phy::kMaxFrameSymbols) : nullptr, out, second_);
        if (!made) return fault(frame, to_string(made.error()));
        send(frame, 0, {out.first(made->antenna_0), made->zone_from, std::span(second_).first(made->antenna_1)},
             std::numeric_limits<int64_t>::max());
    }

    const char* zone_fault() const {
        if (!downlink_.has_zone()) return nullptr;
        if (radio_ && radio_->antennas() < phy::kStcAntennas)
            return "an STC zone needs two antennas, the radio has one";
        if (shape_.window_samples > 0 || shape_.target_papr_db) return "an STC zone goes without shaping of symbols";
        return downlink_.zone_start() > 0 ? nullptr : "no room for an STC zone's preamble";
    }

    /// Bursts that follow each other without a gap leave as one piece: the end of each overlaps the next one's start.
    /// Pieces and codes leave in the order of time, as radios want them.
    void uplink(const TransmitFrame& frame) {
        phy::Modulator& m = modulator(frame.cp);
        const size_t tail = m.tail_samples();
        int64_t start = 0;  // of the piece, from the frame start
        size_t used = 0;    // samples in the piece, the last burst's tail included
        codes_.assign(frame.codes.begin(), frame.codes.end());
        std::sort(codes_.begin(), codes_.end(),
                  [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
        auto code = codes_.begin();
        constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
        const auto code_start = [&] { return code == codes_.end() ? kNone : code->start_slot.samples(); };
        const auto send_codes_before = [&](int64_t sample) {
            while (code_start() < sample) {
                const auto& c = *code++;
                send_code(frame, c, std::min(sample, code_start()));
            }
        };
        const auto send_piece = [&](int64_t next) {
            if (used == 0) return;
            send_codes_before(start);
            send(frame, start, {std::span(work_).first(used)}, std::min(next, code_start()));
            used = 0;
        };
        for (const auto& b : frame.bursts) {
            const int64_t burst_start = b.start_slot.samples();
            if (used > 0 && burst_start != start + static_cast<int64_t>(used - tail)) send_piece(burst_start);
            const size_t at = used > 0 ? used - tail : 0;
            if (used == 0) start = burst_start;
            const auto length = static_cast<size_t>(b.format.total_symbols() * m.numerology().symbol_samples()) + tail;
            const auto out = workspace(at + length).subspan(at);
            std::array<phy::Complex, phy::kMaxWindowSamples> before{};
            if (used > 0) std::copy_n(out.begin(), tail, before.begin());
            const auto made = m.uplink({b.format, b.payload}, out);
            if (!made) {
                fault(frame, "uplink: " + std::string(to_string(made.error())));
                continue;
            }
            for (size_t i = 0; i < tail; ++i) out[i] += before[i];
            used = at + *made;
        }
        send_piece(kNone);
        send_codes_before(kNone);
    }

    void send_code(const TransmitFrame& frame, const TransmitCode& code, int64_t next) {
        const auto& numerology = modulator(frame.cp).numerology();
        const auto length = static_cast<size_t>(phy::kContentionSymbols * numerology.symbol_samples());
        if (second_.size() < length) second_.resize(length);  // a piece may be waiting in the other one
        const auto out = std::span(second_).first(length);
        const auto made = of_prefix(contention_, frame.cp).transmit(code.what, code.boost_db, out);
        if (!made) return fault(frame, "codes: " + std::string(to_string(made.error())));
        send(frame, code.start_slot.samples(), {out}, next);
    }

    /// Signals of both antennas, the second one from a sample of the first on; usually empty.
    struct Signal {
        std::span<phy::Complex> first;
        size_t second_from = 0;
        std::span<phy::Complex> second = {};
    };
    /// `next`: where the frame's next piece begins; the highest number: none does.
    void send(const TransmitFrame& frame, int64_t offset, const Signal& signal, int64_t next) {
        const auto rate = static_cast<double>(phy::Numerology::make(bandwidth_hz_, frame.cp)->sample_rate_hz);
        const auto amplitude =
            static_cast<float>(phy::amplitude_of_db(std::min(frame.power_dbfs, transmitter::densest_dbfs(frame))));
        transmitter::rotate_and_scale(signal.first, frame.frequency_hz, rate, amplitude);
        transmitter::rotate_and_scale(signal.second, frame.frequency_hz, rate, amplitude);
        TransmitPiece piece(signal.first, signal.second_from, signal.second);
        piece.level_dbfs = std::min<double>(0, frame.power_dbfs - transmitter::densest_dbfs(frame));
        if (next != std::numeric_limits<int64_t>::max())
            piece.silence_samples = next - offset - static_cast<int64_t>(signal.first.size());
        const int64_t start = frame.frame_start_sample + offset - frame.timing_advance_samples;
        if (!radio_) return output_.samples(frame.frame_number, start, piece);
        const auto sent = radio_->transmit(start, piece);
        if (sent) return;
        if (sent.error().kind == PieceFault::Kind::late) late(frame, sent.error().late_samples);
        else fault(frame, "the radio's transmit queue is full");
    }

    void late(const TransmitFrame& frame, int64_t samples) {
        ++late_;
        const auto rate = phy::Numerology::make(bandwidth_hz_, frame.cp)->sample_rate_hz;
        report(
            {ErrorKind::late, frame.frame_number, std::max<int64_t>(1, samples * 1'000'000 / rate), "frame discarded"});
    }
    void fault(const TransmitFrame& frame, const std::string& what) {
        ++invalid_;
        report({ErrorKind::invalid, frame.frame_number, 0, what});
    }
    void report(const ErrorReport& e) { output_.error(e); }

    template <typename T> using OfPrefix = std::array<std::unique_ptr<T>, phy::kCyclicPrefixes.size()>;
    /// Returns the object for this cyclic prefix, made on the first request.
    template <typename T, typename... Settings>
    T& of_prefix(OfPrefix<T>& all, phy::CyclicPrefix cp, const Settings&... settings) {
        auto& one = all[static_cast<size_t>(std::find(phy::kCyclicPrefixes.begin(), phy::kCyclicPrefixes.end(), cp) -
                                            phy::kCyclicPrefixes.begin())];
        if (!one) one = std::make_unique<T>(*phy::Numerology::make(bandwidth_hz_, cp), settings...);
        return *one;
    }
    phy::Modulator& modulator(phy::CyclicPrefix cp) {
        return of_prefix(modulators_, cp, phy::kMaxFrameSymbols, shape_);
    }
    std::span<phy::Complex> workspace(size_t samples) {
        if (work_.size() < samples) work_.resize(samples);
        return std::span(work_).first(samples);
    }

    TransmitterOutput& output_;
    const int64_t bandwidth_hz_;
    const phy::TransmitShape shape_;
    TransmitPathPtr radio_;
    OfPrefix<phy::Modulator> modulators_;
    OfPrefix<phy::StcModulator> stc_modulators_;
    OfPrefix<phy::ContentionTransmitter> contention_;
    phy::FrameComposer downlink_;
    std::vector<TransmitCode> codes_;
    std::vector<phy::Complex> work_, second_;  // samples of a frame; of its STC zone for antenna 1, or of a code
    std::atomic<uint64_t> frames_{0}, empty_{0}, late_{0}, invalid_{0};
};

}  // namespace gr::wimax
