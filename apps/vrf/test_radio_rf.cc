// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of a virtual radio's analog part on its chunks, compared with its model.
#include <gtest/gtest.h>

#include <cmath>

#include "vrf/personality.h"
#include "vrf/radio_rf.h"

namespace wimax::vrf {
namespace {

constexpr double kRateHz = 5.76e6;
constexpr size_t kChunk = 2880;
using Samples = std::vector<Sample>;

double decibels(double power) { return 10 * std::log10(power); }

double level_db(std::span<const Sample> x) {
    double sum = 0;
    for (const Sample& s : x) sum += std::norm(s);
    return decibels(sum / double(x.size()));
}

/// A radio and its channel, chunk by chunk.
struct Bench {
    explicit Bench(const RfModel& model, size_t channels = 1, const char* name = "bs", uint64_t seed = 1)
        : rf(model, channels) {
        Welcome welcome;
        welcome.rate_hz = kRateHz;
        welcome.chunk_samples = kChunk;
        welcome.tx_power_dbm = 30;
        welcome.rx_full_scale_dbm = -10;
        welcome.seed = seed;
        rf.join(welcome, name);
    }
    Samples transmit(Samples x, const BurstSpans& on, int64_t chunk = 0) {
        TxHeader header;
        header.index = chunk * int64_t(kChunk);
        header.sending = on.empty() ? 0 : uint8_t((1U << x.size() / kChunk) - 1);
        rf.transmit(header, tuning, on, x);
        return x;
    }
    Samples receive(int64_t chunk = 0, Samples x = Samples(kChunk)) {
        rf.receive(chunk * int64_t(kChunk), x);
        return x;
    }
    VirtualRadioCounters counters() const {
        VirtualRadioCounters c;
        rf.count(c);
        return c;
    }
    RadioRf rf;
    Tuning tuning;
};

BurstSpans spans(std::initializer_list<BurstSpans::Span> all) {
    BurstSpans on;
    for (const auto& s : all) on.add(s.from, s.to);
    return on;
}

const BurstSpans kWhole = spans({{0, kChunk}});

RfModel b210() {
    RfModel model;
    model.tx.dc_dbc = -37;
    model.tx.image_dbc = -30;
    model.tx.phase_noise_deg = 0.6;
    model.tx.bits = 12;
    model.rx = model.tx;
    return model;
}

Samples constant(float re, float im = 0, size_t n = kChunk) { return Samples(n, Sample(re, im)); }

TEST(BurstSpans, NeighboursAreOneAndTooManyEndInOne) {
    BurstSpans on = spans({{3, 5}, {5, 9}, {12, 13}});
    EXPECT_EQ(std::vector(on.begin(), on.end()), (std::vector<BurstSpans::Span>{{3, 9}, {12, 13}}));
    on.clear();
    EXPECT_TRUE(on.empty());
    for (size_t i = 0; i < 20; ++i) on.add(10 * i, 10 * i + 5);
    EXPECT_EQ(on.end() - on.begin(), 16);
    EXPECT_EQ(*(on.end() - 1), (BurstSpans::Span{150, 195}));
}

TEST(RadioRf, ModelsSayWhetherTheyAreIdeal) {
    EXPECT_TRUE(RfModel{}.ideal());
    EXPECT_TRUE(load_personality("ideal").value().rf.ideal());
    EXPECT_TRUE(load_personality(WIMAX_RADIOS "/ideal.yml").value().rf.ideal());
    EXPECT_FALSE(b210().ideal());
    RfModel model;
    model.switch_us = 1;
    EXPECT_FALSE(model.ideal());
}

TEST(RadioRf, TheSameBitsForOneNameSeedAndSample) {
    const auto heard = [](const char* name, uint64_t seed, int64_t chunk) {
        Bench bench(b210(), 1, name, seed);
        auto x = bench.transmit(constant(0.1F, 0.2F), kWhole, chunk);
        const auto y = bench.receive(chunk, constant(0.05F));
        x.insert(x.end(), y.begin(), y.end());
        return x;
    };
    EXPECT_EQ(heard("bs", 1, 7), heard("bs", 1, 7));
    EXPECT_NE(heard("bs", 1, 7), heard("bs", 1, 8));
    EXPECT_NE(heard("bs", 1, 7), heard("ss", 1, 7));
    EXPECT_NE(heard("bs", 1, 7), heard("bs", 2, 7));
}

/// It leaks while it is on, also in zeros of a burst, and not otherwise.
TEST(RadioRf, ATransmitterIsOnForItsBursts) {
    RfModel model;
    model.tx.dc_dbc = -37;
    Bench bench(model);
    const auto sent = bench.transmit(Samples(kChunk), spans({{100, 600}, {700, 720}}));
    for (size_t i = 0; i < kChunk; ++i) {
        const bool on = (i >= 100 && i < 600) || (i >= 700 && i < 720);
        EXPECT_EQ(sent[i] != Sample{}, on) << i;
    }
    EXPECT_NEAR(level_db(std::span(sent).subspan(100, 500)), -37, 1e-3);
    EXPECT_EQ(bench.transmit(Samples(kChunk), {}, 1), Samples(kChunk));
}

TEST(RadioRf, TheSwitchOpensAfterTheBeginOfABurstWhereverChunksEnd) {
    RfModel model;
    model.switch_us = 1;  // 6 samples
    Bench bench(model);
    auto sent = bench.transmit(constant(1), spans({{10, 12}, {kChunk - 4, kChunk}}));
    EXPECT_EQ(sent[11], Sample{});
    EXPECT_EQ(sent[kChunk - 1], Sample{});
    sent = bench.transmit(constant(1), spans({{0, 100}, {200, 300}}), 1);
    EXPECT_EQ(sent[1], Sample{});
    EXPECT_EQ(sent[2], Sample(1));
    EXPECT_EQ(sent[205], Sample{});
    EXPECT_EQ(sent[206], Sample(1));
}

TEST(RadioRf, ConvertersClipAndCount) {
    RfModel model;
    model.tx.bits = model.rx.bits = 12;
    Bench bench(model);
    auto loud = constant(0.25F);
    loud[5] = {0, -1.5F};
    loud[6] = {2, 0};
    const auto sent = bench.transmit(loud, kWhole);
    EXPECT_EQ(sent[5], Sample(0, -1));
    EXPECT_EQ(sent[6], Sample(2047.0F / 2048));
    EXPECT_EQ(sent[7], Sample(0.25F));
    EXPECT_EQ(bench.counters().tx_clipped, 2u);
    (void)bench.receive(0, constant(1.1F));
    EXPECT_EQ(bench.counters().rx_clipped, kChunk);
}

TEST(RadioRf, TheWireHasItsBits) {
    EXPECT_EQ(wire_bits("sc16"), 16);
    EXPECT_EQ(wire_bits("sc12"), 12);
    EXPECT_EQ(wire_bits("sc8"), 8);
    EXPECT_EQ(wire_bits(""), 16);
    RfModel model;
    model.rx.bits = 14;
    Bench bench(model);
    for (const auto& [format, bits] : {std::pair{"sc16", 14}, {"sc12", 12}, {"sc8", 8}, {"sc16", 14}}) {
        bench.rf.set_wire_bits(false, wire_bits(format));
        const float step = std::ldexp(1.0F, 1 - bits);
        EXPECT_EQ(bench.receive(0, constant(5.3F * step))[9], Sample(5 * step)) << format;
    }
}

/// The saturation is at the output: 6 dB less gain allow 6 dB more.
TEST(RadioRf, LessGainTakesTheAmplifierFromItsSaturation) {
    RfModel model;
    model.tx.saturation_db = 0;
    Bench bench(model);
    bench.tuning.tx_gain_db[0] = kMaxTxGainDb;
    EXPECT_NEAR(level_db(bench.transmit(constant(1), kWhole)), -1.505, 1e-2);
    bench.tuning.tx_gain_db[0] = kMaxTxGainDb - 20;
    EXPECT_NEAR(level_db(bench.transmit(constant(1), kWhole)), 0, 1e-3);
}

TEST(RadioRf, NoiseFigureOverGain) {
    RfModel model;
    EXPECT_FALSE(noise_figure_db(model, 10));
    model.noise_figure = {{0, 30}, {20, 10}, {60, 6}};
    EXPECT_DOUBLE_EQ(*noise_figure_db(model, -5), 30);
    EXPECT_DOUBLE_EQ(*noise_figure_db(model, 10), 20);
    EXPECT_DOUBLE_EQ(*noise_figure_db(model, 30), 9);
    EXPECT_DOUBLE_EQ(*noise_figure_db(model, 70), 6);
    model.port_isolation_db = 40;
    Bench bench(model);
    TxHeader header;
    bench.tuning.rx_gain_db = 10;
    bench.tuning.rx_connected = false;
    bench.rf.note(header, bench.tuning);
    EXPECT_EQ(header.noise_figure_db, 20);
    EXPECT_EQ(header.rx_port_loss_db, 40);
    EXPECT_EQ(header.tx_port_loss_db, 0);
}

/// 30 dBm at the highest gain, 20 dB less here, 60 dB of isolation; full scale at -10 - 30 dBm.
TEST(RadioRf, AReceiverHearsItsTransmitter) {
    RfModel model;
    model.own_isolation_db = 60;
    Bench bench(model);
    bench.tuning.tx_gain_db[0] = kMaxTxGainDb - 20;
    bench.tuning.rx_gain_db = 30;
    (void)bench.transmit(constant(1), spans({{1000, 2000}}));
    const auto heard = bench.receive();
    EXPECT_NEAR(level_db(std::span(heard).subspan(1000, 1000)), 10 - 60 + 40, 1e-3);
    EXPECT_EQ(heard[999], Sample{});
    EXPECT_EQ(heard[2000], Sample{});
    bench.tuning.rx_frequency_hz += 10e6;
    (void)bench.transmit(constant(1), kWhole, 1);
    EXPECT_EQ(bench.receive(1), Samples(kChunk));
    bench.tuning.rx_frequency_hz -= 10e6;
    for (int64_t ahead = 2; ahead < 2 + int64_t(kAheadChunks); ++ahead)
        (void)bench.transmit(constant(float(ahead)), kWhole, ahead);
    for (int64_t k = 2; k < 2 + int64_t(kAheadChunks); ++k)
        EXPECT_NEAR(level_db(bench.receive(k)), -10 + 20 * std::log10(k), 1e-3);
}

TEST(RadioRf, OffsetAfterABurstDecays) {
    RfModel model;
    model.recovery_us = 50;  // 288 samples
    model.recovery_dbfs = -20;
    Bench bench(model);
    (void)bench.transmit(constant(1), spans({{100, 2700}}));
    (void)bench.transmit(constant(1), {}, 1);
    const auto first = bench.receive(0), second = bench.receive(1);
    EXPECT_EQ(first[2699], Sample{});
    EXPECT_NEAR(std::abs(first[2700]), 0.1, 1e-6);
    EXPECT_NEAR(std::abs(second[2700 + 288 - kChunk]), 0.1 * std::exp(-1.0), 1e-6);
    EXPECT_NE(second[2700 + 8 * 288 - 1 - kChunk], Sample{});
    EXPECT_EQ(second[2700 + 8 * 288 - kChunk], Sample{});
    bench.tuning.rx_behind_switch = false;  // another antenna
    (void)bench.transmit(constant(1), spans({{100, 2700}}), 2);
    EXPECT_EQ(bench.receive(2), Samples(kChunk));
}

/// With an oscillator offset the constant of a receiver is a tone.
/// Level of a tone with that many turns in a chunk.
double tone_db(const Samples& x, double turns) {
    std::complex<double> sum;
    for (size_t n = 0; n < kChunk; ++n)
        sum += std::complex<double>(x[n]) *
               std::polar(1.0, -2 * M_PI * std::remainder(turns * double(n) / double(kChunk), 1.0));
    return decibels(std::norm(sum / double(kChunk)));
}

TEST(RadioRf, LeakageLiesWhereTheOscillatorIs) {
    RfModel model;
    model.rx.dc_dbc = -30;
    Bench bench(model);
    const auto tone = [&](double turns) {
        (void)bench.transmit(Samples(kChunk), {});
        return tone_db(bench.receive(), turns);
    };
    EXPECT_NEAR(tone(0), -30, 1e-3);
    bench.tuning.rx_lo_offset_hz = 300e3;
    EXPECT_NEAR(tone(150), -30, 1e-3);
    EXPECT_LT(tone(0), -80);
    bench.tuning.rx_lo_offset_hz = 0;
    EXPECT_NEAR(tone(0), -30, 1e-3);
}

TEST(RadioRf, ATransmittersLeakageLiesWhereItsOscillatorIs) {
    RfModel model;
    model.tx.dc_dbc = -30;
    Bench bench(model);
    const auto tone = [&](double turns) { return tone_db(bench.transmit(Samples(kChunk), kWhole), turns); };
    EXPECT_NEAR(tone(0), -30, 1e-3);
    bench.tuning.tx_lo_offset_hz = 300e3;
    EXPECT_NEAR(tone(150), -30, 1e-3);
    EXPECT_LT(tone(0), -80);
}

/// An odd factor of the DSP has no half-band filter that would compensate its CIC.
TEST(RadioRf, ACicAloneDroops) {
    RfModel model;
    model.recovery_us = 1;  // anything that is not ideal
    constexpr size_t kSettled = 2 * CicDroop::kDelay, kCarriers = 256;
    const auto tone = [](double carrier) {
        Samples x(kChunk);
        for (size_t n = 0; n < kChunk; ++n) x[n] = Sample(std::polar(1.0, 2 * M_PI * carrier * double(n) / kCarriers));
        return x;
    };
    for (const auto& [carrier, level] : {std::pair{0.0, 0.0}, {50.0, -2.21}, {-100.0, -9.21}, {100.0, -9.21}}) {
        Bench bench(model);
        EXPECT_EQ(bench.transmit(tone(carrier), kWhole), tone(carrier));
        bench.tuning.tx_cic_alone = true;
        auto heard = bench.transmit(tone(carrier), kWhole, 1);
        EXPECT_NEAR(level_db(std::span(heard).subspan(kSettled)), level, 0.1) << carrier;
        bench.tuning = {};
        bench.transmit(Samples(kChunk), {}, 2);
        EXPECT_NEAR(level_db(bench.receive(2, tone(carrier))), 0, 1e-3);
        bench.tuning.rx_cic_alone = true;
        bench.transmit(Samples(kChunk), {}, 3);
        heard = bench.receive(3, tone(carrier));
        EXPECT_NEAR(level_db(std::span(heard).subspan(kSettled)), level, 0.1) << carrier;
    }
}

TEST(CicDroop, ItsResponseIsSymmetricAndLosesNothingAtZero) {
    constexpr size_t kTaps = 2 * CicDroop::kDelay + 1;
    CicDroop droop;
    Samples impulse(kTaps);
    impulse[0] = 1;
    droop.pass(impulse);
    float sum = 0;
    for (size_t i = 0; i < kTaps; ++i) {
        EXPECT_FLOAT_EQ(impulse[i].real(), impulse[kTaps - 1 - i].real()) << i;
        EXPECT_NE(impulse[i].real(), 0) << i;
        sum += impulse[i].real();
    }
    EXPECT_NEAR(sum, 1, 2e-3);
}

TEST(RadioRf, ChannelsShareOneOscillator) {
    RfModel model;
    model.tx.phase_noise_deg = 2;
    Bench bench(model, 2);
    const auto sent = bench.transmit(constant(1, 0, 2 * kChunk), kWhole);
    EXPECT_EQ(Samples(sent.begin(), sent.begin() + kChunk), Samples(sent.begin() + kChunk, sent.end()));
    EXPECT_NE(sent[7], sent[1000]);
}

/// After a channel's restart, or with another one, a radio is in its initial state: no offset of an earlier burst, no
/// switch still open, no own signal of earlier chunks, nothing in its filters.
TEST(RadioRf, AfterAnotherJoinItIsAFreshOne) {
    RfModel model = b210();
    model.tx.phase_noise_deg.reset();  // a function of the index only, and slow to compute
    model.rx.phase_noise_deg.reset();
    model.own_isolation_db = 40;
    model.switch_us = 20;
    model.recovery_us = 200;
    for (const bool cic_alone : {false, true})
        for (const bool same_channel : {true, false}) {
            const auto join = [](Bench& bench, uint64_t seed) {
                Welcome welcome;
                welcome.rate_hz = kRateHz;
                welcome.chunk_samples = kChunk;
                welcome.tx_power_dbm = 30;
                welcome.rx_full_scale_dbm = -10;
                welcome.seed = seed;
                bench.rf.join(welcome, "bs");
            };
            const auto live = [](Bench& bench, int64_t first) {
                Samples all;
                for (int64_t chunk = first; chunk < first + 6; ++chunk) {
                    const auto on = chunk == first + 2   ? spans({{500, 900}, {2000, kChunk}})
                                    : chunk == first + 3 ? spans({{0, 40}})
                                                         : BurstSpans();
                    const auto sent = bench.transmit(constant(0.3F, 0.1F), on, chunk);
                    const auto heard = bench.receive(chunk, constant(0.05F));
                    for (const auto& span : on)
                        all.insert(all.end(), &sent[span.from], &sent[span.from] + (span.to - span.from));
                    all.insert(all.end(), heard.begin(), heard.end());
                }
                return all;
            };
            Bench used(model, 1, "bs", 7), fresh(model, 1, "bs", 9);
            for (auto* bench : {&used, &fresh}) bench->tuning.tx_cic_alone = bench->tuning.rx_cic_alone = cic_alone;
            if (same_channel) join(used, 9);
            live(used, 0);
            used.transmit(constant(0.9F), kWhole, 6);  // on until the very end
            used.receive(6, constant(0.4F));
            join(used, 9);
            ASSERT_EQ(live(used, 7), live(fresh, 7)) << cic_alone << same_channel;
        }
}

}  // namespace
}  // namespace wimax::vrf
