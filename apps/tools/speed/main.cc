// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-speed: throughput of the signal processing on one core. Exit codes: 0 done, 1 the work failed, 2 wrong
// arguments.
#include <gnuradio/wimax/phy/base/instruction_set.h>
#include "tools/cli/command.h"
#include "tools/cli/provenance.h"
#include "tools/speed/items.h"

#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

/// A measured round: the name by which callgrind finds it (wimax_tools/speed/instructions.py).
extern "C" [[gnu::noinline]] double wimax_speed_round(const wimax::speed::Round& work) { return work(); }

namespace {

using namespace wimax::speed;
using gr::wimax::phy::InstructionSet;
using wimax::cli::kDone, wimax::cli::kFailed, wimax::cli::kWrongInput, wimax::cli::within;

constexpr const char* kProgram = "wimax-speed";

int complain(const std::string& line, int code) { return wimax::cli::complain(kProgram, line, code); }

const std::map<std::string, InstructionSet> kIsaNames{{"portable", InstructionSet::portable},
                                                      {"sse4", InstructionSet::sse41},
                                                      {"avx2", InstructionSet::avx2},
                                                      {"avx512", InstructionSet::avx512}};

std::string isa_name(InstructionSet set) {
    return std::find_if(kIsaNames.begin(), kIsaNames.end(), [&](const auto& entry) { return entry.second == set; })
        ->first;
}

struct Options {
    std::string json = "-", isa;
    std::vector<std::string> items;
    int core = -1, rounds = 9;
    bool peers = false;
};

void add_options(CLI::App& app, Options& o) {
    app.add_option("--json", o.json, "file for the result as JSON, - for standard output")->capture_default_str();
    app.add_option("--core", o.core, "number of the core to run on; default: the one on which the program was started")
        ->transform(within(0, CPU_SETSIZE - 1));
    app.add_option("--isa", o.isa,
                   "instruction set: portable, sse4, avx2 or avx512; default: the best of this processor. It limits "
                   "the code of "
                   "this project; FFTW and VOLK choose their own")
        ->check(CLI::IsMember({"portable", "sse4", "avx2", "avx512"}));
    app.add_option("--items", o.items, "measure only these items, several with commas; default: all")->delimiter(',');
    app.add_flag("--peers", o.peers,
                 "also benchmark the decoders of GNU Radio and liquid-dsp, if they were found at build time");
    app.add_option("--rounds", o.rounds, "number of rounds; the median is printed")
        ->transform(within(1, 1001))
        ->capture_default_str();
}

bool pin(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<size_t>(core), &cores);
    return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

/// Rounds to four digits.
double rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return std::strtod(text, nullptr);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

nlohmann::ordered_json measure(const Item& item, int rounds, Stopwatch& watch) {
    const Round work = item.prepare();
    watch.start();
    work();  // caches, clock frequency, page faults
    std::vector<double> values, cpu_values;
    for (int i = 0; i < rounds; ++i) {
        watch.start();
        const double amount = wimax_speed_round(work);
        const auto spent = watch.stop();
        if (item.own_figure) {
            values.push_back(amount);
            cpu_values.push_back(amount);
            continue;
        }
        values.push_back(item.duration ? spent.wall / amount : amount / spent.wall);
        cpu_values.push_back(item.duration ? spent.cpu / amount : amount / spent.cpu);
    }
    const double value = median(values);
    return {{"name", item.name},
            {"value", rounded(value)},
            {"unit", item.unit},
            {"x_real_time", rounded(item.duration ? item.real_time / value : value / item.real_time)},
            {"rounds", rounds},
            {"low", rounded(*std::min_element(values.begin(), values.end()))},
            {"high", rounded(*std::max_element(values.begin(), values.end()))},
            {"cpu_value", rounded(median(cpu_values))}};
}

std::vector<Item> all_items(bool peers, Stopwatch& watch) {
    std::vector<Item> items;
    add_chain_items(items);
    add_latency_items(items);
#ifdef WIMAX_SPEED_FLOWGRAPH
    add_flowgraph_items(items, watch);
#endif
    add_kernel_items(items);
    add_mac_items(items, watch);
    if (peers) add_peer_items(items);
    return items;
}

int run(const Options& o) {
    const InstructionSet best = gr::wimax::phy::best_instruction_set();
    const InstructionSet set = o.isa.empty() ? best : kIsaNames.at(o.isa);
    if (!gr::wimax::phy::instruction_set_available(set))
        return complain("--isa: this processor has no " + o.isa + "; allowed: portable up to " + isa_name(best),
                        kWrongInput);
    gr::wimax::phy::limit_instruction_set(set);
    Stopwatch watch;
    std::vector<Item> items = all_items(o.peers, watch);
    for (const auto& name : o.items) {
        if (std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.name == name; })) continue;
        std::string line = "--items: '" + name + "' does not exist; allowed:";
        for (const auto& item : items) line += " " + item.name;
        return complain(line, kWrongInput);
    }
    if (!o.items.empty())
        std::erase_if(items, [&](const Item& item) { return std::ranges::find(o.items, item.name) == o.items.end(); });
    const int core = o.core < 0 ? sched_getcpu() : o.core;
    if (!pin(core)) return complain("--core: " + std::to_string(core) + " is not there or not allowed", kWrongInput);
    wimax::cli::ResultFile file;
    if (const auto opened = file.open(o.json, "--json"); !opened) return complain(opened.error().str(), kWrongInput);

    nlohmann::ordered_json result{{"isa", isa_name(set)}, {"core", core}};
    result["items"] = nlohmann::ordered_json::array();
    for (const auto& item : items) {
        try {
            result["items"].push_back(measure(item, o.rounds, watch));
        } catch (const std::runtime_error& error) {
            return complain(item.name + ": " + error.what(), kFailed);
        }
    }
    result["provenance"] = wimax::cli::provenance(kProgram);
    const auto written = file.write(result.dump(2) + "\n");
    return written ? kDone : complain(written.error().str(), kFailed);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Speed of the WirelessMAN-OFDM signal processing on one core. Receiver and transmitter: 10 ms frames at 5 "
        "MHz,\n"
        "CP 1/8, one burst of 197 symbols, 30 dB; MS/s of complex samples. x_real_time is against 5.76 MS/s.\n"
        "cpu_value: by CPU time instead of the clock on the wall, for a core that others use, too.\n"
        "wimax speed --instructions counts instructions instead, and compares them with recorded figures."};
    wimax::cli::begin(app, kProgram,
                      "  wimax speed --items rx_64qam34,viterbi_batch\n"
                      "  wimax speed --isa avx2 --core 1 --json speed.json\n"
                      "  wimax speed --instructions --items rx_64qam34");
    Options options;
    add_options(app, options);
    return wimax::cli::run(app, kProgram, argc, argv, [&options] { return run(options); });
}
