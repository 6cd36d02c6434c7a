// SPDX-License-Identifier: GPL-3.0-or-later
// Draws from a seed for recorded tests: numbers, fields of configurations near their values, and damaged PDUs; and
// digests of results.
#pragma once

#include "mac/config_fields.h"
#include "mac/pdu/crc.h"
#include "mac/pdu/pdu.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

namespace wimax::mac::test {

/// FNV-1a of 32 bits.
class Digest {
public:
    void add(std::span<const uint8_t> octets) {
        for (const uint8_t o : octets) value_ = (value_ ^ o) * 16777619U;
    }
    void add(int64_t number) {
        for (int i = 0; i < 8; ++i) value_ = (value_ ^ static_cast<uint8_t>(number >> (8 * i))) * 16777619U;
    }
    void add(const std::string& text) { add({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    uint32_t value() const { return value_; }

private:
    uint32_t value_ = 2166136261U;
};

class Drawing {
public:
    explicit Drawing(uint32_t seed) : random_(seed) {}

    uint32_t draw(uint32_t below) { return static_cast<uint32_t>(random_()) % below; }
    bool chance(uint32_t one_in) { return draw(one_in) == 0; }
    template <class T> T one_of(std::initializer_list<T> all) {
        return *(all.begin() + draw(static_cast<uint32_t>(all.size())));
    }

    /// One field of `one_in` gets another value: a neighbour, half, double, or a limit. `excess`: that far beyond the
    /// limits, too.
    template <class T> void draw_fields(T& fields, uint32_t one_in, int excess = 0) {
        Fields visitor{*this, one_in, excess};
        visit(visitor, fields);
    }

    /// Changes some bits of a PDU of this burst; its headers and CRC fit.
    void change_pdu(std::vector<uint8_t>& burst) {
        for (size_t at = 0; at + kHeaderOctets <= burst.size();) {
            const std::span<uint8_t> rest(burst.data() + at, burst.size() - at);
            const size_t length = (rest[1] & 7U) << 8 | rest[2];
            if ((rest[0] & 0x80) != 0) {
                at += kHeaderOctets;
                continue;
            }
            if (hcs8(rest.first(kHeaderOctets - 1)) != rest[kHeaderOctets - 1] || length > rest.size()) return;
            const bool has_crc = (rest[1] & 0x40) != 0;
            const size_t end = length - (has_crc ? kCrcOctets : 0);
            if (chance(2) && length > kHeaderOctets + kCrcOctets) {
                if (chance(4)) rest[kHeaderOctets] = static_cast<uint8_t>(draw(60));  // of another type
                for (uint32_t n = 1 + draw(3); n > 0; --n)
                    rest[kHeaderOctets + draw(static_cast<uint32_t>(std::min<size_t>(end - kHeaderOctets, 60)))] ^=
                        static_cast<uint8_t>(1U << draw(8));
                if (has_crc) std::ranges::copy(crc32(rest.first(end)), rest.begin() + static_cast<int64_t>(end));
                return;
            }
            at += std::max(length, kHeaderOctets);
        }
    }

protected:
    std::mt19937 random_;

private:
    static constexpr size_t kHeaderOctets = 6;

    struct Fields {
        Drawing& drawing;
        uint32_t one_in;
        int excess;

        template <class T> void operator()(const char*, T& number, Limits limits, const char*, const char*) {
            if (drawing.chance(one_in)) draw(number, limits);
        }
        void operator()(const char*, bool& flag, const char*) {
            if (drawing.chance(one_in)) flag = !flag;
        }
        template <class T> void each(const char*, T& array, Limits limits, const char*, const char*) {
            for (auto& one : array)
                if (drawing.chance(one_in)) draw(one, limits);
        }

        template <class T> void draw(std::optional<T>& number, Limits limits) {
            if (!number) number = static_cast<T>(std::isfinite(limits.low) ? limits.low : 0);
            draw(*number, limits);
        }
        template <class T> void draw(T& number, Limits limits) {
            const auto now = static_cast<double>(number);
            limits.low -= excess;
            limits.high += excess;
            double value = drawing.one_of({now / 2, now * 2, now + 1, now - 1, excess ? limits.high : now, limits.low});
            if (!std::isfinite(value)) value = 0;
            if constexpr (std::is_unsigned_v<T>) limits.low = std::max(limits.low, 0.0);
            if constexpr (std::is_integral_v<T>)
                limits.high = std::min(limits.high,
                                       static_cast<double>(std::numeric_limits<T>::max() / (sizeof(T) == 8 ? 2 : 1)));
            number = static_cast<T>(std::clamp(value, limits.low, limits.high));
        }
    };
};

}  // namespace wimax::mac::test
