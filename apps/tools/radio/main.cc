/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax-radio: one radio on the bench. Exit codes: 0 done, 1 the radio or the work failed, 2 wrong arguments, 130 ended
 * by the user.
 */
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
        wimax::cli::complain(kProgram, "this transmits; say --transmit once cable or licence are in place",
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
    if (!o.picture.empty())
        if (const auto done = wimax::cli::run_python("wimax_tools.radio.spectrum", o.picture, result->dump()); !done)
            return complain(done.error());
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

/// What the options leave out or contradict.
std::string missing(const Options& o) {
    const auto& c = o.calibrate;
    if (!o.peer.empty() && c.measured_dbm) return "--peer and --measured-dbm: one of them measures";
    if (!o.peer.empty() && !c.attenuation_db) return "--attenuation-db: of the cable to the peer, dB";
    if (o.peer.empty() && !c.transmit && !c.measured_dbm) return "--measured-dbm: what the generator gives, or --peer";
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
                   "device arguments as for UHD: type=b200, addr=192.168.10.2, type=vrf,name=bs")
        ->required();
    app.add_option("--json", o.json, "file for the result, - for standard output; absent: a table there");
}

void add_channel(CLI::App& app, Options& o) {
    app.add_option("--frequency-hz", o.radio.frequency_hz, "centre, Hz")
        ->transform(within(1e6, 100e9))
        ->capture_default_str();
    app.add_option("--bandwidth-hz", o.radio.bandwidth_hz, "of the channel, Hz")
        ->transform(within(phy::kMinBandwidthHz, phy::kMaxBandwidthHz))
        ->capture_default_str();
    app.add_option("--rx-antenna", o.radio.rx_antenna, "port; absent: the device's default");
    app.add_option("--clock-source", o.radio.clock_source, "internal, external, gpsdo; absent: the device's default");
}

void add_switch(CLI::App& app, Options& o) {
    app.add_flag("--transmit", o.radio.transmit, "needed: I know what is connected, and may transmit there");
    app.add_option("--tx-antenna", o.radio.tx_antenna, "port; absent: the device's default");
}

void add_transmitter(CLI::App& app, Options& o) {
    add_switch(app, o);
    app.add_option("--max-power-dbm", o.radio.max_power_dbm, "at the port; gains beyond are refused")
        ->transform(within(gr::wimax::kMinPowerLimitDbm, gr::wimax::kMaxPowerLimitDbm))
        ->capture_default_str();
}

void add_rx_gain(CLI::App& app, Options& o) {
    app.add_option("--rx-gain-db", o.radio.rx_gain_db, "of the receiver")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
}

void add_gains(CLI::App& app, Options& o) {
    app.add_option("--tx-gain-db", o.radio.tx_gain_db, "of the transmitter")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
    add_rx_gain(app, o);
}

void add_selftest(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_transmitter(app, o);
    add_gains(app, o);
    app.add_option("--seconds", o.selftest.seconds, "how long")->transform(within(0.1, 1e6))->capture_default_str();
    app.add_option("--lead-ms", o.selftest.lead_ms, "of a burst ahead of the last sample received")
        ->transform(within(0.1, 100.0))
        ->capture_default_str();
    app.add_option("--level-dbfs", o.selftest.level_dbfs, "of the bursts; -200: zeros")
        ->transform(within(-200.0, 0.0))
        ->capture_default_str();
}

void add_spectrum(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_rx_gain(app, o);
    app.add_option("--seconds", o.spectrum.seconds, "how long")->transform(within(0.01, 3600.0))->capture_default_str();
    app.add_option("--bins", o.spectrum.bins, "of the spectrum")->transform(within(16, 65536))->capture_default_str();
    app.add_option("--threshold-db", o.spectrum.threshold_db, "over the noise floor, from which on a band is occupied")
        ->transform(within(1.0, 100.0))
        ->capture_default_str();
    app.add_option("--png", o.picture, "draws it to this file, .png or .svg");
}

void add_capture(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_rx_gain(app, o);
    app.add_option("--out", o.capture.file, "SigMF pair to write, NAME.sigmf-data")->required();
    app.add_option("--trigger", o.trigger, "hand: now")
        ->check(CLI::IsMember({"hand", "power", "clip", "overflow"}))
        ->capture_default_str();
    app.add_option("--threshold-dbfs", o.capture.threshold_dbfs, "of the trigger by power, mean of 64 samples")
        ->transform(within(-150.0, 10.0))
        ->capture_default_str();
    app.add_option("--before-s", o.capture.before_s, "kept from before the event")
        ->transform(within(0.0, 10.0))
        ->capture_default_str();
    app.add_option("--after-s", o.capture.after_s, "and from behind it")
        ->transform(within(0.001, 10.0))
        ->capture_default_str();
    app.add_option("--timeout-s", o.capture.timeout_s, "ends it without an event")
        ->transform(within(0.1, 1e6))
        ->capture_default_str();
}

void add_calibrate(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_transmitter(app, o);
    add_gains(app, o);
    app.add_option("--direction", o.direction, "tx: its transmitter, rx: its receiver")
        ->check(CLI::IsMember({"tx", "rx"}))
        ->capture_default_str();
    app.add_option("--file", o.calibrate.file, "the calibration file; a point of the same place is replaced")
        ->required();
    app.add_option("--seconds", o.calibrate.seconds, "of sending to a meter or listening to a generator")
        ->transform(within(0.1, 3600.0))
        ->capture_default_str();
    app.add_option("--measured-dbm", o.calibrate.measured_dbm,
                   "at the port: read off the meter, or given by the generator")
        ->transform(within(-150.0, 60.0));
    app.add_option("--peer", o.peer, "device arguments of a calibrated radio instead of meter or generator");
    app.add_option("--peer-gain-db", o.peer_gain_db, "of the peer")
        ->transform(within(-100.0, 200.0))
        ->capture_default_str();
    app.add_option("--attenuation-db", o.calibrate.attenuation_db, "between the ports, dB")
        ->transform(within(0.0, 200.0));
}

void add_loopback(CLI::App& app, Options& o) {
    add_radio(app, o);
    add_channel(app, o);
    add_switch(app, o);
    app.add_option("--peer", o.peer,
                   "device arguments of a second radio that hears the first; absent: it hears itself");
    app.add_option("--attenuation-db", o.loopback.attenuation_db, "between the ports, dB")
        ->required()
        ->transform(within(0.0, 200.0));
    app.add_option("--max-input-dbm", o.loopback.max_input_dbm,
                   "mean power that the receiver's port may get; gains that could give more are left out")
        ->transform(within(-100.0, 30.0))
        ->capture_default_str();
    app.add_option("--step-db", o.loopback.coarse_step_db, "of the coarse grid of gains; the fine one has a quarter")
        ->transform(within(1.0, 50.0))
        ->capture_default_str();
    app.add_option("--bursts", o.loopback.bursts, "measured at the best pair of gains")
        ->transform(within(1, 10'000))
        ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "One radio on the bench: what it is and can do, and how well. Nothing is transmitted without --transmit."};
    app.require_subcommand(1);
    Options o;
    std::function<int()> work;
    const auto command = [&](const char* name, const char* what, int (*run)(Options&)) {
        CLI::App* sub = app.add_subcommand(name, what);
        sub->callback([&, run] { work = [&o, run] { return run(o); }; });
        return sub;
    };
    CLI::App* sub = command("probe", "what the device is, and which rate it gives for each bandwidth",
                            [](Options& all) { return probe(all); });
    add_radio(*sub, o);
    sub->add_flag("--open-only", o.open_only, "model and serial number alone");
    add_selftest(
        *command("selftest", "a minute of receiving and answering: rates, locks, O/U/L counts, turnaround", self_test),
        o);
    add_loopback(
        *command("loopback", "known bursts through a cable: delay, EVM over gains, edges, DC, image, mask", loopback),
        o);
    add_spectrum(*command("spectrum", "what is on the air: picture, level, occupied bands", spectrum), o);
    add_calibrate(*command("calibrate", "levels in dBm, by meter, generator or a calibrated peer", calibrate), o);
    add_capture(*command("capture", "the samples around an event, to a SigMF recording", capture), o);
    return wimax::cli::run(app, kProgram, argc, argv, [&] { return work(); });
}
