// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "blocks/gain_control.h"
#include "blocks/receiver_core.h"
#include "phy/base/decibels.h"
#include "timing/subscriber_clock.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gr::wimax {

/// The receiver of a subscriber station: one tick per frame, early enough for the response.
class SsReceiverCore final : public ReceiverCore<ss_receiver::Status>, private phy::DownlinkListener {
public:
    using Config = ss_receiver::Config;
    static constexpr bool kHearsCodes = false;

    SsReceiverCore(ReceiverOutput& output, const Config& config, const phy::DownlinkReceiverConfig& core, int64_t rate,
                   TransmitPathPtr radio)
        : ReceiverCore(output, std::move(radio), rate, static_cast<size_t>(rate * kBufferMs / 1000)),
          bandwidth_hz_(config.bandwidth_hz),
          receiver_(core),
          clock_({.sample_rate_hz = rate,
                  .turnaround = samples_of(config.turnaround_us),
                  .deadline_lead = samples_of(config.deadline_lead_us),
                  .response = samples_of(config.response_us),
                  .chunk = radio_ ? radio_->chunk_samples() : 0,
                  .lock_step = config.wait_for_answers || (radio_ && radio_->lock_step()),
                  .one_carrier = config.one_carrier}),
          gap_lead_(samples_of(kGapLeadUs)),
          one_carrier_(config.one_carrier),
          skip_unused_(config.skip_unused) {
        if (config.gains) gain_.emplace(*config.gains);
    }

    phy::FrameNumber frame_number() const override { return clock_.number(); }

    void on_expect(const Parsed<Expectation>& e) override {
        if (!e) report({ErrorKind::invalid, frame_number(), 0, "expect: " + e.error().str()});
        const auto number = e ? std::optional(e->frame_number) : std::nullopt;
        if (number && clock_.takes(*number)) take(*e);
        if (clock_.maps_answered(number, position())) advance();
    }

    void on_done(const Done& done) override {
        if (!clock_.tick_answered(done.frame_number)) return;
        if (const auto sample = clock_.commit_behind_answer()) promise(*sample);
        advance();
    }

    void on_control(const Control& c) override {
        if (c.diuc_rates) receiver_.set_profiles(*c.diuc_rates);
        if (c.forget_front_end.value_or(false)) forget_front_end();
        if (!c.attached) return;
        clock_.attach(*c.attached, position());
        if (!*c.attached) advance();
    }

private:
    void forget_front_end() {
        receiver_.forget_front_end();
        const std::lock_guard guard(status_mutex_);
        status_.front_end = receiver_.front_end();
    }

    static constexpr int64_t kBufferMs = 60;  // samples that wait in the block at most

    void jump(int64_t sample, bool) override {
        buffer_.reset(sample);
        receiver_.reset();
        clock_.jump(sample);
        promised_ = sample;
        gain_changes_at_ = kNever;
        wanted_gain_.reset();
        loudest_ = 0;
    }

    int64_t position() const { return buffer_.begin(); }

    /// Nothing is sent before `sample`: time may continue to it.
    void promise(int64_t sample) {
        promised_ = std::max(promised_, sample);
        commit(sample);
    }

    /// Latest time that the radio may have reached.
    int64_t time_reached() const {
        return radio_ && radio_->lock_step() ? std::max(promised_, buffer_.end()) + radio_->chunk_samples()
                                             : buffer_.end();
    }

    /// Between frames, where nothing is received.
    void change_gain(std::optional<double> gain_db, int64_t sample) {
        if (!gain_db || !radio_ || sample < time_reached()) return;
        if (!radio_->change_receive_gain(sample, *gain_db)) return;
        gain_->use(*gain_db);
        gain_changes_at_ = sample;
    }

    /// With two carriers there may be no pause between frames. The gain changes in the first frame whose last part has
    /// no burst for this station, and after kMostFullFrames in any: maps that are clipped announce nothing.
    void want_gain(std::optional<double> gain_db) {
        if (gain_db) wanted_gain_ = {*gain_db, wanted_gain_ ? wanted_gain_->full_frames : 0};
        if (wanted_gain_ && ++wanted_gain_->full_frames > kMostFullFrames) change_wanted_gain();
    }
    void change_gain_in_pause() {
        const auto unused = receiver_.unused();
        if (wanted_gain_ && unused && unused->from <= frame_end() - gap_lead_) change_wanted_gain();
    }
    void change_wanted_gain() { change_gain(std::exchange(wanted_gain_, std::nullopt)->db, frame_end() - gap_lead_); }
    int64_t frame_end() const { return sync_.start_sample + sync_.frame_samples; }

    /// While no base station is found: measures the loudest part since the last look.
    void listen(std::span<const phy::Complex> samples) {
        for (size_t at = 0; at + kLoudPart <= samples.size(); at += kLoudPart) {
            float sum = 0;
            for (const auto s : samples.subspan(at, kLoudPart)) sum += std::norm(s);
            loudest_ = std::max(loudest_, sum / static_cast<float>(kLoudPart));
        }
    }
    void end_of_look() {
        if (gain_ && loudest_ > 0 && gain_changes_at_ == kNever)
            change_gain(gain_->on_search(phy::decibels(static_cast<double>(loudest_))), time_reached() + gap_lead_);
        loudest_ = 0;
    }

    /// Processes samples up to the next point where the receiver has to wait.
    void advance() override {
        while (!clock_.waits() && position() < buffer_.end()) {
            if (const auto due = clock_.due(position())) {
                send(*due);
                continue;
            }
            if (position() >= gain_changes_at_) {
                gain_changes_at_ = kNever;
                forget_front_end();
            }
            const auto part = buffer_.view(position(), std::min({clock_.next_due(), buffer_.end(), gain_changes_at_}));
            const size_t n = receiver_.process(part, position(), *this);
            if (gain_ && !clock_.synchronised()) listen(part.first(n));
            buffer_.drop_before(position() + static_cast<int64_t>(n));
            if (const auto owed = clock_.owed(position())) send(*owed);
            else if (n == 0 && !clock_.waits())
                break;  // cannot happen: a receiver that consumes nothing has requested a pause
        }
        if (!clock_.waits()) promise(clock_.commit(position()));
        const std::lock_guard guard(status_mutex_);
        status_.position = position();
        status_.synchronised = clock_.synchronised();
    }

    void send(const SubscriberClock::Tick& due) {
        if (!due.of_frame) end_of_look();
        Tick t;
        t.attached = due.attached;
        t.synchronised = due.synchronised;
        t.frame_number = due.number;
        t.frame_start_sample = due.frame_start;
        t.deadline_sample = due.deadline;
        t.sample_rate_hz = rate_;
        if (due.of_frame) {
            t.cp = sync_.cp;
            t.frame_samples = sync_.frame_samples;
            t.bsid_lsb = sync_.prefix.bsid_lsb;
            t.rssi_dbfs = sync_.rssi_dbfs;
            t.cinr_db = sync_.snr_db;
            t.frequency_offset_hz = sync_.frequency_offset_hz;
            t.clock_offset_ppm = sync_.clock_offset_ppm;
        }
        output_.send(t);
    }

    phy::SampleFlow on_frame(const phy::FrameSync& sync) override {
        sync_ = sync;
        clock_.frame_begins({.start = sync.start_sample,
                             .start_fraction = sync.start_fraction,
                             .samples = sync.frame_samples,
                             .clock_offset_ppm = static_cast<double>(sync.clock_offset_ppm),
                             .symbol_samples = numerology().symbol_samples(),
                             .lsb = sync.fch_ok ? std::optional(sync.prefix.frame_lsb) : std::nullopt});
        receiver_.set_observer(output_.observer(frame_number()));
        if (gain_ && radio_ && sync.frame_samples > 0 && gain_changes_at_ == kNever) {
            const auto gain_db = gain_->on_frame(static_cast<double>(sync.rssi_dbfs));
            if (one_carrier_) change_gain(gain_db, frame_end() - gap_lead_);
            else want_gain(gain_db);
        }
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.frames;
            status_.fch_failures += sync.fch_ok ? 0 : 1;
            status_.rssi_dbfs = sync.rssi_dbfs;
            status_.snr_db = sync.snr_db;
            status_.frequency_offset_hz = sync.frequency_offset_hz;
            status_.clock_offset_ppm = sync.clock_offset_ppm;
            status_.front_end = receiver_.front_end();
            const auto given = receiver_.given();
            status_.detected_preambles = given.preambles;
            status_.transformed_symbols = given.symbols;
        }
        if (sync.fch_ok && sync.prefix.entry_count > 0) return phy::SampleFlow::go_on;
        return clock_.maps_missing() ? phy::SampleFlow::pause : phy::SampleFlow::go_on;
    }

    phy::SampleFlow on_burst(const phy::FrameSync& sync, phy::ReceivedBurst& burst) override {
        const bool broadcast = burst.index == 1;
        if (!broadcast && !want_prefix_bursts_ && announced_by_prefix(sync, burst.index)) return phy::SampleFlow::go_on;
        BurstReport r;
        r.frame_number = frame_number();
        r.attached = clock_.attached();
        r.burst = std::move(burst);
        r.start_slot = phy::Slot::of_symbol(r.burst.start_symbol, numerology().symbol_slots());
        r.frame_start_sample = sync.start_sample;
        r.prefix = sync.prefix;
        r.cp = sync.cp;
        r.frame_samples = sync.frame_samples;
        for (const auto& e : expected_)
            if (e.index == r.burst.index) {
                r.kind = e.kind;
                r.cid = e.cid;
            }
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.bursts;
            status_.fec_failures += r.burst.fec_ok ? 0 : 1;
            status_.retried += r.burst.retried;
        }
        output_.send(std::move(r));
        if (!broadcast) return phy::SampleFlow::go_on;
        expected_.clear();
        want_prefix_bursts_ = true;
        return clock_.maps_heard() ? phy::SampleFlow::pause : phy::SampleFlow::go_on;
    }

    static bool announced_by_prefix(const phy::FrameSync& sync, int index) {
        return index <= sync.prefix.entry_count || index > phy::kStcZoneIndex;
    }

    void on_sync_lost(int64_t) override {
        clock_.sync_lost();
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.sync_losses;
        }
        report({ErrorKind::sync_lost, frame_number(), 0, "no preamble where it was expected"});
    }

    void take(const Expectation& e) {
        std::vector<phy::DownlinkReceiver::Expected> list;
        expected_.clear();
        const int symbol_slots = numerology().symbol_slots();
        // Numbers of the frame prefix are 1..4, so further bursts count from there.
        int index = std::max(sync_.prefix.entry_count, 1);
        for (const auto& b : e.bursts) {
            ++index;
            list.push_back({b.format, b.start_slot.symbol(symbol_slots), index});
            expected_.push_back({index, b.kind, b.cid});
        }
        for (const auto slot : e.stc_zone_slots) receiver_.expect_stc_zone(slot.symbol(symbol_slots));
        receiver_.expect(list);
        receiver_.expect_no_more();
        change_gain_in_pause();
        skip_unused();
        want_prefix_bursts_ = e.want_prefix_bursts;
        clock_.uplinks(e.first_uplink_slot.samples(), e.next_uplink_slot.samples(), position());
    }

    void skip_unused() {
        if (!skip_unused_ || !radio_) return;
        if (const auto unused = receiver_.unused()) radio_->skip_received(unused->from, unused->until);
    }

    /// Numerology of the current frame.
    phy::Numerology numerology() const { return *phy::Numerology::make(bandwidth_hz_, sync_.cp); }

    struct Reference {
        int index;
        BurstKind kind;
        uint16_t cid;
    };

    const int64_t bandwidth_hz_;
    phy::DownlinkReceiver receiver_;
    SubscriberClock clock_;
    static constexpr int kGapLeadUs = 800;  // time between a gain change and the next preamble
    static constexpr int kMostFullFrames = 8;
    static constexpr size_t kLoudPart = 64;
    static constexpr int64_t kNever = INT64_MAX;
    const int64_t gap_lead_;
    const bool one_carrier_, skip_unused_;
    std::optional<GainControl> gain_;
    struct WantedGain {
        double db = 0;
        int full_frames = 0;  ///< without a pause for it
    };
    std::optional<WantedGain> wanted_gain_;
    int64_t promised_ = 0, gain_changes_at_ = kNever;
    float loudest_ = 0;  ///< mean power of kLoudPart samples in a row
    bool want_prefix_bursts_ = true;
    phy::FrameSync sync_;
    std::vector<Reference> expected_;
};

}  // namespace gr::wimax
