// SPDX-License-Identifier: GPL-3.0-or-later
// Result of decode() as `wimax-iq decode` writes it.
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include "tools/iq/decode.h"

#include <algorithm>
#include <cmath>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;

// JSON has no infinities; levels are cut where they mean nothing any more.
double finite(double value) { return std::isfinite(value) ? std::clamp(value, -1e9, 1e9) : 0.0; }
double decibels(double value) {
    if (std::isnan(value)) return -200.0;
    return std::round(std::clamp(value, -200.0, 200.0) * 100.0) / 100.0;
}

ordered_json prefix_json(bool ok, const phy::FramePrefix& received) {
    ordered_json fch{{"hcs_ok", ok}};
    const phy::FramePrefix prefix = ok ? received : phy::FramePrefix{};
    fch["bsid_lsb"] = prefix.bsid_lsb;
    fch["frame_number_lsb"] = prefix.frame_lsb;
    fch["change_count_lsb"] = prefix.change_count_lsb;
    fch["ies"] = ordered_json::array();
    for (int i = 0; i < prefix.entry_count; ++i) {
        const auto& entry = prefix.entries[static_cast<size_t>(i)];
        if (i == 0) {
            fch["ies"].push_back({{"rate_id", entry.rate_id_or_diuc}, {"length", entry.length}});
        } else if (entry.rate_id_or_diuc == 0) {
            fch["ies"].push_back({{"diuc", 0}, {"start_time", entry.length}});
        } else {
            fch["ies"].push_back({{"diuc", entry.rate_id_or_diuc},
                                  {"preamble_present", entry.preamble_present ? 1 : 0},
                                  {"length", entry.length}});
        }
    }
    return fch;
}

ordered_json zone_json(const phy::StcZoneSync& zone) {
    return {{"index", zone.index},
            {"start_symbol", zone.start_symbol},
            {"rssi_dbfs", {decibels(zone.rssi_dbfs[0]), decibels(zone.rssi_dbfs[1])}},
            {"fch", prefix_json(zone.prefix_ok, zone.prefix)}};
}

ordered_json code_json(const FoundCode& found) {
    const auto& d = found.detection;
    return {
        {"opportunity", found.opportunity}, {"channel", d.what.channel},          {"code", d.what.code},
        {"snr_db", decibels(d.snr_db)},     {"rssi_dbfs", decibels(d.rssi_dbfs)}, {"certainty", finite(d.certainty)}};
}

// Values that a contention region does not provide are null.
ordered_json region_json(const DecodedFrame& frame) {
    ordered_json json{{"start_sample", frame.sync.start_sample},
                      {"cp", std::string(phy::to_string(frame.sync.cp))},
                      {"cfo_hz", nullptr},
                      {"sfo_ppm", nullptr},
                      {"snr_db", nullptr},
                      {"rssi_dbfs", nullptr},
                      {"fch", nullptr},
                      {"bursts", ordered_json::array()},
                      {"contention", ordered_json::array()}};
    for (const auto& found : frame.codes) json["contention"].push_back(code_json(found));
    return json;
}

ordered_json burst_json(const phy::ReceivedBurst& burst, bool uplink, Payloads payloads) {
    const auto& format = burst.format;
    ordered_json json{{"index", burst.index}, {"rate_id", format.rate_id}};
    // Announced by its rate, of the frame or of an STC zone.
    const bool first = burst.index == 1 || (format.stc && burst.index % phy::kStcZoneIndex == 1);
    json["diuc"] = uplink || first ? ordered_json() : ordered_json(format.iuc);
    if (format.stc) json["stc"] = true;
    if (uplink) json["uiuc"] = format.iuc;
    json["start_symbol"] = burst.start_symbol;
    json["data_symbols"] = format.data_symbols;
    json["payload"] = payloads == Payloads::hex ? ordered_json(to_hex(burst.payload)) : ordered_json();
    json["evm_db"] = decibels(burst.measured.evm_db);
    json["cinr_db"] = decibels(burst.measured.cinr_db);
    json["fec_ok"] = burst.fec_ok;
    json["corrected_bytes"] = burst.corrected_bytes;
    return json;
}

}  // namespace

ordered_json frame_json(const Spec& spec, const DecodedFrame& frame, Payloads payloads) {
    if (spec.contention) return region_json(frame);
    const bool uplink = spec.direction == phy::Direction::uplink;
    const auto& sync = frame.sync;
    ordered_json json{{"start_sample", sync.start_sample},
                      {"cp", std::string(phy::to_string(sync.cp))},
                      {"cfo_hz", finite(sync.frequency_offset_hz)}};
    // One burst is too short to tell the clock.
    json["sfo_ppm"] = uplink ? ordered_json() : ordered_json(finite(sync.clock_offset_ppm));
    json["snr_db"] = decibels(sync.snr_db);
    json["rssi_dbfs"] = decibels(sync.rssi_dbfs);
    json["fch"] = uplink ? ordered_json() : prefix_json(sync.fch_ok, sync.prefix);
    for (const auto& zone : frame.zones) json["stc_zones"].push_back(zone_json(zone));
    json["bursts"] = ordered_json::array();
    for (const auto& burst : frame.bursts) json["bursts"].push_back(burst_json(burst, uplink, payloads));
    return json;
}

ordered_json to_json(const Spec& spec, const std::vector<DecodedFrame>& frames, Payloads payloads) {
    ordered_json result{{"frames", ordered_json::array()}};
    for (const auto& frame : frames) result["frames"].push_back(frame_json(spec, frame, payloads));
    return result;
}

std::vector<ordered_json> frame_annotations(const DecodedFrame& frame) {
    std::vector<ordered_json> annotations;
    const int symbol_samples = phy::kFftSize + phy::kFftSize / static_cast<int>(frame.sync.cp);
    const auto annotate = [&](int symbol, int symbols, const std::string& label, const std::string& comment) {
        annotations.push_back(
            {{"core:sample_start", std::max<int64_t>(0, frame.sync.start_sample + int64_t{symbol} * symbol_samples)},
             {"core:sample_count", int64_t{symbols} * symbol_samples},
             {"core:label", label},
             {"core:comment", comment}});
    };
    for (const auto& burst : frame.bursts) {
        const auto& format = burst.format;
        const std::string fec = burst.fec_ok ? "FEC ok" : "FEC failed";
        annotate(burst.start_symbol, format.total_symbols(), "burst " + std::to_string(burst.index),
                 std::string(phy::kRateTable[format.rate_id].name) + ", " + (format.stc ? "STC, " : "") + fec + ", " +
                     std::to_string(burst.payload.size()) + " bytes");
        annotations.back()["wimax:payload"] = to_hex(burst.payload);
    }
    for (const auto& found : frame.codes)
        annotate(found.opportunity * phy::kContentionSymbols, phy::kContentionSymbols,
                 "contention channel " + std::to_string(found.detection.what.channel),
                 "code " + std::to_string(found.detection.what.code));
    for (const auto& zone : frame.zones)
        annotate(zone.start_symbol, phy::kStcFirstBurstSymbol, "STC zone",
                 zone.prefix_ok ? "preamble, prefix ok" : "preamble, prefix failed");
    std::stable_sort(annotations.begin(), annotations.end(), [](const auto& a, const auto& b) {
        return a["core:sample_start"].template get<int64_t>() < b["core:sample_start"].template get<int64_t>();
    });
    return annotations;
}

}  // namespace wimax::iq
