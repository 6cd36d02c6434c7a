// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/radio_tuning.h"

#include "radio/radio_device.h"
#include "radio/refusal.h"

#include <uhd/exception.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace gr::wimax {
namespace {

size_t tx_channels(const RadioConfig& config) { return static_cast<size_t>(config.tx_channels); }

void check_frequency(const std::string& way, double wanted_hz, double got_hz) {
    if (std::abs(wanted_hz - got_hz) <= 1) return;
    refuse(way + " frequency (Hz): " + number_text(wanted_hz) + " wanted, the device gives " + number_text(got_hz));
}

void check_gain(const std::string& way, double db, const uhd::gain_range_t& range) {
    if (db >= range.start() && db <= range.stop()) return;
    refuse(way + " gain: " + number_text(db) + " dB, the device allows " + number_text(range.start()) + " .. " +
           number_text(range.stop()));
}

void check_antenna(const std::string& way, const std::string& name, const std::vector<std::string>& all) {
    if (std::find(all.begin(), all.end(), name) != all.end()) return;
    std::string list;
    for (const auto& a : all) list += (list.empty() ? "" : ", ") + a;
    refuse(way + " antenna: '" + name + "', the device has " + list);
}

uhd::tune_request_t request(double frequency_hz, const RadioConfig& config) {
    if (config.lo_offset_hz == 0) return {frequency_hz};
    return {frequency_hz, config.lo_offset_hz};
}

void choose_subdevice(const char* way, const std::string& wanted,
                      const std::function<void(const uhd::usrp::subdev_spec_t&)>& set) {
    if (wanted.empty()) return;
    try {
        set(uhd::usrp::subdev_spec_t(wanted));
    } catch (const uhd::exception& e) {
        refuse(std::string(way) + " subdevice '" + wanted + "': " + e.what());
    }
}

void tune_rx(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    usrp.set_rx_freq(request(config.rx_frequency_hz, config));
    if (config.analog_bandwidth_hz) usrp.set_rx_bandwidth(*config.analog_bandwidth_hz);
    check_frequency("rx", config.rx_frequency_hz, usrp.get_rx_freq());
}

/// Set after the transmit antenna. With two carriers a station receives while it transmits, at another port.
void choose_rx_antenna(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    const auto all = usrp.get_rx_antennas();
    const std::string of_tx = usrp.get_tx_antenna();
    if (!config.rx_antenna.empty()) {
        check_antenna("rx", config.rx_antenna, all);
        usrp.set_rx_antenna(config.rx_antenna);
    } else if (config.two_carriers()) {
        const auto other = std::find_if(all.begin(), all.end(), [&](const auto& port) { return port != of_tx; });
        if (other != all.end()) usrp.set_rx_antenna(*other);
    } else if (std::find(all.begin(), all.end(), of_tx) != all.end()) {
        usrp.set_rx_antenna(of_tx);  // most models receive at RX2 by default, where no antenna is connected
    }
}

void tune_tx(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, size_t channel) {
    const std::string what = channel == 0 ? "tx" : "second tx";
    usrp.set_tx_freq(request(config.tx_frequency_hz, config), channel);
    if (config.analog_bandwidth_hz) usrp.set_tx_bandwidth(*config.analog_bandwidth_hz, channel);
    check_frequency(what, config.tx_frequency_hz, usrp.get_tx_freq(channel));
    const std::string& antenna = channel == 0 ? config.tx_antenna : config.second_tx_antenna;
    if (antenna.empty()) return;
    check_antenna(what, antenna, usrp.get_tx_antennas(channel));
    usrp.set_tx_antenna(antenna, channel);
}

struct LockSensor {
    const char* name;
    std::vector<std::string> names;
    std::function<bool()> locked;
};

std::vector<LockSensor> lock_sensors(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    std::vector sensors{LockSensor{"lo_locked (rx)", usrp.get_rx_sensor_names(0),
                                   [&] { return usrp.get_rx_sensor("lo_locked").to_bool(); }}};
    for (size_t c = 0; config.limits.enable && c < tx_channels(config); ++c)
        sensors.push_back({c == 0 ? "lo_locked (tx)" : "lo_locked (second tx)", usrp.get_tx_sensor_names(c),
                           [&usrp, c] { return usrp.get_tx_sensor("lo_locked", c).to_bool(); }});
    // With its internal clock there is nothing to lock to, and the sensor's value depends on the model.
    if (usrp.get_clock_source(0) != "internal")
        sensors.push_back({"ref_locked", usrp.get_mboard_sensor_names(0),
                           [&] { return usrp.get_mboard_sensor("ref_locked").to_bool(); }});
    return sensors;
}

}  // namespace

void choose_channels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    if (config.tx_channels < 1 || config.tx_channels > kMaxTxChannels)
        refuse("tx channels: " + std::to_string(config.tx_channels) + ", allowed 1 .. " +
               std::to_string(kMaxTxChannels));
    choose_subdevice("tx", config.tx_subdevice, [&](const auto& spec) { usrp.set_tx_subdev_spec(spec, 0); });
    choose_subdevice("rx", config.rx_subdevice, [&](const auto& spec) { usrp.set_rx_subdev_spec(spec, 0); });
    if (const size_t there = usrp.get_tx_num_channels(); there < tx_channels(config))
        refuse("tx channels: " + std::to_string(config.tx_channels) + " wanted, the device has " +
               std::to_string(there) + " with the subdevices '" + usrp.get_tx_subdev_spec(0).to_string() +
               "'; the virtual radio has 2 with the device argument tx_channels=2");
}

void tune(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    const size_t channels = config.limits.enable ? tx_channels(config) : 0;
    tune_rx(usrp, config);
    for (size_t channel = 0; channel < channels; ++channel) tune_tx(usrp, config, channel);
    choose_rx_antenna(usrp, config);
    set_gains(usrp, channels, config.tx_gain_db, config.rx_gain_db);
}

void check_gains(uhd::usrp::multi_usrp& usrp, size_t channels, double tx_gain_db, double rx_gain_db) {
    check_gain("rx", rx_gain_db, usrp.get_rx_gain_range());
    for (size_t channel = 0; channel < channels; ++channel)
        check_gain(channel == 0 ? "tx" : "second tx", tx_gain_db, usrp.get_tx_gain_range(channel));
}

GainRange gain_range(const uhd::gain_range_t& range) { return {range.start(), range.stop(), range.step()}; }

void set_gains(uhd::usrp::multi_usrp& usrp, size_t channels, double tx_gain_db, double rx_gain_db) {
    check_gains(usrp, channels, tx_gain_db, rx_gain_db);
    usrp.set_rx_gain(rx_gain_db);
    for (size_t channel = 0; channel < channels; ++channel) usrp.set_tx_gain(tx_gain_db, channel);
}

void wait_for_lock(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(config.lock_timeout_s);
    for (const auto& sensor : lock_sensors(usrp, config)) {
        const std::string name = std::string(sensor.name).substr(0, std::string(sensor.name).find(' '));
        if (std::find(sensor.names.begin(), sensor.names.end(), name) == sensor.names.end()) continue;
        while (!sensor.locked()) {
            if (std::chrono::steady_clock::now() > end)
                refuse(std::string(sensor.name) + ": not locked after " + number_text(config.lock_timeout_s) +
                       " s; clock source '" + usrp.get_clock_source(0) + "'");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

}  // namespace gr::wimax
