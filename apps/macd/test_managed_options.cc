// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of managed stations, the files that they name, and the management network's interface.
#include "macd/macd_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace wimax::macd {
namespace test_managed_options {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

class ManagedOptionsTest : public ::testing::Test {
protected:
    ManagedOptionsTest() {
        char name[] = "/tmp/wimax-managed-XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~ManagedOptionsTest() override { fs::remove_all(folder_); }

    /// Open to its owner alone.
    std::string key_file(const std::string& text) const {
        const fs::path path = folder_ / "key.hex";
        fs::remove(path);
        std::ofstream(path) << text;
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return path.string();
    }
    struct Loaded {
        MacdConfig config;
        config::Schema schema{"wimax-macd", "test"};
        Strings faults;
    };
    /// `keys`: of the group managed.
    static std::unique_ptr<Loaded> load(const std::string& role, const std::string& keys) {
        auto out = std::make_unique<Loaded>();
        declare(out->schema, out->config);
        const std::string anyone = role == "bs" ? "bs: {accept_unknown: true}\ntun: {netns: cell}\n" : "";
        out->faults = out->schema.load("role: " + role + "\n" + anyone + "managed: {" + keys + "}\n", "f").lines();
        return out;
    }
    static std::string fault_of(const std::string& role, const std::string& keys) {
        const auto loaded = load(role, keys);
        return loaded->faults.size() == 1 ? loaded->faults[0] : std::to_string(loaded->faults.size()) + " faults";
    }
    fs::path folder_;
};

TEST_F(ManagedOptionsTest, OffNeedsNeitherAddressesNorKey) {
    EXPECT_EQ(load("bs", "relay_address: '', address: 10.0.0.1")->faults, Strings{});
    EXPECT_EQ(load("ss", "file_key: /nowhere")->faults, Strings{});
    EXPECT_EQ(load("bs", "")->config.bs.managed.policy, mac::ManagedPolicy::off);
    EXPECT_FALSE(load("ss", "")->config.ss.managed.offered);
}

TEST_F(ManagedOptionsTest, NetworkOfTheBaseStation) {
    const auto loaded = load("bs", "policy: required, address: 10.3.4.5/16, relay_address: 10.3.0.9, interface: m7");
    ASSERT_EQ(loaded->faults, Strings{});
    const mac::ManagedNetwork& network = loaded->config.bs.managed;
    EXPECT_EQ(network.policy, mac::ManagedPolicy::required);
    EXPECT_EQ(network.subnet.address, mac::IpAddress(0x0A030405));
    EXPECT_EQ(network.subnet.mask, mac::AddressMask(0, 0xFFFF0000).mask);
    EXPECT_EQ(network.relay_address, 0x0A030009u);
    EXPECT_EQ(network.server_address, 0x0A030405u) << "this host, if no other is named";
    EXPECT_EQ(network.t13_ms, 900'000u);
    const TunConfig tun = management_interface(loaded->config.managed, loaded->config.tun);
    EXPECT_EQ(tun.name, "m7");
    EXPECT_EQ(tun.address, "10.3.4.5/16");
    EXPECT_EQ(tun.netns, "cell");
    EXPECT_EQ(load("bs", "policy: allowed, server_address: 10.9.9.9")->config.bs.managed.server_address, 0x0A090909u);
}

TEST_F(ManagedOptionsTest, WrongNetworks) {
    for (const auto& [keys, key] : std::vector<std::pair<std::string, std::string>>{
             {"policy: allowed, relay_address: ''", "f:4: managed.relay_address: value 0.0.0.0"},
             {"policy: allowed, relay_address: 10.253.0.1", "f:4: managed.relay_address: value 10.253.0.1"},
             {"policy: allowed, relay_address: 10.253.0.1, server_address: 10.253.0.7",
              "f:4: managed.relay_address: value 10.253.0.1"},
             {"policy: allowed, relay_address: 10.253.0.999", "f:4: managed.relay_address: value 10.253.0.999"},
             {"policy: allowed, address: 10.253.0.1/33", "f:4: managed.address: value 10.253.0.1/33"},
             {"policy: allowed, server_address: dhcp", "f:4: managed.server_address: value dhcp"},
             {"policy: allowed, interface: a/b", "f:4: managed.interface: value a/b"},
             {"policy: always", "f:4: managed.policy: value always"},
             {"t13_ms: 10", "f:4: managed.t13_ms: value 10"}})
        EXPECT_EQ(fault_of("bs", keys).find(key), 0u) << fault_of("bs", keys);
}

TEST_F(ManagedOptionsTest, KeyOfConfigurationFiles) {
    const std::string octet = "0aF";  // with one more digit below
    std::string digits;
    while (digits.size() < 32) digits += octet + "0";
    const auto loaded = load("ss", "offered: true, file_key: " + key_file(digits + "\r\n"));
    ASSERT_EQ(loaded->faults, Strings{});
    ASSERT_EQ(loaded->config.ss.managed.file_key.size(), 16u);
    EXPECT_EQ(loaded->config.ss.managed.file_key[0], 0x0A);
    EXPECT_EQ(loaded->config.ss.managed.file_key[1], 0xF0);
    EXPECT_EQ(load("ss", "offered: true, file_key: " + key_file(std::string(128, 'a')))->faults, Strings{});
    for (const std::string& text : {std::string(), std::string(30, 'a'), std::string(33, 'a'), std::string(130, 'a'),
                                    std::string(31, 'a') + "g", std::string(16, 'a') + " " + std::string(16, 'a')})
        EXPECT_NE(fault_of("ss", "offered: true, file_key: " + key_file(text)).find("32 to 128 hexadecimal digits"),
                  std::string::npos)
            << text;
}

TEST_F(ManagedOptionsTest, KeyFilesOfOthersAreRefused) {
    const std::string path = key_file(std::string(64, '5'));
    fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
    EXPECT_NE(fault_of("ss", "offered: true, file_key: " + path).find("open to its owner alone"), std::string::npos);
    EXPECT_NE(fault_of("ss", "offered: true, file_key: /nowhere").find("managed.file_key"), std::string::npos);
}

TEST_F(ManagedOptionsTest, WrongStations) {
    const std::string key = "file_key: " + key_file(std::string(64, '5'));
    for (const auto& [keys, fault] : std::vector<std::pair<std::string, std::string>>{
             {"first_wait_ms: 200, longest_wait_ms: 199", "f:2: managed.longest_wait_ms: value 199"},
             {"needs_address: false", "f:2: managed.needs_address: value false"},
             {"t26_ms: 9", "f:2: managed.t26_ms: value 9"},
             {"address_tries: 0", "f:2: managed.address_tries: value 0"},
             {"file_request_tries: 101", "f:2: managed.file_request_tries: value 101"}})
        EXPECT_EQ(fault_of("ss", "offered: true, " + key + ", " + keys).find(fault), 0u)
            << fault_of("ss", "offered: true, " + key + ", " + keys);
    EXPECT_EQ(load("ss", "offered: true, " + key + ", first_wait_ms: 200, longest_wait_ms: 200")->faults, Strings{});
    EXPECT_EQ(load("ss", "needs_address: false")->faults, Strings{}) << "it offers nothing";
    EXPECT_EQ(load("ss", "offered: true, needs_address: false, needs_file: false")->faults, Strings{});
}

/// A station that needs a file needs the key; without it, it refuses all files.
TEST_F(ManagedOptionsTest, NoKey) {
    EXPECT_EQ(fault_of("ss", "offered: true").find("f:2: managed.file_key: value (empty)"), 0u)
        << fault_of("ss", "offered: true");
    const auto loaded = load("ss", "offered: true, needs_file: false");
    EXPECT_EQ(loaded->faults, Strings{});
    EXPECT_TRUE(loaded->config.ss.managed.file_key.empty());
}

}  // namespace test_managed_options
}  // namespace wimax::macd
