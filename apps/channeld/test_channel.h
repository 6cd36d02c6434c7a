// SPDX-License-Identifier: GPL-3.0-or-later
// A running channel in the test's process, and radios that attach to it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "channeld/server.h"
#include "common/scratch.h"
#include "vrf/radio.h"

namespace wimax::channeld {

using vrf::Sample;

constexpr double kTimeoutS = 20;

inline std::string address_for(const std::string& scheme) {
    static int count = 0;
    const std::string path = Scratch::path(std::to_string(count++));
    return scheme == "shm" ? path : "ipc://" + path;
}

/// A running channel; for its radios its destruction looks like a killed channel.
class Channel {
public:
    explicit Channel(ChannelConfig config) : config_(std::move(config)) {
        const auto opened = server_.open();
        EXPECT_TRUE(opened) << opened.error().str();
        if (opened) thread_ = std::thread([this] { server_.run([this] { return stop_.load(); }, -1); });
    }
    ~Channel() { join(); }
    /// Stops it and returns the last status.
    nlohmann::json join() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        return server_.report().json();
    }

private:
    ChannelConfig config_;
    std::atomic<bool> stop_{false};
    ControlServer control_;
    StatusWriter status_{false};
    Server server_{config_, control_, status_};
    std::thread thread_;
};

inline ChannelConfig test_config(const std::string& address, std::vector<std::string> wait_for) {
    ChannelConfig config;
    config.listen = {address};
    config.pace = Pace::free;
    config.hold = true;
    config.hash_s = 1e6;
    config.wait_for = std::move(wait_for);
    return config;
}

/// Attaches with gains at which a burst of full scale is received. Nothing if it cannot attach, which fails the test.
inline std::unique_ptr<vrf::Radio> open_radio(const std::string& address, const std::string& name) {
    vrf::RadioOptions options;
    options.address = address;
    vrf::copy_text(options.hello.name, name);
    auto radio = vrf::Radio::open(options);
    EXPECT_TRUE(radio) << (radio ? "" : radio.error().str());
    if (!radio) return nullptr;
    (*radio)->tune([](vrf::Tuning& t) { t.tx_gain_db[0] = 30, t.rx_gain_db = 30; });
    return std::move(*radio);
}

/// Waits for an event. The time limit only ends a test that has failed.
template <typename Condition> bool comes(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(kTimeoutS);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace wimax::channeld
