// SPDX-License-Identifier: GPL-3.0-or-later
// The open radio of a station with the request that it was opened for: what a Transceiver has in common whether its
// receiver is a flowgraph (flowgraph.h) or works in the service's thread (polled_transceiver.h).
#pragma once

#include "phyd/transceiver.h"

#include <gnuradio/wimax/phy/base/numerology.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace wimax::phyd {

class StationRadio : public Transceiver {
public:
    bool serves(const sap::ConfigRequest& request) const override;
    const Radio& radio() const override { return levels_; }
    gr::wimax::AnswerTimes answer_times() const override { return front_->answer_times(); }
    std::optional<std::string> lost() const override { return front_->lost(); }
    Gains gains() const override { return {front_->tx_gain_db(), front_->rx_gain_db()}; }
    Gains gains_now() const override {
        const auto now = front_->gains_now();
        return {now.tx_db, now.rx_db};
    }
    Outcome set_gains(const Gains& gains) override;
    std::shared_ptr<SampleRing> ring() const override { return ring_; }

protected:
    /// Opens the radio. Throws what RadioFrontend::open() throws. `watch` as in RadioConfig.
    StationRadio(const PhydConfig& config, const sap::ConfigRequest& request,
                 const gr::wimax::phy::Numerology& numerology, const std::function<void(int)>& watch = {});

    /// Settings of a subscriber station's receiver at this radio, which it gives its cores.
    gr::wimax::ss_receiver::Config subscriber(const PhydConfig& config, Outbox& outbox) const;
    /// The radio's part of a status.
    Status radio_status() const;
    static void add(Status& status, const gr::wimax::ss_receiver::Status& receiver);

    gr::wimax::RadioFrontend& front() const { return *front_; }
    const std::shared_ptr<gr::wimax::RadioFrontend>& shared_front() const { return front_; }
    const sap::ConfigRequest& request() const { return request_; }

private:
    const sap::ConfigRequest request_;
    const gr::wimax::phy::Numerology numerology_;
    const bool agc_;
    const std::shared_ptr<gr::wimax::RadioFrontend> front_;
    const std::shared_ptr<SampleRing> ring_;
    Radio levels_;
};

/// Handler that passes reports to the outbox, which outlives it.
gr::wimax::ReportHandler into(Outbox& outbox);

}  // namespace wimax::phyd
