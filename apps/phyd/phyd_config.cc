// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/phyd_config.h"

#include "phyd/calibration_file.h"

#include <gnuradio/wimax/device_arguments.h>

namespace wimax::phyd {
namespace {

/// Limits of transmission. The operator is responsible for the radio, so nothing is sent unless the file allows it.
void declare_limits(config::Schema& s, PhydConfig& c) {
    auto& limits = c.radio.limits;
    s.choice("radio.tx_enable", c.tx_enable,
             {{"false", TransmitSwitch::off}, {"true", TransmitSwitch::on}, {"virtual", TransmitSwitch::virtual_only}},
             "false: transmit nothing; virtual: transmit only through the virtual radio, type=vrf; true: transmit. "
             "Only where you may, or into a cable");
    s.list(
        "radio.allowed_bands", limits.allowed_bands,
        [](config::Schema& item, gr::wimax::Band& band) {
            item.number("low_hz", band.low_hz, {0, 1e11}, "Hz", "lowest frequency").required();
            item.number("high_hz", band.high_hz, {0, 1e11}, "Hz", "highest frequency").required();
        },
        "bands that you may transmit in; one of them must contain the whole channel");
    s.number("radio.max_power_dbm", limits.max_power_dbm, {gr::wimax::kMinPowerLimitDbm, gr::wimax::kMaxPowerLimitDbm},
             "dBm",
             "highest power of preambles at the antenna port, twice the power of data symbols; without gain of antenna "
             "and cable");
    s.number(
        "radio.longest_burst_ms", limits.longest_burst_ms, {gr::wimax::kMinBurstMs, gr::wimax::kMaxBurstMs}, "ms",
        "longer transmissions are cut until there is a pause; a frame has at most 20 ms. null: no limit, which FDD "
        "needs");
    s.number("radio.max_duty_cycle", limits.max_duty_cycle, {gr::wimax::kMinDutyCycle, 1}, "",
             "highest share of transmission in any window; 1: no limit, which FDD needs");
    s.number("radio.duty_window_ms", limits.duty_window_ms, {gr::wimax::kMinDutyWindowMs, gr::wimax::kMaxDutyWindowMs},
             "ms", "length of the window of radio.max_duty_cycle");
}

void declare_amplifier(config::Schema& s, gr::wimax::AmplifierLine& a) {
    const config::Range time{0, gr::wimax::kMaxAmplifierLeadUs};
    s.text("radio.amplifier_bank", a.bank,
           "bank of GPIO lines that are on during transmission, for an external amplifier or T/R switch (docs/lab.md), "
           "for instance FP0; empty: none");
    s.number("radio.amplifier_lines", a.lines, {0, gr::wimax::kMaxGpioLines}, "",
             "lines of the bank, one bit each: 1 for line 0, 5 for lines 0 and 2");
    s.choice("radio.amplifier_level", a.active_high, {{"high", true}, {"low", false}}, "level of a line that is on");
    s.number("radio.amplifier_lead_us", a.lead_us, time, "us",
             "time that the line is on before a burst; at most timing.deadline_lead_us and the gap before the burst");
    s.number("radio.amplifier_lag_us", a.lag_us, time, "us", "time that the line is on after a burst");
    s.number("radio.amplifier_receive_after_us", a.receive_after_us, time, "us",
             "time until the receiver works after the line is off; with the lag, at most the gap after a burst");
}

void read_calibration_into(PhydConfig& c, config::LocatedFaults& faults) {
    if (c.calibration_file.empty()) return;
    auto points = read_calibration(c.calibration_file);
    if (points) c.radio.calibration = std::move(*points);
    else
        for (auto fault : points.error().list()) {
            if (fault.key.empty()) fault.key = "radio.calibration_file";
            faults.add(std::move(fault));
        }
}

}  // namespace

void declare(config::Schema& s, PhydConfig& c) {
    s.choice("role", c.role, {{"bs", sap::Role::base_station}, {"ss", sap::Role::subscriber_station}},
             "station type: base station or subscriber station")
        .required()
        .option("--role");
    s.group("sap", "PHY service access point");
    s.text("sap.endpoint", c.sap_endpoint,
           "ZeroMQ address that the MAC connects to: ipc:///path or tcp://address:port; {run}: the runtime folder")
        .option("--sap");
    s.renamed("sap", "sap.endpoint");

    s.group("radio", "RF front end, a UHD device; the MAC sets frequency, gains and channel bandwidth");
    s.text("radio.device", c.radio.device_args,
           "UHD device arguments, for instance type=b200,serial=30AD or type=vrf,name=bs,addr={run}/channel")
        .option("--device");
    s.number(
        "radio.device_rate_hz", c.radio.device_rate_hz, {0, 200e6}, "Hz",
        "sample rate of the device; it is resampled if the channel has another one; 0: the cheapest suitable rate");
    s.number("radio.tx_channels", c.radio.tx_channels, {1, 2}, "",
             "transmit channels; 2: for STC zones from two antennas, with the same gain");
    s.text("radio.tx_subdevice", c.radio.tx_subdevice,
           "frontends of the TX channels, for instance A:0 B:0; empty: the device's default");
    s.text("radio.tx_antenna", c.radio.tx_antenna, "transmit port; empty: the device's default");
    s.text("radio.second_tx_antenna", c.radio.second_tx_antenna,
           "transmit port of the second TX channel; empty: the device's default");
    s.text("radio.rx_antenna", c.radio.rx_antenna,
           "receive port; empty: the transmit port if it can receive, otherwise the device's default");
    s.text("radio.rx_subdevice", c.radio.rx_subdevice,
           "frontend of the RX channel, for instance A:0; empty: the device's default");
    s.number("radio.lo_offset_hz", c.radio.lo_offset_hz, {-100e6, 100e6}, "Hz",
             "offset of the local oscillators from the carrier; it moves LO leakage out of the channel centre");
    s.number("radio.analog_bandwidth_hz", c.radio.analog_bandwidth_hz, {200e3, 400e6}, "Hz",
             "bandwidth of the filters before the converters; null: the device's default");
    s.text("radio.wire_format", c.radio.wire_format, "sample format between device and host: sc16, sc12, sc8");
    s.number("radio.burst_edge_samples", c.radio.burst_edge_samples, {0, 4096}, "",
             "zeros before and after each burst, at the device's rate; must exceed the delay of the transmit filters");
    s.text("radio.clock_source", c.radio.clock_source,
           "10 MHz reference: internal, external, gpsdo; empty: the device's default");
    s.text("radio.time_source", c.radio.time_source,
           "pulse per second: internal, external, gpsdo; empty: the device's default");
    s.number("radio.lock_timeout_s", c.radio.lock_timeout_s, {0, 60}, "s",
             "longest wait for lock of reference and oscillators");
    s.number("radio.start_delay_s", c.radio.start_delay_s, {0.05, 10}, "s",
             "time from set-up to the first received sample");
    s.number("radio.headroom_db", c.radio.headroom_db, {0, 40}, "dB",
             "distance from full scale to the mean power of data symbols; null: 12, virtual radio 0");
    s.flag("radio.rx_agc", c.rx_agc,
           "SS: the receive gain follows the level of the base station, between frames; false: the MAC's gain");
    s.number("radio.rx_lowest_gain_db", c.rx_lowest_gain_db, {-100, 100}, "dB",
             "lowest gain of radio.rx_agc; null: the device's lowest");
    s.number("radio.rx_highest_gain_db", c.rx_highest_gain_db, {-100, 100}, "dB",
             "highest gain of radio.rx_agc; null: the device's highest");
    s.number("radio.digital_range_db", c.radio.digital_range_db, {0, 60}, "dB",
             "SS: range below the highest power that smaller samples cover; below it the gain is lowered, too; null: "
             "samples only");
    s.number("radio.tx_full_scale_dbm", c.radio.tx_full_scale_dbm, {-200, 100}, "dBm",
             "calibration at the gain in use: antenna power at full scale of the converter; null: the device's value, "
             "otherwise an estimate");
    s.number("radio.rx_full_scale_dbm", c.radio.rx_full_scale_dbm, {-200, 100}, "dBm",
             "calibration at the gain in use: antenna power that gives full scale of the converter; null: as above");

    s.text("radio.calibration_file", c.calibration_file,
           "YAML list of measured points, made by wimax radio calibrate; used if the two keys above are null");
    declare_limits(s, c);
    declare_amplifier(s, c.radio.amplifier);

    s.group("transmit", "optional shaping of the transmitted signal, docs/transmitter.md");
    s.number("transmit.window_samples", c.transmit.window_samples, {0, gr::wimax::phy::kMaxWindowSamples}, "",
             "raised-cosine overlap of symbols, in samples; at most half of the cyclic prefix; 0: none");
    s.number("transmit.target_papr_db", c.transmit.target_papr_db,
             {gr::wimax::phy::kMinTargetPaprDb, gr::wimax::phy::kMaxTargetPaprDb}, "dB",
             "peak-to-average power ratio for crest-factor reduction, within the limit of the constellation error; "
             "null: off");

    s.group("timing",
            "lead times in sample time; the virtual radio in lock-step waits for late responses, other radios do not");
    s.number("timing.tick_lead_us", c.tick_lead_us, {0, 100000}, "us",
             "BS: time from the frame tick to the frame; the MAC responds in this time");
    s.number("timing.turnaround_us", c.turnaround_us, {0, 100000}, "us",
             "SS: time from the frame tick to its first uplink sample; the MAC responds in this time");
    s.number("timing.deadline_lead_us", c.deadline_lead_us, {0, 100000}, "us",
             "time from the deadline of responses to the air; later responses are discarded");
    s.number("timing.response_us", c.response_us, {0, 100000}, "us",
             "SS, lock-step: shortest time from a received sample to its response (T_proc, clause 10.1)");

    s.group("capture", "samples around an event, as a SigMF recording: wimax radio capture --phy, or ctl set capture");
    s.number("capture.length_ms", c.capture_length_ms, {0, 2000}, "ms",
             "length of a capture, half before the event and half after it; its memory is always reserved; 0: none");

    wimax::declare(s, c.realtime);
    wimax::declare(s, c.daemon, {"phyd", "radio", "sap"});

    s.check([&c](config::LocatedFaults& faults) {
        for (const auto& key : gr::wimax::unknown_device_arguments(c.radio.device_args))
            faults.add("radio.device", key, "device arguments known to UHD (see uhd_usrp_probe --args)");
        read_calibration_into(c, faults);
        for (auto fault : gr::wimax::limit_faults(transmit_limits(c))) {
            fault.key = "radio." + fault.key;
            faults.add(std::move(fault));
        }
        for (auto fault : gr::wimax::amplifier_faults(c.radio.amplifier)) {
            fault.key = "radio.amplifier_" + fault.key;
            faults.add(std::move(fault));
        }
        if (c.radio.amplifier.driven() && c.radio.amplifier.lead_us > c.deadline_lead_us)
            faults.add("radio.amplifier_lead_us", config::print_number(c.radio.amplifier.lead_us),
                       "at most timing.deadline_lead_us");
        if (const auto& f = c.radio.wire_format; f != "sc16" && f != "sc12" && f != "sc8")
            faults.add("radio.wire_format", f, "sc16, sc12, sc8");
        if (c.deadline_lead_us > c.tick_lead_us)
            faults.add("timing.deadline_lead_us", std::to_string(c.deadline_lead_us), "at most timing.tick_lead_us");
        if (c.deadline_lead_us > c.turnaround_us)
            faults.add("timing.deadline_lead_us", std::to_string(c.deadline_lead_us), "at most timing.turnaround_us");
        if (c.rx_agc && c.role == sap::Role::base_station)
            faults.add("radio.rx_agc", "true", "false at a base station, whose gain is the measure of all stations");
        if (c.rx_lowest_gain_db && c.rx_highest_gain_db && *c.rx_lowest_gain_db > *c.rx_highest_gain_db)
            faults.add("radio.rx_lowest_gain_db", config::print_number(*c.rx_lowest_gain_db),
                       "at most radio.rx_highest_gain_db");
        if (c.radio.tx_channels == 2 && c.role == sap::Role::subscriber_station)
            faults.add("radio.tx_channels", "2", "1 at a subscriber station");
        if (c.radio.tx_channels == 1 && !c.radio.second_tx_antenna.empty())
            faults.add("radio.second_tx_antenna", c.radio.second_tx_antenna, "only with radio.tx_channels 2");
        if (c.radio.tx_channels == 2 && (c.transmit.window_samples > 0 || c.transmit.target_papr_db))
            faults.add("radio.tx_channels", "2", "1 with shaping (transmit), which STC zones go without");
        if (c.sap_endpoint.empty())
            faults.add("sap.endpoint", "(empty)", "ipc:///path or tcp://address:port; {run}: the runtime folder");
    });
}

gr::wimax::TransmitLimits transmit_limits(const PhydConfig& c) {
    auto limits = c.radio.limits;
    const bool is_virtual = gr::wimax::device_type(c.radio.device_args) == "vrf";
    limits.enable = c.tx_enable == TransmitSwitch::on || (c.tx_enable == TransmitSwitch::virtual_only && is_virtual);
    return limits;
}

config::Derived derived(const PhydConfig& c) {
    const bool bs = c.role == sap::Role::base_station;
    return {
        {"response time of the MAC (us)", std::to_string((bs ? c.tick_lead_us : c.turnaround_us) - c.deadline_lead_us)},
        {"transmitter", transmit_limits(c).enable
                            ? "on, in " + gr::wimax::describe(c.radio.limits.allowed_bands) + ", up to " +
                                  config::print_number(*c.radio.limits.max_power_dbm) + " dBm"
                            : "off by radio.tx_enable"},
        {"radio", gr::wimax::look_for_device(c.radio.device_args)}};
}

}  // namespace wimax::phyd
