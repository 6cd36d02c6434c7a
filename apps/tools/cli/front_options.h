/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options of a radio's front (channel/radio_front_fields.h), as the tools have them.
 */
#pragma once

#include "channel/radio_front.h"
#include "common/faults.h"

#include <CLI/CLI.hpp>

#include <string>

namespace wimax::cli {

/// Where tools have a signal of mean power 1, which peaks: the converter has room for it.
inline constexpr double kFullScaleDb = 12;

struct FrontOptions {
    channel::FrontConfig config{.full_scale_db = kFullScaleDb};
    std::string end = "receiver";  ///< or transmitter, both

    channel::FrontConfig transmitter() const { return end == "receiver" ? channel::FrontConfig{} : config; }
    channel::FrontConfig receiver() const { return end == "transmitter" ? channel::FrontConfig{} : config; }
};

void add_front(CLI::App& command, FrontOptions& options);

/// What options together must not be, after parsing.
Outcome check(const FrontOptions& options);

}  // namespace wimax::cli
