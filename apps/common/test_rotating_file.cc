// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rotating_file.h"
#include "common/scratch.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wimax {
namespace {

using Start = RotatingFile::Start;

std::string contents(const std::string& path) {
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
}

/// Fresh name in the test's folder, without files of earlier runs.
std::string clean(const char* name) {
    const std::string path = Scratch::path(name);
    for (const char* end : {"", ".1", ".2", ".3"}) std::filesystem::remove(path + end);
    return path;
}

TEST(RotatingFile, KeepsTheNewestFilesAndNeverMoreThanItMay) {
    const std::string path = clean("turn.log");
    auto file = RotatingFile::open(path, {10, 3}, Start::append);
    ASSERT_TRUE(file);
    for (const char* record : {"aaaa\n", "bbbb\n", "cccc\n", "dddd\n", "eeee\n", "ffff\n", "gggg\n", "hhhh\n"}) {
        EXPECT_TRUE(file->write(std::string_view(record)));
        for (const char* end : {"", ".1", ".2"}) EXPECT_LE(contents(path + end).size(), 10U);
    }
    EXPECT_EQ(contents(path), "gggg\nhhhh\n");
    EXPECT_EQ(contents(path + ".1"), "eeee\nffff\n");
    EXPECT_EQ(contents(path + ".2"), "cccc\ndddd\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".3"));
    EXPECT_EQ(file->rotations(), 3U);
}

TEST(RotatingFile, OneFileBeginsAgain) {
    const std::string path = clean("one.log");
    auto file = RotatingFile::open(path, {8, 1}, Start::append);
    for (const char* record : {"aaaa", "bbbb", "cccc"}) EXPECT_TRUE(file->write(std::string_view(record)));
    EXPECT_EQ(contents(path), "cccc");
    EXPECT_FALSE(std::filesystem::exists(path + ".1"));
}

TEST(RotatingFile, WithoutALimitItGrows) {
    const std::string path = clean("grows.log");
    auto file = RotatingFile::open(path, {0, 3}, Start::append);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(file->write(std::string_view("0123456789")));
    EXPECT_EQ(contents(path).size(), 1000U);
    EXPECT_EQ(file->room(), UINT64_MAX);
}

/// A start that appends counts the existing content.
TEST(RotatingFile, WhatIsThereCounts) {
    const std::string path = clean("there.log");
    std::ofstream(path) << "12345678";
    {
        auto file = RotatingFile::open(path, {10, 2}, Start::append);
        EXPECT_EQ(file->room(), 2U);
        EXPECT_TRUE(file->write(std::string_view("abc")));
    }
    EXPECT_EQ(contents(path), "abc");
    EXPECT_EQ(contents(path + ".1"), "12345678");
    auto fresh = RotatingFile::open(path, {10, 2}, Start::fresh);
    EXPECT_EQ(contents(path), "");
}

TEST(RotatingFile, EachFileBeginsWithTheHeader) {
    const std::string path = clean("header.log");
    auto file = RotatingFile::open(path, {10, 2}, Start::fresh, "HEAD");
    for (const char* record : {"aaaaaa", "bbbbbb", "longer than a file may be", "cc"})
        EXPECT_TRUE(file->write(std::string_view(record)));
    EXPECT_EQ(contents(path), "HEADcc");
    EXPECT_EQ(contents(path + ".1"), "HEADlonger than a file may be");
}

/// RLIMIT_FSIZE stands for a full disk: the record is cut off again, and the next one is written when there is room.
TEST(RotatingFile, AFullDiskLosesWholeRecordsAndIsOvercome) {
    const std::string path = clean("full.log");
    auto file = RotatingFile::open(path, {0, 1}, Start::append);
    EXPECT_TRUE(file->write(std::string_view("whole\n")));
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto old = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{10, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_FALSE(file->write(std::string_view("does not fit\n")));
    const std::string meanwhile = contents(path);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old);
    EXPECT_EQ(meanwhile, "whole\n");
    EXPECT_TRUE(file->write(std::string_view("fits again\n")));
    EXPECT_EQ(contents(path), "whole\nfits again\n");
}

/// If a folder accepts no new file, the file stays bounded, too: records are lost until it does.
TEST(RotatingFile, WhereItCannotRotateNothingGrows) {
    const std::string path = clean("stuck.log");
    std::filesystem::create_directory(path + ".1");
    std::ofstream(path + ".1/in_use") << "x";
    auto file = RotatingFile::open(path, {8, 2}, Start::append);
    EXPECT_TRUE(file->write(std::string_view("aaaaaaaa")));
    EXPECT_FALSE(file->write(std::string_view("b")));
    EXPECT_EQ(contents(path), "aaaaaaaa");
    std::filesystem::remove_all(path + ".1");
    EXPECT_TRUE(file->write(std::string_view("c")));
    EXPECT_EQ(contents(path), "c");
}

TEST(RotatingFile, ADeviceIsWrittenToAsItIs) {
    auto file = RotatingFile::open("/dev/null", {4, 2}, Start::append);
    ASSERT_TRUE(file);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(file->write(std::string_view("0123456789")));
    EXPECT_EQ(file->rotations(), 0U);
    const auto missing = RotatingFile::open("/no/such/folder/x", {}, Start::append);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().str(), "/no/such/folder/x: No such file or directory");
}

}  // namespace
}  // namespace wimax
