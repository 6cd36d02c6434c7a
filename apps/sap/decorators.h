// SPDX-License-Identifier: GPL-3.0-or-later
// Ports around ports: each wraps another and looks the same, so that they stack in any order.
#pragma once

#include "common/faults.h"
#include "common/rotating_file.h"
#include "sap/port.h"

#include <functional>
#include <memory>
#include <string>

namespace wimax::sap {

/// A debug line in layer "sap" for each message.
std::unique_ptr<Port> with_log(std::unique_ptr<Port> inner);

/// Writes both directions to a file of length-prefixed envelopes:
///   "WIMAXSAP" 1, then for each message: u8 direction ('>' sent, '<' received), u32 parts,
///   for each part u32 length, octets
/// (integers little-endian; parts as on the wire, the envelope first). No record is written in part.
/// A file that follows another has "WIMAXSAP" 2 and u32, the number of files before it, in place of "WIMAXSAP" 1.
tl::expected<std::unique_ptr<Port>, Fault> with_recorder(std::unique_ptr<Port> inner, const std::string& path,
                                                         const RotationLimits& limits = {0, 1});

/// Plays a recording: poll() returns the recorded messages without delay, but each only after as many messages were
/// sent as before it in the recording. Messages sent are compared with the recording.
class Replayer : public Port {
public:
    virtual bool finished() const = 0;         ///< nothing left to receive
    virtual uint64_t differences() const = 0;  ///< messages sent that the recording has otherwise
};
/// Reads the files before it (FILE.1 ...) first; without the very first one the recording has no beginning: fault.
/// `at_end`: called when poll() has no message: the recording is over, or waits for messages that are not sent.
tl::expected<std::unique_ptr<Replayer>, Fault> open_replayer(const std::string& path,
                                                             std::function<void()> at_end = {});

/// Seeded disturbance of both directions, for tests.
struct FaultPlan {
    uint64_t seed = 1;
    double drop = 0, duplicate = 0, swap = 0;  ///< probabilities per message; swap: delivered after the next one
};
std::unique_ptr<Port> with_faults(std::unique_ptr<Port> inner, const FaultPlan& plan);

}  // namespace wimax::sap
