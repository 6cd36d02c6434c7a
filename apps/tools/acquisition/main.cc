// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-acquisition: how reliably the subscriber's receiver finds a base station, and how rarely it finds one that is
// not there. Exit codes: 0 done, 1 the work failed, 2 wrong arguments, 130 ended by the user, with the points so far.
#include "tools/acquisition/fpga_receiver.h"
#include "tools/cli/long_run.h"
#include "tools/cli/provenance.h"
#include "tools/simulation/acquisition_trial.h"
#include "tools/simulation/simulator.h"

#include <fmt/format.h>
#include <gnuradio/wimax/phy/base/numerology.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace {

using namespace wimax::acquisition;
using nlohmann::ordered_json;
using wimax::cli::LongRun, wimax::cli::kWrongInput, wimax::cli::within;

constexpr const char* kProgram = "wimax-acquisition";

const std::map<std::string, Idle> kIdleNames{{"noise", Idle::noise},
                                             {"steps", Idle::steps},
                                             {"tone", Idle::tone},
                                             {"impulses", Idle::impulses},
                                             {"data", Idle::data}};

enum class Receiver : uint8_t { host, fpga_model, fpga_rtl };
const std::map<std::string, Receiver> kReceiverNames{
    {"host", Receiver::host}, {"fpga-model", Receiver::fpga_model}, {"fpga-rtl", Receiver::fpga_rtl}};

struct Options {
    Setup setup;
    std::string receiver = "host";
    std::string cp = "1/8", channel = "awgn", json, idle = "noise";
    std::vector<double> snr_db{0, 3};
    int64_t trials = 2000, false_alarm_symbols = 0;
    uint64_t seed = 1;
    int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

void add_options(CLI::App& app, Options& o) {
    app.add_option("--bandwidth-hz", o.setup.bandwidth_hz, "channel bandwidth in Hz")
        ->transform(within(gr::wimax::phy::kMinBandwidthHz, gr::wimax::phy::kMaxBandwidthHz))
        ->capture_default_str();
    app.add_option("--cp", o.cp, "cyclic prefix of the transmitted frames")
        ->check(CLI::IsMember({"1/4", "1/8", "1/16", "1/32"}))
        ->capture_default_str();
    app.add_flag("--cp-known", o.setup.cp_known,
                 "the receiver is given the cyclic prefix; without this it searches for it");
    app.add_option("--carrier-hz", o.setup.carrier_hz, "carrier frequency in Hz, to which --offset-ppm refers")
        ->transform(within(1e6, 11e9))
        ->capture_default_str();
    app.add_option(
           "--offset-ppm", o.setup.max_offset_ppm,
           "largest offset of carrier and sampling clock in ppm, each uniform between minus and plus this value")
        ->transform(within(0.0, 25.0))
        ->capture_default_str();
    app.add_option("--channel", o.channel,
                   "awgn, sui1..sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b, or a YAML file of taps")
        ->capture_default_str();
    app.add_option("--snr-db", o.snr_db, "Es/N0 per data carrier in dB, or several with commas")
        ->delimiter(',')
        ->transform(within(-30.0, 100.0))
        ->capture_default_str();
    app.add_option("--trials", o.trials, "number of frames for each SNR; 0: none")
        ->transform(within(int64_t{0}, int64_t{1'000'000'000}))
        ->capture_default_str();
    app.add_option("--false-alarm-symbols", o.false_alarm_symbols,
                   "number of symbols (5 MHz, CP 1/8) without a frame, to count false alarms in; 0: none")
        ->transform(within(int64_t{0}, int64_t{1'000'000'000'000}))
        ->capture_default_str();
    app.add_option("--idle", o.idle,
                   "signal during false-alarm symbols: noise, steps of its level, tone, impulses, data")
        ->check(CLI::IsMember({"noise", "steps", "tone", "impulses", "data"}))
        ->capture_default_str();
    app.add_option(
           "--receiver", o.receiver,
           "receiver under test: the host's, or the FPGA core preamble_detect as a model or compiled by Verilator")
        ->check(CLI::IsMember({"host", "fpga-model", "fpga-rtl"}))
        ->capture_default_str();
    app.add_option("--seed", o.seed, "seed of all random numbers")
        ->transform(wimax::cli::seed())
        ->capture_default_str();
    app.add_option(
           "--threads", o.threads,
           "number of threads; it does not change the result of trials. False-alarm symbols are divided among threads")
        ->transform(within(1, 1024))
        ->capture_default_str();
    app.add_option("--json", o.json,
                   "file for the result as JSON, - for standard output; without it a table is printed");
}

/// Root of the mean square of the `count` values that `sum` has the squares of.
double rms(double sum, int64_t count) { return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0; }

/// Workers 0 to `threads` - 1, of which the first is this thread: it alone speaks to the user.
void share_out(int threads, const std::function<void(int)>& work) {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
}

/// Each worker has its own receiver. nullopt: the receiver is not part of this build.
std::optional<MeasuredReceiver> make_receiver(const Options& o) {
    switch (kReceiverNames.at(o.receiver)) {
        case Receiver::fpga_model: return make_fpga_receiver(FpgaDetector::model, o.setup);
        case Receiver::fpga_rtl: return make_fpga_receiver(FpgaDetector::rtl, o.setup);
        case Receiver::host: break;
    }
    auto trial = std::make_shared<AcquisitionRunner>(o.setup);
    return MeasuredReceiver{.trial = [trial](double snr_db, uint64_t seed) { return trial->run(snr_db, seed); },
                            .count_alarms = count_false_alarms};
}

/// nullopt if it was stopped.
std::optional<ordered_json> measure_snr(const Options& o, double snr_db, LongRun& run) {
    std::vector<Outcome> outcomes(static_cast<size_t>(o.trials));
    std::atomic<size_t> next = 0;
    share_out(o.threads, [&](int worker) {
        const auto receiver = make_receiver(o);
        for (size_t n = next++; n < outcomes.size() && !run.stopped(); n = next++) {
            outcomes[n] = receiver->trial(snr_db, o.seed * 1'000'000'007 + n);
            if (worker == 0)
                run.go_on(static_cast<double>(n) / static_cast<double>(outcomes.size()),
                          fmt::format("{:g} dB", snr_db));
        }
    });
    if (run.stopped()) return std::nullopt;
    int64_t acquired = 0, detected = 0;
    double start_square = 0, frequency_square = 0;
    for (const auto& outcome : outcomes) {
        acquired += outcome.acquired;
        detected += outcome.detected;
        start_square += outcome.start_error_samples * outcome.start_error_samples;
        frequency_square += outcome.frequency_error_hz * outcome.frequency_error_hz;
    }
    const auto bounds = wimax::link::wilson(acquired, o.trials);
    run.point_done(fmt::format("{:>7.2f} {:>8} {:>8}  {:.4f} ({:.4f} .. {:.4f}) {:>9} {:>13.2f} {:>8.1f}", snr_db,
                               o.trials, acquired, static_cast<double>(acquired) / static_cast<double>(o.trials),
                               bounds.low, bounds.high, detected, rms(start_square, acquired),
                               rms(frequency_square, acquired)));
    return ordered_json{{"snr_db", snr_db},
                        {"trials", o.trials},
                        {"acquired", acquired},
                        {"share", static_cast<double>(acquired) / static_cast<double>(o.trials)},
                        {"share_low", bounds.low},
                        {"share_high", bounds.high},
                        {"preambles_detected", detected},
                        {"start_rms_samples", rms(start_square, acquired)},
                        {"cfo_rms_hz", rms(frequency_square, acquired)}};
}

std::optional<ordered_json> measure_false_alarms(const Options& o, LongRun& run) {
    std::vector<FalseAlarms> parts(static_cast<size_t>(o.threads));
    const int64_t symbols = o.false_alarm_symbols / o.threads;
    share_out(o.threads, [&](int worker) {
        const auto go_on = [&](int64_t done) {
            return worker == 0 ? run.go_on(static_cast<double>(done) / static_cast<double>(symbols), "false alarms")
                               : !run.stopped();
        };
        const auto i = static_cast<size_t>(worker);
        parts[i] = make_receiver(o)->count_alarms(kIdleNames.at(o.idle), symbols, o.seed + 1000 * i, go_on);
    });
    if (run.stopped()) return std::nullopt;
    FalseAlarms sum;
    for (const auto& part : parts) {
        sum.symbols += part.symbols;
        sum.preambles += part.preambles;
        sum.prefixes += part.prefixes;
    }
    const auto bounds = wimax::link::wilson(sum.preambles + sum.prefixes, std::max<int64_t>(1, sum.symbols));
    run.point_done(fmt::format("\nfalse alarms in {} symbols of {}: {} preambles, {} prefixes; at most {:.1e} a symbol",
                               sum.symbols, o.idle, sum.preambles, sum.prefixes, bounds.high));
    return ordered_json{{"idle", o.idle},
                        {"symbols", sum.symbols},
                        {"preambles", sum.preambles},
                        {"prefixes", sum.prefixes},
                        {"per_symbol_high", bounds.high}};
}

int complain(const std::string& line, int code) { return wimax::cli::complain(kProgram, line, code); }

int run_all(Options& o) {
    const auto profile = wimax::channel::load_profile(o.channel);
    if (!profile) return complain("--channel: " + profile.error().str(), kWrongInput);
    o.setup.profile = *profile;
    o.setup.cp = *phy::parse_cyclic_prefix(o.cp);
    if (!make_receiver(o))
        return complain(
            "--receiver: this build has no FPGA cores: install verilator 5.0 or later, then configure with "
            "cmake -D WIMAX_FPGA=ON and build again; without them: host",
            kWrongInput);
    const size_t points = (o.trials > 0 ? o.snr_db.size() : 0) + (o.false_alarm_symbols > 0 ? 1 : 0);
    wimax::cli::remember_configuration(o.channel);
    LongRun run(kProgram, o.json, points);
    if (const auto opened = run.open(); !opened) return complain(opened.error().str(), kWrongInput);
    ordered_json result{
        {"bandwidth_hz", o.setup.bandwidth_hz}, {"cp", o.cp},           {"carrier_hz", o.setup.carrier_hz},
        {"offset_ppm", o.setup.max_offset_ppm}, {"channel", o.channel}, {"receiver", o.receiver}};
    result["points"] = ordered_json::array();
    if (o.trials > 0) {
        run.line(fmt::format("{:>7} {:>8} {:>8}  {:<25} {:>9} {:>13} {:>8}", "SNR dB", "frames", "acquired",
                             "share (95 %)", "preambles", "start samples", "CFO Hz"));
        for (const double snr : o.snr_db)
            if (auto point = run.stopped() ? std::nullopt : measure_snr(o, snr, run))
                result["points"].push_back(std::move(*point));
    }
    if (o.false_alarm_symbols > 0 && !run.stopped())
        if (auto alarms = measure_false_alarms(o, run)) result["false_alarms"] = std::move(*alarms);
    return run.finish(result, o.seed);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "How reliably the subscriber's receiver acquires a WirelessMAN-OFDM (IEEE 802.16-2004) base station: shares of "
        "single\n"
        "frames of unknown timing, carrier and clock whose FCH was decoded (by the FPGA's detector: whose start and "
        "cyclic\n"
        "prefix are right), with 95 % Wilson bounds; and false alarms."};
    wimax::cli::begin(app, kProgram,
                      "  wimax acquisition --snr-db 0,3,6 --trials 1000\n"
                      "  wimax acquisition --trials 0 --false-alarm-symbols 1000000 --json -");
    Options options;
    add_options(app, options);
    return wimax::cli::run(app, kProgram, argc, argv, [&options] { return run_all(options); });
}
