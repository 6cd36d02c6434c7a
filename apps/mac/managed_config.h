// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration of managed stations (6.3.9.10 to 6.3.9.12): stations with a secondary management connection, over which
// they get an address (DHCP), the time (RFC 868) and a configuration file (TFTP) before they operate.
#pragma once

#include "mac/ip_address.h"

#include <cstdint>
#include <vector>

namespace wimax::mac {

/// At a subscriber station. Times are of the sample clock. Each wait is twice the one before.
struct ManagedSubscriber {
    bool offered = false;  ///< REG-REQ offers a secondary management connection
    bool arq = false;      ///< and ARQ on it
    /// What has to succeed. A step that fails otherwise is reported, and the set-up continues. A file needs the
    /// address.
    bool needs_address = true, needs_time = false, needs_file = true;
    uint32_t first_wait_ms = 1000, longest_wait_ms = 16'000;  ///< for a response of any server
    uint32_t address_tries = 5, time_tries = 3;               ///< requests
    uint32_t file_request_tries = 16;                         ///< of each block of a download
    uint32_t file_download_tries = 3;
    uint32_t file_pause_ms = 120'000;  ///< between two downloads
    uint32_t t26_ms = 200;             ///< TFTP-CPLT is sent again after this time without TFTP-RSP
    std::vector<uint8_t> file_key;     ///< of the HMAC-SHA256 of configuration files
};

enum class ManagedPolicy : uint8_t {
    off,      ///< all stations are unmanaged
    allowed,  ///< stations that offer it are managed
    required  ///< the others are sent away
};

/// At a base station: the network behind the secondary management connections. The base station relays DHCP to a
/// server in that network (RFC 2131, 4.1; RFC 1542) and forwards the packets between its addresses and the stations.
struct ManagedNetwork {
    ManagedPolicy policy = ManagedPolicy::off;
    uint32_t t13_ms = 900'000;                       ///< REG-RSP to TFTP-CPLT
    AddressMask subnet{};                            ///< of management addresses; its address is this host's
    uint32_t relay_address = 0, server_address = 0;  ///< host order; giaddr, and the DHCP server
};

}  // namespace wimax::mac
