// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/simulation/simulator.h"
#include "channel/fading.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <exception>
#include <thread>

namespace wimax::link {
namespace {

/// Trials handed out together; those after the stop are wasted.
constexpr int64_t kBatch = 64;

uint64_t point_seed(const LinkSetup& setup, int rate_id, double snr_db, uint64_t seed) {
    uint64_t hash = channel::mix64(seed);
    const auto add = [&hash](uint64_t value) { hash = channel::mix64(hash ^ channel::mix64(value)); };
    add(static_cast<uint64_t>(rate_id));
    add(static_cast<uint64_t>(setup.direction) + 100);
    add(static_cast<uint64_t>(setup.data_symbols) + 1000);
    add(std::bit_cast<uint64_t>(std::round(snr_db * 1e6) + 0.0));  // + 0.0: no negative zero
    return hash;
}

}  // namespace

Interval wilson(int64_t hits, int64_t count) {
    constexpr double z = 1.959963984540054;  // 97.5 % point of the normal distribution
    const auto n = static_cast<double>(count);
    const double p = static_cast<double>(hits) / n, z2 = z * z;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    return {hits == 0 ? 0.0 : std::max(0.0, middle - half), hits == count ? 1.0 : std::min(1.0, middle + half)};
}

Simulator::Simulator(const LinkSetup& setup, int threads) : setup_(setup) {
    for (int i = 0; i < std::max(1, threads); ++i) runners_.push_back(std::make_unique<TrialRunner>(setup));
}

/// Trials [first, first + results_.size()), shared among the runners.
void Simulator::run_batch(int rate_id, double snr_db, uint64_t seed, uint64_t first) {
    std::atomic<size_t> next = 0;
    const auto work = [&](size_t worker) {
        for (size_t i = next++; i < results_.size(); i = next++)
            results_[i] = runners_[worker]->run(rate_id, snr_db, channel::mix64(seed + first + i));
    };
    std::vector<std::jthread> others;
    for (size_t worker = 1; worker < runners_.size(); ++worker) others.emplace_back(work, worker);
    work(0);
    others.clear();  // and waits for them
}

std::optional<Point> Simulator::measure(int rate_id, double snr_db, const StopRule& stop, uint64_t seed,
                                        const GoOn& go_on) {
    const uint64_t base = point_seed(setup_, rate_id, snr_db, seed);
    Point point;
    point.rate_id = rate_id;
    point.snr_db = snr_db;
    for (uint64_t first = 0;; first += kBatch) {
        const int64_t missing = (stop.blocks - point.blocks + setup_.data_symbols - 1) / setup_.data_symbols;
        const double by_blocks = static_cast<double>(point.blocks) / static_cast<double>(stop.blocks);
        const double by_errors = static_cast<double>(point.block_errors) / static_cast<double>(stop.errors);
        if (!go_on(std::max(by_blocks, by_errors))) return std::nullopt;
        results_.assign(static_cast<size_t>(std::clamp<int64_t>(missing, 1, kBatch)), {});
        run_batch(rate_id, snr_db, base, first);
        for (const auto& result : results_) {
            point.blocks += result.blocks;
            point.block_errors += result.block_errors;
            point.missed += result.missed ? 1 : 0;
            point.failed += result.failed;
            point.undetected += result.undetected;
            point.bits += result.bits;
            point.bit_errors += result.bit_errors;
            if (point.blocks >= stop.blocks || point.block_errors >= stop.errors) return point;
        }
    }
}

}  // namespace wimax::link
