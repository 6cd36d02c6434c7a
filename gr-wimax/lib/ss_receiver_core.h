/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "receiver_core.h"

#include <gnuradio/wimax/phy/downlink_receiver.h>
#include <gnuradio/wimax/phy/stc.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace gr::wimax {

/// The receiver of a subscriber station, and its clock: a tick a frame, at the moment that leaves time to answer.
class SsReceiverCore final : public ReceiverCore<ss_receiver::Status>, private phy::DownlinkListener {
public:
    using Config = ss_receiver::Config;
    static constexpr bool kHearsCodes = false;

    SsReceiverCore(ReceiverOutput& output, const Config& config, const phy::DownlinkReceiverConfig& core, int64_t rate,
                   TransmitPathPtr radio)
        : ReceiverCore(output, std::move(radio), rate, static_cast<size_t>(rate * kBuffer_ms / 1000)),
          config_(config),
          lock_step_(config.wait_for_answers || (radio_ && radio_->lock_step())),
          response_(std::max(samples_of(config.response_us), radio_ ? radio_->chunk_samples() : 0)),
          tick_lead_(std::max(samples_of(config.turnaround_us), response_ + samples_of(kMaxAdvance_us))),
          receiver_(core) {}

    uint32_t frame_number() const override { return number_; }

    void on_expect(const Parsed<Expectation>& e) override {
        if (!e) report({"invalid", number_, 0, "expect: " + e.error()});
        if (e && e->frame_number == number_ && frame_open_) take(*e);
        if (wait_ != Wait::expectation || (e && e->frame_number != number_)) return;
        wait_ = Wait::nothing;
        if (!tick_at_ && !ticked_) tick_at_ = position();
        advance();
    }

    void on_done(const Done& done) override {
        if (wait_ != Wait::transmitter || done.frame_number != ticked_number_) return;
        wait_ = Wait::nothing;
        if (receiver_.synchronised() && sync_.frame_samples > 0) {
            // Nothing more before the next frame's uplink. A map of its own describes that no earlier than the header's
            // end and needs an answer; one of this frame may let it begin there.
            const auto numerology = phy::Numerology::make(config_.bandwidth_hz, sync_.cp);
            const bool foretold = next_uplink_ && next_uplink_->frame_number == ticked_number_;
            commit(ticked_start_ + sync_.frame_samples + kHeaderSymbols * numerology->symbol_samples() +
                   samples_of(foretold ? -kMaxAdvance_us : config_.response_us));
        }
        advance();
    }

    void on_control(const Control& c) override {
        if (c.diuc_rates) receiver_.set_profiles(*c.diuc_rates);
        if (!c.attached) return;
        attach_wanted_ = *c.attached;
        if (attach_wanted_ && receiver_.synchronised()) return;  // from the next frame on
        attached_ = attach_wanted_;
        if (attached_) return;
        if (wait_ == Wait::expectation && !ticked_) tick_at_ = position();
        wait_ = Wait::nothing;
        advance();
    }

private:
    static constexpr int64_t kSilentTick_ms = 10;  // while there is no frame to hang a tick on
    static constexpr int64_t kBuffer_ms = 60;      // samples that wait in the block at most
    static constexpr int kHeaderSymbols =
        4;  // long preamble, FCH, at least one symbol of maps: no uplink begins before
    static constexpr int kMaxAdvance_us = 250;  // stations send this much before their slots at most (a cell of 37 km)

    enum class Wait : uint8_t { nothing, expectation, transmitter };

    bool may_wait() const { return lock_step_ && attached_; }

    void jump(int64_t sample, bool) override {
        buffer_.reset(sample);
        receiver_.reset();
        wait_ = Wait::nothing;
        tick_at_.reset();
        next_uplink_.reset();
        frame_open_ = ticked_ = false;
        last_tick_ = sample;
    }

    int64_t position() const { return buffer_.begin_sample(); }

    /// Processes what is there, up to the next point where something must be waited for.
    void advance() override {
        while (wait_ == Wait::nothing && buffer_.begin_sample() < buffer_.end_sample()) {
            const int64_t own = std::min(tick_at_.value_or(silent_tick()), silent_tick()),
                          stop = std::min(own, next_tick());
            if (stop <= position()) {
                if (own <= position())
                    tick(frame_open_ && !ticked_);
                else
                    tick_ahead();
                continue;
            }
            const auto part = buffer_.view(position(), std::min(stop, buffer_.end_sample()));
            const size_t n = receiver_.process(part, position(), *this);
            buffer_.drop_before(position() + static_cast<int64_t>(n));
            if (tick_now_) {
                tick_now_ = false;
                tick(true);
            } else if (n == 0 && wait_ == Wait::nothing) {
                break;  // never: a receiver that takes nothing has asked to pause
            }
        }
        if (wait_ == Wait::nothing) {
            // The tick of an uplink that is known is still to come: nothing is sent before that.
            const int64_t uplink = tick_at_ ? uplink_start_.value_or(0) - samples_of(kMaxAdvance_us) : 0;
            commit(std::max(position() + response_, uplink));
        }
        const std::lock_guard guard(status_mutex_);
        status_.position = position();
        status_.synchronised = receiver_.synchronised();
    }

    /// Where a tick is due whatever is received: MAC timers count samples.
    int64_t silent_tick() const {
        const int64_t frame = receiver_.synchronised() ? 2 * sync_.frame_samples : 0;
        return last_tick_ + std::max(frame, rate_ * kSilentTick_ms / 1000);
    }

    /// Where the coming frame's tick is due if a map of this frame has described its uplink: that may be before its own
    /// maps are received, or even before it begins.
    int64_t next_tick() const {
        const bool open = frame_open_ && !ticked_;  // one after the other
        return next_uplink_ && !next_uplink_->ticked && !open ? next_uplink_->sample - tick_lead_ : INT64_MAX;
    }

    void tick(bool of_frame) {
        if (!of_frame) attached_ = attach_wanted_;
        publish_tick(of_frame, number_, of_frame ? sync_.start_sample : position(), uplink_start_);
        uplink_start_.reset();
        frame_open_ = false;
    }

    void tick_ahead() {
        const auto samples = static_cast<double>(sync_.frame_samples);
        const double length = samples * (1 + 1e-6 * static_cast<double>(sync_.clock_offset_ppm));
        next_uplink_->ticked = true;
        publish_tick(true, next_uplink_->frame_number, sync_.start_sample + std::llround(length + sync_.start_fraction),
                     next_uplink_->sample);
    }

    void publish_tick(bool of_frame, uint32_t number, int64_t start, std::optional<int64_t> uplink) {
        Tick t;
        t.attached = attached_;
        t.synchronised = of_frame && receiver_.synchronised();
        t.frame_number = number;
        t.frame_start_sample = start;
        t.sample_rate_hz = rate_;
        if (of_frame) {
            t.cp = sync_.cp;
            t.frame_samples = sync_.frame_samples;
            t.bsid_lsb = sync_.prefix.bsid_lsb;
            t.rssi_dbfs = sync_.rssi_dbfs;
            t.cinr_db = sync_.snr_db;
            t.frequency_offset_hz = sync_.frequency_offset_hz;
            t.clock_offset_ppm = sync_.clock_offset_ppm;
        }
        t.deadline_sample = std::max(uplink.value_or(0), position() + samples_of(config_.turnaround_us)) -
                            samples_of(config_.deadline_lead_us);
        ticked_number_ = number;
        ticked_start_ = start;
        tick_at_.reset();
        last_tick_ = position();
        wait_ = may_wait() ? Wait::transmitter : Wait::nothing;
        output_.send(t);
    }

    phy::Flow on_frame(const phy::FrameSync& sync) override {
        attached_ = attach_wanted_;
        const int64_t old_start = sync_.start_sample;
        sync_ = sync;
        count_frame(old_start);
        receiver_.set_observer(output_.observer(number_));
        frame_open_ = true;
        tick_at_.reset();
        const bool foretold = next_uplink_ && next_uplink_->frame_number == number_;
        ticked_ = foretold && next_uplink_->ticked;
        uplink_start_ = foretold ? std::optional(next_uplink_->sample) : std::nullopt;
        next_uplink_.reset();
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.frames;
            status_.fch_failures += sync.fch_ok ? 0 : 1;
            status_.rssi_dbfs = sync.rssi_dbfs;
            status_.snr_db = sync.snr_db;
            status_.frequency_offset_hz = sync.frequency_offset_hz;
            status_.clock_offset_ppm = sync.clock_offset_ppm;
        }
        if (sync.fch_ok && sync.prefix.entry_count > 0) return phy::Flow::go_on;
        return tick_now();  // no broadcast burst to come: the frame's tick is due
    }

    /// 24 bits on our own: the frame prefix has only the low four, the MAC learns the others.
    void count_frame(int64_t old_start) {
        if (sync_.frame_samples > 0) {
            const int64_t passed = (sync_.start_sample - old_start + sync_.frame_samples / 2) / sync_.frame_samples;
            number_ = static_cast<uint32_t>(number_ + passed) & kFrameNumberMask;
        } else {
            number_ = (number_ + 1) & kFrameNumberMask;
        }
        if (!sync_.fch_ok || (number_ & 0xF) == sync_.prefix.frame_lsb) return;
        number_ = (number_ + ((sync_.prefix.frame_lsb - number_) & 0xF)) & kFrameNumberMask;
    }

    phy::Flow on_burst(const phy::FrameSync& sync, const phy::ReceivedBurst& burst) override {
        const bool broadcast = burst.index == 1;
        if (!broadcast && !want_prefix_bursts_ && announced_by_prefix(sync, burst.index)) return phy::Flow::go_on;
        BurstReport r;
        r.frame_number = number_;
        r.attached = attached_;
        r.burst = burst;
        const auto numerology = phy::Numerology::make(config_.bandwidth_hz, sync.cp);
        r.start_slot = static_cast<uint32_t>(burst.start_symbol * numerology->symbol_slots());
        r.frame_start_sample = sync.start_sample;
        r.bsid_lsb = sync.prefix.bsid_lsb;
        r.change_count_lsb = sync.prefix.change_count_lsb;
        r.frame_lsb = sync.prefix.frame_lsb;
        r.cp = sync.cp;
        r.frame_samples = sync.frame_samples;
        for (const auto& e : expected_)
            if (e.index == burst.index) r.reference = e.reference;
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.bursts;
            status_.fec_failures += burst.fec_ok ? 0 : 1;
        }
        output_.send(r);
        if (!broadcast) return phy::Flow::go_on;
        expected_.clear();
        want_prefix_bursts_ = true;
        if (!attached_) return tick_now();
        if (!may_wait()) return phy::Flow::go_on;
        wait_ = Wait::expectation;
        return phy::Flow::pause;
    }

    static bool announced_by_prefix(const phy::FrameSync& sync, int index) {
        return index <= sync.prefix.entry_count || index > phy::kStcZoneIndex;
    }

    phy::Flow tick_now() {
        tick_now_ = !ticked_;
        return ticked_ ? phy::Flow::go_on : phy::Flow::pause;
    }

    void on_sync_lost(int64_t) override {
        frame_open_ = ticked_ = false;
        tick_at_.reset();
        next_uplink_.reset();
        {
            const std::lock_guard guard(status_mutex_);
            ++status_.sync_losses;
        }
        report({"sync_lost", number_, 0, "no preamble where it was expected"});
    }

    void take(const Expectation& e) {
        std::vector<phy::DownlinkReceiver::Expected> list;
        expected_.clear();
        const auto numerology = phy::Numerology::make(config_.bandwidth_hz, sync_.cp);
        // Numbers of the frame prefix are 1..4, so further bursts count from there.
        int index = std::max(sync_.prefix.entry_count, 1);
        for (const auto& b : e.bursts) {
            ++index;
            list.push_back({b.format, static_cast<int>(b.start_slot) / numerology->symbol_slots(), index});
            expected_.push_back({index, b.reference});
        }
        for (const auto slot : e.stc_zone_slots)
            receiver_.expect_stc_zone(static_cast<int>(slot) / numerology->symbol_slots());
        receiver_.expect(list);
        want_prefix_bursts_ = e.want_prefix_bursts;
        if (e.next_uplink_slot > 0 && sync_.frame_samples > 0) {
            const int64_t next_start = sync_.start_sample + sync_.frame_samples;
            next_uplink_ = {(number_ + 1) & kFrameNumberMask,
                            next_start + int64_t{e.next_uplink_slot} * phy::kSamplesPerSlot, false};
        }
        uplink_start_.reset();
        if (ticked_) return;
        if (e.first_uplink_slot > 0)
            uplink_start_ = sync_.start_sample + int64_t{e.first_uplink_slot} * phy::kSamplesPerSlot;
        tick_at_ = uplink_start_ ? *uplink_start_ - tick_lead_ : position();
    }

    /// Never beyond an uplink that is known to come and has not had its answer.
    void commit(int64_t sample) {
        if (next_uplink_ && !next_uplink_->ticked)
            sample = std::min(sample, next_uplink_->sample - samples_of(kMaxAdvance_us));
        ReceiverCore::commit(sample);
    }

    struct Reference {
        int index;
        uint32_t reference;
    };

    const Config config_;
    const bool lock_step_;
    const int64_t response_;
    const int64_t tick_lead_;  ///< tick to uplink
    phy::DownlinkReceiver receiver_;
    bool attached_ = false, attach_wanted_ = false;
    Wait wait_ = Wait::nothing;
    bool frame_open_ = false;  ///< a frame began and has not had its tick
    bool ticked_ = false;      ///< the frame at hand had its tick before it began
    bool tick_now_ = false;
    bool want_prefix_bursts_ = true;
    std::optional<int64_t> tick_at_, uplink_start_;
    /// First slot of the coming frame's uplink.
    struct NextUplink {
        uint32_t frame_number;
        int64_t sample;
        bool ticked;
    };
    std::optional<NextUplink> next_uplink_;
    int64_t last_tick_ = 0, ticked_start_ = 0;
    uint32_t number_ = 0, ticked_number_ = 0;
    phy::FrameSync sync_;
    std::vector<Reference> expected_;
};

}  // namespace gr::wimax
