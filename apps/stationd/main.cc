// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-stationd: many subscriber stations with virtual radios in one thread.
#include "stationd/shared_station.h"
#include "stationd/wake_ups.h"

#include "common/daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace wimax;

namespace {

constexpr std::chrono::milliseconds kNap{50};  // longest; also the interval of what nothing wakes for

using Stations = std::vector<std::unique_ptr<stationd::SharedStation>>;

nlohmann::json status_of(const Stations& stations) {
    auto all = nlohmann::json::object();
    for (const auto& station : stations) {
        const auto status = station->status();
        all[station->name()] = {{"operational", status["operational"]}, {"frames", status["frames"]}};
    }
    return {{"stations", all}};
}

void write_status(StatusWriter& writer, const Stations& stations) {
    const auto status = status_of(stations);
    const auto operational =
        std::ranges::count_if(status["stations"], [](const auto& s) { return s["operational"].template get<bool>(); });
    writer.write(fmt::format("{} of {} stations operational", operational, stations.size()),
                 writer.wants_json() ? status.dump(-1, ' ', true) : "");
}

tl::expected<Stations, DaemonFault> open_stations(const stationd::StationdConfig& config, StopSignal& stop,
                                                  stationd::WakeUps& wake_ups) {
    Stations stations;
    for (size_t i = 0; i < config.stations.size(); ++i) {
        auto opened = stationd::SharedStation::open(*config.stations[i], stop,
                                                    [&wake_ups, i](int fd) { wake_ups.watch_radio(fd, i); });
        if (!opened) return tl::unexpected(opened.error());
        wake_ups.watch_requests((*opened)->mac_fd(), i);
        wake_ups.watch_requests((*opened)->phy_fd(), i);
        stations.push_back(std::move(*opened));
    }
    return stations;
}

void run(Stations& stations, stationd::WakeUps& wake_ups, DaemonParts& parts) {
    using Clock = std::chrono::steady_clock;
    for (auto& station : stations) station->begin();
    const auto refused = [](const auto& station) { return station->refused(); };
    for (auto attended = Clock::time_point{}; !parts.stop.raised() && std::ranges::none_of(stations, refused);) {
        wake_ups.wait(kNap);
        const bool all = Clock::now() - attended >= kNap;
        if (all) attended = Clock::now();
        for (size_t i = 0; i < stations.size(); ++i) {
            if (wake_ups.sampled(i) || all) stations[i]->work();
            if (wake_ups.requested(i) || all) stations[i]->attend();
        }
        parts.control.poll();
        if (parts.status.due()) write_status(parts.status, stations);
    }
}

/// Threads that open radios cannot be stopped. So only sockets and locks are destroyed.
void leave_opening(Stations& stations, ControlServer& control) {
    if (std::ranges::none_of(stations, [](const auto& station) { return station->opening(); })) return;
    for (auto& station : stations) station->close();
    control.close();
    log::stop();
    std::_Exit(0);
}

tl::expected<void, DaemonFault> serve(const stationd::StationdConfig& config, DaemonParts& parts) {
    stationd::WakeUps wake_ups(config.stations.size());
    auto stations = open_stations(config, parts.stop, wake_ups);
    if (!stations) return tl::unexpected(stations.error());
    wake_ups.watch(parts.stop.fd());
    wake_ups.watch(parts.control.fd());
    parts.control.on_get("status", "stations: operational or not, and frames so far",
                         [&] { return status_of(*stations); });
    run(*stations, wake_ups, parts);
    for (const auto& station : *stations)
        if (station->refused())
            return tl::unexpected(DaemonFault{{station->name(), {}, "the PHY refuses the configuration"},
                                              ExitStatus::configuration_refused});
    leave_opening(*stations, parts.control);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    stationd::StationdConfig config;
    config::Schema schema("wimax-stationd", "many subscriber stations with virtual radios in one process");
    stationd::declare(schema, config);
    // UHD looks for its configuration in the home folder and gives up without one; services of a system have none.
    ::setenv("HOME", "/", 0);
    return run_daemon(
        argc, argv, schema, config.daemon,
        [&] {
            return config::Derived{{"stations", std::to_string(config.stations.size())}};
        },
        [&](DaemonParts& parts) { return serve(config, parts); });
}
