// SPDX-License-Identifier: GPL-3.0-or-later
// The program around the MAC: carries messages between PHY and station, packets between TUN interface and station, and
// reports the status. One thread, driven by the PHY's ticks.
#pragma once

#include "common/line_limits.h"
#include "common/log.h"
#include "macd/air_log.h"
#include "macd/console.h"
#include "macd/daemon_figures.h"
#include "macd/event_journal.h"
#include "macd/macd_config.h"
#include "macd/management_packets.h"
#include "macd/reload.h"
#include "macd/served_station.h"
#include "macd/user_packets.h"
#include "sap/port.h"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace wimax::macd {

class Daemon {
public:
    Daemon(const MacdConfig& config, ServedStation station, std::unique_ptr<sap::Port> port, std::unique_ptr<Tun> tun,
           DaemonParts& parts);

    /// Also writes every PDU from now on to `pcap`.
    void capture(std::unique_ptr<PcapWriter> pcap);
    /// A base station: connects its managed stations to this interface.
    void manage(std::unique_ptr<Tun> tun);
    EventJournal& journal() { return journal_; }
    /// Runs until stopped. Exit status: 0, or that of a wrong configuration if the PHY refused the first one.
    int run();
    /// The parts of run(), for a program with several stations in a thread. begin() requests the PHY's configuration.
    void begin();
    /// Handles the next message, for which it waits up to `timeout`, less if one of `also` becomes readable. False:
    /// there was none.
    bool take(std::chrono::milliseconds timeout, std::span<const int> also = {});
    /// Control socket, status, warnings: several times a second, and when the control socket is readable.
    void attend();
    /// The PHY has refused the first configuration: nothing more will happen.
    bool refused() const { return exit_status_ >= 0; }
    /// Handles one message; run() calls it, and tests do.
    void handle(sap::Message& message);
    /// Station status with the program's own fields.
    nlohmann::json status() const;
    /// Line and JSON object of the time since the last call; run() calls it every second of the wall clock, and tests
    /// do.
    void write_status();

private:
    void on_confirm(const sap::ConfigConfirm& confirm);
    void on_tick(const sap::FrameTick& tick);
    void on_burst(const sap::RxBurst& burst);
    void on_error(const sap::ErrorIndication& error);
    void choose_tap();
    void on_refusal(const sap::ConfigConfirm& confirm);
    /// A line of the program's own for log and journal; `variant` as EventSink has it.
    void report(log::Level level, uint32_t frame, const char* layer, const std::string& text, uint32_t variant = 0,
                const char* file = __builtin_FILE(), int line = __builtin_LINE());
    void note(uint32_t frame, const mac::Event& event);
    void watch_for_stall(double stalled_s);
    void send_changes();
    void say_waiting();
    DaemonFigures figures() const;

    void reload();

    const MacdConfig& config_;
    ServedStation station_;
    Reload reload_;
    std::unique_ptr<sap::Port> port_;
    UserPackets packets_;
    std::optional<ManagementPackets> management_;
    std::unique_ptr<PcapWriter> pcap_;
    AirLog air_log_;
    StopSignal& stop_;
    ControlServer& control_;
    StatusWriter& writer_;
    log::Layer& log_;

    struct {  // messages, kept so that their memory is used again
        sap::TxFrame tx;
        sap::RxExpect expect;   ///< of the last frame
        sap::RxExpect further;  ///< of a subscriber station, after a burst with maps
        sap::ConfigRequest request;
        sap::ProfilesRequest profiles;
    } to_phy_;
    sap::FrameTick tick_;

    DaemonCounters count_;
    struct Levels {
        float rssi_dbm = -200, cinr_db = -100;
        int rx_rate = -1, tx_rate = -1;
    } level_;
    struct Mark {  // of the last status line
        int64_t sample = 0;
        uint64_t in_bytes = 0, out_bytes = 0;
        double in_kbps = 0, out_kbps = 0;
    } mark_;
    bool have_tick_ = false;
    int exit_status_ = -1;
    struct {
        std::chrono::steady_clock::time_point heard, ticked;
    } last_;
    Console console_;
    EventJournal journal_;
    LineLimits own_lines_;
    bool stalled_ = false, realtime_ = false;
};

}  // namespace wimax::macd
