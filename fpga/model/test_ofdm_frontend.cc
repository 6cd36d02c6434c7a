// SPDX-License-Identifier: GPL-3.0-or-later
// The front end's model against the float core: error over levels, prefixes, frequencies and channels, golden vectors,
// a whole frame decoded from its packets; orders, phase and counters.
#include "fpga/model/test_ofdm_support.h"
#include "phy/base/test_vectors.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>

#include <gtest/gtest.h>

namespace wimax::fpga::test {
namespace test_ofdm_frontend {

using namespace ofdm_frontend;
using phy::CyclicPrefix;

/// Error of all symbols over the float core's.
double evm_db(const FrameOnAir& air, float amplitude, double cycles_per_sample) {
    const auto words = radio_words(air.samples, amplitude, kFirstTime);
    OfdmFrontend model;
    model.order(air.order(cycles_per_sample));
    std::vector<AxisWord> out;
    model.process(words, out);
    const auto read = read_packets(out);
    EXPECT_EQ(read.size(), static_cast<size_t>(air.frame.symbols));
    const double exact = increment_of(cycles_per_sample) / 4294967296.0;
    const size_t first = kLead + static_cast<size_t>(air.num.cp_samples());
    Evm evm;
    for (const auto& symbol : read) {
        const size_t body = first + symbol.header.symbol * static_cast<size_t>(air.num.symbol_samples());
        EXPECT_EQ(symbol.time, kFirstTime + body);
        evm.add(symbol.carriers, float_carriers(words, body, exact, first));
    }
    return evm.db();
}

TEST(OfdmFrontend, ErrorOverLevelsPrefixesAndFrequencies) {
    for (const auto cp : phy::kCyclicPrefixes)
        for (const double offset_hz : {0.0, 1'234.5, -11'250.0, 23'000.0}) {
            const FrameOnAir air(cp, "awgn", offset_hz);
            const double cycles = offset_hz / static_cast<double>(air.num.sample_rate_hz);
            for (const double down_db : {0.0, 10.0, 20.0, 30.0}) {
                const double error_db = evm_db(air, attenuated(down_db), cycles);
                EXPECT_LT(error_db, -62) << to_string(cp) << ' ' << offset_hz << ' ' << down_db;
                if (cp == CyclicPrefix::g1_8)
                    RecordProperty("evm_cdb_" + std::to_string(std::lround(offset_hz)) + "_" +
                                       std::to_string(std::lround(down_db)),
                                   static_cast<int>(std::lround(100 * error_db)));
            }
        }
}

TEST(OfdmFrontend, ErrorOverAFadingChannel) {
    const FrameOnAir air(CyclicPrefix::g1_8, "sui3", 4'000);
    for (const double down_db : {0.0, 30.0})
        EXPECT_LT(evm_db(air, attenuated(down_db), 4'000 / 5.76e6), -60) << down_db;
}

/// Reason for the exponent of packets: one shift for all levels either clips the strong signal or leaves too few bits
/// of the weak one.
TEST(OfdmFrontend, NoFixedShiftServesAllLevels) {
    const FrameOnAir air;
    const auto shifted_db = [&](float amplitude, int shift) {
        const auto words = radio_words(air.samples, amplitude, kFirstTime);
        Evm evm;
        for (int symbol = 0; symbol < air.frame.symbols; ++symbol) {
            const size_t body = kLead + 32 + static_cast<size_t>(symbol) * 288;
            FixedBlock block;
            for (size_t n = 0; n < block.size(); ++n) {
                const auto sample = unpack(words[body + n].data);
                block[n] = fixed_turn({sample.real(), sample.imag()}, 0);
            }
            fixed_fft256(block);
            std::array<Complex, 201> carriers{};
            const auto clipped = [&](int32_t x) {
                return static_cast<float>(std::clamp<int64_t>(rounded_shift(x, shift), -32768, 32767));
            };
            for (int k = -100; k <= 100; ++k) {
                const auto& x = block[static_cast<size_t>(phy::bin_of(k))];
                if (k != 0)
                    carriers[static_cast<size_t>(k + 100)] =
                        Complex(clipped(x.re), clipped(x.im)) * (bin_scale(shift) * phy::kDemodulateScale);
            }
            evm.add(carriers, float_carriers(words, body, 0, body));
        }
        return evm.db();
    };
    // Head-room of 0 dB, as for a preamble or a strong tone of a loud signal.
    for (int shift = 0; shift <= 11; ++shift) {
        const double strong = shifted_db(1, shift), weak = shifted_db(attenuated(30), shift);
        EXPECT_GT(std::max(strong, weak), -50) << shift;
        RecordProperty("strong_db_" + std::to_string(shift), static_cast<int>(strong));
        RecordProperty("weak_db_" + std::to_string(shift), static_cast<int>(weak));
    }
}

/// Rounding adds no constant to a carrier: its mean is less than a hundredth of the last bit.
TEST(OfdmFrontend, RoundingAddsNoConstant) {
    std::mt19937 random(3);
    std::normal_distribution<double> gauss(0, 300);
    phy::OfdmTransform transform;
    std::complex<double> mean{};
    constexpr int kBlocks = 2000;
    for (int i = 0; i < kBlocks; ++i) {
        FixedBlock block;
        std::array<Complex, 256> samples, bins;
        for (size_t n = 0; n < block.size(); ++n) {
            block[n] = {static_cast<int32_t>(gauss(random)), static_cast<int32_t>(gauss(random))};
            samples[n] = {static_cast<float>(block[n].re), static_cast<float>(block[n].im)};
        }
        fixed_fft256(block);
        transform.demodulate(samples, bins);
        for (size_t k = 0; k < block.size(); ++k)
            mean += std::complex<double>(block[k].re, block[k].im) -
                    std::complex<double>(bins[k]) / static_cast<double>(phy::kDemodulateScale);
    }
    EXPECT_LT(std::abs(mean) / (256 * kBlocks), 0.01);
    for (int bits = 1; bits <= 16; ++bits) {
        int64_t sum = 0;
        for (int64_t value = -(2LL << bits); value < 2LL << bits; ++value)
            sum += (rounded_shift(value, bits) << bits) - value;
        EXPECT_EQ(sum, 0) << bits;
    }
}

TEST(OfdmFrontend, GoldenSymbolsKeepTheirLabels) {
    const auto& vectors = phy::test::vectors();
    phy::OfdmTransform transform;
    for (const auto& burst : vectors.at("bursts")) {
        const int bits = phy::kRateTable[burst.at("rate_id").get<size_t>()].bits_per_carrier;
        Samples samples;
        for (size_t s = 0; s < burst.at("labels").size(); ++s) {
            const auto labels = burst.at("labels").at(s).get<std::vector<uint8_t>>();
            std::vector<Complex> points(labels.size());
            phy::map_labels(bits, labels, points);
            auto bins = transform.carriers();
            std::fill(bins.begin(), bins.end(), Complex{});
            for (size_t i = 0; i < points.size(); ++i)
                bins[static_cast<size_t>(phy::bin_of(phy::kDataOffsets[i]))] = points[i];
            for (size_t i = 0; i < phy::kPilotOffsets.size(); ++i)
                bins[static_cast<size_t>(phy::bin_of(phy::kPilotOffsets[i]))] =
                    burst.at("pilots").at(s).at(i).get<float>();
            samples.resize(samples.size() + 320);
            transform.modulate(64, std::span(samples).last(320));
        }
        OfdmFrontend model;
        model.order({.time = 7, .symbols = static_cast<uint16_t>(burst.at("labels").size()), .prefix_samples = 64});
        std::vector<AxisWord> out;
        model.process(radio_words(samples, kHeadroom, 7), out);
        const auto read = read_packets(out);
        ASSERT_EQ(read.size(), burst.at("labels").size());
        for (size_t s = 0; s < read.size(); ++s) {
            const auto labels = burst.at("labels").at(s).get<std::vector<uint8_t>>();
            const auto at = [&](int offset) { return read[s].carriers[static_cast<size_t>(offset + 100)] / kHeadroom; };
            for (size_t i = 0; i < labels.size(); ++i)
                EXPECT_EQ(phy::hard_label(bits, at(phy::kDataOffsets[i])), labels[i]);
            for (size_t i = 0; i < phy::kPilotOffsets.size(); ++i)
                EXPECT_LT(std::abs(at(phy::kPilotOffsets[i]) - burst.at("pilots").at(s).at(i).get<float>()), 2e-3F);
        }
    }
}

/// Preamble, frame prefix and a burst of each rate, over a fading channel with a carrier offset that the order knows
/// roughly: the host's receiver for symbols transformed elsewhere decodes them all from the packets.
void decode_frame(const FrameOnAir& air, double down_db) {
    constexpr int kEarly = 12;
    OfdmFrontend model;
    const auto order = air.order(4'000 / 5.76e6, kEarly);
    model.order(order);
    std::vector<AxisWord> out;
    model.process(radio_words(air.samples, attenuated(down_db), kFirstTime), out);
    const auto read = read_packets(out);
    ASSERT_EQ(read.size(), static_cast<size_t>(air.frame.symbols));

    phy::CarrierReceiver receiver(air.num, phy::Direction::downlink);
    const phy::CarrierTransform by{static_cast<int64_t>(read[0].time), order.increment / 4294967296.0};
    ASSERT_TRUE(receiver.begin(by, read[0].carriers, read[1].carriers));
    const auto receive = [&](const phy::BurstFormat& format, int symbol, phy::Randomizer randomizer, int index) {
        phy::ReceivedBurst result;
        EXPECT_TRUE(receiver.start(format, symbol, randomizer, index));
        for (; receiver.wants_symbol(); ++symbol) {
            const auto& at = read[static_cast<size_t>(receiver.next_symbol())];
            receiver.take(static_cast<int64_t>(at.time), at.carriers);
        }
        receiver.finish(result);
        return result;
    };
    const auto prefix =
        phy::parse_frame_prefix(receive(phy::fch_format(), phy::kFchSymbol, phy::Randomizer::frame_start(), 0).payload);
    ASSERT_TRUE(prefix.has_value());
    EXPECT_EQ(prefix->frame_lsb, 3);
    for (const auto& burst : air.frame.bursts) {
        const auto got = receive(burst.format, burst.start_symbol, phy::burst_randomizer(burst.format, burst.first), 1);
        EXPECT_TRUE(got.fec_ok) << burst.start_symbol << ' ' << down_db;
        EXPECT_TRUE(std::ranges::equal(got.payload, burst.payload)) << burst.start_symbol << ' ' << down_db;
        EXPECT_NEAR(got.measured.rssi_dbfs, -12 - down_db, 6);
    }
}

TEST(OfdmFrontend, TheHostDecodesAWholeFrameFromItsPackets) {
    for (const auto cp : {CyclicPrefix::g1_4, CyclicPrefix::g1_8})
        for (const auto* profile : {"awgn", "sui3"})
            for (const double down_db : {0.0, 30.0}) decode_frame(FrameOnAir(cp, profile, 4'300), down_db);
}

// ---- orders ----

std::vector<AxisWord> noise(size_t count, uint64_t time) {
    std::mt19937_64 random(9);
    std::vector<AxisWord> words(count);
    for (auto& word : words) word.data = static_cast<uint32_t>(random());
    words.front().has_time = true;
    words.front().time = time;
    return words;
}

TEST(OfdmFrontend, ThePhaseGoesOnOrRestarts) {
    const auto words = noise(4000, 100);
    const int32_t increment = increment_of(0.0123);
    const auto run = [&](std::vector<Order> orders, uint32_t control = kControlRestart) {
        OfdmFrontend model;
        model.write(kRegisterControl, control);
        model.write(kRegisterIncrement, static_cast<uint32_t>(increment));
        for (const auto& order : orders) model.order(order);
        std::vector<AxisWord> out;
        model.process(words, out);
        return read_packets(out);
    };
    const auto whole = run({{.time = 200, .increment = increment, .symbols = 4}});
    // Two orders, the second one continuing the phase; the increment of the register; samples without order between
    // them.
    const auto parts = run({{.time = 200, .increment = increment},
                            {.time = 200 + 2 * 288, .own_increment = false, .restart = false, .symbols = 2}});
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].carriers, whole[0].carriers);
    EXPECT_EQ(parts[1].carriers, whole[2].carriers);
    EXPECT_EQ(parts[2].carriers, whole[3].carriers);
    // Restarting: as if the order were the first; not if the register forbids it.
    const Order second{.time = 200 + 2 * 288, .increment = increment};
    const auto again = run({{.time = 200, .increment = increment}, second});
    EXPECT_EQ(again[1].carriers, run({second})[0].carriers);
    EXPECT_NE(again[1].carriers, whole[2].carriers);
    const auto forbidden = run({{.time = 200, .increment = increment}, second}, 0);
    const auto turn = forbidden[0].carriers[50] / whole[0].carriers[50];
    EXPECT_LT(std::abs(forbidden[1].carriers[50] - whole[2].carriers[50] * turn), 0.01F * std::abs(turn));
}

TEST(OfdmFrontend, OrdersThatCannotBeFilledAreAnswered) {
    OfdmFrontend model;
    const auto words = noise(1000, 5000);
    model.order({.time = 4999, .symbols = 3, .tag = 11});                        // late
    model.order({.time = 5010, .symbols = 2, .prefix_samples = 8, .tag = 12});   // ends at 5538
    model.order({.time = 5537, .tag = 13});                                      // overlaps
    model.order({.time = 5538, .symbols = 3, .prefix_samples = 16, .tag = 14});  // samples end in its second body
    std::vector<AxisWord> out;
    model.process(words, out);
    model.process(noise(1000, 6001), out);  // one sample is missing
    const auto read = read_packets(out);
    ASSERT_EQ(read.size(), 6U);
    const auto expect = [&](size_t i, int tag, int symbol, bool lost, bool end, uint64_t time) {
        EXPECT_EQ(read[i].header.tag, tag) << i;
        EXPECT_EQ(read[i].header.symbol, symbol) << i;
        EXPECT_EQ(read[i].header.lost, lost) << i;
        EXPECT_EQ(read[i].end, end) << i;
        EXPECT_EQ(read[i].time, time) << i;
    };
    expect(0, 11, 0, true, true, 0);
    expect(1, 12, 0, false, false, 5018);
    expect(2, 12, 1, false, true, 5282);
    expect(3, 13, 0, true, true, 0);
    expect(4, 14, 0, false, false, 5554);
    expect(5, 14, 1, true, true, 0);
    EXPECT_EQ(model.read(kRegisterLost), 1U << 16 | 2U);
    EXPECT_EQ(model.read(kRegisterSymbols), 3U);
    EXPECT_EQ(model.read(kRegisterSamples), 2000U);
    EXPECT_EQ(model.read(kRegisterWords), 3U * 201 + 3);
    model.order({.time = 100'000});
    EXPECT_EQ(model.read(kRegisterOrders), 1U);
    model.write(kRegisterControl, kControlForget);
    EXPECT_EQ(model.read(kRegisterOrders), 0U);
}

TEST(OfdmFrontend, NothingIsOrderedBeforeATimeIsKnown) {
    OfdmFrontend model;
    auto words = noise(1000, 0);
    words.front().has_time = false;
    model.order({.time = 10});
    std::vector<AxisWord> out;
    model.process(words, out);
    EXPECT_TRUE(out.empty());
}

/// For the samples of a half-filled frame with prefix 1/4: the remaining load of the link by the counters.
TEST(OfdmFrontend, TheLinkCarriesLess) {
    OfdmFrontend model;
    model.order({.time = 100, .symbols = 45, .prefix_samples = 64});
    std::vector<AxisWord> out;
    model.process(noise(90 * 320, 100), out);
    EXPECT_EQ(model.read(kRegisterSamples), 90U * 320);
    EXPECT_EQ(model.read(kRegisterWords), 45U * 201);  // 31 % of it; 63 % of the symbols' own samples
    EXPECT_EQ(out.size(), 45U * 201);
}

}  // namespace test_ofdm_frontend
}  // namespace wimax::fpga::test
