// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and PDUs that privacy has dropped (7.5), at either end.
#pragma once

#include "mac/privacy/authorization_keys.h"
#include "mac/privacy/payload_protection.h"

namespace wimax::mac::privacy {

struct PrivacyCounters {
    PayloadCounters pdus;
    uint64_t unsigned_messages = 0;  ///< management messages without a tuple, or with a wrong one
    uint64_t old_keys = 0;           ///< with one of a key that is not in force
    uint64_t replayed_messages = 0;

    void count(Proof proof) {
        switch (proof) {
            case Proof::genuine: break;
            case Proof::no_tuple:
            case Proof::wrong: ++unsigned_messages; break;
            case Proof::old_key: ++old_keys; break;
            case Proof::replayed: ++replayed_messages; break;
        }
    }
};

}  // namespace wimax::mac::privacy
