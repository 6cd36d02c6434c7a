/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "receiver_core.h"

#include <gnuradio/wimax/bs_receiver.h>
#include <gnuradio/wimax/phy/focused_contention.h>
#include <gnuradio/wimax/phy/uplink_receiver.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gr::wimax {

/// The clock and receiver of a base station: counts frames, ticks them, decodes the bursts that are expected.
class BsReceiverCore final : public ReceiverCore<bs_receiver::Status> {
public:
    using Config = bs_receiver::Config;
    static constexpr bool kHearsCodes = true;

    BsReceiverCore(ReceiverOutput& output, const Config& config, const phy::Numerology& numerology,
                   TransmitPathPtr radio)
        : ReceiverCore(output, std::move(radio), numerology.sample_rate_hz,
                       kBufferFrames * frame_length(config, numerology)),
          config_(config),
          numerology_(numerology),
          receiver_(numerology),
          contention_(numerology),
          frame_samples_(static_cast<int64_t>(frame_length(config, numerology))),
          tick_lead_(std::max(samples_of(config.tick_lead_us), radio_ ? radio_->chunk_samples() : 0)),
          next_number_(config.first_frame_number) {}

    uint32_t frame_number() const override { return last_number_; }

    void on_expect(const Parsed<Expectation>& e) override {
        if (!e) return report({"invalid", last_number_, 0, "expect: " + e.error()});
        const uint32_t age = (last_number_ - e->frame_number) & kFrameNumberMask;
        if (!started_ || age > 16 || age > last_frame_)
            return report({"invalid", e->frame_number, 0, "expect: not a frame that was ticked lately"});
        const int64_t start = frame_start(last_frame_ - age);
        int index = 0;
        for (const auto& b : e->bursts) {
            Pending p;
            p.frame_number = e->frame_number;
            p.start_slot = b.start_slot;
            p.reference = b.reference;
            p.attached = attached_;
            p.allocation.format = b.format;
            p.allocation.start_sample = start + int64_t{b.start_slot} * phy::kSamplesPerSlot;
            p.allocation.search_samples = static_cast<int>(b.search_slots) * phy::kSamplesPerSlot;
            p.allocation.index = index++;
            const int64_t guard = receiver_.guard_samples();
            p.first = p.allocation.start_sample - guard;
            p.complete = p.allocation.start_sample + int64_t{b.format.total_symbols()} * numerology_.symbol_samples() +
                         p.allocation.search_samples + guard;
            queue(p);
        }
        for (const uint32_t slot : e->contention_slots) {
            Pending p;
            p.frame_number = e->frame_number;
            p.start_slot = slot;
            p.attached = attached_;
            p.codes = true;
            p.allocation.start_sample = start + int64_t{slot} * phy::kSamplesPerSlot;
            p.first = p.allocation.start_sample;
            p.complete = p.first + phy::kContentionSymbols * numerology_.symbol_samples();
            queue(p);
        }
        advance();
    }

    void on_done(const Done& done) override {
        if (!waiting_ || done.frame_number != last_number_) return;
        waiting_ = false;
        commit(frame_start(next_frame_));
    }

    void on_control(const Control& c) override {
        if (c.first_frame_number) {
            pending_.clear();
            next_number_ = *c.first_frame_number;
        }
        if (!c.attached) return;
        attached_ = *c.attached;
        if (!attached_ && started_) {
            waiting_ = false;
            commit(frame_start(next_frame_));
        }
    }

private:
    static constexpr int64_t kGridDelay_ms = 300;  // first sample to first frame: programs still start
    static constexpr int64_t kHistoryFrames = 1;   // samples kept for expectations that come late
    static constexpr size_t kBufferFrames = 4;     // longest allocation with search plus history
    static constexpr size_t kMaxPending = 4096;

    struct Pending {
        uint32_t frame_number = 0, start_slot = 0, reference = 0;
        int64_t first = 0, complete = 0;  ///< samples needed: [first, complete)
        bool attached = false;
        bool codes = false;  ///< a focused contention opportunity, of which the allocation has but the start
        phy::UplinkAllocation allocation;
    };

    static size_t frame_length(const Config& config, const phy::Numerology& numerology) {
        return static_cast<size_t>(numerology.frame_samples(static_cast<uint8_t>(config.frame_duration_code)));
    }
    int64_t frame_start(int64_t k) const { return grid_ + k * frame_samples_; }

    void jump(int64_t sample, bool first) override {
        const int64_t old = buffer_.end_sample();
        drop_pending();
        buffer_.reset(sample);
        if (first || sample < old) {  // a clock that was set back starts a new grid; frame numbers go on
            grid_ = sample + rate_ * kGridDelay_ms / 1000;
            next_frame_ = 0;
            last_frame_ = -1;  // those ticked lie on the old grid
            commit(frame_start(0));
        } else {
            const int64_t behind = sample + tick_lead_ - frame_start(next_frame_);
            const int64_t missed = behind <= 0 ? 0 : (behind + frame_samples_ - 1) / frame_samples_;
            next_frame_ += missed;
            next_number_ = static_cast<uint32_t>(next_number_ + missed) & kFrameNumberMask;
            commit(frame_start(next_frame_));
        }
    }

    /// Ticks and bursts in the order of air time, so that what the MAC sees does not depend on the host's speed.
    void advance() override {
        const int64_t now = buffer_.end_sample();
        for (;;) {
            const int64_t tick_at = frame_start(next_frame_) - tick_lead_;
            const bool burst_first = !pending_.empty() && pending_.front().complete < tick_at;
            if (burst_first && pending_.front().complete <= now) {
                const Pending p = pending_.front();
                pending_.erase(pending_.begin());
                decode(p);
            } else if (!burst_first && tick_at <= now) {
                tick();
            } else {
                break;
            }
        }
        int64_t keep = now - kHistoryFrames * frame_samples_;
        for (const auto& p : pending_) keep = std::min(keep, p.first);
        buffer_.drop_before(std::max(keep, now - (static_cast<int64_t>(kBufferFrames) - 1) * frame_samples_));
        const std::lock_guard guard(status_mutex_);
        status_.position = now;
    }

    void tick() {
        Tick t;
        t.frame_number = last_number_ = next_number_;
        t.frame_start_sample = frame_start(next_frame_);
        t.deadline_sample = t.frame_start_sample - samples_of(config_.deadline_lead_us);
        t.sample_rate_hz = rate_;
        t.attached = attached_;
        t.cp = numerology_.cp;
        t.frame_samples = frame_samples_;
        last_frame_ = next_frame_++;
        next_number_ = (next_number_ + 1) & kFrameNumberMask;
        waiting_ = attached_;
        output_.send(t);
        if (!attached_) commit(frame_start(next_frame_));
        const std::lock_guard guard(status_mutex_);
        ++status_.frames;
    }

    /// What is known of a burst before it is looked for.
    BurstReport report_of(const Pending& p) const {
        BurstReport r;
        r.direction = phy::Direction::uplink;
        r.frame_number = p.frame_number;
        r.reference = p.reference;
        r.start_slot = p.start_slot;
        r.attached = p.attached;
        r.cp = numerology_.cp;
        r.frame_samples = frame_samples_;
        return r;
    }

    void decode(const Pending& p) {
        if (p.codes) return detect_codes(p);
        BurstReport r = report_of(p);
        const auto samples = buffer_.view(p.first, p.complete);
        const int64_t first = std::max(p.first, buffer_.begin_sample());
        receiver_.set_observer(output_.observer(p.frame_number));
        receiver_.receive(samples, first, p.allocation, r.burst);
        publish(r);
        // Of stations that range at the same time the second may be legible, too: a report of its own.
        if (receiver_.receive_second(samples, first, p.allocation, r.burst)) publish(r);
    }

    void publish(const BurstReport& r) {
        output_.send(r);
        const std::lock_guard guard(status_mutex_);
        ++status_.bursts;
        if (!r.burst.detected) return;
        ++status_.detected;
        status_.fec_failures += r.burst.fec_ok ? 0 : 1;
        status_.rssi_dbfs = r.burst.measured.rssi_dbfs;
        status_.cinr_db = r.burst.measured.cinr_db;
        status_.frequency_offset_hz = r.burst.measured.frequency_offset_hz;
    }

    void detect_codes(const Pending& p) {
        const auto samples = buffer_.view(p.first, p.complete);
        const auto found =
            contention_.detect(samples, std::max(p.first, buffer_.begin_sample()), p.allocation.start_sample);
        output_.send(ContentionReport{p.frame_number, p.start_slot, p.attached, {found.begin(), found.end()}});
    }

    /// Their samples will not come: each is reported as not found, so that nobody waits for it.
    void drop_pending() {
        for (const auto& p : pending_) {
            if (p.codes) {
                output_.send(ContentionReport{p.frame_number, p.start_slot, p.attached, {}});
                continue;
            }
            BurstReport r = report_of(p);
            r.burst.index = p.allocation.index;
            r.burst.format = p.allocation.format;
            output_.send(r);
        }
        pending_.clear();
    }

    void queue(const Pending& p) {
        if (p.complete - p.first > static_cast<int64_t>(kBufferFrames - 1) * frame_samples_)
            return report({"invalid", p.frame_number, 0, "expect: burst longer than the receiver's memory"});
        if (pending_.size() >= kMaxPending)
            return report({"invalid", p.frame_number, 0, "expect: more bursts at once than 4096"});
        const auto at = std::upper_bound(pending_.begin(), pending_.end(), p.complete,
                                         [](int64_t end, const Pending& x) { return end < x.complete; });
        pending_.insert(at, p);
    }

    const Config config_;
    const phy::Numerology numerology_;
    phy::UplinkReceiver receiver_;
    phy::ContentionDetector contention_;
    const int64_t frame_samples_, tick_lead_;
    std::vector<Pending> pending_;  ///< in the order of their completion
    bool attached_ = false, waiting_ = false;
    int64_t grid_ = 0, next_frame_ = 0, last_frame_ = -1;
    uint32_t next_number_, last_number_ = 0;
};

}  // namespace gr::wimax
