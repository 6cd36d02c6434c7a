// SPDX-License-Identifier: GPL-3.0-or-later
// The virtual radio's own nodes in UHD's property tree, for hosts that know it. Real radios have none: test with
// tree->exists(kCommitNode) once and do nothing if it is absent.
//
//     auto tree = usrp->get_device()->get_tree();
//     if (tree->exists(vrf::kCommitNode)) tree->access<vrf::Commit>(vrf::kCommitNode).set({tick, bursts});
//
// Commit {T, B}: "all that I transmit before radio sample time T has been sent, in B bursts since this TX streamer was
// made". T is time_spec.to_ticks(rate). A burst counts when its end of burst was accepted with at least one sample;
// late ones count too. The radio then never sends a transmit chunk that ends after T, nor one before it has B bursts. A
// slow host is therefore never late; simulated time waits instead. Promised chunks may be sent some chunks
// (kAheadChunks of link.h) ahead, with their settings: tune before you promise. Write the first promise before the
// stream command. The next RX chunk needs T at least one chunk (node chunk_samples) after the RX samples already
// delivered. Otherwise time stops until the channel gives the radio up (time.give_up_s). A host that waits in send()
// for room cannot promise: meanwhile the queue counts as complete. T = INT64_MAX withdraws the promise, and so does the
// end of the TX streamer. For a host that never writes it, time waits by back-pressure only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <utility>

namespace wimax::vrf {

using Commit = std::pair<int64_t, uint64_t>;

inline constexpr const char* kNodes = "/mboards/0/vrf";
inline constexpr const char* kCommitNode = "/mboards/0/vrf/commit";        ///< Commit, read and write
inline constexpr const char* kModeNode = "/mboards/0/vrf/mode";            ///< std::string: commit, rt
inline constexpr const char* kChunkNode = "/mboards/0/vrf/chunk_samples";  ///< int
inline constexpr const char* kAttachedNode = "/mboards/0/vrf/attached";    ///< bool: false while no channel
/// int: a descriptor that is readable when the host should receive, with a timeout of 0. For hosts with several radios:
/// read it before the first stream. From then on one thread receives, and the host's calls exchange the samples.
inline constexpr const char* kPollNode = "/mboards/0/vrf/poll_descriptor";
/// Span {from, until}, write: ticks of received samples that the host will not look at. The channel then need not
/// compute them, and zeros may come instead; in commit mode, with an ideal radio. Replaces the span before.
inline constexpr const char* kUnusedNode = "/mboards/0/vrf/unused";
using Span = std::pair<int64_t, int64_t>;
inline constexpr const char* kTxReferenceNode = "/mboards/0/vrf/tx_reference_dbm";  ///< double: sent for 0 dBFS now
inline constexpr const char* kRxReferenceNode = "/mboards/0/vrf/rx_reference_dbm";  ///< double: received for 0 dBFS now
inline constexpr const char* kUnplugNode = "/mboards/0/vrf/unplug";  ///< bool: true, and streams throw from then on
/// std::string: a fault of link.h's kRadioFaultNames at this radio, perhaps with the number of samples that it lasts.
inline constexpr const char* kInjectNode = "/mboards/0/vrf/inject";
/// std::vector<std::pair<int64_t, uint32_t>>: levels of the GPIO bank's outputs, and the tick of the radio's time that
/// each holds from, in order, as its registers are now; the first is of the time before.
inline constexpr const char* kLinesNode = "/mboards/0/vrf/gpio_lines";
inline constexpr const char* kConverterNode =
    "/mboards/0/vrf/converter_bits";  ///< int: of the transmitter; 0: none, nothing is clipped
/// Below it, with the device argument fpga=1, a folder for each core of fpga/, by its block's name: preamble_detect,
/// ofdm_frontend, burst_gate. Each has the nodes peek, poke, take and order, functions of the types below.
inline constexpr const char* kCoresNode = "/mboards/0/vrf/cores";
using CorePeek = std::function<uint32_t(uint32_t address)>;
using CorePoke = std::function<void(uint32_t address, uint32_t value)>;
/// The words of the next packet; how many (0: none has come), its time, whether it has one, whether it ends a burst.
using CoreTake = std::function<std::tuple<size_t, int64_t, bool, bool>(std::span<uint32_t> words)>;
using CoreOrder = std::function<bool(std::span<const uint32_t> words)>;  ///< the lowest bits first
/// Below it, each uint64_t: late, underflow, overflow, bursts, stalls, tx_clipped, rx_clipped; int64_t:
/// least_slack_samples (INT64_MAX: no timed burst yet).
inline constexpr const char* kCountersNode = "/mboards/0/vrf/counters";

}  // namespace wimax::vrf
