// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/log.h"
#include "common/config.h"
#include "common/line_limits.h"
#include "common/printable.h"
#include "common/realtime.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace wimax::log {
namespace {

constexpr std::array<std::string_view, 6> kLevelNames{"trace", "debug", "info", "warning", "error", "off"};
constexpr size_t kQueueLines = 8192;

struct Registry {
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<Layer>, std::less<>> layers;
    Level initial = Level::info;
};
Registry& registry() {
    static Registry* r = new Registry;  // never destroyed: threads may log until the very end
    return *r;
}

struct Output {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::logger> logger;
};

/// Whole lines, in the writer's thread. A line that cannot be written is lost, and spdlog reports why now and then.
class RotatingSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit RotatingSink(RotatingFile file) : file_(std::move(file)) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        if (!file_.write(std::string_view(line.data(), line.size()))) spdlog::throw_spdlog_ex("log.file", errno);
    }
    void flush_() override {}

    RotatingFile file_;
};

std::mutex output_mutex;  // of start() and stop()

/// The output in use, if any. Its mutex is locked only while the pointer is copied: C++20 deprecates std::atomic_load
/// of a shared_ptr, which does the same.
class CurrentOutput {
public:
    std::shared_ptr<Output> get() {
        const std::lock_guard lock(mutex_);
        return output_;
    }
    /// Returns the previous output.
    std::shared_ptr<Output> exchange(std::shared_ptr<Output> next) {
        const std::lock_guard lock(mutex_);
        return std::exchange(output_, std::move(next));
    }

private:
    std::mutex mutex_;
    std::shared_ptr<Output> output_;
};
CurrentOutput output;

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::trace: return spdlog::level::trace;
        case Level::debug: return spdlog::level::debug;
        case Level::info: return spdlog::level::info;
        case Level::warning: return spdlog::level::warn;
        case Level::error: return spdlog::level::err;
        case Level::off: return spdlog::level::off;
    }
    return spdlog::level::info;
}

thread_local const std::string* speaker = nullptr;

}  // namespace

Speaker::Speaker(const std::string& name) { speaker = &name; }
Speaker::~Speaker() { speaker = nullptr; }

std::optional<Level> parse_level(std::string_view text) {
    const auto it = std::ranges::find(kLevelNames, text);
    if (it == kLevelNames.end()) return std::nullopt;
    return static_cast<Level>(it - kLevelNames.begin());
}

std::string_view to_string(Level level) { return kLevelNames[static_cast<size_t>(level)]; }

struct Layer::Limits {
    std::mutex mutex;
    LineLimits lines{{{20, 0.25}, {100, 1}}};
};

Layer::Layer(std::string name) : limits_(std::make_unique<Limits>()), name_(std::move(name)) {}
Layer::~Layer() = default;

void Layer::write_limited(Level level, int64_t frame, const char* format, std::string text) {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    std::string note;
    {
        const std::lock_guard lock(limits_->mutex);
        if (!limits_->lines.allow(LineLimits::kOwn, reinterpret_cast<uintptr_t>(format), now.count(), note)) return;
    }
    write(level, frame, text + note);
}

void Layer::write(Level level, int64_t frame, std::string_view text) {
    char head[48];
    const int n =
        frame < 0 ? std::snprintf(head, sizeof head, "%-5.12s        - ", name_.c_str())
                  : std::snprintf(head, sizeof head, "%-5.12s %8lld ", name_.c_str(), static_cast<long long>(frame));
    std::string line(head, static_cast<size_t>(n));
    if (speaker != nullptr) line += printable_line(*speaker) + ": ";
    line += printable_line(text);
    if (const auto out = output.get()) {
        out->logger->log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
        return;
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

Layer& layer(std::string_view name) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    auto it = r.layers.find(name);
    if (it == r.layers.end()) {
        it = r.layers.emplace(std::string(name), std::make_unique<Layer>(std::string(name))).first;
        it->second->set_level(r.initial);
    }
    return *it->second;
}

bool set_level(std::string_view layer_name, Level level) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    const auto it = r.layers.find(layer_name);
    if (it == r.layers.end()) return false;
    it->second->set_level(level);
    return true;
}

std::vector<std::pair<std::string, Level>> levels() {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    std::vector<std::pair<std::string, Level>> all;
    for (const auto& [name, l] : r.layers) all.emplace_back(name, l->level());
    return all;
}

void declare(config::Schema& schema, Options& options, const std::vector<std::string>& layer_names) {
    schema.group("log", "logs; lines have the layer and the frame number of the event");
    schema.text("log.file", options.file, "file to which lines are appended; -: standard error");
    config::declare(schema, "log.", options.rotation);
    const std::vector<std::string> names(kLevelNames.begin(), kLevelNames.end());
    schema.choice("log.level", options.level, names, "level of the layers that are set to default");
    std::vector<std::string> own = names;
    own.emplace_back("default");
    options.layers.clear();
    for (const auto& name : layer_names) options.layers.emplace_back(name, "default");
    for (auto& [name, level] : options.layers)
        schema.choice("log." + name, level, own, "level of layer " + name + "; default: log.level");
}

Outcome start(const Options& options) {
    auto out = std::make_shared<Output>();
    try {
        spdlog::sink_ptr sink;
        if (options.file == "-" || options.file.empty()) sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
        else if (auto file = RotatingFile::open(options.file, options.rotation, RotatingFile::Start::append))
            sink = std::make_shared<RotatingSink>(std::move(*file));
        else return failure("log.file", file.error().str());
        out->pool = std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1, go_in_background);
        out->logger = std::make_shared<spdlog::async_logger>("wimax", sink, out->pool,
                                                             spdlog::async_overflow_policy::overrun_oldest);
    } catch (const std::exception& e) {
        return failure("log.file", options.file + ": " + e.what());
    }
    out->logger->set_pattern("%H:%M:%S.%e %^%L%$ %v");
    out->logger->set_level(spdlog::level::trace);
    out->logger->flush_on(spdlog::level::warn);

    const Level all = parse_level(options.level).value_or(Level::info);
    {
        Registry& r = registry();
        const std::lock_guard lock(r.mutex);
        r.initial = all;
        for (const auto& [name, l] : r.layers) l->set_level(all);
    }
    for (const auto& [name, text] : options.layers) {
        layer(name).set_level(parse_level(text).value_or(all));
    }
    const std::lock_guard lock(output_mutex);
    spdlog::drop("wimax");
    spdlog::register_logger(out->logger);
    spdlog::flush_every(std::chrono::seconds(1));
    output.exchange(out);
    return {};
}

void stop() {
    const std::lock_guard lock(output_mutex);
    auto out = output.exchange(nullptr);
    if (!out) return;
    out->logger->flush();
    spdlog::shutdown();
    out.reset();  // joins the writer thread after the queue is empty
}

}  // namespace wimax::log
