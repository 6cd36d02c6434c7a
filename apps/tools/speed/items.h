// SPDX-License-Identifier: GPL-3.0-or-later
// Items that wimax-speed measures. Every item checks its own results, so that a fast but wrong decoder is not praised.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include "tools/speed/stopwatch.h"

#include <functional>
#include <string>
#include <vector>

namespace wimax::speed {

/// Does one round of work and returns how much it was, in millions of the item's unit of work (bits, samples, ...).
/// Throws std::runtime_error if a result is wrong.
using Round = std::function<double()>;

struct Item {
    std::string name, unit;
    double real_time = 0;            ///< what 5.76 MS/s at 64-QAM 3/4 asks of this item, in its unit
    std::function<Round()> prepare;  ///< makes signals and workspaces, not timed
    bool duration = false;           ///< the value is microseconds for one unit of work, not units per second
    bool own_figure = false;         ///< a round returns the value, which it has measured itself
};

constexpr int64_t kBandwidthHz = 5'000'000;
constexpr double kRealTime = 5.76;  // MS/s
constexpr double kSymbolsPerSecond = 20'000;
constexpr double kViterbiRealTime = 960e-6 * kSymbolsPerSecond;  // Mbit/s of 64-QAM 3/4
constexpr size_t kChunk = 2'880;                                 // samples: 0.5 ms, as radios deliver
constexpr double kNoiseDb = 30;                                  // SNR per data carrier
constexpr double kCarriersPerSample = 1.28;  // noise variance of a sample at an SNR of 1: 256 / 200 carriers

/// Frames of one burst of 197 symbols, received with a delay, a carrier offset and noise.
struct FrameRecording {
    std::vector<gr::wimax::phy::Complex> samples;
    std::vector<uint8_t> payload;  ///< of every frame's burst
    int frames = 0;
};
FrameRecording record_frames(int rate_id, double snr_db = kNoiseDb);

/// Rate 1/2, terminated, at an Eb/N0 of 5 dB: all different.
struct CodedBurst {
    std::vector<uint8_t> octets;  ///< the last one is the tail
    std::vector<gr::wimax::phy::SoftBit> soft;
};
std::vector<CodedBurst> coded_bursts();

/// rx_<rate>, tx_<rate>, rx_idle; rx_64qam34_limit, where one block in a hundred needs a second attempt, and
/// rx_64qam34_fade, where one in six does; _once: the same without second attempts.
void add_chain_items(std::vector<Item>& items);

/// down_, up_ with call_us_p50, _p99, _p999: a receiver's work when it is given a symbol; end_us_p50, _p99: when it is
/// given a burst's last one.
void add_latency_items(std::vector<Item>& items);

/// viterbi_single, viterbi_batch, rs_decode_clean, rs_decode_full, fft256, front_tx, front_rx, llr_64qam.
void add_kernel_items(std::vector<Item>& items);

/// mac_bs_frame_us_<stations>.
void add_mac_items(std::vector<Item>& items, Stopwatch& watch);

/// rx_flowgraph_64qam34; only where the GNU Radio blocks are built.
void add_flowgraph_items(std::vector<Item>& items, Stopwatch& watch);

/// peer_<project>_<what>: other free software at the same work; only what was there when this was built.
void add_peer_items(std::vector<Item>& items);

}  // namespace wimax::speed
