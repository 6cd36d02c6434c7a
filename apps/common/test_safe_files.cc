// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/safe_files.h"

#include "common/as_user.h"
#include "common/scratch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace wimax {
namespace {

namespace fs = std::filesystem;
using test::as_user, test::kAlice, test::kBob;
using Existing = OutputFile::Existing;

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

mode_t mode_of(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

uid_t owner_of(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_uid : ~uid_t{0};
}

void put(const std::string& fd_text, int fd) {
    EXPECT_EQ(::write(fd, fd_text.data(), fd_text.size()), ssize_t(fd_text.size()));
}

/// "" or why it was refused.
std::string write_to(const std::string& path, Existing existing = Existing::append,
                     mode_t mode = OutputFile::kGroupReads, bool fifo = false) {
    auto file = OutputFile::open(path, existing, mode, fifo);
    if (!file) return file.error().str();
    if (file->fd() >= 0) put("text", file->fd());
    return {};
}

class Files : public testing::Test {
protected:
    Files() {
        fs::remove_all(place_);
        fs::create_directory(place_);
        ::chmod(place_.c_str(), 01777);  // as /tmp
    }
    const std::string place_ = Scratch::path("place"), file_ = place_ + "/file";
};

TEST_F(Files, AreForTheirOwnerAndGroupWhateverTheUmaskIs) {
    const mode_t before = ::umask(0);
    EXPECT_EQ(write_to(file_), "");
    EXPECT_EQ(mode_of(file_), 0640U);
    EXPECT_EQ(write_to(place_ + "/key", Existing::append, OutputFile::kOwnerOnly), "");
    EXPECT_EQ(mode_of(place_ + "/key"), 0600U);
    ::chmod(file_.c_str(), 0644);  // of an older version
    EXPECT_EQ(write_to(file_), "");
    EXPECT_EQ(mode_of(file_), 0640U);
    ::umask(077);
    EXPECT_EQ(write_to(place_ + "/tight"), "");
    EXPECT_EQ(mode_of(place_ + "/tight"), 0600U);
    ::umask(before);
}

TEST_F(Files, AreAppendedToOrReplaced) {
    EXPECT_EQ(write_to(file_), "");
    EXPECT_EQ(write_to(file_), "");
    EXPECT_EQ(text_of(file_), "texttext");
    EXPECT_EQ(write_to(file_, Existing::replace), "");
    EXPECT_EQ(text_of(file_), "text");
}

TEST_F(Files, OthersMayWriteAreRefused) {
    EXPECT_EQ(write_to(file_), "");
    for (const mode_t mode : {0660U, 0602U, 0666U}) {
        ::chmod(file_.c_str(), mode);
        for (const auto existing : {Existing::append, Existing::replace})
            EXPECT_NE(write_to(file_, existing).find("allowed after chmod go-w"), std::string::npos) << mode;
        EXPECT_EQ(text_of(file_), "text");
    }
}

TEST_F(Files, LinksAreRefusedWhoeverMadeThem) {
    std::ofstream(place_ + "/precious") << "dear";
    ASSERT_EQ(::symlink((place_ + "/precious").c_str(), file_.c_str()), 0);
    ASSERT_EQ(::symlink((place_ + "/new").c_str(), (place_ + "/to-new").c_str()), 0);
    for (const auto existing : {Existing::append, Existing::replace}) {
        EXPECT_EQ(write_to(file_, existing), file_ + ": is a symbolic link; remove it or name another file");
        EXPECT_NE(write_to(place_ + "/to-new", existing).find("is a symbolic link"), std::string::npos);
    }
    ASSERT_EQ(::link((place_ + "/precious").c_str(), (place_ + "/hard").c_str()), 0);
    EXPECT_NE(write_to(place_ + "/hard", Existing::replace).find("hard link"), std::string::npos);
    EXPECT_EQ(text_of(place_ + "/precious"), "dear");
    EXPECT_FALSE(fs::exists(place_ + "/new"));
}

TEST_F(Files, FoldersSocketsAndPipesAreNone) {
    EXPECT_NE(write_to(place_), "");
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    EXPECT_NE(write_to(file_).find("is no regular file"), std::string::npos);  // and at once
    EXPECT_EQ(write_to(place_ + "/none/file"), place_ + "/none/file: No such file or directory");
    EXPECT_EQ(write_to("/dev/null/x"), "/dev/null/x: Not a directory");
}

TEST_F(Files, DevicesAndOwnDescriptorsAreTaken) {
    EXPECT_EQ(write_to("/dev/null"), "");
    EXPECT_EQ(write_to("/dev/null", Existing::replace), "");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(write_to("/dev/fd/" + std::to_string(ends[1])), "");
    char text[4];
    EXPECT_EQ(::read(ends[0], text, 4), 4);
    for (const int fd : ends) ::close(fd);
}

TEST_F(Files, ThePipeOfACapture) {
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    auto pipe = OutputFile::open(file_, Existing::replace, OutputFile::kGroupReads, true);
    ASSERT_TRUE(pipe);
    EXPECT_TRUE(pipe->is_pipe());
    EXPECT_LT(pipe->fd(), 0);
    const int reader = ::open(file_.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_TRUE(pipe->open_again());
    EXPECT_GE(pipe->fd(), 0);
    pipe->close();
    EXPECT_LT(pipe->fd(), 0);
    ::close(reader);
    for (const mode_t mode : {0620U, 0604U, 0666U}) {
        ::chmod(file_.c_str(), mode);
        EXPECT_NE(
            write_to(file_, Existing::replace, OutputFile::kGroupReads, true).find("other users may use this pipe"),
            std::string::npos)
            << mode;
    }
    ::chmod(file_.c_str(), 0640);
    EXPECT_EQ(write_to(file_, Existing::replace, OutputFile::kGroupReads, true), "");
}

TEST_F(Files, Rotate) {
    auto file = OutputFile::open(file_, Existing::append);
    ASSERT_TRUE(file);
    for (const char* text : {"a", "b", "c", "d"}) {
        EXPECT_EQ(file->size(), 0U);
        put(text, file->fd());
        EXPECT_EQ(file->size(), 1U);
        ASSERT_TRUE(file->rotate(2));
    }
    EXPECT_EQ(text_of(file_) + text_of(file_ + ".1") + text_of(file_ + ".2"), "dc");
    EXPECT_FALSE(fs::exists(file_ + ".3"));
    ASSERT_TRUE(file->rotate(0));
    EXPECT_EQ(text_of(file_ + ".1"), "d");
    EXPECT_FALSE(OutputFile::open("/dev/null", Existing::append)->size());
    EXPECT_FALSE(OutputFile::open("/dev/null", Existing::append)->rotate(1));
}

TEST_F(Files, TooFewDescriptorsAreAFault) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    std::vector<Descriptor> held;
    rlimit few = before;
    few.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) held.emplace_back(fd);
    std::vector<std::string> said;
    for (size_t free = 0; free < 3; ++free) {
        said.push_back(write_to(file_));
        const auto folder = SafeFolder::make(place_ + "/run");
        said.push_back(folder ? "" : folder.error().str());
        const auto read = read_regular("/proc/self/status", 10'000);
        said.push_back(read ? "" : read.error().str());
        held.pop_back();
    }
    held.clear();
    ::setrlimit(RLIMIT_NOFILE, &before);
    for (size_t i = 0; i < 3; ++i) EXPECT_NE(said[i].find("Too many open files"), std::string::npos) << said[i];
}

TEST_F(Files, OnlyRegularOnesAreReadAndNotBeyondTheLimit) {
    std::ofstream(file_) << "0123456789";
    EXPECT_EQ(read_regular(file_, 10), "0123456789");
    EXPECT_EQ(read_regular(file_, 9).error().str(), file_ + ": has 10 bytes, allowed are 9");
    std::ofstream(place_ + "/empty").close();
    EXPECT_EQ(read_regular(place_ + "/empty", 9), "");
    fs::resize_file(file_, uint64_t{1} << 40);  // sparse: would never be read
    EXPECT_NE(read_regular(file_, 1 << 20).error().str().find("has 1099511627776 bytes"), std::string::npos);
    ASSERT_EQ(::mkfifo((place_ + "/pipe").c_str(), 0600), 0);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    for (const auto& path : {place_ + "/pipe", std::string("/dev/zero"), std::string("/dev/null")})
        EXPECT_EQ(read_regular(path, 9).error().str(), path + ": is no regular file");
    EXPECT_NE(read_regular("/proc/self/fd/" + std::to_string(socket), 9).error().str().find("is no regular"),
              std::string::npos);
    ::close(socket);
    EXPECT_NE(read_regular(place_, 9).error().str().find("Is a directory"), std::string::npos);
    EXPECT_NE(read_regular(place_ + "/none", 9).error().str().find("No such file"), std::string::npos);
}

TEST_F(Files, KeysAreTheirOwnersAlone) {
    std::ofstream(file_) << "key";
    for (const mode_t mode : {0600U, 0400U, 0640U, 0604U, 0610U, 0700U}) {
        ::chmod(file_.c_str(), mode);
        EXPECT_EQ(is_owners_alone(*open_regular(file_)), (mode & 077) == 0) << mode;
    }
}

/// Attacks of one local user on another one.
class TwoUsers : public Files {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root: acts as two users";
        ::chmod(fs::path(place_).parent_path().c_str(), 0755);
    }
    static std::string made(const tl::expected<SafeFolder, Fault>& folder) {
        return folder ? "owner " + std::to_string(owner_of(folder->path())) : folder.error().str();
    }
    std::string make(uid_t uid, uid_t caller = 0) const {
        return as_user(
            uid, [this] { return made(SafeFolder::make(run_)); }, caller);
    }
    std::string write(uid_t uid, uid_t caller = 0) const {
        return as_user(
            uid, [this] { return write_to(file_, Existing::replace); }, caller);
    }
    const std::string run_ = place_ + "/wimax-1001";
};

TEST_F(TwoUsers, AFolderIsMadeForItsUserAlone) {
    EXPECT_EQ(make(kAlice), "owner 1001");
    EXPECT_EQ(mode_of(run_), 0700U);
    EXPECT_EQ(make(kAlice), "owner 1001");
    EXPECT_EQ(make(0, kAlice), "owner 1001");
    fs::remove(run_);
    EXPECT_EQ(make(0, kAlice), "owner 1001") << "made by root in the caller's name";
    EXPECT_EQ(mode_of(run_), 0700U);
}

TEST_F(TwoUsers, AFolderOfAnotherUserIsRefused) {
    for (const mode_t mode : {0700U, 0755U, 0777U, 01777U}) {
        as_user(kBob, [&] {
            ::mkdir(run_.c_str(), mode);
            return "";
        });
        for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{kAlice, 0}, {0, kAlice}, {0, 0}})
            EXPECT_NE(make(uid, caller).find(run_ + ": belongs to user 1002"), std::string::npos)
                << mode << " " << uid << " " << caller << ": " << make(uid, caller);
        fs::remove(run_);
    }
    as_user(kAlice, [&] { return std::to_string(::mkdir(run_.c_str(), 0700)); });
    EXPECT_NE(make(0).find("belongs to user 1001"), std::string::npos) << "root, but not in that user's name";
}

TEST_F(TwoUsers, AFolderThatOthersMayWriteIsRefused) {
    as_user(kAlice, [&] { return std::to_string(::mkdir(run_.c_str(), 0700)); });
    for (const mode_t mode : {0770U, 0720U, 0702U, 0777U}) {
        ::chmod(run_.c_str(), mode);
        EXPECT_NE(make(kAlice).find("other users may write it"), std::string::npos) << mode;
    }
    for (const mode_t mode : {0700U, 0755U, 01777U}) {
        ::chmod(run_.c_str(), mode);
        EXPECT_EQ(make(kAlice), "owner 1001") << mode;
    }
}

TEST_F(TwoUsers, AFolderThatIsALinkIsRefused) {
    fs::create_directory(place_ + "/home");
    ASSERT_EQ(::chown((place_ + "/home").c_str(), kAlice, kAlice), 0);
    for (const uid_t linker : {kBob, kAlice}) {
        as_user(linker, [&] { return std::to_string(::symlink((place_ + "/home").c_str(), run_.c_str())); });
        for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{kAlice, 0}, {0, kAlice}})
            EXPECT_EQ(make(uid, caller), run_ + ": is a symbolic link; remove it or set WIMAX_RUN") << linker;
        fs::remove(run_);
    }
}

TEST_F(TwoUsers, AFolderThatOthersCanReplaceIsRefused) {
    fs::create_directory(run_);
    ASSERT_EQ(::chown(run_.c_str(), kAlice, kAlice), 0);
    ::chmod(place_.c_str(), 0777);
    EXPECT_NE(make(kAlice).find("any user may replace it"), std::string::npos);
    ::chmod(place_.c_str(), 0755);
    EXPECT_EQ(make(kAlice), "owner 1001");
    ASSERT_EQ(::chown(place_.c_str(), kBob, kBob), 0);
    EXPECT_NE(make(kAlice).find("the folder around it belongs to user 1002"), std::string::npos);
}

TEST_F(TwoUsers, LinksOnTheWayAreFollowedIfTheirOwnerIsTrusted) {
    fs::create_directory(place_ + "/home");
    ASSERT_EQ(::chown((place_ + "/home").c_str(), kAlice, kAlice), 0);
    for (const auto& [linker, good] : {std::pair<uid_t, bool>{kAlice, true}, {0, true}, {kBob, false}}) {
        const std::string link = place_ + "/way", path = link + "/file";
        as_user(linker, [&] { return std::to_string(::symlink((place_ + "/home").c_str(), link.c_str())); });
        const auto said = as_user(kAlice, [&] { return write_to(path); });
        EXPECT_EQ(said.empty(), good) << linker << ": " << said;
        EXPECT_EQ(said.find("the symbolic link 'way' on the way belongs to user 1002") == std::string::npos, good);
        fs::remove(link);
        fs::remove(place_ + "/home/file");
    }
    ASSERT_EQ(::symlink("loop", (place_ + "/loop").c_str()), 0);
    EXPECT_NE(write_to(place_ + "/loop/file").find("Too many levels"), std::string::npos);
}

TEST_F(TwoUsers, AFileOfAnotherUserIsRefused) {
    for (const mode_t mode : {0600U, 0644U, 0666U}) {
        as_user(kBob, [&] {
            std::ofstream(file_) << "bob's";
            ::chmod(file_.c_str(), mode);
            return "";
        });
        for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{kAlice, 0}, {0, kAlice}, {0, 0}})
            EXPECT_NE(write(uid, caller).find(file_ + ": belongs to user 1002"), std::string::npos)
                << mode << " " << uid << ": " << write(uid, caller);
        EXPECT_EQ(text_of(file_), "bob's");
        fs::remove(file_);
    }
}

TEST_F(TwoUsers, AFolderOfFilesOfAnotherUserIsRefused) {
    as_user(kBob, [&] { return std::to_string(::mkdir(run_.c_str(), 0777)); });
    for (const auto& [uid, caller] : {std::pair<uid_t, uid_t>{kAlice, 0}, {0, kAlice}, {0, 0}})
        EXPECT_NE(as_user(
                      uid, [&] { return write_to(run_ + "/log"); }, caller)
                      .find("belongs to user 1002"),
                  std::string::npos);
    EXPECT_TRUE(fs::is_empty(run_));
    ::chmod(run_.c_str(), 0755);
    EXPECT_NE(as_user(0, [&] { return write_to(run_ + "/log"); }).find("belongs to user 1002"), std::string::npos);
    ::chmod(place_.c_str(), 0755);  // if no other user can make the folder, it is the one root named
    EXPECT_EQ(as_user(0, [&] { return write_to(run_ + "/log"); }), "");
    EXPECT_EQ(mode_of(run_ + "/log"), 0640U);
    EXPECT_EQ(owner_of(run_ + "/log"), 0U);
}

TEST_F(TwoUsers, UnderSudoFilesInTheCallersFolderAreTheCallers) {
    as_user(kAlice, [&] { return std::to_string(::mkdir(run_.c_str(), 0700)); });
    EXPECT_EQ(as_user(
                  0, [&] { return write_to(run_ + "/log"); }, kAlice),
              "");
    EXPECT_EQ(owner_of(run_ + "/log"), kAlice);
    EXPECT_EQ(as_user(
                  0, [&] { return write_to(run_ + "/log"); }, kAlice),
              "")
        << "again";
    EXPECT_EQ(write(0, kAlice), "") << "in a folder of root's";
    EXPECT_EQ(owner_of(file_), 0U);
}

/// The caller may rename and replace files in the caller's folder at any time.
TEST_F(TwoUsers, UnderSudoTheCallerGetsNothingThatIsRoots) {
    std::ofstream(file_) << "root's";
    ::chmod(file_.c_str(), 0600);
    as_user(kAlice, [&] {
        ::mkdir(run_.c_str(), 0700);
        return std::to_string(::symlink(file_.c_str(), (run_ + "/log").c_str()));
    });
    EXPECT_NE(as_user(
                  0, [&] { return write_to(run_ + "/log", Existing::replace); }, kAlice)
                  .find("is a symbolic link"),
              std::string::npos);
    fs::remove(run_ + "/log");
    ASSERT_EQ(::link(file_.c_str(), (run_ + "/log").c_str()), 0);
    EXPECT_NE(as_user(
                  0, [&] { return write_to(run_ + "/log", Existing::replace); }, kAlice)
                  .find("hard link"),
              std::string::npos);
    EXPECT_EQ(text_of(file_), "root's");
    EXPECT_EQ(owner_of(file_), 0U);
    const auto rights = as_user(
        0,
        [&] {
            const ActingAs alice(kAlice);
            return std::string(::open(file_.c_str(), O_RDONLY) < 0 ? "none" : "root's");
        },
        kAlice);
    EXPECT_EQ(rights, "none");
}

TEST_F(TwoUsers, WhatIsOpenStaysWhenTheNameChanges) {
    EXPECT_EQ(as_user(kAlice,
                      [&]() -> std::string {
                          const auto folder = SafeFolder::make(run_);
                          if (!folder) return folder.error().str();
                          fs::rename(run_, place_ + "/moved");
                          fs::create_directory(run_);
                          return folder->open_file("lock", 0600, true) ? "" : "not made";
                      }),
              "");
    EXPECT_TRUE(fs::exists(place_ + "/moved/lock"));
    EXPECT_TRUE(fs::is_empty(run_));
}

TEST_F(TwoUsers, AnothersPipeIsRefused) {
    as_user(kBob, [&] { return std::to_string(::mkfifo(file_.c_str(), 0666)); });
    EXPECT_NE(as_user(kAlice, [&] { return write_to(file_, Existing::replace, OutputFile::kGroupReads, true); })
                  .find("belongs to user 1002"),
              std::string::npos);
}

}  // namespace
}  // namespace wimax
