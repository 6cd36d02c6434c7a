// SPDX-License-Identifier: GPL-3.0-or-later
// The common error type: the error of each tl::expected with a reason, collected by
// apps/common/faults.h. Exceptions are used only at the edges to libraries that throw or require them.
#pragma once

#include <tl/expected.hpp>

#include <string>

namespace gr::wimax::phy {

struct Fault {
    std::string key{};      ///< "bursts[2].rate_id", "--spec"; "": none
    std::string value{};    ///< as the user wrote it; "": none, `allowed` is the whole reason
    std::string allowed{};  ///< allowed values, or the reason
    std::string file{};     ///< or command line option with the value; "": reported elsewhere
    int line = 0;           ///< line in the file, from 1; 0: none. Only with a file

    /// "station.yml:12: bs.cp: value 1/5: allowed 1/4, 1/8"
    std::string str() const {
        std::string out = file;
        if (!file.empty() && line > 0) out += ":" + std::to_string(line);
        if (!out.empty()) out += ": ";
        if (!key.empty()) out += key + ": ";
        if (!value.empty()) out += "value " + value + ": allowed ";
        return out + allowed;
    }
    bool operator==(const Fault&) const = default;
};

using Outcome = tl::expected<void, Fault>;  ///< success, or the reason of the failure

inline Fault out_of_range(std::string key, const std::string& value, const std::string& low, const std::string& high) {
    return {std::move(key), value, low + ".." + high};
}
inline Fault out_of_range(std::string key, int64_t value, int64_t low, int64_t high) {
    return out_of_range(std::move(key), std::to_string(value), std::to_string(low), std::to_string(high));
}

/// A failure without a faulty value.
inline tl::unexpected<Fault> failure(std::string key, std::string reason) {
    return tl::unexpected(Fault{std::move(key), {}, std::move(reason)});
}

}  // namespace gr::wimax::phy
