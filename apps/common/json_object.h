// SPDX-License-Identifier: GPL-3.0-or-later
// A structure of figures as a JSON object, by its description: a function `visit(visitor, figures)` next to the
// structure, which names each member once.
//
//   v(key, member)            a number, boolean, text or JSON, or a structure with a description: an object
//   v.object(key, describe)   an object of the members that `describe(v)` names
//   v.list(key, members)      structures with descriptions
//   v.maybe(key, member)      a std::optional, absent when empty
//   visit(v, member)          a structure whose members are put among the others
#pragma once

#include <nlohmann/json.hpp>

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wimax {

class JsonObject {
public:
    template <class T> void operator()(const char* key, const T& member) {
        if constexpr (std::is_class_v<T> && !std::convertible_to<T, std::string_view> &&
                      !std::same_as<T, nlohmann::json>)
            object(key, [&](JsonObject& own) { visit(own, member); });
        else value_[key] = member;
    }
    void object(const char* key, auto&& describe) {
        JsonObject own;
        describe(own);
        value_[key] = std::move(own.value_);
    }
    void list(const char* key, const auto& members) {
        auto& all = value_[key] = nlohmann::json::array();
        for (const auto& member : members) {
            JsonObject own;
            visit(own, member);
            all.push_back(std::move(own.value_));
        }
    }
    template <class T> void maybe(const char* key, const std::optional<T>& member) {
        if (member) (*this)(key, *member);
    }

    nlohmann::json take() { return std::move(value_); }

private:
    nlohmann::json value_ = nlohmann::json::object();
};

template <class T> nlohmann::json to_json_object(const T& figures) {
    JsonObject object;
    visit(object, figures);
    return object.take();
}

}  // namespace wimax
