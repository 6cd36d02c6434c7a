// SPDX-License-Identifier: GPL-3.0-or-later
// Files with certificates and keys that a configuration names.
#pragma once

#include "common/config.h"
#include "mac/privacy/secret.h"

#include <string>

namespace wimax::macd {

/// Contents of such a file, zeroed by the destructor.
struct KeyText {
    std::string octets;
    KeyText() = default;
    KeyText(const KeyText&) = delete;
    KeyText& operator=(const KeyText&) = delete;
    ~KeyText() { mac::privacy::wipe({reinterpret_cast<uint8_t*>(octets.data()), octets.size()}); }
};

/// Reads the file that the key names, of at most 1 MiB. False: a fault has been added. `secret`: no other user may read
/// the file.
bool read_key_file(const std::string& key, const std::string& path, KeyText& text, config::LocatedFaults& faults,
                   bool secret = false);

}  // namespace wimax::macd
