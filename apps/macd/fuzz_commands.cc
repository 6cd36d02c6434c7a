// SPDX-License-Identifier: GPL-3.0-or-later
// Commands of the control socket, as any client may send them, to a base station that is not on the air yet: flows,
// profile, stations.
#include "macd/flow_commands.h"
#include "macd/live_profile.h"
#include "macd/operator_commands.h"

#include "mac/station_config.h"

#include <cstdint>

using namespace wimax;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const auto station = mac::make_base_station(mac::BaseStationConfig{});
    static mac::BaseStationProfile profile;
    static ControlServer control;
    static const bool served = [] {
        macd::serve_flows(control, *station);
        macd::serve_stations(control, *station, station.get());
        control.on_set("profile", "", [](const nlohmann::json& value) {
            auto changed = profile;
            auto faults = macd::read_live_profile(value, changed);
            if (faults.empty()) faults = station->change_profile(changed);
            return faults;
        });
        return true;
    }();
    if (!served || size == 0) return 0;
    static constexpr const char* kKeys[] = {"flows.add",      "flows.change",     "flows.delete", "profile",
                                            "stations.reset", "stations.silence", "flows"};
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const char* key = kKeys[data[0] % (sizeof kKeys / sizeof *kKeys)];
    control.answer(data[0] & 0x80 ? text : std::string(R"({"set":{")") + key + "\":" + text + "}}");
    return 0;
}
