// SPDX-License-Identifier: GPL-3.0-or-later
// A subscriber station's receiver and transmitter in the service's thread, for programs with many stations. A virtual
// radio has a descriptor that is readable when process() should be called.
#pragma once

#include "phyd/station_radio.h"

#include <gnuradio/wimax/subscriber_chain.h>

#include <functional>
#include <memory>

namespace wimax::phyd {

class PolledTransceiver final : public StationRadio {
public:
    /// As Flowgraph::open(). `watch` as in RadioConfig, from the thread that
    /// opens the radio.
    static tl::expected<std::unique_ptr<Transceiver>, Fault> open(const PhydConfig& config,
                                                                  const sap::ConfigRequest& request, Outbox& outbox,
                                                                  const std::function<void(int)>& watch);

    void start() override { front().start(); }
    void process() override;
    void post(gr::wimax::TransmitFrame frame) override { chain_->transmit(frame); }
    void post(gr::wimax::Expectation expectation) override { chain_->expect(expectation); }
    void post(const gr::wimax::Control& control) override { chain_->control(control); }
    Status status() const override;

private:
    PolledTransceiver(const PhydConfig& config, const sap::ConfigRequest& request,
                      const gr::wimax::phy::Numerology& numerology, Outbox& outbox,
                      const std::function<void(int)>& watch);

    gr::wimax::ss_receiver::Config receiver(const PhydConfig& config, Outbox& outbox) const;

    const std::unique_ptr<gr::wimax::SubscriberChain> chain_;
};

}  // namespace wimax::phyd
