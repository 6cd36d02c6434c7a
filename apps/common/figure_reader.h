// SPDX-License-Identifier: GPL-3.0-or-later
// Figures by their description (json_object.h), one call for each member, without JSON.
#pragma once

#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace wimax {

/// Receives the members of a structure of figures in the order of its description.
class FigureReader {
public:
    virtual ~FigureReader() = default;
    /// A number or boolean (0, 1). `path`: keys of the objects around it, each with a dot after it; `key`: a literal.
    virtual void number(std::string_view path, const char* key, double value) = 0;
    virtual void text(std::string_view path, const char* key, std::string_view value) = 0;
    /// A structure of a list begins, and ends. Paths begin again in it.
    virtual void begin(const char* list) = 0;
    virtual void end() = 0;
};

/// Visitor of descriptions, as JsonObject is one.
class FigureVisitor {
public:
    explicit FigureVisitor(FigureReader& reader) : reader_(reader) {}

    template <class T> void operator()(const char* key, const T& member) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
            reader_.number(path_, key, static_cast<double>(member));
        else if constexpr (std::convertible_to<T, std::string_view>) reader_.text(path_, key, member);
        else if constexpr (!std::same_as<T, nlohmann::json>)
            object(key, [&](FigureVisitor& own) { visit(own, member); });
    }
    void object(const char* key, auto&& describe) {
        const size_t before = path_.size();
        path_.append(key).push_back('.');
        describe(*this);
        path_.resize(before);
    }
    void list(const char* key, const auto& members) {
        for (const auto& member : members) {
            reader_.begin(key);
            FigureVisitor own(reader_);
            visit(own, member);
            reader_.end();
        }
    }
    template <class T> void maybe(const char* key, const std::optional<T>& member) {
        if (member) (*this)(key, *member);
    }

private:
    FigureReader& reader_;
    std::string path_;
};

template <class T> void read_figures(const T& figures, FigureReader& reader) {
    FigureVisitor visitor(reader);
    visit(visitor, figures);
}

}  // namespace wimax
