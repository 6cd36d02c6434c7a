/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * RF front end over uhd::usrp::multi_usrp, one channel received, one or two sent, and nothing of GNU Radio. Sample time
 * is an integer everywhere; seconds exist only inside uhd::time_spec_t, made by from_ticks().
 *
 * Rates: the channel's rate itself if the device has a master clock for it, else the nearest higher device rate in a
 * rational ratio with a resampler both ways, else a refusal. All samples and times of this class are at the channel's
 * rate. Channel sample n lies at device time n / rate exactly, resampled or not; now() then lags by the filter's
 * half length, 12 samples, and bursts ring for 4 samples on either side; chunk_samples() has both in it. A device whose
 * rate is off by less than 1e-7 is taken as exact; seconds are converted by the rate that it has, so nothing adds up.
 *
 * Transmission is an explicit state machine in its own thread, fed by a bounded queue of preallocated buffers:
 *
 *     idle -- piece queued, in time --> in burst -- last sample sent --> ended (= idle)
 *     in burst -- radio reports late or underflow --> burst given up, the next piece starts a new one
 *
 * Async messages of the device are counters only: they come too late to control anything. Lateness that matters is
 * measured where samples are handed over, in samples.
 *
 * Virtual radio (type=vrf) in commit mode: lock_step() is true and commit() promises that everything before a sample
 * has been sent. On other radios the property node does not exist and commit() does nothing.
 */
#pragma once

#include <gnuradio/wimax/amplifier_line.h>
#include <gnuradio/wimax/answer_times.h>
#include <gnuradio/wimax/calibration.h>
#include <gnuradio/wimax/radio_cores.h>
#include <gnuradio/wimax/transmit_limits.h>
#include <gnuradio/wimax/transmit_path.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gr::wimax {

struct RadioConfig {
    std::string device_args = "type=vrf";  ///< as for any UHD program; unknown keys are an error
    double sample_rate_hz = 5.76e6;
    double device_rate_hz = 0;        ///< of the device, resampled where it is another; 0: as plan_rate() chooses
    double frequency_hz = 3.5e9;      ///< both directions
    double channel_bandwidth_hz = 0;  ///< of what is sent, for `limits`; 0: the sample rate
    TransmitLimits limits;            ///< nothing is sent without them
    double tx_gain_db = 0, rx_gain_db = 0;
    std::string tx_antenna;  ///< "": the device's default
    std::string rx_antenna;  ///< "": the one that transmits, if it receives as well, else the device's default
    /// 2: STC zones have a second antenna. Both channels have one frequency, gain and time.
    int tx_channels = 1;
    std::string tx_subdevice;       ///< UHD's specification of the channels' frontends, "A:0 B:0"; "": the default
    std::string rx_subdevice;       ///< as tx_subdevice
    std::string second_tx_antenna;  ///< port of the second channel, "": the device's default
    std::string clock_source, time_source;  ///< "": the device's default
    double lo_offset_hz = 0;  ///< of the local oscillators from the carrier, which then is free of their leakage
    std::optional<double> analog_bandwidth_hz;  ///< absent: as the device sets it
    std::string wire_format = "sc16";           ///< between device and host: sc16, sc12, sc8
    double lock_timeout_s = 3;                  ///< for reference and local oscillators
    double start_delay_s = 0.3;                 ///< from start() to the first sample; all set-up must fit
    /// Mean power of a data symbol below the converter's full scale, so that peaks of the OFDM signal are not clipped.
    /// Absent: 12 dB, or 0 for virtual radios without converters, which do not clip.
    std::optional<double> headroom_db;
    /// Calibration: dBm at the antenna for converter full scale at the configured gains; follows other gains. Absent:
    /// asked of the radio, else the value of an uncalibrated USRP (see radio_levels.cc).
    std::optional<double> tx_full_scale_dbm, rx_full_scale_dbm;
    /// The same as it was measured, for any gain; counts where the two above are absent.
    std::vector<CalibrationPoint> calibration;
    /// Lower powers come from the samples alone down to so many dB below the highest, then from a lower TX gain
    /// (TransmitPiece::level_dbfs). Absent: from the samples alone.
    std::optional<double> digital_range_db;
    int max_piece_samples = 1 << 20;  ///< longest contiguous transmission
    /// Zeros at the device's rate before and after each of them: more than the delay of the transmit filters, in which
    /// a burst's end would stay until the next one.
    int burst_edge_samples = 32;
    /// What is sent answers what was received so long before it leaves: see AnswerTimes. Absent: it answers nothing.
    std::optional<double> answer_lead_s;
    /// Its times are zeros beyond those: a burst is on air, as the device has it, from its lead to its lag. What begins
    /// later than its lead is late.
    AmplifierLine amplifier;
    /// Of a device that has the core burst_gate, who knows it: what is sent goes through it, set up by `limits` and
    /// `amplifier`, and the zeros about bursts are its. Without, such a device is refused.
    MakeTransmitGate gate;
};

/// What calibration goes by, as the device has it.
struct RadioPlug {
    std::string serial, tx_antenna, rx_antenna;
};

/// Of one direction, dB.
struct GainRange {
    double low_db = 0, high_db = 0, step_db = 0;
};

/// Monotone counters since the radio was opened.
struct RadioCounters {
    uint64_t pieces = 0;  ///< contiguous transmissions handed to the device
    uint64_t late = 0;    ///< taken and then not sent: start had gone by at hand-over, or the device said so
    uint64_t underflows = 0, overflows = 0;
    uint64_t sequence_errors = 0;             ///< packets lost on the way between host and device
    uint64_t clipped_samples = 0;             ///< received, at or beyond full scale
    uint64_t lost_samples = 0;                ///< not received
    TransmitRefusals refused;                 ///< pieces that `limits` kept back
    int64_t least_slack_samples = INT64_MAX;  ///< smallest advance of a hand-over; INT64_MAX: none yet
    /// Of a device that has one; its lates and underflows count above, too. Its last late burst is told in samples of
    /// this class.
    std::optional<GateCounters> gate;
};

/// The device is not there (yet): worth another try, unlike a setting that it refuses.
class WIMAX_API DeviceUnavailable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr double kNoPeakDbfs = -200;  ///< of peak_dbfs(): nothing was received

class WIMAX_API RadioFrontend : public TransmitPath {
public:
    /// Opens and configures the device. Throws std::runtime_error whose text names the setting, its value and what the
    /// device offers instead.
    static std::shared_ptr<RadioFrontend> open(const RadioConfig& config);
    ~RadioFrontend() override;

    /// One received packet. `first_sample` is valid with samples > 0; a jump against the previous packet's end is a
    /// gap.
    struct Received {
        size_t samples = 0;
        int64_t first_sample = 0;
        bool timed_out = false;
    };
    /// Starts streaming; receive() from one thread only.
    void start();
    void stop();
    Received receive(std::span<std::complex<float>> out, double timeout_s);
    /// What the driver said when the device went (unplugged, silent for seconds): nothing comes any more, nothing is
    /// sent, and whoever wants to go on opens it anew.
    std::optional<std::string> lost() const;

    /// While it runs; levels follow. Throws as open() does, and then nothing has changed.
    void set_gains(double tx_gain_db, double rx_gain_db);
    double tx_gain_db() const;  ///< as asked for: of tx_reference_dbm()
    double rx_gain_db() const;
    double tx_gain_now_db() const;  ///< that the device has; TX: digital_range_db
    double rx_gain_now_db() const;
    GainRange tx_gains() const;
    GainRange rx_gains() const;

    int antennas() const override;
    bool transmit(int64_t start_sample, const TransmitPiece& piece, int64_t& deficit_samples) override;
    void commit(int64_t sample) override;
    bool change_receive_gain(int64_t sample, double gain_db) override;
    bool lock_step() const override;
    int64_t chunk_samples() const override;
    int64_t now() const override;

    int64_t sample_rate_hz() const;
    double tx_reference_dbm() const;  ///< mean power of a data symbol at 0 dBFS given to transmit()
    double rx_reference_dbm() const;  ///< dBm at the antenna for 0 dBFS from receive()
    double headroom_db() const;       ///< of 0 dBFS given to transmit() below the converter's full scale
    /// A core of the device, by the name of its block. Null: there is none, or its samples are not those of this class,
    /// which are resampled.
    RadioCorePtr core(const std::string& block) const;
    TurnTimes turn_times() const;  ///< that an amplifier makes necessary
    RadioPlug plug() const;
    RadioCounters counters() const;
    /// The larger of I and Q of the strongest sample received in the last second, own transmissions left out; 0: the
    /// converter's full scale, kNoPeakDbfs: nothing yet.
    double peak_dbfs() const;
    /// Where time runs by itself and answer_lead_s is given, of each contiguous transmission.
    AnswerTimes answer_times() const;
    /// Effective settings, one per line.
    std::string describe() const;

private:
    explicit RadioFrontend(const RadioConfig& config);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax
