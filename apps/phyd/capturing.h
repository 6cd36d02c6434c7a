// SPDX-License-Identifier: GPL-3.0-or-later
// One capture at a time: armed by the operator for an event, taken by the ring around it, written by a separate thread
// without delay for others.
#pragma once

#include "phyd/sample_ring.h"

#include "common/faults.h"

#include <nlohmann/json.hpp>

#include <future>
#include <memory>
#include <optional>
#include <string>

namespace wimax::phyd {

enum class CaptureTrigger : uint8_t {
    hand,         ///< at once
    fec_failure,  ///< a burst that could not be corrected
    sync_loss,    ///< of a subscriber station
    late,         ///< a response, or samples at the radio
    clip,         ///< a sample at full scale
};

class Capturing {
public:
    ~Capturing();

    /// Properties of the open radio; ring nullptr: no radio.
    struct OpenRadio {
        std::shared_ptr<SampleRing> ring;
        double sample_rate_hz = 0;
        std::string description;
        int64_t now = 0;  ///< number after the newest sample
    };
    /// `value`: {"file": name of a SigMF pair, "trigger": hand (or absent), fec_failure, sync_loss, late, clip}, or
    /// null: disarm. Replaces a capture that still waits for its event.
    Faults arm(const nlohmann::json& value, const OpenRadio& radio);
    bool waits_for(CaptureTrigger what) const { return armed_ && trigger_ == what; }
    /// The event of the armed capture, at this sample of the open radio.
    void happened(int64_t sample, const std::shared_ptr<SampleRing>& ring);
    /// Call it regularly: writes the taken samples, and logs finished files.
    void poll(const std::shared_ptr<SampleRing>& ring);
    /// "idle", "armed", "taking" or "writing"; file and trigger of the last one, its fault, how many were written.
    nlohmann::json state() const;

private:
    struct Written {
        Outcome outcome;
        size_t samples = 0;
    };
    void forget();

    std::string file_, description_;
    double sample_rate_hz_ = 0;
    CaptureTrigger trigger_ = CaptureTrigger::hand;
    bool armed_ = false, taking_ = false;
    std::shared_ptr<SampleRing> ring_;  ///< that is taking, or being written
    std::future<Written> writing_;
    std::string fault_;
    uint64_t written_ = 0;
};

}  // namespace wimax::phyd
