// SPDX-License-Identifier: GPL-3.0-or-later
// TUN or TAP interface with address, MTU, routes and network namespace. The interface is removed with its descriptor,
// also when the process is killed. The destructor removes the namespace if it was made here or by a killed predecessor
// and no program runs in it.
#pragma once

#include "common/faults.h"
#include "mac/station_config.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wimax::macd {

struct RouteConfig {
    std::string to, via;
};

struct TunConfig {
    mac::UserLink kind = mac::UserLink::ip;  ///< ethernet: a TAP interface
    bool enabled = true;
    std::string name = "wimax0";
    std::string netns;
    std::string address = "10.1.0.1/24";
    std::string ipv6_address;  ///< empty: no IPv6
    std::string peer;
    uint16_t mtu = 1500;
    uint32_t txqueuelen = 1000;
    std::vector<RouteConfig> routes;
};

bool is_interface_name(std::string_view name);
bool is_netns_name(std::string_view name);

class Tun {
public:
    /// The error names the failed call, the missing right and the command to type.
    static tl::expected<std::unique_ptr<Tun>, Fault> open(const TunConfig& config);
    ~Tun();
    Tun(const Tun&) = delete;
    Tun& operator=(const Tun&) = delete;

    /// Next packet from the kernel; empty: none. Valid until the next call. Packets other than IPv4, or IPv6 if the
    /// interface has such an address, are dropped and counted.
    std::span<const uint8_t> read();
    /// False: the kernel refused it (counted).
    bool write(std::span<const uint8_t> packet);

    struct Counters {
        uint64_t packets_in = 0, bytes_in = 0;    ///< from the user
        uint64_t packets_out = 0, bytes_out = 0;  ///< to the user
        uint64_t not_ipv4 = 0, write_errors = 0;
    };
    const Counters& counters() const { return counters_; }

private:
    Tun(int fd, const TunConfig& config, bool remove_netns);
    bool takes(std::span<const uint8_t> packet) const;

    int fd_;
    std::string netns_;
    bool remove_netns_, ipv6_, frames_;
    Counters counters_;
    std::vector<uint8_t> buffer_;
};

}  // namespace wimax::macd
