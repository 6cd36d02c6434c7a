// SPDX-License-Identifier: GPL-3.0-or-later
// YAML as a plain tree in which every value has its file and line. Anchors, aliases and a second document are refused:
// a configuration sets each key once.
#pragma once

#include "common/config.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wimax::config {

struct YamlNode {
    enum class Kind { null, scalar, sequence, map };
    struct Member;

    Kind kind = Kind::null;
    std::string text;  // scalar
    std::string file;
    int line = 0;
    std::vector<YamlNode> items;
    std::vector<Member> members;  // in the order of the file, repeated keys included

    /// For fault messages: the scalar itself, cut and with control characters escaped, or what kind of value it is.
    std::string shown() const;
};

struct YamlNode::Member {
    std::string key;
    int line = 0;
    YamlNode value;
};

/// Text that is not YAML yields a null node and faults.
YamlNode parse_yaml(std::string_view yaml, const std::string& file, Faults& faults);

/// Sets the value at a path such as "phy.bandwidth_hz" or "stations[1].mac" ("[n]" one past the end appends).
Outcome assign(YamlNode& root, std::string_view path, YamlNode value);

/// At most 60 characters, printable.
std::string shorten(std::string_view text);

}  // namespace wimax::config
