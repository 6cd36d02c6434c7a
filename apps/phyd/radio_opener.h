// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the radio for the MAC's configuration, and tries again each second while there is none. A separate thread opens
// it, so that a device that needs seconds does not delay a signal.
#pragma once

#include "phyd/transceiver.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace wimax::phyd {

class RadioOpener {
public:
    RadioOpener(const PhydConfig& config, OpenTransceiver open, Outbox& outbox);
    ~RadioOpener();

    /// The MAC's last configuration. True: the MAC repeats its request while the radio is being opened. The request of
    /// another session is not delayed by a failure before it.
    bool take(const sap::ConfigRequest& request);
    const sap::ConfigRequest& request() const { return request_; }

    /// Opens a radio for the last configuration, now or when the pause after a failure ends.
    void want();
    /// The radio was lost: opens another one with the next poll().
    void reopen() { retry(Time{}); }
    /// Opens no radio until the MAC requests one.
    void cancel() { wanted_ = false; }
    bool wanted() const { return wanted_; }
    /// The thread exists. It cannot be interrupted, only abandoned.
    bool opening() const { return opening_ != nullptr; }

    struct Result {
        std::unique_ptr<Transceiver> air;      ///< nullptr: no radio yet
        std::optional<std::string> refusal{};  ///< why no radio can have this configuration; nothing more is tried
    };
    Result poll();
    /// Starts the flowgraph of an open radio. False: it failed and is to be closed; another one is opened later.
    bool start(Transceiver& air);

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Opening;

    void open();
    void retry(Time at);
    void describe(const Transceiver& air);
    void report_failure(const std::string& fault, bool unavailable);

    const PhydConfig& config_;
    const OpenTransceiver open_air_;
    Outbox& outbox_;
    std::shared_ptr<Opening> opening_;
    sap::ConfigRequest request_;
    bool wanted_ = false;
    Time retry_at_{};
    std::string description_;  ///< of the radio that was logged last
    std::string failure_;      ///< the last one that was logged
    uint32_t failures_ = 0;    ///< in a row
};

}  // namespace wimax::phyd
