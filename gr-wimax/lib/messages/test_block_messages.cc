// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between the blocks: their description has every member, and every field survives a PDU. test_message_keys.cc
// checks keys and refusals.
#include "messages/block_message_fields.h"
#include "phy/base/test_members.h"

#include <gtest/gtest.h>

#include <functional>

namespace gr::wimax {
namespace {

// ---- description and structure --------------------------------------------------------------------------------------

using phy::members;

struct Count {
    size_t fields = 0;
    void operator()(const char*, const auto&, const auto&...) { ++fields; }
    void maybe(const char*, const auto&, const auto&...) { ++fields; }
    template <typename T> void maybe(const char*, const std::vector<T>&, std::initializer_list<T>) { ++fields; }
    void list(const char*, const auto&) { ++fields; }
    void list(const char*, const auto&, const int&) { fields += 2; }
    void of_phy(const char*, const auto&, int, int) { ++fields; }
    void payload(const auto&) { ++fields; }
    void payload(const auto&, int) { ++fields; }
    void burst_payloads() {}
};

template <typename M> size_t described() {
    Count count;
    const M m{};
    visit(count, m);
    return count.fields;
}

TEST(Messages, DescriptionsHaveAllMembers) {
    constexpr size_t kFormat = 10, kMeasured = 5;
    EXPECT_EQ(described<phy::BurstFormat>(), members<phy::BurstFormat>());
    EXPECT_EQ(members<phy::BurstFormat>(), kFormat);
    EXPECT_EQ(described<phy::BurstMeasurement>(), members<phy::BurstMeasurement>());
    EXPECT_EQ(members<phy::BurstMeasurement>(), kMeasured);
    EXPECT_EQ(described<TransmitBurst>(), members<TransmitBurst>() - 1 + kFormat);
    EXPECT_EQ(described<TransmitCode>(), members<TransmitCode>() - 1 + members<phy::ContentionCode>());
    EXPECT_EQ(described<TransmitFrame>(), members<TransmitFrame>());
    EXPECT_EQ(described<ExpectedBurst>(), members<ExpectedBurst>() - 1 + kFormat);
    EXPECT_EQ(described<Expectation>(), members<Expectation>());
    // The burst's format and measurement are visited with it; its start symbol and retried blocks stay in the core.
    EXPECT_EQ(described<phy::FramePrefix>(), members<phy::FramePrefix>());
    EXPECT_EQ(described<phy::FramePrefixEntry>(), members<phy::FramePrefixEntry>());
    EXPECT_EQ(described<BurstReport>(), members<BurstReport>() - 2 + members<phy::ReceivedBurst>() - 4 + kFormat +
                                            kMeasured + members<phy::FramePrefix>());
    EXPECT_EQ(described<phy::ContentionDetection>(),
              members<phy::ContentionDetection>() - 1 + members<phy::ContentionCode>());
    EXPECT_EQ(described<ContentionReport>(), members<ContentionReport>());
    EXPECT_EQ(described<Tick>(), members<Tick>());
    EXPECT_EQ(described<Done>(), members<Done>());
    EXPECT_EQ(described<ErrorReport>(), members<ErrorReport>());
    EXPECT_EQ(described<Control>(), members<Control>());
}

// ---- every field is restored ----------------------------------------------------------------------------------------

/// Changes field `chosen` of a message; counts the fields in the order of the description.
class Change {
public:
    explicit Change(int chosen) : chosen_(chosen) {}
    bool done() const { return next_ > chosen_; }
    const std::string& key() const { return key_; }

    void operator()(const char* key, bool& v) {
        change(key, [&] { v = !v; });
    }
    void operator()(const char* key, float& v) {
        change(key, [&] { v += 1.25F; });
    }
    void operator()(const char* key, std::string& v) {
        change(key, [&] { v += "x"; });
    }
    void operator()(const char* key, phy::Direction& v) {
        change(key, [&] { v = v == phy::Direction::uplink ? phy::Direction::downlink : phy::Direction::uplink; });
    }
    void operator()(const char* key, ErrorKind& v) {
        change(key, [&] { v = ErrorKind::time_jump; });
    }
    void operator()(const char* key, phy::CyclicPrefix& v) {
        change(key, [&] { v = phy::CyclicPrefix::g1_32; });
    }
    void operator()(const char* key, phy::FrameNumber& v) {
        change(key, [&] { v = phy::FrameNumber(phy::FrameNumber::kLast); });
    }
    void operator()(const char* key, int64_t& v) {
        change(key, [&] { v = INT64_MIN + 5; });
    }
    template <typename T, typename L, typename H> void operator()(const char* key, T& v, L, H high) {
        change(key, [&] { v = static_cast<T>(high); });
    }
    void operator()(const char* key, std::array<int8_t, 16>& v, int, int) {
        change(key, [&] { v[15] = 6; });
    }
    template <typename T> void maybe(const char* key, std::optional<T>& v, const auto&... range) {
        T value{};
        const int before = next_;
        (*this)(key, value, range...);
        if (before == chosen_) v = value;
    }
    template <typename T> void maybe(const char* key, T& v, const std::type_identity_t<T>&) { (*this)(key, v); }
    template <typename T> void maybe(const char* key, std::vector<T>& v, std::initializer_list<T>) { list(key, v); }
    template <typename T> void list(const char* key, std::vector<T>& v) {
        const size_t there = v.size();
        change(key, [&] { v.emplace_back(); });
        for (size_t i = 0; i < there; ++i) visit(*this, v[i]);
    }
    template <typename T, size_t N> void list(const char* key, std::array<T, N>& v, int& count) {
        const int there = count;
        change(key, [&] { ++count; });
        for (size_t i = 0; std::cmp_less(i, there); ++i) visit(*this, v[i]);
    }
    void list(const char* key, std::vector<phy::Slot>& v) {
        change(key, [&] { v.emplace_back(7); });
    }
    void of_phy(const char* key, auto& v, int low, int high) { (*this)(key, v, low, high); }
    void burst_payloads() {}
    void payload(std::vector<uint8_t>& v, int most) {
        change("payload", [&] { v.resize(static_cast<size_t>(most), 'x'); });
    }
    void payload(auto& v) {
        change("payload", [&] { v.push_back('x'); });
    }

private:
    void change(const char* key, const std::function<void()>& how) {
        if (next_++ != chosen_) return;
        key_ = key;
        how();
    }
    const int chosen_;
    int next_ = 0;
    std::string key_;
};

/// The same through PDUs: equal PDUs mean equal messages, because every member is described. Returns the number of
/// fields.
template <typename M, typename Parse> int change_each(const M& base, const Parse& parse) {
    for (int count = 0;; ++count) {
        M changed = base;
        Change change(count);
        visit(change, changed);
        if (!change.done()) return count;
        const auto pdu = to_pdu(changed);
        EXPECT_FALSE(pmt::equal(pdu, to_pdu(base))) << change.key();
        const Parsed<M> back = parse(pdu);
        EXPECT_TRUE(back) << back.error().str();
        if (!back) continue;
        EXPECT_TRUE(pmt::equal(to_pdu(*back), pdu)) << change.key();
    }
}

TEST(Messages, EveryFieldComesBack) {
    TransmitFrame frame;
    frame.bursts.resize(2);
    for (auto& b : frame.bursts) b.format.data_symbols = 2;
    frame.codes.resize(1);
    EXPECT_EQ(change_each(frame, parse_transmit_frame), 12 + 2 * 12 + 4);
    Expectation expectation;
    expectation.bursts.resize(2);
    EXPECT_EQ(change_each(expectation, parse_expectation), 7 + 2 * 14);
    BurstReport report;
    report.prefix.entry_count = 2;
    EXPECT_EQ(change_each(report, parse_burst_report), 35 + 2 * 3);
    EXPECT_EQ(change_each(Tick(), parse_tick), 13);
    EXPECT_EQ(change_each(Done(), parse_done), 1);
    EXPECT_EQ(change_each(ErrorReport(), parse_error_report), 4);
    EXPECT_EQ(change_each(Control(), parse_control), 4);
}

TEST(Messages, NamesOfAll) {
    EXPECT_EQ(message_name(to_pdu(TransmitFrame())), "tx");
    EXPECT_EQ(message_name(to_pdu(Expectation())), "expect");
    EXPECT_EQ(message_name(to_pdu(BurstReport())), "burst");
    EXPECT_EQ(message_name(to_pdu(ContentionReport())), "contention");
    EXPECT_EQ(message_name(to_pdu(Tick())), "tick");
    EXPECT_EQ(message_name(to_pdu(Done())), "done");
    EXPECT_EQ(message_name(to_pdu(ErrorReport())), "error");
    EXPECT_EQ(message_name(to_pdu(Control())), "control");
    EXPECT_EQ(message_name(pmt::PMT_T), "");
}

TEST(Messages, UsualValuesMayBeAbsent) {
    TransmitFrame frame;
    frame.bursts.resize(1);
    const pmt::pmt_t dict = pmt::car(to_pdu(frame));
    for (const char* key : {key::deadline_sample, key::codes})
        EXPECT_FALSE(pmt::dict_has_key(dict, pmt::mp(key))) << key;
    const auto back = parse_transmit_frame(to_pdu(frame));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->deadline_sample, kNoDeadline);
    EXPECT_FALSE(back->bursts[0].format.stc);
    const auto control = parse_control(to_pdu(Control()));
    ASSERT_TRUE(control);
    EXPECT_FALSE(control->attached || control->first_frame_number || control->diuc_rates);
}

TEST(Messages, StructuresTravelThemselves) {
    Tick tick;
    tick.frame_number = phy::FrameNumber(77);
    const auto message = to_any(tick);
    EXPECT_EQ(from_any<Tick>(message)->frame_number, 77U);
    EXPECT_EQ(parse_tick(message)->frame_number, 77U);
    EXPECT_FALSE(from_any<Done>(message));
    EXPECT_FALSE(from_any<Tick>(to_pdu(tick)));
    EXPECT_EQ(parse_done(message).error().str(), "not a PDU (dict . vector)");
    EXPECT_EQ(message_name(message), "");
}

/// For both forms: the structure that was sent is read in place.
TEST(Messages, StructuresAreReadWithoutACopy) {
    TransmitFrame frame;
    frame.bursts.resize(1);
    frame.bursts[0].payload.assign(1000, 7);
    const uint8_t* octets = frame.bursts[0].payload.data();
    const auto pdu = to_pdu(frame);
    const auto message = to_any(std::move(frame));
    const auto typed = received<TransmitFrame>(message, parse_transmit_frame);
    ASSERT_TRUE(typed);
    EXPECT_EQ((*typed)->bursts[0].payload.data(), octets);
    EXPECT_EQ(received<TransmitFrame>(pdu, parse_transmit_frame).error().str(),
              "bursts[0].payload_bytes: value 1000: allowed 0..0");
    EXPECT_EQ(received<TransmitFrame>(pmt::PMT_T, parse_transmit_frame).error().str(), "not a PDU (dict . vector)");
}

// ---- rules between keys ---------------------------------------------------------------------------------------------

TEST(Messages, PayloadsFitTheirBursts) {
    TransmitFrame frame;
    frame.bursts.resize(2);
    for (auto& b : frame.bursts) b.format.data_symbols = 2;
    frame.bursts[0].payload = {1, 2};
    frame.bursts[1].payload = {3};
    const auto back = parse_transmit_frame(to_pdu(frame));
    ASSERT_TRUE(back) << back.error().str();
    EXPECT_EQ(back->bursts[0].payload, frame.bursts[0].payload);
    EXPECT_EQ(back->bursts[1].payload, frame.bursts[1].payload);
    for (const std::vector<uint8_t>& wrong : {std::vector<uint8_t>{1, 2}, {1, 2, 3, 4}, {}}) {
        const auto octets = pmt::init_u8vector(wrong.size(), wrong);
        EXPECT_EQ(parse_transmit_frame(pmt::cons(pmt::car(to_pdu(frame)), octets)).error().str(),
                  "payload: its length is not the sum of payload_bytes");
    }
    EXPECT_EQ(parse_transmit_frame(pmt::cons(pmt::car(to_pdu(frame)), pmt::PMT_T)).error().str(),
              "payload: not a u8vector");
}

/// All combinations of lengths of up to three bursts, and payloads of all lengths around their sum. Exactly one is
/// correct, and then each burst has its octets.
TEST(Messages, APayloadIsTheSumOfItsBurstsAndNothingElse) {
    constexpr int kMost = 11;  // a symbol of BPSK
    for (int bursts = 0; bursts <= 3; ++bursts) {
        const std::vector<int> lengths{0, 1, 2, kMost};
        int combinations = 1;
        for (int i = 0; i < bursts; ++i) combinations *= static_cast<int>(lengths.size());
        for (int combination = 0; combination < combinations; ++combination) {
            TransmitFrame frame;
            frame.bursts.resize(static_cast<size_t>(bursts));
            uint8_t octet = 0;
            for (int i = 0, rest = combination; i < bursts; ++i, rest /= static_cast<int>(lengths.size())) {
                auto& burst = frame.bursts[static_cast<size_t>(i)];
                burst.format.data_symbols = 1;
                for (int n = 0; n < lengths[static_cast<size_t>(rest) % lengths.size()]; ++n)
                    burst.payload.push_back(octet++);
            }
            const auto dict = pmt::car(to_pdu(frame));
            for (int there = 0; there <= octet + 2; ++there) {
                std::vector<uint8_t> octets(static_cast<size_t>(there));
                for (size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<uint8_t>(i);
                const auto back = parse_transmit_frame(pmt::cons(dict, pmt::init_u8vector(octets.size(), octets)));
                ASSERT_EQ(back.has_value(), there == octet)
                    << bursts << " bursts, combination " << combination << ", " << there << " octets of " << int{octet};
                if (!back) continue;
                for (size_t i = 0; i < frame.bursts.size(); ++i)
                    ASSERT_EQ(back->bursts[i].payload, frame.bursts[i].payload);
            }
        }
    }
}

/// A fault in any element of a list is found and named with its position.
TEST(Messages, EachElementOfAListIsRead) {
    TransmitFrame frame;
    frame.bursts.resize(3);
    frame.codes.resize(3);
    Expectation expectation;
    expectation.bursts.resize(3);
    const auto check = [](const pmt::pmt_t& pdu, const char* list, const auto& parse) {
        const auto dict = pmt::car(pdu), elements = pmt::dict_ref(dict, pmt::mp(list), pmt::PMT_NIL);
        ASSERT_TRUE(parse(pdu));
        for (size_t i = 0; i < pmt::length(elements); ++i) {
            const auto element = pmt::vector_ref(elements, i);
            for (auto keys = pmt::dict_keys(element); !pmt::is_null(keys); keys = pmt::cdr(keys))
                for (const bool missing : {true, false}) {
                    const auto name = pmt::car(keys);
                    const auto wrong = missing ? pmt::dict_delete(element, name)
                                               : pmt::dict_add(element, name, pmt::mp("neither number nor list"));
                    const auto spoilt = pmt::make_vector(pmt::length(elements), pmt::PMT_NIL);
                    for (size_t k = 0; k < pmt::length(elements); ++k)
                        pmt::vector_set(spoilt, k, k == i ? wrong : pmt::vector_ref(elements, k));
                    const auto back = parse(pmt::cons(pmt::dict_add(dict, pmt::mp(list), spoilt), pmt::cdr(pdu)));
                    ASSERT_FALSE(back) << list << i << pmt::symbol_to_string(name);
                    const auto place = std::string(list) + "[" + std::to_string(i) + "]." + pmt::symbol_to_string(name);
                    EXPECT_EQ(back.error().str().rfind(place + ":", 0), 0U) << back.error().str();
                }
        }
    };
    check(to_pdu(frame), key::bursts, parse_transmit_frame);
    check(to_pdu(frame), key::codes, parse_transmit_frame);
    check(to_pdu(expectation), key::bursts, parse_expectation);
}

TEST(Messages, EachSlotOfAListHasItsRange) {
    for (const char* list : {key::contention_slots, key::stc_zone_slots})
        for (size_t at = 0; at < 3; ++at)
            for (const uint32_t slot : {0U, phy::kMaxSlot, phy::kMaxSlot + 1}) {
                std::vector<uint32_t> slots(3, 7);
                slots[at] = slot;
                const auto pdu = to_pdu(Expectation());
                const auto dict = pmt::dict_add(pmt::car(pdu), pmt::mp(list), pmt::init_u32vector(slots.size(), slots));
                const auto back = parse_expectation(pmt::cons(dict, pmt::cdr(pdu)));
                ASSERT_EQ(back.has_value(), slot <= phy::kMaxSlot) << list << ' ' << at << ' ' << slot;
                if (!back) continue;
                const auto& read = list == key::contention_slots ? back->contention_slots : back->stc_zone_slots;
                ASSERT_EQ(read.size(), 3U);
                for (size_t i = 0; i < 3; ++i) EXPECT_EQ(read[i].value(), slots[i]);
            }
}

}  // namespace
}  // namespace gr::wimax
