// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that the virtual radio (UHD type=vrf) adds to the property tree; a real radio has none, and the functions
// report that. The virtual radio's headers are not included, because this module builds alone.
#pragma once

#include <uhd/property_tree.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace gr::wimax {

inline constexpr const char* kVrfCommitNode = "/mboards/0/vrf/commit";  // pair (sample time, total number of bursts
                                                                        // sent)
inline constexpr const char* kVrfUnusedNode = "/mboards/0/vrf/unused";  // pair of sample times
inline constexpr const char* kVrfModeNode = "/mboards/0/vrf/mode";      // string: "commit" or "rt"
inline constexpr const char* kVrfChunkNode = "/mboards/0/vrf/chunk_samples";
inline constexpr const char* kVrfAttachedNode = "/mboards/0/vrf/attached";
inline constexpr const char* kVrfPollNode = "/mboards/0/vrf/poll_descriptor";  // int
inline constexpr const char* kVrfTxReferenceNode = "/mboards/0/vrf/tx_reference_dbm";
inline constexpr const char* kVrfRxReferenceNode = "/mboards/0/vrf/rx_reference_dbm";
inline constexpr const char* kVrfConverterNode = "/mboards/0/vrf/converter_bits";  // int: of the transmitter

inline constexpr const char* kVrfCoresNode = "/mboards/0/vrf/cores";  // one folder per core

/// Samples per lock-step exchange; 0 if this radio's time runs without commits.
inline int64_t vrf_chunk_samples(const uhd::property_tree::sptr& tree) {
    if (!tree->exists(kVrfCommitNode) || tree->access<std::string>(kVrfModeNode).get() != "commit") return 0;
    return tree->access<int>(kVrfChunkNode).get();
}

/// Number of device ticks with one gain, in any mode; 0: no virtual radio.
inline int64_t vrf_gain_samples(const uhd::property_tree::sptr& tree) {
    return tree->exists(kVrfChunkNode) ? tree->access<int>(kVrfChunkNode).get() : 0;
}

/// Reports that all samples before this sample of the device have been passed, in `bursts` bursts since the streamer
/// was made.
inline void vrf_commit(const uhd::property_tree::sptr& tree, int64_t sample, uint64_t bursts) {
    tree->access<std::pair<int64_t, uint64_t>>(kVrfCommitNode).set({sample, bursts});
}

/// Reports that samples of the device received in [from, until) will not be looked at.
inline void vrf_skip(const uhd::property_tree::sptr& tree, int64_t from, int64_t until) {
    tree->access<std::pair<int64_t, int64_t>>(kVrfUnusedNode).set({from, until});
}

/// False: a virtual radio that has lost its channel and waits for it.
inline bool vrf_is_attached(const uhd::property_tree::sptr& tree) {
    return !tree->exists(kVrfAttachedNode) || tree->access<bool>(kVrfAttachedNode).get();
}

/// Is readable when the host should receive. None: this radio cannot do that.
inline std::optional<int> vrf_poll_descriptor(const uhd::property_tree::sptr& tree) {
    if (!tree->exists(kVrfPollNode)) return std::nullopt;
    return tree->access<int>(kVrfPollNode).get();
}

struct VrfLevels {
    double tx_dbm = 0, rx_dbm = 0;  ///< at the antenna for 0 dBFS at the present gains
};
inline std::optional<VrfLevels> vrf_levels(const uhd::property_tree::sptr& tree) {
    if (!tree->exists(kVrfTxReferenceNode)) return std::nullopt;
    return VrfLevels{tree->access<double>(kVrfTxReferenceNode).get(), tree->access<double>(kVrfRxReferenceNode).get()};
}

/// Functions of the nodes below a core's folder: words of a packet, with time, presence and end of burst; words of an
/// order.
struct VrfCoreAccess {
    std::function<uint32_t(uint32_t)> peek;
    std::function<void(uint32_t, uint32_t)> poke;
    std::function<std::tuple<size_t, int64_t, bool, bool>(std::span<uint32_t>)> take;
    std::function<bool(std::span<const uint32_t>)> order;
};
inline std::optional<VrfCoreAccess> vrf_core(const uhd::property_tree::sptr& tree, const std::string& block) {
    const std::string at = std::string(kVrfCoresNode) + "/" + block;
    if (!tree->exists(at)) return std::nullopt;
    VrfCoreAccess access;
    const auto get = [&](const char* name, auto& function) {
        function = tree->access<std::decay_t<decltype(function)>>(at + "/" + name).get();
    };
    get("peek", access.peek);
    get("poke", access.poke);
    get("take", access.take);
    get("order", access.order);
    return access;
}

/// True for a virtual radio without converters, which never clips.
inline bool vrf_never_clips(const uhd::property_tree::sptr& tree) {
    return tree->exists(kVrfConverterNode) && tree->access<int>(kVrfConverterNode).get() == 0;
}

}  // namespace gr::wimax
