// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/wake_ups.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

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

private:
    const int fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
};

TEST(WakeUps, SamplesAreThoseOfTheStationThatReported) {
    WakeUps wake_ups(3);
    wake_ups.report(1);
    wake_ups.report(1);
    wake_ups.wait(kPatience);
    EXPECT_FALSE(wake_ups.samples(0));
    EXPECT_TRUE(wake_ups.samples(1));
    EXPECT_FALSE(wake_ups.samples(1));
    EXPECT_FALSE(wake_ups.samples(2));
}

TEST(WakeUps, WaitsWhenEverythingWasTaken) {
    WakeUps wake_ups(1);
    wake_ups.report(0);
    wake_ups.wait(kPatience);
    ASSERT_TRUE(wake_ups.samples(0));
    const auto begin = std::chrono::steady_clock::now();
    wake_ups.wait(20ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 19ms);
    EXPECT_FALSE(wake_ups.samples(0));
}

/// A report between the end of a wait and the question is not lost, whatever the order of the two.
TEST(WakeUps, ASecondReportWakesAgain) {
    WakeUps wake_ups(2);
    for (int i = 0; i < 3; ++i) {
        wake_ups.report(0);
        wake_ups.wait(kPatience);
        wake_ups.report(1);  // the first one was not asked for yet
        EXPECT_TRUE(wake_ups.samples(0));
        wake_ups.wait(kPatience);
        EXPECT_TRUE(wake_ups.samples(1));
    }
}

/// Each report of the other thread is seen before the next: a lost one would stop both for ever.
TEST(WakeUps, NoReportOfAnotherThreadIsLost) {
    constexpr int kReports = 20000;
    WakeUps wake_ups(2);
    std::atomic<int> seen{0};
    std::thread teller([&] {
        for (int i = 0; i < kReports; ++i) {
            wake_ups.report(size_t(i % 2));
            while (seen.load() <= i) std::this_thread::yield();
        }
    });
    const auto begin = std::chrono::steady_clock::now();
    while (seen < kReports && std::chrono::steady_clock::now() - begin < kPatience) {
        wake_ups.wait(1s);
        for (size_t station = 0; station < 2; ++station)
            if (wake_ups.samples(station)) ++seen;
    }
    EXPECT_EQ(seen, kReports);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
    seen = kReports;
    teller.join();
}

TEST(WakeUps, ARequestIsOfTheStationWithTheDescriptor) {
    WakeUps wake_ups(2);
    const Descriptor first, second;
    wake_ups.watch(first.fd(), 0);
    wake_ups.watch(second.fd(), 1);
    wake_ups.watch(-1, 1);
    second.ring();
    wake_ups.wait(kPatience);
    EXPECT_FALSE(wake_ups.requested(0));
    EXPECT_TRUE(wake_ups.requested(1));
    wake_ups.wait(kPatience);  // still readable: at once
    EXPECT_TRUE(wake_ups.requested(1));
    eventfd_t count = 0;
    eventfd_read(second.fd(), &count);
    wake_ups.wait(1ms);
    EXPECT_FALSE(wake_ups.requested(1));
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
    EXPECT_FALSE(wake_ups.samples(0));
}

}  // namespace
