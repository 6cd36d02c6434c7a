// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the MAC for tests/recorded: what they make of random packets, rules, service flows and configurations.
// Prints JSON with a digest for each tenth of the inputs.
#include "mac/test_drawn.h"

#include "mac/cs/classifier.h"
#include "mac/cs/header_suppression.h"
#include "mac/flow/flow_command.h"
#include "mac/flow/flow_parameters.h"
#include "mac/pdu/management_messages.h"
#include "mac/privacy/pkm_message.h"
#include "mac/report/flow_results.h"
#include "mac/report/flow_status.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>

using namespace wimax::mac;
using namespace wimax::mac::test;
using Json = nlohmann::json;

namespace {

class Pieces : Drawing {
public:
    Pieces() : Drawing(1) {}

    Json run() {
        return {{"packets", digests(40'000, [this](Digest& d) { packet(d); })},
                {"header_rules", digests(20'000, [this](Digest& d) { header_rule(d); })},
                {"flows", digests(20'000, [this](Digest& d) { service_flow(d); })},
                {"configurations", digests(10'000, [this](Digest& d) { configuration(d); })},
                {"key_messages", digests(20'000, [this](Digest& d) { key_message(d); })},
                {"words", words()}};
    }

private:
    static Json digests(int inputs, const std::function<void(Digest&)>& add) {
        Json all = Json::array();
        Digest digest;
        for (int i = 1; i <= inputs; ++i) {
            add(digest);
            if (i % (inputs / 10) != 0) continue;
            all.push_back(digest.value());
            digest = {};
        }
        return all;
    }

    uint8_t octet() { return static_cast<uint8_t>(random_()); }
    uint32_t number() { return static_cast<uint32_t>(random_()); }

    // Packets
    std::vector<uint8_t> draw_packet() {
        std::vector<uint8_t> p(chance(4) ? draw(24) : 20 + draw(80));
        for (auto& o : p) o = chance(2) ? octet() : static_cast<uint8_t>(draw(4));
        const auto put = [&](size_t at, uint32_t value) {
            if (at < p.size()) p[at] = static_cast<uint8_t>(value);
        };
        const bool framed = chance(2);
        const size_t tag = framed && chance(2) ? 4 : 0, head = framed ? 14 + tag : 0;
        const bool v6 = chance(2);
        if (tag != 0) put(12, 0x81), put(13, 0);
        if (framed) put(head - 2, v6 ? 0x86 : 0x08), put(head - 1, v6 ? 0xDD : 0);
        put(head, v6 ? 0x60 + draw(16) : 0x45 + (chance(4) ? draw(6) : 0));
        put(head + (v6 ? 6 : 9), one_of({6U, 17U, 0U, 43U, 44U, 60U, 1U, 59U}));
        if (!v6 && chance(2)) put(head + 6, draw(64)), put(head + 7, 0);
        if (chance(4)) p.resize(head + (v6 ? 40 : 20) + draw(5));
        return p;
    }
    static void add(Digest& d, const PacketFields& f) {
        for (const int64_t n :
             {int64_t{f.ipv4}, int64_t{f.ipv6}, int64_t{f.ethernet}, int64_t{f.tos}, int64_t{f.protocol},
              static_cast<int64_t>(f.source.high), static_cast<int64_t>(f.source.low),
              static_cast<int64_t>(f.destination.high), static_cast<int64_t>(f.destination.low), int64_t{f.has_ports},
              int64_t{f.source_port}, int64_t{f.destination_port}, static_cast<int64_t>(f.transport_at),
              int64_t{f.ethertype}, int64_t{f.tag.value_or(0)}, int64_t{f.tag.has_value()}, int64_t{f.hash()},
              int64_t{f.source.is_unicast()}})
            d.add(n);
    }
    void packet(Digest& d) {
        const auto octets = draw_packet();
        const auto flow = draw_flow();
        for (const auto link : {UserLink::ip, UserLink::ethernet}) {
            const auto fields = PacketFields::parse(octets, link);
            add(d, fields);
            d.add(int64_t{match_priority(flow.classifiers, fields)});
            d.add(int64_t{header_rule_of(flow.classifiers, fields)});
            d.add(int64_t{rank_of(flow, fields)});
            d.add(int64_t{flow_match(flow, fields)});
        }
    }

    // Rules and service flows
    AddressMask draw_mask(ConvergenceSublayer cs) {
        if (cs == ConvergenceSublayer::ipv4) return {number(), one_of({~0U, 0xFFFFFF00U, 0xC0000000U, 0U})};
        if (cs == ConvergenceSublayer::ipv6) {
            const uint64_t low = number(), high = uint64_t{number()} << 32;
            return {IpAddress(high, low), IpAddress(one_of({UINT64_MAX, uint64_t{0}}), 0)};
        }
        return AddressMask::of_mac(uint64_t{number()} << 8, one_of<uint64_t>({0xFFFFFFFFFFFF, 0xFF0000000000, 0}));
    }
    ClassifierConfig draw_rule(ConvergenceSublayer cs) {
        ClassifierConfig rule;
        rule.priority = static_cast<uint8_t>(draw(5));
        rule.phsi = static_cast<uint8_t>(draw(4));
        if (chance(3)) rule.tos = TosRange{static_cast<uint8_t>(draw(128)), octet(), octet()};
        for (uint32_t n = draw(3); n > 0; --n) rule.protocols.push_back(one_of<uint8_t>({6, 17, 1}));
        if (chance(3)) rule.source.push_back(draw_mask(cs));
        if (chance(3)) rule.destination = {draw_mask(cs), draw_mask(cs)};
        const auto interval = [this] {
            return PortInterval{static_cast<uint16_t>(draw(70)), static_cast<uint16_t>(number())};
        };
        if (chance(3)) rule.source_ports = {interval()};
        if (chance(3)) rule.destination_ports = {interval(), interval()};
        if (chance(3)) rule.ethertype = static_cast<uint16_t>(one_of({0x0800U, 0x86DDU, number() & 0xFFFF}));
        if (chance(3)) rule.user_priority = PriorityRange{static_cast<uint8_t>(draw(8)), static_cast<uint8_t>(draw(9))};
        if (chance(3)) rule.vlan_id = static_cast<uint16_t>(one_of({0U, 1U, 4095U, 4096U, draw(5)}));
        return rule;
    }
    HeaderRule draw_header_rule() {
        HeaderRule rule;
        rule.phsi = static_cast<uint8_t>(draw(4));
        rule.ipv4_udp = chance(4);
        rule.verify = chance(2);
        if (rule.ipv4_udp) return rule;
        rule.field.resize(chance(9) ? draw(257) : 1 + draw(40));
        for (auto& o : rule.field) o = static_cast<uint8_t>(draw(2));
        if (chance(2)) rule.mask.resize((rule.field.size() + 7) / 8 + (chance(8) ? 1 : 0));
        for (auto& o : rule.mask) o = octet();
        return rule;
    }
    ServiceFlowConfig draw_flow() {
        ServiceFlowConfig f;
        f.direction = one_of({FlowDirection::downlink, FlowDirection::uplink});
        f.scheduling = one_of({SchedulingType::best_effort, SchedulingType::nrtps, SchedulingType::rtps,
                               SchedulingType::ertps, SchedulingType::ugs});
        f.cs = static_cast<ConvergenceSublayer>(1 + draw(4));
        f.name = std::string(one_of({0U, 4U, 126U, 127U}), 'n');
        f.max_sustained_rate_bps = one_of({0U, 1U, 64'000U, number()});
        f.security_association = static_cast<FlowAssociation>(draw(3));
        draw_fields(f, 4, 1);
        for (uint32_t n = draw(3); n > 0; --n) f.classifiers.push_back(draw_rule(f.cs));
        for (uint32_t n = draw(3); n > 0; --n) f.phs.push_back(draw_header_rule());
        return f;
    }
    void add_message(Digest& d, const ServiceFlow& message, FlowDirection direction) {
        DsaReq request;
        auto& place = direction == FlowDirection::uplink ? request.uplink : request.downlink;
        place = message;
        Buffer octets;
        d.add(int64_t{PduWriter(octets, 2040).message(1, request)});
        d.add(octets);
        constexpr size_t kHeader = 6;
        if (octets.empty()) return;
        DsaReq read;
        d.add(int64_t{decode(Octets(octets).first(octets.size() - kCrcOctets).subspan(kHeader), read).has_value()});
        Buffer again;
        (void)PduWriter(again, 2040).message(1, read);
        d.add(again);
    }
    void service_flow(Digest& d) {
        const auto flow = draw_flow();
        FlowCommand command;
        command.flow = flow;
        for (const auto& fault : validate(command).lines()) d.add(fault);
        auto with_rules = flow;
        make_header_rules(with_rules);
        for (const auto& rule : with_rules.phs)
            if (!usable(rule)) return;
        auto terms = agreed(with_rules, static_cast<FlowState>(draw(3)));
        const auto cid = static_cast<uint16_t>(1000 + draw(100));
        const auto message = to_message(terms, 1 + draw(100), cid);
        add_message(d, message, flow.direction);
        add_message(d, to_message(agreed(message, flow.direction), 7, 8), flow.direction);
        const auto other = draw_flow();
        auto wanted = with_rules;
        apply(qos_of(other), wanted);
        if (chance(2)) wanted.classifiers = other.classifiers;
        const bool provisioned = chance(2);
        const auto wish = change_message(terms, wanted, static_cast<FlowState>(draw(3)), 7, provisioned);
        add_message(d, wish, flow.direction);
        d.add(int64_t{change(terms, wish)});
        add_message(d, to_message(terms, 7, 8), flow.direction);
        d.add(int64_t{within(qos_of(flow), qos_of(other))});
    }
    void header_rule(Digest& d) {
        std::vector<HeaderRule> rules, retired;
        for (uint8_t phsi = 1; phsi < 4; ++phsi) {
            auto flow = ServiceFlowConfig();
            flow.classifiers = {draw_rule(ConvergenceSublayer::ipv4)};
            flow.phs = {draw_header_rule()};
            flow.phs[0].phsi = flow.classifiers[0].phsi = phsi;
            make_header_rules(flow);
            if (usable(flow.phs[0])) (chance(4) ? retired : rules).push_back(flow.phs[0]);
        }
        std::vector<uint8_t> octets(one_of<size_t>({1, 5, 40, 300, 2038, 2039, 2040}));
        for (auto& o : octets) o = static_cast<uint8_t>(draw(2));
        HeaderSuppression ends;
        const auto phsi = static_cast<uint8_t>(draw(4));
        const auto sdu = ends.send(octets, rules, phsi);
        d.add(sdu);
        std::vector<uint8_t> arrived(sdu.begin(), sdu.end());
        if (!arrived.empty() && chance(4)) arrived[0] = static_cast<uint8_t>(draw(5));
        if (chance(4)) arrived.resize(std::min<size_t>(arrived.size(), draw(50)));
        d.add(ends.receive(arrived, rules, retired));
        const auto& c = ends.counters();
        for (const uint64_t n : {c.suppressed, c.octets_saved, c.whole, c.expanded, c.unknown, c.malformed})
            d.add(static_cast<int64_t>(n));
    }

    // Key management
    std::vector<uint8_t> draw_octets(size_t octets) {
        std::vector<uint8_t> all(octets);
        for (auto& o : all) o = octet();
        return all;
    }
    privacy::SuiteOctets draw_suite() {
        return {octet(), static_cast<uint8_t>(draw(3)), static_cast<uint8_t>(draw(3))};
    }
    void key_message(Digest& d) {
        privacy::PkmMessage message;
        message.code = static_cast<privacy::PkmCode>(3 + draw(10));
        message.identifier = octet();
        const auto certificate = draw_octets(1 + draw(6)),
                   key = draw_octets(chance(8) ? one_of({63U, 257U, 600U}) : 128);
        const std::string text(draw(5), 't');
        if (!chance(8)) message.display_string = text;
        if (!chance(8)) message.auth_key = key;
        if (!chance(8)) message.ca_certificate = certificate;
        if (!chance(8)) message.ss_certificate = certificate;
        if (!chance(8)) message.key_lifetime_s = number();
        if (!chance(8)) message.key_sequence = static_cast<uint8_t>(draw(chance(9) ? 18 : 16));
        if (!chance(8)) message.said = static_cast<uint16_t>(number());
        if (!chance(8)) message.error = static_cast<privacy::PkmError>(draw(chance(9) ? 8 : 7));
        const auto tek = draw_octets(chance(9) ? 7 : one_of({8U, 16U, 128U}));
        for (uint32_t n = chance(9) ? 3 : draw(3); n > 0; --n)
            message.teks.push_back({tek, number(), static_cast<uint8_t>(draw(chance(9) ? 5 : 4)), {octet(), octet()}});
        for (uint32_t n = chance(9) ? draw(20) : draw(3); n > 0; --n) message.suites.push_back(draw_suite());
        for (uint32_t n = chance(9) ? draw(40) : draw(3); n > 0; --n)
            message.sas.push_back(
                {static_cast<uint16_t>(number()), static_cast<privacy::SaType>(draw(chance(9) ? 4 : 3)), draw_suite()});
        Buffer octets;
        encode_pkm(message, octets);
        if (!chance(8)) {
            octets.insert(octets.end(), {20, 20});  // the digest
            for (int i = 0; i < 20; ++i) octets.push_back(octet());
        }
        d.add(octets);
        for (uint32_t n = chance(2) ? 1 + draw(2) : 0; n > 0; --n)
            octets[draw(static_cast<uint32_t>(octets.size()))] = static_cast<uint8_t>(draw(30));
        if (chance(8)) octets.resize(draw(static_cast<uint32_t>(octets.size())));
        const auto read = privacy::decode_pkm(octets);
        d.add(int64_t{read.has_value()});
        if (!read) {
            d.add(static_cast<int64_t>(read.error().offset));
            d.add(static_cast<int64_t>(read.error().reason));
            d.add(read.error().detail);
            return;
        }
        Buffer again;
        encode_pkm(*read, again);
        d.add(again);
        d.add(static_cast<int64_t>(read->covered_octets));
    }

    static Json words() {
        Digest digest;
        for (int code = 0; code <= UINT8_MAX; ++code) digest.add(std::string(meaning_of(static_cast<uint8_t>(code))));
        for (int error = 0; error <= 6; ++error)
            digest.add(std::string(to_string(static_cast<privacy::PkmError>(error))));
        for (int type = 0; type <= 7; ++type) digest.add(std::string(to_string(static_cast<SchedulingType>(type))));
        for (int state = 0; state <= 2; ++state) digest.add(std::string(to_string(static_cast<FlowState>(state))));
        digest.add(to_text({1, 2, 3, 0xA, 0xBC, 0xDE}));
        return digest.value();
    }

    // Configurations
    void configuration(Digest& d) {
        BaseStationConfig cell;
        cell.link = one_of({UserLink::ip, UserLink::ip, UserLink::ethernet});
        visit_fields(cell);
        draw_fields(cell.profile, 20, 1);
        visit_thresholds(cell.profile);
        draw_fields(cell.adaptation, 10, 1);
        draw_fields(cell.subchannelization, 4, 1);
        draw_fields(cell.stc, 4, 1);
        if (chance(10)) cell.basic_cids = one_of({320U, 8000U, 8001U, 5000U});
        if (chance(10)) cell.max_stations = one_of({cell.basic_cids, cell.basic_cids + 1, 1U});
        if (chance(20)) cell.cp_denominator = one_of<uint8_t>({4, 16, 32, 7});
        if (chance(20)) cell.frame_duration_code = one_of<uint8_t>({0, 6, 7});
        if (chance(20)) cell.bandwidth_hz = one_of({1'750'000U, 20'000'000U});
        if (chance(20)) cell.map_relevance = MapRelevance::same_frame;
        if (chance(20)) cell.privacy.policy = PrivacyPolicy::required;
        for (uint32_t n = draw(3); n > 0; --n) cell.stations.push_back(draw_station());
        for (uint32_t n = draw(3); n > 0; --n) cell.service_classes.push_back(draw_flow());
        if (chance(2)) cell.unknown_station.reset();
        for (const auto& fault : validate(cell).lines()) d.add(fault);
        SubscriberConfig station;
        visit_fields(station);
        draw_fields(station.adaptation, 10, 1);
        station.mac = draw_station().mac;
        if (chance(8)) station.scan_frequencies_hz.assign(one_of({1U, 256U, 257U}), 3'400'000'000);
        if (chance(8)) station.bsid = one_of<uint64_t>({0, uint64_t{1} << 48});
        if (chance(20)) station.privacy.policy = PrivacyPolicy::allowed;
        for (const auto& fault : validate(station).lines()) d.add(fault);
    }
    template <class Config> void visit_fields(Config& config) {
        draw_fields(config, 20, 1);
        if (chance(20)) config.tx_gain_db = one_of({-200.5, 200.5, 100.0});
    }
    void visit_thresholds(BaseStationProfile& profile) {
        if (chance(10)) profile.exit_db[draw(7)] = static_cast<float>(draw(70));
        if (chance(10)) profile.entry_db[draw(7)] = static_cast<float>(draw(70));
    }
    StationConfig draw_station() {
        StationConfig station;
        station.mac = {
            static_cast<uint8_t>(chance(6) ? draw(4) : 2), 0x1A, 0x2B, 0x3C, 0x4D, static_cast<uint8_t>(draw(3))};
        if (chance(20)) station.mac.fill(one_of<uint8_t>({0, 255}));
        draw_fields(station, 6, 1);
        const char letter = one_of({'a', '\n'});
        station.name = std::string(one_of({0U, 5U, 200U}), letter);
        for (uint32_t n = draw(4); n > 0; --n) station.flows.push_back(draw_flow());
        if (chance(2)) station.ip_addresses = {draw_mask(ConvergenceSublayer::ipv4)};
        return station;
    }
};

}  // namespace

int main() {
    std::puts(Pieces().run().dump().c_str());
    return 0;
}
