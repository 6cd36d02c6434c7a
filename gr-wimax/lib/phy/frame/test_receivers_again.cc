// SPDX-License-Identifier: GPL-3.0-or-later
// Second use of coders, senders and receivers of the uplink: after any first use and the reset of production code, an
// object reports the same as a fresh one. All reports are compared bit by bit.
#include "phy/frame/test_second_life.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

namespace gr::wimax::phy::test {
namespace {

// --- coders ----------------------------------------------------------------------------------------------------------

const std::vector<BurstFormat>& coded_formats() {
    static const std::vector<BurstFormat> all = [] {
        std::vector<BurstFormat> formats;
        for (const uint8_t rate : {0, 1, 2, 4, 6}) {
            for (const int symbols : {3, 170}) formats.push_back({rate, 3, 1, 2, Preamble::none, symbols});
            for (const uint8_t index : {1, 6, 24}) formats.push_back({rate, 5, 2, 9, Preamble::none, 7, 0, index});
        }
        std::erase_if(formats, [](const auto& f) { return !valid_burst_format(f); });
        return formats;
    }();
    return all;
}

std::vector<uint8_t> labels_of(BurstEncoder& encoder, const BurstFormat& format, int most_symbols, uint64_t seed) {
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
    EXPECT_TRUE(encoder.start(format, payload, burst_randomizer(format)));
    std::vector<uint8_t> all;
    std::array<uint8_t, kDataCarriers> labels{};
    for (int i = 0; i < most_symbols && encoder.next_symbol(labels); ++i)
        all.insert(all.end(), labels.begin(), labels.begin() + burst_carriers(format));
    return all;
}

TEST(SecondLife, AnEncoderKnowsNothingOfABurstThatWasLeft) {
    for (const auto& second : coded_formats()) {
        BurstEncoder fresh;
        const auto expected = labels_of(fresh, second, 1000, 7);
        for (const auto& first : coded_formats())
            for (const int symbols : {1, 2, 3}) {
                BurstEncoder encoder;
                labels_of(encoder, first, symbols, 3);
                ASSERT_EQ(labels_of(encoder, second, 1000, 7), expected)
                    << int{first.rate_id} << " then " << int{second.rate_id} << ", subchannels "
                    << int{first.subchannel_index} << " then " << int{second.subchannel_index};
            }
    }
}

/// Soft bits of a burst with errors, symbol by symbol.
std::vector<std::vector<SoftBit>> soft_symbols(const BurstFormat& format, double deviation, uint64_t seed) {
    BurstEncoder encoder;
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
    EXPECT_TRUE(encoder.start(format, payload, burst_randomizer(format)));
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, deviation);
    const int bits = kRateTable[format.rate_id].bits_per_carrier;
    std::vector<std::vector<SoftBit>> all;
    std::array<uint8_t, kDataCarriers> labels{};
    while (encoder.next_symbol(labels)) {
        auto& soft = all.emplace_back();
        for (int c = 0; c < burst_carriers(format); ++c)
            for (int b = bits - 1; b >= 0; --b) {
                const double sent = labels[static_cast<size_t>(c)] >> b & 1 ? -1 : 1;
                soft.push_back(static_cast<SoftBit>(10 * (sent + noise(random))));
            }
    }
    return all;
}

Transcript decode(BurstDecoder& decoder, const BurstFormat& format, const std::vector<std::vector<SoftBit>>& symbols,
                  size_t most_symbols) {
    Transcript t;
    decoder.renew_second_chance();
    t.add("start", decoder.start(format, burst_randomizer(format)));
    for (size_t i = 0; i < std::min(most_symbols, symbols.size()); ++i) {
        t.add("fed", decoder.feed(symbols[i]));
        t.add("payload", decoder.payload());
        t.add("failed", decoder.failed_blocks()), t.add("corrected", decoder.corrected_bytes());
        t.add("complete", decoder.complete()), t.add("ok", decoder.fec_ok());
        t.add("tried", decoder.retried_blocks().tried), t.add("saved", decoder.retried_blocks().saved);
    }
    return t;
}

TEST(SecondLife, ADecoderKnowsNothingOfTheBurstBefore) {
    // Bursts decoded to their end, with blocks corrected and failed, or abandoned after some symbols: within a block,
    // within a group of windows, within the tail.
    for (const auto& second : coded_formats()) {
        const auto clean = soft_symbols(second, 0.05, 7), noisy = soft_symbols(second, 0.75, 8);
        BurstDecoder fresh;
        const auto expected = decode(fresh, second, clean, 1000), worse = decode(fresh, second, noisy, 1000);
        for (const auto& first : coded_formats()) {
            const auto before = soft_symbols(first, 0.85, 9);
            for (const size_t symbols : {size_t{1}, size_t{2}, before.size() / 3, before.size() - 3, before.size()}) {
                BurstDecoder decoder;
                decode(decoder, first, before, symbols);
                ASSERT_EQ(decode(decoder, second, clean, 1000).difference(expected), "")
                    << int{first.rate_id} << " then " << int{second.rate_id} << ", " << symbols << " symbols of "
                    << before.size() << ", then " << clean.size();
            }
            BurstDecoder decoder;
            decode(decoder, first, before, 1000);
            ASSERT_EQ(decode(decoder, second, noisy, 1000).difference(worse), "");
        }
    }
}

TEST(SecondLife, ADecoderThatRefusedABurstReportsNothingOfTheOneBefore) {
    BurstFormat format{6, 3, 1, 2, Preamble::none, 20};
    BurstDecoder decoder(100);
    decode(decoder, format, soft_symbols(format, 0.9, 3), 1000);
    EXPECT_GT(decoder.failed_blocks() + decoder.corrected_bytes(), 0);
    format.data_symbols = 101;
    EXPECT_FALSE(decoder.start(format, burst_randomizer(format)));
    EXPECT_EQ(decoder.failed_blocks(), 0);
    EXPECT_EQ(decoder.corrected_bytes(), 0);
    EXPECT_TRUE(decoder.payload().empty());
    EXPECT_FALSE(decoder.complete());
    EXPECT_FALSE(decoder.feed(std::vector<SoftBit>(kDataCarriers * 6)));
}

// --- senders ---------------------------------------------------------------------------------------------------------

TEST(SecondLife, AModulatorsSamplesDoNotDependOnTheBurstsBefore) {
    // Savings of crest-factor reduction and the overlap of windows belong to one burst.
    const std::vector<BurstFormat> formats{
        {1, 7, 1, 9, Preamble::short_, 6},        {6, 7, 1, 9, Preamble::short_, 6},
        {6, 7, 1, 9, Preamble::long_, 3},         {4, 7, 1, 9, Preamble::short_, 20, 1},
        {3, 7, 1, 9, Preamble::short_, 6, 0, 24}, {0, 7, 1, 9, Preamble::none, 9}};
    for (const TransmitShape& shape : {TransmitShape{}, TransmitShape{8, std::nullopt}, TransmitShape{8, 5.0}}) {
        for (const auto& second : formats) {
            Modulator fresh(a_numerology(), kMaxFrameSymbols, shape);
            const auto expected = modulated(fresh, second, 5);
            Modulator modulator(a_numerology(), kMaxFrameSymbols, shape);
            for (const auto& first : formats) {
                modulated(modulator, first, 3);
                ASSERT_EQ(modulated(modulator, second, 5), expected)
                    << int{first.rate_id} << " then " << int{second.rate_id};
            }
        }
    }
}

// --- receivers of the uplink -----------------------------------------------------------------------------------------

constexpr int64_t kNominal = 300;
constexpr int kSearch = 2500;  // samples

struct UplinkInput {
    UplinkAllocation allocation;
    Samples samples;
};

/// A burst, or two that begin in a search, after a channel.
UplinkInput on_air(const BurstFormat& format, int search, const Disturbance& disturbance, uint64_t seed,
                   bool sent = true) {
    Modulator modulator(a_numerology());
    const auto length = static_cast<size_t>(format.total_symbols() * a_numerology().symbol_samples());
    UplinkInput input{{format, kNominal, search, static_cast<int>(seed)},
                      Samples(length + 900 + static_cast<size_t>(search))};
    Channel channel;
    channel.snr_db = 31;
    channel.frequency_hz = 700;
    for (int station = 0; sent && station < (search > 0 ? 2 : 1); ++station) {
        channel.delay_samples = kNominal + 4.3 + static_cast<double>(length + 150) * station;
        channel.paths = {{0, station == 0 ? 1.0F : 0.3F}, {5.4, {0.1F, 0.2F}}};
        auto sent_samples = modulated(modulator, format, seed + static_cast<uint64_t>(station));
        for (auto& x : sent_samples) x += static_cast<float>(disturbance.sender_image) * std::conj(x);
        const auto one = pass(sent_samples, channel, kSampleRate, input.samples.size(), seed);
        for (size_t n = 0; n < one.size(); ++n) input.samples[n] += one[n];
    }
    disturb(input.samples, disturbance, seed);
    return input;
}

const std::vector<BurstFormat>& uplink_formats() {
    static const std::vector<BurstFormat> all{{6, 7, 1, 9, Preamble::short_, 14},
                                              {1, 7, 1, 9, Preamble::long_, 4},
                                              {3, 7, 1, 9, Preamble::short_, 20, 1},
                                              {4, 7, 1, 9, Preamble::short_, 6, 0, 24},
                                              {2, 7, 1, 9, Preamble::short_, 12, 1, 6}};
    return all;
}

Transcript receive(UplinkReceiver& receiver, const UplinkInput& input) {
    Transcript t;
    TranscribingObserver observer(t);
    receiver.set_observer(&observer);
    ReceivedBurst result;
    receiver.receive(input.samples, 0, input.allocation, result);
    t.add(result);
    t.add("second", receiver.receive_second(input.samples, 0, input.allocation, result));
    t.add(result);
    t.add(receiver.front_end());
    receiver.set_observer(nullptr);
    return t;
}

/// Signals of the second use: each format, with and without search; and nothing.
std::vector<UplinkInput> second_inputs() {
    std::vector<UplinkInput> all;
    for (const auto& format : uplink_formats())
        for (const int search : {0, kSearch}) all.push_back(on_air(format, search, {}, 40 + all.size()));
    all.push_back(on_air(uplink_formats()[0], 0, {.noise = 0.1}, 60, false));
    all.push_back(on_air(uplink_formats()[1], kSearch, {.noise = 0.1}, 61, false));
    return all;
}

TEST(SecondLife, AnUplinkReceiverWithAForgottenFrontEndIsAFreshOne) {
    std::vector<std::vector<UplinkInput>> lives;
    for (const auto& disturbance : disturbances()) {
        auto& life = lives.emplace_back();
        for (uint64_t i = 0; i < uplink_formats().size(); ++i)
            life.push_back(on_air(uplink_formats()[i], i % 2 == 0 ? 0 : kSearch, disturbance, i + 1));
        life.push_back(on_air(uplink_formats()[0], kSearch, disturbance, 9));
    }
    for (const auto& input : second_inputs()) {
        UplinkReceiver fresh(a_numerology());
        const auto expected = receive(fresh, input);
        for (size_t d = 0; d < lives.size(); ++d) {
            UplinkReceiver receiver(a_numerology());
            for (const auto& part : lives[d]) receive(receiver, part);
            receiver.forget_front_end();
            expect_no_front_end(receiver);
            ASSERT_EQ(receive(receiver, input).difference(expected), "")
                << "rate " << int{input.allocation.format.rate_id} << ", searched " << input.allocation.search_samples
                << ", disturbance " << d;
        }
    }
}

TEST(SecondLife, WhatABurstThatFailedShowedIsNotKept) {
    // A receiver learns nothing from allocations in which nothing is found, abandoned bursts and bursts whose code
    // fails. Only a decoded burst gives information on a front end.
    const auto inputs = second_inputs();
    std::vector<UplinkInput> lives;
    for (const auto& disturbance : disturbances()) {
        for (const int search : {0, kSearch})
            lives.push_back(on_air(uplink_formats()[0], search, disturbance, 9, false));
        lives.push_back(on_air({6, 9, 1, 9, Preamble::short_, 14}, 0, disturbance, 10));
    }
    for (const auto& input : inputs) {
        UplinkReceiver fresh(a_numerology()), receiver(a_numerology());
        const auto expected = receive(fresh, input);
        for (auto life : lives) {
            ReceivedBurst result;
            receiver.start(life.allocation);
            receiver.advance(std::span(life.samples).first(life.samples.size() / 2), 0);
            const bool nothing_sent = life.allocation.index == 9;
            if (nothing_sent) receive(receiver, life);
            ASSERT_EQ(receive(receiver, input).difference(expected), "") << int{input.allocation.format.rate_id};
            receiver.forget_front_end();  // of the burst in between, which was decoded
        }
    }
}

TEST(SecondLife, ASecondStationIsOneOfTheAllocationAtHand) {
    // Two stations range together, then a burst arrives in its place: no second one is reported for it.
    UplinkReceiver receiver(a_numerology());
    ReceivedBurst result;
    const auto ranging = on_air(uplink_formats()[1], kSearch, {}, 3);
    receiver.receive(ranging.samples, 0, ranging.allocation, result);
    ASSERT_TRUE(receiver.receive_second(ranging.samples, 0, ranging.allocation, result));
    auto data = on_air(uplink_formats()[1], 0, {}, 4);
    receiver.receive(data.samples, 0, data.allocation, result);
    ASSERT_TRUE(result.fec_ok);
    EXPECT_FALSE(receiver.receive_second(data.samples, 0, data.allocation, result));
    EXPECT_FALSE(result.detected);
    EXPECT_FALSE(receiver.receive_second(ranging.samples, 0, ranging.allocation, result));
}

TEST(SecondLife, ACarrierReceiversBurstsDoNotDependOnTheLinkBefore) {
    // Symbols as from a radio's transform.
    const auto carriers_of = [](const Samples& samples, int64_t window) {
        OfdmTransform transform;
        std::array<Complex, kFftSize> bins;
        transform.demodulate(std::span<const Complex, kFftSize>(samples.data() + window, kFftSize), bins);
        std::vector<Complex> carriers;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) carriers.push_back(bins[static_cast<size_t>(bin_of(k))]);
        carriers[kEdgeCarrier] = {};
        return carriers;
    };
    const auto run = [&](CarrierReceiver& receiver, const UplinkInput& input) {
        Transcript t;
        TranscribingObserver observer(t);
        receiver.set_observer(&observer);
        const int64_t first = kNominal + 20, symbol = a_numerology().symbol_samples();
        CarrierTransform transform;
        transform.first_window = first;
        const auto only = carriers_of(input.samples, first);
        receiver.set_second_chance(true);  // with all its work
        t.add("begun", receiver.begin(transform, std::span<const Complex, 201>(only)));
        t.add("shift", receiver.window_shift()), t.add("first path", receiver.first_path());
        t.add("started", receiver.start(input.allocation.format, 1, burst_randomizer(input.allocation.format), 4));
        while (receiver.wants_symbol()) {
            const int64_t window = first + receiver.next_symbol() * symbol;
            const auto carriers = carriers_of(input.samples, window);
            t.add("window", receiver.next_window());
            receiver.take(window, std::span<const Complex, 201>(carriers));
        }
        ReceivedBurst result;
        receiver.finish(result);
        result.format = {};
        t.add(result);
        receiver.set_observer(nullptr);
        return t;
    };
    const auto second = on_air(uplink_formats()[0], 0, {}, 5);
    CarrierReceiver fresh(a_numerology(), Direction::uplink, 100);
    const auto expected = run(fresh, second);
    EXPECT_GT(expected.size(), 100U);
    for (const Disturbance& d : {Disturbance{}, Disturbance{.fading_hz = 600}, Disturbance{.noise = 0.3}}) {
        CarrierReceiver receiver(a_numerology(), Direction::uplink, 100);
        run(receiver, on_air(uplink_formats()[0], 0, d, 3));
        EXPECT_EQ(run(receiver, second).difference(expected), "") << d.noise;
    }
}

TEST(SecondLife, ContentionIsDetectedAsByAFreshDetector) {
    ContentionTransmitter transmitter(a_numerology());
    const auto opportunity = [&](std::initializer_list<ContentionCode> codes, double noise, uint64_t seed) {
        const auto length = static_cast<size_t>(kContentionSymbols * a_numerology().symbol_samples());
        Samples sum(length);
        for (const auto& code : codes) {
            Samples one(length);
            EXPECT_EQ(transmitter.transmit(code, 0, one), length);
            for (size_t n = 0; n < length; ++n) sum[n] += one[n];
        }
        disturb(sum, {.noise = noise}, seed);
        return sum;
    };
    const auto detect = [](ContentionDetector& detector, const Samples& samples) {
        Transcript t;
        for (const auto& d : detector.detect(samples, 0, 0)) {
            t.add("channel", d.what.channel), t.add("code", d.what.code), t.add("snr", d.snr_db);
            t.add("rssi", d.rssi_dbfs), t.add("certainty", d.certainty);
        }
        t.add("end", 0);
        return t;
    };
    const auto loud = opportunity({{3, 1}, {10, 7}, {40, 0}}, 0.02, 3), quiet = opportunity({{11, 2}}, 0.01, 4),
               nothing = opportunity({}, 0.02, 5);
    ContentionDetector detector(a_numerology());
    for (const auto* second : {&quiet, &nothing, &loud}) {
        ContentionDetector fresh(a_numerology());
        detect(detector, loud);
        EXPECT_EQ(detect(detector, *second).difference(detect(fresh, *second)), "");
    }
    EXPECT_EQ(detector.detect(nothing, 0, 0).size(), 0U);
}

}  // namespace
}  // namespace gr::wimax::phy::test
