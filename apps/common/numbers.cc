// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/config.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace wimax::config {

namespace {

/// Exact integers, so that 64-bit values survive; nullopt if the text is not one.
template <typename T> std::optional<T> exact_integer(std::string_view text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (negative) text.remove_prefix(1);
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    if (negative) {
        if constexpr (std::is_signed_v<T>) {
            if (magnitude <= static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1)
                return static_cast<T>(-static_cast<int64_t>(magnitude - (magnitude > 0)) - (magnitude > 0));
        }
        return magnitude == 0 ? std::optional<T>(T{0}) : std::nullopt;
    }
    if (magnitude > static_cast<uint64_t>(std::numeric_limits<T>::max())) return std::nullopt;
    return static_cast<T>(magnitude);
}

std::optional<double> decimal(std::string_view text) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::string short_number(double value) {
    char text[40];
    if (value == std::floor(value) && std::abs(value) < 1e15) std::snprintf(text, sizeof text, "%.0f", value);
    else std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

}  // namespace

template <Number T> bool parse_number(std::string_view text, Range range, T& value) {
    const auto inside = [&](double number) { return number >= range.low && number <= range.high; };
    T result{};
    if constexpr (std::is_integral_v<T>) {
        if (const auto exact = exact_integer<T>(text)) {
            result = *exact;
        } else {
            // 5e6 is welcome where 5000000 is, as long as it is exact.
            constexpr double kExact = 9007199254740992.0;
            const auto number = decimal(text);
            if (!number || *number != std::floor(*number) || std::abs(*number) > kExact) return false;
            if (*number < static_cast<double>(std::numeric_limits<T>::lowest()) ||
                *number > static_cast<double>(std::numeric_limits<T>::max()))
                return false;
            result = static_cast<T>(*number);
        }
        if (!inside(static_cast<double>(result))) return false;
    } else {  // compared before it is rounded to T: 0.01F is below 0.01
        const auto number = decimal(text);
        if (!number || !std::isfinite(*number) || !inside(*number) ||
            std::abs(*number) > static_cast<double>(std::numeric_limits<T>::max()))
            return false;
        result = static_cast<T>(*number);
    }
    value = result;
    return true;
}

template <Number T> std::string print_number(T value) {
    if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else {
        char text[40];
        const auto [end, error] = std::to_chars(text, text + sizeof text, value);
        return error == std::errc{} ? std::string(text, end) : "0";
    }
}

#define WIMAX_CONFIG_NUMBER(T)                               \
    template bool parse_number(std::string_view, Range, T&); \
    template std::string print_number(T);
WIMAX_CONFIG_NUMBER(signed char)
WIMAX_CONFIG_NUMBER(unsigned char)
WIMAX_CONFIG_NUMBER(short)
WIMAX_CONFIG_NUMBER(unsigned short)
WIMAX_CONFIG_NUMBER(int)
WIMAX_CONFIG_NUMBER(unsigned)
WIMAX_CONFIG_NUMBER(long)
WIMAX_CONFIG_NUMBER(unsigned long)
WIMAX_CONFIG_NUMBER(long long)
WIMAX_CONFIG_NUMBER(unsigned long long)
WIMAX_CONFIG_NUMBER(float)
WIMAX_CONFIG_NUMBER(double)
#undef WIMAX_CONFIG_NUMBER

std::string describe(Range range, double type_low, double type_high, bool integer) {
    if (integer) {
        range.low = std::max(range.low, type_low);
        range.high = std::min(range.high, type_high);
    }
    const std::string kind = integer ? "integers " : "numbers ";
    if (std::isinf(range.low) && std::isinf(range.high)) return integer ? "integers" : "numbers";
    if (std::isinf(range.high)) return kind + "from " + short_number(range.low);
    if (std::isinf(range.low)) return kind + "up to " + short_number(range.high);
    return kind + short_number(range.low) + ".." + short_number(range.high);
}

}  // namespace wimax::config
