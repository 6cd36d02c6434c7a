// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-radio: one radio on the bench. Exit codes: 0 done, 1 the radio or the work failed, 2 wrong arguments, 130 ended
// by the user.
#include "tools/cli/long_run.h"
#include "tools/cli/provenance.h"
#include "tools/cli/python.h"
#include "tools/radio/air_spectrum.h"
#include "tools/radio/level_calibration.h"
#include "tools/radio/loopback.h"
#include "tools/radio/radio_probe.h"
#include "tools/radio/sample_capture.h"
#include "tools/radio/selftest.h"

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <map>

namespace {

using namespace wimax::radio;
using nlohmann::ordered_json;
using wimax::cli::kDone, wimax::cli::kFailed, wimax::cli::kWrongInput, wimax::cli::within, wimax::cli::LongRun;

constexpr const char* kProgram = "wimax-radio";

const std::map<std::string, Trigger> kTriggers{
    {"hand", Trigger::hand}, {"power", Trigger::power}, {"clip", Trigger::clip}, {"overflow", Trigger::overflow}};

struct Options {
    RadioChoice radio;
    std::string peer, json;
    bool open_only = false;
    LoopbackOptions loopback;
    SelftestOptions selftest;
    SpectrumOptions spectrum;
    CaptureOptions capture;
    CalibrateOptions calibrate;
    std::string picture, direction = "tx", trigger = "hand";
    double peer_gain_db = 0;
};

std::string meter_text(const ordered_json& sent) {
    return fmt::format(
        "sent for {:g} s; {:.1f} dBm were expected. Repeat it until the meter is read, then with --measured-dbm\n",
        sent["sent_s"].get<double>(), sent["expected_dbm"].get<double>());
}

int complain(const wimax::Fault& fault, int code = kFailed) { return wimax::cli::complain(kProgram, fault, code); }

/// The result as JSON or as a table.
int present(const Options& o, ordered_json result, const std::function<std::string(const ordered_json&)>& table) {
    wimax::cli::ResultFile file;
    if (!o.json.empty()) result["provenance"] = wimax::cli::provenance(kProgram);
    const std::string text = o.json.empty() ? table(result) : result.dump(2) + "\n";
    const auto written = file.open(o.json.empty() ? "-" : o.json, "--json").and_then([&] { return file.write(text); });
    return written ? kDone : complain(written.error());
}

int probe(const Options& o) {
    const auto found = probe_radio(o.radio.device, {.rates = !o.open_only});
    if (!found) return complain(found.error());
    if (!o.open_only) return present(o, *found, probe_table);
    std::cout << fmt::format("{}, serial {}\n", (*found)["model"].get<std::string>(),
                             (*found)["serial"].get<std::string>());
    return kDone;
}

/// Nothing is sent by accident.
bool may_transmit(const Options& o) {
    if (!o.radio.transmit)
        wimax::cli::complain(kProgram,
                             "this command transmits: add --transmit once the cable is connected or you have a licence",
                             kWrongInput);
    return o.radio.transmit;
}

int stopped() { return wimax::cli::complain(kProgram, "stopped", wimax::cli::kInterrupted); }

std::function<bool(double, const std::string&)> goes_on(LongRun& run) {
    return [&run](double share, const std::string& what) { return run.go_on(share, what); };
}

int loopback(Options& o) {
    if (!may_transmit(o)) return kWrongInput;
    LongRun run(kProgram, o.json, 1);
    o.radio.max_power_dbm = highest_sent_dbm(o.loopback);
    const auto radio = BenchRadio::open(o.radio);
    if (!radio) return complain(radio.error());
    std::unique_ptr<BenchRadio> peer;
    if (!o.peer.empty()) {
        RadioChoice other = o.radio;
        other.device = o.peer;
        auto opened = BenchRadio::open(other);
        if (!opened) return complain(opened.error());
        peer = std::move(*opened);
    }
    Loopback work(**radio, peer ? *peer : **radio, o.loopback, goes_on(run));
    const auto result = work.run();
    if (run.stopped()) return stopped();
    if (!result) return complain(result.error());
    return present(o, *result, loopback_table);
}

int self_test(Options& o) {
    if (!may_transmit(o)) return kWrongInput;
    LongRun run(kProgram, o.json, 1);
    const auto radio = BenchRadio::open(o.radio);
    if (!radio) return complain(radio.error());
    const auto result = selftest(**radio, o.selftest, goes_on(run));
    if (!result) return complain(result.error());
    const int written = present(o, *result, selftest_table);
    return written == kDone && !(*result)["passed"].get<bool>() ? kFailed : written;
}

int spectrum(Options& o) {
    const auto drawn = o.picture.empty() ? wimax::Outcome() : wimax::cli::check_picture(o.picture, "--png");
    if (!drawn) return complain(drawn.error(), kWrongInput);
    LongRun run(kProgram, o.json, 1);
    const auto radio = BenchRadio::open(o.radio);
    if (!radio) return complain(radio.error());
    const auto result = air_spectrum(**radio, o.spectrum, goes_on(run));
    if (!result) return complain(result.error());
    if (!o.picture.empty()) {
        ordered_json drawn_result = *result;
        drawn_result["provenance"] = wimax::cli::provenance(kProgram);
        if (const auto done = wimax::cli::run_python("wimax_tools.radio.spectrum", o.picture, drawn_result.dump());
            !done)
            return complain(done.error());
    }
    return present(o, *result, spectrum_table);
}

int capture(Options& o) {
    o.capture.trigger = kTriggers.at(o.trigger);
    LongRun run(kProgram, o.json, 1);
    const auto radio = BenchRadio::open(o.radio);
    if (!radio) return complain(radio.error());
    const auto result = capture_samples(**radio, o.capture, goes_on(run));
    if (run.stopped()) return stopped();
    if (!result) return complain(result.error());
    return present(o, *result, capture_table);
}

/// Rejects missing or contradictory options.
std::string missing(const Options& o) {
    const auto& c = o.calibrate;
    if (!o.peer.empty() && c.measured_dbm) return "--peer and --measured-dbm: only one of them is allowed";
    if (!o.peer.empty() && !c.attenuation_db)
        return "--attenuation-db is required with --peer: attenuation of the cable to the peer in dB";
    if (o.peer.empty() && !c.transmit && !c.measured_dbm)
        return "--measured-dbm (level of the generator) or --peer is required";
    return "";
}

tl::expected<gr::wimax::CalibrationPoint, wimax::Fault> measure_point(Options& o, BenchRadio& radio, LongRun& run) {
    if (o.peer.empty())
        return o.calibrate.transmit ? by_meter(radio, o.calibrate) : by_generator(radio, o.calibrate, goes_on(run));
    RadioChoice other = o.radio;
    other.device = o.peer;
    other.transmit = !o.calibrate.transmit;
    other.tx_gain_db = o.calibrate.transmit ? 0 : o.peer_gain_db;
    other.rx_gain_db = o.calibrate.transmit ? o.peer_gain_db : 0;
    const auto peer = BenchRadio::open(other);
    if (!peer) return tl::unexpected(peer.error());
    return by_peer(radio, **peer, o.calibrate);
}

int calibrate(Options& o) {
    o.calibrate.transmit = o.direction == "tx";
    if (const auto what = missing(o); !what.empty()) return wimax::cli::complain(kProgram, what, kWrongInput);
    if ((o.calibrate.transmit || !o.peer.empty()) && !may_transmit(o)) return kWrongInput;
    const auto known = known_points(o.calibrate.file);
    if (!known) return complain(known.error(), kWrongInput);
    o.radio.calibration = *known;
    o.radio.transmit = o.calibrate.transmit;
    o.radio.longest_burst_ms = gr::wimax::kMaxBurstMs;
    LongRun run(kProgram, o.json, 1);
    const auto radio = BenchRadio::open(o.radio);
    if (!radio) return complain(radio.error());
    if (o.calibrate.transmit && o.peer.empty() && !o.calibrate.measured_dbm) {
        const auto sent = send_to_meter(**radio, o.calibrate, goes_on(run));
        return sent ? present(o, *sent, meter_text) : complain(sent.error());
    }
    const auto point = measure_point(o, **radio, run);
    if (run.stopped()) return stopped();
    if (!point) return complain(point.error());
    if (const auto kept = keep_point(o.calibrate.file, *point); !kept) return complain(kept.error());
    return present(o, point_json(*point), [&](const ordered_json& p) {
        return fmt::format("full scale is {:.2f} dBm at {} gain {:g} dB, port {}, serial {}: written to {}\n",
                           p["full_scale_dbm"].get<double>(), o.direction, p["gain_db"].get<double>(),
                           p["antenna"].get<std::string>(), p["serial"].get<std::string>(), o.calibrate.file);
    });
}

void add_radio(CLI::App& app, Options& o) {
    app.add_option("--device", o.radio.device,
                   "UHD device arguments, for instance type=b200, addr=192.168.10.2 or type=vrf,name=bs")
        ->required();
    app.add_option("--json", o.json,
                   "file for the result as JSON, - for standard output; without it a table is printed");
}

void add_channel(CLI::App& app, Options& o) {
    app.add_option("--frequency-hz", o.radio.frequency_hz, "centre frequency in Hz")
        ->transform(within(1e6, 100e9))
        ->capture_default_str();
    app.add_option("--bandwidth-hz", o.radio.bandwidth_hz, "channel bandwidth in Hz")
        ->transform(within(phy::kMinBandwidthHz, phy::kMaxBandwidthHz))
        ->capture_default_str();
    app.add_option("--rx-antenna", o.radio.rx_antenna, "antenna port to receive at; default: the device's");
    app.add_option("--clock-source", o.radio.clock_source,
                   "clock source: internal, external or gpsdo; default: the device's");
}

void add_switch(CLI::App& app, Options& o) {
    app.add_flag("--transmit", o.radio.transmit,
                 "required to transmit. Give it only if you know what is connected and you may transmit there");
    app.add_option("--tx-antenna", o.radio.tx_antenna, "antenna port to transmit at; default: the device's");
}

void add_transmitter(CLI::App& app, Options& o) {
    add_switch(app, o);
    app.add_option("--max-power-dbm", o.radio.max_power_dbm,
                   "highest power at the port in dBm; gains that would exceed it are refused")
        ->transform(within(gr::wimax::kMinPowerLimitDbm, gr::wimax::kMaxPowerLimitDbm))
        ->capture_default_str();
}

void add_rx_gain(CLI::App& app, Options& o) {
    app.add_option("--rx-gain-db", o.radio.rx_gain_db, "receive gain in dB")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
}

void add_gains(CLI::App& app, Options& o) {
    app.add_option("--tx-gain-db", o.radio.tx_gain_db, "transmit gain in dB")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
    add_rx_gain(app, o);
}

void add_selftest(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_transmitter(app, o);
    add_gains(app, o);
    app.add_option("--seconds", o.selftest.seconds, "duration of the test in seconds")
        ->transform(within(0.1, 1e6))
        ->capture_default_str();
    app.add_option("--lead-ms", o.selftest.lead_ms,
                   "lead time in ms: a burst is sent this long after the last received sample")
        ->transform(within(0.1, 100.0))
        ->capture_default_str();
    app.add_option("--level-dbfs", o.selftest.level_dbfs, "level of the bursts in dBFS; -200: zeros")
        ->transform(within(-200.0, 0.0))
        ->capture_default_str();
}

void add_spectrum(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_rx_gain(app, o);
    app.add_option("--seconds", o.spectrum.seconds, "duration of the measurement in seconds")
        ->transform(within(0.01, 3600.0))
        ->capture_default_str();
    app.add_option("--bins", o.spectrum.bins, "number of bins of the spectrum")
        ->transform(within(16, 65536))
        ->capture_default_str();
    app.add_option("--threshold-db", o.spectrum.threshold_db,
                   "level in dB over the noise floor at which a band counts as occupied")
        ->transform(within(1.0, 100.0))
        ->capture_default_str();
    app.add_option("--png", o.picture, "file for a picture of the spectrum, .png or .svg");
}

void add_capture(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_rx_gain(app, o);
    app.add_option("--out", o.capture.file, "SigMF pair to write, NAME.sigmf-data")->required();
    app.add_option("--trigger", o.trigger, "event that starts the capture; hand: now")
        ->check(CLI::IsMember({"hand", "power", "clip", "overflow"}))
        ->capture_default_str();
    app.add_option("--threshold-dbfs", o.capture.threshold_dbfs,
                   "level in dBFS for the trigger power: mean of 64 samples")
        ->transform(within(-150.0, 10.0))
        ->capture_default_str();
    app.add_option("--before-s", o.capture.before_s, "seconds before the event")
        ->transform(within(0.0, 10.0))
        ->capture_default_str();
    app.add_option("--after-s", o.capture.after_s, "seconds after the event")
        ->transform(within(0.001, 10.0))
        ->capture_default_str();
    app.add_option("--timeout-s", o.capture.timeout_s, "give up after this number of seconds without an event")
        ->transform(within(0.1, 1e6))
        ->capture_default_str();
}

void add_calibrate(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_transmitter(app, o);
    add_gains(app, o);
    app.add_option("--direction", o.direction, "what to calibrate: tx, the transmitter; rx, the receiver")
        ->check(CLI::IsMember({"tx", "rx"}))
        ->capture_default_str();
    app.add_option("--file", o.calibrate.file,
                   "calibration file; a point of the same port, frequency and gain is replaced")
        ->required();
    app.add_option("--seconds", o.calibrate.seconds, "seconds to transmit to the meter, or to listen to the generator")
        ->transform(within(0.1, 3600.0))
        ->capture_default_str();
    app.add_option("--measured-dbm", o.calibrate.measured_dbm,
                   "power at the port in dBm: reading of the meter, or level of the generator")
        ->transform(within(-150.0, 60.0));
    app.add_option("--peer", o.peer, "device arguments of a calibrated radio, in place of meter or generator");
    app.add_option("--peer-gain-db", o.peer_gain_db, "gain of the peer in dB")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
    app.add_option("--attenuation-db", o.calibrate.attenuation_db, "attenuation between the ports in dB")
        ->transform(within(0.0, 200.0));
}

void add_loopback(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_switch(app, o);
    app.add_option("--peer", o.peer,
                   "device arguments of a second radio that receives the first; default: the radio receives itself");
    app.add_option("--attenuation-db", o.loopback.attenuation_db, "attenuation between the ports in dB")
        ->required()
        ->transform(within(0.0, 200.0));
    app.add_option("--max-input-dbm", o.loopback.max_input_dbm,
                   "highest mean power in dBm at the receiver's port; gains that could exceed it are left out")
        ->transform(within(-100.0, 30.0))
        ->capture_default_str();
    app.add_option("--step-db", o.loopback.coarse_step_db,
                   "step of the coarse grid of gains in dB; the fine grid has a quarter of it")
        ->transform(within(1.0, 50.0))
        ->capture_default_str();
    app.add_option("--bursts", o.loopback.bursts, "number of bursts measured at the best pair of gains")
        ->transform(within(1, 10'000))
        ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Measures one radio: its properties, rates, levels and signal quality. Nothing is transmitted without "
        "--transmit."};
    wimax::cli::begin(app, kProgram,
                      "  wimax radio probe --device type=b200\n"
                      "  wimax radio loopback --device type=b200 --attenuation-db 60 --transmit\n"
                      "  wimax radio spectrum --device type=b200 --frequency-hz 3.5e9 --png spectrum.png\n"
                      "docs/lab.md describes each step.");
    app.require_subcommand(1);
    Options o;
    std::function<int()> work;
    const auto command = [&](const char* name, const char* what, int (*run)(Options&)) {
        CLI::App* sub = app.add_subcommand(name, what);
        sub->callback([&, run] { work = [&o, run] { return run(o); }; });
        return sub;
    };
    CLI::App* sub = command("probe", "Model of the device, and its sample rate for each bandwidth",
                            [](Options& all) { return probe(all); });
    add_radio(*sub, o);
    sub->add_flag("--open-only", o.open_only, "print only model and serial number");
    add_selftest(
        *command("selftest", "Receive and transmit for a minute: rates, locks, counts of O, U and L, turnaround",
                 self_test),
        o);
    add_loopback(
        *command("loopback", "Known bursts through a cable: delay, EVM over gains, edges, DC, image, mask", loopback),
        o);
    add_spectrum(*command("spectrum", "Spectrum: picture, level, occupied bands", spectrum), o);
    add_calibrate(
        *command("calibrate", "Calibrate levels in dBm with a meter, a generator or a calibrated radio", calibrate), o);
    add_capture(
        *command("capture",
                 "Record the samples around an event as SigMF. Of a running PHY: --phy PROGRAM in place of --device",
                 capture),
        o);
    return wimax::cli::run(app, kProgram, argc, argv, [&] { return work(); });
}
