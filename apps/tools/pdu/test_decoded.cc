// SPDX-License-Identifier: GPL-3.0-or-later
// What the MAC and wimax-pdu read in random messages and PDUs, whole and damaged, for tests/recorded. Prints JSON: for
// each type of message, and for bursts, how many were read, and digests of all that was.
#include "mac/pdu/management_messages.h"
#include "tools/pdu/test_random_trees.h"

#include <cstdio>
#include <map>

using namespace wimax::pdu;
namespace mac = wimax::mac;

namespace {

constexpr int kMessages = 20000, kBursts = 4000, kDamaged = 4;
constexpr uint8_t kNoType = 52;  // the first without a message

/// FNV-1a of 64 bits.
class Digest {
public:
    void add(Octets octets) {
        for (const uint8_t o : octets) value_ = (value_ ^ o) * 1099511628211U;
    }
    void add(std::initializer_list<size_t> numbers) {
        for (const size_t n : numbers) add(std::to_string(n) + ",");
    }
    void add(std::string_view text) { add({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    std::string text() const { return std::to_string(value_); }

private:
    uint64_t value_ = 14695981039346656037U;
};

/// Names from the air need not be UTF-8.
std::string text_of(const Json& tree) { return tree.dump(-1, ' ', false, Json::error_handler_t::replace); }

struct Seen {
    uint64_t tried = 0, read = 0;
    Digest by_mac, by_tool;

    Json json() const { return {{"tried", tried}, {"read", read}, {"mac", by_mac.text()}, {"tool", by_tool.text()}}; }
};

void damage(RandomTrees& random, Buffer& octets) {
    const size_t at = random.below(octets.size()), end = random.below(octets.size());
    switch (random.below(5)) {
        case 0: octets[at] = static_cast<uint8_t>(random.bits(8)); return;
        case 1: octets[at] ^= static_cast<uint8_t>(1U << random.below(8)); return;
        case 2: octets.resize(std::max<size_t>(at, 1)); return;
        case 3: std::swap(octets[at], octets[end]); return;
        default: octets.insert(octets.end(), octets.begin() + static_cast<std::ptrdiff_t>(at), octets.end());
    }
}

template <class Message> void read_as(Octets octets, Seen& seen) {
    if (octets[0] != static_cast<uint8_t>(Message::kType)) return;
    Message message;
    const auto read = mac::decode(octets, message);
    if (!read) {
        seen.by_mac.add({read.error().offset});
        seen.by_mac.add(mac::to_string(read.error().reason));
        seen.by_mac.add(read.error().detail);
        return;
    }
    ++seen.read;
    Buffer again;
    mac::encode(message, again);
    seen.by_mac.add(again);
}

template <class... Messages> void read_as_its_type(Octets octets, Seen& seen) {
    (read_as<Messages>(octets, seen), ...);
}

void read_message(Octets octets, std::map<int, Seen>& all) {
    Seen& seen = all[std::min(octets[0], kNoType)];
    ++seen.tried;
    seen.by_tool.add(text_of(decode_message(octets)));
    using namespace mac;
    read_as_its_type<Dcd, Ucd, DlMap, UlMap, RngReq, RngRsp, SbcReq, SbcRsp, RepReq, RepRsp, RegReq, RegRsp, DsaReq,
                     DsaRsp, DsaAck, DscReq, DscRsp, DscAck, DsdReq, DsdRsp, DsxRvd, DbpcReq, DbpcRsp, McaReq, McaRsp,
                     ResCmd, DregCmd, DregReq, ArqFeedback, ArqDiscard, ArqReset>(octets, seen);
}

Json messages() {
    RandomTrees trees(7);
    std::map<int, Seen> all;
    for (int i = 0; i < kMessages; ++i) {
        const Buffer whole = encode(trees.message()).value();
        read_message(whole, all);
        for (int n = 0; n < kDamaged; ++n) {
            Buffer octets = whole;
            damage(trees, octets);
            read_message(octets, all);
        }
    }
    Json out;
    for (const auto& [type, seen] : all) out["message " + std::to_string(type)] = seen.json();
    return out;
}

/// PDUs of a burst with their subheaders and packed units, and counters, as the MAC reads them.
void read_burst(Octets burst, Digest& digest) {
    mac::PduCounters counters;
    mac::PduReader reader(burst, &counters);
    while (const auto pdu = reader.next_any()) {
        digest.add({pdu->offset, pdu->octets.size(), pdu->is_request, pdu->cid(), pdu->body.size(), pdu->crc_ok(),
                    pdu->request.br});
        const auto sub = mac::parse_subheaders(*pdu);
        if (!sub) {
            digest.add({sub.error().offset, static_cast<size_t>(sub.error().reason)});
            continue;
        }
        if (sub->grant_management) digest.add({sub->grant_management->raw});
        if (sub->fragmentation) digest.add({static_cast<size_t>(sub->fragmentation->fc), sub->fragmentation->fsn});
        digest.add({sub->packed, sub->feedback, sub->rest.size()});
        mac::UnitReader units(sub->rest, pdu->header.extended());
        while (const auto unit = sub->packed ? units.next() : std::nullopt)
            digest.add({static_cast<size_t>(unit->subheader.fc), unit->subheader.fsn, unit->data.size()});
        if (units.error()) digest.add({units.error()->offset});
    }
    if (reader.error()) digest.add({reader.error()->offset, static_cast<size_t>(reader.error()->reason)});
    digest.add({counters.pdus, counters.requests, counters.bad_crc, counters.crc_8023, counters.crc_msb,
                counters.stopped, reader.padding_octets()});
}

Seen bursts() {
    RandomTrees trees(8);
    Seen seen;
    for (int i = 0; i < kBursts; ++i) {
        const Json first = trees.pdu();
        const auto made = encode(Json{{"pdus", {first, trees.pdu()}}, {"padding_bytes", trees.below(4)}});
        if (!made) continue;  // longer than LEN can say
        Buffer octets = *made;
        if (i % 2 != 0) damage(trees, octets);
        if (octets.size() >= mac::kHeaderOctets && trees.below(2) != 0) octets[5] = mac::hcs8(Octets(octets).first(5));
        ++seen.tried;
        const Json read = decode_pdus(octets, {});
        seen.read += read["error"].is_null() ? 1 : 0;
        seen.by_tool.add(text_of(read));
        read_burst(octets, seen.by_mac);
    }
    return seen;
}

}  // namespace

int main() {
    Json all = messages();
    all["bursts"] = bursts().json();
    std::puts(all.dump().c_str());
    return 0;
}
