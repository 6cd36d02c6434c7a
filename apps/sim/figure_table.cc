// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figure_table.h"

#include <algorithm>
#include <limits>

namespace wimax::sim {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void FigureTable::begin_row(size_t row) {
    rows_ = std::max(rows_, row + 1);
    row_ = row;
}

void FigureTable::put(std::string_view path, std::string_view key, double value) {
    auto& values = column(path, key).values;
    if (values.size() <= row_) values.resize(std::max(rows_, row_ + 1), kAbsent);
    values[row_] = value;
}

FigureTable::Column& FigureTable::column(std::string_view path, std::string_view key) {
    const auto is_next = [&](const std::string& name) {
        return name.size() == path.size() + key.size() && name.starts_with(path) && name.ends_with(key);
    };
    if (next_ >= columns_.size() || !is_next(columns_[next_].name)) {
        name_.assign(path).append(key);
        const auto [place, is_new] = places_.try_emplace(name_, columns_.size());
        if (is_new) columns_.push_back({name_, {}});
        next_ = place->second;
    }
    return columns_[next_++];
}

std::vector<FigureTable::Column> FigureTable::take() {
    for (auto& column : columns_) column.values.resize(rows_, kAbsent);
    places_.clear();
    return std::move(columns_);
}

}  // namespace wimax::sim
