// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/burst_receiver.h"

#include "phy/base/decibels.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Carriers that show the noise in a long and in a short preamble.
constexpr int kPreambleNoiseLooks = 100;
/// Largest Doppler shift at which the channel counts as constant for errors of single carriers. It is less than the
/// initial assumption; a larger limit would sometimes treat fast channels as constant.
constexpr double kStillDopplerHz = 15;

/// Most data symbols after a preamble from which front ends are learned.
constexpr int kFrontEndLooks = 4;

/// P_2x128 as sent.
const Carriers& even_preamble() {
    static const Carriers sent = [] {
        Carriers carriers;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; k += 2)
            carriers[k] = preamble_carriers(PreambleSymbol::p_even)[static_cast<size_t>(bin_of(k))];
        return carriers;
    }();
    return sent;
}

}  // namespace

double LinkEstimate::total_cycles_per_sample() const {
    return cycles_per_sample + tracker.phase_rate() / (kTurn * symbol_samples);
}

namespace {

/// Starts the tracker from a preamble; `snr` of a data carrier, as a ratio.
LinkTracker::Start after_long_preamble(const PreambleObservation& seen, double snr) {
    LinkTracker::Start start;
    start.position = 0.5;  // both symbols have the same energy: phase and its slope are independent in their middle
    start.phase = -0.5 * seen.phase_step;
    start.phase_rate = seen.phase_step;
    start.phase_variance = 1 / (1600 * snr);
    start.phase_rate_variance = seen.phase_step_variance;
    start.delay_variance = 1e-3 / snr;
    return start;
}
LinkTracker::Start after_short_preamble(int symbol_samples, double snr) {
    // Phase between the two halves of the body: 100 carriers, each half at twice the data's ratio.
    const double ratio = symbol_samples / 128.0;
    LinkTracker::Start start;
    start.phase_rate_variance = 0.005 / snr * ratio * ratio;
    start.phase_variance = 1 / (800 * snr);
    start.delay_variance = 1e-3 / snr;
    return start;
}

/// True for the burst's own preamble and its midambles, one after each interval of data symbols.
bool is_training(const BurstFormat& format, const BurstReceiver::Place& place, int symbol) {
    int data = symbol - place.first_symbol;
    if (place.own_preamble && data-- == 0) return true;
    const int interval = midamble_interval(format.midamble_interval);
    return interval > 0 && data % (interval + 1) == interval;
}

}  // namespace

BurstReceiver::BurstReceiver(int max_symbols, Direction direction) : decoder_(max_symbols) {
    if (direction == Direction::uplink) subchannels_.emplace();
}

void BurstReceiver::begin_link(const PreambleObservation& seen, bool long_preamble, const ClockDrift& clock,
                               LinkEstimate& link) {
    estimator_.estimate(seen, link.channel);
    response_tracker_.start(link.channel, link.cp_samples, link.pace(), long_preamble ? 0.5 : 0,
                            long_preamble ? kLongPreambleLooks : kShortPreambleLooks, link.response);
    const double snr = std::max(static_cast<double>(link.channel.snr_linear()), 1e-3);
    LinkTracker::Start start =
        long_preamble ? after_long_preamble(seen, snr) : after_short_preamble(link.symbol_samples, snr);
    start.delay_rate = clock.rate;
    start.delay_rate_variance = clock.variance;
    link.tracker.start(start, link.pace());
}

void BurstReceiver::begin_link(const SeenPreamble& seen, const ClockDrift& clock, LinkEstimate& link) {
    const bool long_preamble = seen.fourth != nullptr;
    const float speed_before = link.response.speed;
    const auto begin_anew = [&] {
        link.response.speed = speed_before;
        begin_link(seen.observation, long_preamble, clock, link);
    };
    begin_link(seen.observation, long_preamble, clock, link);
    if (tone_remover_.clean(seen, estimator_, link)) begin_anew();
    front_end_.see({.carriers = seen.even,
                    .sent = even_preamble(),
                    .response = link.channel.response,
                    .channel = link.channel,
                    .absorbed = link.channel.absorbed,
                    .taken_off = seen.as_received ? FrontEnd{} : front_end_.in_use(),
                    .cycles_per_sample = link.cycles_per_sample,
                    .turned_samples = link.window(long_preamble ? 1 : 0, 0) - link.window_origin,
                    .known_sender = link.direction == Direction::downlink});
    reader_.set_front_end(front_end_.in_use());
    looks_ = seen.as_received ? 0 : kFrontEndLooks;
    link.sender_image = front_end_.sender_image();
    if (link.sender_image != Complex{}) {
        // The channel's estimate contains the image.
        estimator_.take_image_off(link.sender_image, link.channel.response, seen.observation);
        begin_anew();
    }
}

const Carriers& BurstReceiver::without_tones(const Carriers& symbol, int shift) {
    LinkEstimate& link = *link_;
    if (link.tones.count == 0) return symbol;
    const int64_t window = link.window(symbol_, shift);
    if (link.tones.weigh(window, link.channel)) {
        link.channel.complete();
        equalizer_.use_channel(link.channel);
    }
    clean_ = symbol;
    link.tones.take_off(window, clean_);
    return clean_;
}

void BurstReceiver::suggest_dc(Complex value, float variance) {
    front_end_.suggest_dc(value, variance);
    reader_.set_front_end(front_end_.in_use());
}

void BurstReceiver::keep_front_end() {
    front_end_.keep();
    tone_remover_.keep();
}

FrontEndLevels BurstReceiver::front_end_levels(const LinkEstimate& link) const {
    const auto level = [](Complex value) { return static_cast<float>(decibels(std::norm(value))); };
    FrontEndLevels levels{level(front_end_.in_use().dc), level(front_end_.in_use().image),
                          level(front_end_.sender_image())};
    const auto strongest =
        std::max_element(link.tones.all.begin(), link.tones.all.begin() + link.tones.count,
                         [](const Tone& a, const Tone& b) { return std::norm(a.level) < std::norm(b.level); });
    if (link.tones.count == 0) return levels;
    levels.tone_dbfs = static_cast<float>(decibels(std::norm(strongest->level) / kUsedCarriers));
    levels.tone_hz = static_cast<float>((strongest->carrier / kFftSize + link.cycles_per_sample) * link.sample_rate_hz);
    return levels;
}

void BurstReceiver::forget_front_end() {
    front_end_.forget();
    tone_remover_.forget();
    reader_.set_front_end(front_end_.in_use());
}

void BurstReceiver::reset_front_end() {
    decoder_.renew_second_chance();
    front_end_.reset();
    tone_remover_.reset();
    reader_.set_front_end({});
}

void BurstReceiver::start(LinkEstimate& link, const BurstFormat& format, const Place& place, Randomizer randomizer) {
    link_ = &link;
    format_ = format;
    place_ = place;
    symbol_ = end_symbol_ = place.first_symbol;
    if (!decoder_.start(format, randomizer)) return;
    const int bits_per_carrier = kRateTable[format.rate_id].bits_per_carrier;
    equalizer_.configure(bits_per_carrier, format.subchannel_index);
    use_images(link);
    response_tracker_.begin_burst(symbol_, link.response, link.channel);
    equalizer_.use_channel(link.channel);
    meter_.reset(bits_per_carrier);
    feedback_.start(link.pace());
    still_speed_ = ResponseState::speed_of(kStillDopplerHz, link.pace());
    end_symbol_ += format.total_symbols() - (place.own_preamble ? 0 : preamble_symbols(format.preamble));
}

void BurstReceiver::use_images(const LinkEstimate& link) {
    equalizer_.set_sender_image(link.sender_image,
                                link.sender_image != Complex{} || front_end_.in_use().image != Complex{});
}

FftWindow BurstReceiver::next_window() {
    link_->tracker.advance_to(symbol_);
    const int shift = static_cast<int>(std::lround(link_->tracker.delay()));
    return {symbol_, link_->window(symbol_, shift), shift};
}

void BurstReceiver::take(const Carriers& symbol, int shift) {
    link_->tracker.advance_to(symbol_);
    const Carriers& clean = without_tones(symbol, shift);
    if (is_training(format_, place_, symbol_)) renew_channel(clean, shift);
    else take_data(clean, shift);
    ++symbol_;
}

void BurstReceiver::renew_channel(const Carriers& symbol, int shift) {
    LinkEstimate& link = *link_;
    // The estimate is made after correction by the tracker's phase and delay, and replaces the old one.
    carrier_ramp(link.tracker.phase(), (shift - link.tracker.delay()) * kTurn / kFftSize, ramp_);
    volk_32fc_x2_multiply_conjugate_32fc(turned_.data(), symbol.data(), ramp_.data(), kCarrierSpan);
    if (subchannel_count(format_.subchannel_index) == kFullSubchannel) {
        estimator_.observe_short(turned_, link.cp_samples, observation_);
        if (!observation_.present) return;
        estimator_.estimate(observation_, fresh_);
        if (link.response.active) {
            response_tracker_.merge(fresh_, symbol_, kShortPreambleLooks, link.response, link.channel);
            equalizer_.use_channel(link.channel);
            return;
        }
        link.channel = fresh_;
        for (auto& tone : link.tones.span()) tone.counted = 0;
    } else {
        const auto cp = static_cast<float>(link.cp_samples);
        if (!subchannels_ || !subchannels_->estimate(turned_, format_.subchannel_index, {-cp, cp}, link.channel))
            return;
    }
    equalizer_.use_channel(link.channel);
    const double snr =
        std::max(static_cast<double>(link.channel.snr_linear()), 1e-3) * subchannel_count(format_.subchannel_index);
    link.tracker.renew(1 / (50 * snr), 1 / (62 * snr));
}

void BurstReceiver::take_data(const Carriers& symbol, int shift) {
    LinkEstimate& link = *link_;
    equalizer_.equalize(symbol, shift, pilot_values(link.direction, symbol_), link.tracker, meter_);
    if (equalizer_.strained() && response_tracker_.see(equalizer_.planes(), link.response, link.channel)) {
        equalizer_.use_channel(link.channel);
        equalizer_.equalize_again(symbol, shift, link.tracker);
    }
    const auto soft = equalizer_.soft_bits();
    decoder_.feed(soft);
    if (observer_ != nullptr) show_symbol(symbol, shift, soft);
    if (looks_ > 0 && front_end_.doubts(link.channel)) learn_front_end(symbol, shift);
    else equalizer_.follow_image();
    if (response_tracker_.follows_each()) follow_decoder(symbol, shift, soft);
    const bool moved = response_tracker_.follow(equalizer_.planes(), link.response, link.channel);
    // While the channel moves, errors of its estimate would be mistaken for interferers.
    const bool still = link.response.speed < still_speed_;
    const bool disturbed = still && equalizer_.learn_interference(link.channel);
    if (moved || disturbed) equalizer_.use_channel(link.channel);
}

void BurstReceiver::follow_decoder(const Carriers& symbol, int shift, std::span<const SoftBit> soft) {
    LinkEstimate& link = *link_;
    const auto labels = feedback_.labels(link.response, link.channel, soft, decoder_);
    if (labels.empty()) return;
    if (response_tracker_.take_back(link.response, link.channel)) equalizer_.use_channel(link.channel);
    equalizer_.learn_sent(symbol, shift, pilot_values(link.direction, symbol_), link.tracker, labels);
}

void BurstReceiver::learn_front_end(const Carriers& symbol, int shift) {
    LinkEstimate& link = *link_;
    if (subchannel_count(format_.subchannel_index) != kFullSubchannel) return;
    --looks_;
    carrier_ramp(link.tracker.phase(), (shift - link.tracker.delay()) * kTurn / kFftSize, ramp_);
    volk_32fc_x2_multiply_32fc(turned_.data(), link.channel.response.data(), ramp_.data(), kCarrierSpan);
    equalizer_.decided(pilot_values(link.direction, symbol_), sent_);
    front_end_.see({.carriers = symbol,
                    .sent = sent_,
                    .response = turned_,
                    .channel = link.channel,
                    .taken_off = front_end_.in_use(),
                    .cycles_per_sample = link.cycles_per_sample,
                    .turned_samples = link.window(symbol_, shift) - link.window_origin,
                    .known_sender = true});
    reader_.set_front_end(front_end_.in_use());
    link.sender_image = front_end_.sender_image();
    use_images(link);
    equalizer_.use_channel(link.channel);
}

void BurstReceiver::show_symbol(const Carriers& symbol, int shift, std::span<const SoftBit> soft) {
    const LinkEstimate& link = *link_;
    const auto& set = carrier_set(format_.subchannel_index);
    const auto& sent = pilot_values(link.direction, symbol_);
    const double slope = (shift - link.tracker.delay()) * kTurn / kFftSize;
    std::array<Complex, kPilotCarriers> pilots{};
    size_t count = 0;
    for (const auto p : set.pilot_indices()) {
        const int k = kPilotOffsets[p];
        const auto angle = static_cast<float>(-link.tracker.phase() - slope * k);
        pilots[count++] = symbol[k] * link.channel.inverse[k] * std::polar(1.0F, angle) * sent[p];
    }
    observer_->on_symbol({.direction = link.direction,
                          .format = format_,
                          .burst_index = place_.index,
                          .symbol = symbol_,
                          .points = equalizer_.points(),
                          .pilots = std::span(pilots).first(count),
                          .soft_bits = soft,
                          .response = {link.channel.response.data(), kCarrierSpan},
                          .second_response = {},
                          .response_window = link.window_origin,
                          .cycles_per_sample = link.cycles_per_sample,
                          .noise_variance = link.channel.noise_variance,
                          .phase_rad = static_cast<float>(link.tracker.phase()),
                          .delay_samples = static_cast<float>(link.tracker.delay())});
}

void BurstReceiver::finish(ReceivedBurst& result) {
    result.clear_payload();
    if (end_symbol_ == place_.first_symbol) return;
    report_decoded(decoder_, result);
    link_->sender_image = equalizer_.sender_image();
    meter_.report(link_->channel.noise_variance, kPreambleNoiseLooks, result.measured);
}

void report_decoded(const BurstDecoder& decoder, ReceivedBurst& result) {
    const auto payload = decoder.payload();
    result.payload.assign(payload.begin(), payload.end());
    result.fec_ok = decoder.complete() && decoder.fec_ok();
    result.failed_blocks = decoder.failed_blocks();
    result.corrected_bytes = decoder.corrected_bytes();
    result.retried = decoder.retried_blocks();
}

}  // namespace gr::wimax::phy
