/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/address.h"

#include "common/scratch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace wimax {
namespace {

constexpr unsigned kNobody = 3999999999U;  // has no folder in /run/user

class Environment : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"WIMAX_RUN", "SUDO_UID", "XDG_RUNTIME_DIR"}) ::unsetenv(name);
    }
    static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
};

TEST_F(Environment, RuntimeFolderIsTheOneThatIsSet) {
    set("XDG_RUNTIME_DIR", "/run/user/7");
    set("WIMAX_RUN", "/srv/cell");
    EXPECT_EQ(runtime_folder(), "/srv/cell");
    EXPECT_EQ(expand_address("ipc://{run}/bs.sap"), "ipc:///srv/cell/bs.sap");
    EXPECT_EQ(expand_address("tcp://127.0.0.1:5600"), "tcp://127.0.0.1:5600");
}

TEST_F(Environment, RuntimeFolderOfAUser) {
    if (::geteuid() == 0) {
        EXPECT_EQ(runtime_folder(), "/run/wimax");
        set("SUDO_UID", std::to_string(kNobody));
        set("XDG_RUNTIME_DIR", "/run/user/0");  // root's, where sudo keeps it
        EXPECT_EQ(runtime_folder(), "/tmp/wimax-" + std::to_string(kNobody));
        set("SUDO_UID", "somebody");
        EXPECT_EQ(runtime_folder(), "/run/wimax");
    } else {
        set("XDG_RUNTIME_DIR", "/run/user/7");
        EXPECT_EQ(runtime_folder(), "/run/user/7/wimax");
    }
}

TEST(Address, PathsOfUnixSockets) {
    EXPECT_EQ(socket_path("ipc:///run/x/bs.sap"), "/run/x/bs.sap");
    EXPECT_EQ(socket_path("shm:/run/x/channel"), "/run/x/channel");
    EXPECT_EQ(socket_path("/run/x/channel"), "/run/x/channel");
    EXPECT_EQ(socket_path("tcp://*:5710"), "");
    EXPECT_EQ(socket_path("ipc://@abstract"), "");
}

class Claims : public testing::Test {
protected:
    const std::string path_ = Scratch::path("claimed"), lock_ = path_ + ".lock", address_ = "ipc://" + path_;
};

TEST_F(Claims, TheSecondIsToldOfTheFirst) {
    auto first = Claim::take(address_);
    ASSERT_TRUE(first);
    const auto second = Claim::take(address_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().str(), address_ + ": served already by process " + std::to_string(::getpid()));
    EXPECT_EQ(second.error().status, ExitStatus::served_already);
    *first = Claim();
    EXPECT_TRUE(Claim::take(address_));
}

TEST_F(Claims, NothingIsLeft) {
    {
        const auto claim = Claim::take(address_);
        ASSERT_TRUE(claim);
        std::ofstream(path_) << "as a socket";
        EXPECT_TRUE(std::filesystem::exists(lock_));
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_FALSE(std::filesystem::exists(lock_));
}

TEST_F(Claims, WhatAKilledProcessLeftIsTakenOver) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto claim = Claim::take(address_);
        std::ofstream(path_) << "as a socket";
        ::_exit(claim ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(std::filesystem::exists(path_));
    const auto claim = Claim::take(address_);
    EXPECT_TRUE(claim);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Claims, AFolderThatIsNotThereIsNamed) {
    const auto claim = Claim::take("ipc:///no/such/folder/bs.sap");
    ASSERT_FALSE(claim);
    EXPECT_NE(claim.error().str().find("/no/such/folder/bs.sap.lock: No such file or directory"), std::string::npos);
    EXPECT_EQ(claim.error().status, ExitStatus::configuration_refused);
}

TEST_F(Claims, TheRuntimeFolderIsMade) {
    const auto folder = Scratch::path("run");
    ::setenv("WIMAX_RUN", folder.c_str(), 1);
    EXPECT_TRUE(Claim::take(expand_address("ipc://{run}/bs.sap")));
    EXPECT_TRUE(std::filesystem::is_directory(folder));
    ::unsetenv("WIMAX_RUN");
}

/// A restart helps after what the machine lacks now, and after another process; not after a wrong address.
TEST(ExitStatus, FollowsFromTheErrorNumber) {
    EXPECT_EQ(exit_status_of(EADDRINUSE), ExitStatus::served_already);
    for (const int lack : {EADDRNOTAVAIL, EAGAIN, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC, EDQUOT})
        EXPECT_EQ(exit_status_of(lack), ExitStatus::failed) << lack;
    for (const int wrong : {EINVAL, ENOENT, ENOTDIR, EACCES, EPERM, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG, ELOOP})
        EXPECT_EQ(exit_status_of(wrong), ExitStatus::configuration_refused) << wrong;
}

TEST(Claim, AddressesOfTheNetworkNeedNone) { EXPECT_TRUE(Claim::take("tcp://127.0.0.1:1")); }

}  // namespace
}  // namespace wimax
