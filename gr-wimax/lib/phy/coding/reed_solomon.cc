// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include "phy/base/simd.h"

#include <algorithm>

namespace gr::wimax::phy {
namespace {

constexpr int kParity = ReedSolomon::kMotherParity;
constexpr int kFieldOrder = 255;  // nonzero elements of GF(256)
constexpr unsigned kFieldPolynomial = ReedSolomon::kFieldPolynomial;
constexpr int kMaxErrors = kParity / 2;

constexpr size_t kLogOfZero = 2 * kFieldOrder;

struct Field {
    // Two periods, so that sums of two logarithms need no reduction, then zeros for sums with the logarithm of zero.
    std::array<uint8_t, 2 * kLogOfZero + 1> exp{};
    std::array<uint16_t, 256> log{};
};
constexpr Field kField = [] {
    Field f;
    f.log[0] = kLogOfZero;
    unsigned x = 1;
    for (unsigned i = 0; i < kFieldOrder; ++i) {
        f.exp[i] = f.exp[i + kFieldOrder] = static_cast<uint8_t>(x);
        f.log[x] = static_cast<uint16_t>(i);
        x = x << 1 ^ (x & 0x80U ? kFieldPolynomial : 0U);
    }
    return f;
}();

constexpr uint8_t power(int exponent) { return kField.exp[static_cast<size_t>(exponent % kFieldOrder)]; }
constexpr uint8_t multiply(uint8_t a, uint8_t b) {
    return kField.exp[static_cast<size_t>(kField.log[a] + kField.log[b])];
}
constexpr uint8_t inverse(uint8_t a) { return power(kFieldOrder - kField.log[a]); }

using Parity = std::array<uint8_t, kParity>;

/// 16 bytes as two words, the highest power in the low byte of `high`.
struct Words {
    uint64_t high = 0, low = 0;
};

/// Octets per step of the division: each step waits for the look-ups of the one before.
constexpr size_t kSlice = sizeof(Words::high);

/// Row f of table 0: f times the generator polynomial without its leading term. One step of the division is a shift and
/// one row. Table i: that row i steps later.
constexpr auto kDivisionRows = [] {
    std::array<uint8_t, kParity + 1> g{1};  // highest power first
    for (int i = 0; i < kParity; ++i)
        for (int j = i + 1; j > 0; --j) g[static_cast<size_t>(j)] ^= multiply(g[static_cast<size_t>(j - 1)], power(i));
    std::array<std::array<Words, 256>, kSlice> tables{};
    for (unsigned f = 0; f < 256; ++f)
        for (unsigned i = 0; i < 8; ++i) {
            tables[0][f].high |= uint64_t{multiply(g[1 + i], static_cast<uint8_t>(f))} << (8 * i);
            tables[0][f].low |= uint64_t{multiply(g[9 + i], static_cast<uint8_t>(f))} << (8 * i);
        }
    for (size_t later = 1; later < kSlice; ++later)
        for (unsigned f = 0; f < 256; ++f) {
            const Words before = tables[later - 1][f], row = tables[0][before.high & 255U];
            tables[later][f] = {(before.high >> 8 | before.low << 56) ^ row.high, before.low >> 8 ^ row.low};
        }
    return tables;
}();

/// All 16 parity bytes, highest power first. Shortening needs no work: leading zeros leave the remainder zero.
Parity parity_of(std::span<const uint8_t> data) {
    using Row = simd::Vector<uint64_t, sizeof(Words)>;
    Words r;
    for (; data.size() >= kSlice; data = data.subspan(kSlice)) {
        uint64_t octets = 0;
        for (size_t i = 0; i < kSlice; ++i) octets |= uint64_t{data[i]} << (8 * i);
        const uint64_t taken = r.high ^ octets;
        Row sum{r.low, 0};
        for (size_t i = 0; i < kSlice; ++i)
            sum ^= simd::load<Row>(&kDivisionRows[kSlice - 1 - i][taken >> (8 * i) & 255U]);
        r = {sum[0], sum[1]};
    }
    for (uint8_t byte : data) {
        const Words& row = kDivisionRows[0][(byte ^ r.high) & 255U];
        r.high = (r.high >> 8 | r.low << 56) ^ row.high;
        r.low = r.low >> 8 ^ row.low;
    }
    Parity p;
    for (size_t i = 0; i < 8; ++i) {
        p[i] = static_cast<uint8_t>(r.high >> (8 * i));
        p[8 + i] = static_cast<uint8_t>(r.low >> (8 * i));
    }
    return p;
}

/// Value of a polynomial (lowest power first) at 2^exponent.
uint8_t evaluate(std::span<const uint8_t> polynomial, int exponent) {
    uint8_t sum = 0;
    const uint8_t x = power(exponent);
    for (size_t i = polynomial.size(); i-- > 0;) sum = multiply(sum, x) ^ polynomial[i];
    return sum;
}

struct Locator {
    std::array<uint8_t, kParity + 1> coefficients{1};  // lowest power first
    int degree = 0;
};

/// Berlekamp-Massey: the shortest recurrence that generates the syndromes.
Locator find_locator(std::span<const uint8_t> syndromes) {
    Locator current;
    auto previous = current.coefficients;
    int shift = 1, previous_degree = 0;
    uint8_t previous_discrepancy = 1;
    for (int r = 0; r < static_cast<int>(syndromes.size()); ++r) {
        uint8_t d = 0;
        for (int i = 0; i <= current.degree; ++i)
            d ^= multiply(current.coefficients[static_cast<size_t>(i)], syndromes[static_cast<size_t>(r - i)]);
        if (d == 0) {
            ++shift;
            continue;
        }
        const auto before = current.coefficients;
        const int degree_before = current.degree;
        const uint8_t factor = multiply(d, inverse(previous_discrepancy));
        const auto terms =
            std::min(static_cast<size_t>(previous_degree) + 1, before.size() - static_cast<size_t>(shift));
        for (size_t i = 0; i < terms; ++i)
            current.coefficients[i + static_cast<size_t>(shift)] ^= multiply(factor, previous[i]);
        if (2 * current.degree <= r) {
            current.degree = r + 1 - current.degree;
            previous = before;
            previous_degree = degree_before;
            previous_discrepancy = d;
            shift = 1;
        } else {
            ++shift;
        }
    }
    return current;
}

struct Error {
    int power;  // of the codeword polynomial
    uint8_t magnitude;
};

/// Row [i][b]: 2^b times the i-th power of the inverse of 2^p, for each p. A polynomial's values at all places are the
/// sum of the rows of its coefficients' bits.
constexpr auto kTermRows = [] {
    std::array<std::array<std::array<uint8_t, kFieldOrder>, 8>, kMaxErrors + 1> rows{};
    for (int i = 0; i <= kMaxErrors; ++i)
        for (int b = 0; b < 8; ++b)
            for (int p = 0; p < kFieldOrder; ++p)
                rows[static_cast<size_t>(i)][static_cast<size_t>(b)][static_cast<size_t>(p)] =
                    power(b + (kFieldOrder - p) * i);
    return rows;
}();

/// Exponents in first .. last at whose inverse power of 2 a polynomial (lowest power first) is zero. Stores as many as
/// fit and returns their number.
int find_zeros(std::span<const uint8_t> polynomial, int first, int last, std::span<int> zeros) {
    std::array<uint8_t, kFieldOrder> values{};
    const auto count = static_cast<size_t>(last - first + 1);
    for (size_t i = 0; i < polynomial.size(); ++i)
        for (size_t b = 0; b < 8; ++b) {
            if ((polynomial[i] >> b & 1) == 0) continue;
            const uint8_t* row = kTermRows[i][b].data() + first;
            for (size_t p = 0; p < count; ++p) values[p] ^= row[p];
        }
    size_t found = 0;
    for (size_t p = 0; p < count && found < zeros.size(); ++p)
        if (values[p] == 0) zeros[found++] = first + static_cast<int>(p);
    return static_cast<int>(found);
}

/// Errors that explain `syndromes` (of roots 2^0, 2^1, ...) within powers first .. last; count -1 if there are none.
int find_errors(std::span<const uint8_t> syndromes, int first, int last, std::array<Error, kMaxErrors>& errors) {
    const Locator locator = find_locator(syndromes);
    if (2 * locator.degree > static_cast<int>(syndromes.size())) return -1;
    const auto lambda = std::span(locator.coefficients).first(static_cast<size_t>(locator.degree) + 1);
    std::array<uint8_t, kMaxErrors> omega{}, derivative{};  // Forney: evaluator, formal derivative of the locator
    for (size_t i = 0; i < static_cast<size_t>(locator.degree); ++i) {
        for (size_t j = 0; j <= i; ++j) omega[i] ^= multiply(lambda[j], syndromes[i - j]);
        derivative[i] = i % 2 == 0 ? lambda[i + 1] : uint8_t{0};
    }
    std::array<int, kMaxErrors> places;
    const auto wanted = std::span(places).first(static_cast<size_t>(locator.degree));
    if (find_zeros(lambda, first, last, wanted) != locator.degree) return -1;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const int x_inverse = kFieldOrder - places[i];
        const uint8_t slope = evaluate(derivative, x_inverse);
        if (slope == 0) return -1;
        const uint8_t value = multiply(evaluate(omega, x_inverse), inverse(slope));
        errors[i] = {places[i], multiply(power(places[i]), value)};
    }
    return locator.degree;
}

}  // namespace

// Punctured parity bytes are erasures at powers 0 .. e-1. Multiplying the syndromes by the erasures' locator gives 2t
// syndromes of a problem without erasures. In it an error of magnitude y at power p appears with magnitude y * prod(2^p
// + 2^q, q < e). That product depends on p alone: magnitude_factor_ holds its inverse, parity_factor_ itself for the
// parity bytes that are sent.
ReedSolomon::ReedSolomon(int k, int t)
    : k_(std::clamp(k, 1, kFieldOrder - kParity)), t_(std::clamp(t, 0, kMaxErrors)), erasures_(kParity - 2 * t_) {
    for (int p = erasures_; p < kFieldOrder; ++p) {
        uint8_t product = 1;
        for (int q = 0; q < erasures_; ++q) product = multiply(product, power(p) ^ power(q));
        magnitude_factor_[static_cast<size_t>(p)] = inverse(product);
        if (p < kParity) parity_factor_[static_cast<size_t>(kParity - 1 - p)] = product;
    }
}

void ReedSolomon::encode(std::span<const uint8_t> data, std::span<uint8_t> block) const {
    const auto parity = parity_of(data.first(static_cast<size_t>(k_)));
    const auto parity_bytes = static_cast<size_t>(2 * t_);
    std::copy_n(parity.begin(), parity_bytes, block.begin());
    std::copy_n(data.begin(), k_, block.begin() + 2 * t_);
}

RsResult ReedSolomon::decode(std::span<uint8_t> block) const {
    const auto parity_bytes = static_cast<size_t>(2 * t_);
    const auto data = block.subspan(parity_bytes, static_cast<size_t>(k_));
    auto difference = parity_of(data);  // between the parity these data need and the received one
    for (size_t i = 0; i < parity_bytes; ++i) difference[i] ^= block[i];
    if (std::all_of(difference.begin(), difference.begin() + 2 * t_, [](uint8_t d) { return d == 0; }))
        return {true, 0};

    // The word's codeword part has no syndrome: the syndromes of the difference are those of the word.
    std::array<uint8_t, kParity> reduced{};
    for (size_t j = 0; j < parity_bytes; ++j) {
        const size_t log = kField.log[multiply(difference[j], parity_factor_[j])], p = kParity - 1 - j;
        for (size_t i = 0; i < parity_bytes; ++i) reduced[i] ^= kField.exp[log + i * p];
    }

    std::array<Error, kMaxErrors> errors;
    const int found = find_errors(std::span(reduced).first(parity_bytes), erasures_, kParity + k_ - 1, errors);
    if (found < 0) return {};
    for (const auto& [p, magnitude] : std::span(errors).first(static_cast<size_t>(found))) {
        const int position = p < kParity ? kParity - 1 - p : 2 * t_ + k_ - 1 - (p - kParity);
        block[static_cast<size_t>(position)] ^= multiply(magnitude, magnitude_factor_[static_cast<size_t>(p)]);
    }
    return {true, found};
}

}  // namespace gr::wimax::phy
