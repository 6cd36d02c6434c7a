// SPDX-License-Identifier: GPL-3.0-or-later
// The link between a virtual radio and wimax-channeld: its messages, and two transports (shared memory on one host,
// ZeroMQ between hosts). Lock-step in chunks of N samples, as decided by the channel:
//
//   radio -> channel   TX chunk k      everything the radio transmits in its samples [kN, (k+1)N), of each of its TX
//                                      channels that is not silent
//   channel -> radio   RX chunk k      what it receives in the same samples; needs TX of all radios in range
//
// The radio sends TX chunk k+1 after RX chunk k, so the turnaround is below one chunk. Chunks that its host has
// committed may be sent up to kAheadChunks ahead: a wake-up then serves several. The channel reads them when it needs
// them, and if it lags it wakes a radio only when it has no further one. Indices are absolute samples of the channel as
// counted by the radio's own (maybe offset) clock. The channel reports the first index to a radio that attaches.
// Structures are sent as they are in memory: little-endian hosts only, which the magic checks.
#pragma once

#include "common/exit_status.h"

#include <poll.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wimax::vrf {

using Sample = std::complex<float>;

inline constexpr uint32_t kLinkMagic = 0x57565246;
inline constexpr uint32_t kLinkVersion = 5;
inline constexpr size_t kAheadChunks = 8;  ///< lock-step: most TX chunks sent without response
inline constexpr size_t kRingSlots = 32;   ///< at most, of one direction
inline constexpr uint32_t kMaxChunkSamples = 1u << 18;
inline constexpr double kMinRateHz = 1e3, kMaxRateHz = 1e8;
inline constexpr int64_t kMaxIndex = int64_t{1} << 60;  ///< largest count of samples
inline constexpr size_t kMaxRadios = 80;                ///< at most, of a channel and of a listener
inline constexpr size_t kMaxTxChannels = 2;             ///< of one radio, each with its antenna
inline constexpr double kMaxTxGainDb = 60, kMaxRxGainDb = 60, kGainStepDb = 0.5;
inline constexpr double kLowestGainDb = -100, kHighestGainDb = 100;  ///< of any model, counted as above
inline constexpr double kChannelsNoiseFigure = -1;                   ///< of a radio without its own
inline constexpr double kMaxNoiseFigureDb = 80, kMaxPortLossDb = 200;
inline constexpr double kMinFrequencyHz = 1e6, kMaxFrequencyHz = 6e9;
inline constexpr const char* kDefaultAddress = "{run}/channel";

enum class TimeMode : int8_t {
    any = -1,  ///< in a Hello only
    commit,    ///< the channel waits for every live radio, a radio for its host
    rt,        ///< wall clock, without waiting: samples may be late, as in hardware
};
/// Chunks of one direction that memory holds. In lock-step there are never more, and the same memory stays in the
/// cache; the others bridge stalls in rt mode.
constexpr size_t ring_slots(TimeMode mode) { return mode == TimeMode::rt ? kRingSlots : kAheadChunks; }
const char* to_string(TimeMode mode);
tl::expected<TimeMode, Fault> time_mode_from(const std::string& text);

/// Radio -> channel, first message. All fields except `any` must be equal to the channel's.
struct Hello {
    uint32_t magic = kLinkMagic, version = kLinkVersion;
    char name[32] = {};
    double rate_hz = 0;          ///< 0: any
    uint32_t chunk_samples = 0;  ///< 0: any
    TimeMode mode = TimeMode::any;
    uint8_t tx_channels = 1;  ///< 1 .. kMaxTxChannels
};

/// Channel -> radio. Levels: the mean power of 0 dBFS (mean sample power 1) at the antenna.
struct Welcome {
    uint32_t magic = kLinkMagic, version = kLinkVersion;
    uint8_t accepted = 0;
    uint8_t hold = 0;  ///< time is held until all expected radios stream: send no TX chunk before your host does
    TimeMode mode = TimeMode::commit;
    char refusal[256] = {};
    double rate_hz = 0;
    uint32_t chunk_samples = 0;
    int64_t first_index = 0;
    double tx_power_dbm = 0;       ///< level of 0 dBFS at the highest TX gain
    double rx_full_scale_dbm = 0;  ///< level that gives 0 dBFS at RX gain 0
    uint64_t seed = 0;             ///< of the radio's random numbers
};

/// Counted by the radio since it was opened.
struct VirtualRadioCounters {
    uint64_t late = 0, underflow = 0, overflow = 0, bursts = 0, stalls = 0;
    uint64_t tx_clipped = 0, rx_clipped = 0;  ///< samples beyond the full scale of a converter
    int64_t least_slack_samples = INT64_MAX;  ///< lead of a timed burst before its chunk was sent; INT64_MAX: none yet
};

struct TxHeader {
    int64_t index = 0;
    uint8_t sending = 0;    ///< bit c: TX channel c sends in this chunk; samples of the others are undefined
    uint8_t streaming = 0;  ///< the host has started a stream
    uint8_t unused = 0;     ///< the host will not look at what it receives in this chunk's samples
    double tx_frequency_hz = 0, rx_frequency_hz = 0;
    std::array<float, kMaxTxChannels> tx_gain_db{};
    float rx_gain_db = 0;
    float noise_figure_db = kChannelsNoiseFigure;
    float tx_port_loss_db = 0, rx_port_loss_db = 0;  ///< between ports without a cable and the one with a cable
    VirtualRadioCounters counters;
};

/// Faults of a radio on request.
enum class RadioFault : uint8_t {
    none,
    overflow,        ///< received samples are lost, and the stream restarts as in the model
    underflow,       ///< some samples of the current or the next burst are late
    lost_rx_packet,  ///< received, on the way to the host
    lost_tx_packet,  ///< on the way from the host
    jitter,          ///< packets received in this time are all readable at its end (rt mode)
    unplug,          ///< streams throw from then on
};
inline constexpr size_t kRadioFaults = 7;
inline constexpr std::array<const char*, kRadioFaults> kRadioFaultNames{
    "none", "overflow", "underflow", "lost_rx_packet", "lost_tx_packet", "jitter", "unplug"};

struct RxHeader {
    int64_t index = 0;
    uint64_t lost_tx_chunks = 0;  ///< rt mode: chunks with a signal that arrived too late at the channel
    RadioFault fault = RadioFault::none;
    uint8_t omitted = 0;         ///< samples that the host does not look at: undefined, the radio delivers zeros
    uint32_t fault_samples = 0;  ///< duration, from this chunk on; 0: as in the model
};

template <typename Header> struct Chunk {
    Header* header = nullptr;
    Sample* samples = nullptr;  ///< TX: the TX channels one after the other
    explicit operator bool() const { return header != nullptr; }
};
using TxChunk = Chunk<TxHeader>;
using RxChunk = Chunk<RxHeader>;

/// The radio's end. One thread.
class RadioLink {
public:
    virtual ~RadioLink() = default;
    virtual const Welcome& welcome() const = 0;
    virtual TxChunk tx_chunk() = 0;               ///< to be filled; never blocks (lock-step leaves slots free)
    virtual bool send() = 0;                      ///< sends the chunk just filled; false: the channel is gone
    virtual void wake() = 0;                      ///< after send(), once for several: before, the channel may sleep
    virtual RxChunk receive(int timeout_ms) = 0;  ///< empty: none yet, or the channel is gone
    virtual RxChunk next() = 0;                   ///< as receive(), without waiting and without system calls
    virtual void release() = 0;                   ///< the chunk just received
    virtual bool alive() = 0;                     ///< false once the channel is gone; also sends heartbeats
    /// Readable when a chunk has come, or the channel is gone. Empty: this transport has none.
    virtual std::span<const int> descriptors() const { return {}; }
};

/// Tries once, waits at most `timeout_ms` for the response. An error starting with "refused: " is the channel's text.
tl::expected<std::unique_ptr<RadioLink>, Fault> attach(const std::string& address, const Hello& hello, int timeout_ms);

/// The channel's end of one radio, created by a listener on receipt of a Hello.
class RadioPort {
public:
    virtual ~RadioPort() = default;
    virtual const Hello& hello() const = 0;
    virtual bool answer(const Welcome& welcome) = 0;  ///< once; false: the radio is gone
    virtual bool alive() = 0;
    virtual TxChunk front() = 0;  ///< oldest TX chunk not popped, empty if none
    virtual void pop() = 0;
    virtual RxChunk rx_chunk() = 0;  ///< empty: ring full (the radio does not read)
    /// Sends the RX chunk. The radio may not notice before wake().
    virtual void push() = 0;
    virtual void wake() = 0;
};

class Listener {
public:
    virtual ~Listener() = default;
    virtual void add_poll(std::vector<pollfd>& fds) = 0;  ///< all descriptors that can wake this listener or its ports
    virtual std::vector<std::unique_ptr<RadioPort>> process() = 0;  ///< after poll: moves messages, returns new radios
    virtual int max_wait_ms() const = 0;  ///< call process() at least this often; -1: no limit
};

/// Address: a path or shm:/path for shared memory; tcp://host:port or ipc:///path for ZeroMQ. {run} is the runtime
/// folder (common/address.h), as for attach().
tl::expected<std::unique_ptr<Listener>, DaemonFault> listen(const std::string& address);

inline constexpr const char *kRefused = "refused", *kMalformed = "malformed answer";
inline constexpr const char* kUnplugged = "unplugged";  ///< prefix of a refusal: the device is to look absent

/// Reads the channel's response to a Hello from the octets of its message. An error with the key kRefused is the
/// channel's text; one with kMalformed names the malformed field.
tl::expected<Welcome, Fault> read_welcome(std::span<const std::byte> octets, const Hello& hello);

/// A chunk from the octets of its header and of its samples: those of the first channels of `out`, each with
/// `chunk_samples` (none: silence). False if the lengths are wrong.
template <typename Header>
bool read_chunk(std::span<const std::byte> header, std::span<const std::byte> samples, Header& to,
                std::span<Sample> out, size_t chunk_samples) {
    if (header.size() != sizeof to || samples.size() > out.size_bytes()) return false;
    if (samples.size() % (chunk_samples * sizeof(Sample)) != 0) return false;
    std::memcpy(&to, header.data(), sizeof to);
    if (!samples.empty()) std::memcpy(static_cast<void*>(out.data()), samples.data(), samples.size());
    return true;
}

/// The listener's refusal if kMaxRadios are attached already.
Welcome too_many_radios();

/// True if the radio may join; otherwise the reason, with both values.
Outcome match(const Hello& hello, const Welcome& channel);

void copy_text(std::span<char> to, const std::string& from);

// The implementations.
tl::expected<std::unique_ptr<RadioLink>, Fault> shm_attach(const std::string& path, const Hello& hello, int timeout_ms);
tl::expected<std::unique_ptr<Listener>, DaemonFault> shm_listen(const std::string& path);
tl::expected<std::unique_ptr<RadioLink>, Fault> zmq_attach(const std::string& address, const Hello& hello,
                                                           int timeout_ms);
tl::expected<std::unique_ptr<Listener>, DaemonFault> zmq_listen(const std::string& address);

}  // namespace wimax::vrf
