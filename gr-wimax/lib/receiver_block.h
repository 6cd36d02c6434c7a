/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What both receivers have in common as GNU Radio blocks: message ports, samples with the time tag of radio_source, a
 * buffer where they wait (a sink that consumes nothing would be called again at once, and one that sleeps in work()
 * would never see the message it waits for), commits to the radio, and the status for other threads.
 */
#pragma once

#include "receiver_displays.h"
#include "sample_buffer.h"

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/transmit_path.h>

#include <boost/thread/thread.hpp>

#include <mutex>
#include <utility>

namespace gr::wimax {

/// `Block`: bs_receiver or ss_receiver, the public interface with its Status.
template <typename Block>
class ReceiverBlock : public Block {
public:
    typename Block::Status status() const final {
        const std::lock_guard guard(status_mutex_);
        return status_;
    }

    int work(int noutput_items, gr_vector_const_void_star& input_items, gr_vector_void_star&) final {
        tags_.clear();
        this->get_tags_in_window(tags_, 0, 0, static_cast<uint64_t>(noutput_items), pmt::mp(key::rx_sample));
        size_t n = static_cast<size_t>(noutput_items);
        for (const auto& tag : tags_) {
            const uint64_t offset = tag.offset - this->nitems_read(0);
            if (offset == 0)
                move_time(pmt::to_long(tag.value));
            else
                n = std::min<size_t>(n, offset);  // up to the next jump; it comes again as the first item
        }
        if (!started_) move_time(0);
        n = std::min(n, buffer_.space());
        // Full only when an answer is waited for and no radio holds the samples back: look again soon. The scheduler
        // would call at once, without a pause.
        if (n == 0) boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
        buffer_.append({static_cast<const gr_complex*>(input_items[0]), n});
        advance();
        return static_cast<int>(n);
    }

protected:
    ReceiverBlock(TransmitPathPtr radio, int64_t sample_rate_hz, size_t buffer_samples, int display_interval_frames)
        : radio_(std::move(radio)),
          rate_(sample_rate_hz),
          buffer_(buffer_samples),
          displays_(*this, static_cast<uint32_t>(display_interval_frames)) {
        for (const char* name : {port::tick, port::burst, port::error}) this->message_port_register_out(pmt::mp(name));
        const auto in = [this](const char* name, auto method) {
            this->message_port_register_in(pmt::mp(name));
            this->set_msg_handler(pmt::mp(name), [this, method](const pmt::pmt_t& pdu) { (this->*method)(pdu); });
        };
        in(port::expect, &ReceiverBlock::on_expect);
        in(port::done, &ReceiverBlock::on_done);
        in(port::control, &ReceiverBlock::on_control);
    }

    virtual void on_expect(const pmt::pmt_t& pdu) = 0;
    virtual void on_done(const pmt::pmt_t& pdu) = 0;
    virtual void on_control(const pmt::pmt_t& pdu) = 0;
    /// Deals with what the buffer holds.
    virtual void advance() = 0;
    /// The next sample is number `sample`, the first of all or not the one after the buffer's end: forgets the buffer.
    virtual void jump(int64_t sample, bool first) = 0;
    /// For reports of errors.
    virtual uint32_t frame_number() const = 0;

    int64_t samples_of(int us) const { return rate_ * us / 1'000'000; }
    void commit(int64_t sample) {
        if (radio_ && started_) radio_->commit(sample);
    }
    void publish(const char* port_name, const pmt::pmt_t& pdu) { this->message_port_pub(pmt::mp(port_name), pdu); }
    void publish(const BurstReport& r) {
        const auto pdu = to_pdu(r);
        publish(port::burst, pdu);
        displays_.publish(pdu);
    }
    void report(const ErrorReport& e) { publish(port::error, to_pdu(e)); }

    const TransmitPathPtr radio_;
    const int64_t rate_;
    SampleBuffer buffer_;
    ReceiverDisplays displays_;
    bool started_ = false;
    mutable std::mutex status_mutex_;
    typename Block::Status status_;

private:
    void move_time(int64_t sample) {
        const int64_t expected = buffer_.end_sample();
        const bool first = !std::exchange(started_, true);
        if (!first && sample == expected) return;
        jump(sample, first);
        if (first) return;
        report(
            {"time_jump", frame_number(), (sample - expected) * 1'000'000 / rate_, "received samples do not follow"});
    }

    std::vector<tag_t> tags_;
};

}  // namespace gr::wimax
