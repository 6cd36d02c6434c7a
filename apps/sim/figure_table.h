// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of many objects as columns: one row for each object, one column for each figure that any object has.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wimax::sim {

class FigureTable {
public:
    struct Column {
        std::string name;
        std::vector<double> values;  ///< NaN where the object has no such figure
    };

    explicit FigureTable(size_t rows = 0) : rows_(rows) {}

    /// Figures are of this row from now on; a row after the last one is added.
    void begin_row(size_t row);
    /// Pre: a row has begun. The column's name is `path` and then `key`.
    void put(std::string_view path, std::string_view key, double value);

    size_t rows() const { return rows_; }
    /// In the order in which they were first put, each with rows() values.
    std::vector<Column> take();

private:
    Column& column(std::string_view path, std::string_view key);

    size_t rows_, row_ = 0;
    size_t next_ = 0;  ///< column of the next figure if this object has those of the one before
    std::vector<Column> columns_;
    std::map<std::string, size_t, std::less<>> places_;
    std::string name_;
};

}  // namespace wimax::sim
