// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/capturing.h"

#include "common/log.h"
#include "common/realtime.h"
#include "recording/capture_file.h"
#include "recording/sigmf_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace wimax::phyd {
namespace {

constexpr std::array<std::pair<const char*, CaptureTrigger>, 5> kTriggers{{
    {"hand", CaptureTrigger::hand},
    {"fec_failure", CaptureTrigger::fec_failure},
    {"sync_loss", CaptureTrigger::sync_loss},
    {"late", CaptureTrigger::late},
    {"clip", CaptureTrigger::clip},
}};
constexpr const char* kAllowedTriggers = "hand, fec_failure, sync_loss, late, clip";

const char* name_of(CaptureTrigger trigger) { return kTriggers[static_cast<size_t>(trigger)].first; }

std::string text_at(const nlohmann::json& value, const char* key, const char* absent) {
    if (!value.contains(key)) return absent;
    return value[key].is_string() ? value[key].get<std::string>() : value[key].dump();
}

}  // namespace

Capturing::~Capturing() {
    if (writing_.valid()) writing_.wait();
}

void Capturing::forget() {
    armed_ = taking_ = false;
    ring_.reset();
}

Faults Capturing::arm(const nlohmann::json& value, const OpenRadio& radio) {
    Faults faults;
    if (value.is_null() && !taking_) {
        armed_ = false;
        return faults;
    }
    if (!value.is_object()) {
        faults.add({}, value.dump(), "{\"file\": ..., \"trigger\": ...}, or null");
        return faults;
    }
    const std::string file = text_at(value, "file", ""), trigger = text_at(value, "trigger", "hand");
    if (!iq::is_sigmf(file)) faults.add("file", file, "a name that ends in .sigmf-data");
    const auto* known =
        std::find_if(kTriggers.begin(), kTriggers.end(), [&](const auto& t) { return trigger == t.first; });
    if (known == kTriggers.end()) faults.add("trigger", trigger, kAllowedTriggers);
    if (!radio.ring || radio.ring->capacity() == 0)
        faults.add({}, "capture", "only while the radio is open, with capture.length_ms");
    if (taking_) faults.add({}, "capture", "one at a time; the last one is not written yet");
    if (!faults.empty()) return faults;
    file_ = file;
    trigger_ = known->second;
    sample_rate_hz_ = radio.sample_rate_hz;
    description_ = radio.description;
    armed_ = true;
    fault_.clear();
    if (trigger_ == CaptureTrigger::hand) happened(radio.now, radio.ring);
    return faults;
}

void Capturing::happened(int64_t sample, const std::shared_ptr<SampleRing>& ring) {
    if (!ring || !ring->want(sample, ring->capacity() / 2)) return;
    armed_ = false;
    taking_ = true;
    ring_ = ring;
}

void Capturing::poll(const std::shared_ptr<SampleRing>& ring) {
    if (!taking_) return;
    if (writing_.valid()) {
        if (writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
        const auto [outcome, samples] = writing_.get();
        fault_ = outcome ? "" : outcome.error().str();
        written_ += outcome ? 1 : 0;
        auto& log = log::layer("radio");
        if (outcome)
            log.info(log::kNoFrame, "captured: {} samples around {}, in {}", samples, name_of(trigger_), file_);
        else log.error(log::kNoFrame, "not captured: {}", fault_);
        return forget();
    }
    if (!ring_->held()) {
        if (ring != ring_) forget();  // the radio was closed before the capture was complete
        return;
    }
    iq::CaptureFile what{file_, sample_rate_hz_, description_, name_of(trigger_), "wimax-phyd"};
    writing_ = std::async(std::launch::async, [held = ring_, file = std::move(what)]() mutable {
        go_in_background();
        const auto stretch = held->stretch();
        file.event = static_cast<size_t>(std::max<int64_t>(stretch.event - stretch.first, 0));
        Written written{iq::write_capture(file, stretch.parts), stretch.parts[0].size() + stretch.parts[1].size()};
        held->release();
        return written;
    });
}

nlohmann::json Capturing::state() const {
    const char* now = writing_.valid() ? "writing" : taking_ ? "taking" : armed_ ? "armed" : "idle";
    return {{"state", now}, {"file", file_}, {"trigger", name_of(trigger_)}, {"fault", fault_}, {"written", written_}};
}

}  // namespace wimax::phyd
