// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/realtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace wimax {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

int priority_of(pid_t thread) {
    sched_param parameters{};
    ::sched_getparam(thread, &parameters);
    return ::sched_getscheduler(thread) == SCHED_FIFO ? parameters.sched_priority : 0;
}

std::vector<int> cpus_of(pid_t thread) {
    cpu_set_t set;
    ::sched_getaffinity(thread, sizeof set, &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<size_t>(cpu), &set)) cpus.push_back(cpu);
    return cpus;
}

size_t locked_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmLck:")) return std::stoul(line.substr(6));
    return 0;
}

/// Waits to be asked, as a thread of some library.
class Worker {
public:
    explicit Worker(const std::function<void()>& first)
        : thread_([this, first] {
              first();
              id_.set_value(::gettid());
              end_.get_future().wait();
          }) {}
    ~Worker() {
        end_.set_value();
        thread_.join();
    }
    pid_t id() { return known_ ? known_ : known_ = id_.get_future().get(); }

private:
    std::promise<pid_t> id_;
    std::promise<void> end_;
    pid_t known_ = 0;
    std::thread thread_;
};

/// Runs `work` in a separate process, so that its effects end with it. The last line reports failures of the child.
void in_child(const std::function<void()>& work) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

bool may_all() {
    sched_param parameters{};
    parameters.sched_priority = 1;
    bool may = false;
    std::thread([&] { may = ::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0; }).join();
    return may && ::geteuid() == 0;
}

void be_nobody() {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() != 0) return;
    EXPECT_EQ(::setresuid(kNobody, kNobody, kNobody), 0);
}

void give_up_rights() {
    const rlimit none{0, 0}, little{1 << 16, 1 << 16};
    ::setrlimit(RLIMIT_RTPRIO, &none);
    ::setrlimit(RLIMIT_MEMLOCK, &little);
    be_nobody();
}

/// Without the right to real time, the test below covers the second half of this one.
TEST(Realtime, ThreadsOfLibrariesAndThoseToComeGoFirstAndWhoChoseOtherwiseKeepsIt) {
    const bool may = may_all();
    in_child([may] {
        Worker library([] {}), background(go_in_background), hardware([] { go_as_hardware(); });
        for (Worker* one : {&library, &background, &hardware}) one->id();  // they run
        const auto missing = go_realtime({.priority = 7, .cpus = {0}, .lock_memory = true});
        Worker later([] {});
        const int expected = may ? 7 : 0;
        EXPECT_EQ(missing.empty(), may);
        EXPECT_EQ(priority_of(0), expected);
        EXPECT_EQ(priority_of(library.id()), expected);
        EXPECT_EQ(priority_of(later.id()), expected);
        EXPECT_EQ(::sched_getscheduler(background.id()), SCHED_BATCH);
        if (may) {
            EXPECT_EQ(priority_of(hardware.id()), kHardwarePriority);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose mlockall() does nothing
            EXPECT_GT(locked_kb(), 1000U);
#endif
        }
        for (const pid_t thread : {library.id(), later.id(), background.id()})
            EXPECT_EQ(cpus_of(thread), std::vector<int>{0});
    });
}

TEST(Realtime, NothingIsAskedForWithoutPriorityCpusAndLock) {
    in_child([] {
        give_up_rights();
        const auto cpus = cpus_of(0);
        EXPECT_THAT(go_realtime({.priority = 0, .cpus = {}, .lock_memory = false}), IsEmpty());
        EXPECT_EQ(priority_of(0), 0);
        EXPECT_EQ(cpus_of(0), cpus);
        EXPECT_EQ(locked_kb(), 0U);
    });
}

TEST(Realtime, WithoutRightsALineEachSaysWhatToType) {
    in_child([] {
        give_up_rights();
        EXPECT_THAT(
            go_realtime({}),
            ElementsAre(
                AllOf(HasSubstr("no right to real-time priority 20"),
                      HasSubstr("echo \"$USER - rtprio 49\" | sudo tee /etc/security/limits.d/90-wimax-rtprio.conf")),
                AllOf(HasSubstr("no right to lock memory"), HasSubstr("$USER - memlock unlimited"))));
        EXPECT_EQ(priority_of(0), 0);
        EXPECT_EQ(locked_kb(), 0U);
        EXPECT_FALSE(go_as_hardware());
    });
}

TEST(Realtime, CpusThatAreNotThereAreNamedWithThoseThatAre) {
    in_child([] {
        const auto missing = go_realtime({.priority = 0, .cpus = {1000, 1001}, .lock_memory = false});
        EXPECT_THAT(missing, ElementsAre(AllOf(HasSubstr("realtime.cpus: 1000, 1001"), HasSubstr("has CPUs 0.."))));
    });
}

TEST(Realtime, KeysAreReadWithTheirRanges) {
    RealtimeOptions options;
    config::Schema schema("test");
    declare(schema, options);
    EXPECT_TRUE(schema.load("realtime: {priority: 30, cpus: [2, 3], lock_memory: false}", "x.yml").empty());
    EXPECT_EQ(options.priority, 30);
    EXPECT_THAT(options.cpus, ElementsAre(2, 3));
    EXPECT_FALSE(options.lock_memory);
    const auto faults = schema.load("realtime: {priority: 50, cpus: [-1]}", "x.yml");
    EXPECT_THAT(faults.lines(), ElementsAre(AllOf(HasSubstr("x.yml:1"), HasSubstr("priority"), HasSubstr("0..49")),
                                            AllOf(HasSubstr("realtime.cpus"), HasSubstr("0..1023"))));
}

}  // namespace
}  // namespace wimax
