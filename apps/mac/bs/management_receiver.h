// SPDX-License-Identifier: GPL-3.0-or-later
// Dispatches management messages of stations that have CIDs.
#pragma once

#include "mac/bs/entry_service.h"

namespace wimax::mac {

class ManagementReceiver {
public:
    /// All outlive the object.
    struct Dependencies {
        RangingService& ranging;
        EntryService& entry;
        ServiceFlowManager& flows;
        LinkService& links;
        PollingGroups& polling;
        ManagementQueue& broadcast_replies;  ///< sent in burst #1
        PrivacyService& privacy;
    };
    explicit ManagementReceiver(const Dependencies& dependencies) : to_(dependencies) {}

    void receive(Subscriber& station, Octets message);

private:
    void on_deregistration(Subscriber& station);

    const Dependencies to_;
};

}  // namespace wimax::mac
