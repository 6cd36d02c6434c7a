// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/field_path.h"
#include "sap/message_fields.h"

#include <cmath>
#include <cstdio>

namespace wimax::sap {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

/// Every field against its range.
class Checker {
public:
    Checker(Faults& faults, FieldPath path) : faults_(faults), path_(path) {}

    template <typename T> void operator()(const char*, const T&) {}
    template <typename T, typename L, typename H> void operator()(const char* key, T value, L low, H high) {
        if constexpr (std::is_enum_v<T>) {
            (*this)(key, static_cast<int>(value), static_cast<int>(low), static_cast<int>(high));
        } else if constexpr (std::same_as<T, Slot>) {
            (*this)(key, value.value(), low, high);
        } else if constexpr (std::is_floating_point_v<T>) {
            const double least = low, most = high;
            if (!std::isfinite(value) || value < least || value > most)
                add(key, number(value), number(least) + ".." + number(most));
        } else if (std::cmp_less(value, low) || std::cmp_greater(value, high)) {
            add(key, std::to_string(value), std::to_string(low) + ".." + std::to_string(high));
        }
    }
    template <typename T, size_t N> void operator()(const char* key, T value, const std::array<T, N>& values) {
        if (std::ranges::find(values, value) != values.end()) return;
        std::string allowed;
        for (const T each : values) allowed += (allowed.empty() ? "" : ", ") + std::to_string(each);
        add(key, std::to_string(value), allowed);
    }
    template <typename T, size_t N> void each(const char* key, const std::array<T, N>& values, int low, int high) {
        for (size_t i = 0; i < N; ++i)
            if (values[i] < low || values[i] > high) (*this)(element(key, i).c_str(), values[i], low, high);
    }
    template <typename M> void list(const char* key, const std::vector<M>& elements, size_t most) {
        (*this)(key, elements.size(), 0, most);
        for (size_t i = 0; i < elements.size(); ++i) {
            if constexpr (std::same_as<M, std::string>) {
                text(element(key, i).c_str(), elements[i]);
            } else {
                Checker sub(faults_, {key, &path_, i});
                visit(sub, elements[i]);
            }
        }
    }
    template <typename M, size_t N> void list(const char* key, const std::array<M, N>& elements, int count) {
        (*this)((std::string(key) + " elements").c_str(), count, 0, N);
        for (size_t i = 0; i < N && std::cmp_less(i, count); ++i) {
            Checker sub(faults_, {key, &path_, i});
            visit(sub, elements[i]);
        }
    }
    void list(const char* key, const std::vector<Slot>& slots, size_t most, uint32_t low, uint32_t high) {
        (*this)(key, slots.size(), 0, most);
        for (size_t i = 0; i < slots.size(); ++i)
            if (slots[i] < Slot(low) || slots[i] > Slot(high)) (*this)(element(key, i).c_str(), slots[i], low, high);
    }
    void text(const char* key, const std::string& text) {
        if (text.size() > kMaxTextBytes)
            add((std::string(key) + " bytes").c_str(), std::to_string(text.size()),
                "0.." + std::to_string(kMaxTextBytes));
    }
    void maybe(const char*, const auto&, const auto&) {}
    void of_phy(const char*, const auto&, int, int) {}
    void payload(const std::vector<uint8_t>& payload, int most) { (*this)("payload bytes", payload.size(), 0, most); }

private:
    static std::string element(const char* key, size_t i) { return std::string(key) + "[" + std::to_string(i) + "]"; }
    void add(const char* key, std::string value, std::string allowed) {
        faults_.add(path_.of(key), std::move(value), std::move(allowed));
    }

    Faults& faults_;
    FieldPath path_;
};

}  // namespace

Faults validate(const MessageRef& message) {
    Faults faults(kMaxFaults);
    std::visit(
        [&faults](const auto* m) {
            Checker checker(faults, {name_of(*m)});
            visit(checker, *m);
        },
        message);
    return faults;
}

std::string summary(const MessageRef& message) {
    return std::visit(
        [](const auto* m) {
            std::string out = name_of(*m);
            if constexpr (requires { m->frame_number; }) out += " " + std::to_string(m->frame_number.value());
            if constexpr (requires { m->bursts; }) {
                size_t bytes = 0;
                for (const auto& burst : m->bursts) bytes += burst.payload.size();
                out += ": " + std::to_string(m->bursts.size()) + " bursts, " + std::to_string(bytes) + " bytes";
            }
            if constexpr (requires { m->allocations; })
                out += ": " + std::to_string(m->allocations.size()) + " allocations";
            if constexpr (requires { m->codes; }) out += ": " + std::to_string(m->codes.size()) + " codes";
            if constexpr (requires { m->fec_ok; })
                out += ": index " + std::to_string(m->index) + " rate " + std::to_string(m->rate_id) +
                       (!m->detected ? " nothing"
                        : m->fec_ok  ? " ok"
                                     : " bad") +
                       ", " + std::to_string(m->payload.size()) + " bytes";
            if constexpr (requires { m->faults; }) out += ": " + std::to_string(m->faults.size()) + " faults";
            if constexpr (requires { m->detail; })
                out += ": kind " + std::to_string(static_cast<int>(m->kind)) + ", " + std::to_string(m->microseconds) +
                       " us " + m->detail;
            return out;
        },
        message);
}

}  // namespace wimax::sap
