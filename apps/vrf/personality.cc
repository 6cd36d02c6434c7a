// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/personality.h"

#include "vrf/front_keys.h"

#include "common/safe_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace wimax::vrf {
namespace {

namespace fs = std::filesystem;
constexpr const char* kIdeal = "ideal";
constexpr const char* kFolder = "share/wimax/config/radios";

void declare(config::Schema& s, const std::string& way, DirectionModel& d) {
    s.number(way + ".min_gain_db", d.min_gain_db, {-100, 100}, "dB", "lowest gain");
    s.number(way + ".max_gain_db", d.max_gain_db, {-100, 100}, "dB", "highest gain");
    s.number(way + ".gain_step_db", d.gain_step_db, {0.01, 10}, "dB", "gains lie on steps from the lowest on");
    s.list(
        way + ".antennas", d.antennas, [](config::Schema& item, std::string& name) { item.text("", name, "port"); },
        "ports", 1, 16);
    s.text(way + ".antenna", d.antenna, "port that is chosen when the radio is opened");
    s.number(way + ".packet_samples", d.packet_samples, {0, 65536}, "samples",
             "longest packet between host and radio; 0: a chunk of the channel");
    s.number(
        way + ".frames", d.frames, {0, 1'000'000}, "packets",
        "on their way between host and antenna at most; over USB num_recv_frames and num_send_frames say so instead; "
        "0: no such limit, and no habits of a model");
}

void declare_clock(config::Schema& s, Personality& p) {
    s.choice("clock.kind", p.clock,
             {{"channel", ClockKind::channel},
              {"fixed", ClockKind::fixed},
              {"chosen", ClockKind::chosen},
              {"ad9361", ClockKind::ad9361}},
             "channel: the channel's rate is the only one; fixed: one of clocks_hz by master_clock_rate; chosen: that "
             "may change later; ad9361: any between the two of clocks_hz, by its fractional divider");
    s.list(
        "clock.clocks_hz", p.clocks_hz,
        [](config::Schema& item, double& hz) {
            item.number("", hz, {1e3, 1e9}, "Hz", "master clock");
        },
        "master clocks, the default first");
    s.number("clock.max_rate_hz", p.max_rate_hz, {kMinRateHz, kMaxRateHz}, "Hz", "what the link to the host carries");
    s.list(
        "clock.decimations", p.decimations,
        [](config::Schema& item, DecimationStep& d) {
            item.number("up_to", d.up_to, {1, 4096}, "", "of the master clock").required();
            item.number("step", d.step, {1, 64}, "", "multiples of this from the element before on").required();
        },
        "which whole parts of the master clock are rates, in ascending order", 0, 8);
}

void declare_opening(config::Schema& s, Personality& p) {
    s.number("opening.seconds", p.opening_s, {0, 60}, "s", "how long opening takes");
    s.list(
        "opening.faults", p.faults,
        [](config::Schema& item, PersonalityFault& f) {
            item.text("name", f.name, "the device argument fault=NAME makes opening end with this").required();
            item.text("text", f.text, "text of the driver").required();
        },
        "faults of opening", 0, 32);
}

void declare_rf(config::Schema& s, RfModel& rf) {
    s.group("rf.tx", "transmitter: levels over full scale (mean power 1), saturation as at the highest gain");
    declare_front(s, "rf.tx.", rf.tx, false);
    s.group("rf.rx", "receiver");
    declare_front(s, "rf.rx.", rf.rx, false);
    s.list(
        "rf.noise_figure", rf.noise_figure,
        [](config::Schema& item, NoiseFigurePoint& point) {
            item.number("gain_db", point.gain_db, {-100, 100}, "dB", "receive gain").required();
            item.number("figure_db", point.figure_db, {0, kMaxNoiseFigureDb}, "dB", "noise figure at it").required();
        },
        "over the receive gain, ascending, straight lines between; none: the channel's", 0, 32);
    s.number("rf.port_isolation_db", rf.port_isolation_db, {0, kMaxPortLossDb}, "dB",
             "of ports without the cable; null: they neither hear nor are heard");
    s.number("rf.own_isolation_db", rf.own_isolation_db, {0, kMaxPortLossDb}, "dB",
             "from the own transmitter to the receiver; null: it does not hear itself");
    s.number("rf.switch_us", rf.switch_us, {0, 1000}, "us",
             "time after the begin of a burst in which nothing is transmitted");
    s.number("rf.recovery_us", rf.recovery_us, {0, 1000}, "us",
             "after a burst the receiver has an offset that decays with this time constant; 0: none");
    s.number("rf.recovery_dbfs", rf.recovery_dbfs, {-150, 20}, "dB", "and begins at this level");
    s.check([&rf](config::LocatedFaults& faults) {
        if (std::ranges::adjacent_find(rf.noise_figure, std::ranges::greater_equal{}, &NoiseFigurePoint::gain_db) !=
            rf.noise_figure.end())
            faults.add("rf.noise_figure", "not ascending", "gains that ascend");
    });
}

void check(const Personality& p, config::LocatedFaults& faults) {
    const size_t clocks = p.clocks_hz.size();
    if (p.clock == ClockKind::ad9361 && (clocks != 2 || p.clocks_hz[0] >= p.clocks_hz[1]))
        faults.add("clock.clocks_hz", std::to_string(clocks) + " numbers", "lowest and highest with kind ad9361");
    if ((p.clock == ClockKind::fixed || p.clock == ClockKind::chosen) && clocks == 0)
        faults.add("clock.clocks_hz", "none", "one at least with kind fixed or chosen");
    if (p.clock != ClockKind::channel && p.decimations.empty())
        faults.add("clock.decimations", "none", "one element at least");
    for (const auto& [way, d] : {std::pair{"rx", &p.rx}, std::pair{"tx", &p.tx}}) {
        if (d->min_gain_db > d->max_gain_db)
            faults.add(std::string(way) + ".min_gain_db", std::to_string(d->min_gain_db), "at most max_gain_db");
        if (std::ranges::find(d->antennas, d->antenna) == d->antennas.end())
            faults.add(std::string(way) + ".antenna", d->antenna, "one of " + std::string(way) + ".antennas");
    }
    if (p.min_frequency_hz > p.max_frequency_hz)
        faults.add("frequency.min_hz", std::to_string(p.min_frequency_hz), "at most frequency.max_hz");
}

/// Searches from this module's folder upwards, which works in a build tree and in any installation prefix.
std::vector<fs::path> folders() {
    Dl_info info{};
    std::vector<fs::path> found;
    if (dladdr(reinterpret_cast<const void*>(&load_personality), &info) == 0 || info.dli_fname == nullptr) return found;
    std::error_code ignored;
    for (fs::path at = fs::weakly_canonical(info.dli_fname, ignored).parent_path();; at = at.parent_path()) {
        if (fs::is_directory(at / kFolder, ignored)) found.push_back(at / kFolder);
        if (at == at.parent_path()) return found;
    }
}

std::string names_in(const std::vector<fs::path>& all) {
    std::set<std::string> names{kIdeal};
    for (const auto& folder : all)
        for (const auto& file : fs::directory_iterator(folder))
            if (file.path().extension() == ".yml") names.insert(file.path().stem());
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

tl::expected<Personality, Fault> read(const fs::path& path) {
    const auto text = read_regular(path.string(), kMostConfigurationBytes);
    if (!text) return failure("personality " + path.string(), "cannot be read: " + text.error().allowed);
    Personality p;
    config::Schema schema("personality", "");
    declare(schema, p);
    const auto faults = schema.load(*text, path.string());
    if (!faults.empty()) return failure("personality", faults.lines().front());
    return p;
}

}  // namespace

void declare(config::Schema& s, Personality& p) {
    s.text("board", p.board, "name of the motherboard");
    s.group("clock", "rates");
    declare_clock(s, p);
    s.group("frequency", "what can be tuned to");
    s.number("frequency.min_hz", p.min_frequency_hz, {kMinFrequencyHz, kMaxFrequencyHz}, "Hz", "lowest");
    s.number("frequency.max_hz", p.max_frequency_hz, {kMinFrequencyHz, kMaxFrequencyHz}, "Hz", "highest");
    s.number("frequency.lo_settle_ms", p.lo_settle_ms, {0, 10000}, "ms",
             "time after tuning in which the sensor lo_locked is false");
    s.number("frequency.lo_step_hz", p.lo_step_hz, {0, 1e6}, "Hz",
             "oscillators lie on a grid of these, the DSP shifts by the rest; 0: anywhere");
    s.group("rx", "receiver");
    declare(s, "rx", p.rx);
    s.group("tx", "transmitter");
    declare(s, "tx", p.tx);
    s.text("cabled_antenna", p.cabled_antenna,
           "port with the cable to the channel: others neither hear nor are heard; empty: every port has one");
    s.text("gpio_bank", p.gpio_bank, "name of the bank of GPIO lines; empty: none");
    s.flag("internal_ref_locked", p.internal_ref_locked, "the sensor ref_locked with the internal clock");
    s.number("usb_version", p.usb_version, {0, 3}, "", "of the link to the host; 0: not USB");
    s.flag("tx_late_packets", p.late_packets,
           "true: packets of a late burst that are in time are sent; false: none of it");
    s.number("tx_tail_samples", p.tail_samples, {0, 4096}, "samples",
             "delay of the transmit filters: number of samples that stay in them at the end of a burst, and are sent "
             "with the next one");
    s.number("tx_event_delay_us", p.event_delay_us, {0, 1e6}, "us",
             "the host may learn of underflows, late packets and ends of bursts so much later");
    s.number("rx_overflow_restart_ms", p.overflow_restart_ms, {0, 1000}, "ms",
             "time from the report of an overflow to the restart of the stream");
    s.number("rx_jitter_us", p.jitter_us, {0, 1e5}, "us",
             "in rt mode received packets are readable by a random time later, at most this");
    s.group("rf", "analog part and converters");
    declare_rf(s, p.rf);
    s.group("opening", "what happens at the start");
    declare_opening(s, p);
    s.check([&p](config::LocatedFaults& faults) { check(p, faults); });
}

tl::expected<Personality, Fault> load_personality(const std::string& name) {
    if (name == kIdeal) return Personality{};
    if (name.find('/') != std::string::npos) return read(name);
    const auto all = folders();
    for (const auto& folder : all)
        if (const fs::path path = folder / (name + ".yml"); fs::exists(path)) return read(path);
    return failure("personality '" + name + "'", names_in(all) + ", or the path of a description with a /");
}

}  // namespace wimax::vrf
