// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/address.h"

#include "common/as_user.h"
#include "common/scratch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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

/// A socket that no process serves, as a killed process leaves it.
void leave_socket(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
}

class Claims : public testing::Test {
protected:
    const std::string path_ = Scratch::path("claimed"), lock_ = path_ + ".lock", address_ = "ipc://" + path_;
};

TEST_F(Claims, TheSecondIsToldOfTheFirst) {
    auto first = AddressClaim::take(address_);
    ASSERT_TRUE(first);
    const auto second = AddressClaim::take(address_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().str(), address_ + ": served already by process " + std::to_string(::getpid()));
    EXPECT_EQ(second.error().status, ExitStatus::served_already);
    *first = AddressClaim();
    EXPECT_TRUE(AddressClaim::take(address_));
}

TEST_F(Claims, NothingIsLeft) {
    {
        const auto claim = AddressClaim::take(address_);
        ASSERT_TRUE(claim);
        leave_socket(path_);
        EXPECT_TRUE(std::filesystem::exists(lock_));
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_FALSE(std::filesystem::exists(lock_));
}

TEST_F(Claims, WhatAKilledProcessLeftIsTakenOver) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto claim = AddressClaim::take(address_);
        leave_socket(path_);
        ::_exit(claim ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(std::filesystem::exists(path_));
    const auto claim = AddressClaim::take(address_);
    EXPECT_TRUE(claim);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Claims, AFolderThatIsNotThereIsNamed) {
    const auto claim = AddressClaim::take("ipc:///no/such/folder/bs.sap");
    ASSERT_FALSE(claim);
    EXPECT_NE(claim.error().str().find("/no/such/folder: No such file or directory"), std::string::npos);
    EXPECT_EQ(claim.error().status, ExitStatus::configuration_refused);
}

TEST_F(Claims, TheRuntimeFolderIsMade) {
    const auto folder = Scratch::path("run");
    ::setenv("WIMAX_RUN", folder.c_str(), 1);
    EXPECT_TRUE(AddressClaim::take(expand_address("ipc://{run}/bs.sap")));
    EXPECT_TRUE(std::filesystem::is_directory(folder));
    ::unsetenv("WIMAX_RUN");
}

/// A restart helps after a temporary lack of resources, and after another process; not after a wrong address.
TEST(ExitStatus, FollowsFromTheErrorNumber) {
    EXPECT_EQ(exit_status_of(EADDRINUSE), ExitStatus::served_already);
    for (const int lack : {EADDRNOTAVAIL, EAGAIN, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC, EDQUOT})
        EXPECT_EQ(exit_status_of(lack), ExitStatus::failed) << lack;
    for (const int wrong : {EINVAL, ENOENT, ENOTDIR, EACCES, EPERM, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG, ELOOP})
        EXPECT_EQ(exit_status_of(wrong), ExitStatus::configuration_refused) << wrong;
}

TEST_F(Claims, WhatIsNoSocketStays) {
    std::ofstream(path_) << "a thesis";
    const auto claim = AddressClaim::take(address_);
    ASSERT_FALSE(claim);
    EXPECT_NE(claim.error().str().find(path_ + ": is no socket"), std::string::npos) << claim.error().str();
    EXPECT_EQ(std::filesystem::file_size(path_), 8U);
    std::filesystem::remove(path_);
    std::filesystem::create_symlink("/nowhere", path_);
    EXPECT_FALSE(AddressClaim::take(address_));
    EXPECT_FALSE(check_server(address_));
    std::filesystem::remove(path_);
    EXPECT_TRUE(check_server(address_));
}

TEST_F(Claims, LocksAreTheirOwnersAlone) {
    const mode_t before = ::umask(0);
    const auto mode = [this] { return std::filesystem::status(lock_).permissions(); };
    constexpr auto kOwners = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    {
        const auto claim = AddressClaim::take(address_);
        ASSERT_TRUE(claim);
        EXPECT_EQ(mode(), kOwners);
    }
    std::ofstream(lock_) << "1";  // left by an older version
    std::filesystem::permissions(lock_, kOwners | std::filesystem::perms::others_read);
    const auto claim = AddressClaim::take(address_);
    ASSERT_TRUE(claim) << claim.error().str();
    EXPECT_EQ(mode(), kOwners);
    ::umask(before);
}

TEST_F(Claims, ALockThatIsALinkIsRefused) {
    const std::string precious = Scratch::path("precious");
    for (const bool hard : {false, true}) {
        std::ofstream(precious) << "dear";
        ASSERT_EQ(hard ? ::link(precious.c_str(), lock_.c_str()) : ::symlink(precious.c_str(), lock_.c_str()), 0);
        const auto claim = AddressClaim::take(address_);
        ASSERT_FALSE(claim);
        EXPECT_NE(claim.error().str().find(hard ? "hard link" : "symbolic link"), std::string::npos)
            << claim.error().str();
        EXPECT_EQ(std::filesystem::file_size(precious), 4U);
        std::filesystem::remove(lock_);
    }
}

/// One user of this host and another one, who means harm.
class ClaimsOfTwo : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root: acts as two users";
        std::filesystem::remove_all(place_);
        std::filesystem::create_directory(place_);
        ::chmod(place_.c_str(), 01777);  // as /tmp
        ::chmod(std::filesystem::path(place_).parent_path().c_str(), 0755);
    }
    std::string said(uid_t uid, uid_t caller, const std::function<std::string()>& work) const {
        return test::as_user(
            uid,
            [&] {
                ::setenv("WIMAX_RUN", run_.c_str(), 1);
                return work();
            },
            caller);
    }
    std::string take(uid_t uid, uid_t caller = 0) const {
        return said(uid, caller, [] {
            const auto claim = AddressClaim::take(expand_address("ipc://{run}/bs.sap"));
            if (!claim) return claim.error().str();
            const ActingAs owner(claim->acting_for());
            leave_socket(socket_path(claim->address()));
            struct stat lock {
            }, socket{};
            ::stat((runtime_folder() + "/bs.sap.lock").c_str(), &lock);
            ::stat((runtime_folder() + "/bs.sap").c_str(), &socket);
            return "lock of " + std::to_string(lock.st_uid) + ", socket of " + std::to_string(socket.st_uid);
        });
    }
    std::string connect(uid_t uid, uid_t caller = 0) const {
        return said(uid, caller, [] {
            const auto safe = check_server(expand_address("ipc://{run}/bs.sap"));
            return safe ? "safe" : safe.error().str();
        });
    }
    const std::string place_ = Scratch::path("place"), run_ = place_ + "/wimax-1001", lock_ = run_ + "/bs.sap.lock";
};

TEST_F(ClaimsOfTwo, AFolderThatAnotherUserMadeIsRefused) {
    for (const mode_t mode : {0755U, 0777U, 01777U}) {
        test::as_user(test::kBob, [&] { return std::to_string(::mkdir(run_.c_str(), mode)); });
        for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{test::kAlice, 0}, {0, test::kAlice}, {0, 0}}) {
            EXPECT_NE(take(uid, caller).find("belongs to user 1002"), std::string::npos) << take(uid, caller);
            EXPECT_NE(connect(uid, caller).find("belongs to user 1002"), std::string::npos) << connect(uid, caller);
        }
        EXPECT_TRUE(std::filesystem::is_empty(run_));
        std::filesystem::remove(run_);
    }
}

TEST_F(ClaimsOfTwo, AClientMakesTheFolderBeforeAnotherUserDoes) {
    EXPECT_EQ(connect(test::kAlice), "safe");
    struct stat folder {};
    ASSERT_EQ(::stat(run_.c_str(), &folder), 0);
    EXPECT_EQ(folder.st_uid, test::kAlice);
    EXPECT_EQ(folder.st_mode & 07777, 0700U);
}

TEST_F(ClaimsOfTwo, ALinkToAFileOfTheVictimIsNotTouched) {
    const std::string precious = place_ + "/precious";
    std::ofstream(precious) << "dear";
    ASSERT_EQ(::chown(precious.c_str(), test::kAlice, test::kAlice), 0);
    ::mkdir(run_.c_str(), 0755);
    ::chmod(run_.c_str(), 01777);
    test::as_user(test::kBob, [&] { return std::to_string(::symlink(precious.c_str(), lock_.c_str())); });
    for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{test::kAlice, 0}, {0, test::kAlice}, {0, 0}})
        EXPECT_NE(take(uid, caller).find("is a symbolic link"), std::string::npos) << take(uid, caller);
    EXPECT_EQ(std::filesystem::file_size(precious), 4U);
}

TEST_F(ClaimsOfTwo, UnderSudoLockAndSocketAreTheCallers) {
    EXPECT_EQ(take(0, test::kAlice), "lock of 1001, socket of 1001");
    EXPECT_TRUE(std::filesystem::is_empty(run_));
    EXPECT_EQ(take(test::kAlice), "lock of 1001, socket of 1001");
}

/// Another user has locked the file of a killed program, or locked it when every user could open it.
TEST_F(ClaimsOfTwo, AnotherUserCannotHoldALock) {
    ::mkdir(run_.c_str(), 0755);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    for (const mode_t mode : {0600U, 0644U}) {
        std::ofstream(lock_) << "4194305";  // more than any process has
        ::chmod(lock_.c_str(), mode);
        const pid_t holder = ::fork();
        if (holder == 0) {
            ::setgroups(0, nullptr);
            if (::setresgid(test::kBob, test::kBob, test::kBob) != 0 ||
                ::setresuid(test::kBob, test::kBob, test::kBob) != 0)
                ::_exit(1);
            const int lock = ::open(lock_.c_str(), O_RDONLY);
            const char held = lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0 ? 'y' : 'n';
            if (::write(ends[1], &held, 1) != 1) ::_exit(1);
            ::pause();
        }
        char held = '?';
        ASSERT_EQ(::read(ends[0], &held, 1), 1);
        EXPECT_EQ(held, mode == 0600U ? 'n' : 'y');
        EXPECT_EQ(take(0), "lock of 0, socket of 0") << mode;
        ::kill(holder, SIGKILL);
        ::waitpid(holder, nullptr, 0);
    }
    for (const int fd : ends) ::close(fd);
}

/// A program of an older version that still runs keeps its address.
TEST_F(ClaimsOfTwo, ALockThatItsProcessHoldsStays) {
    ::mkdir(run_.c_str(), 0755);
    std::ofstream(lock_) << ::getpid();
    ::chmod(lock_.c_str(), 0644);
    const int lock = ::open(lock_.c_str(), O_RDWR);
    ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
    EXPECT_NE(take(0).find("served already by process " + std::to_string(::getpid())), std::string::npos) << take(0);
    ::close(lock);
}

TEST_F(ClaimsOfTwo, ASocketOfAnotherUserIsNotTakenForTheServers) {
    ::mkdir(run_.c_str(), 0755);
    ::chmod(run_.c_str(), 01777);
    test::as_user(test::kBob, [&] {
        leave_socket(run_ + "/bs.sap");
        return "";
    });
    for (const uid_t uid : {test::kAlice, uid_t{0}}) {
        EXPECT_NE(connect(uid).find("bs.sap: belongs to user 1002"), std::string::npos) << connect(uid);
        EXPECT_NE(take(uid).find("bs.sap: belongs to user 1002"), std::string::npos) << take(uid);
    }
}

/// The caller of sudo replaces the folder while root's program runs.
TEST_F(ClaimsOfTwo, UnderSudoNothingOfRootsIsRemoved) {
    const std::string roots = place_ + "/roots";
    std::filesystem::create_directory(roots);
    leave_socket(roots + "/bs.sap");
    std::ofstream(roots + "/bs.sap.lock") << "1";
    EXPECT_EQ(said(0, test::kAlice,
                   [&]() -> std::string {
                       const auto claim = AddressClaim::take(expand_address("ipc://{run}/bs.sap"));
                       if (!claim) return claim.error().str();
                       std::filesystem::rename(run_, place_ + "/moved");
                       std::filesystem::create_symlink(roots, run_);
                       const ActingAs owner(claim->acting_for());
                       leave_socket(socket_path(claim->address()));
                       return std::filesystem::exists(place_ + "/moved/bs.sap") ? "in the caller's folder"
                                                                                : "elsewhere";
                   }),
              "in the caller's folder");
    EXPECT_TRUE(std::filesystem::exists(roots + "/bs.sap"));
    EXPECT_TRUE(std::filesystem::exists(roots + "/bs.sap.lock"));
    EXPECT_TRUE(std::filesystem::is_empty(place_ + "/moved"));
}

TEST(AddressClaim, AddressesOfTheNetworkNeedNone) { EXPECT_TRUE(AddressClaim::take("tcp://127.0.0.1:1")); }

}  // namespace
}  // namespace wimax
