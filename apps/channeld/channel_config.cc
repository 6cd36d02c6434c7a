// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/channel_config.h"
#include "phy/base/decibels.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include "channel/channel_profile.h"

#include <cmath>

#include "vrf/front_keys.h"

namespace wimax::channeld {
namespace {

using config::LocatedFaults;
using config::Range;
using config::Schema;

constexpr std::array<const char*, vrf::kRadioFaults> kFaultHelp{
    "",
    "random faults per second of simulated time: received samples are lost, and the stream restarts as in the model",
    "random faults: some samples of a burst are too late",
    "random faults: a received packet is lost on the way to the host",
    "random faults: a packet is lost on the way to the antenna",
    "random faults in rt mode: 2 ms of received packets arrive at once",
    ""};

/// For both ChannelRadioConfig (defaults) and RadioOverride (optional values).
template <typename Radio> void declare_radio(Schema& s, const std::string& prefix, Radio& r) {
    s.number(prefix + "clock_ppm", r.clock_ppm, {-100, 100}, "ppm", "sampling clock error, positive: fast");
    s.number(prefix + "carrier_ppm", r.carrier_ppm, {-100, 100}, "ppm", "local oscillator error");
    s.number(prefix + "noise_figure_db", r.noise_figure_db, {0, 40}, "dB", "receiver noise figure");
    s.number(prefix + "tx_power_dbm", r.tx_power_dbm, {-60, 60}, "dBm",
             "transmit power at 0 dBFS and the highest TX gain");
    s.number(prefix + "rx_full_scale_dbm", r.rx_full_scale_dbm, {-100, 40}, "dBm",
             "received power that gives 0 dBFS at RX gain 0");
    for (size_t kind = 1; kind < size_t(vrf::RadioFault::unplug); ++kind)
        s.number(prefix + "faults." + vrf::kRadioFaultNames[kind] + "_hz", r.fault_rates_hz[kind], {0, 100}, "Hz",
                 kFaultHelp[kind]);
    vrf::declare_front(s, prefix + "transmitter.", r.transmitter);
    vrf::declare_front(s, prefix + "receiver.", r.receiver);
}

void declare_link(Schema& s, LinkConfig& l) {
    s.text("from", l.from, "transmitting radio, name or pattern").required();
    s.text("to", l.to, "receiving radio, name or pattern").required();
    s.flag("both", l.both, "the link has the same values in the other direction");
    s.number("snr_db", l.snr_db, Range{-30, 100}, "dB", "SNR of a data carrier if the transmitter sends 0 dBFS");
    s.number("path_loss_db", l.path_loss_db, Range{0, 250}, "dB",
             "path loss from antenna to antenna; instead of snr_db");
    s.number("delay_samples", l.delay_samples, {0, kMaxLinkDelaySamples}, "samples",
             "propagation delay, may be a fraction");
    s.number("cfo_hz", l.cfo_hz, {-1e5, 1e5}, "Hz", "carrier offset in addition to that of the radios");
    s.text("channel", l.channel, "awgn, sui1..sui6, pedestrian-a/b, vehicular-a/b, or a tap file");
    s.number("doppler_hz", l.doppler_hz, Range{0, channel::kMaxDopplerHz}, "Hz",
             "Doppler frequency; null: that of the profile");
    auto& i = l.interference;
    s.number("interference.power_dbm", i.power_dbm, Range{-200, 60}, "dBm",
             "power of noise bursts at the receiver; null: none");
    s.number("interference.start_ms", i.start_ms, {0, 1e9}, "ms", "start of the first burst in simulated time");
    s.number("interference.duration_ms", i.duration_ms, {0.001, 1e9}, "ms", "length of a burst");
    s.number("interference.period_ms", i.period_ms, {0, 1e9}, "ms", "period of the bursts; 0: only one");
    s.check([&l](LocatedFaults& faults) {
        if (l.snr_db.has_value() == l.path_loss_db.has_value())
            faults.add("snr_db", l.snr_db ? "with path_loss_db" : "absent", "exactly one of snr_db, path_loss_db");
        if (const auto loaded = load_channel(l); !loaded) faults.add("channel", l.channel, loaded.error().str());
    });
}

void check_all(const ChannelConfig& c, LocatedFaults& faults) {
    if (c.listen.empty()) faults.add("listen", "[]", "at least one address");
    const uint32_t chunk = c.chunk();
    if (chunk < 64 || chunk > vrf::kMaxChunkSamples)
        faults.add("chunk_us", std::to_string(chunk) + " samples",
                   "64 to " + std::to_string(vrf::kMaxChunkSamples) + " samples");
    if (c.hold && c.wait_for.empty()) faults.add("time.hold", "true", "only with names in time.wait_for");
    if (c.hold && c.mode == vrf::TimeMode::rt) faults.add("time.hold", "true", "false in rt mode");
    if (c.pace == Pace::free && c.mode == vrf::TimeMode::rt) faults.add("time.pace", "free", "wall in rt mode");
}

}  // namespace

Outcome load_channel(LinkConfig& link) {
    auto profile = channel::load_profile(link.channel);
    if (!profile) return tl::unexpected(profile.error());
    link.profile = std::move(*profile);
    return {};
}

config::Schema schema_of(ChannelConfig& c) {
    Schema s("wimax-channeld", "Radio channel between virtual radios (UHD type=vrf)");
    s.list(
        "listen", c.listen, [](Schema& item, std::string& address) { item.text("", address, "address"); },
        "addresses for radios: /path (shared memory), tcp://*:port or ipc:///path (ZeroMQ)");
    s.number("sample_rate_hz", c.sample_rate_hz, {1e5, 61.44e6}, "Hz", "sample rate of every radio").option("--rate");
    s.number("chunk_us", c.chunk_us, {10, 20'000}, "us", "step of simulated time: response time of every radio");
    s.number("chunk_samples", c.chunk_samples, {0, vrf::kMaxChunkSamples}, "samples",
             "the same in samples, instead of chunk_us; 0: chunk_us");
    s.group("time", "what the channel waits for");
    s.choice("time.mode", c.mode, {{"commit", vrf::TimeMode::commit}, {"rt", vrf::TimeMode::rt}},
             "commit: time waits for every live radio, nothing is late; rt: wall clock, like hardware")
        .option("--mode");
    s.choice("time.pace", c.pace, {{"wall", Pace::wall}, {"free", Pace::free}},
             "wall: not faster than real time; free: as fast as possible once all of wait_for stream")
        .option("--pace");
    s.list(
        "time.wait_for", c.wait_for, [](Schema& item, std::string& name) { item.text("", name, "radio name"); },
        "radios that must stream before time runs freely; with time.hold: before it runs");
    s.flag("time.hold", c.hold, "time stays at 0 until all of wait_for stream; for reproducible runs");
    s.number("time.catch_up_ms", c.catch_up_ms, {0, 10'000}, "ms",
             "delay behind real time that is made up; a longer delay is kept");
    s.number("time.give_up_s", c.give_up_s, {0, 1e6}, "s",
             "wall time after which a radio that does not continue is treated as silent; 0: never");
    s.number("seed", c.seed, {}, "", "seed of noise and fading").option("--seed");
    s.number(
        "hash_s", c.hash_s, {0, 1e9}, "s",
        "the status has a hash of the samples that each radio received in this simulated time from the start; 0: none");
    s.group("defaults", "values for radios and keys that are not in radios");
    declare_radio(s, "defaults.", c.defaults);
    s.list(
        "radios", c.radios,
        [](Schema& item, RadioOverride& radio) {
            item.text("name", radio.name, "radio name or pattern").required();
            declare_radio(item, "", radio);
        },
        "differences from the defaults, by radio; the last entry that matches a name is used");
    s.list("links", c.links, declare_link,
           "links between radios; the last entry that matches is used. Radios without an entry do not receive each "
           "other. A radio receives itself only if from and to are its name");
    wimax::declare(s, c.daemon, {"channel"});
    s.check([&c](LocatedFaults& faults) { check_all(c, faults); });
    return s;
}

config::Derived derived_of(const ChannelConfig& c) {
    const double chunk_us = c.chunk() / c.sample_rate_hz * 1e6;
    return {{"chunk", fmt::format("{} samples, {:.6g} us", c.chunk(), chunk_us)},
            {"least response time", fmt::format("{} samples (commit mode)", c.chunk())},
            {"noise floor", fmt::format("{:.1f} dBm", -174 + gr::wimax::phy::decibels(c.sample_rate_hz) +
                                                          c.defaults.noise_figure_db)}};
}

bool name_matches(const std::string& pattern, const std::string& name) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

ChannelRadioConfig radio_config(const ChannelConfig& config, const std::string& name) {
    ChannelRadioConfig result = config.defaults;
    for (const auto& o : config.radios) {
        if (!name_matches(o.name, name)) continue;
        result = config.defaults;
        result.clock_ppm = o.clock_ppm.value_or(result.clock_ppm);
        result.carrier_ppm = o.carrier_ppm.value_or(result.carrier_ppm);
        result.noise_figure_db = o.noise_figure_db.value_or(result.noise_figure_db);
        result.tx_power_dbm = o.tx_power_dbm.value_or(result.tx_power_dbm);
        if (!o.transmitter.ideal()) result.transmitter = o.transmitter;
        if (!o.receiver.ideal()) result.receiver = o.receiver;
        result.rx_full_scale_dbm = o.rx_full_scale_dbm.value_or(result.rx_full_scale_dbm);
        for (size_t kind = 0; kind < result.fault_rates_hz.size(); ++kind)
            result.fault_rates_hz[kind] = o.fault_rates_hz[kind].value_or(result.fault_rates_hz[kind]);
    }
    return result;
}

std::optional<LinkConfig> link_config(const ChannelConfig& config, const std::string& from, const std::string& to) {
    std::optional<LinkConfig> found;
    for (const auto& link : config.links) {
        const bool forward = name_matches(link.from, from) && name_matches(link.to, to);
        const bool back = link.both && name_matches(link.from, to) && name_matches(link.to, from);
        const bool meant = from != to || (link.from == from && link.to == from);  // a pattern makes no loop
        if (meant && (forward || back)) found = link;
    }
    return found;
}

}  // namespace wimax::channeld
