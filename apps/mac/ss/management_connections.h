// SPDX-License-Identifier: GPL-3.0-or-later
// Basic and primary management connection of a subscriber station: queued messages, their requests, and received
// fragments.
#pragma once

#include "mac/air/polling_membership.h"
#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/ss/request_record.h"

namespace wimax::mac {

struct ManagementConnections {
    ManagementQueue queue;
    RequestRecord request;
    Reassembler primary{Reassembler::kManagementOctets};
    PollingMembership polling;

    void forget() {
        queue.clear();
        request.clear();
        polling = {};
        primary = Reassembler(Reassembler::kManagementOctets);
    }
};

}  // namespace wimax::mac
