// SPDX-License-Identifier: GPL-3.0-or-later
// STC zones: signals of each antenna, and their reception after two channels.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <gtest/gtest.h>

#include <optional>

namespace gr::wimax::phy::test {
namespace test_stc {

constexpr int kZoneStart = 8;
constexpr int kOddZoneStart = 9;

Numerology numerology(CyclicPrefix cp = CyclicPrefix::g1_8) { return *Numerology::make(5'000'000, cp); }

/// A frame of one burst of BPSK 1/2 and an STC zone of the bursts given.
struct StcPlan {
    std::vector<BurstPlan> bursts;
    int zone_start = kZoneStart;
    uint64_t seed = 1;
    bool announced = true;  // announced by the frame prefix; else only a DL-MAP could

    std::vector<uint8_t> payload(size_t i) const {
        return random_bytes(static_cast<size_t>(burst_capacity_bytes(bursts[i].rate_id, bursts[i].data_symbols)),
                            seed * 50 + i);
    }
    std::vector<uint8_t> first_payload() const { return random_bytes(35, seed); }

    BurstFormat format(size_t i) const {
        BurstFormat f;
        f.rate_id = static_cast<uint8_t>(bursts[i].rate_id);
        f.iuc = i == 0 ? 0 : static_cast<uint8_t>(bursts[i].diuc);
        f.bsid_lsb = 5;
        f.frame_lsb = 3;
        f.data_symbols = bursts[i].data_symbols;
        f.stc = true;
        return f;
    }
    int start(size_t i) const {
        int at = zone_start + kStcFirstBurstSymbol;
        for (size_t b = 0; b < i; ++b) at += bursts[b].data_symbols;
        return at;
    }

    /// Samples of each antenna, from the frame's start.
    std::array<Samples, 2> modulate(const Numerology& num) const {
        const int end = start(bursts.size());
        const auto symbol = static_cast<size_t>(num.symbol_samples());
        std::array<Samples, 2> out{Samples(static_cast<size_t>(end) * symbol),
                                   Samples(static_cast<size_t>(end) * symbol)};

        FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = 3;
        prefix.entries[0] = {0, false, 3};
        prefix.entries[1] = stc_zone_entry(zone_start);
        prefix.entry_count = announced ? 2 : 1;
        const auto first = first_payload();
        DownlinkBurst burst;
        burst.format.bsid_lsb = 5;
        burst.format.frame_lsb = 3;
        burst.format.data_symbols = 3;
        burst.first = true;
        burst.payload = first;
        Modulator modulator(num);
        EXPECT_EQ(modulator.downlink(prefix, {&burst, 1}, out[0]), 6 * symbol);

        StcZone zone;
        zone.start_symbol = zone_start;
        zone.prefix = prefix;
        zone.prefix.entry_count = static_cast<int>(std::min<size_t>(bursts.size(), 4));
        std::vector<std::vector<uint8_t>> data;
        std::vector<DownlinkBurst> list;
        for (size_t i = 0; i < bursts.size(); ++i) data.push_back(payload(i));
        for (size_t i = 0; i < bursts.size(); ++i) {
            list.push_back({format(i), start(i), i == 0, data[i]});
            if (i < 4)
                zone.prefix.entries[i] = {static_cast<uint8_t>(i == 0 ? bursts[i].rate_id : bursts[i].diuc), false,
                                          static_cast<uint16_t>(bursts[i].data_symbols)};
        }
        zone.bursts = list;
        StcModulator stc(num);
        const auto from = static_cast<size_t>(zone_start) * symbol;
        EXPECT_EQ(stc.zone(zone, std::span(out[0]).subspan(from), std::span(out[1]).subspan(from)),
                  out[0].size() - from);
        return out;
    }
};

struct Paths {
    std::vector<Path> antenna_0{{0, 1}}, antenna_1{{0, Complex(0, 1)}};
};

/// One signal after two channels; carrier, clock and noise are common.
Samples receive_both(const std::array<Samples, 2>& sent, const Paths& paths, Channel common, uint64_t seed) {
    common.delay_samples += 700;
    const size_t length = sent[0].size() + 1300;
    const double rate = 5.76e6;
    common.paths = paths.antenna_0;
    auto sum = pass(sent[0], common, rate, length, seed);
    common.paths = paths.antenna_1;
    common.snr_db = 100;
    const auto second = pass(sent[1], common, rate, length, seed);
    for (size_t i = 0; i < length; ++i) sum[i] += second[i];
    return sum;
}

struct ZoneRecorder : Recorder {
    std::vector<StcZoneSync> zones;
    SampleFlow on_stc_zone(const FrameSync&, const StcZoneSync& zone) override {
        zones.push_back(zone);
        return SampleFlow::go_on;
    }
    const ReceivedBurst* burst(int index) const {
        for (const auto& b : bursts)
            if (b.burst.index == index) return &b.burst;
        return nullptr;
    }
    bool has(int index, const std::vector<uint8_t>& payload) const {
        const auto* b = burst(index);
        return b != nullptr && b->fec_ok && b->payload == payload;
    }
};

ZoneRecorder decode(const Samples& samples, const DownlinkReceiverConfig& config = {}) {
    DownlinkReceiver receiver(config);
    ZoneRecorder recorder;
    receiver.process(samples, 0, recorder);
    return recorder;
}

std::array<Complex, kFftSize> carriers_of(const Samples& samples, int symbol) {
    OfdmTransform transform;
    std::array<Complex, kFftSize> out;
    transform.demodulate(
        std::span<const Complex, kFftSize>(samples.data() + static_cast<size_t>(symbol) * 288 + 32, kFftSize), out);
    return out;
}

TEST(StcModulator, AntennasSendAlamoutisCode) {
    const StcPlan plan{{{4, 6, false, 1}}, kOddZoneStart};
    const auto sent = plan.modulate(numerology());
    for (const int antenna : {0, 1}) {
        const auto got = carriers_of(sent[static_cast<size_t>(antenna)], kOddZoneStart);
        const auto want = preamble_carriers(antenna == 0 ? PreambleSymbol::p_even : PreambleSymbol::p_odd);
        for (size_t i = 0; i < kFftSize; ++i) ASSERT_LT(std::abs(got[i] - kStcAntennaAmplitude * want[i]), 1e-4F);
    }
    // The second antenna is silent outside the zone.
    for (size_t n = 0; n < kOddZoneStart * 288; ++n) ASSERT_EQ(sent[1][n], Complex{});

    BurstEncoder encoder;
    const auto payload = plan.payload(0);
    ASSERT_TRUE(encoder.start(plan.format(0), payload, Randomizer::first_burst()));
    std::array<std::array<uint8_t, kDataCarriers>, 2> labels;
    // 16-QAM by the table of clause 8.3.3.4.1, written again: bits 01, 00, 10, 11 are levels 3, 1, -1, -3.
    const auto level = [](int bits) { return std::array{1.0F, 3.0F, -1.0F, -3.0F}[static_cast<size_t>(bits)]; };
    for (int pair = 0; pair < 3; ++pair) {
        for (auto& l : labels) ASSERT_TRUE(encoder.next_symbol(l));
        const int symbol = plan.start(0) + 2 * pair;
        const auto a0 = carriers_of(sent[0], symbol), a1 = carriers_of(sent[0], symbol + 1);
        const auto b0 = carriers_of(sent[1], symbol), b1 = carriers_of(sent[1], symbol + 1);
        const float scale = kStcAntennaAmplitude / std::sqrt(10.0F);
        for (size_t i = 0; i < kDataCarriers; ++i) {
            const auto bin = static_cast<size_t>(bin_of(kDataOffsets[i]));
            const Complex s0 = scale * Complex(level(labels[0][i] >> 2), level(labels[0][i] & 3));
            const Complex s1 = scale * Complex(level(labels[1][i] >> 2), level(labels[1][i] & 3));
            ASSERT_LT(std::abs(a0[bin] - s0) + std::abs(a1[bin] + std::conj(s1)), 1e-4F);
            ASSERT_LT(std::abs(b0[bin] - s1) + std::abs(b1[bin] - std::conj(s0)), 1e-4F);
        }
        // Pilots are coded, too; their sequence begins with the zone.
        const auto& p0 = pilot_values(Direction::downlink, symbol - kOddZoneStart);
        const auto& p1 = pilot_values(Direction::downlink, symbol + 1 - kOddZoneStart);
        for (size_t p = 0; p < kPilotCarriers; ++p) {
            const auto bin = static_cast<size_t>(bin_of(kPilotOffsets[p]));
            ASSERT_LT(
                std::abs(a0[bin] - kStcAntennaAmplitude * p0[p]) + std::abs(a1[bin] + kStcAntennaAmplitude * p1[p]),
                1e-4F);
            ASSERT_LT(
                std::abs(b0[bin] - kStcAntennaAmplitude * p1[p]) + std::abs(b1[bin] - kStcAntennaAmplitude * p0[p]),
                1e-4F);
        }
    }
    double power = 0;
    for (const auto& antenna : sent)
        for (size_t n = static_cast<size_t>(plan.start(0)) * 288; n < antenna.size(); ++n)
            power += std::norm(antenna[n]);
    EXPECT_NEAR(power / (6 * 288), 1, 0.06);
}

TEST(StcModulator, Refusals) {
    StcModulator modulator(numerology(), 40);
    std::array<Samples, 2> out{Samples(40 * 288), Samples(40 * 288)};
    const StcPlan plan{{{2, 4, false, 1}}};
    DownlinkBurst burst{plan.format(0), plan.start(0), true, {}};
    StcZone zone{kZoneStart, {}, {&burst, 1}};
    const auto size = [&] { return modulator.zone(zone, out[0], out[1]); };
    ASSERT_EQ(size(), 7U * 288);
    const DownlinkBurst good = burst;
    const auto refused = [&](auto&& spoil) {
        burst = good;
        spoil(burst);
        const auto made = size();
        return made ? std::nullopt : std::optional(made.error());
    };
    using Fault = ModulatorFault;
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.data_symbols = 5; }), Fault::format);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.stc = false; }), Fault::format);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.preamble = Preamble::short_; }), Fault::format);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.subchannel_index = 8; }), Fault::format);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.midamble_interval = 1; }), Fault::format);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.start_symbol = kZoneStart + 2; }), Fault::order);
    EXPECT_EQ(refused([](DownlinkBurst& b) { b.format.data_symbols = 30; }), Fault::length);
    const std::vector<uint8_t> too_long(4 * 36);
    EXPECT_EQ(refused([&](DownlinkBurst& b) { b.payload = too_long; }), Fault::payload);
    burst = good;
    EXPECT_EQ(modulator.zone(zone, std::span(out[0]).first(7 * 288 - 1), out[1]).error(), Fault::room);
    EXPECT_EQ(modulator.zone(zone, out[0], std::span(out[1]).first(7 * 288 - 1)).error(), Fault::room);
    zone.start_symbol = 0;
    EXPECT_EQ(size().error(), Fault::order);

    Modulator plain(numerology());
    EXPECT_EQ(plain.downlink({}, {&burst, 1}, out[0]).error(), Fault::format);
    EXPECT_EQ(plain.uplink({burst.format, {}}, out[0]).error(), Fault::format);
}

/// Paths with powers 0.73 and 0.75.
Paths unlike_paths() { return {{{0, {0.7F, 0.2F}}, {5.5, {-0.2F, 0.4F}}}, {{1.2, {0.1F, -0.8F}}, {9, {0.3F, 0.1F}}}}; }

TEST(StcReceiver, EveryRateBehindTwoChannels) {
    const Paths paths = unlike_paths();
    for (int rate = 0; rate < kRates; ++rate) {
        const StcPlan plan{{{rate, 6, false, 1}, {0, 2, false, 1}, {6 - rate, 20, false, 7 - rate}},
                           rate % 2 ? kOddZoneStart : kZoneStart,
                           static_cast<uint64_t>(rate) + 1};
        Channel common;
        common.snr_db = 32;
        common.frequency_hz = 8000;
        common.clock_ppm = rate % 2 ? 18 : -18;
        common.delay_samples = 0.4;
        const auto recorder = decode(receive_both(plan.modulate(numerology()), paths, common, plan.seed));
        ASSERT_EQ(recorder.zones.size(), 1U) << rate;
        EXPECT_TRUE(recorder.zones[0].prefix_ok);
        EXPECT_EQ(recorder.zones[0].index, kStcZoneIndex);
        EXPECT_EQ(recorder.zones[0].start_symbol, plan.zone_start);
        EXPECT_EQ(recorder.zones[0].prefix.entry_count, 3);
        EXPECT_NEAR(recorder.zones[0].rssi_dbfs[0], 10 * std::log10(0.5 * 0.73), 0.6);
        EXPECT_NEAR(recorder.zones[0].rssi_dbfs[1], 10 * std::log10(0.5 * 0.75), 0.6);
        EXPECT_TRUE(recorder.has(1, plan.first_payload()));
        for (size_t i = 0; i < 3; ++i)
            EXPECT_TRUE(recorder.has(kStcZoneIndex + static_cast<int>(i) + 1, plan.payload(i))) << rate << ' ' << i;
        const auto* burst = recorder.burst(kStcZoneIndex + 3);
        ASSERT_NE(burst, nullptr);
        EXPECT_TRUE(burst->format.stc);
        EXPECT_EQ(burst->start_symbol, plan.start(2));
        EXPECT_NEAR(burst->measured.rssi_dbfs, 10 * std::log10(0.5 * (0.73 + 0.75)), 0.6);
        EXPECT_NEAR(burst->measured.cinr_db, 32 + burst->measured.rssi_dbfs, 1.5);
        EXPECT_NEAR(burst->measured.frequency_offset_hz, 8000, 60);
    }
}

TEST(StcReceiver, EveryCyclicPrefix) {
    for (const auto cp : kCyclicPrefixes) {
        const StcPlan plan{{{5, 30, false, 1}}};
        Channel common;
        common.snr_db = 28;
        common.frequency_hz = -5000;
        EXPECT_TRUE(
            decode(receive_both(plan.modulate(numerology(cp)), {}, common, 4)).has(kStcZoneIndex + 1, plan.payload(0)))
            << to_string(cp);
    }
}

/// Lost bursts of two symbols in `trials` frames. `fading`: both channels flat and Rayleigh, independent.
int lost(int rate_id, double snr_db, bool stc, bool fading, int trials) {
    std::mt19937_64 random(static_cast<uint64_t>(rate_id) + 7);
    std::normal_distribution<float> gauss(0, 0.70710678F);
    int count = 0;
    const StcPlan plan{{{rate_id, 2, false, 1}}};
    const FramePlan single{{{0, 3, false, 1}, {rate_id, 2, false, rate_id + 1}}, 3, 1};
    Modulator modulator(numerology());
    const auto both = plan.modulate(numerology());
    const std::array<Samples, 2> one{single.modulate(modulator), Samples(1)};
    for (int i = 0; i < trials; ++i) {
        Paths paths;
        if (fading) {
            paths.antenna_0 = {{0, {gauss(random), gauss(random)}}};
            paths.antenna_1 = {{0, {gauss(random), gauss(random)}}};
        }
        Channel common;
        common.snr_db = snr_db;
        common.frequency_hz = 9e3 * std::cos(i);
        const auto recorder = decode(receive_both(stc ? both : one, paths, common, static_cast<uint64_t>(i)));
        const bool good =
            stc ? recorder.has(kStcZoneIndex + 1, plan.payload(0)) : recorder.has(2, single.payloads()[1]);
        count += !good;
    }
    return count;
}

TEST(StcReceiver, ErrorRateInWhiteNoise) {
    // With equal channels a burst sees the SNR of one antenna of full power; at these SNRs a receiver that knows the
    // channel loses one block of one symbol in a hundred.
    constexpr std::array<double, kRates> kGenie{-0.23, 4.08, 6.58, 9.66, 12.87, 16.76, 18.37};
    for (const int rate : {1, 3, 6}) {
        // Two blocks per burst: four in 200 expected at the genie's SNR, half a decibel above it less than one.
        const int count = lost(rate, kGenie[static_cast<size_t>(rate)] + 0.5, true, false, 200);
        EXPECT_LE(count, 6) << rate;
        RecordProperty("lost_at_rate_" + std::to_string(rate), count);
    }
}

TEST(StcReceiver, DiversityGainInRayleighFading) {
    // 16-QAM 3/4 needs about 12 dB: at 23.2 dB one antenna of the same total power fades below it in 1 - exp(-0.076) =
    // 7.3 % of frames. The sum of two halves does in 1 - (1 + 0.15) exp(-0.15) = 1.0 %. The frame's own preamble and
    // prefix, from one antenna, need less than 0 dB.
    constexpr int kTrials = 500;
    const int one = lost(4, 23.2, false, true, kTrials);
    const int two = lost(4, 23.2, true, true, kTrials);
    EXPECT_GE(one, kTrials * 5 / 100);
    EXPECT_LE(two, kTrials * 3 / 100);
    EXPECT_LT(3 * two, one);
    RecordProperty("lost_one_antenna", one);
    RecordProperty("lost_two_antennas", two);
}

TEST(StcReceiver, ZoneFromTheMapAndBurstsAskedForLate) {
    StcPlan plan{{{1, 4, false, 1}, {3, 8, false, 4}, {2, 6, false, 3}}};
    plan.announced = false;
    Channel common;
    common.snr_db = 25;
    auto samples = receive_both(plan.modulate(numerology()), {}, common, 2);
    samples.resize(samples.size() + 4000);
    DownlinkReceiver receiver({});
    ZoneRecorder recorder;
    receiver.process(std::span(samples).first(samples.size() - 100), 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 1U);
    // All are over: the zone, its second burst, and the first one after that.
    receiver.expect_stc_zone(kZoneStart);
    const DownlinkReceiver::Expected second{plan.format(1), plan.start(1), 9}, first{plan.format(2), plan.start(2), 10};
    receiver.expect({&first, 1});
    receiver.expect({&second, 1});
    receiver.process(std::span(samples).last(100), static_cast<int64_t>(samples.size()) - 100, recorder);
    ASSERT_EQ(recorder.zones.size(), 1U);
    EXPECT_TRUE(recorder.has(9, plan.payload(1)));
    EXPECT_TRUE(recorder.has(10, plan.payload(2)));
    EXPECT_TRUE(recorder.has(kStcZoneIndex + 1, plan.payload(0)));
    // Requested again after later ones.
    const DownlinkReceiver::Expected again{plan.format(1), plan.start(1), 11};
    receiver.expect({&again, 1});
    receiver.process(samples, static_cast<int64_t>(samples.size()), recorder);
    EXPECT_TRUE(recorder.has(11, plan.payload(1)));
}

TEST(StcReceiver, ACarrierThatMovesIsFollowedWithinAndBetweenPairs) {
    // 300 Hz more from the zone on: 0.09 rad from symbol to symbol.
    StcPlan plan{{{1, 4, false, 1}, {6, 24, false, 7}, {6, 24, false, 7}}};
    Channel common;
    common.snr_db = 30;
    auto samples = receive_both(plan.modulate(numerology()), {}, common, 2);
    samples.resize(samples.size() + 4000);
    const size_t zone = 700 + static_cast<size_t>(kZoneStart) * 288;
    for (size_t n = zone; n < samples.size(); ++n)
        samples[n] *= Complex(std::polar(1.0, 2 * std::numbers::pi * 300 / 5.76e6 * static_cast<double>(n - zone)));
    DownlinkReceiver receiver({});
    ZoneRecorder recorder;
    receiver.process(samples, 0, recorder);
    const DownlinkReceiver::Expected again{plan.format(1), plan.start(1), 9};
    receiver.expect({&again, 1});
    receiver.process({}, static_cast<int64_t>(samples.size()), recorder);
    // The first one learns it. Without the phase's turn within a pair, decisions, or the uncertainty after the zone's
    // preamble, 0.3 to 3 dB less; the late one from the state after the last burst 6 dB.
    for (const auto& [index, sent, cinr_db] :
         {std::tuple{kStcZoneIndex + 2, 1U, 22.0}, {kStcZoneIndex + 3, 2U, 27.3}, {9, 1U, 19.1}}) {
        ASSERT_TRUE(recorder.has(index, plan.payload(sent))) << index;
        EXPECT_NEAR(recorder.burst(index)->measured.cinr_db, cinr_db, 0.2) << index;
    }
}

TEST(StcReceiver, SeveralZonesInAFrame) {
    // The second zone is announced by the first one's prefix.
    const auto num = numerology();
    const StcPlan one{{{1, 4, false, 1}}, 8, 3}, two{{{4, 6, false, 1}}, 17, 4};
    const auto first = one.modulate(num), second = two.modulate(num);
    auto sent = second;
    for (size_t a = 0; a < 2; ++a) std::copy(first[a].begin(), first[a].end(), sent[a].begin());
    FramePrefix prefix;
    prefix.bsid_lsb = 5;
    prefix.frame_lsb = 3;
    prefix.entries[0] = {1, false, 4};
    prefix.entries[1] = stc_zone_entry(17);
    prefix.entry_count = 2;
    const auto payload = one.payload(0);
    const DownlinkBurst burst{one.format(0), one.start(0), true, payload};
    StcModulator modulator(num);
    ASSERT_TRUE(modulator.zone({8, prefix, {&burst, 1}}, std::span(sent[0]).subspan(8 * 288),
                               std::span(sent[1]).subspan(8 * 288)));
    Channel common;
    common.snr_db = 25;
    const auto recorder = decode(receive_both(sent, {}, common, 6));
    ASSERT_EQ(recorder.zones.size(), 2U);
    EXPECT_TRUE(recorder.has(kStcZoneIndex + 1, payload));
    EXPECT_TRUE(recorder.has(2 * kStcZoneIndex + 1, two.payload(0)));
}

TEST(StcReceiver, ZoneThatAnnouncesItselfEnds) {
    const auto num = numerology();
    const StcPlan plan{{{1, 4, false, 1}}};
    auto sent = plan.modulate(num);
    FramePrefix prefix;
    prefix.entries[0] = {1, false, 4};
    prefix.entries[1] = stc_zone_entry(kZoneStart);
    prefix.entries[2] = stc_zone_entry(3);
    prefix.entry_count = 3;
    const auto payload = plan.payload(0);
    const DownlinkBurst burst{plan.format(0), plan.start(0), true, payload};
    StcModulator modulator(num);
    ASSERT_TRUE(modulator.zone({kZoneStart, prefix, {&burst, 1}}, std::span(sent[0]).subspan(kZoneStart * 288),
                               std::span(sent[1]).subspan(kZoneStart * 288)));
    Channel common;
    common.snr_db = 25;
    EXPECT_EQ(decode(receive_both(sent, {}, common, 6)).zones.size(), 1U);
}

/// Mean square error per carrier of a channel estimate that has its own common phase.
double channel_error(std::span<const Complex> response, const std::vector<Path>& paths, double window_delay) {
    Complex common{};
    double difference = 0;
    std::vector<Complex> truth;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        Complex h{};
        for (const auto& path : paths) {
            const double turn = -2 * std::numbers::pi * k * (path.delay_samples + window_delay) / kFftSize;
            if (k != 0) h += kStcAntennaAmplitude * path.gain * Complex(std::polar(1.0, turn));
        }
        truth.push_back(h);
        common += response[truth.size() - 1] * std::conj(h);
    }
    common /= std::abs(common);
    for (size_t i = 0; i < truth.size(); ++i) difference += std::norm(response[i] - common * truth[i]);
    return difference / kUsedCarriers;
}

TEST(StcReceiver, ObserverSeesCombinedPointsAndBothChannels) {
    struct Observer : SymbolObserver {
        struct Seen {
            int burst_index = 0, symbol = 0, rate_id = 0;
            double error = 0, pilot_error = 0;
            std::vector<Complex> response, second;
            int64_t window = 0;
        };
        std::vector<Seen> seen;
        void on_symbol(const SymbolObservation& o) override {
            Seen s;
            s.burst_index = o.burst_index;
            s.symbol = o.symbol;
            s.rate_id = o.format.rate_id;
            s.response.assign(o.response.begin(), o.response.end());
            s.second.assign(o.second_response.begin(), o.second_response.end());
            s.window = o.response_window;
            EXPECT_EQ(o.points.size() + o.pilots.size(), static_cast<size_t>(kUsedCarriers));
            EXPECT_EQ(o.format.stc, !o.second_response.empty());
            const int bits = kRateTable[o.format.rate_id].bits_per_carrier;
            const bool prefix = o.burst_index > 0 && o.burst_index % kStcZoneIndex == 0;
            EXPECT_EQ(o.soft_bits.size(), prefix ? 0 : o.points.size() * static_cast<size_t>(bits));
            for (const Complex z : o.points) s.error += std::norm(z - constellation(bits)[hard_label(bits, z)]);
            for (const Complex z : o.pilots) s.pilot_error += std::norm(z - 1.0F);
            seen.push_back(std::move(s));
        }
    } observer;
    const StcPlan plan{{{1, 4, false, 1}, {6, 30, false, 7}}, kOddZoneStart, 9};
    const Paths paths = unlike_paths();
    Channel common;
    common.snr_db = 32;
    common.frequency_hz = -6000;
    common.clock_ppm = 10;
    const auto samples = receive_both(plan.modulate(numerology()), paths, common, 5);
    DownlinkReceiver receiver({});
    ZoneRecorder recorder;
    receiver.set_observer(&observer);
    receiver.process(samples, 0, recorder);
    // FCH and a burst of three symbols before the zone; FCH-STC, four and thirty symbols in it.
    ASSERT_EQ(observer.seen.size(), 1U + 3 + 2 + 4 + 30);
    for (size_t i = 0; i < observer.seen.size(); ++i) {
        const auto& s = observer.seen[i];
        if (i < 4) continue;                          // FCH and first burst
        const int in_zone = static_cast<int>(i) - 4;  // symbols after the zone's preamble
        EXPECT_EQ(s.symbol, kOddZoneStart + 1 + in_zone);
        EXPECT_EQ(s.burst_index, kStcZoneIndex + (in_zone < 2 ? 0 : in_zone < 6 ? 1 : 2));
        EXPECT_EQ(s.rate_id, in_zone < 2 ? 0 : in_zone < 6 ? 1 : 6);
        double noise = 0;  // over what both channels give
        for (const int k : kDataOffsets) {
            const auto at = static_cast<size_t>(k + kEdgeCarrier);
            noise += std::pow(10, -3.2) / (std::norm(s.response[at]) + std::norm(s.second[at])) / kDataCarriers;
        }
        EXPECT_NEAR(10 * std::log10(s.error / kDataCarriers / noise), 0, 2) << i;
        EXPECT_LT(10 * std::log10(s.pilot_error / kPilotCarriers), -23) << i;
        const double window_delay = 700 + 32 - static_cast<double>(s.window);
        EXPECT_LT(10 * std::log10(channel_error(s.response, paths.antenna_0, window_delay)), -30) << i;
        EXPECT_LT(10 * std::log10(channel_error(s.second, paths.antenna_1, window_delay)), -30) << i;
    }
}

TEST(StcReceiver, BurstWithoutZoneIsReportedAsNotDetected) {
    const FramePlan plan{{{0, 10, false, 1}}, 3, 1};
    Modulator modulator(numerology());
    auto samples = plan.modulate(modulator);
    samples.resize(samples.size() + 4000);
    DownlinkReceiver receiver({});
    ZoneRecorder recorder;
    recorder.frame_hook = [&](const FrameSync&) {
        const DownlinkReceiver::Expected burst{StcPlan{{{1, 4, false, 1}}}.format(0), 14, 7};
        receiver.expect({&burst, 1});
        return SampleFlow::go_on;
    };
    receiver.process(samples, 0, recorder);
    ASSERT_NE(recorder.burst(7), nullptr);
    EXPECT_FALSE(recorder.burst(7)->detected);
    EXPECT_FALSE(recorder.burst(7)->fec_ok);
}

TEST(StcReceiver, AZoneBelongsToItsFrame) {
    // A burst in the position of one in the previous frame: without its own zone the frame cannot have it.
    const StcPlan zone{{{1, 4, false, 1}}};
    Channel common;
    common.snr_db = 30;
    auto samples = receive_both(zone.modulate(numerology()), {}, common, 2);
    Modulator modulator(numerology());
    const auto plain = FramePlan{{{0, 10, false, 1}}, 4, 1}.modulate(modulator);
    samples.resize(700 + 14'400);
    samples.insert(samples.end(), plain.begin(), plain.end());
    samples.resize(samples.size() + 4000);
    DownlinkReceiver receiver({});
    ZoneRecorder recorder;
    recorder.frame_hook = [&](const FrameSync& sync) {
        if (sync.prefix.frame_lsb != 4) return SampleFlow::go_on;
        const DownlinkReceiver::Expected burst{zone.format(0), zone.start(0), 7};
        receiver.expect({&burst, 1});
        return SampleFlow::go_on;
    };
    receiver.process(samples, 0, recorder);
    ASSERT_EQ(recorder.zones.size(), 1U);
    EXPECT_TRUE(recorder.has(kStcZoneIndex + 1, zone.payload(0)));
    ASSERT_NE(recorder.burst(7), nullptr);
    EXPECT_FALSE(recorder.burst(7)->detected);
}

}  // namespace test_stc
}  // namespace gr::wimax::phy::test
