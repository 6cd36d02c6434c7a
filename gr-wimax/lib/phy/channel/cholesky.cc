// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/cholesky.h"

#include <cmath>

namespace gr::wimax::phy {

Cholesky::Cholesky(std::vector<double> m, size_t n) : lower_(std::move(m)), n_(n) {
    for (size_t i = 0; i < n_; ++i)
        for (size_t j = 0; j <= i; ++j) {
            double sum = at(i, j);
            for (size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
            lower_[i * n_ + j] = i == j ? std::sqrt(sum) : sum / at(j, j);
        }
}

void Cholesky::solve(std::span<double> x) const {
    for (size_t i = 0; i < n_; ++i) {
        for (size_t j = 0; j < i; ++j) x[i] -= at(i, j) * x[j];
        x[i] /= at(i, i);
    }
    for (size_t i = n_; i-- > 0;) {
        x[i] /= at(i, i);
        for (size_t j = 0; j < i; ++j) x[j] -= at(i, j) * x[i];
    }
}

std::vector<double> Cholesky::inverse() const {
    std::vector<double> rows(n_ * n_);
    for (size_t i = 0; i < n_; ++i) {
        const auto row = std::span(rows).subspan(i * n_, n_);
        row[i] = 1;
        solve(row);
    }
    return rows;
}

double Cholesky::log_determinant() const {
    double sum = 0;
    for (size_t i = 0; i < n_; ++i) sum += 2 * std::log(at(i, i));
    return sum;
}

}  // namespace gr::wimax::phy
