// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/radio_rf.h"

#include "channel/draw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::vrf {
namespace {

using channel::RadioFront;
using End = RadioFront::End;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kTransientLengths = 8;  // in time constants: the offset has decayed by 69 dB

uint64_t seed_of(uint64_t seed, const char* name) {
    for (; *name != 0; ++name) seed = channel::mix64(seed ^ uint8_t(*name));
    return channel::mix64(seed ^ 0x6672'6F6E'74);
}

double amplitude(double db) { return std::pow(10, db / 20); }

std::vector<Sample> transient(const RfModel& model, double rate_hz, double phase) {
    const double length = model.recovery_us * 1e-6 * rate_hz;
    std::vector<Sample> samples;
    for (double n = 0; n < kTransientLengths * length; ++n)
        samples.emplace_back(std::polar(amplitude(model.recovery_dbfs) * std::exp(-n / length), phase));
    return samples;
}

}  // namespace

bool RfModel::ideal() const {
    return tx.ideal() && rx.ideal() && noise_figure.empty() && !port_isolation_db && !own_isolation_db &&
           switch_us == 0 && recovery_us == 0;
}

int wire_bits(const std::string& format) {
    if (format == "sc8") return 8;
    return format == "sc12" ? 12 : 16;
}

std::optional<double> noise_figure_db(const RfModel& model, double rx_gain_db) {
    const auto& points = model.noise_figure;
    if (points.empty()) return {};
    const auto above = std::ranges::upper_bound(points, rx_gain_db, {}, &NoiseFigurePoint::gain_db);
    if (above == points.begin()) return points.front().figure_db;
    if (above == points.end()) return points.back().figure_db;
    const auto& below = *(above - 1);
    return std::lerp(below.figure_db, above->figure_db,
                     (rx_gain_db - below.gain_db) / (above->gain_db - below.gain_db));
}

RadioRf::RadioRf(RfModel model, size_t tx_channels)
    : model_(std::move(model)), tx_channels_(tx_channels), tx_droop_(tx_channels) {}

void RadioRf::join(const Welcome& welcome, const char* radio) {
    const uint64_t seed = seed_of(welcome.seed, radio);
    const bool same = !tx_.empty() && seed == seed_ && welcome.rate_hz == rate_hz_;
    tx_power_dbm_ = welcome.tx_power_dbm;
    rx_full_scale_dbm_ = welcome.rx_full_scale_dbm;
    chunk_ = welcome.chunk_samples;
    sent_.assign(kAheadChunks + 2, Sent{});
    if (model_.own_isolation_db)
        for (auto& sent : sent_) sent.samples.resize(tx_channels_ * chunk_);
    on_until_ = off_at_ = INT64_MIN;
    tx_droop_.assign(tx_channels_, {});
    rx_droop_ = {};
    if (same) return;
    seed_ = seed;
    rate_hz_ = welcome.rate_hz;
    tx_.assign(tx_channels_, RadioFront(End::transmitter, model_.tx, rate_hz_, channel::mix64(seed ^ 1)));
    rx_ = RadioFront(End::receiver, model_.rx, rate_hz_, channel::mix64(seed ^ 2));
    channel::Draw draw(seed ^ 3);
    leak_phase_ = Sample(std::polar(1.0, draw.uniform(0, kTurn)));
    transient_ = transient(model_, rate_hz_, draw.uniform(0, kTurn));
}

void RadioRf::note(TxHeader& header, const Tuning& tuning) const {
    header.noise_figure_db = float(noise_figure_db(model_, tuning.rx_gain_db).value_or(kChannelsNoiseFigure));
    if (!model_.port_isolation_db) return;
    header.tx_port_loss_db = tuning.tx_connected ? 0 : float(*model_.port_isolation_db);
    header.rx_port_loss_db = tuning.rx_connected ? 0 : float(*model_.port_isolation_db);
}

int RadioRf::bits(bool tx) const { return std::min((tx ? model_.tx : model_.rx).bits, wire_bits_[tx].load()); }

void RadioRf::transmit(const TxHeader& header, const Tuning& tuning, const BurstSpans& on, std::span<Sample> samples) {
    uint64_t clipped = 0;
    for (size_t c = 0; c < tx_channels_; ++c) {
        RadioFront& front = tx_[c];
        front.tune_beside(tuning.tx_lo_offset_hz);
        front.set_bits(bits(true));
        if (model_.tx.saturation_db)
            front.set_saturation_db(*model_.tx.saturation_db + kMaxTxGainDb - tuning.tx_gain_db[c]);
        if ((header.sending >> c & 1) == 0) continue;
        for (const auto& span : on) {
            const auto burst = samples.subspan(c * chunk_ + span.from, span.to - span.from);
            if (tuning.tx_cic_alone) tx_droop_[c].pass(burst);
            front.pass(header.index + int64_t(span.from), burst);
        }
        clipped += front.clipped();
    }
    clipped_[1] = clipped;
    switch_on(header, on, samples);
    Sent& sent = sent_at(header.index);
    sent.index = header.index;
    sent.on = on;
    sent.tuning = tuning;
    sent.sending = header.sending;
    if (header.sending != 0 && !sent.samples.empty()) std::ranges::copy(samples, sent.samples.begin());
}

/// Removes samples that the switch does not pass yet.
void RadioRf::switch_on(const TxHeader& header, const BurstSpans& on, std::span<Sample> samples) {
    const int64_t closed = std::llround(model_.switch_us * 1e-6 * rate_hz_);
    for (const auto& span : on) {
        const int64_t from = header.index + int64_t(span.from), to = header.index + int64_t(span.to);
        if (from != on_until_) on_since_ = from;
        on_until_ = to;
        const int64_t open = std::min(to, on_since_ + closed);
        for (size_t c = 0; c < tx_channels_ && open > from; ++c)
            std::fill_n(samples.begin() + ptrdiff_t(c * chunk_ + span.from), open - from, Sample{});
    }
}

void RadioRf::receive(int64_t index, std::span<Sample> samples) {
    Sent& sent = sent_at(index);
    const bool known = sent.index == index;
    if (known && !sent.samples.empty()) leak(sent, samples);
    if (!transient_.empty() && sent.tuning.rx_behind_switch) recover(known ? sent.on : BurstSpans{}, index, samples);
    rx_.tune_beside(sent.tuning.rx_lo_offset_hz);
    rx_.set_bits(bits(false));
    rx_.pass(index, samples);
    clipped_[0] = rx_.clipped();
    if (sent.tuning.rx_cic_alone) rx_droop_.pass(samples);
}

void RadioRf::leak(const Sent& sent, std::span<Sample> samples) const {
    const Tuning& t = sent.tuning;
    if (std::abs(t.tx_frequency_hz - t.rx_frequency_hz) >= rate_hz_ / 2) return;
    for (size_t c = 0; c < tx_channels_; ++c) {
        if ((sent.sending >> c & 1) == 0) continue;
        const double tx_dbm = tx_power_dbm_ - (kMaxTxGainDb - t.tx_gain_db[c]) - *model_.own_isolation_db;
        const Sample gain = leak_phase_ * float(amplitude(tx_dbm - (rx_full_scale_dbm_ - t.rx_gain_db)));
        const float re = gain.real(), im = gain.imag();
        const Sample* own = &sent.samples[c * chunk_];
        for (const auto& span : sent.on)
            for (size_t i = span.from; i < span.to; ++i)
                samples[i] += Sample(own[i].real() * re - own[i].imag() * im, own[i].real() * im + own[i].imag() * re);
    }
}

/// Adds offsets after the bursts of this chunk and of earlier ones.
void RadioRf::recover(const BurstSpans& on, int64_t index, std::span<Sample> samples) {
    size_t from = 0;
    for (const auto& span : on) {
        fade(index + int64_t(from), samples.subspan(from, span.from - from));
        from = span.to;
        off_at_ = index + int64_t(span.to);
    }
    fade(index + int64_t(from), samples.subspan(from));
}

void RadioRf::fade(int64_t index, std::span<Sample> samples) const {
    const int64_t length = int64_t(transient_.size());
    if (off_at_ == INT64_MIN || index < off_at_ || index - off_at_ >= length) return;
    const auto begin = size_t(index - off_at_);
    const size_t count = std::min(samples.size(), transient_.size() - begin);
    for (size_t i = 0; i < count; ++i) samples[i] += transient_[begin + i];
}

void RadioRf::count(VirtualRadioCounters& counters) const {
    counters.rx_clipped = clipped_[0];
    counters.tx_clipped = clipped_[1];
}

}  // namespace wimax::vrf
