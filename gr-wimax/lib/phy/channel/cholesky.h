// SPDX-License-Identifier: GPL-3.0-or-later
// Cholesky decomposition m = L L^T of a small symmetric positive matrix, in double, for tables of estimators.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gr::wimax::phy {

class Cholesky {
public:
    /// `m` has n rows of n elements; only the lower triangle is read.
    Cholesky(std::vector<double> m, size_t n);

    /// x becomes m^-1 x.
    void solve(std::span<double> x) const;
    /// Rows of m^-1.
    std::vector<double> inverse() const;
    /// Natural logarithm of m's determinant.
    double log_determinant() const;

private:
    double at(size_t row, size_t column) const { return lower_[row * n_ + column]; }

    std::vector<double> lower_;
    size_t n_;
};

}  // namespace gr::wimax::phy
