/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The GNU Radio flowgraph of one station: radio_source -> bs_receiver or ss_receiver, burst_transmitter -> radio, and
 * an outbox for what they report. Everything the receiver says comes in the order it was said.
 */
#pragma once

#include "phyd_config.h"

#include <gnuradio/wimax/bs_receiver.h>
#include <gnuradio/wimax/burst_transmitter.h>
#include <gnuradio/wimax/messages.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <memory>
#include <mutex>
#include <variant>
#include <vector>

namespace wimax::phyd {

using Report = std::variant<gr::wimax::Tick, gr::wimax::BurstReport, gr::wimax::ErrorReport>;

/// From block threads to the service's thread, with a descriptor that wakes it.
class Outbox {
public:
    Outbox();
    ~Outbox();
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;
    void push(Report report);
    /// Empties into `out` (cleared first).
    void take(std::vector<Report>& out);
    int fd() const { return fd_; }

private:
    int fd_;
    std::mutex mutex_;
    std::vector<Report> queue_;
};

class Flowgraph {
public:
    /// Opens the radio. Throws std::runtime_error or std::invalid_argument: see RadioFrontend::open and the blocks.
    Flowgraph(const PhydConfig& config, const sap::ConfigRequest& request, Outbox& outbox);
    ~Flowgraph();

    void start();
    void post(const gr::wimax::TransmitFrame& frame);
    void post(const gr::wimax::Expectation& expectation);
    void post(const gr::wimax::Control& control);

    /// True if `request` asks for what runs already (numbering and identity aside).
    bool serves(const sap::ConfigRequest& request) const;
    gr::wimax::RadioFrontend& radio() { return *radio_; }

    struct Status {
        uint64_t frames = 0, bursts = 0, undetected = 0, fec_failures = 0, sync_losses = 0;
        bool synchronised = true;
        float rssi_dbfs = -200, cinr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
        int64_t position = 0;
        gr::wimax::burst_transmitter::Counters tx;
        gr::wimax::RadioCounters radio;
    };
    Status status() const;

private:
    struct Graph;
    sap::ConfigRequest request_;
    std::shared_ptr<gr::wimax::RadioFrontend> radio_;
    gr::wimax::burst_transmitter::sptr transmitter_;
    gr::wimax::bs_receiver::sptr bs_;
    gr::wimax::ss_receiver::sptr ss_;
    std::unique_ptr<Graph> graph_;
};

}  // namespace wimax::phyd
