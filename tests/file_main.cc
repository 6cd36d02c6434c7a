// SPDX-License-Identifier: GPL-3.0-or-later
// main() of a test program of several source files: `--file test_x.cc` runs the tests of that file alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// A filter with the full name of each test of the file; "" if the file has none.
std::string tests_of(std::string_view file) {
    std::string filter;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *all.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            const testing::TestInfo& test = *suite.GetTestInfo(t);
            const std::string_view path = test.file();
            if (path.substr(path.rfind('/') + 1) == file)
                filter += std::string(filter.empty() ? "" : ":") + suite.name() + "." + test.name();
        }
    }
    return filter;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc == 3 && std::string_view(argv[1]) == "--file") {
        const std::string filter = tests_of(argv[2]);
        if (filter.empty()) {
            std::fprintf(stderr, "%s: no test is in a file named %s\n", argv[0], argv[2]);
            return 2;
        }
        if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
    } else if (argc > 1) {
        std::fprintf(stderr, "usage: %s [--file test_x.cc] [--gtest_...]\n", argv[0]);
        return 2;
    }
    return RUN_ALL_TESTS();
}
