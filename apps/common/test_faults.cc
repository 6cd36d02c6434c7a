// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/faults.h"

#include <gtest/gtest.h>

namespace wimax {
namespace {

using Lines = std::vector<std::string>;

TEST(Fault, SaysPlaceKeyValueAndWhatIsAllowed) {
    EXPECT_EQ((Fault{"bs.cp", "1/5", "1/4, 1/8", "bs.yml", 12}.str()), "bs.yml:12: bs.cp: value 1/5: allowed 1/4, 1/8");
    EXPECT_EQ((Fault{"bs.cp", "1/5", "1/4, 1/8", "--set bs.cp=1/5"}.str()),
              "--set bs.cp=1/5: bs.cp: value 1/5: allowed 1/4, 1/8");
    EXPECT_EQ((Fault{"rate_id", "7", "0..6"}.str()), "rate_id: value 7: allowed 0..6");
    EXPECT_EQ(failure("tun.name", "is in use").value().str(), "tun.name: is in use");
    EXPECT_EQ((Fault{.allowed = "not YAML", .file = "f", .line = 3}.str()), "f:3: not YAML");
    EXPECT_EQ(gr::wimax::phy::out_of_range("slot", -1, 0, 14400), (Fault{"slot", "-1", "0..14400"}));
}

TEST(Faults, AreBoundedAndCounted) {
    Faults faults(2);
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(faults.str(), "");
    for (const char* key : {"a", "b", "c", "d"}) faults.add(key, "1", "2");
    EXPECT_FALSE(faults.empty());
    EXPECT_EQ(faults.count(), 4U);
    EXPECT_EQ(faults.suppressed(), 2U);
    EXPECT_EQ(faults.lines(), (Lines{"a: value 1: allowed 2", "b: value 1: allowed 2", "2 more faults"}));
    EXPECT_EQ(faults.str(), "a: value 1: allowed 2; b: value 1: allowed 2; 2 more faults");
    Faults none(0);
    none.add("a", "1", "2");
    EXPECT_FALSE(none.empty());
}

TEST(Faults, OfOthersAreTakenWithWhatTheyHaveSuppressed) {
    Faults inner(1), outer(2);
    for (const char* key : {"a", "b"}) inner.add(key, "1", "2");
    outer.add("z", "1", "2");
    outer.add_all(inner, [](Fault fault) {
        fault.key = "list[3]." + fault.key;
        return fault;
    });
    EXPECT_EQ(outer.lines(), (Lines{"z: value 1: allowed 2", "list[3].a: value 1: allowed 2", "1 more faults"}));
    outer.add_all(inner);
    EXPECT_EQ(outer.count(), 5U);
    EXPECT_EQ(outer.list().size(), 2U);
}

TEST(Faults, InTheOrderOfFilesAndLinesElseAsTheyCame) {
    Faults faults;
    faults.add({"a", "", "x", "g", 1});
    faults.add({"b", "", "x", "f", 10});
    faults.add({"c", "", "x", "f", 9});
    faults.add({"d", "", "x", "f", 9});
    faults.sort();
    EXPECT_EQ(faults.lines(), (Lines{"f:9: c: x", "f:9: d: x", "f:10: b: x", "g:1: a: x"}));
}

}  // namespace
}  // namespace wimax
