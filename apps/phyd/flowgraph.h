// SPDX-License-Identifier: GPL-3.0-or-later
// The GNU Radio flowgraph of one station: radio_source -> bs_receiver or ss_receiver, burst_transmitter -> radio, and
// an outbox for what they report. The outbox keeps the order of the receiver's messages.
#pragma once

#include "phyd/station_radio.h"

#include <gnuradio/wimax/bs_receiver.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <memory>

namespace wimax::phyd {

class Flowgraph final : public StationRadio {
public:
    /// Faults of a request that it cannot serve.
    static Faults faults(const sap::ConfigRequest& request);
    /// Opens the radio. The fault is a bandwidth without a sample rate. Throws what RadioFrontend::open() and the
    /// blocks throw.
    static tl::expected<std::unique_ptr<Transceiver>, Fault> open(const PhydConfig& config,
                                                                  const sap::ConfigRequest& request, Outbox& outbox);
    ~Flowgraph() override;

    void start() override;
    void post(gr::wimax::TransmitFrame frame) override;
    void post(gr::wimax::Expectation expectation) override;
    void post(const gr::wimax::Control& control) override;
    Status status() const override;
    void listen() override { listening_->restart(); }
    std::optional<Heard> heard() const override { return bs_ ? listening_->heard() : std::nullopt; }
    gr::wimax::SignalTap* signal() override { return signal_.get(); }

private:
    Flowgraph(const PhydConfig& config, const sap::ConfigRequest& request, const gr::wimax::phy::Numerology& numerology,
              Outbox& outbox);
    struct Graph;
    void go_realtime();

    RealtimeOptions realtime_;
    gr::wimax::SignalTapPtr signal_;
    std::shared_ptr<Listening> listening_;  ///< before the graph, which uses it
    gr::wimax::burst_transmitter::sptr transmitter_;
    gr::wimax::bs_receiver::sptr bs_;
    gr::wimax::ss_receiver::sptr ss_;
    gr::block_sptr receiver_;  ///< one of them
    std::unique_ptr<Graph> graph_;
};

}  // namespace wimax::phyd
