// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/radio_probe.h"

#include "radio/radio_device.h"
#include "radio/usrp_rates.h"
#include "tools/radio/rate_error.h"

#include <fmt/format.h>
#include <uhd/usrp/multi_usrp.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace wimax::radio {
namespace {

namespace phy = gr::wimax::phy;
using nlohmann::ordered_json;

// Those of the standard's profiles (clause 12.3), and what cells are built with besides.
constexpr std::array<int64_t, 13> kBandwidthsHz{phy::kMinBandwidthHz,
                                                1'750'000,
                                                2'500'000,
                                                3'000'000,
                                                3'500'000,
                                                5'000'000,
                                                5'500'000,
                                                7'000'000,
                                                8'750'000,
                                                10'000'000,
                                                14'000'000,
                                                20'000'000,
                                                phy::kMaxBandwidthHz};

ordered_json range_json(const uhd::meta_range_t& range) {
    ordered_json json{{"low", range.start()}, {"high", range.stop()}};
    if (range.step() > 0) json["step"] = range.step();
    return json;
}

/// Version texts and the like that some models have in their tree.
void add_leaf(ordered_json& json, const char* key, const uhd::property_tree::sptr& tree, const std::string& path) {
    const uhd::fs_path whole("/mboards/0/" + path);
    if (!tree->exists(whole)) return;
    try {
        json[key] = tree->access<std::string>(whole).get();
    } catch (const uhd::exception&) {  // of another type
        json[key] = tree->access<int>(whole).get();
    }
}

ordered_json sensors_json(uhd::usrp::multi_usrp& usrp) {
    ordered_json sensors = ordered_json::object();
    for (const auto& name : usrp.get_mboard_sensor_names(0)) sensors[name] = usrp.get_mboard_sensor(name).value;
    for (const auto& name : usrp.get_rx_sensor_names(0)) sensors["rx_" + name] = usrp.get_rx_sensor(name).value;
    for (const auto& name : usrp.get_tx_sensor_names(0)) sensors["tx_" + name] = usrp.get_tx_sensor(name).value;
    return sensors;
}

/// FDD needs two carriers at the same time, and an antenna port for each direction.
ordered_json fdd_json(uhd::usrp::multi_usrp& usrp) {
    constexpr double kUsualHz = 3.5e9, kSpacingHz = 50e6, kToleranceHz = 1e3;
    const auto range = usrp.get_rx_freq_range();
    const double rx_hz = std::max(std::min(kUsualHz, range.stop()), range.start() + kSpacingHz),
                 tx_hz = rx_hz - kSpacingHz;
    usrp.set_tx_freq(tx_hz);
    usrp.set_rx_freq(rx_hz);
    const bool two =
        std::abs(usrp.get_rx_freq() - rx_hz) < kToleranceHz && std::abs(usrp.get_tx_freq() - tx_hz) < kToleranceHz;
    if (!two) return {{"possible", false}, {"why", "one oscillator for both directions"}};
    const auto ports = usrp.get_rx_antennas();
    const auto other = std::ranges::find_if(ports, [&](const auto& port) { return port != usrp.get_tx_antenna(); });
    if (other == ports.end()) return {{"possible", false}, {"why", "one antenna port for both directions"}};
    return {{"possible", true}, {"rx_antenna", *other}};
}

ordered_json facts(uhd::usrp::multi_usrp& usrp) {
    const auto info = usrp.get_usrp_rx_info(0);
    ordered_json json{{"model", usrp.get_mboard_name()}, {"serial", info.get("mboard_serial", "")}};
    const auto tree = usrp.get_device()->get_tree();
    add_leaf(json, "firmware", tree, "fw_version");
    add_leaf(json, "fpga", tree, "fpga_version");
    add_leaf(json, "usb_version", tree, "usb_version");
    json["master_clock_hz"] = usrp.get_master_clock_rate();
    json["clock_sources"] = usrp.get_clock_sources(0);
    json["time_sources"] = usrp.get_time_sources(0);
    json["frequency_hz"] = range_json(usrp.get_rx_freq_range());
    json["tx"] = {{"gain_db", range_json(usrp.get_tx_gain_range())},
                  {"antennas", usrp.get_tx_antennas()},
                  {"antenna", usrp.get_tx_antenna()},
                  {"power_reference", usrp.has_tx_power_reference()}};
    json["rx"] = {{"gain_db", range_json(usrp.get_rx_gain_range())},
                  {"antennas", usrp.get_rx_antennas()},
                  {"antenna", usrp.get_rx_antenna()},
                  {"power_reference", usrp.has_rx_power_reference()}};
    json["sensors"] = sensors_json(usrp);
    json["fdd"] = fdd_json(usrp);
    return json;
}

ordered_json served(uhd::usrp::multi_usrp& usrp, int64_t bandwidth_hz) {
    const auto numerology = *phy::Numerology::make(bandwidth_hz, phy::CyclicPrefix::g1_8);
    ordered_json json{{"bandwidth_hz", bandwidth_hz}, {"sample_rate_hz", numerology.sample_rate_hz}};
    gr::wimax::UsrpRates rates(usrp);
    const auto plan = gr::wimax::plan_rate(static_cast<double>(numerology.sample_rate_hz), rates);
    if (!plan) {
        json["refused"] = plan.error().str();
        return json;
    }
    json["device_rate_hz"] = usrp.get_rx_rate();
    json["resampled"] = !plan->exact();
    json["evm_db"] = std::round(rate_error_db(*plan, numerology) * 10) / 10;
    json["master_clock_hz"] = usrp.get_master_clock_rate();
    return json;
}

}  // namespace

tl::expected<ordered_json, Fault> probe_radio(const std::string& device, ProbeDepth depth) {
    try {
        const auto usrp = gr::wimax::open_usrp(device);
        ordered_json json = facts(*usrp);
        if (!depth.rates) return json;
        json["rates"] = ordered_json::array();
        for (const int64_t bandwidth : kBandwidthsHz) json["rates"].push_back(served(*usrp, bandwidth));
        return json;
    } catch (const std::exception& error) {
        return failure("", error.what());
    }
}

std::string probe_table(const ordered_json& found) {
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        text += fmt::format("{:<14}{}\n", name, value);
    };
    line("model", fmt::format("{}, serial {}", found["model"].get<std::string>(), found["serial"].get<std::string>()));
    for (const char* key : {"firmware", "fpga", "usb_version"})
        if (found.contains(key)) line(key, found[key].is_string() ? found[key].get<std::string>() : found[key].dump());
    line("master clock", fmt::format("{:.12g} Hz", found["master_clock_hz"].get<double>()));
    line("frequency", fmt::format("{:g} .. {:g} MHz", found["frequency_hz"]["low"].get<double>() / 1e6,
                                  found["frequency_hz"]["high"].get<double>() / 1e6));
    for (const char* way : {"tx", "rx"}) {
        const auto& side = found[way];
        std::string antennas;
        for (const auto& name : side["antennas"]) antennas += (antennas.empty() ? "" : ", ") + name.get<std::string>();
        line(way, fmt::format("gain {:g} .. {:g} dB, antennas {} (default {}){}", side["gain_db"]["low"].get<double>(),
                              side["gain_db"]["high"].get<double>(), antennas, side["antenna"].get<std::string>(),
                              side["power_reference"].get<bool>() ? ", power reference" : ""));
    }
    for (const auto& [name, value] : found["sensors"].items()) line("sensor", name + ": " + value.get<std::string>());
    const auto& fdd = found["fdd"];
    line("FDD", fdd["possible"].get<bool>() ? "possible, receives at " + fdd["rx_antenna"].get<std::string>()
                                            : "not possible: " + fdd["why"].get<std::string>());
    if (!found.contains("rates")) return text;
    text +=
        fmt::format("\n{:>9} {:>12} {:>16} {:>10} {:>8}\n", "bandwidth", "sample rate", "device rate", "", "EVM dB");
    for (const auto& rate : found["rates"]) {
        text += fmt::format("{:>5g} MHz {:>12} ", rate["bandwidth_hz"].get<double>() / 1e6,
                            rate["sample_rate_hz"].get<int64_t>());
        if (rate.contains("refused")) text += "refused: " + rate["refused"].get<std::string>() + "\n";
        else
            text += fmt::format("{:>16.3f} {:>10} {:>8.1f}\n", rate["device_rate_hz"].get<double>(),
                                rate["resampled"].get<bool>() ? "resampled" : "exact", rate["evm_db"].get<double>());
    }
    return text;
}

}  // namespace wimax::radio
