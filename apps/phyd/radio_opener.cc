// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/radio_opener.h"

#include "phyd/phyd_log.h"

#include <fmt/format.h>

#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace wimax::phyd {
namespace {

constexpr std::chrono::seconds kRetry{1};
constexpr uint32_t kFailuresPerLine = 60;  ///< one minute of failures

}  // namespace

/// Shared with the thread that opens the radio.
struct RadioOpener::Opening {
    std::mutex mutex;
    bool finished = false, unavailable = false;
    std::unique_ptr<Transceiver> air;
    std::string fault;
    sap::ConfigRequest request;
};

RadioOpener::RadioOpener(const PhydConfig& config, OpenTransceiver open, Outbox& outbox)
    : config_(config), open_air_(std::move(open)), outbox_(outbox) {}
RadioOpener::~RadioOpener() = default;

bool RadioOpener::take(const sap::ConfigRequest& request) {
    const bool repeated = wanted_ && request.mac_session == request_.mac_session;
    request_ = request;
    if (!repeated) retry_at_ = {};
    return repeated;
}

void RadioOpener::want() {
    wanted_ = true;
    if (!opening_ && std::chrono::steady_clock::now() >= retry_at_) open();
}

void RadioOpener::retry(Time at) {
    wanted_ = true;
    retry_at_ = at;
}

void RadioOpener::open() {
    opening_ = std::make_shared<Opening>();
    opening_->request = request_;
    std::thread([state = opening_, &config = config_, &outbox = outbox_, open = open_air_] {
        std::unique_ptr<Transceiver> air;
        std::string fault;
        bool unavailable = false;
        try {
            auto opened = open(config, state->request, outbox);
            if (opened) air = std::move(*opened);
            else fault = opened.error().str();
        } catch (const gr::wimax::DeviceUnavailable& e) {
            fault = e.what();
            unavailable = true;
        } catch (const std::exception& e) {
            fault = e.what();
        }
        const std::lock_guard guard(state->mutex);
        state->air = std::move(air);
        state->fault = fault;
        state->unavailable = unavailable;
        state->finished = true;
    }).detach();
}

RadioOpener::Result RadioOpener::poll() {
    if (!opening_) {
        if (wanted_ && std::chrono::steady_clock::now() >= retry_at_) open();
        return {};
    }
    {
        const std::lock_guard guard(opening_->mutex);
        if (!opening_->finished) return {};
    }
    const auto done = std::exchange(opening_, nullptr);
    if (!done->air) {
        report_failure(done->fault, done->unavailable);
        retry_at_ = std::chrono::steady_clock::now() + kRetry;
        if (done->unavailable || !std::exchange(wanted_, false)) return {};
        return {nullptr, done->fault};
    }
    if (!done->air->serves(request_)) return {};  // the MAC has another configuration now: opened by the next poll()
    wanted_ = false;
    describe(*done->air);
    return {std::move(done->air)};
}

/// GNU Radio allocates its buffers here. That fails without shared memory, or where it cannot store its preferences.
bool RadioOpener::start(Transceiver& air) {
    try {
        air.start();
    } catch (const std::exception& e) {
        report_failure(e.what(), true);
        retry(std::chrono::steady_clock::now() + kRetry);
        return false;
    }
    if (failures_ > 0) radio_log().info(log::kNoFrame, "the radio is there, at try {}", failures_ + 1);
    failures_ = 0;
    return true;
}

/// Once for each radio: a station that searches channels opens the same one again and again.
void RadioOpener::describe(const Transceiver& air) {
    const std::string& now = air.radio().description;
    if (now == std::exchange(description_, now) || !radio_log().enabled(log::Level::info)) return;
    std::istringstream lines(now);
    for (std::string line; std::getline(lines, line);)
        radio_log().write(log::Level::info, log::kNoFrame, "radio: " + line);
}

/// Logs each fault when it appears, and then once per kFailuresPerLine failures.
void RadioOpener::report_failure(const std::string& fault, bool unavailable) {
    if (fault != failure_) failures_ = 0;
    failure_ = fault;
    if (failures_ % kFailuresPerLine == 0)
        radio_log().error(log::kNoFrame, "{}{}{}", fault, unavailable ? "; tried again each second" : "",
                          failures_ ? fmt::format(", {} times so far", failures_) : "");
    ++failures_;
}

}  // namespace wimax::phyd
