// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/sample_capture.h"

#include "phy/base/decibels.h"
#include "recording/capture_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace wimax::radio {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double kCaptureTimeoutS = 0.2;
constexpr size_t kBlock = 64;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Examines each packet when it arrives.
class Watcher {
public:
    Watcher(const BenchRadio& radio, const CaptureOptions& options)
        : radio_(radio), options_(options), limit_(phy::power_of_db(options.threshold_dbfs) * kBlock) {}

    /// Sample of the event, by the radio's count, if this packet has it.
    std::optional<int64_t> look() {
        const auto packet = radio_.newest();
        if (packet.empty()) return std::nullopt;
        const int64_t first = radio_.now() - static_cast<int64_t>(packet.size());
        const uint64_t lost = radio_.lost_samples() - std::exchange(lost_, radio_.lost_samples());
        switch (options_.trigger) {
            case Trigger::hand: return first;
            case Trigger::overflow: return lost > 0 ? std::optional(first) : std::nullopt;
            case Trigger::clip: return clipped(packet, first);
            case Trigger::power: return strong(packet, first);
        }
        return std::nullopt;
    }

private:
    static std::optional<int64_t> clipped(std::span<const Complex> packet, int64_t first) {
        constexpr float kFullScale = 0.99996F;  // of 16 bits
        const auto at = std::find_if(packet.begin(), packet.end(), [](const Complex& s) {
            return std::abs(s.real()) >= kFullScale || std::abs(s.imag()) >= kFullScale;
        });
        return at == packet.end() ? std::nullopt : std::optional(first + (at - packet.begin()));
    }

    /// A block may begin in the packet before.
    std::optional<int64_t> strong(std::span<const Complex> packet, int64_t first) {
        for (size_t i = 0; i < packet.size(); ++i) {
            sum_ += std::norm(packet[i]);
            if (++count_ < kBlock) continue;
            const bool above = sum_ >= limit_;
            sum_ = 0;
            count_ = 0;
            if (above) return first + static_cast<int64_t>(i + 1) - static_cast<int64_t>(kBlock);
        }
        return std::nullopt;
    }

    const BenchRadio& radio_;
    const CaptureOptions& options_;
    const double limit_;
    double sum_ = 0;
    size_t count_ = 0;
    uint64_t lost_ = 0;
};

Outcome write(const BenchRadio& radio, const CaptureOptions& options, std::span<const Complex> samples, size_t event) {
    const std::string what =
        fmt::format("{} at {:.0f} Hz, bandwidth {} Hz, rx gain {:g} dB", radio.choice().device,
                    radio.choice().frequency_hz, radio.choice().bandwidth_hz, radio.frontend().rx_gain_db());
    return iq::write_capture(
        {options.file, static_cast<double>(radio.rate_hz()), what, to_string(options.trigger), "wimax-radio", event},
        std::span(&samples, 1));
}

}  // namespace

const char* to_string(Trigger trigger) {
    switch (trigger) {
        case Trigger::hand: return "hand";
        case Trigger::power: return "power";
        case Trigger::clip: return "clip";
        case Trigger::overflow: return "overflow";
    }
    return "";
}

tl::expected<ordered_json, Fault> capture_samples(BenchRadio& radio, const CaptureOptions& options,
                                                  const std::function<bool(double, const std::string&)>& go_on) {
    const auto rate = static_cast<double>(radio.rate_hz());
    const auto before = static_cast<int64_t>(options.before_s * rate),
               after = static_cast<int64_t>(options.after_s * rate);
    constexpr size_t kReserve = 1 << 18;  // several packets
    radio.keep(static_cast<size_t>(before + after) + kReserve);
    Watcher watcher(radio, options);
    std::optional<int64_t> event;
    const auto begin = Clock::now();
    while (!event || radio.now() < *event + after) {
        const double past = seconds_since(begin);
        if (!go_on(past / options.timeout_s, event ? "after the event" : "waiting")) return failure("", "stopped");
        if (past > options.timeout_s)
            return failure("capture", fmt::format("no {} within {:g} s; nothing is written", to_string(options.trigger),
                                                  options.timeout_s));
        if (const auto on = radio.listen(kCaptureTimeoutS); !on) return tl::unexpected(on.error());
        const auto seen = watcher.look();
        if (!event && seen && *seen >= radio.kept_from() + before) event = seen;
    }
    const int64_t first = std::max(*event - before, radio.kept_from());
    const auto samples = radio.heard(first, static_cast<size_t>(*event + after - first));
    if (samples.empty()) return failure("capture", "samples were lost right behind the event");
    const auto at = static_cast<size_t>(*event - first);
    if (const auto written = write(radio, options, samples, at); !written) return tl::unexpected(written.error());
    return ordered_json{
        {"file", options.file},      {"trigger", to_string(options.trigger)}, {"trigger_sample", at},
        {"samples", samples.size()}, {"sample_rate_hz", radio.rate_hz()},     {"lost_samples", radio.lost_samples()}};
}

std::string capture_table(const ordered_json& r) {
    return fmt::format(
        "{}: {} samples, the event ({}) at {}\nlook at it: ./wimax iq decode --in {} --spec SPEC.json --report PAGE\n",
        r["file"].get<std::string>(), r["samples"].get<size_t>(), r["trigger"].get<std::string>(),
        r["trigger_sample"].get<size_t>(), r["file"].get<std::string>());
}

}  // namespace wimax::radio
