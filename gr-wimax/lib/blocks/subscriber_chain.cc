// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/subscriber_chain.h>

#include "blocks/refuse.h"
#include "blocks/ss_receiver_core.h"
#include "blocks/station_setup.h"
#include "blocks/transmitter_core.h"

#include <utility>

namespace gr::wimax {
namespace {

class Chain final : public SubscriberChain, private ReceiverOutput, private TransmitterOutput {
public:
    Chain(const ss_receiver::Config& config, const SubscriberSetup& setup, const phy::TransmitShape& shape,
          const TransmitPathPtr& radio)
        : reports_(config.reports),
          receiver_(*this, config, setup.receiver, setup.sample_rate_hz, radio),
          transmitter_(*this, config.bandwidth_hz, radio, shape) {}

    size_t room() const override { return receiver_.room(); }
    void receive(int64_t first_sample, std::span<const std::complex<float>> samples) override {
        receiver_.move_time(first_sample);
        receiver_.receive(samples);
    }
    void expect(const Expectation& expectation) override { receiver_.on_expect(expectation); }
    void transmit(const TransmitFrame& frame) override {
        transmitter_.transmit(frame);
        receiver_.on_done(Done{frame.frame_number});
    }
    void control(const Control& control) override { receiver_.on_control(control); }

    ss_receiver::Status status() const override { return receiver_.status(); }
    burst_transmitter::Counters counters() const override { return transmitter_.counters(); }

private:
    void send(const Tick& tick) override { reports_(tick); }
    void send(BurstReport&& report) override { reports_(std::move(report)); }
    void send(const ContentionReport& report) override { reports_(report); }
    void send(const ErrorReport& error) override { reports_(error); }
    phy::SymbolObserver* observer(phy::FrameNumber) override { return nullptr; }

    void samples(phy::FrameNumber, int64_t, const TransmitPiece&) override {}  // made with a radio
    void error(const ErrorReport& error) override { reports_(error); }

    const ReportHandler reports_;
    SsReceiverCore receiver_;
    TransmitterCore transmitter_;
};

}  // namespace

std::unique_ptr<SubscriberChain> SubscriberChain::make(const ss_receiver::Config& config,
                                                       const phy::TransmitShape& shape, TransmitPathPtr radio) {
    if (!config.reports) refuse({"reports", "none", "a handler"});
    if (!radio) refuse({"radio", "none", "a radio"});
    const auto setup = subscriber_setup(config);
    check_transmitter(config.bandwidth_hz, shape);
    return std::make_unique<Chain>(config, setup, shape, radio);
}

}  // namespace gr::wimax
