// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-link: error rates of the real transmitter and receiver over a channel. Exit codes: 0 done, 1 the work failed,
// 2 wrong arguments, 130 ended by the user, with the points so far.
#include <gnuradio/wimax/phy/base/numerology.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include "channel/radio_front_fields.h"
#include "tools/cli/front_options.h"
#include "tools/cli/long_run.h"
#include "tools/cli/provenance.h"
#include "tools/cli/python.h"
#include "tools/simulation/simulator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <thread>

namespace {

using namespace wimax::link;
using wimax::Fault, wimax::cli::kFailed, wimax::cli::kWrongInput, wimax::cli::within;

constexpr const char* kProgram = "wimax-link";
constexpr double kMaxSnrDb = 100;
constexpr size_t kMaxPoints = 1000;

int complain(const std::string& line, int code) { return wimax::cli::complain(kProgram, line, code); }

struct Options {
    std::vector<int> rates;
    std::string direction = "downlink", channel, snr_db, estimation = "real", json, plot;
    std::string cp = "1/8";
    bool second_chance = true;
    int symbols = 1, midamble_interval = 0, subchannel_index = gr::wimax::phy::kFullSubchannel;
    int64_t bandwidth_hz = 5'000'000;
    double offset_hz = 10e3;
    std::optional<double> doppler_hz, speed_km_h;
    StopRule stop;
    wimax::cli::FrontOptions front;
    uint64_t seed = 1;
    int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

void add_options(CLI::App& app, Options& o) {
    app.add_option("--rate", o.rates,
                   "rate_id, or several with commas: 0 BPSK 1/2, 1 QPSK 1/2, 2 QPSK 3/4, 3 16-QAM 1/2, 4 16-QAM 3/4, "
                   "5 64-QAM 2/3, 6 64-QAM 3/4")
        ->required()
        ->delimiter(',')
        ->transform(within(0, gr::wimax::phy::kRates - 1));
    app.add_option("--direction", o.direction, "downlink or uplink")
        ->check(CLI::IsMember({"downlink", "uplink"}))
        ->capture_default_str();
    app.add_option("--symbols", o.symbols, "data symbols per burst")
        ->transform(within(1, kMaxDataSymbols))
        ->capture_default_str();
    app.add_option("--channel", o.channel,
                   "awgn, sui1..sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b, or a YAML file of taps")
        ->required();
    auto* doppler = app.add_option("--doppler-hz", o.doppler_hz,
                                   "largest Doppler shift of all fading taps in Hz; default: the model's own")
                        ->transform(within(0.0, wimax::channel::kMaxDopplerHz));
    app.add_option("--speed-km-h", o.speed_km_h, "the same as the speed of a station in km/h, at 3.5 GHz")
        ->transform(within(0.0, 1000.0))
        ->excludes(doppler);
    app.add_option("--snr-db", o.snr_db,
                   "Es/N0 per data carrier in dB: START:STEP:STOP, one value, or several with commas")
        ->required();
    app.add_option("--estimation", o.estimation,
                   "real: the receiver finds timing, frequency and channel itself; genie: it knows them, and the noise")
        ->check(CLI::IsMember({"real", "genie"}))
        ->capture_default_str();
    app.add_option("--bandwidth-hz", o.bandwidth_hz, "channel bandwidth in Hz")
        ->transform(within(gr::wimax::phy::kMinBandwidthHz, gr::wimax::phy::kMaxBandwidthHz))
        ->capture_default_str();
    app.add_option("--cp", o.cp, "cyclic prefix")
        ->check(CLI::IsMember({"1/4", "1/8", "1/16", "1/32"}))
        ->capture_default_str();
    app.add_option("--offset-hz", o.offset_hz,
                   "largest carrier offset in Hz; each burst has one, uniform between minus and plus this value")
        ->transform(within(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--midamble-interval", o.midamble_interval,
                   "uplink: 0 none; 1, 2, 3, 4: a midamble after every 8, 16, 32, 4 data symbols")
        ->transform(within(0, 4))
        ->capture_default_str();
    app.add_option("--subchannel-index", o.subchannel_index, "uplink: 1 to 31, 16 is the whole band")
        ->transform(within(1, 31))
        ->capture_default_str();
    app.add_flag_callback(
        "--no-second-chance", [&o] { o.second_chance = false; },
        "failed blocks get no second attempt (docs/receiver.md)");
    const auto count = within(int64_t{1}, int64_t{1'000'000'000'000});
    app.add_option("--blocks", o.stop.blocks, "a point ends after this number of blocks")
        ->transform(count)
        ->capture_default_str();
    app.add_option("--errors", o.stop.errors, "or after this number of wrong blocks")
        ->transform(count)
        ->capture_default_str();
    app.add_option("--seed", o.seed, "seed of all random numbers")
        ->transform(wimax::cli::seed())
        ->capture_default_str();
    app.add_option("--threads", o.threads, "number of threads; it does not change the result")
        ->transform(within(1, 1024))
        ->capture_default_str();
    wimax::cli::add_front(app, o.front);
    app.add_option("--json", o.json,
                   "file for the result as JSON, - for standard output; without it a table is printed");
    app.add_option("--plot", o.plot, "file for a picture of the curves, .png or .svg");
}

/// Values with commas between them; empty if there is anything else.
std::vector<double> parse_list(const std::string& text) {
    std::vector<double> points;
    for (const auto& part : CLI::detail::split(text, ',')) {
        double value = 0;
        if (!wimax::config::parse_number(part, {-kMaxSnrDb, kMaxSnrDb}, value)) return {};
        points.push_back(value);
    }
    return points;
}

/// The points of START:STEP:STOP or of a list; empty if the text is neither.
std::vector<double> parse_points(const std::string& text) {
    if (text.find(':') == std::string::npos) return parse_list(text);
    std::array<double, 3> parts{};
    size_t at = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        const size_t end = i + 1 < parts.size() ? text.find(':', at) : text.size();
        if (end == std::string::npos || !CLI::detail::lexical_cast(text.substr(at, end - at), parts[i])) return {};
        at = end + 1;
    }
    const auto [start, step, stop] = parts;
    if (!(std::abs(start) <= kMaxSnrDb && std::abs(stop) <= kMaxSnrDb && step > 0 && stop >= start)) return {};
    const double steps = std::floor((stop - start) / step + 1e-9);
    if (steps >= static_cast<double>(kMaxPoints)) return {};
    std::vector<double> points;
    for (int i = 0; i <= static_cast<int>(steps); ++i)
        points.push_back(std::round((start + i * step) * 1e6) / 1e6 + 0.0);  // no 0.30000000000000004, no -0
    return points;
}

/// What was asked of the radios' fronts, by key.
struct FrontJson {
    nlohmann::ordered_json result;

    template <class T, class Bound>
    void operator()(const char* key, const T& value, Bound, Bound, const char*, const char*) {
        result[key] = value;
    }
    template <class T, class Bound>
    void operator()(const char* key, const std::optional<T>& value, Bound, Bound, const char*, const char*) {
        if (value) result[key] = *value;
    }
    void operator()(const char* key, const wimax::channel::PhaseMask& mask, const char*) {
        if (!mask.empty()) result[key] = wimax::channel::print_phase_mask(mask);
    }
};

nlohmann::ordered_json to_json(const wimax::cli::FrontOptions& front) {
    if (front.config.ideal()) return nullptr;
    FrontJson json{{{"end", front.end}}};
    wimax::channel::visit_front(json, front.config);
    return json.result;
}

nlohmann::ordered_json to_json(const Point& point, const LinkSetup& setup, const Options& o) {
    const auto bounds = wilson(point.block_errors, point.blocks);
    return {{"rate_id", point.rate_id},
            {"direction", o.direction},
            {"symbols", o.symbols},
            {"snr_db", point.snr_db},
            {"blocks", point.blocks},
            {"block_errors", point.block_errors},
            {"missed", point.missed},
            {"failed", point.failed},
            {"undetected", point.undetected},
            {"per", point.per()},
            {"per_low", bounds.low},
            {"per_high", bounds.high},
            {"ber", point.ber()},
            {"estimation", o.estimation},
            {"channel", o.channel},
            {"doppler_hz", setup.profile.max_doppler_hz()},
            {"bandwidth_hz", o.bandwidth_hz},
            {"cp", o.cp},
            {"offset_hz", o.offset_hz},
            {"midamble_interval", o.midamble_interval},
            {"subchannel_index", o.subchannel_index},
            {"second_chance", o.second_chance},
            {"front", to_json(o.front)}};
}

tl::expected<LinkSetup, Fault> make_setup(const Options& o) {
    LinkSetup setup;
    auto doppler_hz = o.doppler_hz;
    if (o.speed_km_h) doppler_hz = wimax::channel::doppler_at_3500_mhz(*o.speed_km_h);
    const auto profile = wimax::channel::load_profile(o.channel, doppler_hz);
    if (!profile) return wimax::failure("--channel", profile.error().str());
    setup.profile = *profile;
    setup.direction = o.direction == "uplink" ? phy::Direction::uplink : phy::Direction::downlink;
    setup.data_symbols = o.symbols;
    setup.estimation = o.estimation == "genie" ? Estimation::genie : Estimation::real;
    setup.bandwidth_hz = o.bandwidth_hz;
    setup.cp = *phy::parse_cyclic_prefix(o.cp);
    setup.max_offset_hz = o.offset_hz;
    setup.midamble_interval = static_cast<uint8_t>(o.midamble_interval);
    setup.subchannel_index = static_cast<uint8_t>(o.subchannel_index);
    setup.second_chance = o.second_chance;
    if (setup.direction == phy::Direction::downlink &&
        (setup.midamble_interval != 0 || setup.subchannel_index != phy::kFullSubchannel))
        return wimax::failure("--midamble-interval and --subchannel-index", "only with --direction uplink");
    if (const auto fits = wimax::cli::check(o.front); !fits) return tl::unexpected(fits.error());
    setup.transmitter = o.front.transmitter();
    setup.receiver = o.front.receiver();
    for (const int rate : o.rates)
        if (!phy::valid_burst_format(trial_format(setup, rate)))
            return wimax::failure(
                "--symbols", "too few for a byte of payload at rate " + std::to_string(rate) + " in these subchannels");
    return setup;
}

std::string table_line(const Point& point) {
    const auto bounds = wilson(point.block_errors, point.blocks);
    return fmt::format("{:<11} {:>7.2f} {:>9} {:>7} {:>7} {:>10}  {:.2e} ({:.1e} .. {:.1e})  {:.2e}",
                       phy::kRateTable[static_cast<size_t>(point.rate_id)].name, point.snr_db, point.blocks,
                       point.block_errors, point.missed, point.undetected, point.per(), bounds.low, bounds.high,
                       point.ber());
}

nlohmann::ordered_json measure_all(const Options& o, const LinkSetup& setup, const std::vector<double>& snrs,
                                   wimax::cli::LongRun& run) {
    auto points = nlohmann::ordered_json::array();
    run.line(fmt::format("{:<11} {:>7} {:>9} {:>7} {:>7} {:>10}  {:<30}  {}", "rate", "SNR dB", "blocks", "wrong",
                         "missed", "undetected", "block error rate (95 %)", "bit error rate"));
    Simulator simulator(setup, o.threads);
    for (const int rate : o.rates) {
        for (const double snr : snrs) {
            const auto what = fmt::format("{} at {:g} dB", phy::kRateTable[static_cast<size_t>(rate)].name, snr);
            const auto point =
                simulator.measure(rate, snr, o.stop, o.seed, [&](double share) { return run.go_on(share, what); });
            if (!point) return points;
            points.push_back(to_json(*point, setup, o));
            run.point_done(table_line(*point));
        }
    }
    return points;
}

int run_all(const Options& o) {
    const auto snrs = parse_points(o.snr_db);
    if (snrs.empty()) {
        return complain(
            "--snr-db: '" + o.snr_db +
                "' is not START:STEP:STOP or values with commas; allowed: -100 to 100, STEP above 0, STOP not below "
                "START, at most " +
                std::to_string(kMaxPoints) + " points",
            kWrongInput);
    }
    const auto setup = make_setup(o);
    if (!setup) return complain(setup.error().str(), kWrongInput);
    wimax::cli::remember_configuration(o.channel);
    wimax::cli::LongRun run(kProgram, o.json, o.rates.size() * snrs.size());
    const auto ready = (o.plot.empty() ? wimax::Outcome() : wimax::cli::check_picture(o.plot, "--plot")).and_then([&] {
        return run.open();
    });
    if (!ready) return complain(ready.error().str(), kWrongInput);

    nlohmann::ordered_json result;
    result["points"] = measure_all(o, *setup, snrs, run);
    const int status = run.finish(result, o.seed);
    if (o.plot.empty() || status == kFailed || result["points"].empty()) return status;
    if (!wimax::cli::run_python("wimax_tools.curves.plot", o.plot, result.dump()))
        return complain("--plot: " + o.plot + " was not drawn; it needs python3-matplotlib and a folder to write to",
                        kFailed);
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Error rates of the WirelessMAN-OFDM (IEEE 802.16-2004) transmitter and receiver over a channel, with random\n"
        "carrier offset, delay and phase. A block is one OFDM symbol's worth of data."};
    wimax::cli::begin(app, kProgram,
                      "  wimax link --rate 0,6 --channel awgn --snr-db 0:1:25 --plot curves.svg\n"
                      "  wimax link --rate 4 --channel sui3 --snr-db 15,20 --json result.json");
    Options options;
    add_options(app, options);
    return wimax::cli::run(app, kProgram, argc, argv, [&options] { return run_all(options); });
}
