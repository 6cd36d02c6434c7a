// SPDX-License-Identifier: GPL-3.0-or-later
// A received burst whose PDUs and broadcast messages are each read once, however many stations ask: those of a
// simulated cell receive the same octets.
#pragma once

#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"
#include "mac/pdu/ul_map_index.h"

#include <tuple>
#include <vector>

namespace wimax::mac {

/// Every station looks at such PDUs: bandwidth requests, and those on the broadcast, initial ranging and padding CIDs.
bool is_for_all(const Pdu& pdu);

class ReadBurst {
public:
    /// `burst` outlives its use here, and has fewer than 65535 PDUs (the SAP carries at most 36846). Does not allocate
    /// for a burst with no more PDUs than earlier ones.
    void read(Octets burst);

    size_t size() const { return pdus_.size(); }
    /// Pre: `i` < size(). Without its CRC's style: see usable().
    const Pdu& pdu(size_t i) const { return pdus_[i].pdu; }
    /// First PDU with this CID from the i-th on; size(): none. kBroadcast finds all that are is_for_all(), which have
    /// no other CID here. May pass all PDUs.
    size_t next(uint16_t cid, size_t i) const { return places_.next(cid, i); }
    /// False: no PDU has this CID. True for a CID that is not there is possible.
    bool may_have(uint16_t cid) const { return places_.may_have(cid); }
    /// Null: its CRC is wrong, or it is padding. Pre: `i` < size().
    const Pdu* usable(size_t i);
    /// The burst could not be followed to its end.
    bool stopped() const { return stopped_; }
    /// The message in octets of this burst or elsewhere; null: malformed. Valid until the next one of its kind.
    template <class Message> const Message* decoded(Octets message) {
        auto& last = std::get<Decoded<Message>>(decoded_);
        const bool again = last.octets.data() == message.data() && last.octets.size() == message.size();
        if (again && !message.empty()) return last.result();
        last.good = decode(message, last.message).has_value();
        last.octets = contains(message) ? message : Octets();
        return last.result();
    }

private:
    struct Entry {
        Pdu pdu;
        bool checked = false;
    };
    template <class Message> struct Decoded {
        const Message* result() const { return good ? &message : nullptr; }
        Octets octets;  ///< in the burst; empty: none are kept
        bool good = false;
        Message message;
    };

    bool contains(Octets octets) const;

    Octets burst_;
    std::vector<Entry> pdus_;
    CidIndex places_;  ///< by CID
    bool stopped_ = false;
    std::tuple<Decoded<DlMap>, Decoded<IndexedUlMap>, Decoded<Dcd>, Decoded<Ucd>> decoded_;
};

}  // namespace wimax::mac
