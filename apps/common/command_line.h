// SPDX-License-Identifier: GPL-3.0-or-later
// The style that all programs with a command line of CLI11 share: names in the usage line, spellings of options,
// suggestions. wimax_tools/command_line.py is the same for commands in Python.
#pragma once

#include "common/faults.h"

#include <string>

namespace CLI {
class App;
}

namespace wimax::command_line {

/// How users call a program: "wimax iq" for "wimax-iq".
std::string command_of(const std::string& program);

/// Names the program without its path, and headings as argparse has them. Call it before options are added.
void style(CLI::App& app, const std::string& program);

/// Parses; options may be written with hyphens or underscores. False: help or version was printed, end with 0. An
/// error is one line, with a suggestion for an unknown option.
tl::expected<bool, Fault> parse(CLI::App& app, int argc, char** argv);

/// Whether this file (a descriptor) shows colours: a terminal, without NO_COLOR in the environment.
bool shows_colours(int descriptor);

}  // namespace wimax::command_line
