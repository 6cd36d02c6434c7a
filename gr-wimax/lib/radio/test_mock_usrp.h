// SPDX-License-Identifier: GPL-3.0-or-later
// A USRP without hardware for tests of the front end: a UHD device of type "mock" behind the real multi_usrp, with a
// master clock that is divided by whole numbers, and streamers that keep sent samples and deliver those of the test.
// Every opening makes a new device; set `next` before it, read `latest` after it.
#pragma once

#include "radio/vrf_nodes.h"

#include <gnuradio/wimax/radio_cores.h>
#include <gnuradio/wimax/transmit_limits.h>

#include <uhd/device.hpp>
#include <uhd/exception.hpp>
#include <uhd/property_tree.hpp>
#include <uhd/stream.hpp>
#include <uhd/types/ranges.hpp>
#include <uhd/types/sensors.hpp>
#include <uhd/usrp/dboard_eeprom.hpp>
#include <uhd/usrp/mboard_eeprom.hpp>
#include <uhd/usrp/subdev_spec.hpp>
#include <uhd/version.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gr::wimax::test {

using Samples = std::vector<std::complex<float>>;

constexpr std::chrono::seconds kPatience{10};  // only a hang takes that long

/// Permissive limits.
inline TransmitLimits any_transmission() {
    TransmitLimits limits;
    limits.enable = true;
    limits.allowed_bands = {{0, 1e11}};
    limits.max_power_dbm = kMaxPowerLimitDbm;
    limits.longest_burst_ms = kMaxBurstMs;
    limits.max_duty_cycle = 1;
    return limits;
}

struct MockSettings {
    double clock_hz = 5.76e6 * 16;
    double frequency_error_hz = 0;
    double dsp_hz = 0;  ///< tuning range of its DSP
    bool lo_locked = true, ref_locked = true;
    int64_t now = 1'000'000;             ///< device ticks
    std::optional<VrfLevels> levels;     ///< as the virtual radio reports them
    int converter_bits = 0;              ///< the same
    std::optional<int> poll_descriptor;  ///< like the virtual radio
    int chunk = 0;                       ///< more than 0: the virtual radio in lock-step
    size_t tx_channels = 1;
    double second_frequency_error_hz = 0;
    bool second_lo_locked = true;
    bool pulses = true;                   ///< per second, one for each query
    size_t rx_packet = 2000;              ///< the model's longest
    std::vector<std::string> cores = {};  ///< names of blocks, as in the virtual radio
    OpenRadioCore gate_block = {};        ///< of an RFNoC block, from its controller
};

struct MockRx : uhd::rx_streamer {
    struct Packet {
        int64_t tick = 0;
        Samples samples;
        uhd::rx_metadata_t::error_code_t error = uhd::rx_metadata_t::ERROR_CODE_NONE;
        bool out_of_sequence = false;
    };
    std::deque<Packet> packets;
    std::vector<uhd::stream_cmd_t> commands;
    double rate = 0;
    uhd::stream_args_t args;

    size_t get_num_channels() const override { return 1; }
    size_t get_max_num_samps() const override { return args.args.cast<size_t>("spp", longest); }
    size_t longest = 2000;
    bool gone = false;  ///< unplugged
    /// Part of a packet, as recv() with one_packet; nothing left: a timeout.
    size_t recv(const buffs_type& buffs, size_t room, uhd::rx_metadata_t& md, double, bool) override {
        md.reset();
        if (gone) throw uhd::io_error("unplugged");
        if (packets.empty()) {
            md.error_code = uhd::rx_metadata_t::ERROR_CODE_TIMEOUT;
            return 0;
        }
        Packet& p = packets.front();
        md.error_code = p.error;
        md.out_of_sequence = p.out_of_sequence;
        const size_t n = std::min(room, p.samples.size());
        if (n > 0) {
            md.has_time_spec = true;
            md.time_spec = uhd::time_spec_t::from_ticks(p.tick, rate);
            std::memcpy(buffs[0], p.samples.data(), n * sizeof(p.samples[0]));
        }
        p.samples.erase(p.samples.begin(), p.samples.begin() + static_cast<std::ptrdiff_t>(n));
        p.tick += static_cast<int64_t>(n);
        if (p.samples.empty()) packets.pop_front();
        return n;
    }
    void issue_stream_cmd(const uhd::stream_cmd_t& command) override { commands.push_back(command); }
#if UHD_VERSION >= 4080000
    void post_input_action(const std::shared_ptr<uhd::rfnoc::action_info>&, const size_t) override {}
#endif
};

class MockTx : public uhd::tx_streamer {
public:
    struct Call {
        uhd::tx_metadata_t md;
        Samples samples, second;  ///< of each channel
    };
    size_t channels = 1;  ///< of the stream
    bool gone = false;    ///< unplugged
    size_t get_num_channels() const override { return channels; }
    size_t get_max_num_samps() const override { return 2000; }
    size_t send(const buffs_type& buffs, size_t n, const uhd::tx_metadata_t& md, double timeout) override {
        std::unique_lock lock(mutex_);
        if (gone) throw uhd::io_error("unplugged");
        ++waiting_;
        moved_.notify_all();
        if (takes_ == 0 && n > 0) {  // like a radio with full buffers
            moved_.wait_for(lock, std::chrono::duration<double>(timeout), [&] { return takes_ > 0; });
            if (takes_ == 0) return 0;
        }
        const size_t taken = std::min({n, most_, takes_});
        takes_ -= taken;
        const auto copy = [&](size_t channel) {
            if (n == 0 || channel >= channels) return Samples();
            const auto* x = static_cast<const std::complex<float>*>(buffs[channel]);
            return Samples(x, x + taken);
        };
        calls_.push_back({md, copy(0), copy(1)});
        moved_.notify_all();
        return taken;
    }
    bool recv_async_msg(uhd::async_metadata_t& md, double) override {
        const std::lock_guard lock(mutex_);
        if (events_.empty()) {
            ++collected_;  // all available samples have been counted
            moved_.notify_all();
            return false;
        }
        md.event_code = events_.front();
        events_.pop_front();
        return true;
    }
#if UHD_VERSION >= 4080000
    void post_output_action(const std::shared_ptr<uhd::rfnoc::action_info>&, const size_t) override {}
#endif

    /// Number of samples that are still accepted, and per call.
    void take(size_t samples, size_t at_once = SIZE_MAX) {
        const std::lock_guard lock(mutex_);
        takes_ = samples;
        most_ = at_once;
        moved_.notify_all();
    }
    void happens(uhd::async_metadata_t::event_code_t event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }
    std::vector<Call> calls() const {
        const std::lock_guard lock(mutex_);
        return calls_;
    }
    /// Waits until the front end has processed this number of pieces, sent or late; false if it never does.
    bool wait_for_pieces(size_t pieces) {
        std::unique_lock lock(mutex_);
        return moved_.wait_for(lock, kPatience, [&] { return collected_ >= pieces; });
    }
    bool wait_for_a_call() {
        std::unique_lock lock(mutex_);
        return moved_.wait_for(lock, kPatience, [&] { return waiting_ > 0; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable moved_;
    std::vector<Call> calls_;
    std::deque<uhd::async_metadata_t::event_code_t> events_;
    size_t takes_ = SIZE_MAX, most_ = SIZE_MAX, collected_ = 0, waiting_ = 0;
};

class MockUsrp : public uhd::device {
public:
    inline static MockSettings next;
    inline static std::weak_ptr<MockUsrp> latest;

    explicit MockUsrp(const MockSettings& s) : settings(s) {
        _type = USRP;
        _tree = uhd::property_tree::make();
        const std::string board = "/mboards/0";
        node<std::string>("/name").set("mock");
        node<std::string>(board + "/name").set("mock");
        node<uhd::usrp::mboard_eeprom_t>(board + "/eeprom").set({});
        node<double>(board + "/tick_rate").set_coercer([this](double) { return settings.clock_hz; }).set(0);
        node<uhd::meta_range_t>(board + "/tick_rate/range").set({settings.clock_hz, settings.clock_hz});
        for (const std::string source : {"clock_source", "time_source"}) {
            node<std::string>(board + "/" + source + "/value").set("internal");
            node<std::vector<std::string>>(board + "/" + source + "/options").set({"internal", "external"});
        }
        node<uhd::sensor_value_t>(board + "/sensors/ref_locked")
            .set(uhd::sensor_value_t("Ref", settings.ref_locked, "locked", "unlocked"));
        node<uhd::time_spec_t>(board + "/time/now")
            .set_publisher([this] { return uhd::time_spec_t::from_ticks(settings.now, rate()); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { set_now.push_back(t); });
        node<uhd::time_spec_t>(board + "/time/pps")
            .set_publisher([this] { return uhd::time_spec_t(settings.pulses ? ++seconds : 0.0); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { set_at_pulse.push_back(t); });
        node<uhd::time_spec_t>(board + "/time/cmd").set(uhd::time_spec_t(0.0));
        build_gpio(board + "/gpio/FP0");
        build(board, "rx", 1);
        build(board, "tx", settings.tx_channels);
        if (settings.levels) {
            node<double>(kVrfTxReferenceNode).set(settings.levels->tx_dbm);
            node<double>(kVrfRxReferenceNode).set(settings.levels->rx_dbm);
            node<int>(kVrfConverterNode).set(settings.converter_bits);
        }
        if (settings.poll_descriptor) node<int>(kVrfPollNode).set(*settings.poll_descriptor);
        for (const auto& core : settings.cores) build_core(std::string(kVrfCoresNode) + "/" + core + "/");
        if (settings.gate_block)
            node<OpenRadioCore>(std::string("/blocks/0/burst_gate#0/") + kOpenCoreNode).set(settings.gate_block);
        if (settings.chunk == 0) return;
        node<std::pair<int64_t, uint64_t>>(kVrfCommitNode).add_coerced_subscriber([this](const auto& c) {
            commits.push_back(c);
        });
        node<std::pair<int64_t, int64_t>>(kVrfUnusedNode).add_coerced_subscriber([this](const auto& span) {
            unused.push_back(span);
        });
        node<std::string>(kVrfModeNode).set("commit");
        node<int>(kVrfChunkNode).set(settings.chunk);
    }
    uhd::rx_streamer::sptr get_rx_stream(const uhd::stream_args_t& args) override {
        rx->rate = rate();
        rx->args = args;
        rx->longest = settings.rx_packet;
        return rx;
    }
    uhd::tx_streamer::sptr get_tx_stream(const uhd::stream_args_t& args) override {
        ++tx_streams;
        tx_args = args;
        tx->channels = args.channels.size();
        return tx;
    }
    bool recv_async_msg(uhd::async_metadata_t&, double) override { return false; }

    double rate() { return value<double>("/mboards/0/rx_dsps/0/rate/value"); }
    template <typename T> T value(const std::string& path) { return _tree->access<T>(path).get(); }

    MockSettings settings;
    std::shared_ptr<MockRx> rx = std::make_shared<MockRx>();
    std::shared_ptr<MockTx> tx = std::make_shared<MockTx>();
    uhd::stream_args_t tx_args;
    int tx_streams = 0;
    std::vector<std::pair<int64_t, uint64_t>> commits;
    std::vector<std::pair<int64_t, int64_t>> unused;
    std::vector<uhd::time_spec_t> set_now, set_at_pulse;
    std::vector<std::pair<std::string, uint32_t>> gpio;  ///< registers of FP0 in the order they were written
    double seconds = 0;

private:
    template <typename T> uhd::property<T>& node(const std::string& path) { return _tree->create<T>(path); }
    /// Its registers hold twice their address until written; it repeats one packet.
    void build_core(const std::string& at) {
        auto registers = std::make_shared<std::map<uint32_t, uint32_t>>();
        const VrfCoreAccess access{
            .peek = [registers](uint32_t address) { return registers->emplace(address, 2 * address).first->second; },
            .poke = [registers](uint32_t address, uint32_t value) { (*registers)[address] = value; },
            .take =
                [](std::span<uint32_t> words) {
                    return std::tuple(std::min<size_t>(words.size(), 3), int64_t{12345}, true, true);
                },
            .order = [](std::span<const uint32_t> words) { return words.size() == 3; }};
        node<decltype(access.peek)>(at + "peek").set(access.peek);
        node<decltype(access.poke)>(at + "poke").set(access.poke);
        node<decltype(access.take)>(at + "take").set(access.take);
        node<decltype(access.order)>(at + "order").set(access.order);
    }
    void build_gpio(const std::string& bank) {
        using Words = std::vector<std::string>;
        const auto words = [&](const std::string& name, const std::string& zero, const std::string& one) {
            node<Words>(bank + "/" + name)
                .set(Words(32, zero))
                .add_coerced_subscriber([this, name, one](const Words& all) {
                    uint32_t mask = 0;
                    for (size_t i = 0; i < all.size(); ++i)
                        if (all[i] == one) mask |= uint32_t{1} << i;
                    gpio.emplace_back(name, mask);
                });
        };
        words("CTRL", "ATR", "GPIO");  // UHD 4.3 calls the bit for ATR so, and reads it back as 1
        words("DDR", "INPUT", "OUTPUT");
        for (const std::string name : {"OUT", "ATR_0X", "ATR_RX", "ATR_TX", "ATR_XX"})
            node<uint32_t>(bank + "/" + name).set(0x100).add_coerced_subscriber([this, name](uint32_t mask) {
                gpio.emplace_back(name, mask);
            });
    }
    void build(const std::string& board, const std::string& way, size_t channels) {
        node<uhd::usrp::subdev_spec_t>(board + "/" + way + "_subdev_spec")
            .set(uhd::usrp::subdev_spec_t(channels == 1 ? "A:0" : "A:0 A:1"));
        node<std::string>(board + "/" + way + "_codecs/A/name").set("codec");
        node<int>(board + "/" + way + "_codecs/A/gains");
        node<uhd::usrp::dboard_eeprom_t>(board + "/dboards/A/" + way + "_eeprom").set({});
        for (size_t channel = 0; channel < channels; ++channel) build_channel(board, way, channel);
    }
    void build_channel(const std::string& board, const std::string& way, size_t channel) {
        const std::string number = std::to_string(channel);
        const std::string dsp = board + "/" + way + "_dsps/" + number,
                          fe = board + "/dboards/A/" + way + "_frontends/" + number;
        uhd::meta_range_t rates;
        for (int factor = 512; factor >= 1; --factor) rates.push_back(uhd::range_t(settings.clock_hz / factor));
        node<uhd::meta_range_t>(dsp + "/rate/range").set(rates);
        node<double>(dsp + "/rate/value")
            .set_coercer([this](double hz) { return settings.clock_hz / std::round(settings.clock_hz / hz); })
            .set(1e6);
        const uhd::meta_range_t beside(-settings.dsp_hz, settings.dsp_hz);
        node<uhd::meta_range_t>(dsp + "/freq/range").set(beside);
        node<double>(dsp + "/freq/value").set_coercer([beside](double hz) { return beside.clip(hz); }).set(0.0);
        if (way == "rx") node<uhd::stream_cmd_t>(dsp + "/stream_cmd");
        node<std::string>(fe + "/name").set("mock");
        node<std::string>(fe + "/connection").set("IQ");
        node<bool>(fe + "/enabled").set(true);
        node<bool>(fe + "/use_lo_offset").set(false);
        const uhd::meta_range_t frequencies(50e6, 6e9);
        node<uhd::meta_range_t>(fe + "/freq/range").set(frequencies);
        node<double>(fe + "/freq/value")
            .set_coercer([this, frequencies, channel](double hz) {
                return frequencies.clip(hz) +
                       (channel == 0 ? settings.frequency_error_hz : settings.second_frequency_error_hz);
            })
            .set(1e9);
        const uhd::meta_range_t gains(0.0, way == "tx" ? 89.75 : 76.0, 0.25);
        node<uhd::meta_range_t>(fe + "/gains/PGA/range").set(gains);
        node<double>(fe + "/gains/PGA/value").set_coercer([gains](double db) { return gains.clip(db, true); }).set(0.0);
        node<uhd::meta_range_t>(fe + "/bandwidth/range").set({1e6, 56e6});
        node<double>(fe + "/bandwidth/value").set(56e6);
        node<std::vector<std::string>>(fe + "/antenna/options")
            .set(way == "tx" ? std::vector<std::string>{"TX/RX", "CAL"} : std::vector<std::string>{"TX/RX", "RX2"});
        node<std::string>(fe + "/antenna/value").set(way == "tx" ? "TX/RX" : "RX2");
        node<uhd::sensor_value_t>(fe + "/sensors/lo_locked")
            .set(uhd::sensor_value_t("LO", channel == 0 ? settings.lo_locked : settings.second_lo_locked, "locked",
                                     "unlocked"));
    }
};

}  // namespace gr::wimax::test
