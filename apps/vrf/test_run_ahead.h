// SPDX-License-Identifier: GPL-3.0-or-later
// A radio of the test, whose channel is the test: it responds to chunks on request only.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/scratch.h"
#include "vrf/radio.h"

namespace wimax::vrf::run_ahead {

using namespace std::chrono_literals;
inline constexpr uint32_t kChunk = 1000;
using Clock = std::chrono::steady_clock;
inline constexpr auto kLimit = 20s;

/// Waits for an event. The limit only ends a test that has failed.
template <typename Condition> bool comes(const Condition& condition) {
    const auto deadline = Clock::now() + kLimit;
    while (!condition()) {
        if (Clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

/// A thread as the host. If it never ends, the program ends as failed instead of hanging.
class Host {
public:
    template <typename Work>
    explicit Host(Work work)
        : thread_([this, work] {
              work();
              ended_ = true;
          }) {}
    Host(const Host&) = delete;
    ~Host() { end(); }
    void end() {
        if (!thread_.joinable()) return;
        if (!comes([this] { return ended_.load(); })) {
            ADD_FAILURE() << "the host waits for ever";
            std::fflush(nullptr);
            std::_Exit(1);
        }
        thread_.join();
    }

private:
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

/// A channel of one radio that responds only on request, and the radio's wall clock.
class RunAhead : public ::testing::Test {
protected:
    RunAhead() { welcome_.hold = 1; }  // time does not run before the test's first promise
    void SetUp() override {
        const std::string address = wimax::Scratch::path("air");
        auto listener = listen(address);
        ASSERT_TRUE(listener) << listener.error().str();
        listener_ = std::move(*listener);
        std::string fault;
        std::atomic<bool> opened{false};
        std::thread opening([&] {
            RadioOptions options;
            options.address = address;
            options.wall = [this] {
                ++looks_;
                return Clock::time_point(Clock::duration(wall_));
            };
            options.say = [this](const std::string& words) {
                const std::lock_guard lock(said_mutex_);
                said_ += words + '\n';
            };
            copy_text(options.hello.name, "bs");
            if (auto radio = Radio::open(options)) radio_ = std::move(*radio);
            else fault = radio.error().str();
            opened = true;
        });
        welcome_.accepted = 1;
        welcome_.rate_hz = 1e6;
        welcome_.chunk_samples = kChunk;
        welcome_.tx_power_dbm = 30;
        welcome_.rx_full_scale_dbm = -20;
        while (!opened) {  // it retries if the response is slow
            for (auto& port : listener_->process()) {
                port_ = std::move(port);
                EXPECT_TRUE(port_->answer(welcome_));
            }
            std::this_thread::yield();
        }
        opening.join();
        ASSERT_TRUE(radio_) << fault;
    }
    void TearDown() override {
        radio_.reset();
        port_.reset();
        listener_.reset();
        next_ = answered_ = 0;
    }

    void stream() { radio_->command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 0}); }
    /// Reads at most `count` TX chunks and checks their order; returns their number.
    size_t take(size_t count) {
        size_t taken = 0;
        while (taken < count && comes([this] { return bool(port_->front()); })) {
            take_front();
            ++taken;
        }
        return taken;
    }
    /// Ends the radio's worker, which first sends what it may; returns the number of remaining chunks.
    size_t left() {
        radio_.reset();
        size_t taken = 0;
        for (; port_->front(); ++taken) take_front();
        return taken;
    }
    /// Waits until the radio has it: everything that it could send before is sent.
    void answer() {
        auto chunk = port_->rx_chunk();
        ASSERT_TRUE(chunk);
        chunk.header->index = answered_;
        chunk.header->lost_tx_chunks = 0;
        answered_ += kChunk;
        port_->push();
        port_->wake();
        ASSERT_TRUE(comes([this] { return radio_->now() >= answered_; }));
    }
    /// Advances the wall clock, and waits until every waiting thread has read it.
    void pass(std::chrono::nanoseconds time) {
        wall_ += time.count();
        const uint64_t looks = looks_;
        ASSERT_TRUE(comes([&] { return looks_ >= looks + 3; }));
    }

    void answer_again(const Welcome& welcome) {
        ASSERT_TRUE(comes([&] {
            for (auto& port : listener_->process()) port_ = std::move(port);
            return port_ != nullptr && port_->answer(welcome);
        }));
    }
    std::string said() {
        const std::lock_guard lock(said_mutex_);
        return said_;
    }

    Welcome welcome_;
    std::mutex said_mutex_;
    std::string said_;  // reports of the radio
    std::unique_ptr<Listener> listener_;
    std::unique_ptr<RadioPort> port_;
    std::unique_ptr<Radio> radio_;
    std::atomic<int64_t> wall_{std::chrono::nanoseconds(1h).count()};
    std::atomic<uint64_t> looks_{0};
    int64_t next_ = 0, answered_ = 0;
    bool last_silent_ = false;
    Sample last_first_;

private:
    void take_front() {
        const auto chunk = port_->front();
        EXPECT_EQ(chunk.header->index, next_);
        next_ = chunk.header->index + kChunk;
        last_silent_ = chunk.header->sending == 0;
        last_first_ = chunk.samples[0];
        port_->pop();
    }
};

}  // namespace wimax::vrf::run_ahead
