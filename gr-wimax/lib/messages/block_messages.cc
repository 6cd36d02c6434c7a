// SPDX-License-Identifier: GPL-3.0-or-later
#include "messages/block_message_fields.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace gr::wimax {
namespace {

using pmt::pmt_t;
constexpr size_t kMaxElements = 4096;
constexpr double kNoLimit = 1e30;

template <class T>
concept Whole =
    (std::is_integral_v<T> && !std::same_as<T, bool>) || std::same_as<T, phy::Preamble> || std::same_as<T, BurstKind>;

// --- structure -> PDU ----------------------------------------------------------------------------------------------

/// Builds a dictionary; keys are unique by construction, so pairs go to the front without a search.
class Writer {
public:
    Writer() : bursts_octets_(own_octets_) {}
    explicit Writer(Writer& above) : bursts_octets_(above.bursts_octets_) {}

    void operator()(const char* key, bool v) { add(key, pmt::from_bool(v)); }
    void operator()(const char* key, float v, const auto&...) { add(key, pmt::from_double(double{v})); }
    void operator()(const char* key, const std::string& v) { add(key, pmt::intern(v)); }
    void operator()(const char* key, phy::CyclicPrefix v) { add(key, pmt::from_long(static_cast<long>(v))); }
    void operator()(const char* key, phy::Direction v) {
        add(key, pmt::intern(v == phy::Direction::uplink ? "uplink" : "downlink"));
    }
    void operator()(const char* key, ErrorKind v) { add(key, pmt::intern(to_string(v))); }
    void operator()(const char* key, phy::FrameNumber v) { (*this)(key, v.value()); }
    void operator()(const char* key, phy::Slot v, const auto&...) { (*this)(key, v.value()); }
    void operator()(const char* key, Whole auto v, const auto&...) { add(key, pmt::from_long(static_cast<long>(v))); }

    template <class T> void maybe(const char* key, const std::optional<T>& v, const auto&... range) {
        if (v) (*this)(key, *v, range...);
    }
    template <class T> void maybe(const char* key, const T& v, const std::type_identity_t<T>& usual) {
        if (v != usual) (*this)(key, v);
    }
    template <class T> void maybe(const char* key, const std::vector<T>& elements, std::initializer_list<T>) {
        if (!elements.empty()) list(key, elements);
    }
    template <class T> void list(const char* key, const std::vector<T>& elements) { list(key, std::span(elements)); }
    template <class T, size_t N> void list(const char* key, const std::array<T, N>& elements, int count) {
        list(key, std::span(elements).first(static_cast<size_t>(std::clamp(count, 0, static_cast<int>(N)))));
    }
    template <class T, size_t E> void list(const char* key, std::span<const T, E> elements) {
        const pmt_t list = pmt::make_vector(elements.size(), pmt::PMT_NIL);
        for (size_t i = 0; i < elements.size(); ++i) {
            Writer sub(*this);
            visit(sub, elements[i]);
            pmt::vector_set(list, i, sub.dict_);
        }
        add(key, list);
    }
    void list(const char* key, const std::vector<phy::Slot>& slots) {
        std::vector<uint32_t> numbers(slots.size());
        std::ranges::transform(slots, numbers.begin(), &phy::Slot::value);
        add(key, pmt::init_u32vector(numbers.size(), numbers));
    }
    void operator()(const char* key, const std::array<int8_t, 16>& numbers, int, int) {
        add(key, pmt::init_s32vector(numbers.size(), std::vector<int32_t>(numbers.begin(), numbers.end())));
    }
    void of_phy(const char* key, Whole auto v, int low, int high) { (*this)(key, v, low, high); }
    void payload(const std::vector<uint8_t>& octets, int) {
        (*this)(key::payload_bytes, octets.size());
        bursts_octets_.insert(bursts_octets_.end(), octets.begin(), octets.end());
    }
    void burst_payloads() { payload(own_octets_); }
    template <class Octets> void payload(const Octets& octets) {
        payload_ = pmt::init_u8vector(octets.size(), reinterpret_cast<const uint8_t*>(octets.data()));
    }

    template <class M> pmt_t pdu(const char* name, const M& m) {
        (*this)(key::message, std::string(name));
        visit(*this, m);
        return pmt::cons(dict_, payload_ ? payload_ : pmt::make_u8vector(0, 0));
    }

private:
    void add(const char* key, const pmt_t& v) { dict_ = pmt::acons(pmt::mp(key), v, dict_); }

    pmt_t dict_ = pmt::make_dict(), payload_;
    std::vector<uint8_t> own_octets_;
    std::vector<uint8_t>& bursts_octets_;  ///< of the whole message
};

// --- PDU -> structure ----------------------------------------------------------------------------------------------

std::string number(float v) {
    std::ostringstream text;
    text << v;
    return text.str();
}
bool is_number(const pmt_t& v) { return pmt::is_real(v) || pmt::is_integer(v); }
bool is_short_vector(const pmt_t& v) { return pmt::is_vector(v) && pmt::length(v) <= kMaxElements; }
bool is_short_u32vector(const pmt_t& v) { return pmt::is_u32vector(v) && pmt::length(v) <= kMaxElements; }
bool is_s32vector_of_16(const pmt_t& v) { return pmt::is_s32vector(v) && pmt::length(v) == 16; }
std::string error_kind_names() {
    std::string names;
    for (const char* name : kErrorKindNames) names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}
std::string most() { return std::to_string(kMaxElements); }

/// Reads a dictionary and remembers the first fault; after it nothing more is read.
class Reader {
public:
    Reader(const pmt_t& dict, const pmt_t& payload) : dict_(dict), payload_(payload), bursts_octets_(own_octets_) {
        if (size_t n = 0; pmt::is_u8vector(payload)) {
            const uint8_t* p = pmt::u8vector_elements(payload, n);
            own_octets_.rest = {p, n};
        }
        check();
    }
    Reader(const pmt_t& dict, Reader& above) : dict_(dict), bursts_octets_(above.bursts_octets_) { check(); }
    void operator()(const char* key, bool& to) {
        if (const pmt_t v = get(key, pmt::is_bool, "not a boolean")) to = pmt::to_bool(v);
    }
    void operator()(const char* key, float& to) {
        const pmt_t v = get(key, is_number, "not a number");
        if (!v) return;
        const double d = pmt::to_double(v);
        if (!std::isfinite(d) || std::abs(d) > kNoLimit) return fault(key, "not a finite number");
        to = static_cast<float>(d);
    }
    void operator()(const char* key, float& to, float low, float high) {
        (*this)(key, to);
        if (!fault_ && (to < low || to > high)) fault(phy::out_of_range(key, number(to), number(low), number(high)));
    }
    void operator()(const char* key, std::string& to) {
        if (const pmt_t v = get(key, pmt::is_symbol, "not a symbol")) to = pmt::symbol_to_string(v);
    }
    void operator()(const char* key, phy::Direction& to) {
        std::string name;
        (*this)(key, name);
        if (name != "downlink" && name != "uplink") return fault(key, "allowed downlink, uplink");
        to = name == "uplink" ? phy::Direction::uplink : phy::Direction::downlink;
    }
    void operator()(const char* key, ErrorKind& to) {
        std::string name;
        (*this)(key, name);
        const auto found = std::ranges::find(kErrorKindNames, name);
        if (found == kErrorKindNames.end()) return fault(key, "allowed " + error_kind_names());
        to = static_cast<ErrorKind>(found - kErrorKindNames.begin());
    }
    void operator()(const char* key, phy::CyclicPrefix& to) {
        int64_t denominator = 0;
        (*this)(key, denominator);
        const auto cp = std::ranges::find(phy::kCyclicPrefixes, denominator,
                                          [](phy::CyclicPrefix each) { return static_cast<int64_t>(each); });
        if (cp == phy::kCyclicPrefixes.end()) return fault(key, "allowed 4, 8, 16, 32");
        to = *cp;
    }
    void operator()(const char* key, phy::FrameNumber& to) {
        uint32_t number = 0;
        (*this)(key, number, 0, phy::FrameNumber::kLast);
        to = phy::FrameNumber(number);
    }
    void operator()(const char* key, phy::Slot& to, uint32_t low, uint32_t high) {
        uint32_t number = 0;
        (*this)(key, number, low, high);
        to = phy::Slot(number);
    }
    template <Whole T> void operator()(const char* key, T& to) {
        static_assert(sizeof(T) == sizeof(int64_t), "a smaller one needs its range");
        if (const pmt_t v = get(key, pmt::is_integer, "not an integer")) to = pmt::to_long(v);
    }
    template <Whole T, class L, class H> void operator()(const char* key, T& to, L low, H high) {
        int64_t n = 0;
        (*this)(key, n);
        if (fault_) return;
        const auto least = static_cast<int64_t>(low), most_of = static_cast<int64_t>(high);
        if (n < least || n > most_of) return fault(phy::out_of_range(key, n, least, most_of));
        to = static_cast<T>(n);
    }

    template <class T> void maybe(const char* key, std::optional<T>& to, const auto&... range) {
        if (has(key)) (*this)(key, to.emplace(), range...);
    }
    template <class T> void maybe(const char* key, T& to, const std::type_identity_t<T>& usual) {
        to = usual;
        if (has(key)) (*this)(key, to);
    }
    template <class T> void maybe(const char* key, std::vector<T>& elements, std::initializer_list<T>) {
        if (has(key)) list(key, elements);
    }
    /// Each element's faults carry its position.
    template <class T> void list(const char* key, std::vector<T>& elements) {
        const pmt_t list = get(key, is_short_vector, "not a vector of at most " + most() + " dictionaries");
        if (!list) return;
        elements.resize(pmt::length(list));
        read_elements(key, list, elements);
    }
    template <class T, size_t N> void list(const char* key, std::array<T, N>& elements, int& count) {
        const pmt_t list = get(key, is_short_vector, "not a vector of at most " + std::to_string(N) + " dictionaries");
        if (!list) return;
        if (pmt::length(list) > N) return fault(key, "not a vector of at most " + std::to_string(N) + " dictionaries");
        count = static_cast<int>(pmt::length(list));
        read_elements(key, list, std::span(elements).first(pmt::length(list)));
    }
    void list(const char* key, std::vector<phy::Slot>& slots) {
        const pmt_t list = get(key, is_short_u32vector, "not a u32vector of at most " + most() + " numbers");
        if (!list) return;
        slots.clear();
        for (const uint32_t slot : pmt::u32vector_elements(list)) {
            if (slot > phy::kMaxSlot) fault(key, "beyond " + std::to_string(phy::kMaxSlot));
            slots.emplace_back(slot);
        }
    }
    void operator()(const char* key, std::array<int8_t, 16>& numbers, int low, int high) {
        const pmt_t v = get(key, is_s32vector_of_16, "not an s32vector of 16");
        if (!v) return;
        for (size_t i = 0; i < numbers.size(); ++i) {
            const int32_t number = pmt::s32vector_ref(v, i);
            if (number < low || number > high)
                return fault(key, "allowed " + std::to_string(low) + " .. " + std::to_string(high));
            numbers[i] = static_cast<int8_t>(number);
        }
    }
    void of_phy(const char* key, Whole auto& to, int low, int high) { (*this)(key, to, low, high); }
    void payload(std::vector<uint8_t>& octets, int most) {
        int64_t n = 0;
        (*this)(key::payload_bytes, n, 0, most);
        auto& [rest, wrong] = bursts_octets_;
        wrong |= static_cast<size_t>(n) > rest.size();
        const auto own = rest.first(std::min(static_cast<size_t>(n), rest.size()));
        octets.assign(own.begin(), own.end());
        rest = rest.subspan(own.size());
    }
    void burst_payloads() {
        if (!pmt::is_u8vector(payload_)) return fault("payload", "not a u8vector");
        if (own_octets_.wrong || !own_octets_.rest.empty())
            fault("payload", "its length is not the sum of payload_bytes");
    }
    template <class Octets> void payload(Octets& octets) {
        if (fault_) return;
        if (!pmt::is_u8vector(payload_)) return fault("payload", "not a u8vector");
        size_t n = 0;
        const uint8_t* p = pmt::u8vector_elements(payload_, n);
        octets.assign(p, p + n);
    }

    const std::optional<phy::Fault>& fault() const { return fault_; }
    void fault(phy::Fault what) {
        if (!fault_) fault_ = std::move(what);
    }

private:
    struct Octets {
        std::span<const uint8_t> rest;
        bool wrong = false;  ///< fewer than the bursts need
    };
    void read_elements(const char* key, const pmt_t& list, auto&& elements) {
        for (size_t i = 0; i < elements.size() && !fault_; ++i) {
            Reader sub(pmt::vector_ref(list, i), *this);
            visit(sub, elements[i]);
            if (!sub.fault_) continue;
            sub.fault_->key = std::string(key) + "[" + std::to_string(i) + "]." + sub.fault_->key;
            fault(*sub.fault_);
        }
    }
    void fault(const char* key, const std::string& reason) { fault({key, {}, reason}); }
    bool has(const char* key) const {
        return !fault_ && !pmt::is_null(dict_) && pmt::dict_has_key(dict_, pmt::mp(key));
    }
    template <class Test> pmt_t get(const char* key, const Test& fits, const std::string& otherwise) {
        if (fault_) return nullptr;
        const pmt_t v = pmt::is_null(dict_) ? nullptr : pmt::dict_ref(dict_, pmt::mp(key), pmt_t{});
        if (v && fits(v)) return v;
        fault(key, v ? otherwise : "missing");
        return nullptr;
    }

    void check() {
        if (!pmt::is_dict(dict_) && !pmt::is_null(dict_)) fault("PDU metadata", "not a dictionary");
    }

    const pmt_t dict_, payload_;
    Octets own_octets_;
    Octets& bursts_octets_;  ///< of the whole message
    std::optional<phy::Fault> fault_;
};

template <typename M> Parsed<M> parse(const pmt_t& pdu) {
    if (const auto typed = from_any<M>(pdu)) return *typed;
    if (!pmt::is_pair(pdu)) return phy::failure({}, "not a PDU (dict . vector)");
    M m;
    Reader reader(pmt::car(pdu), pmt::cdr(pdu));
    visit(reader, m);
    if (reader.fault()) return tl::unexpected(*reader.fault());
    return m;
}

}  // namespace

std::string message_name(const pmt_t& pdu) {
    if (!pmt::is_pair(pdu) || !pmt::is_dict(pmt::car(pdu))) return {};
    const pmt_t name = pmt::dict_ref(pmt::car(pdu), pmt::mp(key::message), pmt::PMT_NIL);
    return pmt::is_symbol(name) ? pmt::symbol_to_string(name) : std::string{};
}

pmt_t to_pdu(const TransmitFrame& m) { return Writer().pdu(port::tx, m); }
pmt_t to_pdu(const Expectation& m) { return Writer().pdu(port::expect, m); }
pmt_t to_pdu(const BurstReport& m) { return Writer().pdu(port::burst, m); }
pmt_t to_pdu(const ContentionReport& m) { return Writer().pdu(port::contention, m); }
pmt_t to_pdu(const Tick& m) { return Writer().pdu(port::tick, m); }
pmt_t to_pdu(const Done& m) { return Writer().pdu(port::done, m); }
pmt_t to_pdu(const ErrorReport& m) { return Writer().pdu(port::error, m); }
pmt_t to_pdu(const Control& m) { return Writer().pdu(port::control, m); }

Parsed<TransmitFrame> parse_transmit_frame(const pmt_t& pdu) { return parse<TransmitFrame>(pdu); }
Parsed<Expectation> parse_expectation(const pmt_t& pdu) { return parse<Expectation>(pdu); }
Parsed<BurstReport> parse_burst_report(const pmt_t& pdu) { return parse<BurstReport>(pdu); }
Parsed<Tick> parse_tick(const pmt_t& pdu) { return parse<Tick>(pdu); }
Parsed<Done> parse_done(const pmt_t& pdu) { return parse<Done>(pdu); }
Parsed<ErrorReport> parse_error_report(const pmt_t& pdu) { return parse<ErrorReport>(pdu); }
Parsed<Control> parse_control(const pmt_t& pdu) { return parse<Control>(pdu); }

}  // namespace gr::wimax
