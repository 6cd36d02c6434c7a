// SPDX-License-Identifier: GPL-3.0-or-later
// RF front end over uhd::usrp::multi_usrp, with one receive channel and one or two transmit channels, without GNU
// Radio. Sample time is an integer everywhere; seconds exist only inside uhd::time_spec_t, made by from_ticks().
//
// Rates: the channel's rate if the device has a master clock for it, else the nearest higher device rate in a
// rational ratio with a resampler both ways, else an error. All samples and times of this class are at the channel's
// rate. Channel sample n lies at device time n / rate exactly, resampled or not. With a resampler now() lags by the
// filter's half length, 12 samples, and bursts ring for 4 samples on either side; chunk_samples() includes both. A rate
// error below 1e-7 is ignored. Seconds are converted by the actual rate, so the error does not accumulate.
//
// Transmission is an explicit state machine in its own thread, fed by a bounded queue of preallocated buffers:
//
//     idle -- piece queued, in time --> in burst -- last sample sent --> ended (= idle)
//     in burst -- radio reports late or underflow --> burst abandoned, the next piece starts a new one
//
// Async messages of the device are only counted: they arrive too late for control. Lateness is
// measured in samples when samples are handed over.
//
// Virtual radio (type=vrf) in commit mode: lock_step() is true and commit() declares that everything before a sample
// has been sent. On other radios the property node does not exist and commit() does nothing.
#pragma once

#include <gnuradio/wimax/amplifier_line.h>
#include <gnuradio/wimax/answer_times.h>
#include <gnuradio/wimax/calibration.h>
#include <gnuradio/wimax/radio_cores.h>
#include <gnuradio/wimax/transmit_limits.h>
#include <gnuradio/wimax/transmit_path.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gr::wimax {

struct RadioConfig {
    std::string device_args = "type=vrf";  ///< as for any UHD program; unknown keys are an error
    double sample_rate_hz = 5.76e6;
    double device_rate_hz = 0;                                ///< rate of the device; 0: chosen by plan_rate()
    double tx_frequency_hz = 3.5e9, rx_frequency_hz = 3.5e9;  ///< equal with TDD
    double channel_bandwidth_hz = 0;  ///< of the transmitted signal, for `limits`; 0: the sample rate
    TransmitLimits limits;            ///< nothing is sent without them
    double tx_gain_db = 0, rx_gain_db = 0;
    std::string tx_antenna;  ///< "": the device's default
    std::string rx_antenna;  ///< "": the TX antenna if it can receive, else the device's default
    /// 1 or 2 (second antenna of STC zones). Both channels share frequency, gain and time.
    int tx_channels = 1;
    std::string tx_subdevice;       ///< UHD's specification of the channels' frontends, "A:0 B:0"; "": the default
    std::string rx_subdevice;       ///< as tx_subdevice
    std::string second_tx_antenna;  ///< port of the second channel, "": the device's default
    std::string clock_source, time_source;  ///< "": the device's default
    double lo_offset_hz = 0;                ///< oscillator minus carrier; moves their leakage out of the channel centre
    std::optional<double> analog_bandwidth_hz;  ///< absent: the device's default
    std::string wire_format = "sc16";           ///< between device and host: sc16, sc12, sc8
    double lock_timeout_s = 3;                  ///< for reference and local oscillators
    double start_delay_s = 0.3;                 ///< from start() to the first sample; must cover all set-up
    /// Mean power of a data symbol below the converter's full scale, so that peaks of the OFDM signal are not clipped.
    /// Absent: 12 dB, or 0 for virtual radios without converters, which do not clip.
    std::optional<double> headroom_db;
    /// Calibration: dBm at the antenna for converter full scale at the configured gains; follows changes of gain.
    /// Absent: the radio's own value, else that of an uncalibrated USRP (see radio_levels.cc).
    std::optional<double> tx_full_scale_dbm, rx_full_scale_dbm;
    /// Measured calibration for any gain, used if the two values above are absent.
    std::vector<CalibrationPoint> calibration;
    /// Range in dB below the highest power in which only the samples are scaled; below it the TX gain is lowered
    /// (TransmitPiece::level_dbfs). Absent: only the samples are scaled.
    std::optional<double> digital_range_db;
    int max_piece_samples = 1 << 20;  ///< longest contiguous transmission
    /// Zeros at the device's rate before and after each transmission: more than the delay of the transmit filters,
    /// which would otherwise keep a burst's end until the next burst.
    int burst_edge_samples = 32;
    /// Seconds from a received sample to the transmission that responds to it: see AnswerTimes. Absent: not measured.
    std::optional<double> answer_lead_s;
    /// Its lead and lag are zeros in addition to burst_edge_samples: the device's burst lasts from lead to lag. A burst
    /// handed over after its lead is late.
    AmplifierLine amplifier;
    /// Driver for a device with the core burst_gate: all transmissions pass it, set up by `limits` and
    /// `amplifier`, and the gate adds the zeros around bursts. Without a driver such a device is rejected.
    MakeTransmitGate gate;
    /// Gets a descriptor that is readable when receive() may have samples, for one thread that receives from several
    /// radios, with timeouts of 0. Only with virtual radios; others are rejected.
    std::function<void(int descriptor)> watch;

    bool two_carriers() const { return tx_frequency_hz != rx_frequency_hz; }
    /// Its own bursts are in the received band.
    bool receives_itself() const { return std::abs(tx_frequency_hz - rx_frequency_hz) < sample_rate_hz; }
};

/// Properties of the device that select its calibration.
struct RadioPlug {
    std::string serial, tx_antenna, rx_antenna;
};

/// Gains of one direction, dB.
struct GainRange {
    double low_db = 0, high_db = 0, step_db = 0;
};

/// Monotone counters since the radio was opened.
struct RadioCounters {
    uint64_t pieces = 0;  ///< contiguous transmissions handed to the device
    uint64_t late = 0;    ///< accepted and not sent: the start had passed, or the device reported it
    uint64_t underflows = 0, overflows = 0;
    uint64_t sequence_errors = 0;             ///< packets lost between host and device
    uint64_t clipped_samples = 0;             ///< received, at or beyond full scale
    uint64_t lost_samples = 0;                ///< not received
    TransmitRefusals refused;                 ///< pieces that `limits` suppressed
    int64_t least_slack_samples = INT64_MAX;  ///< smallest lead of a hand-over; INT64_MAX: none yet
    /// Counters of the device's gate, if any; late bursts and underflows are also counted above. The last late burst is
    /// in samples of this class.
    std::optional<GateCounters> gate;
};

/// The device is absent (yet): try again later, unlike after a rejected setting.
class WIMAX_API DeviceUnavailable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr double kNoPeakDbfs = -200;  ///< value of peak_dbfs() without reception

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
    /// Text of the driver when the device was lost (unplugged, silent for seconds). Reception and transmission have
    /// ended; open the device again.
    std::optional<std::string> lost() const;

    /// Sets gains during operation; levels follow. Throws like open(), and then changes nothing.
    void set_gains(double tx_gain_db, double rx_gain_db);
    double tx_gain_db() const;  ///< as requested; tx_reference_dbm() refers to it
    double rx_gain_db() const;
    /// Actual gains of the device, see digital_range_db.
    struct Gains {
        double tx_db = 0, rx_db = 0;
    };
    Gains gains_now() const;
    GainRange tx_gains() const;
    GainRange rx_gains() const;

    int antennas() const override;
    [[nodiscard]] tl::expected<void, PieceFault> transmit(int64_t start_sample, const TransmitPiece& piece) override;
    void commit(int64_t sample) override;
    bool change_receive_gain(int64_t sample, double gain_db) override;
    void skip_received(int64_t from, int64_t until) override;
    bool lock_step() const override;
    int64_t chunk_samples() const override;
    int64_t now() const override;

    int64_t sample_rate_hz() const;
    double tx_reference_dbm() const;  ///< dBm of a data symbol at 0 dBFS passed to transmit()
    double rx_reference_dbm() const;  ///< dBm at the antenna for 0 dBFS from receive()
    double headroom_db() const;       ///< distance of 0 dBFS from the converter's full scale
    /// A core of the device, by the name of its block. Null: there is none, or this class resamples, so the core's
    /// samples differ.
    RadioCorePtr core(const std::string& block) const;
    TurnTimes turn_times() const;  ///< required by the amplifier
    RadioPlug plug() const;
    RadioCounters counters() const;
    /// The larger of I and Q of the strongest sample received in the last second, without own transmissions; 0: the
    /// converter's full scale, kNoPeakDbfs: no sample yet.
    double peak_dbfs() const;
    /// Response times of contiguous transmissions; only in real time and with answer_lead_s.
    AnswerTimes answer_times() const;
    /// Effective settings, one per line.
    std::string describe() const;

private:
    explicit RadioFrontend(const RadioConfig& config);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax
