// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/io_signature.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/radio_sink.h>
#include <gnuradio/wimax/radio_source.h>

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gr::wimax {
namespace {

constexpr double kReceiveTimeoutS = 0.1;
constexpr int64_t kSourceBufferItems = 8192;  // more would only add delay when the host lags
// Lock-step: GNU Radio returns at most half a buffer, and a program that lags takes several chunks at once.
constexpr int64_t kSourceBufferChunks = 16;
constexpr int64_t kFillLimitMs = 20;

class radio_source_impl final : public radio_source {
public:
    radio_source_impl(std::shared_ptr<RadioFrontend> radio, Tap tap)
        : gr::sync_block("wimax_radio_source", io_signature::make(0, 0, 0),
                         io_signature::make(1, 1, sizeof(gr_complex))),
          radio_(std::move(radio)),
          tap_(std::move(tap)),
          fill_limit_(radio_->sample_rate_hz() * kFillLimitMs / 1000) {
        const int64_t items = std::max(kSourceBufferItems, kSourceBufferChunks * radio_->chunk_samples());
        // GNU Radio uses one of the two, the upper limit first.
        if (radio_->lock_step()) set_min_output_buffer(0, items);
        else set_max_output_buffer(0, items);
        stash_.reserve(static_cast<size_t>(items));
    }

    bool start() override {
        radio_->start();
        return true;
    }
    bool stop() override {
        radio_->stop();
        return true;
    }

    int work(int noutput_items, gr_vector_const_void_star&, gr_vector_void_star& output_items) override {
        const std::span out(static_cast<gr_complex*>(output_items[0]), static_cast<size_t>(noutput_items));
        const int n = produce(out);
        if (n <= 0) return n;
        if (tap_) tap_(number_, out.first(static_cast<size_t>(n)));
        number_ += n;
        return n;
    }

private:
    int produce(std::span<gr_complex> out) {
        // Returning nothing would park a source for up to 250 ms, so waiting happens here; stop() interrupts the
        // thread.
        for (;;) {
            boost::this_thread::interruption_point();
            if (zeros_ > 0) return fill(out);
            if (taken_ < stash_.size()) return unstash(out);
            const auto r = radio_->receive(out, kReceiveTimeoutS);
            if (r.samples == 0 && radio_->lost()) return WORK_DONE;
            if (r.samples == 0) continue;
            if (continues(r)) return static_cast<int>(r.samples + more_packets(out.subspan(r.samples)));
            put_by(r, out);
        }
    }

    /// Reads packets that have arrived meanwhile: later blocks then wake once, not every tenth of a millisecond.
    size_t more_packets(std::span<gr_complex> out) {
        size_t n = 0;
        while (!radio_->lock_step() && n < out.size()) {
            const auto r = radio_->receive(out.subspan(n), 0);
            if (r.samples == 0) break;
            if (!continues(r)) {
                put_by(r, out.subspan(n));
                break;
            }
            n += r.samples;
        }
        return n;
    }

    bool continues(const RadioFrontend::Received& r) {
        if (!started_ || r.first_sample != expected_) return false;
        expected_ += static_cast<int64_t>(r.samples);
        return true;
    }

    /// Stores a packet that is not consecutive; it follows the zeros of a short gap, or has a number.
    void put_by(const RadioFrontend::Received& r, std::span<const gr_complex> samples) {
        const int64_t gap = started_ ? r.first_sample - expected_ : 0;
        if (gap > 0 && gap <= fill_limit_) zeros_ = gap;
        else jump_ = r.first_sample;
        stash_.assign(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(r.samples));
        taken_ = 0;
        started_ = true;
        expected_ = r.first_sample + static_cast<int64_t>(r.samples);
    }

    int fill(std::span<gr_complex> out) {
        const size_t n = std::min<size_t>(out.size(), static_cast<size_t>(zeros_));
        std::fill_n(out.begin(), n, gr_complex{});
        zeros_ -= static_cast<int64_t>(n);
        return static_cast<int>(n);
    }
    int unstash(std::span<gr_complex> out) {
        if (jump_) {
            add_item_tag(0, nitems_written(0), pmt::mp(key::rx_sample), pmt::from_long(*jump_));
            number_ = *jump_;
            jump_.reset();
        }
        const size_t n = std::min(out.size(), stash_.size() - taken_);
        std::copy_n(stash_.begin() + static_cast<std::ptrdiff_t>(taken_), n, out.begin());
        taken_ += n;
        return static_cast<int>(n);
    }

    std::shared_ptr<RadioFrontend> radio_;
    const Tap tap_;
    const int64_t fill_limit_;
    bool started_ = false;
    int64_t expected_ = 0, zeros_ = 0;
    int64_t number_ = 0;  ///< of the next output sample
    std::vector<gr_complex> stash_;
    size_t taken_ = 0;
    std::optional<int64_t> jump_;  ///< number of the stash's first sample
};

class radio_sink_impl final : public radio_sink {
public:
    explicit radio_sink_impl(std::shared_ptr<RadioFrontend> radio)
        : gr::block("wimax_radio_sink", io_signature::make(0, 0, 0), io_signature::make(0, 0, 0)),
          radio_(std::move(radio)) {
        message_port_register_out(pmt::mp(port::error));
        message_port_register_in(pmt::mp(port::samples));
        set_msg_handler(pmt::mp(port::samples), [this](const pmt::pmt_t& pdu) { send(pdu); });
    }

private:
    void report(ErrorKind kind, int64_t microseconds, const std::string& detail) {
        message_port_pub(pmt::mp(port::error), to_pdu(ErrorReport{kind, {}, microseconds, detail}));
    }

    static int64_t number_of(const pmt::pmt_t& pdu, const char* name, int64_t absent) {
        const pmt::pmt_t value = pmt::dict_ref(pmt::car(pdu), pmt::mp(name), pmt::PMT_NIL);
        return pmt::is_integer(value) ? pmt::to_long(value) : absent;
    }
    static TransmitPiece::Samples samples_of(const pmt::pmt_t& pdu) {
        size_t n = 0;
        const gr_complex* p = pmt::c32vector_elements(pmt::cdr(pdu), n);
        return {p, n};
    }

    void send(const pmt::pmt_t& pdu) {
        const bool timed = pmt::is_pair(pdu) && pmt::is_dict(pmt::car(pdu)) &&
                           pmt::is_integer(pmt::dict_ref(pmt::car(pdu), pmt::mp(key::start_sample), pmt::PMT_NIL));
        if (!timed || !pmt::is_c32vector(pmt::cdr(pdu)))
            return report(ErrorKind::invalid, 0, "samples: not a PDU of c32vector with start_sample");
        const pmt::pmt_t first = std::exchange(first_, pmt::PMT_NIL);
        const bool second = number_of(pdu, key::antenna, 0) == 1;
        if (second == pmt::is_null(first)) {
            report(ErrorKind::invalid, 0,
                   std::string("samples: antenna ") + (second ? "1's without antenna 0's" : "1's missing"));
            if (second) return;
        }
        if (second) return send_both(first, pdu);
        if (number_of(pdu, key::antennas, 1) > 1) first_ = pdu;
        else send(number_of(pdu, key::start_sample, 0), samples_of(pdu));
    }

    void send_both(const pmt::pmt_t& first, const pmt::pmt_t& second) {
        const int64_t start = number_of(first, key::start_sample, 0);
        const int64_t from = number_of(second, key::start_sample, 0) - start;
        if (from < 0) return report(ErrorKind::invalid, 0, "samples: antenna 1's begin before antenna 0's");
        send(start, {samples_of(first), static_cast<size_t>(from), samples_of(second)});
    }

    void send(int64_t start, const TransmitPiece& piece) {
        const auto sent = radio_->transmit(start, piece);
        if (sent) return;
        if (sent.error().kind == PieceFault::Kind::late)
            report(ErrorKind::late, sent.error().late_samples * 1'000'000 / radio_->sample_rate_hz(),
                   "samples after their time");
        else if (!piece.second.empty() && radio_->antennas() < 2)
            report(ErrorKind::invalid, 0, "samples: antenna 1's, and the radio has one");
        else report(ErrorKind::invalid, 0, "samples: transmit queue full or too long");
    }

    pmt::pmt_t first_ = pmt::PMT_NIL;  ///< antenna 0's, while antenna 1's is missing
    std::shared_ptr<RadioFrontend> radio_;
};

}  // namespace

radio_source::sptr radio_source::make(std::shared_ptr<RadioFrontend> radio, Tap tap) {
    return gnuradio::make_block_sptr<radio_source_impl>(std::move(radio), std::move(tap));
}

radio_sink::sptr radio_sink::make(std::shared_ptr<RadioFrontend> radio) {
    return gnuradio::make_block_sptr<radio_sink_impl>(std::move(radio));
}

}  // namespace gr::wimax
