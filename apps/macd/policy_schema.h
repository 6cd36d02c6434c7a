// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of policies: a word names a built-in one, the keys below it the file of a loaded one.
#pragma once

#include "macd/bs_schema.h"

namespace wimax::macd {

void declare_scheduler(config::Schema& schema, const std::string& key, mac::SchedulerPolicy& policy,
                       mac::PolicyFile& file);
void declare_rate_policy(config::Schema& schema, const std::string& key, mac::RatePolicyKind& policy,
                         mac::PolicyFile& file);
void declare_admission(config::Schema& schema, const std::string& key, mac::PolicyFile& file);
void declare_queue_management(config::Schema& schema, const std::string& key, mac::PolicyFile& file);
void declare_classifier(config::Schema& schema, const std::string& key, mac::PolicyFile& file);
/// `at`: the calls that a limit of the user's has to leave time for.
void declare_policy_limit(config::Schema& schema, const std::string& key, uint32_t& limit_us, const std::string& at);

}  // namespace wimax::macd
