// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/wake_ups.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace {

using wimax::stationd::WakeUps;
using namespace std::chrono_literals;

constexpr auto kPatience = 30s;  // only a hang takes that long

class Descriptor {
public:
    ~Descriptor() { close(fd_); }
    int fd() const { return fd_; }
    void ring() const { eventfd_write(fd_, 1); }
    void silence() const {
        eventfd_t count = 0;
        eventfd_read(fd_, &count);
    }

private:
    const int fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
};

TEST(WakeUps, WhatIsReadableIsOfItsStation) {
    WakeUps wake_ups(2);
    const std::array<Descriptor, 2> radios, requests;
    for (size_t i = 0; i < 2; ++i) {
        wake_ups.watch_radio(radios[i].fd(), i);
        wake_ups.watch_requests(requests[i].fd(), i);
    }
    wake_ups.watch_requests(-1, 1);
    for (unsigned readable = 1; readable < 16; ++readable) {
        for (size_t i = 0; i < 2; ++i) {
            if ((readable >> i & 1) != 0) radios[i].ring();
            if ((readable >> (2 + i) & 1) != 0) requests[i].ring();
        }
        for (int times = 0; times < 2; ++times) {  // still readable: at once
            wake_ups.wait(kPatience);
            for (size_t i = 0; i < 2; ++i) {
                EXPECT_EQ(wake_ups.sampled(i), (readable >> i & 1) != 0) << readable;
                EXPECT_EQ(wake_ups.requested(i), (readable >> (2 + i) & 1) != 0) << readable;
            }
        }
        for (size_t i = 0; i < 2; ++i) radios[i].silence(), requests[i].silence();
    }
}

TEST(WakeUps, WaitsWhenNothingIsReadable) {
    WakeUps wake_ups(1);
    const Descriptor radio;
    wake_ups.watch_radio(radio.fd(), 0);
    radio.ring();
    wake_ups.wait(kPatience);
    ASSERT_TRUE(wake_ups.sampled(0));
    radio.silence();
    const auto begin = std::chrono::steady_clock::now();
    wake_ups.wait(20ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 19ms);
    EXPECT_FALSE(wake_ups.sampled(0));
}

/// Radios are opened by other threads, and closed ones leave.
TEST(WakeUps, RadiosComeAndGoWhileTheThreadWaits) {
    WakeUps wake_ups(1);
    for (int times = 0; times < 3; ++times) {
        const Descriptor radio;
        std::thread opener([&] {
            wake_ups.watch_radio(radio.fd(), 0);
            radio.ring();
        });
        wake_ups.wait(kPatience);
        EXPECT_TRUE(wake_ups.sampled(0)) << times;
        opener.join();
    }
    wake_ups.wait(1ms);
    EXPECT_FALSE(wake_ups.sampled(0));
}

TEST(WakeUps, ADescriptorOfNoStationEndsTheWait) {
    WakeUps wake_ups(1);
    const Descriptor other;
    wake_ups.watch(other.fd());
    other.ring();
    const auto begin = std::chrono::steady_clock::now();
    wake_ups.wait(kPatience);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
    EXPECT_FALSE(wake_ups.requested(0));
    EXPECT_FALSE(wake_ups.sampled(0));
}

}  // namespace
