// SPDX-License-Identifier: GPL-3.0-or-later
// A library with queue management and a classifier for tests.
#include "policy/wimax_policy.h"

#include <stdexcept>

namespace {

class Queues final : public wimax::policy::QueueManager {
public:
    explicit Queues(const wimax_policy_cell&) {}
    /// A tenth for each waiting packet. Thirteen of them: an exception.
    void manage(const wimax_policy_queues& frame, std::span<wimax_policy_directive> directives) override {
        for (size_t i = 0; i < directives.size(); ++i) {
            if (frame.queues[i].packets == 13) throw std::runtime_error("thirteen");
            directives[i].drop_probability = static_cast<double>(frame.queues[i].packets) / 10;
            directives[i].codel = 0;
        }
    }
};

class Last final : public wimax::policy::Classifier {
public:
    explicit Last(const wimax_policy_cell&) {}
    int32_t classify(const wimax_policy_packet& packet) override { return static_cast<int32_t>(packet.flow_count) - 1; }
    bool every_packet() const override { return true; }
};

}  // namespace

WIMAX_POLICIES(Queues, Last)
