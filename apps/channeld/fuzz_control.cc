// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of clients to a running channel: each line of the input is a request, or the value of an existing key. Each
// gets a response, no link leaves its ranges, and the channel continues.
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "channeld/channel_control.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

constexpr uint32_t kChunk = 32;
constexpr std::array kKeys{"snr_db",     "path_loss_db",     "delay_samples", "cfo_hz",
                           "doppler_hz", "interference_dbm", "channel",       "log.channel"};

void require(bool condition) {
    if (!condition) std::abort();
}

/// A radio that is always attached and transmits nothing.
class Silent final : public vrf::RadioPort {
public:
    explicit Silent(const std::string& name) { vrf::copy_text(hello_.name, name); }
    const vrf::Hello& hello() const override { return hello_; }
    bool answer(const vrf::Welcome& welcome) override {
        tx_.index = welcome.first_index;
        return true;
    }
    bool alive() override { return true; }
    vrf::TxChunk front() override {
        tx_.streaming = 1;
        tx_.tx_frequency_hz = tx_.rx_frequency_hz = 3.5e9;
        tx_.sending = sending_ = !sending_;
        return {&tx_, samples_.data()};
    }
    void pop() override { tx_.index += kChunk; }
    vrf::RxChunk rx_chunk() override { return {&rx_, heard_.data()}; }
    void wake() override {}
    void push() override {
        for (const auto& sample : heard_) require(std::isfinite(sample.real()) && std::isfinite(sample.imag()));
    }

private:
    vrf::Hello hello_;
    vrf::TxHeader tx_;
    vrf::RxHeader rx_;
    bool sending_ = false;
    std::vector<vrf::Sample> samples_ = std::vector<vrf::Sample>(kChunk, 1), heard_ = samples_;
};

void require_ranges(const LinkConfig& link) {
    const auto within = [](double value, double low, double high) { require(value >= low && value <= high); };
    require(link.snr_db.has_value() != link.path_loss_db.has_value());
    within(link.snr_db.value_or(0), -30, 100);
    within(link.path_loss_db.value_or(0), 0, 250);
    within(link.delay_samples, 0, kMaxLinkDelaySamples);
    within(link.cfo_hz, -1e5, 1e5);
    within(link.doppler_hz.value_or(0), 0, channel::kMaxDopplerHz);
    within(link.interference.power_dbm.value_or(0), -200, 60);
}

/// The first octet of a line: the key whose value the rest is, or none.
std::string request_of(std::string_view line) {
    const auto what = static_cast<uint8_t>(line[0]);
    if (what < 128) return std::string(line);
    const std::string key = kKeys[what % kKeys.size()], value(line.substr(1));
    const bool flat = what & 64;
    if (key.starts_with("log.")) return R"({"set":{")" + key + R"(":)" + value + "}}";
    if (flat) return R"({"set":{"link":"a->b",")" + key + R"(":)" + value + "}}";
    return R"({"set":{"link":{"name":"b->a",")" + key + R"(":)" + value + "}}}";
}

/// A channel with two radios, made once: allocating its memory takes longer than all requests.
struct Running {
    Running() {
        for (const char* name : {"a", "b"}) scheduler.admit(std::make_unique<Silent>(name));
    }
    void restore() {
        for (const auto& link : scheduler.links()) link->change(config.links[0]);
    }
    static ChannelConfig both_ways() {
        ChannelConfig config;
        config.links[0].from = config.links[0].to = "*";
        config.sample_rate_hz = 1e5;
        config.chunk_samples = kChunk;
        config.pace = Pace::free;
        return config;
    }
    const ChannelConfig config = both_ways();
    Scheduler scheduler{config};
    const StatusReport report{config, scheduler};
    ControlServer control;
    ChannelControl answers{control, scheduler, report};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Running channel;
    channel.restore();
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    for (int requests = 0; !rest.empty() && requests < 16; ++requests) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.empty()) continue;
        const auto reply = nlohmann::json::parse(channel.control.answer(request_of(line)), nullptr, false);
        require(reply.is_object());
        for (const auto& link : channel.scheduler.links()) require_ranges(link->config());
        const double before = channel.scheduler.time_s();
        channel.scheduler.collect();
        for (int served = 0; served < 2; ++served) require(channel.scheduler.serve());
        require(channel.scheduler.time_s() > before);
    }
    return 0;
}
