// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of managed stations (6.3.9.10 to 6.3.9.12), for both roles, and what they name: the management network's
// interface and the key of configuration files.
#pragma once

#include "common/config.h"
#include "mac/managed_config.h"
#include "macd/tun.h"

#include <string>

namespace wimax::macd {

struct ManagedOptions {
    mac::ManagedNetwork network;  ///< without its addresses, which are below
    std::string interface = "wimax-m0";
    std::string address = "10.253.0.1/16";
    std::string relay_address = "10.253.0.2";
    std::string server_address;      ///< empty: that of `address`
    std::string lab_folder;          ///< empty: `wimax up` starts no servers
    mac::ManagedSubscriber station;  ///< without its key
    std::string file_key;            ///< file of hexadecimal digits
};

void declare(config::Schema& schema, ManagedOptions& options);

/// Adopts the keys of one role. Faults are added by key.
void load(const ManagedOptions& options, mac::ManagedNetwork& to);
void load(const ManagedOptions& options, mac::ManagedSubscriber& to, config::LocatedFaults& faults);

/// The management network's interface, in the namespace of the user's.
TunConfig management_interface(const ManagedOptions& options, const TunConfig& user);

}  // namespace wimax::macd
