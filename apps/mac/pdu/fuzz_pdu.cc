// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as a burst: PDUs, subheaders, packed units, feedback. Views must stay inside the burst.
#include "mac/pdu/map_ie.h"
#include "mac/pdu/read_burst.h"

#include <cstdlib>

using namespace wimax::mac;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void walk_feedback(Octets octets) {
    BitReader in(octets);
    while (in.bits_left() > 0)
        if (const auto ie = read_feedback_ie(in, true); !ie || ie->last) return;
}

void walk_units(const Subheaders& sub, bool extended) {
    UnitReader units(sub.rest, extended);
    size_t octets = 0;
    while (const auto unit = units.next()) {
        octets += unit->subheader.length;
        walk_feedback(unit->data);
    }
    require(units.error() || octets == sub.rest.size());
}

/// What one finds, the other does.
void read_for_two_listeners(Octets burst) {
    ReadBurst reading;
    reading.read(burst);
    PduReader usable(burst);
    for (size_t i = 0; i < reading.size(); ++i) {
        const Pdu* pdu = reading.usable(i);
        require(pdu == reading.usable(i));
        if (!pdu) continue;
        require(usable.next()->offset == pdu->offset);
        require(reading.decoded<IndexedUlMap>(pdu->body) == reading.decoded<IndexedUlMap>(pdu->body));
        require(reading.decoded<Dcd>(pdu->body) == reading.decoded<Dcd>(pdu->body));
    }
    require(!usable.next() && usable.error().has_value() == reading.stopped());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // The first octet selects the headers that get a right HCS, so that the octets after them are parsed.
    if (size == 0) return 0;
    Buffer burst(data + 1, data + size);
    if (data[0] & 1 && burst.size() >= kHeaderOctets) burst[5] = hcs8(Octets(burst).first(5));
    PduCounters counters;
    PduReader reader(burst, &counters);
    size_t octets = 0;
    while (const auto pdu = reader.next_any()) {
        octets += pdu->octets.size();
        const auto sub = parse_subheaders(*pdu);
        if (!sub) continue;
        require(sub->rest.size() <= pdu->body.size());
        if (sub->packed) walk_units(*sub, pdu->header.extended());
        if (sub->feedback) walk_feedback(sub->rest);
    }
    require(reader.error() || octets + reader.padding_octets() == burst.size());
    read_for_two_listeners(burst);
    return 0;
}
