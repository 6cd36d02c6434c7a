// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files of managed stations (6.3.9.12): stations they are for, time in which they are valid, service
// flows. The TLVs are in mac/pdu/dictionary.h; a signature covers all of them.
#pragma once

#include "mac/pdu/configuration_settings.h"
#include "mac/station_config.h"

#include <string>

namespace wimax::mac {

struct ConfigurationFile {
    static constexpr size_t kMostFlows = 16;

    std::vector<MacAddress> stations;                  ///< empty: any
    std::optional<int64_t> not_before_s, not_after_s;  ///< seconds since 1970
    std::vector<ServiceFlowConfig> flows;
};

/// Why a file is refused.
struct FileRefusal {
    std::string reason;
};

/// The file for the station of this MAC address, or why it is refused. The signature is verified
/// before any setting is read. `time_s`: now, seconds since 1970; nullopt: not known, so that a file with limits of
/// time is refused.
tl::expected<ConfigurationFile, FileRefusal> read_configuration_file(Octets file, Octets key, const MacAddress& mac,
                                                                     std::optional<int64_t> time_s);
/// Nullopt: the key is empty, or a limit is exceeded.
std::optional<Buffer> write_configuration_file(const ConfigurationFile& file, Octets key);

}  // namespace wimax::mac
