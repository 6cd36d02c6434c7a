/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages between the blocks: their description has every member, every field by itself comes back from a PDU, and
 * what is out of range or of another type is refused by its name.
 */
#include "base/test_members.h"
#include "message_fields.h"

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
    template <typename T>
    void maybe(const char*, const std::vector<T>&, std::initializer_list<T>) {
        ++fields;
    }
    void list(const char*, const auto&) { ++fields; }
    void payload(const auto&) { ++fields; }
};

template <typename M>
size_t described() {
    Count count;
    const M m{};
    visit(count, m);
    return count.fields;
}

TEST(Messages, DescriptionsHaveAllMembers) {
    constexpr size_t kFormat = 9, kMeasured = 5;
    EXPECT_EQ(described<phy::BurstFormat>(), members<phy::BurstFormat>());
    EXPECT_EQ(members<phy::BurstFormat>(), kFormat);
    EXPECT_EQ(described<phy::BurstMeasurement>(), members<phy::BurstMeasurement>());
    EXPECT_EQ(members<phy::BurstMeasurement>(), kMeasured);
    EXPECT_EQ(described<TransmitBurst>(), members<TransmitBurst>() - 1 + kFormat);
    EXPECT_EQ(described<TransmitCode>(), members<TransmitCode>() - 1 + members<phy::ContentionCode>());
    EXPECT_EQ(described<TransmitFrame>(), members<TransmitFrame>());
    EXPECT_EQ(described<ExpectedBurst>(), members<ExpectedBurst>() - 1 + kFormat);
    EXPECT_EQ(described<Expectation>(), members<Expectation>());
    // The burst's format and measurement are visited with it; its start symbol stays in the core.
    EXPECT_EQ(described<BurstReport>(),
              members<BurstReport>() - 1 + members<phy::ReceivedBurst>() - 3 + kFormat + kMeasured);
    EXPECT_EQ(described<phy::ContentionDetection>(),
              members<phy::ContentionDetection>() - 1 + members<phy::ContentionCode>());
    EXPECT_EQ(described<ContentionReport>(), members<ContentionReport>());
    EXPECT_EQ(described<Tick>(), members<Tick>());
    EXPECT_EQ(described<Done>(), members<Done>());
    EXPECT_EQ(described<ErrorReport>(), members<ErrorReport>());
    EXPECT_EQ(described<Control>(), members<Control>());
}

// ---- every field comes back -----------------------------------------------------------------------------------------

/// Changes field `chosen` of a message, and goes through all of them in the order of the description.
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
    void operator()(const char* key, phy::CyclicPrefix& v) {
        change(key, [&] { v = phy::CyclicPrefix::g1_32; });
    }
    void operator()(const char* key, int64_t& v) {
        change(key, [&] { v = INT64_MIN + 5; });
    }
    template <typename T, typename L, typename H>
    void operator()(const char* key, T& v, L, H high) {
        change(key, [&] { v = static_cast<T>(high); });
    }
    void operator()(const char* key, std::array<int8_t, 16>& v, int, int) {
        change(key, [&] { v[15] = 6; });
    }
    template <typename T>
    void maybe(const char* key, std::optional<T>& v, const auto&... range) {
        T value{};
        const int before = next_;
        (*this)(key, value, range...);
        if (before == chosen_) v = value;
    }
    template <typename T>
    void maybe(const char* key, T& v, const std::type_identity_t<T>&) {
        (*this)(key, v);
    }
    template <typename T>
    void maybe(const char* key, std::vector<T>& v, std::initializer_list<T>) {
        list(key, v);
    }
    template <typename T>
    void list(const char* key, std::vector<T>& v) {
        const size_t there = v.size();
        change(key, [&] { v.emplace_back(); });
        for (size_t i = 0; i < there; ++i) visit(*this, v[i]);
    }
    void list(const char* key, std::vector<uint32_t>& v) {
        change(key, [&] { v.push_back(7); });
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

/// The same through PDUs: equal ones stand for equal messages, as every member is described. Returns how many fields.
template <typename M, typename Parse>
int change_each(const M& base, const Parse& parse) {
    for (int count = 0;; ++count) {
        M changed = base;
        Change change(count);
        visit(change, changed);
        if (!change.done()) return count;
        if constexpr (std::same_as<M, TransmitFrame>)  // the one that has a rule beyond its ranges
            if (change.key() == "payload" || change.key() == key::payload_bytes) continue;
        const auto pdu = to_pdu(changed);
        EXPECT_FALSE(pmt::equal(pdu, to_pdu(base))) << change.key();
        const Parsed<M> back = parse(pdu);
        EXPECT_TRUE(back) << back.error();
        if (!back) continue;
        EXPECT_TRUE(pmt::equal(to_pdu(*back), pdu)) << change.key();
    }
}

TEST(Messages, EveryFieldComesBack) {
    TransmitFrame frame;
    frame.bursts.resize(2);
    frame.codes.resize(1);
    EXPECT_EQ(change_each(frame, parse_transmit_frame), 13 + 2 * 11 + 4);
    Expectation expectation;
    expectation.bursts.resize(2);
    EXPECT_EQ(change_each(expectation, parse_expectation), 7 + 2 * 12);
    EXPECT_EQ(change_each(BurstReport(), parse_burst_report), 32);
    EXPECT_EQ(change_each(Tick(), parse_tick), 13);
    EXPECT_EQ(change_each(Done(), parse_done), 1);
    EXPECT_EQ(change_each(ErrorReport(), parse_error_report), 4);
    EXPECT_EQ(change_each(Control(), parse_control), 3);
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
    tick.frame_number = 77;
    const auto message = to_any(tick);
    EXPECT_EQ(from_any<Tick>(message)->frame_number, 77U);
    EXPECT_EQ(parse_tick(message)->frame_number, 77U);
    EXPECT_FALSE(from_any<Done>(message));
    EXPECT_FALSE(from_any<Tick>(to_pdu(tick)));
    EXPECT_EQ(parse_done(message).error(), "not a PDU (dict . vector)");
    EXPECT_EQ(message_name(message), "");
}

// ---- what is refused ------------------------------------------------------------------------------------------------

std::string refusal(const char* key, const pmt::pmt_t& value, bool in_burst) {
    Expectation m;
    m.bursts.resize(2);
    pmt::pmt_t dict = pmt::car(to_pdu(m));
    if (in_burst) {
        const pmt::pmt_t bursts = pmt::dict_ref(dict, pmt::mp(key::bursts), pmt::PMT_NIL);
        pmt::vector_set(bursts, 1, pmt::dict_add(pmt::vector_ref(bursts, 1), pmt::mp(key), value));
    } else {
        dict = pmt::dict_add(dict, pmt::mp(key), value);
    }
    const auto parsed = parse_expectation(pmt::cons(dict, pmt::make_u8vector(0, 0)));
    return parsed ? "" : parsed.error();
}

void expect_ends(const char* key, long low, long high, bool in_burst) {
    const std::string place = in_burst ? "bursts[1]." : "";
    const std::string range = ", allowed " + std::to_string(low) + " .. " + std::to_string(high);
    EXPECT_EQ(refusal(key, pmt::from_long(low), in_burst), "");
    EXPECT_EQ(refusal(key, pmt::from_long(high), in_burst), "");
    for (const long wrong : {low - 1, high + 1})
        EXPECT_EQ(refusal(key, pmt::from_long(wrong), in_burst), place + key + ": " + std::to_string(wrong) + range);
    EXPECT_EQ(refusal(key, pmt::from_double(1.5), in_burst), place + key + ": not an integer");
}

TEST(Messages, WholeNumbersWithinTheirEnds) {
    expect_ends(key::frame_number, 0, 0xFFFFFF, false);
    expect_ends(key::first_uplink_slot, 0, 1L << 31, false);
    expect_ends(key::next_uplink_slot, 0, 1L << 31, false);
    expect_ends(key::start_slot, 0, 1L << 31, true);
    expect_ends(key::rate_id, 0, 6, true);
    expect_ends(key::iuc, 0, 15, true);
    expect_ends(key::bsid_lsb, 0, 15, true);
    expect_ends(key::frame_lsb, 0, 15, true);
    expect_ends(key::preamble_symbols, 0, 2, true);
    expect_ends(key::data_symbols, 0, 2047, true);
    expect_ends(key::midamble_interval, 0, 3, true);
    expect_ends(key::subchannel_index, 0, 31, true);
    expect_ends(key::search_slots, 0, 65535, true);
    expect_ends(key::reference, 0, 0xFFFFFFFF, true);
}

TEST(Messages, OtherTypesAreRefused) {
    EXPECT_EQ(refusal(key::want_prefix_bursts, pmt::from_long(1), false), "want_prefix_bursts: not a boolean");
    EXPECT_EQ(refusal(key::stc, pmt::from_long(1), true), "bursts[1].stc: not a boolean");
    const std::string no_list = "bursts: not a vector of at most 4096 dictionaries";
    EXPECT_EQ(refusal(key::bursts, pmt::PMT_T, false), no_list);
    EXPECT_EQ(refusal(key::bursts, pmt::make_vector(4097, pmt::PMT_NIL), false), no_list);
    EXPECT_EQ(refusal(key::bursts, pmt::make_vector(1, pmt::PMT_T), false), "bursts[0].PDU metadata: not a dictionary");
    EXPECT_EQ(refusal(key::contention_slots, pmt::make_u32vector(4097, 0), false),
              "contention_slots: not a u32vector of at most 4096 numbers");
    EXPECT_EQ(refusal(key::stc_zone_slots, pmt::make_u32vector(2, 0x80000001U), false),
              "stc_zone_slots: beyond 2147483648");
    EXPECT_EQ(refusal(key::stc_zone_slots, pmt::make_u32vector(4096, 0x80000000U), false), "");

    const auto tick_with = [](const char* key, const pmt::pmt_t& value) -> std::string {
        const auto pdu = to_pdu(Tick());
        const auto parsed = parse_tick(pmt::cons(pmt::dict_add(pmt::car(pdu), pmt::mp(key), value), pmt::cdr(pdu)));
        return parsed ? "" : parsed.error();
    };
    EXPECT_EQ(tick_with(key::cinr_db, pmt::from_long(3)), "");
    EXPECT_EQ(tick_with(key::cinr_db, pmt::mp("3")), "cinr_db: not a number");
    for (const double wrong : {1.1e30, -1.1e30, std::nan(""), HUGE_VAL})
        EXPECT_EQ(tick_with(key::cinr_db, pmt::from_double(wrong)), "cinr_db: not a finite number");
    for (const long cp : {0L, 5L, 33L})
        EXPECT_EQ(tick_with(key::cp_denominator, pmt::from_long(cp)), "cp_denominator: allowed 4, 8, 16, 32");
    EXPECT_EQ(parse_tick(pmt::PMT_T).error(), "not a PDU (dict . vector)");
}

TEST(Messages, PayloadsFitTheirBursts) {
    TransmitFrame frame;
    frame.bursts.resize(2);
    frame.bursts[0].payload_bytes = 2;
    frame.bursts[1].payload_bytes = 1;
    frame.payload = {1, 2, 3};
    const auto back = parse_transmit_frame(to_pdu(frame));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->payload, frame.payload);
    frame.payload.pop_back();
    EXPECT_EQ(parse_transmit_frame(to_pdu(frame)).error(), "payload: its length is not the sum of payload_bytes");
    EXPECT_EQ(parse_transmit_frame(pmt::cons(pmt::car(to_pdu(frame)), pmt::PMT_T)).error(), "payload: not a u8vector");
    Control control;
    control.diuc_rates.emplace();
    for (const int8_t wrong : {-2, 7}) {
        (*control.diuc_rates)[3] = wrong;
        EXPECT_EQ(parse_control(to_pdu(control)).error(), "diuc_rates: allowed -1 .. 6");
    }
}

}  // namespace
}  // namespace gr::wimax
