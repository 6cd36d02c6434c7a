/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phyd/phyd_config.h"

#include <gnuradio/wimax/device_arguments.h>

namespace wimax::phyd {

void declare(config::Schema& s, PhydConfig& c) {
    s.choice("role", c.role, {{"bs", sap::Role::base_station}, {"ss", sap::Role::subscriber_station}},
             "which end of the air interface")
        .required()
        .option("--role");
    s.group("sap", "PHY service access point");
    s.text(
         "sap.endpoint", c.sap_endpoint,
         "where the MAC connects to, as ZeroMQ writes it: ipc:///path or tcp://address:port; {run}: the runtime folder")
        .option("--sap");
    s.renamed("sap", "sap.endpoint");

    s.group("radio", "RF front end, a UHD device; frequency, gains and channel bandwidth come from the MAC");
    s.text("radio.device", c.radio.device_args,
           "UHD device arguments, for instance type=b200,serial=30AD or type=vrf,name=bs,addr={run}/channel")
        .option("--device");
    s.number("radio.tx_channels", c.radio.tx_channels, {1, 2}, "",
             "2: STC zones are sent from two antennas; both channels have the gain that the MAC names");
    s.text("radio.tx_subdevice", c.radio.tx_subdevice,
           "frontends of the TX channels, for instance A:0 B:0; empty: the device's default");
    s.text("radio.tx_antenna", c.radio.tx_antenna, "empty: the device's default");
    s.text("radio.second_tx_antenna", c.radio.second_tx_antenna,
           "of the second TX channel; empty: the device's default");
    s.text("radio.rx_antenna", c.radio.rx_antenna, "empty: the device's default");
    s.text("radio.clock_source", c.radio.clock_source,
           "10 MHz reference: internal, external, gpsdo; empty: the device's default");
    s.text("radio.time_source", c.radio.time_source,
           "pulse per second: internal, external, gpsdo; empty: the device's default");
    s.number("radio.lock_timeout_s", c.radio.lock_timeout_s, {0, 60}, "s",
             "wait that long for reference and oscillators");
    s.number("radio.start_delay_s", c.radio.start_delay_s, {0.05, 10}, "s", "from set-up to the first received sample");
    s.number("radio.headroom_db", c.radio.headroom_db, {0, 40}, "dB",
             "mean power of data symbols below the converter's full scale; null: 12, virtual radio 0");
    s.number("radio.tx_full_scale_dbm", c.radio.tx_full_scale_dbm, {-200, 100}, "dBm",
             "calibration at the gain in use: antenna power of converter full scale; null: as the device says, else a "
             "guess");
    s.number("radio.rx_full_scale_dbm", c.radio.rx_full_scale_dbm, {-200, 100}, "dBm",
             "calibration at the gain in use: antenna power that gives converter full scale; null: as above");

    s.group("transmit", "optional shaping of the transmitted signal, docs/transmitter.md");
    s.number("transmit.window_samples", c.transmit.window_samples, {0, gr::wimax::phy::kMaxWindowSamples}, "",
             "raised-cosine overlap of symbols in samples of the cyclic prefix, at most half of it; 0: none");
    s.number("transmit.target_papr_db", c.transmit.target_papr_db,
             {gr::wimax::phy::kMinTargetPaprDb, gr::wimax::phy::kMaxTargetPaprDb}, "dB",
             "crest-factor reduction down to that peak-to-average power ratio, constellation error permitting; null: "
             "off");

    s.group("timing",
            "lead times in sample time; the virtual radio in lock-step waits for late answers, other radios do not");
    s.number("timing.tick_lead_us", c.tick_lead_us, {0, 100000}, "us", "BS: frame tick before the frame");
    s.number("timing.turnaround_us", c.turnaround_us, {0, 100000}, "us",
             "SS: frame tick before its first uplink sample");
    s.number("timing.deadline_lead_us", c.deadline_lead_us, {0, 100000}, "us",
             "answers are due that long before the samples are on air; later ones are discarded");
    s.number("timing.response_us", c.response_us, {0, 100000}, "us",
             "SS, lock-step: no answer to a received sample is sent earlier (T_proc, clause 10.1)");

    wimax::declare(s, c.daemon, {"phyd", "radio", "sap"});

    s.check([&c](config::LocatedFaults& faults) {
        for (const auto& key : gr::wimax::unknown_device_arguments(c.radio.device_args))
            faults.add("radio.device", key, "device arguments known to UHD (see uhd_usrp_probe --args)");
        if (c.deadline_lead_us > c.tick_lead_us)
            faults.add("timing.deadline_lead_us", std::to_string(c.deadline_lead_us), "at most timing.tick_lead_us");
        if (c.deadline_lead_us > c.turnaround_us)
            faults.add("timing.deadline_lead_us", std::to_string(c.deadline_lead_us), "at most timing.turnaround_us");
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

config::Derived derived(const PhydConfig& c) {
    const bool bs = c.role == sap::Role::base_station;
    return {{"answer budget of the MAC (us)",
             std::to_string((bs ? c.tick_lead_us : c.turnaround_us) - c.deadline_lead_us)}};
}

}  // namespace wimax::phyd
