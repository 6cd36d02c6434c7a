/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Throughput of the coding chain and the transmitter on one core; prints, asserts nothing.
 */
#include <gnuradio/wimax/phy/burst_coder.h>
#include <gnuradio/wimax/phy/constellation.h>
#include <gnuradio/wimax/phy/modulator.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

using namespace gr::wimax::phy;

namespace {

/// Seconds of the fastest of several rounds, so that neighbours on the machine count least.
template <class Work>
double fastest_seconds(Work work) {
    double best = 1e9;
    for (int round = 0; round < 7; ++round) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

void bench_viterbi() {
    const std::pair<const char*, ViterbiKernel> kernels[] = {{"portable", ViterbiKernel::portable},
                                                             {"SSE4.1", ViterbiKernel::sse41},
                                                             {"AVX2", ViterbiKernel::avx2},
                                                             {"AVX-512", ViterbiKernel::avx512}};
    std::mt19937 rng(1);
    std::vector<SoftBit> soft(1152);
    for (auto& s : soft) s = static_cast<SoftBit>(static_cast<int>(rng() % 101) - 50);
    std::vector<uint8_t> out(1024);
    for (const auto& [name, kernel] : kernels) {
        if (!viterbi_kernel_available(kernel)) continue;
        ViterbiDecoder decoder(kernel);
        const int symbols = kernel == ViterbiKernel::portable ? 50 : 1000;
        const double seconds = fastest_seconds([&] {
            decoder.start(CodeRate::r5_6);
            for (int i = 0; i < symbols; ++i) decoder.feed(soft, out);
            decoder.finish(out);
        });
        std::printf("Viterbi, rate 5/6, %-8s %8.0f Mbit/s\n", name, 960.0 * symbols / seconds / 1e6);
    }
}

void bench_rate(int rate_id) {
    constexpr int kSymbols = 500;
    BurstFormat format;
    format.rate_id = static_cast<uint8_t>(rate_id);
    format.preamble = Preamble::short_;
    format.data_symbols = kSymbols;
    const int bits = kRateTable[format.rate_id].bits_per_carrier;
    const std::vector<uint8_t> payload(static_cast<size_t>(burst_payload_bytes(format)), 0x5A);
    BurstEncoder encoder;
    BurstDecoder decoder;
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    std::array<uint8_t, kDataCarriers> labels{};
    std::array<Complex, kDataCarriers> points{};
    std::array<float, kDataCarriers> snr{};
    snr.fill(200.0F);
    std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
    std::vector<std::vector<SoftBit>> received;
    encoder.start(format, payload, burst_randomizer(format));
    while (encoder.next_symbol(labels)) {
        map_labels(bits, labels, points);
        soft_demap(bits, points, snr, soft);
        received.push_back(soft);
    }
    std::vector<Complex> samples(static_cast<size_t>(format.total_symbols()) * 288);
    const double demap = fastest_seconds([&] {
        for (int i = 0; i < kSymbols; ++i) soft_demap(bits, points, snr, soft);
    });
    const double decode = fastest_seconds([&] {
        decoder.start(format, burst_randomizer(format));
        for (const auto& symbol : received) decoder.feed(symbol);
    });
    const double modulate = fastest_seconds([&] { modulator.uplink({format, payload}, samples); });
    const double us = 1e6 / kSymbols;
    std::printf(
        "%-12s demap %5.2f us/symbol, decode %5.2f us/symbol = %4.0f Mbit/s%s, transmit %5.2f us/symbol = %4.0f MS/s\n",
        kRateTable[format.rate_id].name.data(), demap * us, decode * us,
        8e-6 * static_cast<double>(payload.size()) / decode, decoder.fec_ok() ? "" : " (WRONG)", modulate * us,
        static_cast<double>(samples.size()) / modulate / 1e6);
}

}  // namespace

int main() {
    bench_viterbi();
    for (int rate = 0; rate < kRates; ++rate) bench_rate(rate);
}
