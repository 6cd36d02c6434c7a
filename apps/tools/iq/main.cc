// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-iq: signal generator, channel and analyser. Exit codes: 0 done, 1 the work failed, 2 wrong arguments or input.
#include "recording/sigmf_file.h"
#include "tools/cli/command.h"
#include "tools/cli/front_options.h"
#include "tools/cli/provenance.h"
#include "tools/iq/decode_run.h"
#include "tools/iq/generate.h"
#include "tools/iq/impair.h"
#include "tools/iq/ofdma_generate.h"

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
    std::string spec, in, out, json = "-", report, format, channel = "awgn";
    bool transmitter = false;
    std::optional<double> snr_db, doppler_hz;
    double cfo_hz = 0, sfo_ppm = 0, delay_samples = 0, gain_db = 0;
    int64_t bandwidth_hz = 5'000'000;
    uint64_t seed = 1;
    wimax::cli::FrontOptions front;
};

void add_generate(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("generate", "Write the samples of a downlink or an uplink signal");
    command->add_option("spec,--spec", o.spec, "JSON description of the signal, - for standard input")->required();
    command->add_option("--out", o.out, "file to write: .cf32 or .sigmf-data, - for standard output")->required();
    command->footer(
        "example: wimax iq generate SPEC.json --out signal.cf32; docs/wimax-iq.md describes all keys.\n"
        "STC zone of a downlink frame, after its bursts: \"stc_bursts\": [{rate_id, diuc, data_symbols (even), "
        "payload}].\n"
        "\"antenna\": 0 or 1 writes the signal of that antenna only; without it the sum of both, as over two equal "
        "paths.\n"
        "Focused contention instead of an uplink burst: \"contention\": [{opportunity, channel 0..47, code 0..7, "
        "boost_db}],\n"
        "\"opportunities\": 1..8. decode needs cp and start_sample, and lists the codes that it finds.\n"
        "OFDMA with 1024 carriers (IEEE 802.16e): \"phy\": \"ofdma1024\". decode does not read it yet.");
}

constexpr const char* kInput =
    "recording: .sigmf-meta, .wav, .npy, .cf32 .fc32 .cfile .cf64 .ci32 .ci16 .cs16 .sc16 .cu16 .ci8 .cs8 .cu8; "
    "- for standard input (cf32)";

void add_input(CLI::App& command, Options& o, const std::string& more) {
    command.add_option("recording,--in", o.in, kInput + more)->required();
    command
        .add_option("--format", o.format,
                    "sample format of the recording, if its name does not give it: cf32, cf64, ci32, ci16, cu16 (with "
                    "_be: big-endian), ci8, cu8, wav or npy")
        ->check(CLI::IsMember(sample_formats()));
}

void add_impair(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("impair", "Send a recording through radios and the channel between them");
    add_input(*command, o, "");
    command->add_option("--out", o.out, "file to write: .cf32 or .sigmf-data, - for standard output")->required();
    const auto number = [command](const char* name, auto& target, double low, double high, const char* text) {
        command->add_option(name, target, text)->transform(wimax::cli::within(low, high))->capture_default_str();
    };
    using Ranges = ImpairmentRanges;
    const auto ranged = [&number](const char* name, auto& target, ImpairmentRange range, const char* text) {
        number(name, target, range.low, range.high, text);
    };
    ranged("--snr-db", o.snr_db, Ranges::snr_db,
           "Es/N0 per data carrier in dB for a signal of mean sample power 1; absent: no noise");
    ranged("--cfo-hz", o.cfo_hz, Ranges::cfo_hz, "carrier offset in Hz, positive: the spectrum moves up");
    ranged("--sfo-ppm", o.sfo_ppm, Ranges::sfo_ppm,
           "sampling clock offset in ppm, positive: the receiver's clock is fast");
    ranged("--delay-samples", o.delay_samples, Ranges::delay_samples, "delay in samples, fractions allowed");
    number("--doppler-hz", o.doppler_hz, 0, 10'000,
           "largest Doppler shift of all fading taps in Hz; absent: the model's own");
    ranged("--gain-db", o.gain_db, Ranges::gain_db, "gain in dB, of signal and noise");
    command
        ->add_option("--bandwidth-hz", o.bandwidth_hz,
                     "channel bandwidth in Hz; used where the file does not contain its sample rate")
        ->transform(wimax::cli::within(gr::wimax::phy::kMinBandwidthHz, gr::wimax::phy::kMaxBandwidthHz))
        ->capture_default_str();
    command
        ->add_option("--channel", o.channel,
                     "radio channel: awgn, sui1..sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b, o"
                     "r a YAML file of taps")
        ->capture_default_str();
    command->add_option("--seed", o.seed, "seed of noise and fading")
        ->transform(wimax::cli::seed())
        ->capture_default_str();
    wimax::cli::add_front(*command, o.front);
}

void add_decode(CLI::App& app, Options& o) {
    auto* command = app.add_subcommand("decode", "Find and decode frames or an uplink burst in a recording");
    add_input(*command, o, "; bursts become annotations of a SigMF pair");
    command->add_option("--spec", o.spec, "JSON description of the signal to look for, - for standard input")
        ->required();
    command->add_option("--json", o.json, "file for the result, - for standard output")->capture_default_str();
    command->add_option("--report", o.report, "folder for a page with measurements and plots (HTML, PNG, JSON)");
    command->add_flag("--transmitter", o.transmitter,
                      "the recording was taken at the transmitter's port: the report checks it against clause 8.3.10");
}

void warn_about(const std::string& path, size_t samples, size_t repaired, size_t ignored_octets) {
    constexpr size_t kMany = 50;  // one bad sample in this number suggests another format
    if (repaired != 0)
        complain(path + ": " + std::to_string(repaired) + " samples not finite or beyond 1e6, replaced" +
                     (repaired > samples / kMany ? "; another format? --format" : ""),
                 0);
    if (ignored_octets != 0)
        complain(path + ": " + std::to_string(ignored_octets) + " bytes at the end are not a whole sample, ignored", 0);
}

int generate_ofdma(const Options& o, const nlohmann::json& document) {
    const auto spec = parse_ofdma_spec(document, document_name(o.spec));
    if (!spec) return complain(spec.error());
    RecordingWriter out;
    const bool uplink = std::holds_alternative<OfdmaUplink>(spec->signal);
    const auto opened = out.open(o.out, static_cast<double>(spec->numerology.sample_rate_hz),
                                 uplink ? "WirelessMAN-OFDMA uplink zone" : "WirelessMAN-OFDMA downlink subframe");
    if (!opened) return complain(opened.error(), kWrongInput);
    const auto write = [&out](auto samples) { return out.write(samples); };
    return finish(generate(*spec, write).and_then([&out] { return out.close(); }));
}

int run_generate(const Options& o) {
    const auto document = load_document(o.spec);
    if (!document) return complain(document.error());
    if (is_ofdma(*document)) return generate_ofdma(o, *document);
    const auto spec = read_spec(*document, document_name(o.spec), Purpose::generate);
    if (!spec) return complain(spec.error());
    for (const auto& line : spec->warnings) complain(line, 0);
    RecordingWriter out;
    const bool uplink = spec->direction == phy::Direction::uplink;
    const auto opened = out.open(o.out, static_cast<double>(spec->numerology().sample_rate_hz),
                                 uplink ? "WirelessMAN-OFDM uplink burst" : "WirelessMAN-OFDM downlink");
    if (!opened) return complain(opened.error(), kWrongInput);
    const auto write = [&out](auto samples) { return out.write(samples); };
    return finish(generate(*spec, write).and_then([&out] { return out.close(); }));
}

int run_impair(const Options& o) {
    if (const auto fits = wimax::cli::check(o.front); !fits) return complain(fits.error(), kWrongInput);
    const auto recording = read_recording(o.in, o.format);
    if (!recording) return complain(recording.error(), kWrongInput);
    warn_about(o.in, recording->samples.size(), recording->repaired, recording->ignored_octets);
    const auto profile = wimax::channel::load_profile(o.channel, o.doppler_hz);
    if (!profile) return complain("--channel: " + profile.error().str(), kWrongInput);
    const auto numerology = phy::Numerology::make(o.bandwidth_hz, phy::CyclicPrefix::g1_8);
    const double rate =
        recording->sample_rate_hz > 0 ? recording->sample_rate_hz : static_cast<double>(numerology->sample_rate_hz);
    RecordingWriter out;
    const auto opened = out.open(o.out, rate, "WirelessMAN-OFDM through channel " + o.channel);
    if (!opened) return complain(opened.error(), kWrongInput);
    const Impairments impairments{o.snr_db,          o.cfo_hz, o.sfo_ppm, o.delay_samples,
                                  o.gain_db,         *profile, o.seed,    o.front.transmitter(),
                                  o.front.receiver()};
    const auto write = [&out](auto samples) { return out.write(samples); };
    return finish(impair(recording->samples, rate, impairments, write).and_then([&out] { return out.close(); }));
}

Outcome check_rate(const Options& o, const Spec& spec, const RecordingReader& reader) {
    const auto expected = static_cast<double>(spec.numerology().sample_rate_hz), told = reader.sample_rate_hz();
    if (told <= 0 || std::abs(told / expected - 1.0) <= 1e-3) return {};
    return tl::unexpected(Fault{is_sigmf(o.in) ? "core:sample_rate" : "sample rate", std::to_string(told),
                                std::to_string(expected) + " with this bandwidth_hz", o.in});
}

int run_decode(const Options& o) {
    if (o.spec == "-" && o.in == "-") return complain("--spec and --in: only one of them can be -", kWrongInput);
    const auto spec = load_spec(o.spec, Purpose::decode);
    if (!spec) return complain(spec.error());
    wimax::cli::remember_configuration(o.spec);
    auto reader = RecordingReader::open(o.in, o.format);
    if (!reader) return complain(reader.error(), kWrongInput);
    if (const auto fits = check_rate(o, *spec, *reader); !fits) return complain(fits.error(), kWrongInput);
    DecodeRun run(kProgram, {o.in, o.format, o.json, o.report, o.transmitter}, *spec, *reader);
    if (const auto opened = run.open(); !opened) return complain(opened.error(), kWrongInput);
    const auto done = run.decode_all();
    warn_about(o.in, static_cast<size_t>(run.samples()), reader->repaired(), reader->ignored_octets());
    if (!done) return complain(done.error(), kFailed);
    for (const auto& line : run.remarks()) complain(line, 0);
    return run.interrupted() ? wimax::cli::kInterrupted : kDone;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "WirelessMAN-OFDM (IEEE 802.16-2004) signal generator and analyser.\n"
        "Samples have the channel's sample rate and are written as float32 I, Q (.cf32) or SigMF pairs. A data symbol "
        "has mean power 1."};
    wimax::cli::begin(app, kProgram,
                      "  wimax iq generate SPEC.json --out signal.cf32\n"
                      "  wimax iq impair signal.cf32 --snr-db 20 --channel sui3 --out received.cf32\n"
                      "  wimax iq decode received.cf32 --spec SPEC.json --report report/");
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
