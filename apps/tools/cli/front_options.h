// SPDX-License-Identifier: GPL-3.0-or-later
// Options of a radio's front (channel/radio_front_fields.h), as the tools have them.
#pragma once

#include "channel/radio_front.h"
#include "common/faults.h"

#include <CLI/CLI.hpp>

#include <string>

namespace wimax::cli {

/// Full scale of the converter above a signal of mean power 1, for its peaks.
inline constexpr double kFullScaleDb = 12;

struct FrontOptions {
    channel::FrontConfig config{.full_scale_db = kFullScaleDb};
    std::string end = "receiver";  ///< or transmitter, both

    channel::FrontConfig transmitter() const { return end == "receiver" ? channel::FrontConfig{} : config; }
    channel::FrontConfig receiver() const { return end == "transmitter" ? channel::FrontConfig{} : config; }
};

void add_front(CLI::App& command, FrontOptions& options);

/// Rejects combinations of options that are not allowed; called after parsing.
Outcome check(const FrontOptions& options);

}  // namespace wimax::cli
