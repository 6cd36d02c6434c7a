// SPDX-License-Identifier: GPL-3.0-or-later
// Either receiver as a GNU Radio block: message ports, and samples with the time tag of radio_source, in front of its
// core. The core keeps what waits: a sink that consumes nothing would be called again at once, and one that sleeps in
// work() would never see the message it waits for.
#pragma once

#include "blocks/receiver_core.h"
#include "blocks/receiver_displays.h"

#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gr::wimax {

/// `Block`: bs_receiver or ss_receiver, the public interface with its Status. `Core`: its logic.
template <typename Block, typename Core> class ReceiverBlock final : public Block, private ReceiverOutput {
public:
    template <typename... Arguments>
    ReceiverBlock(const std::string& name, int display_interval_frames, ReportHandler reports,
                  const SignalTapPtr& signal, const Arguments&... of_core)
        : gr::sync_block(name, io_signature::make(1, 1, sizeof(gr_complex)), io_signature::make(0, 0, 0)),
          reports_(std::move(reports)),
          displays_(*this, static_cast<uint32_t>(display_interval_frames), signal),
          core_(*this, of_core...) {
        for (const char* out : {port::tick, port::burst, port::error}) this->message_port_register_out(pmt::mp(out));
        if (Core::kHearsCodes) this->message_port_register_out(pmt::mp(port::contention));
        on(port::expect, [this](const pmt::pmt_t& pdu) { core_.on_expect(parse_expectation(pdu)); });
        on(port::done, [this](const pmt::pmt_t& pdu) {
            if (const auto done = parse_done(pdu)) core_.on_done(*done);
        });
        on(port::control, [this](const pmt::pmt_t& pdu) {
            const auto control = parse_control(pdu);
            if (control) core_.on_control(*control);
            else send(ErrorReport{ErrorKind::invalid, core_.frame_number(), 0, "control: " + control.error().str()});
        });
    }

    typename Block::Status status() const override { return core_.status(); }

    int work(int noutput_items, gr_vector_const_void_star& input_items, gr_vector_void_star&) override {
        tags_.clear();
        this->get_tags_in_window(tags_, 0, 0, static_cast<uint64_t>(noutput_items), pmt::mp(key::rx_sample));
        size_t n = static_cast<size_t>(noutput_items);
        for (const auto& tag : tags_) {
            const uint64_t offset = tag.offset - this->nitems_read(0);
            if (offset == 0) core_.move_time(pmt::to_long(tag.value));
            else n = std::min<size_t>(n, offset);  // up to the next jump, which is then the first item
        }
        if (!core_.started()) core_.move_time(0);
        n = std::min(n, core_.room());
        // Pause before the next call. The scheduler would call at once.
        if (n == 0) boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
        const std::span samples(static_cast<const gr_complex*>(input_items[0]), n);
        displays_.on_samples(samples);
        core_.receive(samples);
        return static_cast<int>(n);
    }

private:
    template <typename Handler> void on(const char* name, const Handler& handler) {
        this->message_port_register_in(pmt::mp(name));
        this->set_msg_handler(pmt::mp(name), handler);
    }
    template <typename M> void publish(const char* name, M&& message) {
        if (reports_) reports_(std::forward<M>(message));
        else this->message_port_pub(pmt::mp(name), to_pdu(message));
    }

    void send(const Tick& tick) override { publish(port::tick, tick); }
    void send(const ContentionReport& report) override { publish(port::contention, report); }
    void send(const ErrorReport& error) override { publish(port::error, error); }
    /// Displays are first: the receiver of the report takes its payload.
    void send(BurstReport&& report) override {
        displays_.end_burst(report);
        if (displays_.filled()) displays_.publish(to_pdu(report));
        publish(port::burst, std::move(report));
    }
    phy::SymbolObserver* observer(phy::FrameNumber frame) override { return displays_.of_frame(frame); }

    const ReportHandler reports_;
    ReceiverDisplays displays_;
    Core core_;
    std::vector<tag_t> tags_;
};

}  // namespace gr::wimax
