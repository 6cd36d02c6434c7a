// SPDX-License-Identifier: GPL-3.0-or-later
// Status of one end of privacy: state, keys by number and age, counters. It never contains a key.
#pragma once

#include "mac/clock.h"
#include "mac/privacy/pkm_clock.h"
#include "mac/privacy/privacy_counters.h"

#include <string>

namespace wimax::mac {

struct PrivacyFigures {
    std::string state;                                 ///< of authorization
    bool authorized = false;                           ///< there is an AK
    std::string suite;                                 ///< agreed on, as configurations name it; empty: none yet
    std::string certificate;                           ///< serial number, hex; base station only
    std::optional<int64_t> certificate_ends_s;         ///< since 1970; base station only
    std::optional<uint8_t> ak_sequence, tek_sequence;  ///< of the newest
    double ak_age_s = 0, tek_age_s = 0;                ///< since it was given, or made
    double ak_left_s = 0, tek_left_s = 0;              ///< of their lifetimes
    uint64_t authorizations = 0, auth_rejects = 0, auth_invalids = 0;
    uint64_t key_replies = 0, key_rejects = 0, tek_invalids = 0;
    size_t associations = 0;                     ///< SAs, with the primary one
    uint64_t sa_adds = 0;                        ///< SA Adds sent or received
    uint64_t unreadable = 0, wrong_digests = 0;  ///< PKM messages
    uint64_t downgrades = 0;                     ///< no suite in common, or one that was not offered
    privacy::PrivacyCounters counters;

    /// Counters that both ends of PKM have.
    void take_counters(const auto& pkm, const privacy::PrivacyCounters& dropped) {
        authorizations = pkm.authorizations;
        auth_rejects = pkm.auth_rejects;
        auth_invalids = pkm.auth_invalids;
        key_replies = pkm.key_replies;
        key_rejects = pkm.key_rejects;
        tek_invalids = pkm.tek_invalids;
        sa_adds = pkm.sa_adds;
        unreadable = pkm.unreadable;
        wrong_digests = pkm.wrong_digests;
        counters = dropped;
    }
    /// The keys of an end, and their remaining lifetime.
    void take_keys(const privacy::AuthorizationKeys& keys, const privacy::SecurityAssociation* primary,
                   const privacy::KeyTimes& since, const FrameClock& clock) {
        const auto between_s = [&clock](Samples begin, Samples end) {
            return static_cast<double>(std::max<Samples>(0, end - begin)) / static_cast<double>(clock.sample_rate_hz);
        };
        if (const auto* ak = keys.newest(clock.now)) {
            authorized = true;
            ak_sequence = ak->sequence;
            ak_age_s = between_s(since.ak, clock.now);
            ak_left_s = between_s(clock.now, ak->expires);
        }
        if (!primary || !primary->has_key()) return;
        tek_sequence = primary->newer_sequence();
        tek_age_s = between_s(since.tek, clock.now);
        tek_left_s = between_s(clock.now, primary->newer_expires());
    }
};

template <class V> void visit(V& v, const PrivacyFigures& s) {
    v("state", s.state);
    v("authorized", s.authorized);
    v("suite", s.suite);
    v("certificate", s.certificate);
    v.maybe("certificate_ends_s", s.certificate_ends_s);
    v.maybe("ak_sequence", s.ak_sequence);
    v("ak_age_s", s.ak_age_s);
    v("ak_left_s", s.ak_left_s);
    v.maybe("tek_sequence", s.tek_sequence);
    v("tek_age_s", s.tek_age_s);
    v("tek_left_s", s.tek_left_s);
    v("authorizations", s.authorizations);
    v("auth_rejects", s.auth_rejects);
    v("auth_invalids", s.auth_invalids);
    v("key_replies", s.key_replies);
    v("key_rejects", s.key_rejects);
    v("tek_invalids", s.tek_invalids);
    v("associations", s.associations);
    v("sa_adds", s.sa_adds);
    v("unreadable", s.unreadable);
    v("wrong_digests", s.wrong_digests);
    v("downgrades", s.downgrades);
    v("low_numbers", s.counters.pdus.low_numbers);
    v.object("messages", [&](auto& own) {
        own("unsigned", s.counters.unsigned_messages);
        own("old_key", s.counters.old_keys);
        own("replayed", s.counters.replayed_messages);
    });
    v.object("pdus", [&](auto& own) {
        own("opened", s.counters.pdus.opened);
        own("unknown_key", s.counters.pdus.unknown_key);
        own("forged", s.counters.pdus.forged);
        own("replayed", s.counters.pdus.replayed);
        own("unprotected", s.counters.pdus.unprotected);
    });
}

}  // namespace wimax::mac
