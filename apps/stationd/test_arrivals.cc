// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/arrivals.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

namespace {

using wimax::stationd::Arrivals;
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

TEST(Arrivals, SamplesAreThoseOfTheStationThatWasToldOnce) {
    Arrivals arrivals(3);
    arrivals.tell(1);
    arrivals.tell(1);
    arrivals.wait(kPatience);
    EXPECT_FALSE(arrivals.samples(0));
    EXPECT_TRUE(arrivals.samples(1));
    EXPECT_FALSE(arrivals.samples(1));
    EXPECT_FALSE(arrivals.samples(2));
}

TEST(Arrivals, WaitsWhenEverythingWasTaken) {
    Arrivals arrivals(1);
    arrivals.tell(0);
    arrivals.wait(kPatience);
    ASSERT_TRUE(arrivals.samples(0));
    const auto begin = std::chrono::steady_clock::now();
    arrivals.wait(20ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 19ms);
    EXPECT_FALSE(arrivals.samples(0));
}

/// What is told between the end of a wait and the question is not lost, whatever the order of the two.
TEST(Arrivals, ASecondReportWakesAgain) {
    Arrivals arrivals(2);
    for (int i = 0; i < 3; ++i) {
        arrivals.tell(0);
        arrivals.wait(kPatience);
        arrivals.tell(1);  // the first one was not asked for yet
        EXPECT_TRUE(arrivals.samples(0));
        arrivals.wait(kPatience);
        EXPECT_TRUE(arrivals.samples(1));
    }
}

/// Each report of the other thread is seen before the next: a lost one would stop both for ever.
TEST(Arrivals, NoReportOfAnotherThreadIsLost) {
    constexpr int kReports = 20000;
    Arrivals arrivals(2);
    std::atomic<int> seen{0};
    std::thread teller([&] {
        for (int i = 0; i < kReports; ++i) {
            arrivals.tell(size_t(i % 2));
            while (seen.load() <= i) std::this_thread::yield();
        }
    });
    const auto begin = std::chrono::steady_clock::now();
    while (seen < kReports && std::chrono::steady_clock::now() - begin < kPatience) {
        arrivals.wait(1s);
        for (size_t station = 0; station < 2; ++station)
            if (arrivals.samples(station)) ++seen;
    }
    EXPECT_EQ(seen, kReports);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
    seen = kReports;
    teller.join();
}

TEST(Arrivals, ARequestIsOfTheStationWithTheDescriptor) {
    Arrivals arrivals(2);
    const Descriptor first, second;
    arrivals.watch(first.fd(), 0);
    arrivals.watch(second.fd(), 1);
    arrivals.watch(-1, 1);
    second.ring();
    arrivals.wait(kPatience);
    EXPECT_FALSE(arrivals.requested(0));
    EXPECT_TRUE(arrivals.requested(1));
    arrivals.wait(kPatience);  // still readable: at once
    EXPECT_TRUE(arrivals.requested(1));
    eventfd_t count = 0;
    eventfd_read(second.fd(), &count);
    arrivals.wait(1ms);
    EXPECT_FALSE(arrivals.requested(1));
}

TEST(Arrivals, ADescriptorOfNoStationEndsTheWait) {
    Arrivals arrivals(1);
    const Descriptor other;
    arrivals.watch(other.fd());
    other.ring();
    const auto begin = std::chrono::steady_clock::now();
    arrivals.wait(kPatience);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
    EXPECT_FALSE(arrivals.requested(0));
    EXPECT_FALSE(arrivals.samples(0));
}

}  // namespace
