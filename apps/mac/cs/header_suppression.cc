// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cs/header_suppression.h"

#include <netinet/in.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kIpv4UdpOctets = 28;

const HeaderRule* find(std::span<const HeaderRule> rules, uint8_t phsi) {
    const auto found = std::ranges::find(rules, phsi, &HeaderRule::phsi);
    return found == rules.end() || !usable(*found) ? nullptr : &*found;
}

/// The known fields of a head.
struct Head {
    HeaderRule& rule;
    void put(size_t at, uint32_t value, size_t octets) const {
        for (size_t i = 0; i < octets; ++i) {
            rule.field[at + i] = static_cast<uint8_t>(value >> 8 * (octets - 1 - i));
            rule.mask[(at + i) / 8] = static_cast<uint8_t>(rule.mask[(at + i) / 8] | 0x80 >> (at + i) % 8);
        }
    }
    void address(size_t at, const std::vector<AddressMask>& of) const {
        if (of.size() == 1 && of[0].is_ipv4() && of[0].ipv4_mask() == 0xFFFFFFFF) put(at, of[0].address.ipv4(), 4);
    }
    void port(size_t at, const std::vector<PortInterval>& of) const {
        if (of.size() == 1 && of[0].low == of[0].high) put(at, of[0].low, 2);
    }
};

}  // namespace

bool usable(const HeaderRule& rule) {
    return rule.phsi != 0 && !rule.field.empty() && rule.field.size() <= 255 &&
           rule.mask.size() == (rule.field.size() + 7) / 8;
}

size_t suppressed_octets(const HeaderRule& rule) {
    size_t count = 0;
    for (size_t i = 0; i < rule.field.size(); ++i) count += suppresses(rule, i) ? 1 : 0;
    return count;
}

HeaderRule ipv4_udp_rule(const ClassifierConfig& classifier, uint8_t phsi) {
    HeaderRule rule;
    rule.phsi = phsi;
    rule.field.assign(kIpv4UdpOctets, 0);
    rule.mask.assign((kIpv4UdpOctets + 7) / 8, 0);
    const Head head{rule};
    head.put(0, 0x45, 1);
    if (classifier.tos && classifier.tos->low == classifier.tos->high && classifier.tos->mask == 0xFF)
        head.put(1, classifier.tos->low, 1);
    head.put(6, 0x4000, 2);  // don't fragment; others are sent whole
    head.put(9, IPPROTO_UDP, 1);
    head.address(12, classifier.source);
    head.address(16, classifier.destination);
    head.port(20, classifier.source_ports);
    head.port(22, classifier.destination_ports);
    return rule;
}

void make_header_rules(ServiceFlowConfig& flow) {
    for (auto& rule : flow.phs) {
        if (rule.mask.empty()) rule.mask.assign((rule.field.size() + 7) / 8, 0xFF);
        if (!rule.ipv4_udp) continue;
        const auto of = std::ranges::find(flow.classifiers, rule.phsi, &ClassifierConfig::phsi);
        const bool verify = rule.verify;
        rule = ipv4_udp_rule(of == flow.classifiers.end() ? ClassifierConfig{} : *of, rule.phsi);
        rule.verify = verify;
    }
}

Octets HeaderSuppression::send(Octets packet, std::span<const HeaderRule> rules, uint8_t phsi) {
    packet_.clear();
    if (packet.size() + 1 > kMostOctets) return {};
    const HeaderRule* rule = phsi == 0 ? nullptr : find(rules, phsi);
    const auto holds = [&] {
        for (size_t i = 0; i < rule->field.size(); ++i)
            if (suppresses(*rule, i) && packet[i] != rule->field[i]) return false;
        return true;
    };
    if (!rule || packet.size() < rule->field.size() || (rule->verify && !holds())) {
        ++counters_.whole;
        packet_.push_back(0);
        packet_.insert(packet_.end(), packet.begin(), packet.end());
        return packet_;
    }
    packet_.push_back(phsi);
    for (size_t i = 0; i < rule->field.size(); ++i)
        if (!suppresses(*rule, i)) packet_.push_back(packet[i]);
    packet_.insert(packet_.end(), packet.begin() + static_cast<ptrdiff_t>(rule->field.size()), packet.end());
    ++counters_.suppressed;
    counters_.octets_saved += packet.size() - std::min(packet.size(), packet_.size());
    return packet_;
}

Octets HeaderSuppression::receive(Octets sdu, std::span<const HeaderRule> rules, std::span<const HeaderRule> retired) {
    // Of a packet that is suppressed completely only the index is left.
    if (sdu.empty() || (sdu[0] == 0 && sdu.size() < 2)) {
        ++counters_.malformed;
        return {};
    }
    const uint8_t phsi = sdu[0];
    Octets rest = sdu.subspan(1);
    if (phsi == 0) return rest;
    const HeaderRule* rule = find(rules, phsi);
    if (!rule) rule = find(retired, phsi);
    if (!rule) {
        ++counters_.unknown;
        return {};
    }
    const size_t kept = rule->field.size() - suppressed_octets(*rule);
    if (rest.size() < kept || rest.size() - kept + rule->field.size() > kMostOctets) {
        ++counters_.malformed;
        return {};
    }
    packet_.clear();
    for (size_t i = 0; i < rule->field.size(); ++i) {
        if (suppresses(*rule, i)) {
            packet_.push_back(rule->field[i]);
        } else {
            packet_.push_back(rest.front());
            rest = rest.subspan(1);
        }
    }
    packet_.insert(packet_.end(), rest.begin(), rest.end());
    ++counters_.expanded;
    return packet_;
}

}  // namespace wimax::mac
