/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax-iq: signal generator, channel and analyser. Exit codes: 0 done, 1 the work failed, 2 wrong arguments or input.
 */
#include "tools/cli/command.h"
#include "tools/iq/decode.h"
#include "tools/iq/generate.h"
#include "tools/iq/impair.h"
#include "tools/iq/report.h"

namespace {

using namespace wimax::iq;
using wimax::Fault, wimax::Faults, wimax::Outcome;
using wimax::cli::kDone, wimax::cli::kFailed, wimax::cli::kWrongInput;

constexpr const char* kProgram = "wimax-iq";

int complain(const std::string& line, int code) { return wimax::cli::complain(kProgram, line, code); }
int complain(const Fault& fault, int code) { return complain(fault.str(), code); }
int complain(const Faults& faults) {
    for (const auto& line : faults.lines()) complain(line, kWrongInput);
    return kWrongInput;
}
int finish(const Outcome& done) { return done ? kDone : complain(done.error(), kFailed); }

struct Options {
    std::string spec, in, out, json = "-", report, channel = "awgn";
    std::optional<double> snr_db, doppler_hz;
    double cfo_hz = 0, sfo_ppm = 0, delay_samples = 0, gain_db = 0;
    int64_t bandwidth_hz = 5'000'000;
    uint64_t seed = 1;
};

void add_generate(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("generate", "Write the samples of a downlink or an uplink signal");
    command->add_option("--spec", o.spec, "JSON description of the signal, - for standard input")->required();
    command->add_option("--out", o.out, ".cf32 or .sigmf-data, - for standard output")->required();
    command->footer(
        "STC zone of a downlink frame, behind its bursts: \"stc_bursts\": [{rate_id, diuc, data_symbols (even), "
        "payload}].\n"
        "\"antenna\": 0 or 1 writes that antenna's signal alone; without it the sum, as over two equal paths.\n"
        "Focused contention instead of an uplink burst: \"contention\": [{opportunity, channel 0..47, code 0..7, "
        "boost_db}],\n"
        "\"opportunities\": 1..8. decode needs its cp and start_sample, and then lists the codes found.");
}

void add_impair(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("impair", "Send a recording through a radio channel");
    command->add_option("--in", o.in, ".cf32 or .sigmf-data, - for standard input")->required();
    command->add_option("--out", o.out, ".cf32 or .sigmf-data, - for standard output")->required();
    const auto number = [command](const char* name, auto& target, double low, double high, const char* text) {
        command->add_option(name, target, text)->transform(wimax::cli::within(low, high))->capture_default_str();
    };
    number("--snr-db", o.snr_db, -100, 200,
           "Es/N0 per data carrier in dB for a signal of mean sample power 1; absent: no noise");
    number("--cfo-hz", o.cfo_hz, -1e8, 1e8, "carrier offset in Hz, positive: the spectrum moves up");
    number("--sfo-ppm", o.sfo_ppm, -500, 500, "sampling clock offset in ppm, positive: the receiver's clock is fast");
    number("--delay-samples", o.delay_samples, 0, 1e8, "delay in samples, fractions allowed");
    number("--doppler-hz", o.doppler_hz, 0, 10'000,
           "largest Doppler shift of all fading taps in Hz; absent: the model's own");
    number("--gain-db", o.gain_db, -200, 200, "gain in dB, of signal and noise");
    command
        ->add_option("--bandwidth-hz", o.bandwidth_hz,
                     "channel bandwidth in Hz, where the file does not tell its sample rate")
        ->transform(wimax::cli::within(gr::wimax::phy::kMinBandwidthHz, gr::wimax::phy::kMaxBandwidthHz))
        ->capture_default_str();
    command
        ->add_option("--channel", o.channel,
                     "awgn, sui1..sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b, or a YAML file of taps")
        ->capture_default_str();
    command->add_option("--seed", o.seed, "of noise and fading")->transform(wimax::cli::seed())->capture_default_str();
}

void add_decode(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("decode", "Find and decode frames or an uplink burst in a recording");
    command
        ->add_option("--in", o.in,
                     ".cf32 or .sigmf-data, - for standard input; bursts become annotations of a SigMF pair")
        ->required();
    command->add_option("--spec", o.spec, "JSON description of what to look for, - for standard input")->required();
    command->add_option("--json", o.json, "file for the result, - for standard output")->capture_default_str();
    command->add_option("--report", o.report, "directory for a page with measurements and plots (HTML, PNG, JSON)");
}

void warn_about(const std::string& path, const Recording& recording) {
    if (recording.repaired != 0) {
        complain(path + ": " + std::to_string(recording.repaired) + " samples not finite or beyond 1e6, replaced", 0);
    }
    if (recording.ignored_octets != 0) {
        complain(
            path + ": " + std::to_string(recording.ignored_octets) + " octets at the end are no whole sample, ignored",
            0);
    }
}

int run_generate(const Options& o) {
    const auto spec = load_spec(o.spec, Purpose::generate);
    if (!spec) return complain(spec.error());
    for (const auto& line : spec->warnings) complain(line, 0);
    RecordingWriter out;
    const bool uplink = spec->direction == phy::Direction::uplink;
    const auto opened = out.open(o.out, static_cast<double>(spec->numerology().sample_rate_hz),
                                 uplink ? "WirelessMAN-OFDM uplink burst" : "WirelessMAN-OFDM downlink");
    if (!opened) return complain(opened.error(), kWrongInput);
    return finish(generate(*spec, out).and_then([&out] { return out.close(); }));
}

int run_impair(const Options& o) {
    const auto recording = read_recording(o.in);
    if (!recording) return complain(recording.error(), kWrongInput);
    warn_about(o.in, *recording);
    const auto profile = wimax::channel::load_profile(o.channel, o.doppler_hz);
    if (!profile) return complain("--channel: " + profile.error().str(), kWrongInput);
    const auto numerology = phy::Numerology::make(o.bandwidth_hz, phy::CyclicPrefix::g1_8);
    const double rate =
        recording->sample_rate_hz > 0 ? recording->sample_rate_hz : static_cast<double>(numerology->sample_rate_hz);
    RecordingWriter out;
    const auto opened = out.open(o.out, rate, "WirelessMAN-OFDM through channel " + o.channel);
    if (!opened) return complain(opened.error(), kWrongInput);
    const Impairments impairments{o.snr_db, o.cfo_hz, o.sfo_ppm, o.delay_samples, o.gain_db, *profile, o.seed};
    const auto write = [&out](auto samples) { return out.write(samples); };
    return finish(impair(recording->samples, rate, impairments, write).and_then([&out] { return out.close(); }));
}

int run_decode(const Options& o) {
    if (o.spec == "-" && o.in == "-") return complain("--spec and --in: only one of them can be -", kWrongInput);
    const auto spec = load_spec(o.spec, Purpose::decode);
    if (!spec) return complain(spec.error());
    const auto recording = read_recording(o.in);
    if (!recording) return complain(recording.error(), kWrongInput);
    warn_about(o.in, *recording);
    const auto expected_rate = static_cast<double>(spec->numerology().sample_rate_hz);
    if (recording->sample_rate_hz > 0 && std::abs(recording->sample_rate_hz / expected_rate - 1.0) > 1e-3) {
        return complain(Fault{"core:sample_rate", std::to_string(recording->sample_rate_hz),
                              std::to_string(expected_rate) + " with this bandwidth_hz", o.in},
                        kWrongInput);
    }
    wimax::cli::ResultFile result;
    Outcome ready = result.open(o.json, "--json");
    if (ready && !o.report.empty()) ready = make_report_folder(o.report);
    if (!ready) return complain(ready.error(), kWrongInput);
    const auto frames = decode(*spec, recording->samples, o.report.empty() ? 0 : kReportFrames);
    const auto written = result.write(to_json(*spec, frames).dump(2) + "\n");
    if (!written) return complain(written.error(), kFailed);
    if (is_sigmf(o.in))
        if (const auto noted = annotate(o.in, to_annotations(frames)); !noted) complain(noted.error(), 0);
    return o.report.empty() ? kDone : finish(write_report(o.report, *spec, recording->samples, frames));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "WirelessMAN-OFDM (IEEE 802.16-2004) signal generator and analyser.\n"
        "Samples: float32 I, Q (.cf32) or SigMF pairs at the channel's sample rate; a data symbol has mean power 1."};
    app.require_subcommand(1);
    Options options;
    add_generate(app, options);
    add_impair(app, options);
    add_decode(app, options);
    return wimax::cli::run(app, kProgram, argc, argv, [&] {
        if (app.got_subcommand("generate")) return run_generate(options);
        if (app.got_subcommand("impair")) return run_impair(options);
        return run_decode(options);
    });
}
