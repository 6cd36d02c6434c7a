/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What help() says in Python, after the headers of the blocks (include/gnuradio/wimax), which say more.
 */
#pragma once

namespace gr::wimax::docs {

inline constexpr const char* kTransmitPath = "What a transmitter hands samples to: a radio_frontend.";

inline constexpr const char* kRadioFrontend =
    R"(RF front end over UHD, shared by radio_source, radio_sink and the transmitter.

device: UHD device arguments, for instance "type=b200" or "type=vrf,name=bs"
sample_rate_hz, frequency_hz: of the channel; resampled where the device has not exactly this rate
tx_gain_db, rx_gain_db: of the device
clock_source, time_source: internal, external, gpsdo; "" leaves the device's default
tx_channels: 1 or 2; 2 for space-time coding
tx_subdevice: frontends of the TX channels, for instance "A:0 B:0"
tx_enable: nothing is sent unless it is True and the next two are given
allowed_bands: [(lowest, highest)] in Hz; one has to hold the carrier and half the sample rate on either side
max_power_dbm: at the antenna port, of preambles; 0 dBFS becomes half of it where the gain allows more

Opening takes up to seconds. Raises RuntimeError where there is no such device, ValueError for what it cannot do.)";

inline constexpr const char* kRadioSource =
    R"(Source of received samples: one output of complex64, 0 dBFS = mean sample power 1.

radio: a radio_frontend

Stream tag rx_sample holds the sample count at the start and after each jump of time; gaps of up to 20 ms are filled
with zeros.)";

inline constexpr const char* kRadioSink =
    R"(Sends PDUs of message port samples at their time: a dictionary with start_sample, and a c32vector.

radio: a radio_frontend

Message port error tells by how many microseconds a PDU came too late.)";

inline constexpr const char* kBurstTransmitter = R"(Modulates the bursts of one frame (clauses 8.3.3 to 8.3.5).

bandwidth_hz: 1.25e6 to 28e6
radio: a radio_frontend that gets the samples; None: they go to message port samples
window_samples: raised-cosine edge of each symbol, 0: none
target_papr_db: crest-factor reduction; None: none

Message port tx takes a frame (gnuradio.wimax.messages); each ends with a message at port done, also one that is late
or invalid, which port error tells. 0 dBFS = mean sample power 1 of a data symbol; preambles have 3 dB more.)";

inline constexpr const char* kBurstTransmitterCounters = "Frames sent, empty, late, invalid so far.";

inline constexpr const char* kDownlinkSource =
    R"(Test signal: an endless stream of downlink frames (clause 8.3.5.1), complex64 at the channel's rate.

bandwidth_hz: 1.25e6 to 28e6; sampled at 5.76 MS/s at 5 MHz
cp_denominator: 4, 8, 16 or 32
frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
bsid: its low 4 bits are sent
bursts: one to four of (rate_id 0 to 6, data_symbols)
payload: octets of each burst, padded with 0xFF
stc_bursts: likewise, of a space-time coded zone behind them, which a second output shares

0 dBFS = mean sample power 1 of a data symbol, preambles 3 dB more: scale before a real transmitter.)";

inline constexpr const char* kBsReceiver =
    R"(Base station receiver and clock: one input of complex64, 0 dBFS = mean sample power 1.

bandwidth_hz: 1.25e6 to 28e6
cp_denominator: 4, 8, 16 or 32
frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
tick_lead_us: from a message at port tick to the frame it announces
deadline_lead_us: answers are due that long before the frame
first_frame_number: 24 bits
radio: a radio_frontend, for lock-step; None without
display_interval_frames: ports constellation and response show one frame in so many

Message port expect takes the uplink bursts of a frame, port burst tells each of them, found or not; all in
gnuradio.wimax.messages.)";

inline constexpr const char* kBsReceiverStatus =
    "frames, bursts, detected, fec_failures so far; rssi_dbfs, cinr_db, frequency_offset_hz of the last burst "
    "detected; position in samples.";

inline constexpr const char* kSsReceiver =
    R"(Subscriber station receiver: one input of complex64; finds the base station by itself.

bandwidth_hz: 1.25e6 to 28e6
cp_denominator: 4, 8, 16, 32, or 0: searched
turnaround_us: from a message at port tick to the first uplink sample
deadline_lead_us: answers are due that long before it
response_us: in lock-step, from a received sample to one sent in answer
wait_for_answers: stand still until answered, as in lock-step (files)
radio: a radio_frontend, for lock-step; None without
display_interval_frames: ports constellation and response show one frame in so many

Message port burst tells each burst, the broadcast burst first; port expect takes what else is to be decoded of the
frame.)";

inline constexpr const char* kSsReceiverStatus =
    "frames, fch_failures, bursts, fec_failures, sync_losses so far; synchronised; rssi_dbfs, snr_db of a data "
    "carrier, frequency_offset_hz, "
    "clock_offset_ppm; position in samples.";

}  // namespace gr::wimax::docs
