// SPDX-License-Identifier: GPL-3.0-or-later
// Test doubles for the blocks' cores: an output that keeps the messages, and a radio whose clock the test sets.
#pragma once

#include "blocks/receiver_core.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gr::wimax::test {

struct Heard : ReceiverOutput {
    std::vector<Tick> ticks;
    std::vector<BurstReport> bursts;
    std::vector<ContentionReport> contention;
    std::vector<ErrorReport> errors;
    std::vector<char> order;  ///< 't', 'b', 'c' or 'e'
    std::vector<uint32_t> observed;
    phy::SymbolObserver* watcher = nullptr;  ///< of all frames

    void send(const Tick& m) override { keep(ticks, m, 't'); }
    void send(BurstReport&& m) override { keep(bursts, std::move(m), 'b'); }
    void send(const ContentionReport& m) override { keep(contention, m, 'c'); }
    void send(const ErrorReport& m) override { keep(errors, m, 'e'); }
    phy::SymbolObserver* observer(phy::FrameNumber frame) override {
        observed.push_back(frame.value());
        return watcher;
    }

private:
    template <typename T> void keep(std::vector<T>& all, T m, char kind) {
        all.push_back(std::move(m));
        order.push_back(kind);
    }
};

struct RadioDouble : TransmitPath {
    struct Piece {
        int64_t start;
        std::vector<std::complex<float>> samples;
        size_t second_from = 0;
        std::vector<std::complex<float>> second;
        double level_dbfs = 0;
        std::optional<int64_t> silence_samples{};
    };
    std::vector<Piece> pieces;
    std::vector<int64_t> commits;
    int tx_antennas = 1;
    bool locked = false, full = false;
    int64_t chunk = 0, clock = 0;
    int64_t allowance = 0;  ///< pieces may start so much before the clock

    int antennas() const override { return tx_antennas; }
    tl::expected<void, PieceFault> transmit(int64_t start, const TransmitPiece& piece) override {
        const int64_t deficit = clock - allowance - start;
        if (deficit > 0) return tl::unexpected(PieceFault{PieceFault::Kind::late, deficit});
        if (full) return tl::unexpected(PieceFault{PieceFault::Kind::queue_full});
        pieces.push_back({start,
                          {piece.first.begin(), piece.first.end()},
                          piece.second_from,
                          {piece.second.begin(), piece.second.end()},
                          piece.level_dbfs,
                          piece.silence_samples});
        return {};
    }
    std::vector<std::pair<int64_t, double>> gains;
    bool change_receive_gain(int64_t sample, double gain_db) override {
        gains.emplace_back(sample, gain_db);
        return true;
    }
    std::vector<std::pair<int64_t, int64_t>> skipped;
    void skip_received(int64_t from, int64_t until) override { skipped.emplace_back(from, until); }
    void commit(int64_t sample) override { commits.push_back(sample); }
    bool lock_step() const override { return locked; }
    int64_t chunk_samples() const override { return chunk; }
    int64_t now() const override { return clock; }
};

}  // namespace gr::wimax::test
