// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "blocks/receiver_core.h"
#include "timing/base_station_clock.h"
#include "timing/uplink_queue.h"

#include <gnuradio/wimax/bs_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <algorithm>

namespace gr::wimax {

/// The receiver of a base station: ticks frames, decodes the bursts that are expected.
class BsReceiverCore final : public ReceiverCore<bs_receiver::Status> {
public:
    using Config = bs_receiver::Config;
    static constexpr bool kHearsCodes = true;

    BsReceiverCore(ReceiverOutput& output, const Config& config, const phy::Numerology& numerology,
                   TransmitPathPtr radio)
        : ReceiverCore(output, std::move(radio), numerology.sample_rate_hz,
                       kBufferFrames * frame_length(config, numerology)),
          numerology_(numerology),
          receiver_(numerology),
          contention_(numerology),
          frame_samples_(static_cast<int64_t>(frame_length(config, numerology))),
          clock_({.frame_samples = frame_samples_,
                  .grid_delay = rate_ * kGridDelayMs / 1000,
                  .tick_lead = std::max(samples_of(config.tick_lead_us), radio_ ? radio_->chunk_samples() : 0) +
                               samples_of(commit_lead_us(config)),
                  .commit_lead = samples_of(commit_lead_us(config)),
                  .deadline_lead = samples_of(config.deadline_lead_us),
                  .first_frame = phy::FrameNumber(config.first_frame_number)}) {}

    phy::FrameNumber frame_number() const override { return clock_.number(); }

    void on_expect(const Parsed<Expectation>& e) override {
        if (!e) return report({ErrorKind::invalid, frame_number(), 0, "expect: " + e.error().str()});
        const phy::FrameNumber frame = e->frame_number;
        const auto start = clock_.start_of(frame);
        if (!start) return report({ErrorKind::invalid, frame, 0, "expect: not a frame that was ticked lately"});
        int index = 0;
        for (const auto& b : e->bursts) expect(frame, *start, b, index++);
        for (const phy::Slot slot : e->contention_slots) expect_codes(frame, *start, slot);
        advance();
    }

    void on_done(const Done& done) override {
        if (clock_.answered(done.frame_number)) commit(clock_.commit());
    }

    void on_control(const Control& c) override {
        if (c.first_frame_number) {
            queue_.clear();
            clock_.set_next_number(*c.first_frame_number);
        }
        if (c.forget_front_end.value_or(false)) forget_front_end();
        if (!c.attached) return;
        clock_.attach(*c.attached);
        if (!*c.attached) commit(clock_.commit());
    }

private:
    void forget_front_end() {
        receiver_.forget_front_end();
        const std::lock_guard guard(status_mutex_);
        status_.front_end = receiver_.front_end();
    }

    static constexpr int64_t kGridDelayMs = 300;
    static constexpr int64_t kHistoryFrames = 1;  // frames of samples kept for late expectations
    static constexpr size_t kBufferFrames = 4;    // longest allocation with search plus history
    static constexpr size_t kMaxPending = 4096;

    /// The radio joins frames that follow each other without a pause (FDD). Therefore a commit stops before the frame.
    static int commit_lead_us(const Config& config) { return config.one_carrier ? 0 : 40; }
    static size_t frame_length(const Config& config, const phy::Numerology& numerology) {
        return static_cast<size_t>(numerology.frame_samples(static_cast<uint8_t>(config.frame_duration_code)));
    }

    void jump(int64_t sample, bool first) override {
        const int64_t old = buffer_.end();
        drop_pending();
        buffer_.reset(sample);
        if (first || sample < old) clock_.begin(sample);
        else clock_.skip_to(sample);
        commit(clock_.commit());
    }

    /// Ticks and bursts in the order of air time, so that the MAC's input does not depend on the host's speed.
    void advance() override {
        const int64_t now = buffer_.end();
        while (std::min(queue_.complete_at(), clock_.tick_at()) <= now) {
            if (queue_.complete_at() < clock_.tick_at()) decode(queue_.take());
            else tick();
        }
        // In lock-step, bursts are decoded at their end while air time continues: both ends of a link work at the same
        // time, not in turns. With a free-running clock the work is spread, so that no samples are lost.
        if (!radio_ || !radio_->lock_step()) work_ahead(now);
        const int64_t keep = std::min(now - kHistoryFrames * frame_samples_, queue_.needed_from());
        buffer_.drop_before(std::max(keep, now - (static_cast<int64_t>(kBufferFrames) - 1) * frame_samples_));
        const std::lock_guard guard(status_mutex_);
        status_.position = now;
    }

    void tick() {
        const auto frame = clock_.tick();
        Tick t;
        t.frame_number = frame.number;
        t.frame_start_sample = frame.start;
        t.deadline_sample = frame.deadline;
        t.sample_rate_hz = rate_;
        t.attached = clock_.attached();
        t.cp = numerology_.cp;
        t.frame_samples = frame_samples_;
        output_.send(t);
        if (!clock_.waits()) commit(clock_.commit());
        const std::lock_guard guard(status_mutex_);
        ++status_.frames;
    }

    void expect(phy::FrameNumber frame, int64_t frame_start, const ExpectedBurst& b, int index) {
        AwaitedUplink p;
        p.frame = frame;
        p.start_slot = b.start_slot;
        p.kind = b.kind;
        p.cid = b.cid;
        p.attached = clock_.attached();
        p.allocation.format = b.format;
        p.allocation.start_sample = frame_start + b.start_slot.samples();
        p.allocation.search_samples = static_cast<int>(phy::samples_in_slots(b.search_slots));
        p.allocation.index = index;
        p.first = receiver_.first_sample(p.allocation);
        p.complete = receiver_.end_sample(p.allocation);
        queue(p);
    }

    void expect_codes(phy::FrameNumber frame, int64_t frame_start, phy::Slot slot) {
        AwaitedUplink p;
        p.frame = frame;
        p.start_slot = slot;
        p.attached = clock_.attached();
        p.codes = true;
        p.allocation.start_sample = frame_start + slot.samples();
        p.first = p.allocation.start_sample;
        p.complete = p.first + phy::kContentionSymbols * numerology_.symbol_samples();
        queue(p);
    }

    /// Report with the properties known before reception.
    BurstReport report_of(const AwaitedUplink& p) const {
        BurstReport r;
        r.direction = phy::Direction::uplink;
        r.frame_number = p.frame;
        r.kind = p.kind;
        r.cid = p.cid;
        r.start_slot = p.start_slot;
        r.attached = p.attached;
        r.cp = numerology_.cp;
        r.frame_samples = frame_samples_;
        return r;
    }

    /// Receives the available samples of the burst that will be complete next.
    void work_ahead(int64_t now) {
        if (queue_.complete_at() == UplinkQueue::kNever) return;
        const auto& p = queue_.all().front();
        if (p.codes || p.first >= now) return;
        begin(p);
        receiver_.advance(buffer_.view(p.first, now), std::max(p.first, buffer_.begin()));
    }
    /// Starts the burst unless it has begun. A burst that ends earlier may interrupt another, which then starts again.
    void begin(const AwaitedUplink& p) {
        if (begun_ == p.serial) return;
        begun_ = p.serial;
        receiver_.set_observer(output_.observer(p.frame));
        receiver_.start(p.allocation);
    }

    void decode(const AwaitedUplink& p) {
        if (p.codes) return detect_codes(p);
        BurstReport first_report = report_of(p), second_report = report_of(p);
        const auto samples = buffer_.view(p.first, p.complete);
        const int64_t first = std::max(p.first, buffer_.begin());
        begin(p);
        receiver_.finish(samples, first, first_report.burst);
        publish(std::move(first_report));
        // If two stations range at the same time, the second may be legible, too: it has a separate report.
        if (receiver_.receive_second(samples, first, p.allocation, second_report.burst))
            publish(std::move(second_report));
    }

    void publish(BurstReport&& r) {
        count(r.burst);
        output_.send(std::move(r));
    }
    void count(const phy::ReceivedBurst& burst) {
        const std::lock_guard guard(status_mutex_);
        ++status_.bursts;
        if (!burst.detected) return;
        ++status_.detected;
        status_.fec_failures += burst.fec_ok ? 0 : 1;
        status_.retried += burst.retried;
        status_.rssi_dbfs = burst.measured.rssi_dbfs;
        status_.cinr_db = burst.measured.cinr_db;
        status_.frequency_offset_hz = burst.measured.frequency_offset_hz;
        status_.front_end = receiver_.front_end();
    }

    void detect_codes(const AwaitedUplink& p) {
        const auto samples = buffer_.view(p.first, p.complete);
        const auto found = contention_.detect(samples, std::max(p.first, buffer_.begin()), p.allocation.start_sample);
        output_.send(ContentionReport{p.frame, p.start_slot, p.attached, {found.begin(), found.end()}});
    }

    /// Reports each pending burst as not found, because its samples will not arrive: no program waits for it.
    void drop_pending() {
        for (const auto& p : queue_.all()) {
            if (p.codes) {
                output_.send(ContentionReport{p.frame, p.start_slot, p.attached, {}});
                continue;
            }
            BurstReport r = report_of(p);
            r.burst.index = p.allocation.index;
            r.burst.format = p.allocation.format;
            output_.send(std::move(r));
        }
        queue_.clear();
    }

    void queue(const AwaitedUplink& p) {
        if (p.complete - p.first > static_cast<int64_t>(kBufferFrames - 1) * frame_samples_)
            return report({ErrorKind::invalid, p.frame, 0, "expect: burst longer than the receiver's memory"});
        if (!queue_.add(p)) report({ErrorKind::invalid, p.frame, 0, "expect: more bursts at once than 4096"});
    }

    const phy::Numerology numerology_;
    phy::UplinkReceiver receiver_;
    phy::ContentionDetector contention_;
    const int64_t frame_samples_;
    BaseStationClock clock_;
    UplinkQueue queue_{kMaxPending};
    uint64_t begun_ = 0;  // serial number of the burst whose reception has begun
};

}  // namespace gr::wimax
