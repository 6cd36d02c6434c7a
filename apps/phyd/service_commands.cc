// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/service_commands.h"

#include <string>

namespace wimax::phyd {

void serve_service(ControlServer& control, Service& service) {
    control.on_get("status", "figures of PHY, port and radio", [&service] { return service.status(); });
    control.on_get("signal",
                   "what the receiver hears: spectrum (dBm a bin), the newest burst of each sender with points in "
                   "1/1000 and channel (dBm a carrier); begins with the question, ends 3 s after the last",
                   [&service] { return service.signal(); });
    for (const bool tx : {true, false}) {
        const std::string key = tx ? "tx_gain_db" : "rx_gain_db", way = tx ? "transmit" : "receive";
        control.on_get(key, way + " gain of the open radio (dB)", [&service, tx] { return service.gain(tx); });
        control.on_set(key, way + " gain of the open radio (dB), in its range, at once; levels follow",
                       [&service, tx](const auto& value) { return service.set_gain(tx, value); });
    }
    control.on_get("capture", "state of the last capture, its file, trigger and fault",
                   [&service] { return service.capture(); });
    control.on_set("capture",
                   "{\"file\": x.sigmf-data, \"trigger\": hand, fec_failure, sync_loss, late or clip}: samples "
                   "around it; null: wait no longer",
                   [&service](const auto& value) { return service.capture(value); });
}

}  // namespace wimax::phyd
