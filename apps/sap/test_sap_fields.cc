// SPDX-License-Identifier: GPL-3.0-or-later
// Every field of every message separately: its description has all members and matches the schema, its value reaches
// the other side, and its limits are those in this file.
#include "sap/message_fields.h"

#include "phy/base/test_members.h"

#include <gtest/gtest.h>
#include <phy_sap.pb.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace wimax::sap {
namespace {

/// Calls `each(member)` for every leaf of a message, elements of lists one by one.
template <typename F> struct Leaves {
    const F& each_leaf;

    void operator()(const char*, auto& member, const auto&...) { each_leaf(member); }
    void each(const char*, auto& array, int, int) {
        for (auto& element : array) each_leaf(element);
    }
    template <typename T, size_t N> void list(const char*, std::array<T, N>& elements, int& count) {
        each_leaf(count);
        for (size_t i = 0; i < N && std::cmp_less(i, count); ++i) visit(*this, elements[i]);
    }
    template <typename T, size_t N> void list(const char*, const std::array<T, N>& elements, const int& count) {
        each_leaf(count);
        for (size_t i = 0; i < N && std::cmp_less(i, count); ++i) visit(*this, elements[i]);
    }
    template <typename List> void list(const char*, List& elements, size_t, const auto&...) {
        for (auto& element : elements)
            if constexpr (std::same_as<typename List::value_type, std::string> ||
                          std::same_as<typename List::value_type, Slot>)
                each_leaf(element);
            else visit(*this, element);
    }
    void text(const char*, auto& text) { each_leaf(text); }
    void maybe(const char*, auto& member, const auto&) { each_leaf(member); }
    void of_phy(const char*, auto&, int, int) {}
    void payload(auto& octets, int) {
        for (auto& octet : octets) each_leaf(octet);
    }
};

template <typename M, typename F> void for_each_leaf(M& m, const F& each) {
    if constexpr (requires { m.mac_session; }) each(m.mac_session);
    if constexpr (requires { m.phy_session; }) each(m.phy_session);
    Leaves<F> leaves{each};
    visit(leaves, m);
}

/// All leaves and the lengths of all lists, to the bit.
template <typename M> std::vector<std::string> leaves_of(const M& m) {
    std::vector<std::string> all;
    for_each_leaf(m, [&all](const auto& leaf) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(leaf)>, std::string>) all.push_back(leaf);
        else all.emplace_back(reinterpret_cast<const char*>(&leaf), sizeof leaf);
    });
    if constexpr (requires { m.payload; }) all.push_back(std::to_string(m.payload.size()));
    if constexpr (requires { m.bursts; })
        for (const auto& burst : m.bursts) all.push_back(std::to_string(burst.payload.size()));
    return all;
}

template <typename M> bool same(const M& a, const M& b) { return leaves_of(a) == leaves_of(b); }

/// Values to try in place of this one: each bit separately, so that the test notices a truncated field.
template <typename T> std::vector<T> others(const T& value) {
    std::vector<T> all;
    if constexpr (std::same_as<T, bool>) {
        all = {!value};
    } else if constexpr (std::same_as<T, std::string>) {
        all = {value + "\xff", std::string(kMaxTextBytes, '\0')};
    } else if constexpr (std::same_as<T, FrameNumber>) {
        for (unsigned bit = 0; bit < 24; ++bit) all.push_back(FrameNumber(value.value() ^ 1U << bit));
    } else if constexpr (std::same_as<T, Slot>) {
        for (const uint32_t raw : others(value.value())) all.push_back(Slot(raw));
    } else if constexpr (std::is_enum_v<T>) {
        for (const auto raw : others(static_cast<std::underlying_type_t<T>>(value))) all.push_back(static_cast<T>(raw));
    } else if constexpr (std::is_floating_point_v<T>) {
        all = {value + T(1.5), -value - T(1.5), value + T(0.1), value + T(1) / T(1 << 20)};
    } else {
        using Bits = std::make_unsigned_t<T>;
        all = {static_cast<T>(value + 1), static_cast<T>(value - 1), static_cast<T>(value * 2)};
        for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
            all.push_back(static_cast<T>(static_cast<Bits>(value) ^ static_cast<Bits>(Bits{1} << bit)));
    }
    return all;
}

template <typename M> uint64_t mac_of(const M& m) {
    if constexpr (requires { m.mac_session; }) return m.mac_session;
    return 11;
}
template <typename M> uint64_t phy_of(const M& m) {
    if constexpr (requires { m.phy_session; }) return m.phy_session;
    return 13;
}

template <typename M> M there(const M& m) {
    static Codec codec, other;
    codec.encode(MessageRef(&m), 7, mac_of(m), phy_of(m));
    std::vector<Part> parts{codec.header()};
    parts.insert(parts.end(), codec.payloads().begin(), codec.payloads().end());
    const auto envelope = other.decode(parts);
    EXPECT_TRUE(envelope && envelope->message && std::holds_alternative<M>(*envelope->message))
        << (envelope ? "" : envelope.error().str());
    if (!envelope || !envelope->message) return {};
    return std::get<M>(*envelope->message);
}

/// Changes each leaf in turn to every other valid value; each time the message must be received unchanged. `base` has
/// at least one element in each list, and so at least one leaf per member.
template <typename M> void change_each(const M& base) {
    EXPECT_TRUE(validate(MessageRef(&base)).empty()) << validate(MessageRef(&base)).str();
    EXPECT_TRUE(same(there(base), base));
    int count = 0;
    for_each_leaf(const_cast<M&>(base), [&](auto&) { ++count; });
    for (int i = 0; i < count; ++i) {
        M changed = base;
        int at = 0, tried = 0;
        for_each_leaf(changed, [&](auto& leaf) {
            if (at++ != i) return;
            const auto old = leaf;
            for (const auto& value : others(old)) {
                leaf = value;
                if (value == old || !validate(MessageRef(&changed)).empty()) continue;
                ++tried;
                EXPECT_FALSE(same(changed, base)) << "leaf " << i;
                EXPECT_TRUE(same(there(changed), changed)) << summary(MessageRef(&changed)) << ": leaf " << i;
            }
        });
        EXPECT_GT(tried, 0) << "no other value is valid for leaf " << i;
    }
    EXPECT_GE(static_cast<size_t>(count), gr::wimax::phy::members<M>());
}

ConfigRequest config_request() {
    ConfigRequest m;
    m.mac_session = 11;
    m.bandwidth_hz = 5'000'000;
    m.carriers.downlink_hz = 3'500'000'000;
    return m;
}
FrameTick frame_tick() {
    FrameTick m;
    m.sample_rate_hz = 5'760'000;
    return m;
}
TxFrame tx_frame() {
    TxFrame m;
    m.bursts.resize(2);
    m.bursts[0].format.data_symbols = m.bursts[1].format.data_symbols = 2;
    m.bursts[0].payload = {1, 2};
    m.codes.resize(1);
    return m;
}
RxExpect rx_expect() {
    RxExpect m;
    m.allocations.resize(2);
    m.contention_slots = {Slot(5), Slot(6)};
    m.stc_zone_slots = {Slot(7)};
    return m;
}
RxContention rx_contention() {
    RxContention m;
    m.codes.resize(2);
    return m;
}

TEST(SapFields, EachReachesTheOtherSide) {
    change_each(config_request());
    ConfigConfirm confirm;
    confirm.faults = {"a", "b"};
    change_each(confirm);
    change_each(ProfilesRequest{});
    change_each(frame_tick());
    change_each(tx_frame());
    change_each(rx_expect());
    change_each(rx_contention());
    RxBurst burst;
    burst.payload = {1, 2, 3};
    burst.prefix.entry_count = 2;
    change_each(burst);
    change_each(ErrorIndication{});
}

TEST(SapFields, ListsKeepTheirLengthAndOrder) {
    TxFrame m = tx_frame();
    m.bursts.clear();
    EXPECT_TRUE(there(m).bursts.empty());
    m.bursts.resize(kMaxBursts);
    for (size_t i = 0; i < kMaxBursts; ++i) {
        m.bursts[i].start_slot = Slot(static_cast<uint32_t>(i));
        m.bursts[i].format.data_symbols = 3;
        m.bursts[i].payload.assign(i % 5, static_cast<uint8_t>(i));
    }
    EXPECT_TRUE(same(there(m), m));
    m.bursts.resize(kMaxBursts + 1);
    EXPECT_FALSE(validate(MessageRef(&m)).empty());
}

// ---- description, structure and schema
// --------------------------------------------------------------------------------

using gr::wimax::phy::members;

struct Keys {
    std::vector<std::string> keys;
    size_t others = 0;  // members that are no fields of the encoded message
    size_t counts = 0;  // members that count the elements of an array

    void operator()(const char* key, const auto&, const auto&...) { keys.emplace_back(key); }
    void each(const char* key, const auto&, int, int) { keys.emplace_back(key); }
    template <typename T, size_t N> void list(const char* key, const std::array<T, N>&, const int&) {
        keys.emplace_back(key);
        ++counts;
    }
    void list(const char* key, const auto&, size_t, const auto&...) { keys.emplace_back(key); }
    void text(const char* key, const auto&) { keys.emplace_back(key); }
    void maybe(const char* key, const auto&, const auto&) { keys.emplace_back(key); }
    void of_phy(const char*, const auto&, int, int) { ++others; }
    void payload(const auto&, int) { ++others; }
};

/// `parts`: member structures whose fields are fields of the same encoded message.
template <typename M, typename Wire, typename... Parts> void expect_described() {
    const M m{};
    Keys described;
    visit(described, m);
    if constexpr (requires { m.mac_session; }) ++described.others;
    if constexpr (requires { m.phy_session; }) ++described.others;
    const auto& schema = *Wire::descriptor();
    EXPECT_EQ(described.keys.size() + described.others + described.counts,
              members<M>() + (size_t{0} + ... + (members<Parts>() - 1)))
        << schema.name();
    std::vector<std::string> names;
    for (int i = 0; i < schema.field_count(); ++i) names.push_back(schema.field(i)->name());
    std::ranges::sort(described.keys);
    std::ranges::sort(names);
    EXPECT_EQ(described.keys, names) << schema.name();
}

TEST(SapFields, DescriptionHasAllMembersAndFitsTheSchema) {
    expect_described<ConfigRequest, wire::ConfigRequest, Carriers>();
    expect_described<ConfigConfirm, wire::ConfigConfirm>();
    expect_described<ProfilesRequest, wire::ProfilesRequest>();
    expect_described<FrameTick, wire::FrameTick>();
    expect_described<TxBurst, wire::TxBurst, gr::wimax::phy::BurstFormat>();
    expect_described<TxCode, wire::TxCode, gr::wimax::phy::ContentionCode>();
    expect_described<TxFrame, wire::TxFrame>();
    expect_described<RxAllocation, wire::RxAllocation, gr::wimax::phy::BurstFormat>();
    expect_described<RxExpect, wire::RxExpect>();
    expect_described<RxBurst, wire::RxBurst, RxMeasurement, gr::wimax::phy::FramePrefix>();
    expect_described<gr::wimax::phy::FramePrefixEntry, wire::PrefixEntry>();
    expect_described<ErrorIndication, wire::ErrorIndication>();
    expect_described<RxCode, wire::RxCode, gr::wimax::phy::ContentionCode>();
    expect_described<RxContention, wire::RxContention>();
    // The envelope has a case of the same name for each alternative of Message, and the probe.
    const auto& body = *wire::Envelope::descriptor()->FindOneofByName("body");
    std::vector<std::string> cases;
    for (int i = 0; i < body.field_count(); ++i) cases.push_back(body.field(i)->message_type()->name());
    const Message messages[] = {ConfigRequest(), ConfigConfirm(), ProfilesRequest(), FrameTick(),   TxFrame(),
                                RxExpect(),      RxBurst(),       ErrorIndication(), RxContention()};
    std::vector<std::string> names{"Probe"};
    for (const auto& message : messages)
        names.push_back(summary(as_ref(message)).substr(0, summary(as_ref(message)).find_first_of(" :")));
    std::ranges::sort(cases);
    std::ranges::sort(names);
    EXPECT_EQ(cases, names);
}

TEST(Summary, CountsWhatAMessageHolds) {
    RxBurst burst;
    burst.frame_number = FrameNumber(7);
    burst.index = 3, burst.rate_id = 4, burst.payload.resize(5);
    burst.fec_ok = true;
    EXPECT_EQ(summary(&burst), "RxBurst 7: index 3 rate 4 nothing, 5 bytes");
    burst.detected = true;
    EXPECT_EQ(summary(&burst), "RxBurst 7: index 3 rate 4 ok, 5 bytes");
    burst.fec_ok = false;
    EXPECT_EQ(summary(&burst), "RxBurst 7: index 3 rate 4 bad, 5 bytes");
    TxFrame tx;
    tx.bursts.resize(2);
    tx.bursts[0].payload.resize(4), tx.bursts[1].payload.resize(9);
    tx.codes.resize(3);
    EXPECT_EQ(summary(&tx), "TxFrame 0: 2 bursts, 13 bytes: 3 codes");
    RxExpect expect;
    expect.allocations.resize(6);
    EXPECT_EQ(summary(&expect), "RxExpect 0: 6 allocations");
    ConfigConfirm confirm;
    confirm.faults.resize(2);
    EXPECT_EQ(summary(&confirm), "ConfigConfirm: 2 faults");
    const ErrorIndication error{0, ErrorKind::overflow, FrameNumber(9), -4, "words"};
    EXPECT_EQ(summary(&error), "ErrorIndication 9: kind 2, -4 us words");
}

// ---- what the wire can say and a member cannot hold
// -------------------------------------------------------------------

std::string refusal(const wire::Envelope& e) {
    const std::string header = e.SerializeAsString();
    const Part part(reinterpret_cast<const uint8_t*>(header.data()), header.size());
    const auto decoded = Codec().decode({&part, 1});
    return decoded ? "" : decoded.error().str();
}

TEST(SapFields, WhatDoesNotFitIsRefused) {
    wire::Envelope e;
    e.set_schema_version(kSchemaVersion);
    auto& allocation = *e.mutable_rx_expect()->add_allocations();
    allocation.set_subchannel_index(16);
    EXPECT_EQ(refusal(e), "");
    allocation.set_rate_id(256 + 3);
    allocation.set_kind(256);
    allocation.set_cid(0x10001);
    EXPECT_EQ(refusal(e),
              "RxExpect.allocations[0].rate_id: value 259: allowed 0..255; RxExpect.allocations[0].kind: value 256: "
              "allowed 0..255; RxExpect.allocations[0].cid: value 65537: allowed 0..65535");
    const auto frame_number = [&e](auto& message, const std::string& name) {
        message.set_frame_number(0xFFFFFF);
        EXPECT_EQ(refusal(e).find("frame_number"), std::string::npos) << name;
        message.set_frame_number(0x1000000);
        EXPECT_NE(refusal(e).find(name + ".frame_number: value 16777216: allowed 0..16777215"), std::string::npos)
            << refusal(e);
    };
    frame_number(*e.mutable_tx_frame(), "TxFrame");
    frame_number(*e.mutable_rx_expect(), "RxExpect");
    frame_number(*e.mutable_frame_tick(), "FrameTick");
    frame_number(*e.mutable_rx_burst(), "RxBurst");
    frame_number(*e.mutable_rx_contention(), "RxContention");
    frame_number(*e.mutable_error_indication(), "ErrorIndication");
    e.mutable_config_request()->set_first_frame_number(0x1000000);
    EXPECT_NE(refusal(e).find("ConfigRequest.first_frame_number: value 16777216"), std::string::npos) << refusal(e);
    auto& rates = *e.mutable_profiles_request()->mutable_diuc_rates();
    rates.Resize(16, -1);
    EXPECT_EQ(refusal(e), "");
    rates.Set(15, -129);
    EXPECT_EQ(refusal(e), "ProfilesRequest.diuc_rates: value -129: allowed -128..127");
    rates.Set(15, 128);
    EXPECT_EQ(refusal(e), "ProfilesRequest.diuc_rates: value 128: allowed -128..127");
}

TEST(SapFields, ListsOfOtherLengthsAreRefused) {
    wire::Envelope e;
    e.set_schema_version(kSchemaVersion);
    for (size_t i = 0; i <= kMaxBursts; ++i) e.mutable_rx_expect()->add_allocations()->set_subchannel_index(16);
    EXPECT_EQ(refusal(e), "RxExpect.allocations: value 1025 elements: allowed 0..1024");
    e.mutable_rx_expect()->mutable_allocations()->RemoveLast();
    EXPECT_EQ(refusal(e), "");
    for (size_t i = 0; i <= kMaxTexts; ++i) e.mutable_config_confirm()->add_faults("x");
    EXPECT_EQ(refusal(e), "ConfigConfirm.faults: value 65 elements: allowed 0..64");
    for (const int length : {0, 15, 17}) {
        e.mutable_profiles_request()->mutable_diuc_rates()->Resize(length, -1);
        EXPECT_EQ(refusal(e), "ProfilesRequest.diuc_rates: value " + std::to_string(length) + " elements: allowed 16");
    }
}

// ---- limits ---------------------------------------------------------------------------------------------------------

template <typename T> T above(T v) {
    if constexpr (std::is_floating_point_v<T>) return std::nextafter(v, std::numeric_limits<T>::infinity());
    else return static_cast<T>(v + 1);
}
template <typename T> T below(T v) {
    if constexpr (std::is_floating_point_v<T>) return std::nextafter(v, -std::numeric_limits<T>::infinity());
    else return static_cast<T>(v - 1);
}

/// A field's type as a number.
template <typename T> struct Number { using type = T; };
template <typename T>
requires std::is_enum_v<T>
struct Number<T> {
    using type = std::underlying_type_t<T>;
};
template <> struct Number<Slot> { using type = uint32_t; };

/// `field(message)` may be low to high, ends and whole numbers between, and not a step beyond; a fault names the field
/// and both limits.
template <typename M, typename Field, typename L, typename H>
void expect_limits(M m, const std::string& name, const Field& field, L low, H high) {
    using F = std::remove_reference_t<decltype(field(m))>;
    using V = typename Number<F>::type;
    const auto faults = [&](V v) {
        field(m) = static_cast<F>(v);
        return validate(MessageRef(&m));
    };
    const V lowest = static_cast<V>(low), highest = static_cast<V>(high);
    for (V v = lowest; v < highest && v < lowest + V(20); v = static_cast<V>(v + 1))
        EXPECT_EQ(faults(v).str(), "") << name;
    EXPECT_EQ(faults(highest).str(), "") << name;
    const auto refused = [&](V v) {
        const auto f = faults(v);
        ASSERT_EQ(f.list().size(), 1U) << name << " " << +v << " " << f.str();
        EXPECT_NE(f.list()[0].key.find(name), std::string::npos) << f.str();
        if constexpr (std::is_integral_v<V>) {
            EXPECT_EQ(f.list()[0].value, std::to_string(+v));
            EXPECT_EQ(f.list()[0].allowed, std::to_string(+lowest) + ".." + std::to_string(+highest));
        }
    };
    if (highest != std::numeric_limits<V>::max()) refused(above(highest));
    // Below zero an unsigned field is the highest of its type, which a limit may allow.
    if (std::is_signed_v<V> || lowest > 0 || highest != std::numeric_limits<V>::max()) refused(below(lowest));
    if constexpr (std::is_floating_point_v<V>)
        for (const V v : {std::numeric_limits<V>::quiet_NaN(), std::numeric_limits<V>::infinity(),
                          -std::numeric_limits<V>::infinity()})
            refused(v);
}

/// A field's name without the structure it is in.
std::string leaf(const std::string& path) { return path.substr(path.rfind('.') + 1); }

#define LIMITS(base, path, low, high) \
    expect_limits(                    \
        base, leaf(#path), [](auto& m) -> auto& { return m.path; }, low, high)
#define LIMITS_OF(base, list, path, low, high) \
    expect_limits(                             \
        base, #list "[0]." + leaf(#path), [](auto& m) -> auto& { return m.list[0].path; }, low, high)

void expect_prefix_codes(auto m) {
    for (int cp = 0; cp < 256; ++cp) {
        m.cp_denominator = static_cast<uint8_t>(cp);
        EXPECT_EQ(validate(MessageRef(&m)).empty(), cp == 4 || cp == 8 || cp == 16 || cp == 32) << cp;
    }
}

/// The base station sends on the downlink's carrier, and a subscriber station on the uplink's.
TEST(Carriers, BelongToDirections) {
    constexpr Carriers kOne{3'500'000'000}, kPair{3'500'000'000, -100'000'000};
    EXPECT_TRUE(kOne.shared());
    EXPECT_EQ(kOne.uplink_hz(), 3'500'000'000U);
    EXPECT_EQ(text_of(kOne), "3500000000 Hz");
    EXPECT_FALSE(kPair.shared());
    EXPECT_EQ(kPair.uplink_hz(), 3'400'000'000U);
    EXPECT_EQ(text_of(kPair), "3500000000 Hz, uplink at 3400000000 Hz");
    EXPECT_EQ(kPair.sent_by(Role::base_station), kPair.downlink_hz);
    EXPECT_EQ(kPair.sent_by(Role::subscriber_station), kPair.uplink_hz());
    EXPECT_EQ(kPair.received_by(Role::base_station), kPair.uplink_hz());
    EXPECT_EQ(kPair.received_by(Role::subscriber_station), kPair.downlink_hz);
    EXPECT_EQ(kOne.uplink_per_downlink(), 1);
    EXPECT_FLOAT_EQ(kPair.uplink_per_downlink(), 34.0F / 35);
    EXPECT_EQ(kPair.moved_to(2'500'000'000), (Carriers{2'500'000'000, -100'000'000}));
}

TEST(Carriers, AreBothWithinTheLimitsOfAFrequency) {
    EXPECT_TRUE(are_frequencies({1'000'000}));
    EXPECT_FALSE(are_frequencies({999'999}));
    EXPECT_TRUE(are_frequencies({100'000'000'000}));
    EXPECT_FALSE(are_frequencies({100'000'000'001}));
    EXPECT_TRUE(are_frequencies({2'000'000, -1'000'000}));
    EXPECT_FALSE(are_frequencies({2'000'000, -1'000'001}));
    EXPECT_TRUE(are_frequencies({2'000'000, 99'998'000'000}));
    EXPECT_FALSE(are_frequencies({2'000'000, 99'998'000'001}));
    EXPECT_FALSE(are_frequencies({999'999, 1}));
}

TEST(SapLimits, OfWhatTheMacSays) {
    LIMITS(config_request(), bandwidth_hz, 1'250'000, 28'000'000);
    const auto downlink = [](auto& m) -> auto& { return m.carriers.downlink_hz; };
    expect_limits(config_request(), "frequency_hz", downlink, 1'000'000, 100'000'000'000);
    LIMITS(config_request(), carriers.duplex_spacing_hz, -3'499'000'000, 96'500'000'000);
    LIMITS(config_request(), tx_gain_db, -200, 200);
    LIMITS(config_request(), rx_gain_db, -200, 200);
    LIMITS(config_request(), frame_duration_code, 0, 6);
    LIMITS(config_request(), bsid, 0, 0xFFFFFFFFFFFF);
    expect_prefix_codes(config_request());
    LIMITS(config_request(), role, 0, 1);

    for (size_t i = 0; i < 16; ++i)
        expect_limits(
            ProfilesRequest{},
            "diuc_rates[" + std::to_string(i) + "]", [i](auto& m) -> auto& { return m.diuc_rates[i]; }, -1, 6);

    LIMITS(tx_frame(), timing_advance_samples, -1'000'000, 1'000'000);
    LIMITS(tx_frame(), frequency_adjust_hz, -1e6, 1e6);
    LIMITS(tx_frame(), power_dbm, -400, 400);
    LIMITS_OF(tx_frame(), bursts, start_slot, 0, 163'760);
    LIMITS_OF(tx_frame(), bursts, format.rate_id, 0, 6);
    LIMITS_OF(tx_frame(), bursts, format.iuc, 0, 15);
    LIMITS_OF(tx_frame(), bursts, format.preamble, 0, 2);
    TxFrame bare = tx_frame();
    bare.bursts[0].payload.clear();
    LIMITS_OF(bare, bursts, format.data_symbols, 0, 2047);
    LIMITS_OF(tx_frame(), bursts, format.midamble_interval, 0, 4);
    LIMITS_OF(tx_frame(), bursts, format.subchannel_index, 1, 31);
    LIMITS_OF(tx_frame(), bursts, format.frame_lsb, 0, 15);
    LIMITS_OF(tx_frame(), bursts, format.attenuation_db, 0, 40);

    LIMITS(rx_expect(), first_uplink_slot, 0, 163'760);
    LIMITS(rx_expect(), next_uplink_slot, 0, 163'760);
    LIMITS_OF(rx_expect(), allocations, start_slot, 0, 163'760);
    LIMITS_OF(rx_expect(), allocations, format.rate_id, 0, 6);
    LIMITS_OF(rx_expect(), allocations, format.iuc, 0, 15);
    LIMITS_OF(rx_expect(), allocations, format.preamble, 0, 2);
    LIMITS_OF(rx_expect(), allocations, format.data_symbols, 0, 2047);
    LIMITS_OF(rx_expect(), allocations, format.midamble_interval, 0, 4);
    LIMITS_OF(rx_expect(), allocations, format.subchannel_index, 1, 31);
    LIMITS_OF(rx_expect(), allocations, format.frame_lsb, 0, 15);
    LIMITS_OF(rx_expect(), allocations, format.attenuation_db, 0, 40);
    LIMITS_OF(rx_expect(), allocations, kind, 0, 2);
    LIMITS(rx_expect(), contention_slots[1], 0, 163'760);
    LIMITS(rx_expect(), stc_zone_slots[0], 0, 163'760);
    LIMITS_OF(tx_frame(), codes, start_slot, 0, 163'760);
    LIMITS_OF(tx_frame(), codes, what.channel, 0, 47);
    LIMITS_OF(tx_frame(), codes, what.code, 0, 7);
    LIMITS_OF(tx_frame(), codes, boost_db, 0, 30);
}

TEST(SapLimits, OfPayloads) {
    constexpr std::array<size_t, 7> kOctetsOfThree{35, 71, 107, 143, 215, 287, 323};
    for (uint8_t rate = 0; rate < 7; ++rate) {
        TxFrame m = tx_frame();
        m.bursts[1].format.rate_id = rate;
        m.bursts[1].format.data_symbols = 3;
        m.bursts[1].payload.resize(kOctetsOfThree[rate]);
        EXPECT_EQ(validate(MessageRef(&m)).str(), "") << +rate;
        m.bursts[1].payload.push_back(0);
        EXPECT_EQ(validate(MessageRef(&m)).list().size(), 1U) << +rate;
        m.bursts[1].format.data_symbols = 0;
        m.bursts[1].payload.clear();
        EXPECT_EQ(validate(MessageRef(&m)).str(), "") << +rate;
    }
    RxBurst burst;
    burst.payload.resize(108 * 2047 - 1);
    EXPECT_EQ(validate(MessageRef(&burst)).str(), "");
    burst.payload.push_back(0);
    EXPECT_EQ(validate(MessageRef(&burst)).list().size(), 1U);
}

TEST(SapLimits, OfWhatThePhySays) {
    LIMITS(ConfigConfirm{}, sample_rate_hz, 0, 1'000'000'000);
    LIMITS(ConfigConfirm{}, rx_reference_dbm, -400, 400);
    LIMITS(ConfigConfirm{}, tx_reference_dbm, -400, 400);
    ConfigConfirm confirm;
    confirm.faults.assign(kMaxTexts, std::string(kMaxTextBytes, 'x'));
    EXPECT_EQ(validate(MessageRef(&confirm)).str(), "");
    confirm.faults[3].push_back('x');
    EXPECT_EQ(validate(MessageRef(&confirm)).list().size(), 1U);
    confirm.faults.assign(kMaxTexts + 1, "x");
    EXPECT_EQ(validate(MessageRef(&confirm)).list().size(), 1U);

    LIMITS(frame_tick(), sample_rate_hz, 1, 1'000'000'000);
    LIMITS(frame_tick(), frame_samples, 0, 655'040);
    LIMITS(frame_tick(), rssi_dbm, -1000, 1000);
    LIMITS(frame_tick(), cinr_db, -1000, 1000);
    LIMITS(frame_tick(), frequency_offset_hz, -1e12, 1e12);
    LIMITS(frame_tick(), clock_offset_ppm, -1e6, 1e6);
    LIMITS(frame_tick(), rx_reference_dbm, -400, 400);
    LIMITS(frame_tick(), tx_reference_dbm, -400, 400);
    expect_prefix_codes(frame_tick());

    LIMITS(RxBurst{}, start_slot, 0, 163'760);
    LIMITS(RxBurst{}, rate_id, 0, 6);
    LIMITS(RxBurst{}, iuc, 0, 15);
    LIMITS(RxBurst{}, measured.rssi_dbm, -1000, 1000);
    LIMITS(RxBurst{}, measured.cinr_db, -1000, 1000);
    LIMITS(RxBurst{}, measured.evm_db, -1000, 1000);
    LIMITS(RxBurst{}, measured.timing_offset_samples, -1e6, 1e6);
    LIMITS(RxBurst{}, measured.frequency_offset_hz, -1e12, 1e12);
    const auto with_prefix = [](const char* key, const auto& field, int low, int high) {
        RxBurst m;
        m.prefix.entry_count = 1;
        expect_limits(m, key, field, low, high);
    };
    with_prefix(
        "RxBurst.prefix_bsid_lsb", [](auto& m) -> auto& { return m.prefix.bsid_lsb; }, 0, 15);
    with_prefix(
        "RxBurst.change_count_lsb", [](auto& m) -> auto& { return m.prefix.change_count_lsb; }, 0, 15);
    with_prefix(
        "RxBurst.prefix_frame_lsb", [](auto& m) -> auto& { return m.prefix.frame_lsb; }, 0, 15);
    with_prefix(
        "prefix_entries elements", [](auto& m) -> auto& { return m.prefix.entry_count; }, 0, 4);
    with_prefix(
        "prefix_entries[0].rate_id_or_diuc", [](auto& m) -> auto& { return m.prefix.entries[0].rate_id_or_diuc; }, 0,
        15);
    with_prefix(
        "prefix_entries[0].length", [](auto& m) -> auto& { return m.prefix.entries[0].length; }, 0, 4095);
    LIMITS(RxBurst{}, frame_samples, 0, 655'040);
    expect_prefix_codes(RxBurst{});
    LIMITS(RxBurst{}, kind, 0, 2);

    LIMITS(rx_contention(), start_slot, 0, 163'760);
    LIMITS_OF(rx_contention(), codes, what.channel, 0, 47);
    LIMITS_OF(rx_contention(), codes, what.code, 0, 7);
    LIMITS_OF(rx_contention(), codes, snr_db, -1000, 1000);
    LIMITS_OF(rx_contention(), codes, rssi_dbm, -1000, 1000);
    LIMITS_OF(rx_contention(), codes, certainty, 0, 1);

    LIMITS(ErrorIndication{}, kind, 0, 6);
    ErrorIndication error;
    error.kind = ErrorKind::time_jump;
    error.detail.assign(kMaxTextBytes, 'x');
    EXPECT_EQ(validate(MessageRef(&error)).str(), "");
    error.detail.push_back('x');
    EXPECT_EQ(validate(MessageRef(&error)).list().size(), 1U);
}

}  // namespace
}  // namespace wimax::sap
