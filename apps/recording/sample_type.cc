// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/sample_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace wimax::iq {
namespace {

using gr::wimax::phy::Complex;

template <class T, std::endian order> float read_value(const char* from) {
    std::array<char, sizeof(T)> octets;
    std::copy_n(from, octets.size(), octets.begin());
    if (order != std::endian::native) std::reverse(octets.begin(), octets.end());
    const T value = std::bit_cast<T>(octets);
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<float>(value);
    } else {
        constexpr double kFullScale = static_cast<double>(std::numeric_limits<std::make_signed_t<T>>::max()) + 1;
        constexpr double kCentre = std::is_signed_v<T> ? 0.0 : kFullScale - 0.5;
        return static_cast<float>((static_cast<double>(value) - kCentre) / kFullScale);
    }
}

template <class T, std::endian order> Complex read_pair(const char* from) {
    return {read_value<T, order>(from), read_value<T, order>(from + sizeof(T))};
}

struct Named {
    std::string_view name;
    SampleType type;
};

template <class T, std::endian order = std::endian::native> constexpr SampleType type_of() {
    return {2 * sizeof(T), read_pair<T, order>};
}

constexpr auto kLittle = std::endian::little, kBig = std::endian::big;
constexpr std::array<Named, 14> kTypes{{
    {"cf32_le", type_of<float, kLittle>()},
    {"cf32_be", type_of<float, kBig>()},
    {"cf64_le", type_of<double, kLittle>()},
    {"cf64_be", type_of<double, kBig>()},
    {"ci32_le", type_of<int32_t, kLittle>()},
    {"ci32_be", type_of<int32_t, kBig>()},
    {"cu32_le", type_of<uint32_t, kLittle>()},
    {"cu32_be", type_of<uint32_t, kBig>()},
    {"ci16_le", type_of<int16_t, kLittle>()},
    {"ci16_be", type_of<int16_t, kBig>()},
    {"cu16_le", type_of<uint16_t, kLittle>()},
    {"cu16_be", type_of<uint16_t, kBig>()},
    {"ci8", type_of<int8_t>()},
    {"cu8", type_of<uint8_t>()},
}};

}  // namespace

std::optional<SampleType> sample_type(std::string_view datatype) {
    const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Named& n) { return n.name == datatype; });
    return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

std::optional<SampleType> sample_type_or_short(std::string_view name) {
    const auto found = sample_type(name);
    return found ? found : sample_type(std::string(name) + "_le");
}

std::string sample_type_names() {
    std::string names;
    for (const auto& type : kTypes) names += (names.empty() ? "" : ", ") + std::string(type.name);
    return names;
}

}  // namespace wimax::iq
