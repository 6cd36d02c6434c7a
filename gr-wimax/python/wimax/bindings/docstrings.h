// SPDX-License-Identifier: GPL-3.0-or-later
// Docstrings for Python's help(). The headers of the blocks (include/gnuradio/wimax) have more detail.
#pragma once

namespace gr::wimax::docs {

inline constexpr const char* kTransmitPath = "Destination of a transmitter's samples: a radio_frontend.";

inline constexpr const char* kRadioFrontend =
    R"(RF front end over UHD, shared by radio_source, radio_sink and the transmitter.

device: UHD device arguments, for instance "type=b200" or "type=vrf,name=bs"
sample_rate_hz, frequency_hz: of the channel; resampled if the device does not support this rate
tx_gain_db, rx_gain_db: gains of the device
clock_source, time_source: internal, external, gpsdo; "": the device's default
tx_channels: 1 or 2; 2 for space-time coding
tx_subdevice: frontends of the TX channels, for instance "A:0 B:0"
tx_enable: nothing is sent unless it is True and the next two are set
allowed_bands: [(lowest, highest)] in Hz; one must contain the carrier plus and minus half the sample rate
max_power_dbm: power of preambles at the antenna port; 0 dBFS is limited to half of it

Opening can take seconds. Raises RuntimeError if no device is found, ValueError for unsupported settings.)";

inline constexpr const char* kRadioSource =
    R"(Source of received samples: one output of complex64, 0 dBFS = mean sample power 1.

radio: a radio_frontend

Stream tag rx_sample has the sample count at the start and after each jump of time. Gaps of up to 20 ms are filled
with zeros.)";

inline constexpr const char* kRadioSink =
    R"(Sends PDUs of message port samples at their time: a dictionary with start_sample, and a c32vector.

radio: a radio_frontend

Message port error reports late PDUs with their delay in microseconds.)";

inline constexpr const char* kBurstTransmitter = R"(Modulates the bursts of one frame (clauses 8.3.3 to 8.3.5).

bandwidth_hz: 1.25e6 to 28e6
radio: a radio_frontend that gets the samples; None: they are sent to message port samples
window_samples: raised-cosine edge of each symbol, 0: none
target_papr_db: crest-factor reduction; None: none

Message port tx accepts a frame (gnuradio.wimax.messages). Each ends with a message at port done. Port error reports
late and invalid frames. 0 dBFS = mean sample power 1 of a data symbol; preambles have 3 dB more.)";

inline constexpr const char* kBurstTransmitterCounters = "Frames sent, empty, late, invalid so far.";

inline constexpr const char* kDownlinkSource =
    R"(Test signal: an endless stream of downlink frames (clause 8.3.5.1), complex64 at the channel's rate.

bandwidth_hz: 1.25e6 to 28e6; sampled at 5.76 MS/s at 5 MHz
cp_denominator: 4, 8, 16 or 32
frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
bsid: the low 4 bits are sent
bursts: one to four of (rate_id 0 to 6, data_symbols)
payload: octets of each burst, padded with 0xFF
stc_bursts: likewise, of a space-time coded zone after them; its antenna 1 is a second output

0 dBFS = mean sample power 1 of a data symbol, preambles have 3 dB more. Scale before a real transmitter.)";

inline constexpr const char* kBsReceiver =
    R"(Base station receiver and clock: one input of complex64, 0 dBFS = mean sample power 1.

bandwidth_hz: 1.25e6 to 28e6
cp_denominator: 4, 8, 16 or 32
frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
tick_lead_us: time from a message at port tick to its frame
deadline_lead_us: responses are due this time before the frame
first_frame_number: 24 bits
radio: a radio_frontend, for lock-step; None without
display_interval_frames: ports constellation and response show one frame in this number

Message port expect accepts the uplink bursts of a frame. Port burst reports each of them, found or not. See
gnuradio.wimax.messages.)";

inline constexpr const char* kBsReceiverStatus =
    "frames, bursts, detected, fec_failures so far; rssi_dbfs, cinr_db, frequency_offset_hz of the last burst "
    "detected; position in samples.";

inline constexpr const char* kSsReceiver =
    R"(Subscriber station receiver: one input of complex64; it searches for the base station.

bandwidth_hz: 1.25e6 to 28e6
cp_denominator: 4, 8, 16, 32, or 0: found by search
turnaround_us: time from a message at port tick to the first uplink sample
deadline_lead_us: responses are due this time before it
response_us: in lock-step, time from a received sample to its response
wait_for_answers: stop until the response arrives, as in lock-step (files)
radio: a radio_frontend, for lock-step; None without
display_interval_frames: ports constellation and response show one frame in this number

Message port burst reports each burst, the broadcast burst first. Port expect accepts further bursts of the frame.)";

inline constexpr const char* kSsReceiverStatus =
    "frames, fch_failures, bursts, fec_failures, sync_losses so far; synchronised; rssi_dbfs, snr_db of a data "
    "carrier, frequency_offset_hz, "
    "clock_offset_ppm; position in samples.";

}  // namespace gr::wimax::docs
