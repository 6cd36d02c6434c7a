// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of the service to the open radio and its receiver and transmitter: the flowgraph of a station
// (flowgraph.h), the same without threads (polled_transceiver.h), or a test double.
#pragma once

#include "common/faults.h"
#include "phyd/listening.h"
#include "phyd/phyd_config.h"
#include "phyd/sample_ring.h"
#include "sap/frame_bounds.h"

#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/burst_transmitter.h>
#include <gnuradio/wimax/radio_frontend.h>
#include <gnuradio/wimax/signal_tap.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace wimax::phyd {

using gr::wimax::Report;

/// Reports from block threads to the service's thread, with a descriptor that wakes it.
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

class Transceiver {
public:
    struct Radio {
        double tx_reference_dbm = 0, rx_reference_dbm = 0;  ///< at the antenna for 0 dBFS
        int64_t sample_rate_hz = 0;
        bool lock_step = false;
        std::string description;
        int tx_antennas = 1;
        gr::wimax::TurnTimes turn_times{};  ///< of an external amplifier
    };
    struct Status {
        uint64_t frames = 0, bursts = 0, undetected = 0, fec_failures = 0, sync_losses = 0;
        uint64_t detected_preambles = 0, transformed_symbols = 0;  ///< by the radio, and used
        gr::wimax::phy::RetriedBlocks retried;
        bool synchronised = true;
        float rssi_dbfs = -200, cinr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
        gr::wimax::phy::FrontEndLevels front_end;
        int64_t position = 0;
        gr::wimax::burst_transmitter::Counters tx;
        gr::wimax::RadioCounters radio;
        double peak_dbfs = gr::wimax::kNoPeakDbfs;  ///< of the last second, see RadioFrontend
    };

    virtual ~Transceiver() = default;
    virtual void start() = 0;
    /// Processes the samples that have arrived, if this object has no thread that does. The service calls it at each
    /// step.
    virtual void process() {}
    /// Whether a response keeps within its frame, by the rules of the air interface (sap/frame_bounds.h).
    virtual Faults check(const sap::TxFrame& m, const sap::FrameInForce& frame) const {
        return sap::check_bounds(m, frame);
    }
    virtual Faults check(const sap::RxExpect& m, const sap::FrameInForce& frame) const {
        return sap::check_bounds(m, frame);
    }
    virtual void post(gr::wimax::TransmitFrame frame) = 0;
    virtual void post(gr::wimax::Expectation expectation) = 0;
    virtual void post(const gr::wimax::Control& control) = 0;
    /// True if `request` matches the running configuration (numbering and identity aside).
    virtual bool serves(const sap::ConfigRequest& request) const = 0;
    virtual const Radio& radio() const = 0;
    virtual Status status() const = 0;
    /// Response times with a free-running clock.
    virtual gr::wimax::AnswerTimes answer_times() const { return {}; }
    /// Message of the driver when the radio was lost. This object cannot be used any more.
    virtual std::optional<std::string> lost() const { return {}; }
    struct Gains {
        double tx_db = 0, rx_db = 0;
    };
    virtual Gains gains() const = 0;
    /// Gains of the radio now: lower than gains() if power is (radio.digital_range_db).
    virtual Gains gains_now() const { return gains(); }
    /// Changes the gains of a running radio; radio() has the new references. After a failure nothing has changed.
    /// Throws std::exception where the device cannot have these gains.
    virtual Outcome set_gains(const Gains& gains) = 0;
    /// A base station listens again, before its MAC transmits.
    virtual void listen() {}
    /// Result of listening, when that is over.
    virtual std::optional<Heard> heard() const { return std::nullopt; }
    /// The last received samples; nullptr: none are kept.
    virtual std::shared_ptr<SampleRing> ring() const { return nullptr; }
    /// The receiver's signal, for displays; nullptr: none.
    virtual gr::wimax::SignalTap* signal() { return nullptr; }
};

/// Opens the radio, which reports to the outbox. The fault is one of the configuration. UHD and GNU Radio throw:
/// gr::wimax::DeviceUnavailable: try again; another std::exception: the device cannot have this configuration.
using OpenTransceiver = std::function<tl::expected<std::unique_ptr<Transceiver>, Fault>(
    const PhydConfig&, const sap::ConfigRequest&, Outbox&)>;

}  // namespace wimax::phyd
