// SPDX-License-Identifier: GPL-3.0-or-later
// Logs by layer. A layer has its own level, changeable while running. A line costs one relaxed load when its level is
// off and a queue entry when it is on. A writer thread does the output; a full queue drops its oldest lines, so that
// logging never delays a frame. Lines have the number of their frame. From level info on, each kind of line has a
// budget (LineLimits), so that no peer fills a disk.
//
//     static auto& mac = log::layer("mac");
//     mac.info(frame, "station {} registered", address);
#pragma once

#include "common/faults.h"
#include "common/rotating_file.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wimax::config {
class Schema;
}

namespace wimax::log {

enum class Level : int { trace, debug, info, warning, error, off };
/// "trace" .. "off"; nullopt for anything else.
std::optional<Level> parse_level(std::string_view text);
std::string_view to_string(Level level);

/// For lines that belong to no frame.
inline constexpr int64_t kNoFrame = -1;

class Layer {
public:
    explicit Layer(std::string name);
    ~Layer();
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;

    bool enabled(Level level) const { return static_cast<int>(level) >= level_.load(std::memory_order_relaxed); }
    void set_level(Level level) { level_.store(static_cast<int>(level), std::memory_order_relaxed); }
    Level level() const { return static_cast<Level>(level_.load(std::memory_order_relaxed)); }
    const std::string& name() const { return name_; }

    template <typename... A> void trace(int64_t frame, fmt::format_string<A...> text, A&&... args) {
        if (enabled(Level::trace)) write(Level::trace, frame, fmt::format(text, std::forward<A>(args)...));
    }
    template <typename... A> void debug(int64_t frame, fmt::format_string<A...> text, A&&... args) {
        if (enabled(Level::debug)) write(Level::debug, frame, fmt::format(text, std::forward<A>(args)...));
    }
    template <typename... A> void info(int64_t frame, fmt::format_string<A...> text, A&&... args) {
        if (enabled(Level::info))
            write_limited(Level::info, frame, fmt::string_view(text).data(),
                          fmt::format(text, std::forward<A>(args)...));
    }
    template <typename... A> void warn(int64_t frame, fmt::format_string<A...> text, A&&... args) {
        if (enabled(Level::warning))
            write_limited(Level::warning, frame, fmt::string_view(text).data(),
                          fmt::format(text, std::forward<A>(args)...));
    }
    template <typename... A> void error(int64_t frame, fmt::format_string<A...> text, A&&... args) {
        if (enabled(Level::error))
            write_limited(Level::error, frame, fmt::string_view(text).data(),
                          fmt::format(text, std::forward<A>(args)...));
    }
    /// Text without a limit: for lists that belong together, and for lines that have had a budget already. Control
    /// characters of terminals are escaped.
    void write(Level level, int64_t frame, std::string_view text);

private:
    /// A peer may cause the line again and again: each format string has a budget. `format`: which one it is.
    void write_limited(Level level, int64_t frame, const char* format, std::string text);

    struct Limits;
    std::unique_ptr<Limits> limits_;
    std::string name_;
    std::atomic<int> level_{static_cast<int>(Level::info)};
};

/// While it exists, lines of this thread begin with `name` and a colon: of a program with many stations. One at a time.
class Speaker {
public:
    explicit Speaker(const std::string& name);
    ~Speaker();
    Speaker(const Speaker&) = delete;
    Speaker& operator=(const Speaker&) = delete;
};

/// The layer of that name, created at first use; lives until the process ends. Thread safe.
Layer& layer(std::string_view name);
/// False: no such layer exists.
bool set_level(std::string_view layer_name, Level level);
std::vector<std::pair<std::string, Level>> levels();

struct Options {
    std::string file = "-";  ///< "-": standard error
    RotationLimits rotation;
    std::string level = "info";
    std::vector<std::pair<std::string, std::string>> layers;  ///< filled by declare()
};

/// Adds log.file, log.level and log.<layer> for each name to a program's schema.
void declare(config::Schema& schema, Options& options, const std::vector<std::string>& layer_names);
/// Opens the output and sets the levels; without it, lines are written to standard error at once.
Outcome start(const Options& options);
/// Writes queued lines out; later lines are written directly to standard error.
void stop();

}  // namespace wimax::log
