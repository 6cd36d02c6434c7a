// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/result_csv.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace wimax::sim {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::pair<std::string, std::string>>;  ///< by column

std::string cell_of(const Json& value) {
    if (!value.is_string()) return value.is_null() ? std::string() : value.dump();
    const auto& text = value.get_ref<const std::string&>();
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

/// Lists have no place in a line.
void flatten(const Json& from, const std::string& prefix, Cells& to) {
    for (const auto& [key, value] : from.items()) {
        if (value.is_object()) flatten(value, prefix + key + ".", to);
        else if (!value.is_array()) to.emplace_back(prefix + key, cell_of(value));
    }
}

std::string line_of(const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + cells[i];
    return line + "\n";
}

}  // namespace

std::string result_csv(const Json& result) {
    std::vector<std::string> columns;
    std::vector<Cells> rows;
    for (const auto& flow : result["flows"]) {
        flatten(flow, "", rows.emplace_back());
        for (const auto& [column, cell] : rows.back())
            if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    }
    std::string text = line_of(columns);
    for (const auto& row : rows) {
        std::vector<std::string> cells;
        for (const auto& column : columns) {
            const auto found = std::ranges::find(row, column, &Cells::value_type::first);
            cells.push_back(found == row.end() ? std::string() : found->second);
        }
        text += line_of(cells);
    }
    return text;
}

}  // namespace wimax::sim
