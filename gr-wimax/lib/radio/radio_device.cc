// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/radio_device.h"

#include "radio/device_cores.h"
#include "radio/drive_amplifier.h"
#include "radio/opening_faults.h"
#include "radio/radio_tuning.h"
#include "radio/refusal.h"
#include "radio/resampler.h"
#include "radio/usrp_rates.h"
#include "radio/vrf_nodes.h"

#include <gnuradio/wimax/device_arguments.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>

namespace gr::wimax {
namespace {

constexpr int64_t kPacketChunks = 8;  // lock-step: a program that lags reads this many chunks at once
constexpr std::chrono::milliseconds kPulsePatience{2500};
// UHD's default for USB devices is 16 short packets, less than two milliseconds: a host that pauses would lose samples.
constexpr const char *kReceiveFrames = "128", *kSendFrames = "64";
constexpr double kPacketS = 1e-4;  // else a response to samples at the end of a packet could not be in time

/// 0: not a USB device, or the device does not report it.
int usb_version(uhd::usrp::multi_usrp& usrp) {
    const auto tree = usrp.get_tree();
    constexpr const char* kNode = "/mboards/0/usb_version";
    return tree->exists(kNode) ? tree->access<int>(kNode).get() : 0;
}

/// Sets the time to zero, at the pulse if there is one.
void set_time(uhd::usrp::multi_usrp& usrp) {
    const std::string source = usrp.get_time_source(0);
    const uhd::time_spec_t zero(0.0);
    if (source == "internal" || source == "none" || source.empty()) return usrp.set_time_now(zero);
    const auto pulse_after = [&](const uhd::time_spec_t& last) {
        const auto end = std::chrono::steady_clock::now() + kPulsePatience;
        while (usrp.get_time_last_pps() == last) {
            if (std::chrono::steady_clock::now() > end)
                refuse("time source '" + source + "': no pulse per second arrives");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    };
    pulse_after(usrp.get_time_last_pps());
    const auto before = usrp.get_time_last_pps();
    usrp.set_time_next_pps(zero);
    pulse_after(before);
}

RatePlan set_rate(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    UsrpRates rates(usrp);
    const auto planned = plan_rate(config.sample_rate_hz, rates, config.device_rate_hz);
    if (!planned) refuse(planned.error().str());
    return *planned;
}

/// Checks before anything is opened.
void check_limits(const RadioConfig& config) {
    auto faults = limit_faults(config.limits);
    for (auto fault : amplifier_faults(config.amplifier)) {
        fault.key = "amplifier_" + fault.key;
        faults.push_back(std::move(fault));
    }
    const double width = config.channel_bandwidth_hz > 0 ? config.channel_bandwidth_hz : config.sample_rate_hz;
    if (faults.empty())
        if (auto fault = band_fault(config.limits, config.tx_frequency_hz, width)) faults.push_back(std::move(*fault));
    if (faults.empty()) return;
    std::string all;
    for (const auto& fault : faults) all += (all.empty() ? "" : "; ") + fault.str();
    refuse(all);
}

void make_streams(RadioDevice& device, const RadioConfig& config) {
    uhd::stream_args_t args("fc32", config.wire_format);
    args.channels.resize(device.tx_channels);
    std::iota(args.channels.begin(), args.channels.end(), size_t{0});
    if (config.limits.enable) device.tx = device.usrp->get_tx_stream(args);
    args.channels = {0};
    if (device.lock_step()) args.args["spp"] = std::to_string(kPacketChunks * device.chunk);
    device.rx = device.usrp->get_rx_stream(args);
    if (device.lock_step()) return;
    // At most the model's largest, which not every driver enforces.
    const auto samples = static_cast<size_t>(device.plan.tick_rate_hz * kPacketS);
    if (device.rx->get_max_num_samps() <= samples) return;
    args.args["spp"] = std::to_string(samples);
    device.rx.reset();
    device.rx = device.usrp->get_rx_stream(args);
}

std::string transmitter_text(const TransmitLimits& limits) {
    if (!limits.enable) return "OFF (tx_enable): nothing is sent";
    const std::string bursts = limits.longest_burst_ms ? "bursts up to " + number_text(*limits.longest_burst_ms) + " ms"
                                                       : "bursts of any length";
    return describe(limits.allowed_bands) + ", up to " + number_text(*limits.max_power_dbm) + " dBm, " + bursts + ", " +
           number_text(100 * limits.max_duty_cycle) + " % of the time";
}

}  // namespace

uhd::usrp::multi_usrp::sptr open_usrp(const std::string& device_args) {
    check_device_arguments(device_args);
    uhd::device_addr_t args(device_args);
    for (const auto& [key, frames] : {std::pair{"num_recv_frames", kReceiveFrames}, {"num_send_frames", kSendFrames}})
        if (!args.has_key(key)) args[key] = frames;
    try {
        return uhd::usrp::multi_usrp::make(args);
    } catch (const std::exception& e) {
        std::string why = e.what();  // UHD lists addresses line by line
        std::replace(why.begin(), why.end(), '\n', ' ');
        const OpeningFault fault = opening_fault(why, device_args);
        const std::string text = "device '" + device_args + "': " + why + "; " + fault.advice;
        if (fault.again) throw DeviceUnavailable(text);
        refuse(text);
    }
}

/// Received samples lag by the filter; promised ones begin with its ringing.
int64_t RadioDevice::least_lead() const {
    if (!lock_step() || plan.exact()) return chunk;
    return plan.sample_at(chunk + ReceiveResampler::delay_ticks(plan)) + TransmitResampler::kRingingSamples;
}

int64_t RadioDevice::commit_tick(int64_t channel_sample) const {
    return plan.exact() ? channel_sample : plan.tick_at(channel_sample - TransmitResampler::kRingingSamples);
}

RadioDevice open_radio_device(const RadioConfig& config) {
    check_limits(config);
    RadioDevice device;
    device.usrp = open_usrp(config.device_args);
    auto& usrp = *device.usrp;
    if (!config.clock_source.empty()) usrp.set_clock_source(config.clock_source);
    if (!config.time_source.empty()) usrp.set_time_source(config.time_source);
    choose_channels(usrp, config);
    device.tx_channels = static_cast<size_t>(config.tx_channels);
    device.plan = set_rate(usrp, config);
    drive_amplifier(usrp, config.amplifier);
    device.gate = open_gate(usrp, config, device.plan);
    tune(usrp, config);
    device.chunk = vrf_chunk_samples(usrp.get_tree());
    make_streams(device, config);
    wait_for_lock(usrp, config);
    if (!device.lock_step()) set_time(usrp);  // else it is the channel's
    device.levels = radio_levels(usrp, config);
    if (config.watch) {
        const auto descriptor = vrf_poll_descriptor(usrp.get_tree());
        if (!descriptor) refuse("device: " + config.device_args + " cannot be polled, as a virtual radio can");
        config.watch(*descriptor);
    }
    return device;
}

std::string describe(const RadioDevice& device, const RadioConfig& config) {
    auto& u = *device.usrp;
    const auto& plan = device.plan;
    const std::string resampling = plan.exact() ? ""
                                                : ", resampled from " + std::to_string(plan.device_rate_hz) + " x " +
                                                      std::to_string(plan.down) + "/" + std::to_string(plan.up);
    // The device rate is only nearly the requested one: prints both.
    const std::string exact = plan.tick_rate_hz == static_cast<double>(plan.device_rate_hz)
                                  ? ""
                                  : " (" + number_text(plan.tick_rate_hz) + " exactly)";
    const RadioLevels levels = radio_levels(u, config, device.levels.headroom_db);
    std::string more;
    if (config.lo_offset_hz != 0) more += ", LO offset " + number_text(config.lo_offset_hz) + " Hz";
    if (config.analog_bandwidth_hz) more += ", analog bandwidth " + number_text(u.get_rx_bandwidth()) + " Hz";
    const bool split = config.tx_frequency_hz != config.rx_frequency_hz;
    std::ostringstream o;
    o.precision(12);
    o << "device        " << u.get_mboard_name() << " (" << config.device_args << ")\n"
      << "master clock  " << u.get_master_clock_rate() << " Hz, sample rate " << plan.channel_rate_hz << " S/s" << exact
      << resampling << "\n"
      << "frequency     " << (split ? "tx " + number_text(config.tx_frequency_hz) + " Hz, rx " : "") << u.get_rx_freq()
      << " Hz" << more << "\n"
      << "gains         tx " << u.get_tx_gain() << " dB, rx " << u.get_rx_gain() << " dB\n"
      << "antennas      tx " << u.get_tx_antenna() << (device.tx_channels > 1 ? " and " + u.get_tx_antenna(1) : "")
      << ", rx " << u.get_rx_antenna() << "\n"
      << "clock, time   " << u.get_clock_source(0) << ", " << u.get_time_source(0) << "\n"
      << "0 dBFS        tx " << levels.tx_dbm << " dBm, rx " << levels.rx_dbm << " dBm\n"
      << "transmitter   " << transmitter_text(config.limits) << "\n"
      << "time          " << (device.lock_step() ? "lock-step (commit)" : "free-running") << "\n";
    if (config.amplifier.driven()) o << "amplifier     " << describe(config.amplifier) << "\n";
    if (const std::string cores = describe_cores(u); !cores.empty()) o << "cores         " << cores << "\n";
    if (const int usb = usb_version(u); usb == 2)
        o << "link          USB 2, which carries 8 MS/s: plug the device into a USB 3 port\n";
    return o.str();
}

}  // namespace gr::wimax
