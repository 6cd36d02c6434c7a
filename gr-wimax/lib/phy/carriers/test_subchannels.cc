// SPDX-License-Identifier: GPL-3.0-or-later
// Subchannelized uplink bursts (clauses 8.3.2.4, 8.3.3.2.1): every group and rate. They are compared with a second,
// plain coder written from the standard's formulas, bit by bit, and received in all bandwidth families.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gr::wimax::phy::test {
namespace test_subchannels {

using Bits = std::vector<int>;

// ---- Table 213 again: first and last carrier of each run of a single subchannel, and the pilot of each pair. ----

struct Run {
    int first, last;
};
const std::map<int, std::array<Run, 4>> kTable{{0b00001, {{{-100, -98}, {-37, -35}, {1, 3}, {64, 66}}}},
                                               {0b00011, {{{-97, -95}, {-34, -32}, {4, 6}, {67, 69}}}},
                                               {0b00101, {{{-94, -92}, {-31, -29}, {7, 9}, {70, 72}}}},
                                               {0b00111, {{{-91, -89}, {-28, -26}, {10, 12}, {73, 75}}}},
                                               {0b01001, {{{-87, -85}, {-50, -48}, {14, 16}, {51, 53}}}},
                                               {0b01011, {{{-84, -82}, {-47, -45}, {17, 19}, {54, 56}}}},
                                               {0b01101, {{{-81, -79}, {-44, -42}, {20, 22}, {57, 59}}}},
                                               {0b01111, {{{-78, -76}, {-41, -39}, {23, 25}, {60, 62}}}},
                                               {0b10001, {{{-75, -73}, {-12, -10}, {26, 28}, {89, 91}}}},
                                               {0b10011, {{{-72, -70}, {-9, -7}, {29, 31}, {92, 94}}}},
                                               {0b10101, {{{-69, -67}, {-6, -4}, {32, 34}, {95, 97}}}},
                                               {0b10111, {{{-66, -64}, {-3, -1}, {35, 37}, {98, 100}}}},
                                               {0b11001, {{{-62, -60}, {-25, -23}, {39, 41}, {76, 78}}}},
                                               {0b11011, {{{-59, -57}, {-22, -20}, {42, 44}, {79, 81}}}},
                                               {0b11101, {{{-56, -54}, {-19, -17}, {45, 47}, {82, 84}}}},
                                               {0b11111, {{{-53, -51}, {-16, -14}, {48, 50}, {85, 87}}}}};
const std::map<int, int> kPairPilot{{0b00010, -38}, {0b00110, 13}, {0b01010, -88}, {0b01110, 63},
                                    {0b10010, -13}, {0b10110, 38}, {0b11010, -63}, {0b11110, 88}};

int group_size(int index) {
    int size = 1;
    while (index % (2 * size) == 0) size *= 2;
    return size;
}
/// Members of a group lie around its index: those of 00110 are 00101 and 00111.
bool inside(int member, int index) { return std::abs(member - index) < group_size(index); }

std::set<int> data_carriers(int index) {
    std::set<int> carriers;
    for (const auto& [member, runs] : kTable)
        if (inside(member, index))
            for (const auto& run : runs)
                for (int k = run.first; k <= run.last; ++k) carriers.insert(k);
    return carriers;
}
std::set<int> pilot_carriers(int index) {
    std::set<int> carriers;
    if (group_size(index) == 1) return carriers;
    for (const auto& [pair, k] : kPairPilot)
        if (inside(pair, index)) carriers.insert(k);
    return carriers;
}

// ---- the coder ----

struct Rate {
    int bits_per_carrier;
    double overall;
    const char *keep_x, *keep_y;  // one period
};
const std::array<Rate, kRates> kPlainRates{{{1, 0.5, "1", "1"},
                                            {2, 0.5, "1", "1"},
                                            {2, 0.75, "101", "110"},
                                            {4, 0.5, "1", "1"},
                                            {4, 0.75, "101", "110"},
                                            {6, 2.0 / 3, "10", "11"},
                                            {6, 0.75, "101", "110"}}};

/// Randomizer stages 1..15 at the start of an uplink burst.
Bits seed(int bsid, int uiuc, int frame) {
    Bits s;
    for (int i = 3; i >= 0; --i) s.push_back(bsid >> i & 1);
    s.insert(s.end(), {1, 1});
    for (int i = 3; i >= 0; --i) s.push_back(uiuc >> i & 1);
    s.push_back(1);
    for (int i = 3; i >= 0; --i) s.push_back(frame >> i & 1);
    return s;
}

/// Coded bits of a whole burst before the interleaver.
Bits coded(const BurstFormat& f, const std::vector<uint8_t>& payload) {
    const Rate& rate = kPlainRates[f.rate_id];
    const int carriers = 12 * group_size(f.subchannel_index);
    const auto total = static_cast<size_t>(std::lround(carriers * rate.bits_per_carrier * rate.overall)) *
                       static_cast<size_t>(f.data_symbols);
    const size_t bytes = total / 8 - 1;
    Bits input;
    for (size_t i = 0; i < bytes; ++i)
        for (int b = 7; b >= 0; --b) input.push_back((i < payload.size() ? payload[i] : 0xFF) >> b & 1);
    Bits stages = seed(f.bsid_lsb, f.iuc, f.frame_lsb);
    for (auto& bit : input) {
        const int out = stages[13] ^ stages[14];
        stages.insert(stages.begin(), out);
        stages.pop_back();
        bit ^= out;
    }
    input.resize(total);  // tail byte and pad bits
    const std::string keep_x = rate.keep_x, keep_y = rate.keep_y;
    Bits out;
    std::array<int, 7> d{};  // d[i]: input i steps ago
    for (size_t n = 0; n < input.size(); ++n) {
        std::rotate(d.begin(), d.end() - 1, d.end());
        d[0] = input[n];
        const int x = d[0] ^ d[1] ^ d[2] ^ d[3] ^ d[6], y = d[0] ^ d[2] ^ d[3] ^ d[5] ^ d[6];
        if (keep_x[n % keep_x.size()] == '1') out.push_back(x);
        if (keep_y[n % keep_y.size()] == '1') out.push_back(y);
    }
    return out;
}

float level(const Bits& bits, size_t from, size_t count) {
    int value = 0;
    for (size_t i = 0; i < count; ++i) value = 2 * value + bits[from + i];
    if (count == 1) return value ? -1.0F : 1.0F;
    if (count == 2) return std::array{1.0F, 3.0F, -1.0F, -3.0F}[static_cast<size_t>(value)];
    return std::array{3.0F, 1.0F, 5.0F, 7.0F, -3.0F, -1.0F, -5.0F, -7.0F}[static_cast<size_t>(value)];
}

/// Points of one symbol in rising carrier order.
std::vector<Complex> points(const Bits& block, int bits_per_carrier) {
    const int n = static_cast<int>(block.size()), s = (bits_per_carrier + 1) / 2;
    Bits placed(block.size());
    for (int k = 0; k < n; ++k) {
        const int m = n / 12 * (k % 12) + k / 12;
        const int j = s * (m / s) + (m + n - 12 * m / n) % s;
        placed[static_cast<size_t>(j)] = block[static_cast<size_t>(k)];
    }
    std::vector<Complex> out;
    const auto width = static_cast<size_t>(bits_per_carrier);
    for (size_t i = 0; i < placed.size(); i += width) {
        if (bits_per_carrier == 1) {
            out.emplace_back(level(placed, i, 1), 0.0F);
            continue;
        }
        const float scale = std::array{0.0F, 0.70710678F, 0.31622777F, 0.15430335F}[width / 2];
        out.push_back(scale * Complex(level(placed, i, width / 2), level(placed, i + width / 2, width / 2)));
    }
    return out;
}

/// Uplink pilots by the register x^11 + x^9 + 1 from 10101010101.
int pilot_prbs(int k) {
    Bits stages{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    for (int i = 0; i < k; ++i) {
        stages.insert(stages.begin(), stages[8] ^ stages[10]);
        stages.pop_back();
    }
    return stages[10];
}
float pilot(int carrier, int k) {
    const float a = 1.0F - 2.0F * static_cast<float>(pilot_prbs(k));
    return carrier == -63 || carrier == -13 ? -a : a;
}

/// Carriers of every symbol of a burst, preamble and midambles included.
std::vector<std::map<int, Complex>> expected_symbols(const BurstFormat& f, const std::vector<uint8_t>& payload) {
    const auto data = data_carriers(f.subchannel_index), pilots = pilot_carriers(f.subchannel_index);
    std::map<int, Complex> preamble;
    for (const auto* set : {&data, &pilots})
        for (int k : *set) preamble[k] = kSubchannelPreambleAmplitude * p_all(k);
    const int bits_per_carrier = kPlainRates[f.rate_id].bits_per_carrier;
    const Bits stream = coded(f, payload);
    const size_t block = data.size() * static_cast<size_t>(bits_per_carrier);
    EXPECT_EQ(stream.size(), block * static_cast<size_t>(f.data_symbols));
    std::vector<std::map<int, Complex>> symbols{preamble};
    for (int i = 0; i < f.data_symbols; ++i) {
        if (f.midamble_interval > 0 && i > 0 && i % (4 << f.midamble_interval % 4) == 0) symbols.push_back(preamble);
        const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(block) * i;
        const auto values = points(Bits(begin, begin + static_cast<std::ptrdiff_t>(block)), bits_per_carrier);
        std::map<int, Complex> carriers;
        size_t n = 0;
        for (int k : data) carriers[k] = values[n++];
        for (int k : pilots) carriers[k] = pilot(k, static_cast<int>(symbols.size()));
        symbols.push_back(carriers);
    }
    return symbols;
}

BurstFormat format_of(int index, int rate, int symbols, uint8_t midambles) {
    return {static_cast<uint8_t>(rate),
            static_cast<uint8_t>(5 + index % 8),
            static_cast<uint8_t>(index * 7 & 15),
            static_cast<uint8_t>(rate + 3),
            Preamble::short_,
            symbols,
            midambles,
            static_cast<uint8_t>(index)};
}

TEST(Subchannels, EveryGroupAndRateAgainstAPlainCoder) {
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(num);
    OfdmTransform transform;
    const auto symbol_samples = static_cast<size_t>(num.symbol_samples());
    int bursts = 0;
    for (int index = 1; index < 32; ++index) {
        if (index == kFullSubchannel) continue;
        for (int rate = 0; rate < kRates; ++rate) {
            const uint8_t midambles = static_cast<uint8_t>((index + rate) % 5);
            const auto format = format_of(index, rate, rate == 0 || index % 2 ? 19 : 9, midambles);
            auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), static_cast<uint64_t>(index));
            if (rate % 2) payload.resize(payload.size() / 2);  // the rest is padding
            Samples samples(static_cast<size_t>(format.total_symbols()) * symbol_samples);
            ASSERT_EQ(modulator.uplink({format, payload}, samples), samples.size()) << index << ' ' << rate;
            const auto expected = expected_symbols(format, payload);
            ASSERT_EQ(expected.size() * symbol_samples, samples.size());
            for (size_t s = 0; s < expected.size(); ++s) {
                std::array<Complex, kFftSize> got;
                transform.demodulate(
                    std::span<const Complex, kFftSize>(samples.data() + s * symbol_samples + 32, kFftSize), got);
                std::array<Complex, kFftSize> want{};
                for (const auto& [k, value] : expected[s]) want[static_cast<size_t>(bin_of(k))] = value;
                for (size_t bin = 0; bin < want.size(); ++bin)
                    ASSERT_LT(std::abs(got[bin] - want[bin]), 1e-4F)
                        << "index " << index << " rate " << rate << " symbol " << s << " bin " << bin;
            }
            ++bursts;
        }
    }
    EXPECT_EQ(bursts, 30 * kRates);
}

TEST(Subchannels, PowerDensityIsThatOfTheFullBand) {
    // Clause 8.3.7.4: a station keeps its power density, so that its power falls with its subchannels.
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(num);
    for (const int index : {1, 2, 4, 8, 16}) {
        const auto format = format_of(index, 1, 30, 0);
        const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), 1);
        Samples samples(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        ASSERT_EQ(modulator.uplink({format, payload}, samples), samples.size());
        double data = 0;
        for (size_t n = 288; n < samples.size(); ++n) data += std::norm(samples[n]);
        data /= static_cast<double>(samples.size() - 288);
        const double carriers = 12.0 * index + (index > 1 ? index / 2.0 : 0);
        EXPECT_NEAR(data, carriers / kUsedCarriers, 0.06 * carriers / kUsedCarriers) << index;
    }
}

TEST(Subchannels, ThroughTheReceiverInEveryBandwidthFamily) {
    constexpr std::array<int64_t, 6> kBandwidths{1'750'000, 1'500'000, 1'250'000, 2'750'000, 2'000'000, 5'000'000};
    for (int index = 1; index < 32; ++index) {
        const auto cp = kCyclicPrefixes[static_cast<size_t>(index) % 4];
        const auto num = *Numerology::make(kBandwidths[static_cast<size_t>(index) % kBandwidths.size()], cp);
        const auto format = format_of(index, index % kRates, 21, static_cast<uint8_t>(index % 4));
        const auto payload =
            random_bytes(static_cast<size_t>(burst_payload_bytes(format)), static_cast<uint64_t>(index));
        Modulator modulator(num);
        Samples sent(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        ASSERT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        Channel channel;
        channel.snr_db = 35;
        channel.delay_samples = 201;
        channel.frequency_hz = 0.005 * num.carrier_spacing_hz();
        const auto received = pass(sent, channel, static_cast<double>(num.sample_rate_hz), sent.size() + 500, 1);
        UplinkReceiver receiver(num);
        ReceivedBurst result;
        receiver.receive(received, 0, {format, 200, 0, 0}, result);
        EXPECT_TRUE(result.detected && result.fec_ok && result.payload == payload) << index;
    }
}

}  // namespace test_subchannels
}  // namespace gr::wimax::phy::test
