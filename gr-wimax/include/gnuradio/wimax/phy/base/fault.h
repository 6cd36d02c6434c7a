/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why something cannot be done, the same for all: the error of each tl::expected that has a reason to give, and what
 * apps/common/faults.h collects. Exceptions are left to the edges, where a library throws or wants to be thrown at.
 */
#pragma once

#include <tl/expected.hpp>

#include <string>

namespace gr::wimax::phy {

struct Fault {
    std::string key{};      ///< "bursts[2].rate_id", "--spec"; "": of nothing that has a name
    std::string value{};    ///< as whoever gave it would write it; "": none, `allowed` is the whole reason
    std::string allowed{};  ///< what would be right there, else why it cannot be
    std::string file{};     ///< or command line option that it comes from; "": told elsewhere
    int line = 0;           ///< of the file, from 1; 0: of no line, told with a file only

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

using Outcome = tl::expected<void, Fault>;  ///< it is done, or why it is not

inline Fault out_of_range(std::string key, const std::string& value, const std::string& low, const std::string& high) {
    return {std::move(key), value, low + ".." + high};
}
inline Fault out_of_range(std::string key, int64_t value, int64_t low, int64_t high) {
    return out_of_range(std::move(key), std::to_string(value), std::to_string(low), std::to_string(high));
}

/// What went wrong where no value is at fault.
inline tl::unexpected<Fault> failure(std::string key, std::string reason) {
    return tl::unexpected(Fault{std::move(key), {}, std::move(reason)});
}

}  // namespace gr::wimax::phy
