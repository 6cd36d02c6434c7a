// SPDX-License-Identifier: GPL-3.0-or-later
// Management connections of a subscriber station: queued messages of the basic and primary one, their requests, and
// received fragments; the secondary one, if it is managed.
#pragma once

#include "mac/air/polling_membership.h"
#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/secondary_connection.h"
#include "mac/ss/request_record.h"

namespace wimax::mac {

struct ManagementConnections {
    ManagementQueue queue;
    RequestRecord request;
    Reassembler primary{Reassembler::kManagementOctets};
    PollingMembership polling;
    std::unique_ptr<SecondaryConnection> secondary;  ///< null: the station is unmanaged

    /// Octets that messages and the secondary connection's packets need.
    size_t demand() const { return queue.demand() + (secondary ? secondary->transmitter->demand() : 0); }
    void forget() {
        secondary.reset();
        queue.clear();
        request.clear();
        polling = {};
        primary = Reassembler(Reassembler::kManagementOctets);
    }
};

}  // namespace wimax::mac
