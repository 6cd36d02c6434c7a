// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of privacy (7), for both roles, and the files that they name: certificates, the list of revoked ones, a private
// key, which has to be its owner's alone, and where traffic keys are written for captures.
#pragma once

#include "common/config.h"
#include "mac/privacy_config.h"

#include <memory>
#include <string>
#include <vector>

namespace wimax::macd {

struct PrivacyOptions {
    mac::PrivacyPolicy policy = mac::PrivacyPolicy::off;
    std::string authorities, revoked;      ///< files
    std::string certificate, private_key;  ///< of a subscriber station
    std::vector<mac::PrivacySuite> suites{mac::PrivacySuite::aes_ccm};
    mac::PayloadForms forms;
    mac::PkmLifetimes lifetimes;
    mac::PkmTimers timers{.authorize_wait_s = 2};  ///< a base station waits for registration no longer than T17
    bool allow_key_log = false;
    std::string key_log;  ///< file; empty: none
};

void declare(config::Schema& schema, PrivacyOptions& options);

/// Reads the files of one role; nothing is read where privacy is off. Faults are added by key.
void load(const PrivacyOptions& options, mac::BaseStationPrivacy& to, config::LocatedFaults& faults);
void load(const PrivacyOptions& options, mac::SubscriberPrivacy& to, config::LocatedFaults& faults);

/// Appends one JSON object per line to a file that only its owner can read; null without key_log.
tl::expected<mac::KeyLog, Fault> open_key_log(const PrivacyOptions& options);

}  // namespace wimax::macd
