// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/config.h"
#include "common/scratch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace wimax::config {
namespace {

struct Station {
    std::string mac;
    uint8_t rate = 6;
    bool operator==(const Station&) const = default;
};
enum class Role { bs, ss };
struct Config {
    Role role = Role::bs;
    double bandwidth_hz = 5e6;
    int64_t frequency_hz = 3'500'000'000;
    int16_t power = -3;
    std::optional<uint32_t> seed;
    bool tun = true;
    std::string name = "tun0";
    std::vector<Station> stations;
    std::vector<std::vector<int>> taps;
};

void bind(Schema& s, Config& c) {
    s.choice<Role>("role", c.role, {{"bs", Role::bs}, {"ss", Role::ss}}, "which end");
    s.group("phy", "Radio");
    s.number("phy.bandwidth_hz", c.bandwidth_hz, {1.25e6, 28e6}, "Hz", "channel bandwidth").option("--bandwidth");
    s.number("phy.frequency_hz", c.frequency_hz, {1e6, 11e9}, "Hz", "carrier");
    s.number("phy.power", c.power, {-100, 50}, "dBm", "power");
    s.number("phy.seed", c.seed, {}, "", "seed");
    s.flag("tun.enabled", c.tun, "have a TUN interface");
    s.text("tun.name", c.name, "name of the interface");
    s.list(
        "stations", c.stations,
        [](Schema& item, Station& st) {
            item.text("mac", st.mac, "address").required();
            item.number("rate", st.rate, {0, 6}, "", "rate");
            item.check([&st](LocatedFaults& faults) {
                if (st.mac == "bad") faults.add("mac", st.mac, "anything else");
            });
        },
        "stations", 0, 3);
    s.list(
        "taps", c.taps,
        [](Schema& row, std::vector<int>& taps) {
            row.list(
                "", taps, [](Schema& leaf, int& v) { leaf.number("", v, {}, "", "tap"); }, "taps");
        },
        "tap table");
}

struct Fixture {
    Config config;
    Schema schema{"wimax-test", "a test"};
    Fixture() { bind(schema, config); }
    std::vector<std::string> load(std::string_view yaml, const std::vector<std::string>& set = {}) {
        return schema.load(yaml, "f.yml", set).lines();
    }
};

using Strings = std::vector<std::string>;

TEST(Config, ReadsEverything) {
    Fixture f;
    EXPECT_EQ(f.load(R"(
role: ss
phy: {bandwidth_hz: 3.5e6, frequency_hz: 0x80000000, power: -20, seed: 7}
tun:
  enabled: false
  name: "null"
stations:
  - mac: "02:00"
    rate: 2
  - {mac: b}
taps: [[1, 2], [], [3]]
)"),
              Strings{});
    EXPECT_EQ(f.config.role, Role::ss);
    EXPECT_EQ(f.config.bandwidth_hz, 3.5e6);
    EXPECT_EQ(f.config.frequency_hz, 0x80000000);
    EXPECT_EQ(f.config.power, -20);
    EXPECT_EQ(f.config.seed, 7U);
    EXPECT_FALSE(f.config.tun);
    EXPECT_EQ(f.config.name, "null");
    EXPECT_EQ(f.config.stations, (std::vector<Station>{{"02:00", 2}, {"b", 6}}));
    EXPECT_EQ(f.config.taps, (std::vector<std::vector<int>>{{1, 2}, {}, {3}}));
}

TEST(Config, AllFaultsAtOnceWithTheirLines) {
    Fixture f;
    EXPECT_EQ(f.load("role: cpe\n"
                     "phy:\n"
                     "  bandwith_hz: 5e6\n"
                     "  frequency_hz: 12e9\n"
                     "  power: 1.5\n"
                     "  seed: -1\n"
                     "  power: 3\n"
                     "tun: yes\n"
                     "stations:\n"
                     "  - rate: 7\n"
                     "  - mac: [1]\n"
                     "power: 2\n"),
              (Strings{
                  "f.yml:1: role: value cpe: allowed bs, ss",
                  "f.yml:3: phy.bandwith_hz: unknown key, did you mean phy.bandwidth_hz?",
                  "f.yml:4: phy.frequency_hz: value 12e9: allowed integers 1000000..11000000000",
                  "f.yml:5: phy.power: value 1.5: allowed integers -100..50",
                  "f.yml:6: phy.seed: value -1: allowed integers 0..4294967295 or null",
                  "f.yml:7: phy.power: given twice: allowed once, the first is in line 5",
                  "f.yml:8: tun: value yes: allowed are the keys enabled, name",
                  "f.yml:10: stations[0].rate: value 7: allowed integers 0..6",
                  "f.yml:10: stations[0].mac: value (missing): allowed text",
                  "f.yml:11: stations[1].mac: value (list): allowed text",
                  "f.yml:12: power: unknown key, did you mean phy.power?",
              }));
}

TEST(Config, RulesAcrossFieldsPointAtTheirLine) {
    Fixture f;
    f.schema.check([&](LocatedFaults& faults) { faults.add("phy.power", "3", "less than the seed"); });
    EXPECT_EQ(f.load("phy:\n  power: 3\nstations:\n  - mac: ok\n"),
              Strings{"f.yml:2: phy.power: value 3: allowed less than the seed"});
    EXPECT_EQ(f.load("stations:\n  - mac: ok\n  - mac: bad\n"),
              Strings{"f.yml:3: stations[1].mac: value bad: allowed anything else"});
    EXPECT_EQ(f.load("role: bs\nphy: {seed: 1}"), Strings{"f.yml:2: phy.power: value 3: allowed less than the seed"});
}

TEST(Config, AssignmentsOverrideTheFile) {
    Fixture f;
    EXPECT_EQ(f.load("phy: {power: 1}\nstations: [{mac: a}]\n",
                     {"phy.power=9", "stations[1].mac=b", "taps=[[5]]", "tun.name=x"}),
              Strings{});
    EXPECT_EQ(f.config.power, 9);
    EXPECT_EQ(f.config.stations, (std::vector<Station>{{"a", 6}, {"b", 6}}));
    EXPECT_EQ(f.config.taps, (std::vector<std::vector<int>>{{5}}));
    EXPECT_EQ(f.load("", {"tun.name=-"}), Strings{});
    EXPECT_EQ(f.config.name, "-");
    EXPECT_EQ(f.load("", {"tun.name=\"\"", "phy.seed=null"}), Strings{});
    EXPECT_EQ(f.config.name, "");
    EXPECT_EQ(f.load("", {"phy.power=900", "nonsense", "stations[5].mac=x", "tun.nam=1"}),
              (Strings{
                  "--set nonsense: allowed KEY=VALUE",
                  "--set phy.power=900: phy.power: value 900: allowed integers -100..50",
                  "--set stations[5].mac=x: index 5: allowed 0..0",
                  "--set tun.nam=1: tun.nam: unknown key, did you mean tun.name?",
              }));
}

/// Every malformed index has the same error, and the file's value stays.
TEST(Config, AnIndexOfAnAssignmentIsANumberInBrackets) {
    for (const char* path : {"stations[", "stations[]", "stations[0", "stations[x]", "stations[1x]", "stations[x1]",
                             "stations[-1]", "stations[+0]", "stations[ 0]", "stations[0 ]", "stations[0x0]",
                             "stations[99999999999999999999]", "stations[0.5]"}) {
        Fixture f;
        const auto faults = f.load("stations: [{mac: a}]\n", {std::string(path) + ".mac=b"});
        ASSERT_EQ(faults.size(), 1U) << path;
        EXPECT_NE(faults[0].find("index is not [number]"), std::string::npos) << path << ": " << faults[0];
    }
    Fixture f;
    EXPECT_EQ(f.load("stations: [{mac: a}]\n", {"stations[0].mac=b", "stations[1].mac=c", "stations[2].mac=d"}),
              Strings{});
    EXPECT_EQ(f.config.stations, (std::vector<Station>{{"b", 6}, {"c", 6}, {"d", 6}}));
    EXPECT_EQ(f.load("stations: [{mac: a}]\n", {"stations[2].mac=b"}),
              Strings{"--set stations[2].mac=b: index 2: allowed 0..1"});
    for (const auto& [option, why] : {std::pair{"phy.=1", "key ends with a point"}, {"phy..power=1", "empty key"}}) {
        const auto faults = f.load("", {option});
        ASSERT_EQ(faults.size(), 1U) << option;
        EXPECT_NE(faults[0].find(why), std::string::npos) << faults[0];
    }
}

TEST(Config, WhatIsPrintedReadsBackTheSame) {
    Fixture f;
    ASSERT_EQ(f.load("role: ss\ntun: {name: 'a\"b\\c'}\nphy: {seed: 5}\nstations: [{mac: x}, {mac: y, rate: 0}]\n"
                     "taps: [[1],[2,3]]\n"),
              Strings{});
    const std::string printed = f.schema.print();
    Fixture g;
    EXPECT_EQ(g.load(printed), Strings{}) << printed;
    EXPECT_EQ(g.schema.print(), printed);
    EXPECT_EQ(g.config.name, "a\"b\\c");
    EXPECT_EQ(g.config.stations, f.config.stations);
    EXPECT_EQ(g.config.taps, f.config.taps);
    Fixture h;
    EXPECT_EQ(h.load(f.schema.print(true)), Strings{}) << f.schema.print(true);
    EXPECT_EQ(h.schema.print(), printed);
}

TEST(Config, ReferenceShowsOneListElement) {
    Fixture f;
    const std::string reference = f.schema.print(true);
    EXPECT_NE(reference.find("# channel bandwidth [Hz]; allowed: numbers 1250000..28000000"), std::string::npos)
        << reference;
    EXPECT_NE(reference.find("mac: \"\""), std::string::npos) << reference;
    Fixture g;
    EXPECT_EQ(g.load(reference), Strings{}) << reference;
    EXPECT_TRUE(g.config.stations.empty());
}

TEST(Config, RefusesWhatIsNotPlainYaml) {
    Fixture f;
    EXPECT_EQ(f.load("a: [1,\n  }"), Strings{"f.yml:2: not YAML: illegal flow end"});
    EXPECT_EQ(f.load("role: &x bs\ntun: {name: *x}"),
              (Strings{"f.yml:1: anchor: allowed are plain values", "f.yml:2: alias: allowed are plain values",
                       "f.yml:2: tun.name: value (nothing): allowed text"}));
    EXPECT_EQ(f.load("role: bs\n---\nrole: ss\n"), Strings{"f.yml:3: second document: allowed is one"});
    EXPECT_FALSE(f.load(std::string(5000, '[')).empty());
    EXPECT_FALSE(f.load("[1,2]").empty());
    EXPECT_FALSE(f.load("just text").empty());
    EXPECT_TRUE(f.load("").empty());
}

TEST(Config, NumbersAreExact) {
    uint64_t u = 0;
    EXPECT_TRUE(parse_number("18446744073709551615", {}, u));
    EXPECT_EQ(u, UINT64_MAX);
    EXPECT_FALSE(parse_number("18446744073709551616", {}, u));
    EXPECT_TRUE(parse_number("0x20E9FA102240", {}, u));
    EXPECT_EQ(u, 0x20E9FA102240U);
    int64_t i = 0;
    EXPECT_TRUE(parse_number("-9223372036854775808", {}, i));
    EXPECT_EQ(i, INT64_MIN);
    EXPECT_TRUE(parse_number("-7", {}, i));
    EXPECT_EQ(i, -7);
    EXPECT_TRUE(parse_number("5e6", {}, i));
    EXPECT_EQ(i, 5'000'000);
    uint8_t b = 0;
    for (const char* bad : {"256", "-1", "1.5", "", " 1", "1 ", "0x", "nan", "inf", "1e400", "--1"})
        EXPECT_FALSE(parse_number(bad, {}, b)) << bad;
    double d = 0;
    EXPECT_FALSE(parse_number("nan", {}, d));
    EXPECT_FALSE(parse_number("inf", {}, d));
    EXPECT_TRUE(parse_number("-0.5", {-1, 1}, d));
    EXPECT_EQ(d, -0.5);
}

std::optional<int> run(Schema& schema, std::vector<std::string> arguments, std::string* out, std::string* err) {
    std::vector<char*> argv;
    arguments.insert(arguments.begin(), "wimax-test");
    for (auto& a : arguments) argv.push_back(a.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto status = configure(static_cast<int>(argv.size()), argv.data(), schema, [] {
        return Derived{{"sample_rate_hz", "5760000"}};
    });
    *out = testing::internal::GetCapturedStdout();
    *err = testing::internal::GetCapturedStderr();
    return status;
}

TEST(Configure, CommandLine) {
    std::string out, err;
    {
        Fixture f;
        EXPECT_EQ(run(f.schema, {"--dry-run", "--bandwidth", "7e6", "--set", "tun.name=z"}, &out, &err), 0);
        EXPECT_NE(out.find("bandwidth_hz: 7e+06"), std::string::npos) << out;
        EXPECT_NE(out.find("sample_rate_hz: 5760000"), std::string::npos);
        Fixture g;
        EXPECT_EQ(g.load(out), Strings{});
        EXPECT_EQ(g.config.name, "z");
    }
    {
        Fixture f;
        EXPECT_EQ(run(f.schema, {"--phy.bandwidth_hz", "1", "--role=x"}, &out, &err), 2);
        EXPECT_NE(err.find("phy.bandwidth_hz: value 1: allowed"), std::string::npos) << err;
        EXPECT_NE(err.find("role: value x"), std::string::npos) << err;
        EXPECT_EQ(out, "");
    }
    {
        Fixture f;
        EXPECT_EQ(run(f.schema, {"--bogus"}, &out, &err), 2);
        Fixture g;
        EXPECT_EQ(run(g.schema, {"--config", "/dev/null/x.yml"}, &out, &err), 2);
        EXPECT_NE(err.find("/dev/null/x.yml"), std::string::npos);
    }
    {
        Fixture f;
        EXPECT_EQ(run(f.schema, {"--help"}, &out, &err), 0);
        EXPECT_NE(out.find("--phy.bandwidth_hz"), std::string::npos) << out;
        EXPECT_EQ(run(f.schema, {"--version"}, &out, &err), 0);
        EXPECT_EQ(run(f.schema, {"--write-reference"}, &out, &err), 0);
        Fixture g;
        EXPECT_EQ(g.load(out), Strings{}) << out;
        EXPECT_EQ(run(f.schema, {}, &out, &err), std::nullopt);
    }
}

TEST(Configure, FormerNamesAreRefusedByTheNewOne) {
    Fixture f;
    f.schema.renamed("phy", "radio");  // a group of this name, given as the scalar it once was
    f.schema.renamed("gain", "phy.power");
    f.schema.renamed("air.loss", "phy.seed");
    EXPECT_EQ(f.load("role: bs\nphy: 7\nair: 1\n", {"gain=4"}),
              (Strings{"--set gain=4: gain: is called phy.power now", "f.yml:2: phy: is called radio now",
                       "f.yml:3: air: unknown key; allowed: role, phy, tun, stations, taps"}));
    EXPECT_EQ(f.load("phy: {power: 3}\n"), Strings{});
    std::string out, err;
    EXPECT_EQ(run(f.schema, {"--gain", "3"}, &out, &err), 2);
    EXPECT_NE(err.find("gain: is called phy.power now"), std::string::npos) << err;
}

/// A list without a value is not an empty one, a text has no control characters, and both faults name the key's line.
TEST(Config, NothingIsNoListAndATextIsPrintable) {
    Fixture f;
    EXPECT_EQ(f.load("stations:\n\n\ntaps:\n"),
              (Strings{"f.yml:1: stations: value (nothing): allowed a list of 0..3 elements; [] for an empty list",
                       "f.yml:4: taps: value (nothing): allowed a list of 0..10000 elements; [] for an empty list"}));
    EXPECT_EQ(f.load("tun: {name: \"a\\e[2Jb\"}\n"),
              Strings{"f.yml:1: tun.name: value a\\x1b[2Jb: allowed text without control characters"});
    EXPECT_EQ(f.load("stations: []\ntaps: []\ntun: {name: \"\xC3\xA4\"}\n"), Strings{});
}

/// A file that a full disk or an editor has truncated. A file with document markers is complete with both of them.
TEST(Configure, AFileThatWasCutStartsNothing) {
    const std::string path = Scratch::path("cut.yml"), whole = "---\n# head\nrole: bs\nphy:\n  power: 9\n# end\n...\n";
    std::string out, err;
    const auto starts = [&](const std::string& text) {
        std::ofstream(path) << text;
        Fixture f;
        out.clear(), err.clear();
        return run(f.schema, {"--config", path}, &out, &err) == std::nullopt;
    };
    for (const char* none : {"", "\n", "# role: bs\n", "---\n", "---\n...\n", "  \n\t\n"}) {
        EXPECT_FALSE(starts(none)) << none;
        EXPECT_EQ(err, path + ": value (nothing): allowed a file with at least one key; was it cut?\n");
    }
    for (size_t length = 0; length + 1 < whole.size(); ++length)
        EXPECT_FALSE(starts(whole.substr(0, length))) << length;
    EXPECT_TRUE(starts(whole));
    EXPECT_TRUE(starts(whole + "\n# after\n"));
    EXPECT_TRUE(starts("role: bs\n"));
    EXPECT_TRUE(starts("# first\r\n---\r\nrole: bs\r\n...\r\n"));
    EXPECT_FALSE(starts("# first\n---\nrole: bs\n"));
    EXPECT_NE(err.find("was it cut?"), std::string::npos) << err;
    std::remove(path.c_str());
}

TEST(Configure, FaultyFileStartsNothing) {
    const std::string path = Scratch::path("faulty.yml");
    std::ofstream(path) << "role: bs\nphy:\n  power: 99\n";
    Fixture f;
    std::string out, err;
    EXPECT_EQ(run(f.schema, {"--config", path}, &out, &err), 2);
    EXPECT_EQ(err, path + ":3: phy.power: value 99: allowed integers -100..50\n");
    std::remove(path.c_str());
}

}  // namespace
/// A group or a list that may be one word.
struct Worded {
    bool on = false;
    int size = 3;
    std::vector<int> values{7};
    bool group_given = false;
};
void declare(Schema& s, Worded& w) {
    s.number("group.size", w.size, {1, 9}, "", "size");
    s.word(
        "group",
        [&w](std::string_view text) {
            w.on = text == "on";
            return w.on || text == "off";
        },
        [&w] { return std::string(w.on ? "on" : ""); }, "on, off");
    s.list(
        "values", w.values,
        [](Schema& i, int& v) {
            i.number("", v, {0, 9}, "", "");
        },
        "values", 1, 3);
    s.word(
        "values",
        [&w](std::string_view text) {
            w.values.assign(1, 0);
            return wimax::config::parse_number(text, {0, 9}, w.values[0]);
        },
        [&w] { return w.values.size() == 1 ? std::to_string(w.values[0]) : std::string(); }, "0..9");
    s.check([&w](wimax::config::LocatedFaults& faults) { w.group_given = faults.given("group"); });
}

TEST(Word, StandsWhereKeysOrElementsDo) {
    const auto load = [](Worded& w, const std::string& yaml) {
        Schema s;
        declare(s, w);
        const auto faults = s.load(yaml, "f.yml").str();
        return faults.empty() ? s.print() : faults;
    };
    Worded word, keys, wrong, nothing;
    EXPECT_EQ(load(word, "group: on\nvalues: 4\n"), "group: on\nvalues: 4\n");
    EXPECT_EQ(load(keys, "group: {size: 5}\nvalues: [1, 2]\n"), "group:\n  size: 5\nvalues:\n  - 1\n  - 2\n");
    EXPECT_TRUE(keys.group_given);
    EXPECT_EQ(keys.size, 5);
    EXPECT_EQ(load(nothing, "group:\nvalues:\n"), "group:\n  size: 3\nvalues: 7\n");
    EXPECT_FALSE(nothing.group_given);
    EXPECT_EQ(
        load(wrong, "group: maybe\nvalues: ten\n"),
        "f.yml:1: group: value maybe: allowed on, off, or keys: size; f.yml:2: values: value ten: allowed 0..9, or a "
        "list of 1..3 elements");
    EXPECT_TRUE(load(wrong, "values: []\n").starts_with("f.yml:1: values: value 0 elements: allowed 0..9, or a list"));
}

}  // namespace wimax::config
