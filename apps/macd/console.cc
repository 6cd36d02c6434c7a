// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/console.h"

#include "common/printable.h"
#include "mac/rate_thresholds.h"
#include "macd/daemon_figures.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace wimax::macd {
namespace {

using nlohmann::json;

constexpr const char* kNoRate = "-";
constexpr double kUnknownDb = -100, kUnknownDbm = -200;  // before the first measurement

/// Counters of a flow for causes of packet loss, and their names on the console.
constexpr std::array<std::pair<const char*, const char*>, 9> kCauses{{{"dropped_full", "queue full"},
                                                                      {"dropped_codel", "AQM"},
                                                                      {"dropped_pool", "no buffer"},
                                                                      {"dropped_no_room", "no room"},
                                                                      {"dropped_contention", "requests unanswered"},
                                                                      {"dropped_arq", "ARQ gave up"},
                                                                      {"refused_length", "too long"},
                                                                      {"refused", "refused"},
                                                                      {"malformed", "malformed"}}};

double number(const json& object, const char* key, double otherwise = 0) {
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<double>() : otherwise;
}

std::string text_of(const json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? printable(it->get<std::string>()) : std::string();
}

const json& member(const json& object, const char* key) {
    static const json kNothing = json::object();
    const auto it = object.find(key);
    return it != object.end() ? *it : kNothing;
}

std::string measured(double value, double unknown, const char* unit) {
    return value <= unknown ? "-" : fmt::format("{:.1f} {}", value, unit);
}

/// Name of the rate, the measured CINR and the required one.
std::string rate(int id, double cinr_db) {
    if (id < 0 || static_cast<size_t>(id) >= mac::kRateCount) return "-";
    const double needs_db = mac::kReceiverNeedsDb[static_cast<size_t>(id)];
    const bool weak = cinr_db > kUnknownDb && cinr_db < needs_db;
    return fmt::format("{} CINR {} ({} {:.1f})", mac::kRateNames[static_cast<size_t>(id)],
                       measured(cinr_db, kUnknownDb, "dB"), weak ? "TOO WEAK, needs" : "needs", needs_db);
}

std::string bit_rate(double octets, double seconds) {
    if (seconds <= 0) return kNoRate;
    const double kbps = 8e-3 * octets / seconds;
    return kbps >= 1000 ? fmt::format("{:.2f} Mbit/s", kbps / 1000) : fmt::format("{:.0f} kbit/s", kbps);
}

/// Late frames of the software, and underflows that the radio reports to the PHY.
std::string lates(const json& status) {
    const json& errors = member(status, "errors");
    std::string text = fmt::format("late {:.0f}", number(errors, "late") + number(errors, "underflow"));
    for (const char* kind : {"overflow", "sync_lost", "invalid", "time_jump", "another_cell"})
        if (const double n = number(errors, kind); n > 0) text += fmt::format("  {} {:.0f}", kind, n);
    if (const double n = number(status, "missed_frames"); n > 0) text += fmt::format("  frames missed {:.0f}", n);
    return text;
}

}  // namespace

/// Rate of one direction and its packets lost since the last line. "sent": this end only knows what it has sent.
std::string Console::flow_of(const std::string& name, const json& flows, const char* direction, double octets,
                             bool sent) {
    Mark mark{octets, 0, {}};
    for (const auto& flow : flows) {
        if (text_of(flow, "direction") != direction) continue;
        mark.packets += number(flow, "sdus");
        for (const auto& [key, cause] : kCauses) mark.lost[cause] += number(flow, key);
    }
    const Mark& last = before_[name];
    std::string text = bit_rate(octets - last.octets, last.octets <= octets ? seconds_ : 0);
    if (sent && text != kNoRate) text += " sent";
    double lost = 0;
    std::string causes;
    for (const auto& [cause, count] : mark.lost) {
        const auto was = last.lost.find(cause);
        const double more = count - (was == last.lost.end() ? 0 : was->second);
        if (more <= 0) continue;
        lost += more;
        causes += fmt::format("{}{:.0f} {}", causes.empty() ? "" : ", ", more, cause);
    }
    const double all = lost + std::max(0.0, mark.packets - last.packets);
    if (lost > 0) text += fmt::format(", LOST {:.0f} % ({})", 100 * lost / all, causes);
    marks_[name] = std::move(mark);
    return text;
}

std::string Console::station_line(const json& s) {
    const auto mac = text_of(s, "mac"), name = text_of(s, "name"), restriction = text_of(s, "restriction");
    const json& flows = member(s, "flows");
    const double dl_cinr = number(member(s, "link"), "dl_cinr_db", kUnknownDb);
    std::string text =
        fmt::format("\n   {}  {}{}  down {} {}  up {} RSSI {} {}", name.empty() ? mac : name, text_of(s, "state"),
                    restriction.empty() || restriction == "none" ? "" : ", " + restriction,
                    rate(static_cast<int>(number(s, "dl_rate_id", -1)), dl_cinr),
                    flow_of(mac + "d", flows, "downlink", number(member(s, "dl"), "bytes"), true),
                    rate(static_cast<int>(number(s, "ul_rate_id", -1)), number(s, "cinr_db", kUnknownDb)),
                    measured(number(s, "rssi_dbm", kUnknownDbm), kUnknownDbm, "dBm"),
                    flow_of(mac + "u", flows, "uplink", number(member(s, "ul"), "bytes"), false));
    if (const double silent = number(s, "silent_s"); silent > kStalledS)
        text += fmt::format("  silent for {:.0f} s", silent);
    return text;
}

std::string Console::base_station(const json& status) {
    const json& cell = member(status, "station");
    const json& stations = member(cell, "stations");
    size_t operational = 0;
    std::string lines;
    for (const auto& station : stations) {
        operational += text_of(station, "state") == "operational";
        if (std::string line = station_line(station);
            stations.size() <= kMostStations || line.find("LOST") != line.npos || line.find("WEAK") != line.npos)
            lines += line;
    }
    return fmt::format("bs frame {:.0f}  {} of {} stations operational  {}", number(status, "frame_number"),
                       operational, stations.size(), lates(status)) +
           lines;
}

std::string Console::subscriber_station(const json& status) {
    const json& station = member(status, "station");
    const json& flows = member(station, "flows");
    const double cinr_db = number(status, "synchronised") != 0 || member(status, "synchronised") == true
                               ? number(station, "cinr_db", kUnknownDb)
                               : kUnknownDb;
    const int dl_rate = static_cast<int>(number(member(station, "downlink_profile"), "rate_id", -1));
    return fmt::format("ss frame {:.0f}  {}  down {} {}  RSSI {}  up {}  power {}  {}", number(status, "frame_number"),
                       member(status, "synchronised") == true ? text_of(station, "state") : "searching a base station",
                       rate(dl_rate, cinr_db),
                       flow_of("d", flows, "downlink", number(member(station, "dl"), "bytes"), false),
                       measured(number(station, "rssi_dbm", kUnknownDbm), kUnknownDbm, "dBm"),
                       flow_of("u", flows, "uplink", number(member(station, "ul"), "bytes"), true),
                       measured(number(station, "power_dbm", kUnknownDbm), kUnknownDbm, "dBm"), lates(status));
}

std::string Console::text(const json& status) {
    const std::string role = text_of(status, "role");
    if (member(status, "phy_alive") != true) return role + " no PHY";
    if (const double s = number(status, "stalled_s"); s > kStalledS)
        return fmt::format(
            "{} frame {:.0f}  STALLED: no frame for {:.0f} s; the PHY, its radio or the channel has stopped", role,
            number(status, "frame_number"), s);
    const double now_s = number(status, "simulated_s");
    seconds_ = now_s > at_s_ && at_s_ > 0 ? now_s - at_s_ : 0;
    at_s_ = now_s;
    before_ = std::exchange(marks_, {});
    return role == "bs" ? base_station(status) : subscriber_station(status);
}

}  // namespace wimax::macd
