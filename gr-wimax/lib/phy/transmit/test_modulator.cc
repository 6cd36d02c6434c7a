// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses modulated samples by FFT: golden labels, pilots and preambles must reappear at their symbols.
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include "phy/base/test_vectors.h"

#include <gtest/gtest.h>

#include <numeric>

namespace gr::wimax::phy {
namespace test_modulator {

using Bytes = std::vector<uint8_t>;
using Carriers = std::array<Complex, kFftSize>;

Numerology numerology() { return *Numerology::make(5'000'000, CyclicPrefix::g1_8); }
constexpr size_t kSymbol = 288, kPrefix = 32;

Carriers carriers_of(std::span<const Complex> samples, size_t symbol) {
    static OfdmTransform transform;
    Carriers carriers;
    transform.demodulate(std::span<const Complex, kFftSize>(samples.data() + symbol * kSymbol + kPrefix, kFftSize),
                         carriers);
    return carriers;
}

float power(std::span<const Complex> samples, size_t symbol) {
    float sum = 0;
    for (size_t n = 0; n < kFftSize; ++n) sum += std::norm(samples[symbol * kSymbol + kPrefix + n]);
    return sum / kFftSize;
}

void expect_carriers(const Carriers& got, std::span<const Complex> expected, const char* what) {
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_LT(std::abs(got[i] - expected[i]), 1e-4F) << what << " bin " << i;
}

Bytes labels_of(const Carriers& carriers, int bits, int subchannel_index = kFullSubchannel) {
    Bytes labels;
    for (int offset : carrier_set(subchannel_index).data())
        labels.push_back(hard_label(bits, carriers[static_cast<size_t>(bin_of(offset))]));
    return labels;
}

void expect_pilots(const Carriers& carriers, Direction direction, int k, int subchannel_index = kFullSubchannel) {
    for (size_t i : carrier_set(subchannel_index).pilot_indices())
        EXPECT_LT(std::abs(carriers[static_cast<size_t>(bin_of(kPilotOffsets[i]))] - pilot_values(direction, k)[i]),
                  1e-4F)
            << "symbol " << k;
}

/// Noise-free decoding of the burst's data symbols.
Bytes decode(std::span<const Complex> samples, const std::vector<size_t>& symbols, const BurstFormat& format,
             Randomizer randomizer) {
    const int bits = kRateTable[format.rate_id].bits_per_carrier;
    BurstDecoder decoder;
    EXPECT_TRUE(decoder.start(format, randomizer));
    for (size_t s : symbols) {
        const auto carriers = carriers_of(samples, s);
        std::vector<Complex> data;
        for (int offset : carrier_set(format.subchannel_index).data())
            data.push_back(carriers[static_cast<size_t>(bin_of(offset))]);
        std::vector<float> snr(data.size(), 300.0F);
        std::vector<SoftBit> soft(data.size() * static_cast<size_t>(bits));
        soft_demap(bits, data, snr, soft);
        decoder.feed(soft);
    }
    EXPECT_TRUE(decoder.complete() && decoder.fec_ok());
    return {decoder.payload().begin(), decoder.payload().end()};
}

FramePrefix prefix() {
    const auto bytes = test::hex_at(test::vectors().at("dlfp_fch"), "dlfp");
    return *parse_frame_prefix(bytes);
}

tl::expected<size_t, ModulatorFault> refused(ModulatorFault fault) { return tl::unexpected(fault); }

TEST(ModulatorDownlink, GoldenBurstsReappear) {
    Modulator modulator(numerology());
    std::vector<Complex> samples(40 * kSymbol);
    for (const auto& v : test::vectors().at("bursts")) {
        const auto payload = test::hex_at(v, "payload");
        DownlinkBurst burst;
        burst.format.rate_id = v.at("rate_id");
        burst.format.iuc = v.at("diuc");
        burst.format.bsid_lsb = v.at("bsid").get<int>() & 15;
        burst.format.frame_lsb = v.at("frame_number").get<int>() & 15;
        burst.format.data_symbols = v.at("symbols");
        burst.start_symbol = v.at("k_of_first_symbol");
        burst.payload = payload;
        std::fill(samples.begin(), samples.end(), Complex(9, 9));
        const auto written = modulator.downlink(prefix(), {&burst, 1}, samples);
        const auto first = static_cast<size_t>(burst.start_symbol), count = v.at("symbols").get<size_t>();
        ASSERT_EQ(written, (first + count) * kSymbol);
        expect_carriers(carriers_of(samples, 0), preamble_carriers(PreambleSymbol::p_4x64), "p_4x64");
        expect_carriers(carriers_of(samples, 1), preamble_carriers(PreambleSymbol::p_even), "p_even");
        const auto fch = carriers_of(samples, 2);
        EXPECT_EQ(labels_of(fch, 1), test::vectors().at("dlfp_fch").at("labels").at(0).get<Bytes>());
        expect_pilots(fch, Direction::downlink, 2);
        for (size_t i = 3 * kSymbol; i < first * kSymbol; ++i) ASSERT_EQ(samples[i], Complex{});
        for (size_t s = 0; s < count; ++s) {
            const auto carriers = carriers_of(samples, first + s);
            EXPECT_EQ(labels_of(carriers, kRateTable[burst.format.rate_id].bits_per_carrier),
                      v.at("labels").at(s).get<Bytes>());
            expect_pilots(carriers, Direction::downlink, static_cast<int>(first + s));
        }
        EXPECT_EQ(samples[*written], Complex(9, 9));  // nothing beyond the last burst
    }
}

TEST(ModulatorUplink, StandardExample) {
    const auto& v = test::vectors().at("standard_example_8_3_3_5_1");
    const auto payload = test::hex_at(v, "payload");
    UplinkBurst burst;
    burst.format.rate_id = 2;
    burst.format.iuc = v.at("uiuc");
    burst.format.bsid_lsb = v.at("bsid");
    burst.format.frame_lsb = v.at("frame_number");
    burst.format.preamble = Preamble::short_;
    burst.format.data_symbols = 1;
    burst.payload = payload;
    Modulator modulator(numerology());
    std::vector<Complex> samples(2 * kSymbol);
    ASSERT_EQ(modulator.uplink(burst, samples), samples.size());
    const auto carriers = carriers_of(samples, 1);
    for (const auto& [offset, value] : v.at("subcarriers_iq_sign").items()) {
        const Complex sign = test::complex_of(value);
        const Complex expected = sign.imag() == 0 ? sign : sign / std::sqrt(2.0F);
        EXPECT_LT(std::abs(carriers[static_cast<size_t>(bin_of(std::stoi(offset)))] - expected), 1e-4F) << offset;
    }
}

TEST(ModulatorDownlink, SeveralBurstsPowersAndFirstBurst) {
    Bytes a(11), b(50), c(107);
    std::iota(a.begin(), a.end(), uint8_t{1});
    std::iota(b.begin(), b.end(), uint8_t{40});
    std::iota(c.begin(), c.end(), uint8_t{90});
    std::array<DownlinkBurst, 3> bursts;
    bursts[0] = {{}, 3, true, a};
    bursts[0].format.data_symbols = 2;
    bursts[1] = {{}, 5, false, b};
    bursts[1].format.rate_id = 2;
    bursts[1].format.iuc = 3;
    bursts[1].format.data_symbols = 2;
    bursts[1].format.preamble = Preamble::short_;
    bursts[2] = {{}, 10, false, c};
    bursts[2].format.rate_id = 6;
    bursts[2].format.iuc = 7;
    bursts[2].format.data_symbols = 1;
    Modulator modulator(numerology());
    std::vector<Complex> samples(11 * kSymbol);
    ASSERT_EQ(modulator.downlink(prefix(), bursts, samples), samples.size());
    EXPECT_NEAR(power(samples, 0), 2.0F, 1e-4F);
    EXPECT_NEAR(power(samples, 1), 2.0F, 1e-4F);
    EXPECT_NEAR(power(samples, 2), 1.0F, 1e-4F);  // BPSK: constant modulus
    EXPECT_NEAR(power(samples, 6), 1.0F, 1e-4F);  // QPSK
    EXPECT_NEAR(power(samples, 10), 1.0F, 0.2F);
    EXPECT_EQ(power(samples, 9), 0.0F);
    expect_carriers(carriers_of(samples, 5), preamble_carriers(PreambleSymbol::p_even), "burst preamble");
    expect_pilots(carriers_of(samples, 6), Direction::downlink, 6);  // the preamble symbol counts
    for (size_t n = 0; n < kPrefix; ++n) EXPECT_EQ(samples[6 * kSymbol + n], samples[6 * kSymbol + n + kFftSize]);

    a.resize(23, 0xFF);
    b.resize(71, 0xFF);
    EXPECT_EQ(decode(samples, {3, 4}, bursts[0].format, Randomizer::first_burst()), a);
    EXPECT_EQ(decode(samples, {6, 7}, bursts[1].format, burst_randomizer(bursts[1].format)), b);
    EXPECT_EQ(decode(samples, {10}, bursts[2].format, burst_randomizer(bursts[2].format)), c);
}

/// All symbols of a burst, its preamble and midambles included, and of no other burst.
TEST(ModulatorDownlink, AttenuationOfABurst) {
    const Bytes octets(20, 3);
    std::array<DownlinkBurst, 2> bursts;
    bursts[0] = {{}, 3, true, octets};
    bursts[0].format.data_symbols = 2;
    bursts[1] = {{}, 5, false, octets};
    bursts[1].format.data_symbols = 3;
    bursts[1].format.preamble = Preamble::short_;
    Modulator modulator(numerology());
    std::vector<Complex> even(9 * kSymbol), uneven(9 * kSymbol);
    ASSERT_TRUE(modulator.downlink(prefix(), bursts, even));
    for (const uint8_t below_db : {1, 20, 40}) {
        bursts[1].format.attenuation_db = below_db;
        ASSERT_TRUE(modulator.downlink(prefix(), bursts, uneven));
        const float amplitude = std::pow(10.0F, -static_cast<float>(below_db) / 20);
        for (size_t n = 0; n < even.size(); ++n)
            ASSERT_LT(std::abs(uneven[n] - even[n] * (n < 5 * kSymbol ? 1 : amplitude)), 1e-6F) << n;
    }
    bursts[1].format.attenuation_db = 41;
    EXPECT_EQ(modulator.downlink(prefix(), bursts, uneven).error(), ModulatorFault::format);
    UplinkBurst burst{bursts[1].format, octets};
    burst.format.attenuation_db = 0, burst.format.midamble_interval = 1, burst.format.data_symbols = 10;
    const size_t length = *modulator.uplink(burst, even = std::vector<Complex>(12 * kSymbol));
    burst.format.attenuation_db = 6;
    ASSERT_EQ(modulator.uplink(burst, uneven = even), length);
    for (size_t n = 0; n < length; ++n) ASSERT_LT(std::abs(uneven[n] - even[n] * 0.501187F), 1e-6F) << n;
}

TEST(ModulatorDownlink, Refusals) {
    Modulator modulator(numerology(), 20);
    std::vector<Complex> samples(30 * kSymbol);
    const Bytes payload(23);
    DownlinkBurst good{{}, 3, true, payload};
    good.format.data_symbols = 2;
    EXPECT_EQ(modulator.downlink(prefix(), {}, samples), 3 * kSymbol);
    EXPECT_EQ(modulator.downlink(prefix(), {&good, 1}, samples), 5 * kSymbol);
    EXPECT_EQ(modulator.downlink(prefix(), {&good, 1}, std::span(samples).first(5 * kSymbol - 1)),
              refused(ModulatorFault::room));

    using Fault = ModulatorFault;
    const std::vector<std::pair<Fault, void (*)(DownlinkBurst&)>> faults{
        {Fault::order, [](DownlinkBurst& b) { b.start_symbol = 2; }},
        {Fault::length, [](DownlinkBurst& b) { b.start_symbol = 19; }},
        {Fault::payload, [](DownlinkBurst& b) { b.format.data_symbols = 1; }},  // payload no longer fits
        {Fault::format, [](DownlinkBurst& b) { b.format.rate_id = 7; }},
        {Fault::format, [](DownlinkBurst& b) { b.format.subchannel_index = 2; }},
        {Fault::format, [](DownlinkBurst& b) { b.format.midamble_interval = 1; }},
        {Fault::format, [](DownlinkBurst& b) { b.format.preamble = Preamble::long_; }}};
    for (size_t i = 0; i < faults.size(); ++i) {
        auto bad = good;
        faults[i].second(bad);
        EXPECT_EQ(modulator.downlink(prefix(), {&bad, 1}, samples), refused(faults[i].first)) << i;
    }
    std::array<DownlinkBurst, 2> overlap{good, good};
    overlap[1].start_symbol = 4;
    EXPECT_EQ(modulator.downlink(prefix(), overlap, samples), refused(Fault::order));
    overlap[1].start_symbol = 5;
    EXPECT_EQ(modulator.downlink(prefix(), overlap, samples), 7 * kSymbol);
}

TEST(ModulatorUplink, PreamblesMidamblesAndPilots) {
    const Bytes payload(400, 0x5A);
    for (auto preamble : {Preamble::short_, Preamble::long_}) {
        UplinkBurst burst;
        burst.format.rate_id = 1;
        burst.format.iuc = 6;
        burst.format.preamble = preamble;
        burst.format.data_symbols = 17;
        burst.format.midamble_interval = 1;  // after 8 and 16 data symbols
        burst.payload = payload;
        Modulator modulator(numerology());
        std::vector<Complex> samples(static_cast<size_t>(burst.format.total_symbols()) * kSymbol);
        ASSERT_EQ(modulator.uplink(burst, samples), samples.size());
        const auto lead = static_cast<size_t>(preamble_symbols(preamble));
        if (lead == 2) expect_carriers(carriers_of(samples, 0), preamble_carriers(PreambleSymbol::p_4x64), "long");
        std::vector<size_t> data;
        for (size_t s = lead - 1; s < samples.size() / kSymbol; ++s) {
            const size_t in = s - lead;
            if (s + 1 == lead || in == 8 || in == 17) {
                expect_carriers(carriers_of(samples, s), preamble_carriers(PreambleSymbol::p_even),
                                "short or midamble");
                continue;
            }
            expect_pilots(carriers_of(samples, s), Direction::uplink, static_cast<int>(s));
            data.push_back(s);
        }
        ASSERT_EQ(data.size(), 17U);
        auto expected = payload;
        expected.resize(407, 0xFF);
        EXPECT_EQ(decode(samples, data, burst.format, burst_randomizer(burst.format)), expected);
    }
}

TEST(ModulatorUplink, Subchannels) {
    const Bytes payload(9, 0x33);
    for (int index : {1, 6, 8}) {
        UplinkBurst burst;
        burst.format.rate_id = 3;
        burst.format.iuc = 6;
        burst.format.preamble = Preamble::short_;
        burst.format.data_symbols = 6;
        burst.format.subchannel_index = static_cast<uint8_t>(index);
        burst.payload = payload;
        Modulator modulator(numerology());
        std::vector<Complex> samples(7 * kSymbol);
        ASSERT_EQ(modulator.uplink(burst, samples), samples.size());
        expect_carriers(carriers_of(samples, 0), subchannel_preamble_carriers(index), "subchannel preamble");
        const auto carriers = carriers_of(samples, 3);
        expect_pilots(carriers, Direction::uplink, 3, index);
        float inside = 0, all = 0;
        for (auto c : carriers) all += std::norm(c);
        for (int offset : carrier_set(index).data()) inside += std::norm(carriers[static_cast<size_t>(bin_of(offset))]);
        EXPECT_NEAR(all, inside + static_cast<float>(carrier_set(index).pilot_count), 1e-3F);
        auto expected = payload;
        expected.resize(static_cast<size_t>(burst_payload_bytes(burst.format)), 0xFF);
        EXPECT_EQ(decode(samples, {1, 2, 3, 4, 5, 6}, burst.format, burst_randomizer(burst.format)), expected);
    }
}

TEST(ModulatorUplink, Refusals) {
    Modulator modulator(numerology(), 8);
    std::vector<Complex> samples(20 * kSymbol);
    UplinkBurst burst;
    burst.format.preamble = Preamble::short_;
    burst.format.data_symbols = 7;
    EXPECT_EQ(modulator.uplink(burst, samples), 8 * kSymbol);
    EXPECT_EQ(modulator.uplink(burst, std::span(samples).first(8 * kSymbol - 1)), refused(ModulatorFault::room));
    burst.format.data_symbols = 8;
    EXPECT_EQ(modulator.uplink(burst, samples), refused(ModulatorFault::length));
    burst.format.data_symbols = 4;
    burst.format.midamble_interval = kMidambleInterval.size();
    EXPECT_EQ(modulator.uplink(burst, samples), refused(ModulatorFault::format));
    burst.format.midamble_interval = 0;
    const Bytes too_long(48);
    burst.payload = too_long;
    EXPECT_EQ(modulator.uplink(burst, samples), refused(ModulatorFault::payload));
    burst.payload = {};
    burst.format.subchannel_index = 4;
    burst.format.preamble = Preamble::long_;
    EXPECT_EQ(modulator.uplink(burst, samples), refused(ModulatorFault::format));
}

}  // namespace test_modulator
}  // namespace gr::wimax::phy
