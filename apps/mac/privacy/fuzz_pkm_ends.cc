// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as messages at both ends of PKM that have keys, some with a digest that is right; and as PDUs of their SA.
#include "mac/privacy/payload_protection.h"
#include "mac/privacy/pkm_client.h"
#include "mac/privacy/pkm_server.h"
#include "mac/privacy/test_authority.h"

#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::privacy;

namespace {

constexpr uint16_t kCid = 33;

struct Lab {
    test::TestAuthority authority;
    test::MadeCertificate station = authority.station();
    TrustedAuthorities trusted = std::move(*TrustedAuthorities::from_pem(authority.pem_text(), ""));
    StationCredentials credentials = std::move(
        *StationCredentials::from_pem(test::pem(*station.certificate), authority.pem_text(), test::pem(*station.key)));
};
const Lab& lab() {
    static const Lab made;
    return made;
}

struct Ends {
    Ends() {
        client.start(0, kCid);
        for (int i = 0; i < 4; ++i) pass(250);
        if (!client.operational()) std::abort();
    }
    void pass(Samples time) {
        now += time;
        client.on_tick(now);
        server.on_tick(now);
        for (const auto& m : client.take_messages()) to_server(m);
        for (const auto& m : server.take_messages()) client.on_message(now, m);
    }
    void to_server(Octets message) { server.on_message(now, {lab().trusted, test::kNow}, message); }
    /// Appends a digest over the given octets.
    Buffer with_digest(Octets message, AuthorizationKeys& keys, Direction direction) {
        Buffer out(message.begin(), message.end());
        if (auto* ak = keys.newest(now))
            if (!sign_pkm(out, ak->digest(direction))) std::abort();
        return out;
    }
    static void open(SecurityAssociation* sa, Octets burst) {
        PduOpener opener;
        PayloadCounters counters;
        PduReader reader(burst);
        while (const auto pdu = reader.next_any())
            if (!pdu->is_request && pdu->header.ec) (void)opener.open(sa, *pdu, {}, counters);
        if (counters.opened > 0) std::abort();  // no end has the key
    }

    Samples now = 0;
    PkmClient client{{{}, {kAesCcm}, {1000}, {}}, lab().credentials};
    PkmServer server{{{}, {kAesCcm}, {1000}, {}}, {2, 0, 0, 0, 0, 1}, kCid};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Ends ends;
    for (Octets rest(data, size); rest.size() >= 2;) {
        const uint8_t what = rest[0];
        const size_t octets = std::min<size_t>(rest[1], rest.size() - 2);
        const Octets part = rest.subspan(2, octets);
        rest = rest.subspan(2 + octets);
        switch (what % 8) {
            case 0: ends.to_server(part); break;
            case 1: ends.client.on_message(ends.now, part); break;
            case 2: ends.to_server(ends.with_digest(part, ends.server.keys(), Direction::uplink)); break;
            case 3:
                ends.client.on_message(ends.now, ends.with_digest(part, ends.client.keys(), Direction::downlink));
                break;
            case 4: Ends::open(ends.server.association(kCid), part); break;
            case 5: Ends::open(ends.client.association(kCid), part); break;
            case 6: (void)ends.client.keys().prove(part, Direction::downlink, ends.now); break;
            default: ends.pass(static_cast<Samples>(octets) * 1000);
        }
    }
    return 0;
}
