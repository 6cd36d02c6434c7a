/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channeld/channel_control.h"
#include "phy/base/decibels.h"

#include <fmt/format.h>
#include "channel/channel_profile.h"

#include <cmath>
#include <utility>

namespace wimax::channeld {
namespace {

using gr::wimax::phy::decibels;
using nlohmann::json;

struct NumberKey {
    const char* name;
    double low, high;
    void (*set)(LinkConfig&, double);
};

constexpr NumberKey kNumbers[] = {
    {"snr_db", -30, 100,
     [](LinkConfig& l, double v) {
         l.snr_db = v;
         l.path_loss_db.reset();
     }},
    {"path_loss_db", 0, 250,
     [](LinkConfig& l, double v) {
         l.path_loss_db = v;
         l.snr_db.reset();
     }},
    {"delay_samples", 0, kMaxLinkDelaySamples, [](LinkConfig& l, double v) { l.delay_samples = v; }},
    {"cfo_hz", -1e5, 1e5, [](LinkConfig& l, double v) { l.cfo_hz = v; }},
    {"doppler_hz", 0, channel::kMaxDopplerHz, [](LinkConfig& l, double v) { l.doppler_hz = v; }},
    {"interference_dbm", -200, 60, [](LinkConfig& l, double v) { l.interference.power_dbm = v; }},
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

json number_or_null(int64_t value) { return value == INT64_MAX ? json() : json(value); }

json radio_json(const Station& s, bool hash) {
    const auto& radio = s.tuning.counters;
    const auto& own = s.counters;
    json j = {{"attached", s.port != nullptr},
              {"streaming", s.tuning.streaming != 0},
              {"sample", s.next_rx},
              {"tx_channels", s.antennas.size()},
              {"late", radio.late},
              {"underflow", radio.underflow},
              {"overflow", radio.overflow},
              {"bursts", radio.bursts},
              {"stalls", radio.stalls},
              {"least_slack_samples", number_or_null(radio.least_slack_samples)},
              {"died", own.died},
              {"given_up", own.given_up},
              {"silent", s.given_up},
              {"chunks", own.chunks},
              {"active_tx_chunks", own.active_tx_chunks},
              {"lost_tx_chunks", own.lost_tx_chunks},
              {"lost_rx_chunks", own.lost_rx_chunks},
              {"waits", own.waits},
              {"waited_s", own.waited_s},
              {"tx_frequency_hz", s.tuning.tx_frequency_hz},
              {"rx_frequency_hz", s.tuning.rx_frequency_hz},
              {"tx_reference_dbm", s.tx_reference_dbm()},
              {"rx_reference_dbm", s.rx_reference_dbm()},
              {"rx_dbm", decibels(s.rx_power) + s.rx_reference_dbm()}};
    if (hash) j["hash"] = fmt::format("{:016x}", s.hash);
    return j;
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
    nlohmann::json radios = nlohmann::json::object(), links = nlohmann::json::object();
    for (const auto& s : scheduler_.stations()) radios[s->name] = radio_json(*s, config_.hash_s > 0);
    for (const auto& l : scheduler_.links()) {
        links[l->from.name + "->" + l->to.name] = {
            {"path_loss_db", l->path_loss_db()},
            {"snr_db", l->config().snr_db ? nlohmann::json(*l->config().snr_db) : nlohmann::json()},
            {"channel", l->config().channel},
            {"delay_samples", l->config().delay_samples},
            {"in_band", l->in_band()}};
    }
    return {{"program", "wimax-channeld"},
            {"time_s", scheduler_.time_s()},
            {"wall_s", std::chrono::duration<double>(Scheduler::Clock::now() - start_).count()},
            {"realtime_factor", factor_},
            {"stretched_s", scheduler_.stretched_s()},
            {"mode", vrf::to_string(config_.mode)},
            {"pace", config_.pace == Pace::free ? "free" : "wall"},
            {"free_running", scheduler_.free_running()},
            {"held", scheduler_.held()},
            {"sample_rate_hz", config_.sample_rate_hz},
            {"chunk_samples", config_.chunk()},
            {"radios", radios},
            {"links", links}};
}

std::string StatusReport::line() const {
    std::string text =
        fmt::format("channel {:9.3f} s  x{:.2f}{}", scheduler_.time_s(), factor_, scheduler_.held() ? "  held" : "");
    if (scheduler_.stretched_s() > 0.001) text += fmt::format("  stretched {:.2f} s", scheduler_.stretched_s());
    for (const auto& s : scheduler_.stations()) {
        const auto& c = s->tuning.counters;
        if (!s->present()) {
            text += fmt::format("  | {} {}", s->name, s->port ? "given up" : "gone");
            continue;
        }
        text += fmt::format("  | {} rx {:.0f} dBm L{} U{} O{}", s->name, decibels(s->rx_power) + s->rx_reference_dbm(),
                            c.late, c.underflow, c.overflow);
        if (c.least_slack_samples != INT64_MAX) text += fmt::format(" slack {}", c.least_slack_samples);
        if (s->counters.waits) text += fmt::format(" waits {}", s->counters.waits);
    }
    return text;
}

ChannelControl::ChannelControl(ControlServer& server, Scheduler& scheduler, const StatusReport& report)
    : scheduler_(scheduler), flat_(json::object()) {
    server.on_get("status", [&report] { return report.json(); });
    server.on_set("link", [this](const json& value) { return set_link(value); });
    // The flat form: a request's keys come in alphabetical order, some before the name of the link, some after.
    const auto keep = [this, &server](const std::string& key) {
        server.on_set(key, [this, key](const json& value) -> Faults {
            LinkConfig probe;
            if (const auto set = set_key(probe, key, value); !set) return Fault{.allowed = set.error().allowed};
            if (key > "link") return apply(flat_name_, {{key, value}});
            flat_[key] = value;
            return Faults();
        });
    };
    for (const auto& number : kNumbers) keep(number.name);
    keep("channel");
    server.on_all_set([this]() -> Faults {
        flat_name_.clear();
        const bool of_nothing = !std::exchange(flat_, json::object()).empty();
        return of_nothing ? Fault{"link", "(missing)", "\"from->to\" beside its keys"} : Faults();
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

Faults ChannelControl::set_link(const json& value) {
    if (value.is_string()) return apply(flat_name_ = value.get<std::string>(), std::exchange(flat_, json::object()));
    if (!value.is_object() || !value.contains("name") || !value["name"].is_string())
        return Fault{.allowed = "\"from->to\", or {\"name\": \"from->to\", \"snr_db\": ...}"};
    json changes = value;
    changes.erase("name");
    return apply(value["name"].get<std::string>(), changes);
}

}  // namespace wimax::channeld
