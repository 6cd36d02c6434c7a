// SPDX-License-Identifier: GPL-3.0-or-later
// The messages in the form that Python, GNU Radio Companion and other programs use: names, types, order and ranges of
// all keys, and the error texts for missing or wrong keys.
#include <gnuradio/wimax/block_messages.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <sstream>

namespace gr::wimax {
namespace {

using pmt::pmt_t;

// ---- one of each, every field another value
// ---------------------------------------------------------------------------

phy::BurstFormat format(bool stc = false) {
    return {.rate_id = 5,
            .iuc = 11,
            .bsid_lsb = 12,
            .frame_lsb = 13,
            .preamble = phy::Preamble::long_,
            .data_symbols = 197,
            .midamble_interval = 3,
            .subchannel_index = 17,
            .stc = stc,
            .attenuation_db = 7};
}
TransmitFrame a_frame() {
    TransmitFrame m;
    m.direction = phy::Direction::uplink;
    m.frame_number = phy::FrameNumber(100);
    m.frame_start_sample = -5'760'000'000;
    m.deadline_sample = 5'760'000'001;
    m.cp = phy::CyclicPrefix::g1_16;
    m.bsid_lsb = 1;
    m.change_count_lsb = 2;
    m.timing_advance_samples = -33;
    m.frequency_hz = 44.5F;
    m.power_dbfs = -5.25F;
    m.bursts = {{phy::Slot(216), format(), {7, 8}}, {phy::Slot(7272), format(true), {9}}};
    m.codes = {{phy::Slot(720), {47, 6}, 1.5F}};
    return m;
}
Expectation an_expectation() {
    Expectation m;
    m.frame_number = phy::FrameNumber(101);
    m.first_uplink_slot = phy::Slot(7200);
    m.next_uplink_slot = phy::Slot(7300);
    m.contention_slots = {phy::Slot(72), phy::Slot(144)};
    m.stc_zone_slots = {phy::Slot(288)};
    m.bursts = {{phy::Slot(216), format(), 18, BurstKind::contention, 40'000}};
    return m;
}
BurstReport a_burst() {
    BurstReport m;
    m.direction = phy::Direction::uplink;
    m.frame_number = phy::FrameNumber(102);
    m.kind = BurstKind::ranging;
    m.cid = 21;
    m.start_slot = phy::Slot(22);
    m.burst.format = format();
    m.burst.index = 23;
    m.burst.start_sample = 24;
    m.burst.detected = true;
    m.burst.failed_blocks = 25;
    m.burst.corrected_bytes = 26;
    m.burst.payload = {1, 2};
    m.burst.measured = {-27.5F, 28.5F, -29.5F, 30.5F, -31.5F};
    m.frame_start_sample = 32;
    m.prefix = {3, 5, 4, {{{6, false, 21}, {0, false, 4095}}}, 2};
    m.cp = phy::CyclicPrefix::g1_4;
    m.frame_samples = 57'600;
    return m;
}
ContentionReport a_contention() {
    ContentionReport m;
    m.frame_number = phy::FrameNumber(103);
    m.start_slot = phy::Slot(41);
    m.attached = true;
    m.codes = {{{42, 7}, 43.5F, -44.5F, 0.75F}};
    return m;
}
Tick a_tick() {
    Tick m;
    m.frame_number = phy::FrameNumber(104);
    m.frame_start_sample = 51;
    m.deadline_sample = 52;
    m.sample_rate_hz = 5'760'000;
    m.attached = true;
    m.synchronised = false;
    m.cp = phy::CyclicPrefix::g1_32;
    m.frame_samples = 53;
    m.bsid_lsb = 6;
    m.rssi_dbfs = -54.5F;
    m.cinr_db = 55.5F;
    m.frequency_offset_hz = 56.5F;
    m.clock_offset_ppm = -57.5F;
    return m;
}
ErrorReport an_error() { return {ErrorKind::late, phy::FrameNumber(105), 61, "why"}; }
Control a_control() {
    Control m;
    m.attached = false;
    m.first_frame_number = phy::FrameNumber(106);
    m.diuc_rates = {0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1, 0};
    m.forget_front_end = true;
    return m;
}

// ---- what is written
// --------------------------------------------------------------------------------------------------

/// A value and its type: 1, 1., true, 'symbol', u32[..], s32[..], {dictionary in its order}, [vector].
std::string text(const pmt_t& v) {
    std::ostringstream out;
    if (pmt::is_symbol(v)) out << '\'' << pmt::symbol_to_string(v) << '\'';
    if (pmt::is_bool(v)) out << (pmt::to_bool(v) ? "true" : "false");
    if (pmt::is_integer(v)) out << pmt::to_long(v);
    if (pmt::is_real(v)) out << std::showpoint << pmt::to_double(v);
    if (pmt::is_u32vector(v)) {
        out << "u32[";
        for (const auto n : pmt::u32vector_elements(v)) out << ' ' << n;
        out << " ]";
    } else if (pmt::is_s32vector(v)) {
        out << "s32[";
        for (const auto n : pmt::s32vector_elements(v)) out << ' ' << n;
        out << " ]";
    } else if (pmt::is_dict(v)) {
        std::string all;
        for (pmt_t items = pmt::dict_items(v); pmt::is_pair(items); items = pmt::cdr(items))
            all = ' ' + pmt::symbol_to_string(pmt::caar(items)) + '=' + text(pmt::cdar(items)) + all;
        out << '{' << all << " }";
    } else if (pmt::is_vector(v)) {
        out << '[';
        for (size_t i = 0; i < pmt::length(v); ++i) out << ' ' << text(pmt::vector_ref(v, i));
        out << " ]";
    }
    return out.str();
}
template <typename M> std::string keys(const M& m) { return text(pmt::car(to_pdu(m))); }
template <typename M> std::vector<uint8_t> octets(const M& m) { return pmt::u8vector_elements(pmt::cdr(to_pdu(m))); }

const std::string kFormat =
    "rate_id=5 iuc=11 bsid_lsb=12 frame_lsb=13 preamble_symbols=2 data_symbols=197 midamble_interval=3 "
    "subchannel_index=17 attenuation_db=7";

TEST(MessageKeys, OfATransmitFrame) {
    EXPECT_EQ(keys(a_frame()),
              "{ message='tx' direction='uplink' frame_number=100 frame_start_sample=-5760000000 "
              "deadline_sample=5760000001 cp_denominator=16 bsid_lsb=1 change_count_lsb=2 timing_advance_samples=-33 "
              "frequency_hz=44.5000 power_dbfs=-5.25000 bursts=[ { start_slot=216 " +
                  kFormat + " payload_bytes=2 } { start_slot=7272 " + kFormat +
                  " stc=true payload_bytes=1 } ] codes=[ { start_slot=720 channel=47 code=6 boost_db=1.50000 } ] }");
    EXPECT_EQ(octets(a_frame()), (std::vector<uint8_t>{7, 8, 9}));
}

TEST(MessageKeys, OfAnExpectation) {
    EXPECT_EQ(keys(an_expectation()),
              "{ message='expect' frame_number=101 first_uplink_slot=7200 next_uplink_slot=7300 "
              "want_prefix_bursts=true contention_slots=u32[ 72 144 ] stc_zone_slots=u32[ 288 ] bursts=[ { "
              "start_slot=216 " +
                  kFormat + " kind=2 search_slots=18 cid=40000 } ] }");
}

TEST(MessageKeys, OfReports) {
    EXPECT_EQ(keys(a_burst()),
              "{ message='burst' direction='uplink' frame_number=102 kind=1 cid=21 start_slot=22 " + kFormat +
                  " index=23 start_sample=24 detected=true fec_ok=false failed_blocks=25 corrected_bytes=26 "
                  "rssi_dbfs=-27.5000 cinr_db=28.5000 evm_db=-29.5000 timing_offset_samples=30.5000 "
                  "frequency_offset_hz=-31.5000 attached=false frame_start_sample=32 prefix_bsid_lsb=3 "
                  "prefix_frame_lsb=5 change_count_lsb=4 prefix_entries=[ { rate_id_or_diuc=6 preamble_present=false "
                  "length=21 } { rate_id_or_diuc=0 preamble_present=false length=4095 } ] cp_denominator=4 "
                  "frame_samples=57600 }");
    EXPECT_EQ(octets(a_burst()), (std::vector<uint8_t>{1, 2}));
    EXPECT_EQ(keys(a_contention()),
              "{ message='contention' frame_number=103 start_slot=41 attached=true codes=[ { channel=42 code=7 "
              "snr_db=43.5000 rssi_dbfs=-44.5000 certainty=0.750000 } ] }");
    EXPECT_EQ(keys(an_error()), "{ message='error' kind='late' frame_number=105 microseconds=61 }");
    EXPECT_EQ(octets(an_error()), (std::vector<uint8_t>{'w', 'h', 'y'}));
}

TEST(MessageKeys, OfTicksAndWhatSteers) {
    EXPECT_EQ(keys(a_tick()),
              "{ message='tick' frame_number=104 frame_start_sample=51 deadline_sample=52 sample_rate_hz=5760000 "
              "attached=true synchronised=false cp_denominator=32 frame_samples=53 bsid_lsb=6 rssi_dbfs=-54.5000 "
              "cinr_db=55.5000 frequency_offset_hz=56.5000 clock_offset_ppm=-57.5000 }");
    EXPECT_EQ(keys(Done{phy::FrameNumber(107)}), "{ message='done' frame_number=107 }");
    EXPECT_EQ(keys(a_control()),
              "{ message='control' attached=false first_frame_number=106 "
              "diuc_rates=s32[ 0 1 2 3 4 5 6 -1 -1 -1 -1 -1 -1 -1 -1 0 ] forget_front_end=true }");
    EXPECT_EQ(keys(Control()), "{ message='control' }");
}

// ---- what is refused
// ----------------------------------------------------------------------------------------------------

/// A correct message, to which faults are added key by key. Keys of elements are those of the first: "bursts.rate_id".
struct Subject {
    pmt_t pdu;
    std::function<std::string(const pmt_t&)> fault;  ///< "" when it is accepted
};
template <typename M, typename Parse> Subject subject(const M& m, Parse parse) {
    return {to_pdu(m), [parse](const pmt_t& pdu) {
                const Parsed<M> parsed = parse(pdu);
                return parsed ? std::string() : parsed.error().str();
            }};
}
const std::map<std::string, Subject>& subjects() {
    static const std::map<std::string, Subject> all{
        {"tx", subject(a_frame(), parse_transmit_frame)},
        {"expect", subject(an_expectation(), parse_expectation)},
        {"burst", subject(a_burst(), parse_burst_report)},
        {"tick", subject(a_tick(), parse_tick)},
        {"done", subject(Done{phy::FrameNumber(107)}, parse_done)},
        {"error", subject(an_error(), parse_error_report)},
        {"control", subject(a_control(), parse_control)},
    };
    return all;
}

/// The dictionary with another value at `path`, or without it.
pmt_t changed(const pmt_t& dict, const std::string& path, const pmt_t& value) {
    const size_t dot = path.find('.');
    const pmt_t key = pmt::mp(path.substr(0, dot));
    if (dot == std::string::npos) return value ? pmt::dict_add(dict, key, value) : pmt::dict_delete(dict, key);
    const pmt_t elements = pmt::dict_ref(dict, key, pmt::PMT_NIL);
    const pmt_t copy = pmt::make_vector(pmt::length(elements), pmt::PMT_NIL);
    for (size_t i = 0; i < pmt::length(elements); ++i) pmt::vector_set(copy, i, pmt::vector_ref(elements, i));
    pmt::vector_set(copy, 0, changed(pmt::vector_ref(elements, 0), path.substr(dot + 1), value));
    return pmt::dict_add(dict, key, copy);
}
std::string fault(const std::string& message, const std::string& path, const pmt_t& value) {
    const Subject& s = subjects().at(message);
    return s.fault(pmt::cons(changed(pmt::car(s.pdu), path, value), pmt::cdr(s.pdu)));
}
/// The path as in error texts.
std::string place(const std::string& path) {
    const size_t dot = path.find('.');
    return dot == std::string::npos ? path : path.substr(0, dot) + "[0]" + path.substr(dot);
}

/// All paths of a message except its name, with their values.
std::map<std::string, pmt_t> paths_of(const pmt_t& dict, const std::string& prefix = "") {
    std::map<std::string, pmt_t> all;
    for (pmt_t items = pmt::dict_items(dict); pmt::is_pair(items); items = pmt::cdr(items)) {
        const std::string path = prefix + pmt::symbol_to_string(pmt::caar(items));
        const pmt_t value = pmt::cdar(items);
        if (path != "message") all[path] = value;
        if (pmt::is_vector(value) && pmt::length(value) > 0) all.merge(paths_of(pmt::vector_ref(value, 0), path + '.'));
    }
    return all;
}

constexpr int64_t kSlots = 163'760, kFrames = 0xFFFFFF;
struct Range {
    const char* path;
    int64_t low, high;
};
const Range kFormatRanges[] = {{"rate_id", 0, 6},           {"iuc", 0, 15},
                               {"bsid_lsb", 0, 15},         {"frame_lsb", 0, 15},
                               {"preamble_symbols", 0, 2},  {"data_symbols", 0, 2047},
                               {"midamble_interval", 0, 4}, {"subchannel_index", 1, 31},
                               {"attenuation_db", 0, 40}};
const std::map<std::string, std::vector<Range>> kRanges{
    {"tx",
     {{"frame_number", 0, kFrames},
      {"frame_start_sample", INT64_MIN, INT64_MAX},
      {"deadline_sample", INT64_MIN, INT64_MAX},
      {"bsid_lsb", 0, 15},
      {"change_count_lsb", 0, 15},
      {"timing_advance_samples", -1'073'741'824, 1'073'741'823},
      {"bursts.start_slot", 0, kSlots},
      {"bursts.payload_bytes", 0, 96 * 197 - 1},
      {"codes.start_slot", 0, kSlots},
      {"codes.channel", 0, 47},
      {"codes.code", 0, 7}}},
    {"expect",
     {{"frame_number", 0, kFrames},
      {"first_uplink_slot", 0, kSlots},
      {"next_uplink_slot", 0, kSlots},
      {"bursts.start_slot", 0, kSlots},
      {"bursts.search_slots", 0, 65'535},
      {"bursts.kind", 0, 2},
      {"bursts.cid", 0, 0xFFFF}}},
    {"burst",
     {{"frame_number", 0, kFrames},
      {"kind", 0, 2},
      {"cid", 0, 0xFFFF},
      {"start_slot", 0, kSlots},
      {"index", 0, 100 * 2047},
      {"start_sample", INT64_MIN, INT64_MAX},
      {"failed_blocks", 0, 1 << 24},
      {"corrected_bytes", 0, 1 << 24},
      {"frame_start_sample", INT64_MIN, INT64_MAX},
      {"prefix_bsid_lsb", 0, 15},
      {"change_count_lsb", 0, 15},
      {"prefix_frame_lsb", 0, 15},
      {"prefix_entries.rate_id_or_diuc", 0, 15},
      {"prefix_entries.length", 0, 4095},
      {"frame_samples", 0, int64_t{1} << 32}}},
    {"tick",
     {{"frame_number", 0, kFrames},
      {"frame_start_sample", INT64_MIN, INT64_MAX},
      {"deadline_sample", INT64_MIN, INT64_MAX},
      {"sample_rate_hz", 0, int64_t{1} << 32},
      {"frame_samples", 0, int64_t{1} << 32},
      {"bsid_lsb", 0, 15}}},
    {"done", {{"frame_number", 0, kFrames}}},
    {"error", {{"frame_number", 0, kFrames}, {"microseconds", INT64_MIN, INT64_MAX}}},
    {"control", {{"first_frame_number", 0, kFrames}}},
};

void expect_range(const std::string& message, const std::string& path, int64_t low, int64_t high) {
    const std::string said = message + ' ' + path, otherwise = ": allowed " + std::to_string(low) + "..";
    for (const int64_t end : {low, high}) {
        const std::string why = fault(message, path, pmt::from_long(end));
        const bool none = message == "tx" && path == "bursts.data_symbols" && end == 0;  // it has octets nevertheless
        EXPECT_EQ(why, path == "bursts.payload_bytes" ? "payload: its length is not the sum of payload_bytes"
                       : none                         ? "bursts[0].payload_bytes: value 2: allowed 0..0"
                                                      : "")
            << said;
    }
    if (low > INT64_MIN) {
        for (const int64_t wrong : {low - 1, high + 1, INT64_MIN, INT64_MAX})
            EXPECT_EQ(fault(message, path, pmt::from_long(wrong)),
                      place(path) + ": value " + std::to_string(wrong) + otherwise + std::to_string(high))
                << said;
    }
    for (const pmt_t& wrong : {pmt::from_double(1), pmt::mp("1"), pmt::PMT_T, pmt::from_uint64(1)})
        EXPECT_EQ(fault(message, path, wrong), place(path) + ": not an integer") << said;
}

TEST(MessageKeys, WholeNumbersWithinTheirEnds) {
    for (const auto& [message, s] : subjects()) {
        std::set<std::string> tried{"cp_denominator"};  // one of four values
        const auto expect = [&, m = message](const std::string& path, const Range& range) {
            expect_range(m, path, range.low, range.high);
            tried.insert(path);
        };
        for (const auto& range : kRanges.at(message)) expect(range.path, range);
        for (const auto& range : kFormatRanges) {
            if (message == "tx" || message == "expect") expect("bursts." + std::string(range.path), range);
            if (message == "burst") expect(range.path, range);
        }
        for (const auto& [path, value] : paths_of(pmt::car(s.pdu)))
            EXPECT_TRUE(tried.contains(path) || !pmt::is_integer(value)) << message << ' ' << path;
    }
    for (const char* message : {"tx", "burst", "tick"}) {
        for (const long cp : {0L, 5L, 33L, -4L})
            EXPECT_EQ(fault(message, "cp_denominator", pmt::from_long(cp)), "cp_denominator: allowed 4, 8, 16, 32");
        for (const long cp : {4L, 8L, 16L, 32L}) EXPECT_EQ(fault(message, "cp_denominator", pmt::from_long(cp)), "");
    }
}

TEST(MessageKeys, RealNumbersAreFiniteAndMayBeWhole) {
    int tried = 0;
    for (const auto& [message, s] : subjects()) {
        for (const auto& [path, was] : paths_of(pmt::car(s.pdu))) {
            if (!pmt::is_real(was)) continue;
            ++tried;
            const bool boost = path == "codes.boost_db";
            EXPECT_EQ(fault(message, path, pmt::from_long(3)), "") << message << path;
            for (const double far : {1e30, -1e30})
                EXPECT_EQ(fault(message, path, pmt::from_double(far)),
                          !boost    ? ""
                          : far > 0 ? "codes[0].boost_db: value 1e+30: allowed 0..30"
                                    : "codes[0].boost_db: value -1e+30: allowed 0..30");
            for (const double wrong : {1.1e30, -1.1e30, std::nan(""), HUGE_VAL, -HUGE_VAL})
                EXPECT_EQ(fault(message, path, pmt::from_double(wrong)), place(path) + ": not a finite number");
            for (const pmt_t& wrong : {pmt::mp("3"), pmt::PMT_T, pmt::from_complex(1, 0)})
                EXPECT_EQ(fault(message, path, wrong), place(path) + ": not a number") << message;
        }
    }
    EXPECT_EQ(tried, 3 + 5 + 4);  // of "tx", "burst" and "tick"
}

TEST(MessageKeys, OtherTypesAreRefused) {
    int flags = 0, symbols = 0;
    for (const auto& [message, s] : subjects()) {
        for (const auto& [path, was] : paths_of(pmt::car(s.pdu))) {
            const bool flag = pmt::is_bool(was);
            if (!flag && !pmt::is_symbol(was)) continue;
            auto& kind = flag ? flags : symbols;
            ++kind;
            EXPECT_EQ(fault(message, path, pmt::from_long(1)),
                      place(path) + (flag ? ": not a boolean" : ": not a symbol"));
        }
        EXPECT_EQ(s.fault(pmt::cons(pmt::PMT_T, pmt::cdr(s.pdu))), "PDU metadata: not a dictionary") << message;
        EXPECT_EQ(s.fault(pmt::PMT_T), "not a PDU (dict . vector)") << message;
    }
    EXPECT_EQ(flags, 1 + 4 + 2 + 2);
    EXPECT_EQ(symbols, 2 + 1);
    EXPECT_EQ(fault("tx", "bursts.stc", pmt::from_long(1)), "bursts[0].stc: not a boolean");
    for (const char* name : {"", "up", "Uplink", "downlink "})
        EXPECT_EQ(fault("tx", "direction", pmt::mp(name)), "direction: allowed downlink, uplink") << name;
    for (const char* name : kErrorKindNames) EXPECT_EQ(fault("error", "kind", pmt::mp(name)), "") << name;
    for (const char* name : {"", "nonsense", "Late", "late "})
        EXPECT_EQ(fault("error", "kind", pmt::mp(name)),
                  "kind: allowed late, underflow, overflow, sync_lost, invalid, time_jump")
            << name;
    for (const char* message : {"tx", "burst", "error"}) {
        const Subject& s = subjects().at(message);
        for (const pmt_t& wrong : {pmt::PMT_T, pmt::make_s8vector(3, 0), pmt::PMT_NIL})
            EXPECT_EQ(s.fault(pmt::cons(pmt::car(s.pdu), wrong)), "payload: not a u8vector") << message;
    }
}

TEST(MessageKeys, ListsAreOfDictionariesOrNumbersAndShort) {
    for (const auto& [message, key] : {std::pair("tx", "bursts"), {"tx", "codes"}, {"expect", "bursts"}}) {
        const std::string no_list = std::string(key) + ": not a vector of at most 4096 dictionaries";
        for (const pmt_t& wrong : {pmt::PMT_T, pmt::make_dict(), pmt::make_vector(4097, pmt::PMT_NIL)})
            EXPECT_EQ(fault(message, key, wrong), no_list);
        const pmt_t one = pmt::vector_ref(paths_of(pmt::car(subjects().at(message).pdu))[key], 0);
        EXPECT_EQ(fault(message, key, pmt::make_vector(4096, one)).find("not a vector"), std::string::npos);
        const pmt_t second =
            pmt::make_vector(2, pmt::vector_ref(paths_of(pmt::car(subjects().at(message).pdu))[key], 0));
        pmt::vector_set(second, 1, pmt::PMT_T);
        EXPECT_EQ(fault(message, key, second), std::string(key) + "[1].PDU metadata: not a dictionary");
        pmt::vector_set(second, 1, changed(pmt::vector_ref(second, 0), "start_slot", pmt::from_long(-1)));
        EXPECT_EQ(fault(message, key, second), std::string(key) + "[1].start_slot: value -1: allowed 0..163760");
    }
    for (const std::string key : {"contention_slots", "stc_zone_slots"}) {
        const std::string no_list = key + ": not a u32vector of at most 4096 numbers";
        for (const pmt_t& wrong : {pmt::PMT_T, pmt::make_s32vector(1, 0), pmt::make_u32vector(4097, 0)})
            EXPECT_EQ(fault("expect", key, wrong), no_list);
        EXPECT_EQ(fault("expect", key, pmt::init_u32vector(2, {5, 163'761})), key + ": beyond 163760");
        EXPECT_EQ(fault("expect", key, pmt::make_u32vector(4096, 163'760)), "");
    }
    for (const pmt_t& wrong : {pmt::PMT_T, pmt::make_s32vector(15, 0), pmt::make_s32vector(17, 0)})
        EXPECT_EQ(fault("control", "diuc_rates", wrong), "diuc_rates: not an s32vector of 16");
    for (const int32_t wrong : {-2, 7, 256})
        for (const size_t at : {0, 15}) {
            const pmt_t rates = pmt::make_s32vector(16, 6);
            pmt::s32vector_set(rates, at, wrong);
            EXPECT_EQ(fault("control", "diuc_rates", rates), "diuc_rates: allowed -1 .. 6");
        }
}

TEST(MessageKeys, EachMustBeThereButThoseThatMayBeAbsent) {
    const std::set<std::string> may_be_absent{"tx deadline_sample",      "tx codes",
                                              "expect contention_slots", "expect stc_zone_slots",
                                              "control attached",        "control first_frame_number",
                                              "control diuc_rates",      "control forget_front_end"};
    for (const auto& [message, s] : subjects())
        for (const auto& [path, value] : paths_of(pmt::car(s.pdu)))
            EXPECT_EQ(fault(message, path, nullptr),
                      may_be_absent.contains(message + ' ' + path) ? "" : place(path) + ": missing");
    // Only the required keys, and unknown keys in addition.
    EXPECT_TRUE(parse_control(pmt::cons(pmt::PMT_NIL, pmt::make_u8vector(0, 0))));
    EXPECT_EQ(parse_done(pmt::cons(pmt::PMT_NIL, pmt::make_u8vector(0, 0))).error().str(), "frame_number: missing");
    EXPECT_EQ(fault("tick", "comment", pmt::mp("mine")), "");
}

}  // namespace
}  // namespace gr::wimax
