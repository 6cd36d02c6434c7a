// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/key_files.h"

#include "common/safe_files.h"

namespace wimax::macd {
namespace {

constexpr size_t kMostBytes = 1 << 20;

}  // namespace

bool read_key_file(const std::string& key, const std::string& path, KeyText& text, config::LocatedFaults& faults,
                   bool secret) {
    const auto refused = [&](const std::string& allowed) {
        faults.add(key, path.empty() ? "(empty)" : path, allowed);
        return false;
    };
    const auto file = open_regular(path, kMostBytes);
    if (!file) return refused("a file that can be read; this one: " + file.error().allowed);
    if (secret && !is_owners_alone(*file)) return refused("a file of this user, open to its owner alone: chmod 600");
    auto whole = read_whole(*file, path);
    if (!whole) return refused("a file that can be read; this one: " + whole.error().allowed);
    text.octets = std::move(*whole);
    return true;
}

}  // namespace wimax::macd
