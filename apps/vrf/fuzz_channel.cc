/* SPDX-License-Identifier: GPL-3.0-or-later
 * What a channel may write into the link's messages: a Welcome, then chunk headers and samples, octet by octet as the
 * input has them. The radio must take or refuse it; its time never goes back, and its host reads what was delivered.
 */
#include <algorithm>
#include <cstdlib>

#include "vrf/rx_count.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"

namespace {

using namespace wimax::vrf;

constexpr size_t kCapacity = 4096;
constexpr uint32_t kMaxChunk = 512;  // longer ones are as good, and slow

/// Octets off the input; fewer when it is used up.
std::span<const std::byte> take(std::span<const std::byte>& input, size_t n) {
    const auto taken = input.first(std::min(n, input.size()));
    input = input.subspan(taken.size());
    return taken;
}

void require(bool condition) {
    if (!condition) std::abort();
}

/// The host's side: whatever it reads lies within what was delivered, in order.
void read_all(RxFifo& fifo, int64_t end, int64_t& read_until) {
    Sample samples[64];
    RxMeta meta;
    while (const size_t n = fifo.receive(samples, meta, std::chrono::duration<double>(0), false)) {
        require(meta.has_tick && meta.tick >= read_until && n <= 64);
        read_until = meta.tick + int64_t(n);
        require(read_until <= end);
    }
}

void run(const Welcome& welcome, std::span<const std::byte> input) {
    RxCount count;
    RxFifo rx(kCapacity);
    TxFifo tx(kCapacity);
    rx.command({.mode = RxCommand::Mode::start, .samples = 0, .tick = {}});
    std::vector<Sample> samples(welcome.chunk_samples);
    int64_t own = 0, read_until = 0;
    count.join(welcome, own);
    while (!input.empty()) {
        const auto head = take(input, 1)[0];
        RxHeader header;
        const auto said = take(input, sizeof header);
        const bool silent = (head & std::byte{1}) != std::byte{0};
        const auto payload = silent ? input.first(0) : take(input, samples.size() * sizeof(Sample));
        if (!read_chunk(said, payload, header, std::span(samples))) {
            require(said.size() != sizeof header || payload.size() != samples.size() * sizeof(Sample));
            continue;
        }
        const auto arrival = count.take(header);
        if (!arrival) {  // as the radio does: away, and back
            count.join(welcome, own);
            continue;
        }
        require(arrival->first >= own && arrival->gap == (arrival->first != own));
        require(count.index_of(arrival->first) == header.index);
        require(!arrival->pulse ||
                (*arrival->pulse >= arrival->first && *arrival->pulse < arrival->first + int64_t(samples.size())));
        if (arrival->lost_tx) tx.lost(arrival->first);
        rx.deliver(arrival->first, samples, arrival->gap);
        own = arrival->first + int64_t(samples.size());
        require(own <= kMaxIndex + int64_t{kMaxChunkSamples});
        if ((head & std::byte{2}) != std::byte{0}) read_all(rx, own, read_until);
    }
    read_all(rx, own, read_until);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    auto input = std::as_bytes(std::span(data, size));
    if (input.empty()) return 0;
    const auto how = take(input, 1)[0];
    Hello hello;
    if ((how & std::byte{1}) != std::byte{0}) hello.rate_hz = 5.76e6, hello.mode = TimeMode::commit;
    Welcome welcome;
    if ((how & std::byte{2}) != std::byte{0}) {  // an honest one is out of reach of chance
        welcome.accepted = 1;
        welcome.rate_hz = 5.76e6;
        welcome.chunk_samples = 1 + uint32_t(how >> 2) % kMaxChunk;
        run(welcome, input);
        return 0;
    }
    const auto answer = read_welcome(take(input, sizeof welcome), hello);
    if (!answer) {
        const std::string& why = answer.error();
        require(!why.empty() && std::all_of(why.begin(), why.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    } else if (answer->chunk_samples <= kMaxChunk) {
        run(*answer, input);
    }
    return 0;
}
