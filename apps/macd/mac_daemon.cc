// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/mac_daemon.h"

#include "macd/frame_report.h"
#include "macd/live_profile.h"
#include "macd/operator_commands.h"

#include "common/config.h"
#include "common/json_object.h"
#include "mac/rate_thresholds.h"
#include "macd/flow_commands.h"

#include <thread>
#include <utility>

namespace wimax::macd {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kNap{100};
constexpr std::chrono::seconds kSayWaiting{3};

/// Names of flows are received from the air: not always UTF-8, and unsafe for a terminal.
std::string one_line(const json& value) { return value.dump(-1, ' ', true, json::error_handler_t::replace); }

}  // namespace

Daemon::Daemon(const MacdConfig& config, ServedStation station, std::unique_ptr<sap::Port> port,
               std::unique_ptr<Tun> tun, DaemonParts& parts)
    : config_(config),
      station_(std::move(station)),
      reload_(parts.schema, station_.cell),
      port_(std::move(port)),
      packets_(config, *station_, std::move(tun)),
      air_log_(static_cast<uint16_t>(config.bs.basic_cids)),
      stop_(parts.stop),
      control_(parts.control),
      writer_(parts.status),
      log_(log::layer("ctl")),
      last_{std::chrono::steady_clock::now(), std::chrono::steady_clock::now()} {
    station_->on_sdu = [this](mac::Octets packet) { packets_.deliver(packet); };
    station_->on_event = [this](uint32_t frame, const mac::Event& event) {
        if (auto& to = log::layer(event.layer); to.enabled(log::Level::info))
            to.write(log::Level::info, frame, event.text);
        note(frame, event);
    };
    control_.on_get("status", "figures of the daemon, its station and flows", [this] { return this->status(); });
    serve_flows(control_, *station_);
    serve_stations(control_, *station_, station_.cell);
    control_.on_get("events", "the last entries, losses, commands of the operator and faults",
                    [this] { return journal_.last(); });
    if (config.role == sap::Role::base_station)
        control_.on_get("frame", "the last frame, burst by burst: slots from its start, symbols, rates, CIDs",
                        [this] { return frame_report(to_phy_.tx, to_phy_.expect); });
    control_.on_get("rates", "burst profiles: names, and the SNR that each needs (bit error rate 1e-6)", [] {
        json all = json::array();
        for (size_t id = 0; id < mac::kRateCount; ++id)
            all.push_back({{"id", id}, {"name", mac::kRateNames[id]}, {"needs_db", mac::kReceiverNeedsDb[id]}});
        return all;
    });
    control_.on_get("reload", "what the last reading again has done, refused and left", [this] {
        return nlohmann::json{
            {"done", reload_.done()}, {"refused", reload_.refused()}, {"unchanged", reload_.unchanged()}};
    });
    control_.on_set("reload", "true: read the configuration file again while stations are served",
                    [this](const nlohmann::json& value) -> Faults {
                        if (value != true) return Fault{"", value.dump(), "true"};
                        return reload_.again();
                    });
    control_.on_set("profile", "keys of bs.profile that may change while stations are served",
                    [this, profile = config.bs.profile](const nlohmann::json& value) mutable -> Faults {
                        auto changed = profile;
                        auto faults = read_live_profile(value, changed);
                        if (faults.empty() && !station_.cell) return Fault{"", "", "a base station's"};
                        if (faults.empty()) faults = station_.cell->change_profile(changed);
                        if (faults.empty()) profile = changed;
                        return faults;
                    });
}

void Daemon::capture(std::unique_ptr<PcapWriter> pcap) {
    pcap_ = std::move(pcap);
    air_log_.also(pcap_.get());
    choose_tap();
}

void Daemon::manage(std::unique_ptr<Tun> tun) {
    management_.emplace(*station_.management, config_.managed.interface, std::move(tun));
}

/// Log lines of PDUs cost time even if they are not written: the tap is set only while they are wanted.
void Daemon::choose_tap() { station_->tap = air_log_.wanted() ? &air_log_ : static_cast<mac::PduTap*>(pcap_.get()); }

void Daemon::begin() {
    port_->send(station_->phy_config());
    log_.info(log::kNoFrame, "MAC session {}, PHY at {}", hex(port_->mac_session()), config_.sap_endpoint);
}

bool Daemon::take(milliseconds timeout, std::span<const int> also) {
    auto message = port_->poll(timeout, also);
    if (!message) return false;
    last_.heard = std::chrono::steady_clock::now();
    handle(*message);
    return true;
}

void Daemon::attend() {
    control_.poll();
    if (writer_.due()) write_status();
    say_waiting();
}

int Daemon::run() {
    const std::array<int, 2> also{stop_.fd(), control_.fd()};
    stop_.reload_on_hangup();
    begin();
    while (!stop_.raised() && exit_status_ < 0) {
        take(kNap, also);
        attend();
        if (stop_.take_hangup()) reload();
    }
    log_.info(log::kNoFrame, "stopping after {} frames", count_.frames);
    return exit_status_ < 0 ? 0 : exit_status_;
}

/// Reads the configuration again after SIGHUP. Faults are logged, and then nothing changes.
void Daemon::reload() {
    const Faults faults = reload_.again();
    for (const auto& line : faults.lines()) log_.write(log::Level::error, log::kNoFrame, "not read again: " + line);
    if (!faults.empty()) return;
    log_.info(log::kNoFrame, "configuration read again");
    for (const auto& key : reload_.unchanged())
        log_.write(log::Level::warning, log::kNoFrame, key + " changes with a restart only");
}

void Daemon::say_waiting() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_.heard < kSayWaiting || port_->peer_alive()) return;
    last_.heard = now;
    log_.warn(log::kNoFrame, "waiting for a PHY at {}", config_.sap_endpoint);
}

void Daemon::handle(sap::Message& message) {
    if (const auto* tick = std::get_if<sap::FrameTick>(&message)) return on_tick(*tick);
    if (const auto* burst = std::get_if<sap::RxBurst>(&message)) return on_burst(*burst);
    if (const auto* contention = std::get_if<sap::RxContention>(&message); contention && station_.codes)
        return station_.codes->on_contention(*contention);
    if (const auto* confirm = std::get_if<sap::ConfigConfirm>(&message)) return on_confirm(*confirm);
    if (const auto* error = std::get_if<sap::ErrorIndication>(&message)) return on_error(*error);
}

void Daemon::on_confirm(const sap::ConfigConfirm& confirm) {
    if (confirm.superseded) {  // the port repeats the request; the next confirm follows the newer MAC's end
        ++count_.superseded;
        for (const auto& fault : confirm.faults) log_.warn(log::kNoFrame, "{}", fault);
        return;
    }
    if (!confirm.faults.empty()) return on_refusal(confirm);
    ++count_.phy_starts;
    last_.ticked = std::chrono::steady_clock::now();
    have_tick_ = false;
    report(log::Level::info, tick_.frame_number.value(), "phy",
           fmt::format("PHY session {}: {} samples/s, transmits up to {:.1f} dBm, {}", hex(confirm.phy_session),
                       confirm.sample_rate_hz, confirm.tx_reference_dbm,
                       confirm.lock_step ? "waits for responses" : "discards late responses"));
    if (confirm.version != config::version())
        log_.warn(log::kNoFrame, "the PHY is of version {}, this MAC of {}", confirm.version, config::version());
    if (!confirm.lock_step && !std::exchange(realtime_, true))
        for (const auto& line : go_realtime(config_.realtime)) log_.warn(log::kNoFrame, "{}", line);
    if (pcap_) pcap_->set_sample_rate(confirm.sample_rate_hz);
    station_->on_phy_start(confirm);
}

/// If the PHY refuses the first configuration, the user's file is wrong. A later one may have another cause, such as a
/// channel that a base station named, or a PHY restarted with other limits: the port repeats the request.
void Daemon::on_refusal(const sap::ConfigConfirm& confirm) {
    if (count_.phy_starts == 0) {
        for (const auto& fault : confirm.faults)
            log_.write(log::Level::error, log::kNoFrame, "the PHY refuses: " + fault);
        exit_status_ = static_cast<int>(ExitStatus::configuration_refused);
        return;
    }
    ++count_.phy_refusals;
    for (const auto& fault : confirm.faults)
        report(log::Level::warning, tick_.frame_number.value(), "phy", "the PHY refuses: " + fault);
    if (station_.changes) station_.changes->on_phy_refusal();
    send_changes();
}

void Daemon::on_tick(const sap::FrameTick& tick) {
    const bool counts = tick.synchronised;
    if (counts && have_tick_ && tick_.synchronised) {
        const uint32_t missed = tick.frame_number.since(tick_.frame_number + 1);
        count_.missed_frames += missed < 1000 ? missed : 0;
    }
    choose_tap();
    tick_ = tick;
    last_.ticked = std::chrono::steady_clock::now();
    have_tick_ = true;
    count_.frames += counts;
    count_.unsynchronised += !counts;
    if (config_.role == sap::Role::subscriber_station) {
        level_.rssi_dbm = tick.rssi_dbm;
        level_.cinr_db = tick.cinr_db;
    }

    packets_.take(tick);
    if (management_) management_->take();
    if (config_.answer_delay_ms > 0) std::this_thread::sleep_for(milliseconds(config_.answer_delay_ms));
    to_phy_.expect.allocations.clear();
    station_->on_tick(tick, to_phy_.tx, to_phy_.expect);
    if (config_.role == sap::Role::base_station) port_->send(to_phy_.expect);
    port_->send(to_phy_.tx);
    if (!to_phy_.tx.bursts.empty()) level_.tx_rate = to_phy_.tx.bursts.back().format.rate_id;
    send_changes();
}

void Daemon::on_burst(const sap::RxBurst& burst) {
    ++count_.bursts;
    count_.bursts_detected += burst.detected;
    count_.bursts_bad += burst.detected && !burst.fec_ok;
    if (burst.detected && burst.kind == sap::BurstKind::data) {
        level_.rx_rate = burst.rate_id;
        if (config_.role == sap::Role::base_station) {
            level_.rssi_dbm = burst.measured.rssi_dbm;
            level_.cinr_db = burst.measured.cinr_db;
        }
    }
    to_phy_.further.allocations.clear();
    if (station_->on_burst(burst, to_phy_.further)) port_->send(to_phy_.further);
    send_changes();
}

void Daemon::send_changes() {
    mac::PhyChanges* changes = station_.changes;
    if (!changes) return;
    if (changes->phy_config_changed(to_phy_.request)) port_->send(to_phy_.request);
    if (changes->profiles_changed(to_phy_.profiles)) port_->send(to_phy_.profiles);
}

void Daemon::on_error(const sap::ErrorIndication& error) {
    const auto kind = static_cast<size_t>(error.kind);
    const uint64_t n = ++count_.errors[kind];
    report(log::Level::warning, error.frame_number.value(), "phy",
           fmt::format("{} ({} so far) {} us {}", kErrorNames[kind], n, error.microseconds, error.detail),
           static_cast<uint32_t>(kind));
    station_->on_error(error);
}

void Daemon::report(log::Level level, uint32_t frame, const char* layer, const std::string& text, uint32_t variant,
                    const char* file, int line) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::string left_out;
    if (!own_lines_.allow(LineLimits::kOwn, line_kind(file, line, variant), std::chrono::duration<double>(now).count(),
                          left_out))
        return;
    if (auto& to = log::layer(layer); to.enabled(level)) to.write(level, frame, text + left_out);
    note(frame, {mac::EventSource::own(), layer, text + left_out});
}

void Daemon::note(uint32_t frame, const mac::Event& event) {
    journal_.note(std::chrono::system_clock::now(), simulated_seconds(tick_), frame, event);
}

void Daemon::watch_for_stall(double stalled_s) {
    const bool now = port_->peer_alive() && stalled_s > kStalledS;
    if (now == std::exchange(stalled_, now)) return;
    const char* text = now ? "no more frames: the PHY, its radio or the channel has stopped" : "frames continue";
    report(log::Level::warning, tick_.frame_number.value(), "phy", text);
}

void Daemon::write_status() {
    const PacketCounters& packets = packets_.counters();
    if (tick_.sample_rate_hz > 0 && tick_.frame_start_sample > mark_.sample) {
        const double ms = 1e3 * static_cast<double>(tick_.frame_start_sample - mark_.sample) / tick_.sample_rate_hz;
        mark_.in_kbps = 8 * static_cast<double>(packets.in_bytes - mark_.in_bytes) / ms;
        mark_.out_kbps = 8 * static_cast<double>(packets.out_bytes - mark_.out_bytes) / ms;
    } else {
        mark_.in_kbps = mark_.out_kbps = 0;
    }
    mark_.sample = tick_.frame_start_sample;
    mark_.in_bytes = packets.in_bytes;
    mark_.out_bytes = packets.out_bytes;
    const json now = status();
    watch_for_stall(now["stalled_s"]);
    journal_.flush();
    writer_.write(console_.text(now), writer_.wants_json() ? one_line(now) : std::string());
}

DaemonFigures Daemon::figures() const {
    DaemonFigures s;
    s.role = config_.role;
    s.operational = station_->operational();
    s.synchronised = have_tick_ && tick_.synchronised;
    s.phy_alive = port_->peer_alive();
    s.stalled_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - last_.ticked).count();
    s.tick = tick_;
    s.counters = count_;
    s.counters.sdus = packets_.counters();
    s.mac_session = port_->mac_session();
    s.phy_session = port_->phy_session();
    s.rssi_dbm = level_.rssi_dbm;
    s.cinr_db = level_.cinr_db;
    s.in_kbps = mark_.in_kbps;
    s.out_kbps = mark_.out_kbps;
    s.sap = port_->counters();
    s.traffic = packets_.traffic();
    s.tun = packets_.tun();
    if (pcap_) s.pcap = pcap_->figures();
    return s;
}

json Daemon::status() const {
    JsonObject all;
    visit(all, figures());
    all("station", station_->status());
    return all.take();
}

}  // namespace wimax::macd
