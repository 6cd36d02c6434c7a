// SPDX-License-Identifier: GPL-3.0-or-later
// Any rule and any SDU: expanded SDUs are no longer than a packet, and suppressed octets are restored.
#include "mac/cs/header_suppression.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace wimax::mac;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Octets input{data, size};
    const auto take = [&](size_t octets) {
        const Octets part = input.first(std::min(octets, input.size()));
        input = input.subspan(part.size());
        return std::vector<uint8_t>(part.begin(), part.end());
    };
    std::vector<HeaderRule> rules(2);
    for (auto& rule : rules) {
        const auto head = take(4);
        if (head.size() < 4) return 0;
        rule.phsi = head[0];
        rule.verify = head[1] & 1;
        rule.field = take(head[2]);
        rule.mask = take(head[1] & 2 ? (rule.field.size() + 7) / 8 : head[3] % 40);
    }
    HeaderSuppression sender, receiver;
    const auto packet = take(HeaderSuppression::kMostOctets);
    if (receiver.receive(packet, rules, {}).size() > HeaderSuppression::kMostOctets) abort();
    for (auto& rule : rules) rule.verify = true;
    const Octets sdu = sender.send(packet, rules, rules[0].phsi);
    if (sdu.empty() || packet.empty()) return 0;
    if (!std::ranges::equal(receiver.receive(sdu, rules, {}), packet)) abort();
    return 0;
}
