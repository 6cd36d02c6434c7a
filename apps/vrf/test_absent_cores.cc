// SPDX-License-Identifier: GPL-3.0-or-later
// A virtual radio of a build without FPGA cores reports how to build them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrf/core_access.h"

namespace wimax::vrf {
namespace {

using testing::AllOf, testing::HasSubstr;

TEST(AbsentCores, FaultNamesPackageAndOption) {
    const auto cores = make_cores();
    ASSERT_FALSE(cores);
    EXPECT_THAT(cores.error().str(), AllOf(HasSubstr("verilator"), HasSubstr("WIMAX_FPGA=ON")));
}

}  // namespace
}  // namespace wimax::vrf
