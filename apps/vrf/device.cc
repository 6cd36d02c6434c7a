// SPDX-License-Identifier: GPL-3.0-or-later
// The virtual radio as a UHD device: type=vrf. UHD loads this module from a directory in UHD_MODULE_PATH, which must
// hold nothing else. The property tree has the nodes that multi_usrp and gr-uhd use in an ordinary (not RFNoC) USRP,
// plus nodes.h.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <uhd/device.hpp>
#include <uhd/exception.hpp>
#include <uhd/property_tree.hpp>
#include <uhd/types/ranges.hpp>
#include <uhd/types/sensors.hpp>
#include <uhd/usrp/dboard_eeprom.hpp>
#include <uhd/usrp/mboard_eeprom.hpp>
#include <uhd/usrp/subdev_spec.hpp>
#include <uhd/utils/log.hpp>
#include <uhd/utils/static.hpp>

#include "vrf/core_access.h"
#include "vrf/gpio_bank.h"
#include "vrf/model_clock.h"
#include "vrf/nodes.h"
#include "vrf/radio.h"
#include "vrf/streamers.h"

namespace wimax::vrf {
namespace {

using uhd::fs_path;
using uhd::meta_range_t;
using uhd::sensor_value_t;
using Strings = std::vector<std::string>;

constexpr int kCoreBits = 16;  // of the samples for cores

const std::set<std::string> kOwnKeys = {"type",        "addr",        "name",      "rate",  "chunk", "mode",
                                        "tx_channels", "personality", "opening_s", "fault", "fpga",  "cables"};
// Keys that UHD and gr-uhd add to, or merge into, any device's arguments.
const std::set<std::string> kUhdKeys = {"serial",          "product",         "master_clock_rate", "recv_frame_size",
                                        "send_frame_size", "num_recv_frames", "num_send_frames",   "use_dpdk",
                                        "driver",          "nchan",           "init_cals",         "tracking_cals",
                                        "force_reinit"};

RadioOptions options_from(const uhd::device_addr_t& args) {
    std::string unknown;
    for (const auto& key : args.keys())
        if (!kOwnKeys.contains(key) && !kUhdKeys.contains(key)) unknown += (unknown.empty() ? "" : ", ") + key;
    if (!unknown.empty())
        throw uhd::key_error(
            "vrf: unknown device argument " + unknown +
            "; allowed are addr, name, rate, chunk, mode, tx_channels, personality, opening_s, fault, fpga, cables");
    RadioOptions options;
    options.address = args.get("addr", kDefaultAddress);
    const std::string name = args.get("name", "radio");
    if (name.empty() || name.size() >= sizeof options.hello.name)
        throw uhd::value_error("vrf: name '" + name + "': 1 to 31 characters");
    copy_text(options.hello.name, name);
    options.hello.rate_hz = args.cast<double>("rate", 0);
    options.hello.chunk_samples = args.cast<uint32_t>("chunk", 0);
    const auto tx_channels = args.cast<size_t>("tx_channels", 1);
    if (tx_channels < 1 || tx_channels > kMaxTxChannels)
        throw uhd::value_error("vrf: tx_channels " + args["tx_channels"] + ": 1 to " + std::to_string(kMaxTxChannels));
    options.hello.tx_channels = uint8_t(tx_channels);
    if (args.has_key("mode")) {
        const auto mode = time_mode_from(args["mode"]);
        if (!mode) throw uhd::value_error("vrf: " + mode.error().str());
        options.hello.mode = *mode;
    }
    options.say = [name](const std::string& text) { UHD_LOG_WARNING("VRF", name << ": " << text); };
    return options;
}

template <typename T> T or_throw(tl::expected<T, Fault> got) {
    if (!got) throw uhd::runtime_error("vrf: " + got.error().str());
    return std::move(*got);
}

/// Opening ends with the requested fault.
void check_faults(const Personality& personality, const uhd::device_addr_t& args) {
    const std::string wanted = args.get("fault", "");
    std::string names;
    for (const auto& fault : personality.faults) {
        if (fault.name == wanted) throw uhd::runtime_error(fault.text);
        names += (names.empty() ? "" : ", ") + fault.name;
    }
    if (!wanted.empty()) throw uhd::value_error("vrf: fault " + wanted + ": allowed are " + names);
}

/// The host sets the number of frames if they are in its memory (USB); otherwise the buffers of sockets and of the
/// device are larger.
void set_habits(RadioOptions& options, const Personality& p, const uhd::device_addr_t& args) {
    const auto frames = [&](const char* key, size_t model) {
        return p.usb_version > 0 ? args.cast<size_t>(key, model) : model;
    };
    options.habits = {.late_packets = p.late_packets,
                      .tail_samples = p.tail_samples,
                      .frames = frames("num_send_frames", p.tx.frames),
                      .packet_samples = p.tx.packet_samples};
    options.rx_habits = {.frames = frames("num_recv_frames", p.rx.frames),
                         .jitter = std::chrono::duration<double, std::micro>(p.jitter_us),
                         .seed = std::hash<std::string>{}(options.hello.name)};
    options.event_delay_s = p.event_delay_us * 1e-6;
    options.restart_s = p.overflow_restart_ms * 1e-3;
}

/// Cores between the samples and the antenna, on the host's request.
std::shared_ptr<RadioCores> cores_from(const uhd::device_addr_t& args) {
    const std::string wanted = args.get("fpga", "0");
    if (wanted != "0" && wanted != "1") throw uhd::value_error("vrf: fpga " + wanted + ": 0 or 1");
    if (wanted == "0") return nullptr;
    if (args.cast<size_t>("tx_channels", 1) != 1) throw uhd::value_error("vrf: fpga 1: with tx_channels 1");
    return or_throw(make_cores());
}

/// Whether each antenna port has a cable, and not only the model's.
bool all_cabled(const uhd::device_addr_t& args) {
    const std::string cables = args.get("cables", "one");
    if (cables != "one" && cables != "all") throw uhd::value_error("vrf: cables " + cables + ": one or all");
    return cables == "all";
}

std::shared_ptr<DeviceState> open_host(const uhd::device_addr_t& args) {
    auto host = std::make_shared<DeviceState>();
    host->personality = or_throw(load_personality(args.get("personality", "ideal")));
    if (all_cabled(args)) host->personality.cabled_antenna.clear();
    auto options = options_from(args);
    options.rf = host->personality.rf;
    options.cores = host->cores = cores_from(args);
    set_habits(options, host->personality, args);
    check_faults(host->personality, args);
    auto radio = Radio::open(std::move(options));
    if (!radio && radio.error().allowed.starts_with(kUnplugged)) throw uhd::key_error("No devices found for ----->");
    host->radio = or_throw(std::move(radio));
    if (host->cores && host->radio->mode() != TimeMode::commit)
        throw uhd::value_error("vrf: fpga 1: in commit mode alone, as simulated cores are slower than real ones");
    std::this_thread::sleep_for(
        std::chrono::duration<double>(args.cast<double>("opening_s", host->personality.opening_s)));
    return host;
}

std::optional<double> clock_from(const uhd::device_addr_t& args) {
    if (!args.has_key("master_clock_rate")) return {};
    return args.cast<double>("master_clock_rate", 0);
}

class Device : public uhd::device {
public:
    explicit Device(const uhd::device_addr_t& args)
        : host_(open_host(args)),
          model_(host_->personality),
          clock_(or_throw(ModelClock::make(model_, host_->radio->rate_hz(), clock_from(args)))) {
        name_ = args.get("name", "radio");
        note_rates();
        _type = USRP;
        _tree = uhd::property_tree::make();
        _tree->create<std::string>("/name").set("wimax virtual radio");
        build_mainboard();
        build_time();
        build_dsp(false, 0);
        build_frontend(false, 0);
        for (size_t channel = 0; channel < host_->radio->tx_channels(); ++channel) {
            build_dsp(true, channel);
            build_frontend(true, channel);
        }
        build_own_nodes();
        build_cores();
        build_gpio();
    }

    uhd::rx_streamer::sptr get_rx_stream(const uhd::stream_args_t& args) override {
        host_->radio->set_wire_bits(false, wire_bits(args.otw_format));
        return make_rx_streamer(host_, args);
    }
    uhd::tx_streamer::sptr get_tx_stream(const uhd::stream_args_t& args) override {
        host_->radio->set_wire_bits(true, wire_bits(args.otw_format));
        return make_tx_streamer(host_, args);
    }
    bool recv_async_msg(uhd::async_metadata_t& metadata, double timeout) override {
        return recv_async(*host_->radio, host_->rate_hz[1], metadata, timeout);
    }

private:
    static constexpr const char* kMboard = "/mboards/0";

    template <typename T> uhd::property<T>& node(const std::string& path) { return _tree->create<T>(fs_path(path)); }
    template <typename T, typename Getter> void reader(const std::string& path, Getter getter) {
        node<T>(path).set_publisher([getter] { return T(getter()); });
    }

    uhd::time_spec_t time(int64_t tick) const { return uhd::time_spec_t::from_ticks(tick, host_->rate_hz[0]); }
    int64_t tick(const uhd::time_spec_t& time) const { return time.to_ticks(host_->rate_hz[0]); }

    /// Frequency and gain change at the command time, if one is set and in the future.
    void tune(std::function<void(Tuning&)> change) {
        const auto at = _tree->access<uhd::time_spec_t>(fs_path(kMboard) / "time/cmd").get();
        host_->radio->tune(std::move(change), at == uhd::time_spec_t(0.0) ? std::nullopt : std::optional(tick(at)));
    }

    void build_mainboard() {
        const std::string board = kMboard;
        node<std::string>(board + "/name").set(model_.board);
        uhd::usrp::mboard_eeprom_t eeprom;
        eeprom["serial"] = name_;
        eeprom["name"] = name_;
        node<uhd::usrp::mboard_eeprom_t>(board + "/eeprom").set(eeprom);
        build_clock(board);
        for (const char* source : {"clock_source", "time_source"}) {
            node<std::string>(board + "/" + source + "/value").set("internal");
            node<Strings>(board + "/" + source + "/options").set({"internal", "external"});
        }
        reader<sensor_value_t>(board + "/sensors/ref_locked",
                               [this] { return sensor_value_t("Ref", ref_locked(), "locked", "unlocked"); });
        if (model_.usb_version > 0) node<int>(board + "/usb_version").set(model_.usb_version);
        for (const char* direction : {"rx", "tx"}) {
            node<uhd::usrp::subdev_spec_t>(board + "/" + direction + "_subdev_spec")
                .set(uhd::usrp::subdev_spec_t(
                    direction == std::string("tx") && host_->radio->tx_channels() == 2 ? "A:0 A:1" : "A:0"));
            const std::string codec = board + "/" + direction + "_codecs/A";
            node<std::string>(codec + "/name").set("samples");
            node<int>(codec + "/gains");  // must exist, empty
        }
    }

    bool ref_locked() const {
        const bool internal = _tree->access<std::string>(fs_path(kMboard) / "clock_source/value").get() == "internal";
        return host_->radio->attached() && (!internal || model_.internal_ref_locked);
    }

    void build_clock(const std::string& board) {
        node<double>(board + "/tick_rate")
            .set_coercer([this](double hz) { return set_clock(hz); })
            .set_publisher([this] { return clock_.clock_hz(); });
        meta_range_t range;
        if (clock_.any_between()) range.push_back(uhd::range_t(clock_.clocks_hz().front(), clock_.clocks_hz().back()));
        else
            for (const double hz : clock_.clocks_hz()) range.push_back(uhd::range_t(hz));
        node<meta_range_t>(board + "/tick_rate/range").set(range);
    }

    /// "overflow", "overflow 5000": a fault, and its duration in samples.
    void inject(const std::string& what) {
        std::istringstream words(what);
        std::string name;
        size_t samples = 0;
        words >> name >> samples;
        const auto at = std::find(kRadioFaultNames.begin(), kRadioFaultNames.end(), name);
        if (at == kRadioFaultNames.end()) throw uhd::value_error("vrf: inject '" + what + "': no such fault");
        host_->radio->inject(RadioFault(at - kRadioFaultNames.begin()), samples);
    }

    double set_clock(double hz) {
        const double got = clock_.set_clock(hz);
        note_rates();
        return got;
    }
    double set_rate(bool tx, double hz) {
        clock_.set_rate(tx, hz);
        note_rates();
        return clock_.rate_hz(tx);
    }
    /// Rate of streams and times.
    void note_rates() {
        for (const bool tx : {false, true}) host_->rate_hz[tx] = clock_.rate_hz(tx);
        host_->clock_hz = clock_.clock_hz();
        host_->radio->tune([tx = clock_.cic_alone(true), rx = clock_.cic_alone(false)](Tuning& t) {
            t.tx_cic_alone = tx;
            t.rx_cic_alone = rx;
        });
    }

    void build_time() {
        const std::string board = kMboard;
        node<uhd::time_spec_t>(board + "/time/now")
            .set_publisher([this] { return time(host_->radio->now()); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { host_->radio->set_now(tick(t)); });
        node<uhd::time_spec_t>(board + "/time/pps")
            .set_publisher([this] { return time(host_->radio->last_pps()); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { host_->radio->set_at_next_pps(tick(t)); });
        node<uhd::time_spec_t>(board + "/time/cmd").set(uhd::time_spec_t(0.0));
    }

    /// The nearest frequency of the DSP's mixer: its phase has 32 bits, at the master clock.
    double shift_of(double hz) const {
        const double step = clock_.clock_hz() / 0x1p32, most = clock_.clock_hz() / 2;
        return std::round(std::clamp(hz, -most, most) / step) * step;
    }
    /// Oscillator and DSP together, with the signs of multi_usrp.
    void retune(bool tx) {
        const double lo_hz = lo_hz_[tx], hz = lo_hz + (tx ? shift_hz_[tx] : -shift_hz_[tx]);
        tune([=](Tuning& t) {
            double& frequency_hz = tx ? t.tx_frequency_hz : t.rx_frequency_hz;
            double& offset_hz = tx ? t.tx_lo_offset_hz : t.rx_lo_offset_hz;
            frequency_hz = hz;
            offset_hz = lo_hz - hz;
        });
    }
    double on_grid(double hz) const {
        return model_.lo_step_hz > 0 ? std::round(hz / model_.lo_step_hz) * model_.lo_step_hz : hz;
    }

    void build_dsp(bool tx, size_t channel) {
        const std::string dsp = std::string(kMboard) + (tx ? "/tx_dsps/" : "/rx_dsps/") + std::to_string(channel);
        node<meta_range_t>(dsp + "/rate/range").set_publisher([this] {
            meta_range_t range;
            for (const double hz : clock_.rates_hz()) range.push_back(uhd::range_t(hz));
            return range;
        });
        node<double>(dsp + "/rate/value")
            .set_coercer([this, tx](double hz) { return set_rate(tx, hz); })
            .set_publisher([this, tx] { return clock_.rate_hz(tx); });
        node<meta_range_t>(dsp + "/freq/range").set_publisher([this] {
            return meta_range_t(-clock_.clock_hz() / 2, clock_.clock_hz() / 2);
        });
        node<double>(dsp + "/freq/value")
            .set_coercer([this](double hz) { return shift_of(hz); })
            .add_coerced_subscriber([this, tx](double hz) {
                shift_hz_[tx] = hz;
                retune(tx);
            })
            .set(0.0);
        if (tx) return;
        node<uhd::stream_cmd_t>(dsp + "/stream_cmd").add_coerced_subscriber([this](const uhd::stream_cmd_t& cmd) {
            RxCommand command;
            command.mode = cmd.stream_mode == uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS ? RxCommand::Mode::start
                                                                                              : RxCommand::Mode::stop;
            if (!cmd.stream_now) command.tick = tick(cmd.time_spec);
            host_->radio->command(command);
        });
    }

    /// TX channels have separate gains but one oscillator.
    void build_frontend(bool tx, size_t channel) {
        const std::string board = std::string(kMboard) + "/dboards/A";
        const std::string fe = board + (tx ? "/tx_frontends/" : "/rx_frontends/") + std::to_string(channel);
        if (channel == 0) node<uhd::usrp::dboard_eeprom_t>(board + (tx ? "/tx_eeprom" : "/rx_eeprom")).set({});
        node<std::string>(fe + "/name").set(tx ? "vrf TX" : "vrf RX");
        node<std::string>(fe + "/connection").set("IQ");
        node<bool>(fe + "/enabled").set(true);
        node<bool>(fe + "/use_lo_offset").set(false);
        const meta_range_t frequencies(model_.min_frequency_hz, model_.max_frequency_hz);
        node<meta_range_t>(fe + "/freq/range").set(frequencies);
        node<double>(fe + "/freq/value")
            .set_coercer([this, frequencies](double hz) { return on_grid(frequencies.clip(hz)); })
            .add_coerced_subscriber([this, tx](double hz) {
                tuned_[tx] = std::chrono::steady_clock::now();
                lo_hz_[tx] = hz;
                retune(tx);
            })
            .set(tx ? host_->radio->tuning().tx_frequency_hz : host_->radio->tuning().rx_frequency_hz);
        const DirectionModel& direction = tx ? model_.tx : model_.rx;
        const meta_range_t gains(direction.min_gain_db, direction.max_gain_db, direction.gain_step_db);
        const double tx_offset_db = kMaxTxGainDb - direction.max_gain_db;  // the channel's power is defined at the
                                                                           // highest gain
        node<meta_range_t>(fe + "/gains/PGA/range").set(gains);
        node<double>(fe + "/gains/PGA/value")
            .set_coercer([gains](double db) { return gains.clip(db, true); })
            .add_coerced_subscriber([this, tx, channel, tx_offset_db](double db) {
                tune([=](Tuning& t) { (tx ? t.tx_gain_db[channel] : t.rx_gain_db) = tx ? db + tx_offset_db : db; });
            })
            .set(direction.min_gain_db);
        node<meta_range_t>(fe + "/bandwidth/range").set(meta_range_t(host_->radio->rate_hz(), host_->radio->rate_hz()));
        node<double>(fe + "/bandwidth/value")
            .set_coercer([this](double) { return host_->radio->rate_hz(); })
            .set(host_->radio->rate_hz());
        node<Strings>(fe + "/antenna/options").set(direction.antennas);
        node<std::string>(fe + "/antenna/value")
            .add_coerced_subscriber([this, tx](const std::string& port) {
                const bool cabled = model_.cabled_antenna.empty() || port == model_.cabled_antenna;
                const bool of_transmitter = port == model_.tx.antenna;
                tune([=](Tuning& t) {
                    if (tx) {
                        t.tx_connected = cabled;
                    } else {
                        t.rx_connected = cabled;
                        t.rx_behind_switch = of_transmitter;
                    }
                });
            })
            .set(direction.antenna);
        reader<sensor_value_t>(fe + "/sensors/lo_locked",
                               [this, tx] { return sensor_value_t("LO", settled(tx), "locked", "unlocked"); });
    }

    void build_gpio() {
        if (model_.gpio_bank.empty()) return;
        const std::string bank = std::string(kMboard) + "/gpio/" + model_.gpio_bank;
        build_gpio_bank(*_tree, bank);
        reader<LineLevels>(kLinesNode, [this, bank] { return line_levels(*_tree, bank, host_->radio->tx_runs()); });
    }

    void build_cores() {
        if (!host_->cores) return;
        for (auto& core : host_->cores->access()) {
            const std::string at = std::string(kCoresNode) + "/" + core.block + "/";
            node<CorePeek>(at + "peek").set(std::move(core.peek));
            node<CorePoke>(at + "poke").set(std::move(core.poke));
            node<CoreTake>(at + "take").set([take = std::move(core.take)](std::span<uint32_t> words) {
                const CorePacket packet = take(words);
                return std::tuple(packet.words, packet.time, packet.has_time, packet.end_of_burst);
            });
            node<CoreOrder>(at + "order").set(std::move(core.order));
        }
    }

    bool settled(bool tx) const {
        return std::chrono::steady_clock::now() - tuned_[tx].load() >=
               std::chrono::duration<double, std::milli>(model_.lo_settle_ms);
    }

    void build_own_nodes() {
        node<bool>(kUnplugNode)
            .add_coerced_subscriber([this](bool out) {
                if (out) host_->radio->inject(RadioFault::unplug, 0);
            })
            .set(false);
        node<std::string>(kInjectNode).add_coerced_subscriber([this](const std::string& what) { inject(what); });
        node<Commit>(kCommitNode)
            .set_publisher([this] { return host_->radio->committed(); })
            .add_coerced_subscriber([this](const Commit& c) { host_->radio->commit(c.first, c.second); });
        reader<std::string>(kModeNode, [this] { return to_string(host_->radio->mode()); });
        reader<int>(kChunkNode, [this] { return host_->radio->chunk_samples(); });
        reader<bool>(kAttachedNode, [this] { return host_->radio->attached(); });
        reader<int>(kPollNode, [this] { return host_->radio->poll_descriptor(); });
        node<Span>(kUnusedNode).add_coerced_subscriber([this](const Span& s) {
            host_->radio->skip(s.first, s.second);
        });
        reader<double>(kTxReferenceNode, [this] { return host_->radio->tx_reference_dbm(); });
        reader<double>(kRxReferenceNode, [this] { return host_->radio->rx_reference_dbm(); });
        reader<int>(kConverterNode,
                    [this] { return model_.rf.tx.bits == 0 && host_->cores ? kCoreBits : model_.rf.tx.bits; });
        const std::string counters = std::string(kCountersNode) + "/";
        reader<uint64_t>(counters + "late", [this] { return host_->radio->counters().late; });
        reader<uint64_t>(counters + "underflow", [this] { return host_->radio->counters().underflow; });
        reader<uint64_t>(counters + "overflow", [this] { return host_->radio->counters().overflow; });
        reader<uint64_t>(counters + "bursts", [this] { return host_->radio->counters().bursts; });
        reader<uint64_t>(counters + "tx_clipped", [this] { return host_->radio->counters().tx_clipped; });
        reader<uint64_t>(counters + "rx_clipped", [this] { return host_->radio->counters().rx_clipped; });
        reader<uint64_t>(counters + "stalls", [this] { return host_->radio->counters().stalls; });
        reader<int64_t>(counters + "least_slack_samples",
                        [this] { return host_->radio->counters().least_slack_samples; });
    }

    std::shared_ptr<DeviceState> host_;
    const Personality& model_;
    ModelClock clock_;
    std::array<std::atomic<std::chrono::steady_clock::time_point>, 2> tuned_{};  ///< RX, TX
    std::array<double, 2> lo_hz_{3.5e9, 3.5e9}, shift_hz_{};                     ///< RX, TX: oscillator; DSP
    std::string name_;
};

/// Never connects, and is found by its type only: it must not appear in any other device list or be chosen from one.
uhd::device_addrs_t find(const uhd::device_addr_t& hint) {
    if (hint.get("type", "") != "vrf") return {};
    uhd::device_addr_t found;  // stable keys only: UHD shares one device per found address
    found["type"] = "vrf";
    found["addr"] = hint.get("addr", kDefaultAddress);
    found["name"] = hint.get("name", "radio");
    return {found};
}

uhd::device::sptr make(const uhd::device_addr_t& args) { return std::make_shared<Device>(args); }

}  // namespace

UHD_STATIC_BLOCK(register_vrf) { uhd::device::register_device(&find, &make, uhd::device::USRP); }

}  // namespace wimax::vrf
