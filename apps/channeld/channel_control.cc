// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/channel_control.h"

#include "channel/channel_profile.h"
#include "common/json_object.h"
#include "phy/base/decibels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace wimax::channeld {
namespace {

using gr::wimax::phy::decibels;
using nlohmann::json;

struct NumberKey {
    const char *name, *help;
    double low, high;
    void (*set)(LinkConfig&, double);
};

constexpr double kSilenceDbm = -200;

constexpr NumberKey kNumbers[] = {
    {"snr_db", "SNR of a data carrier in dB", -30, 100,
     [](LinkConfig& l, double v) {
         l.snr_db = v;
         l.path_loss_db.reset();
     }},
    {"path_loss_db", "dB, instead of snr_db", 0, 250,
     [](LinkConfig& l, double v) {
         l.path_loss_db = v;
         l.snr_db.reset();
     }},
    {"delay_samples", "propagation delay", 0, kMaxLinkDelaySamples,
     [](LinkConfig& l, double v) { l.delay_samples = v; }},
    {"cfo_hz", "carrier offset in Hz", -1e5, 1e5, [](LinkConfig& l, double v) { l.cfo_hz = v; }},
    {"doppler_hz", "in place of the profile's, Hz", 0, channel::kMaxDopplerHz,
     [](LinkConfig& l, double v) { l.doppler_hz = v; }},
    {"interference_dbm", "noise bursts at the receiver", -200, 60,
     [](LinkConfig& l, double v) { l.interference.power_dbm = v; }},
};

Outcome set_key(LinkConfig& link, const std::string& key, const json& value) {
    const auto refused = [&](std::string allowed) {
        return tl::unexpected(Fault{key, value.dump(), std::move(allowed)});
    };
    for (const auto& number : kNumbers) {
        if (key != number.name) continue;
        if (!value.is_number() || value < number.low || value > number.high)
            return refused(fmt::format("{:g} to {:g}", number.low, number.high));
        number.set(link, value.get<double>());
        return {};
    }
    if (key != "channel")
        return failure(key,
                       "allowed snr_db, path_loss_db, delay_samples, cfo_hz, channel, doppler_hz, interference_dbm");
    if (!value.is_string()) return refused("a profile's name or a tap file");
    link.channel = value.get<std::string>();
    const auto loaded = load_channel(link);
    return loaded ? Outcome() : refused(loaded.error().str());
}

/// Status of a radio, attached or not.
struct RadioFigures {
    const ChannelStation& station;
    bool hash;
};

template <class V> void visit(V& v, const RadioFigures& r) {
    const ChannelStation& s = r.station;
    const auto& radio = s.tuning.counters;
    v("attached", s.port != nullptr);
    v("streaming", s.tuning.streaming != 0);
    v("sample", s.next_rx);
    v("tx_channels", s.antennas.size());
    v("late", radio.late);
    v("underflow", radio.underflow);
    v("overflow", radio.overflow);
    v("bursts", radio.bursts);
    v("stalls", radio.stalls);
    v("tx_clipped", s.tx_clipped());
    v("rx_clipped", s.rx_clipped());
    v("least_slack_samples", radio.least_slack_samples == INT64_MAX ? json() : json(radio.least_slack_samples));
    v.object("injected", [&](auto& own) {
        for (size_t kind = 1; kind < vrf::kRadioFaults; ++kind)
            own(vrf::kRadioFaultNames[kind], s.faults.counts()[kind]);
    });
    v("unplugged", s.unplugged_until_s.has_value());
    v("died", s.counters.died);
    v("given_up", s.counters.given_up);
    v("silent", s.given_up);
    v("chunks", s.counters.chunks);
    v("active_tx_chunks", s.counters.active_tx_chunks);
    v("lost_tx_chunks", s.counters.lost_tx_chunks);
    v("lost_rx_chunks", s.counters.lost_rx_chunks);
    v("omitted_rx_chunks", s.counters.omitted_rx_chunks);
    v("waits", s.counters.waits);
    v("waited_s", s.counters.waited_s);
    v("tx_frequency_hz", s.tuning.tx_frequency_hz);
    v("rx_frequency_hz", s.tuning.rx_frequency_hz);
    v("tx_reference_dbm", s.tx_reference_dbm());
    v("rx_reference_dbm", s.rx_reference_dbm());
    v("noise_figure_db", s.noise_figure_db());
    v("rx_dbm", decibels(s.rx_power) + s.rx_reference_dbm());
    if (r.hash) v("hash", fmt::format("{:016x}", s.hash));
}

/// Status of one direction between two radios.
struct LinkFigures {
    const AirLink& link;
};

template <class V> void visit(V& v, const LinkFigures& figures) {
    const AirLink& l = figures.link;
    v("path_loss_db", l.path_loss_db());
    v("snr_db", l.config().snr_db ? json(*l.config().snr_db) : json());
    v("channel", l.config().channel);
    v("delay_samples", l.config().delay_samples);
    v("in_band", l.in_band());
}

}  // namespace

Faults change_link(LinkConfig& link, const json& changes) {
    Faults faults;
    LinkConfig changed = link;
    for (const auto& [key, value] : changes.items())
        if (const auto set = set_key(changed, key, value); !set) faults.add(set.error());
    if (faults.empty()) link = changed;
    return faults;
}

StatusReport::StatusReport(const ChannelConfig& config, const Scheduler& scheduler)
    : config_(config), scheduler_(scheduler), start_(Scheduler::Clock::now()), last_(start_) {}

void StatusReport::tick() {
    const auto now = Scheduler::Clock::now();
    const double wall = std::chrono::duration<double>(now - last_).count();
    if (wall > 0) factor_ = (scheduler_.time_s() - last_time_s_) / wall;
    last_ = now;
    last_time_s_ = scheduler_.time_s();
}

json StatusReport::json() const {
    JsonObject status;
    describe(status);
    return status.take();
}

template <class V> void StatusReport::describe(V& v) const {
    v("program", "wimax-channeld");
    v("time_s", scheduler_.time_s());
    v("wall_s", std::chrono::duration<double>(Scheduler::Clock::now() - start_).count());
    v("realtime_factor", factor_);
    v("stretched_s", scheduler_.stretched_s());
    v("mode", vrf::to_string(config_.mode));
    v("pace", config_.pace == Pace::free ? "free" : "wall");
    v("free_running", scheduler_.free_running());
    v("held", scheduler_.held());
    v("sample_rate_hz", config_.sample_rate_hz);
    v("chunk_samples", config_.chunk());
    v.object("radios", [this](V& own) {
        for (const auto& s : scheduler_.stations()) own(s->name.c_str(), RadioFigures{*s, config_.hash_s > 0});
    });
    v.object("links", [this](V& own) {
        for (const auto& l : scheduler_.links()) own((l->from.name + "->" + l->to.name).c_str(), LinkFigures{*l});
    });
}

std::string StatusReport::line() const {
    std::string text = fmt::format("channel {:9.3f} s  {:.2f} of real time{}", scheduler_.time_s(), factor_,
                                   scheduler_.held() ? "  held" : "");
    if (scheduler_.stretched_s() > 0.001) text += fmt::format("  stretched {:.2f} s", scheduler_.stretched_s());
    for (const auto& s : scheduler_.stations()) {
        const auto& c = s->tuning.counters;
        if (!s->present()) {
            text += fmt::format("  | {} {}", s->name, s->port ? "given up" : "gone");
            continue;
        }
        const double rx_dbm = decibels(s->rx_power) + s->rx_reference_dbm();
        text += fmt::format("  | {} hears {}, late {}", s->name,
                            rx_dbm < kSilenceDbm ? std::string("nothing") : fmt::format("{:.0f} dBm", rx_dbm), c.late);
        if (c.underflow) text += fmt::format(", underflows {}", c.underflow);
        if (c.overflow) text += fmt::format(", overflows {}", c.overflow);
        if (const auto clips = s->tx_clipped() + s->rx_clipped()) text += fmt::format(", clips {}", clips);
        if (s->counters.waits) text += fmt::format(", waited for {} times", s->counters.waits);
    }
    return text;
}

ChannelControl::ChannelControl(ControlServer& server, Scheduler& scheduler, const StatusReport& report)
    : scheduler_(scheduler), flat_(json::object()) {
    server.on_get("status", "time, radios and links", [&report] { return report.json(); });
    server.on_set("link", R"("from->to", or {"name": "from->to", ...}: with the keys below)",
                  [this](const json& value) { return set_link(value); });
    server.on_set("inject",
                  R"({"radio": NAME, "fault": overflow, underflow, lost_rx_packet, lost_tx_packet, jitter, unplug or )"
                  R"(plug, "ms": how long, 0 or absent: as with the model; unplugged for good})",
                  [this](const json& value) { return inject(value); });
    // The flat form: keys of a request arrive in alphabetical order, some before the name of the link, some after.
    const auto keep = [this, &server](const std::string& key, const std::string& help) {
        server.on_set(key, help + R"(; in addition to "link")", [this, key](const json& value) -> Faults {
            LinkConfig probe;
            if (const auto set = set_key(probe, key, value); !set) return Fault{.allowed = set.error().allowed};
            if (key > "link") return apply(flat_name_, {{key, value}});
            flat_[key] = value;
            return Faults();
        });
    };
    for (const auto& number : kNumbers)
        keep(number.name, fmt::format("{}, {:g} to {:g}", number.help, number.low, number.high));
    keep("channel", "awgn, sui1..sui6, pedestrian-a/b, vehicular-a/b, or a tap file");
    server.on_all_set([this]() -> Faults {
        flat_name_.clear();
        const bool of_nothing = !std::exchange(flat_, json::object()).empty();
        return of_nothing ? Fault{"link", "(missing)", "\"from->to\", in addition to its keys"} : Faults();
    });
}

Faults ChannelControl::apply(const std::string& name, const json& changes) {
    AirLink* link = scheduler_.link(name);
    if (!link) {
        std::string names;
        for (const auto& l : scheduler_.links()) names += " " + l->from.name + "->" + l->to.name;
        return Fault{"name", name, names.empty() ? "(no radios yet)" : names.substr(1)};
    }
    LinkConfig config = link->config();
    Faults faults = change_link(config, changes);
    if (faults.empty()) link->change(config);
    return faults;
}

Faults ChannelControl::inject(const json& value) {
    constexpr double kLongestMs = 1e6;
    if (!value.is_object() || !value.contains("radio") || !value["radio"].is_string() || !value.contains("fault") ||
        !value["fault"].is_string())
        return Fault{.allowed = R"({"radio": "bs", "fault": "overflow", "ms": 1})"};
    const json ms = value.value("ms", json(0));
    if (!ms.is_number() || ms < 0 || ms > kLongestMs)
        return Fault{"ms", ms.dump(), fmt::format("0 to {:g}", kLongestMs)};
    const auto name = value["fault"].get<std::string>();
    const auto& names = vrf::kRadioFaultNames;
    const auto at = std::find(names.begin() + 1, names.end(), name);
    if (at == names.end() && name != "plug")
        return Fault{"fault", name, fmt::format("{}, plug", fmt::join(names.begin() + 1, names.end(), ", "))};
    const auto fault = at == names.end() ? vrf::RadioFault::none : vrf::RadioFault(at - names.begin());
    const auto done = scheduler_.inject(value["radio"].get<std::string>(), fault, 1e-3 * ms.get<double>());
    return done ? Faults() : Faults(done.error());
}

Faults ChannelControl::set_link(const json& value) {
    if (value.is_string()) return apply(flat_name_ = value.get<std::string>(), std::exchange(flat_, json::object()));
    if (!value.is_object() || !value.contains("name") || !value["name"].is_string())
        return Fault{.allowed = "\"from->to\", or {\"name\": \"from->to\", \"snr_db\": ...}"};
    json changes = value;
    changes.erase("name");
    return apply(value["name"].get<std::string>(), changes);
}

}  // namespace wimax::channeld
