// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of a channel with arbitrary contents: a Welcome, then chunk headers and samples. Both start as valid ones,
// which random input would hardly contain; the input changes fields and lengths. The radio must accept or refuse them.
// Accepted ones meet every limit of the link, the radio's time never decreases, and its host reads the delivered
// samples.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "vrf/rx_count.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"

namespace {

using namespace wimax::vrf;

constexpr size_t kCapacity = 4096;
constexpr uint32_t kMaxChunk = 512;  // longer ones find no more, and are slow
constexpr double kRateHz = 5.76e6;

void require(bool condition) {
    if (!condition) std::abort();
}

class Input {
public:
    Input(const uint8_t* data, size_t size) : octets_(std::as_bytes(std::span(data, size))) {}
    bool empty() const { return octets_.empty(); }
    /// Fewer at the end of the input.
    std::span<const std::byte> take(size_t n) {
        const auto taken = octets_.first(std::min(n, octets_.size()));
        octets_ = octets_.subspan(taken.size());
        return taken;
    }
    /// Overwrites as many octets of `value` as there are.
    void read(std::span<std::byte> value) { std::ranges::copy(take(value.size()), value.begin()); }
    uint8_t octet() {
        uint8_t value = 0;
        read(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }

private:
    std::span<const std::byte> octets_;
};

struct Field {
    size_t at, size;
};
#define FIELD(structure, name) \
    { offsetof(structure, name), sizeof(structure::name) }
constexpr Field kFields[] = {FIELD(Welcome, chunk_samples), FIELD(Welcome, first_index),
                             FIELD(Welcome, rate_hz),       FIELD(Welcome, mode),
                             FIELD(Welcome, tx_power_dbm),  FIELD(Welcome, rx_full_scale_dbm),
                             FIELD(Welcome, accepted),      FIELD(Welcome, refusal),
                             FIELD(Welcome, magic),         FIELD(Welcome, version)};
#undef FIELD

/// The octets of a Welcome, some fields of which are from the input.
std::vector<std::byte> say_welcome(Input& input) {
    Welcome welcome;
    welcome.accepted = 1;
    welcome.rate_hz = kRateHz;
    welcome.chunk_samples = 1 + uint32_t(input.octet()) % kMaxChunk;
    std::vector<std::byte> said(sizeof welcome);
    std::memcpy(said.data(), &welcome, sizeof welcome);
    const uint8_t changes = input.octet();
    for (int i = 0; i < changes % 4; ++i) {
        const Field& field = kFields[input.octet() % std::size(kFields)];
        input.read(std::span(said).subspan(field.at, field.size));
    }
    if (changes >= 0xF0) said.resize(said.size() + changes % 16 - 8);
    return said;
}

/// Guarantees of link.h on an accepted Welcome.
void require_limits(const Welcome& w, const Hello& hello) {
    require(w.rate_hz >= kMinRateHz && w.rate_hz <= kMaxRateHz);
    require(w.chunk_samples > 0 && w.chunk_samples <= kMaxChunkSamples);
    require(w.first_index >= 0 && w.first_index <= kMaxIndex && w.first_index % w.chunk_samples == 0);
    require(std::isfinite(w.tx_power_dbm) && std::isfinite(w.rx_full_scale_dbm));
    require(w.mode == TimeMode::commit || w.mode == TimeMode::rt);
    require(match(hello, w).has_value());
}

/// The part of a radio that receives from a channel.
class Radio {
public:
    explicit Radio(const Welcome& welcome) : welcome_(welcome), samples_(welcome.chunk_samples) {
        rx_.command({.mode = RxCommand::Mode::start, .samples = 0, .tick = {}});
        join();
    }

    /// A chunk whose header and lengths are valid or from the input.
    void hear(Input& input) {
        const uint8_t how = input.octet();
        const bool silent = how & 1, raw = how & 2, on_grid = how & 4, odd_lengths = how & 8, host_reads = how & 16;
        const int64_t chunk = welcome_.chunk_samples;
        RxHeader said{next_ + (how >> 5) * chunk, 0};
        if (how >> 5 == 7) said.index = kMaxIndex / chunk * chunk - input.octet() * chunk;  // near the end of all time
        if (raw) input.read(std::as_writable_bytes(std::span(&said, 1)));
        if (on_grid) said.index -= said.index % chunk;
        std::vector<std::byte> header(sizeof said), payload(silent ? 0 : samples_.size() * sizeof(Sample));
        std::memcpy(header.data(), &said, sizeof said);
        if (odd_lengths) header.resize(header.size() + input.octet() % 4 - 1), payload.resize(input.octet() * 16);
        input.read(payload);

        RxHeader header_read;
        const bool right =
            header.size() == sizeof said && (payload.empty() || payload.size() == samples_.size() * sizeof(Sample));
        require(read_chunk(header, payload, header_read, std::span(samples_), samples_.size()) == right);
        if (right) take(header_read);
        if (host_reads) read_all();
    }

    /// The host's side: everything that it reads was delivered, in order.
    void read_all() {
        Sample samples[64];
        RxMeta meta;
        while (const size_t n = rx_.receive(samples, meta, std::chrono::duration<double>(0), false)) {
            require(meta.has_tick && meta.tick >= read_until_ && n <= 64);
            read_until_ = meta.tick + int64_t(n);
            require(read_until_ <= own_);
        }
    }

private:
    void join() {
        count_.join(welcome_, own_);
        next_ = welcome_.first_index;
    }
    void take(const RxHeader& header) {
        const auto arrival = count_.take(header);
        if (!arrival) return join();  // like the radio: detaches and attaches
        const int64_t end = arrival->first + int64_t(samples_.size());
        require(header.index >= next_ && header.index <= kMaxIndex && header.index % welcome_.chunk_samples == 0);
        require(arrival->first >= own_ && arrival->gap == (arrival->first != own_));
        require(count_.index_of(arrival->first) == header.index);
        require(!arrival->pulse || (*arrival->pulse >= arrival->first && *arrival->pulse < end));
        if (arrival->lost_tx) tx_.lost(arrival->first);
        rx_.deliver(arrival->first, samples_, arrival->gap);
        own_ = end;
        next_ = header.index + int64_t(samples_.size());
        require(own_ <= kMaxIndex + int64_t{kMaxChunkSamples});
    }

    const Welcome welcome_;
    std::vector<Sample> samples_;
    RxCount count_;
    RxFifo rx_{kCapacity};
    TxFifo tx_{kCapacity};
    int64_t own_ = 0;   ///< the radio's count of received samples
    int64_t next_ = 0;  ///< the channel's count of the next sample
    int64_t read_until_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    Hello hello;
    if (input.octet() & 1) hello.rate_hz = kRateHz, hello.mode = TimeMode::commit;
    const auto said = say_welcome(input);
    const auto welcome = read_welcome(said, hello);
    if (!welcome) {
        const std::string why = welcome.error().str();
        require(!why.empty() && std::all_of(why.begin(), why.end(), [](char c) { return c >= ' ' && c <= '~'; }));
        return 0;
    }
    require(said.size() == sizeof *welcome);
    require_limits(*welcome, hello);
    if (welcome->chunk_samples > kMaxChunk) return 0;
    Radio radio(*welcome);
    while (!input.empty()) radio.hear(input);
    radio.read_all();
    return 0;
}
