// SPDX-License-Identifier: GPL-3.0-or-later
// Front ends on virtual radios that are as unforgiving as USRPs (personalities), at both ends of a channel.
#pragma once

#include <gnuradio/wimax/radio_frontend.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/child_process.h"
#include "common/scratch.h"

namespace wimax::test {

using gr::wimax::RadioConfig;
using gr::wimax::RadioFrontend;
using Samples = std::vector<std::complex<float>>;

constexpr int64_t kPromised = int64_t{1} << 40;  ///< all that a test sends lies before it
constexpr size_t kSymbol = 288;

/// A channel without noise to speak of that waits for both radios, and front ends at its ends.
class RadioModels : public testing::Test {
protected:
    void start_channel(double rate_hz, const char* time = "pace: free, hold: true, wait_for: [bs, ss]") {
        const std::filesystem::path folder =
            Scratch::path(testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder);
        address_ = (folder / "channel").string();
        std::ofstream(folder / "channel.yml")
            << "listen: [" << address_ << "]\nsample_rate_hz: " << std::to_string(rate_hz) << "\ntime: { " << time
            << " }\ncontrol: { endpoint: \"\" }\n"
            << "defaults: { noise_figure_db: 0 }\nstatus: { console: false }\n"
            << "links: [{ from: bs, to: ss, both: true, path_loss_db: 40 }]\n";
        setenv("UHD_LOG_CONSOLE_LEVEL", "off", 1);
        rate_hz_ = rate_hz;
        channel_ = std::make_unique<ChildProcess>(
            folder / "channel.log",
            std::vector<std::string>{WIMAX_CHANNELD, "--config", (folder / "channel.yml").string()});
    }
    RadioConfig config(const std::string& name, const std::string& personality) const {
        RadioConfig c;
        c.device_args = "type=vrf,opening_s=0,name=" + name + ",addr=" + address_ + ",personality=" + personality;
        c.sample_rate_hz = rate_hz_;
        c.start_delay_s = 0.05;
        c.lock_timeout_s = 0.5;
        c.tx_gain_db = personality == "ideal" ? std::min(tx_gain_db, 60.0) : tx_gain_db;  // its highest
        c.rx_gain_db = 22;
        c.headroom_db = 12;
        c.limits.enable = true;
        c.limits.allowed_bands = {{0, 1e11}};
        c.limits.max_power_dbm = gr::wimax::kMaxPowerLimitDbm;
        c.limits.longest_burst_ms = gr::wimax::kMaxBurstMs;
        c.limits.max_duty_cycle = 1;
        return c;
    }
    void open(const std::string& personality) {
        for (auto [radio, name] : {std::pair{&bs, "bs"}, {&ss, "ss"}}) {
            auto c = config(name, personality);
            c.burst_edge_samples = edge;
            c.amplifier = amplifier;
            c.limits.longest_burst_ms = longest_burst_ms;
            if (adjust) adjust(name, c);
            *radio = RadioFrontend::open(c);
        }
    }
    /// Samples that the subscriber receives after the base station has sent; `samples` from the first on.
    Samples hear(size_t samples) {
        ss->start();
        bs->commit(kPromised);
        ss->commit(kPromised);
        Samples heard, packet(100'000);
        while (heard.size() < samples) {
            const auto r = ss->receive(packet, 10);
            if (r.timed_out || r.samples == 0) break;
            longest_packet = std::max(longest_packet, r.samples);
            heard.insert(heard.end(), packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(r.samples));
        }
        return heard;
    }
    /// The subscriber, until that sample.
    bool listen_until(int64_t sample) {
        ss->start();
        ss->commit(kPromised);
        for (Samples packet(100'000); ss->now() < sample;)
            if (ss->receive(packet, 10).timed_out) return false;
        return true;
    }
    bool send(int64_t start, const Samples& x) { return bs->transmit(start, x).has_value(); }

    std::unique_ptr<ChildProcess> channel_;
    std::string address_;
    double rate_hz_ = 0;
    std::shared_ptr<RadioFrontend> bs, ss;
    std::function<void(const std::string& name, RadioConfig&)> adjust;  ///< before it is opened
    size_t longest_packet = 0;
    int edge = RadioConfig{}.burst_edge_samples;
    double tx_gain_db = 65;
    gr::wimax::AmplifierLine amplifier;
    double longest_burst_ms = gr::wimax::kMaxBurstMs;
};

}  // namespace wimax::test
