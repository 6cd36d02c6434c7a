/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The virtual radio as a UHD device: type=vrf. UHD loads this module from a directory in UHD_MODULE_PATH, which must
 * hold nothing else. The property tree is what multi_usrp and gr-uhd ask of an ordinary (not RFNoC) USRP, plus nodes.h.
 */
#include <map>
#include <set>
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

#include "vrf/nodes.h"
#include "vrf/radio.h"
#include "vrf/streamers.h"

namespace wimax::vrf {
namespace {

using uhd::fs_path;
using uhd::meta_range_t;
using uhd::sensor_value_t;
using Strings = std::vector<std::string>;

const std::set<std::string> kOwnKeys = {"type", "addr", "name", "rate", "chunk", "mode", "tx_channels"};
// What UHD and gr-uhd add to, or merge into, any device's arguments.
const std::set<std::string> kUhdKeys = {
    "serial",          "product",         "master_clock_rate", "recv_frame_size", "send_frame_size",
    "num_recv_frames", "num_send_frames", "use_dpdk",          "driver",          "nchan"};

RadioOptions options_from(const uhd::device_addr_t& args) {
    std::string unknown;
    for (const auto& key : args.keys())
        if (!kOwnKeys.contains(key) && !kUhdKeys.contains(key)) unknown += (unknown.empty() ? "" : ", ") + key;
    if (!unknown.empty())
        throw uhd::key_error("vrf: unknown device argument " + unknown +
                             "; allowed are addr, name, rate, chunk, mode, " + "tx_channels");
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

class Device : public uhd::device {
public:
    explicit Device(const uhd::device_addr_t& args) {
        auto radio = Radio::open(options_from(args));
        if (!radio) throw uhd::runtime_error("vrf: " + radio.error().str());
        radio_ = std::move(*radio);
        name_ = args.get("name", "radio");
        _type = USRP;
        _tree = uhd::property_tree::make();
        _tree->create<std::string>("/name").set("wimax virtual radio");
        build_mainboard();
        build_time();
        build_dsp(false, 0);
        build_frontend(false, 0);
        for (size_t channel = 0; channel < radio_->tx_channels(); ++channel) {
            build_dsp(true, channel);
            build_frontend(true, channel);
        }
        build_own_nodes();
    }

    uhd::rx_streamer::sptr get_rx_stream(const uhd::stream_args_t& args) override {
        return make_rx_streamer(radio_, args);
    }
    uhd::tx_streamer::sptr get_tx_stream(const uhd::stream_args_t& args) override {
        return make_tx_streamer(radio_, args);
    }
    bool recv_async_msg(uhd::async_metadata_t& metadata, double timeout) override {
        return recv_async(*radio_, metadata, timeout);
    }

private:
    static constexpr const char* kMboard = "/mboards/0";

    template <typename T>
    uhd::property<T>& node(const std::string& path) {
        return _tree->create<T>(fs_path(path));
    }
    template <typename T, typename Getter>
    void reader(const std::string& path, Getter getter) {
        node<T>(path).set_publisher([getter] { return T(getter()); });
    }

    uhd::time_spec_t time(int64_t tick) const { return uhd::time_spec_t::from_ticks(tick, radio_->rate_hz()); }
    int64_t tick(const uhd::time_spec_t& time) const { return time.to_ticks(radio_->rate_hz()); }

    /// Frequency and gain act at the command time, if one is set and still to come.
    void tune(std::function<void(Tuning&)> change) {
        const auto at = _tree->access<uhd::time_spec_t>(fs_path(kMboard) / "time/cmd").get();
        radio_->tune(std::move(change), at == uhd::time_spec_t(0.0) ? std::nullopt : std::optional(tick(at)));
    }

    void build_mainboard() {
        const std::string board = kMboard;
        node<std::string>(board + "/name").set("vrf");
        uhd::usrp::mboard_eeprom_t eeprom;
        eeprom["serial"] = name_;
        eeprom["name"] = name_;
        node<uhd::usrp::mboard_eeprom_t>(board + "/eeprom").set(eeprom);
        node<double>(board + "/tick_rate")
            .set_coercer([this](double) { return radio_->rate_hz(); })
            .set(radio_->rate_hz());
        node<meta_range_t>(board + "/tick_rate/range").set(meta_range_t(radio_->rate_hz(), radio_->rate_hz()));
        for (const char* source : {"clock_source", "time_source"}) {
            node<std::string>(board + "/" + source + "/value").set("internal");
            node<Strings>(board + "/" + source + "/options").set({"internal", "external"});
        }
        reader<sensor_value_t>(board + "/sensors/ref_locked",
                               [this] { return sensor_value_t("Ref", radio_->attached(), "locked", "unlocked"); });
        for (const char* direction : {"rx", "tx"}) {
            node<uhd::usrp::subdev_spec_t>(board + "/" + direction + "_subdev_spec")
                .set(uhd::usrp::subdev_spec_t(direction == std::string("tx") && radio_->tx_channels() == 2 ? "A:0 A:1"
                                                                                                           : "A:0"));
            const std::string codec = board + "/" + direction + "_codecs/A";
            node<std::string>(codec + "/name").set("samples");
            node<int>(codec + "/gains");  // must exist, empty
        }
    }

    void build_time() {
        const std::string board = kMboard;
        node<uhd::time_spec_t>(board + "/time/now")
            .set_publisher([this] { return time(radio_->now()); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { radio_->set_now(tick(t)); });
        node<uhd::time_spec_t>(board + "/time/pps")
            .set_publisher([this] { return time(radio_->last_pps()); })
            .add_coerced_subscriber([this](const uhd::time_spec_t& t) { radio_->set_at_next_pps(tick(t)); });
        node<uhd::time_spec_t>(board + "/time/cmd").set(uhd::time_spec_t(0.0));
    }

    void build_dsp(bool tx, size_t channel) {
        const std::string dsp = std::string(kMboard) + (tx ? "/tx_dsps/" : "/rx_dsps/") + std::to_string(channel);
        const double rate = radio_->rate_hz();
        node<meta_range_t>(dsp + "/rate/range").set(meta_range_t(rate, rate));
        node<double>(dsp + "/rate/value").set_coercer([rate](double) { return rate; }).set(rate);
        node<meta_range_t>(dsp + "/freq/range").set(meta_range_t(0.0, 0.0));
        node<double>(dsp + "/freq/value").set_coercer([](double) { return 0.0; }).set(0.0);
        if (tx) return;
        node<uhd::stream_cmd_t>(dsp + "/stream_cmd").add_coerced_subscriber([this](const uhd::stream_cmd_t& cmd) {
            RxCommand command;
            command.mode = cmd.stream_mode == uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS ? RxCommand::Mode::start
                                                                                              : RxCommand::Mode::stop;
            if (!cmd.stream_now) command.tick = tick(cmd.time_spec);
            radio_->command(command);
        });
    }

    /// TX channels have gains of their own; their oscillator is one.
    void build_frontend(bool tx, size_t channel) {
        const std::string board = std::string(kMboard) + "/dboards/A";
        const std::string fe = board + (tx ? "/tx_frontends/" : "/rx_frontends/") + std::to_string(channel);
        if (channel == 0) node<uhd::usrp::dboard_eeprom_t>(board + (tx ? "/tx_eeprom" : "/rx_eeprom")).set({});
        node<std::string>(fe + "/name").set(tx ? "vrf TX" : "vrf RX");
        node<std::string>(fe + "/connection").set("IQ");
        node<bool>(fe + "/enabled").set(true);
        node<bool>(fe + "/use_lo_offset").set(false);
        const meta_range_t frequencies(kMinFrequencyHz, kMaxFrequencyHz);
        node<meta_range_t>(fe + "/freq/range").set(frequencies);
        node<double>(fe + "/freq/value")
            .set_coercer([frequencies](double hz) { return frequencies.clip(hz); })
            .add_coerced_subscriber([this, tx](double hz) {
                tune([tx, hz](Tuning& t) { (tx ? t.tx_frequency_hz : t.rx_frequency_hz) = hz; });
            })
            .set(tx ? radio_->tuning().tx_frequency_hz : radio_->tuning().rx_frequency_hz);
        const meta_range_t gains(0.0, tx ? kMaxTxGainDb : kMaxRxGainDb, kGainStepDb);
        node<meta_range_t>(fe + "/gains/PGA/range").set(gains);
        node<double>(fe + "/gains/PGA/value")
            .set_coercer([gains](double db) { return gains.clip(db, true); })
            .add_coerced_subscriber([this, tx, channel](double db) {
                tune([=](Tuning& t) { (tx ? t.tx_gain_db[channel] : t.rx_gain_db) = db; });
            })
            .set(0.0);
        node<meta_range_t>(fe + "/bandwidth/range").set(meta_range_t(radio_->rate_hz(), radio_->rate_hz()));
        node<double>(fe + "/bandwidth/value")
            .set_coercer([this](double) { return radio_->rate_hz(); })
            .set(radio_->rate_hz());
        node<Strings>(fe + "/antenna/options").set(tx ? Strings{"TX/RX"} : Strings{"TX/RX", "RX2"});
        node<std::string>(fe + "/antenna/value").set("TX/RX");
        node<sensor_value_t>(fe + "/sensors/lo_locked").set(sensor_value_t("LO", true, "locked", "unlocked"));
    }

    void build_own_nodes() {
        node<Commit>(kCommitNode)
            .set_publisher([this] { return radio_->committed(); })
            .add_coerced_subscriber([this](const Commit& c) { radio_->commit(c.first, c.second); });
        reader<std::string>(kModeNode, [this] { return to_string(radio_->mode()); });
        reader<int>(kChunkNode, [this] { return radio_->chunk_samples(); });
        reader<bool>(kAttachedNode, [this] { return radio_->attached(); });
        reader<double>(kTxReferenceNode, [this] { return radio_->tx_reference_dbm(); });
        reader<double>(kRxReferenceNode, [this] { return radio_->rx_reference_dbm(); });
        const std::string counters = std::string(kCountersNode) + "/";
        reader<uint64_t>(counters + "late", [this] { return radio_->counters().late; });
        reader<uint64_t>(counters + "underflow", [this] { return radio_->counters().underflow; });
        reader<uint64_t>(counters + "overflow", [this] { return radio_->counters().overflow; });
        reader<uint64_t>(counters + "bursts", [this] { return radio_->counters().bursts; });
        reader<uint64_t>(counters + "stalls", [this] { return radio_->counters().stalls; });
        reader<int64_t>(counters + "least_slack_samples", [this] { return radio_->counters().least_slack_samples; });
    }

    std::shared_ptr<Radio> radio_;
    std::string name_;
};

/// Never connects, and answers to its own type only: must not show up in, or be picked from, anybody's device list.
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
