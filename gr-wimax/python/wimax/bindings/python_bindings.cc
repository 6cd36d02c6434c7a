// SPDX-License-Identifier: GPL-3.0-or-later
#include "bindings/docstrings.h"

#include <gnuradio/wimax/bs_receiver.h>
#include <gnuradio/wimax/burst_transmitter.h>
#include <gnuradio/wimax/downlink_source.h>
#include <gnuradio/wimax/radio_sink.h>
#include <gnuradio/wimax/radio_source.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace gr::wimax;

namespace {

void bind_radio(py::module& m) {
    py::class_<TransmitPath, std::shared_ptr<TransmitPath>>(m, "transmit_path", docs::kTransmitPath);
    py::class_<RadioFrontend, TransmitPath, std::shared_ptr<RadioFrontend>>(m, "radio_frontend", docs::kRadioFrontend)
        .def(py::init([](const std::string& device, double sample_rate_hz, double frequency_hz, double tx_gain_db,
                         double rx_gain_db, const std::string& clock_source, const std::string& time_source,
                         int tx_channels, const std::string& tx_subdevice, bool tx_enable,
                         const std::vector<std::pair<double, double>>& allowed_bands,
                         std::optional<double> max_power_dbm) {
                 RadioConfig c;
                 c.device_args = device;
                 c.sample_rate_hz = sample_rate_hz;
                 c.tx_frequency_hz = c.rx_frequency_hz = frequency_hz;
                 c.tx_gain_db = tx_gain_db;
                 c.rx_gain_db = rx_gain_db;
                 c.clock_source = clock_source;
                 c.time_source = time_source;
                 c.tx_channels = tx_channels;
                 c.tx_subdevice = tx_subdevice;
                 c.limits.enable = tx_enable;
                 for (const auto& [low_hz, high_hz] : allowed_bands)
                     c.limits.allowed_bands.push_back({low_hz, high_hz});
                 c.limits.max_power_dbm = max_power_dbm;
                 const py::gil_scoped_release release;  // opening takes up to seconds
                 return RadioFrontend::open(c);
             }),
             py::arg("device"), py::arg("sample_rate_hz"), py::arg("frequency_hz"), py::arg("tx_gain_db") = 0.0,
             py::arg("rx_gain_db") = 0.0, py::arg("clock_source") = "", py::arg("time_source") = "",
             py::arg("tx_channels") = 1, py::arg("tx_subdevice") = "", py::arg("tx_enable") = false,
             py::arg("allowed_bands") = std::vector<std::pair<double, double>>{},
             py::arg("max_power_dbm") = std::nullopt)
        .def("describe", &RadioFrontend::describe, "device, rates and gains, for people")
        .def("lock_step", &RadioFrontend::lock_step,
             "whether samples wait for answers: the virtual radio's simulated time")
        .def("sample_rate_hz", &RadioFrontend::sample_rate_hz, "that streams have")
        .def("tx_reference_dbm", &RadioFrontend::tx_reference_dbm, "of 0 dBFS at the TX gain in force")
        .def("rx_reference_dbm", &RadioFrontend::rx_reference_dbm, "of 0 dBFS at the RX gain in force");
    py::class_<radio_source, gr::sync_block, gr::block, gr::basic_block, std::shared_ptr<radio_source>>(
        m, "radio_source", docs::kRadioSource)
        .def(py::init([](std::shared_ptr<RadioFrontend> radio) { return radio_source::make(std::move(radio)); }),
             py::arg("radio"));
    py::class_<radio_sink, gr::block, gr::basic_block, std::shared_ptr<radio_sink>>(m, "radio_sink", docs::kRadioSink)
        .def(py::init(&radio_sink::make), py::arg("radio"));
}

void bind_transmitters(py::module& m) {
    py::class_<burst_transmitter, gr::block, gr::basic_block, std::shared_ptr<burst_transmitter>>(
        m, "burst_transmitter", docs::kBurstTransmitter)
        .def(py::init([](int64_t bandwidth_hz, TransmitPathPtr radio, int window_samples,
                         std::optional<double> target_papr_db) {
                 return burst_transmitter::make(bandwidth_hz, std::move(radio), {window_samples, target_papr_db});
             }),
             py::arg("bandwidth_hz") = 5000000, py::arg("radio") = nullptr, py::arg("window_samples") = 0,
             py::arg("target_papr_db") = std::nullopt)
        .def(
            "counters",
            [](const burst_transmitter& b) {
                const auto c = b.counters();
                return py::dict(py::arg("frames") = c.frames, py::arg("empty") = c.empty, py::arg("late") = c.late,
                                py::arg("invalid") = c.invalid);
            },
            docs::kBurstTransmitterCounters);
    py::class_<downlink_source, gr::sync_block, gr::block, gr::basic_block, std::shared_ptr<downlink_source>>(
        m, "downlink_source", docs::kDownlinkSource)
        .def(py::init([](int64_t bandwidth_hz, int cp_denominator, int frame_duration_code, uint64_t bsid,
                         const std::vector<std::pair<int, int>>& bursts, const std::vector<uint8_t>& payload,
                         const std::vector<std::pair<int, int>>& stc_bursts) {
                 downlink_source::Config c{bandwidth_hz, cp_denominator, frame_duration_code, bsid, {}, payload, {}};
                 for (const auto& [rate_id, data_symbols] : bursts) c.bursts.push_back({rate_id, data_symbols});
                 for (const auto& [rate_id, data_symbols] : stc_bursts) c.stc_bursts.push_back({rate_id, data_symbols});
                 return downlink_source::make(c);
             }),
             py::arg("bandwidth_hz") = 5000000, py::arg("cp_denominator") = 8, py::arg("frame_duration_code") = 4,
             py::arg("bsid") = 0, py::arg("bursts") = std::vector<std::pair<int, int>>{{6, 90}},
             py::arg("payload") = std::vector<uint8_t>{}, py::arg("stc_bursts") = std::vector<std::pair<int, int>>{});
}

void bind_receivers(py::module& m) {
    py::class_<bs_receiver, gr::sync_block, gr::block, gr::basic_block, std::shared_ptr<bs_receiver>>(m, "bs_receiver",
                                                                                                      docs::kBsReceiver)
        .def(py::init([](int64_t bandwidth_hz, int cp_denominator, int frame_duration_code, int tick_lead_us,
                         int deadline_lead_us, uint32_t first_frame_number, TransmitPathPtr radio,
                         int display_interval_frames) {
                 return bs_receiver::make({bandwidth_hz, cp_denominator, frame_duration_code, tick_lead_us,
                                           deadline_lead_us, first_frame_number, display_interval_frames},
                                          std::move(radio));
             }),
             py::arg("bandwidth_hz") = 5000000, py::arg("cp_denominator") = 8, py::arg("frame_duration_code") = 4,
             py::arg("tick_lead_us") = 2000, py::arg("deadline_lead_us") = 1000, py::arg("first_frame_number") = 0,
             py::arg("radio") = nullptr, py::arg("display_interval_frames") = 5)
        .def(
            "status",
            [](const bs_receiver& b) {
                const auto s = b.status();
                return py::dict(py::arg("frames") = s.frames, py::arg("bursts") = s.bursts,
                                py::arg("detected") = s.detected, py::arg("fec_failures") = s.fec_failures,
                                py::arg("rssi_dbfs") = s.rssi_dbfs, py::arg("cinr_db") = s.cinr_db,
                                py::arg("frequency_offset_hz") = s.frequency_offset_hz,
                                py::arg("position") = s.position);
            },
            docs::kBsReceiverStatus);
    py::class_<ss_receiver, gr::sync_block, gr::block, gr::basic_block, std::shared_ptr<ss_receiver>>(m, "ss_receiver",
                                                                                                      docs::kSsReceiver)
        .def(py::init([](int64_t bandwidth_hz, int cp_denominator, int turnaround_us, int deadline_lead_us,
                         int response_us, bool wait_for_answers, TransmitPathPtr radio, int display_interval_frames) {
                 ss_receiver::Config c;
                 c.bandwidth_hz = bandwidth_hz;
                 c.cp_denominator = cp_denominator;
                 c.turnaround_us = turnaround_us;
                 c.deadline_lead_us = deadline_lead_us;
                 c.response_us = response_us;
                 c.wait_for_answers = wait_for_answers;
                 c.display_interval_frames = display_interval_frames;
                 return ss_receiver::make(c, std::move(radio));
             }),
             py::arg("bandwidth_hz") = 5000000, py::arg("cp_denominator") = 0, py::arg("turnaround_us") = 2000,
             py::arg("deadline_lead_us") = 1000, py::arg("response_us") = 1000, py::arg("wait_for_answers") = false,
             py::arg("radio") = nullptr, py::arg("display_interval_frames") = 5)
        .def(
            "status",
            [](const ss_receiver& b) {
                const auto s = b.status();
                return py::dict(py::arg("frames") = s.frames, py::arg("fch_failures") = s.fch_failures,
                                py::arg("bursts") = s.bursts, py::arg("fec_failures") = s.fec_failures,
                                py::arg("sync_losses") = s.sync_losses, py::arg("synchronised") = s.synchronised,
                                py::arg("rssi_dbfs") = s.rssi_dbfs, py::arg("snr_db") = s.snr_db,
                                py::arg("frequency_offset_hz") = s.frequency_offset_hz,
                                py::arg("clock_offset_ppm") = s.clock_offset_ppm, py::arg("position") = s.position);
            },
            docs::kSsReceiverStatus);
}

}  // namespace

PYBIND11_MODULE(wimax_python, m) {
    py::module::import("gnuradio.gr");
    m.def(
        "rate_table",
        [] {
            std::vector<std::pair<std::string, int>> rows;
            for (const auto& rate : phy::kRateTable) rows.emplace_back(rate.name, rate.uncoded_bytes);
            return rows;
        },
        "By Rate_ID: name of modulation and code, payload bytes of one OFDM symbol over the full band.");
    m.def(
        "sample_rate_hz",
        [](int64_t bandwidth_hz) -> std::optional<int64_t> {
            const auto numerology = phy::Numerology::make(bandwidth_hz, phy::CyclicPrefix::g1_8);
            return numerology ? std::optional(numerology->sample_rate_hz) : std::nullopt;
        },
        py::arg("bandwidth_hz"), "Samples per second of a channel (clause 8.3.2); None outside bandwidth_range_hz().");
    m.def(
        "bandwidth_range_hz", [] { return std::pair(phy::kMinBandwidthHz, phy::kMaxBandwidthHz); },
        "Lowest and highest bandwidth of a channel.");
    m.def(
        "frame_duration_us",
        [] { return std::vector<int>(phy::kFrameDurationUs.begin(), phy::kFrameDurationUs.end()); },
        "By frame duration code of the DCD: microseconds.");
    bind_radio(m);
    bind_transmitters(m);
    bind_receivers(m);
}
