/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Second use of receivers, coders and senders: after any first use and the reset of production code, an object reports
 * the same as a fresh one. All reports are compared bit by bit.
 */
#include "phy/base/test_members.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <gtest/gtest.h>

#include <cstring>

namespace gr::wimax::phy::test {
namespace {

constexpr double kSampleRate = 5.76e6;
Numerology a_numerology() { return *Numerology::make(5'000'000, CyclicPrefix::g1_8); }

// --- reports --------------------------------------------------------------------------------------------------------

/// A structure that gains a member needs its line below.
static_assert(members<BurstFormat>() == 9 && members<FrontEndLevels>() == 5 && members<BurstMeasurement>() == 5);
static_assert(members<ReceivedBurst>() == 10 && members<FrameSync>() == 10 && members<StcZoneSync>() == 5 &&
              members<FramePrefixEntry>() == 3);

class Transcript {
public:
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(const char* what, T value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        lines_.push_back({what, bits, static_cast<double>(value)});
    }
    void add(const char* what, std::span<const uint8_t> octets) {
        for (const uint8_t octet : octets) hash(&octet, 1);
        end(what, octets.size());
    }
    void add(const char* what, std::span<const Complex> values) {
        hash(values.data(), values.size_bytes());
        end(what, values.size());
    }
    void add(const BurstFormat& f) {
        add("rate", f.rate_id), add("iuc", f.iuc), add("bsid", f.bsid_lsb), add("frame_lsb", f.frame_lsb);
        add("preamble", f.preamble), add("data_symbols", f.data_symbols), add("midambles", f.midamble_interval);
        add("subchannel", f.subchannel_index), add("stc", f.stc);
    }
    void add(const FramePrefix& p) {
        add("prefix bsid", p.bsid_lsb), add("prefix lsb", p.frame_lsb), add("prefix count", p.change_count_lsb);
        add("entries", p.entry_count);
        for (const auto& e : p.entries)
            add("code", e.rate_id_or_diuc), add("present", e.preamble_present), add("length", e.length);
    }
    void add(const FrontEndLevels& f) {
        add("dc", f.dc_dbfs), add("image", f.image_dbc), add("sender image", f.sender_dbc), add("tone", f.tone_dbfs);
        add("tone_hz", f.tone_hz);
    }
    void add(const ReceivedBurst& b) {
        add(b.format);
        add("start_sample", b.start_sample), add("start_symbol", b.start_symbol), add("index", b.index);
        add("detected", b.detected), add("fec_ok", b.fec_ok), add("failed_blocks", b.failed_blocks);
        add("corrected_bytes", b.corrected_bytes), add("payload", b.payload);
        const auto& m = b.measured;
        add("rssi", m.rssi_dbfs), add("cinr", m.cinr_db), add("evm", m.evm_db), add("timing", m.timing_offset_samples);
        add("burst offset", m.frequency_offset_hz);
    }
    void add(const FrameSync& s) {
        add("frame start", s.start_sample), add("fraction", s.start_fraction), add("cp", s.cp);
        add("offset", s.frequency_offset_hz), add("ppm", s.clock_offset_ppm), add("snr", s.snr_db);
        add("frame rssi", s.rssi_dbfs), add("fch_ok", s.fch_ok), add(s.prefix), add("samples", s.frame_samples);
    }
    void add(const StcZoneSync& z) {
        add("zone start", z.start_symbol), add("zone index", z.index), add("prefix_ok", z.prefix_ok), add(z.prefix);
        add("antenna 0", z.rssi_dbfs[0]), add("antenna 1", z.rssi_dbfs[1]);
    }
    void add(const SymbolObservation& o) {
        add("direction", o.direction), add(o.format), add("of burst", o.burst_index), add("symbol", o.symbol);
        add("points", o.points), add("pilots", o.pilots), add("response", o.response);
        add("second response", o.second_response), add("window", o.response_window);
        add("cycles", o.cycles_per_sample), add("noise", o.noise_variance), add("phase", o.phase_rad);
        add("delay", o.delay_samples);
    }
    size_t size() const { return lines_.size(); }
    /// The first line that differs; empty: none.
    std::string difference(const Transcript& other) const {
        for (size_t i = 0; i < std::min(size(), other.size()); ++i) {
            const auto &a = lines_[i], &b = other.lines_[i];
            if (a.what == b.what && a.bits == b.bits) continue;
            return "line " + std::to_string(i) + ": " + a.what + " " + std::to_string(a.value) + ", fresh: " + b.what +
                   " " + std::to_string(b.value);
        }
        if (size() == other.size()) return "";
        return std::to_string(size()) + " lines, fresh: " + std::to_string(other.size());
    }

private:
    struct Line {
        std::string what;
        uint64_t bits;
        double value;
    };
    void hash(const void* data, size_t octets) {
        const auto* from = static_cast<const uint8_t*>(data);
        for (size_t i = 0; i < octets; ++i) hash_ = (hash_ ^ from[i]) * 0x100000001b3;
    }
    void end(const char* what, size_t count) {
        lines_.push_back({what, hash_ ^ count, static_cast<double>(count)});
        hash_ = 0xcbf29ce484222325;
    }
    std::vector<Line> lines_;
    uint64_t hash_ = 0xcbf29ce484222325;
};

struct TranscribingObserver : SymbolObserver {
    explicit TranscribingObserver(Transcript& to) : transcript(to) {}
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen); }
    Transcript& transcript;
};

template <typename Receiver>
void expect_no_front_end(const Receiver& receiver) {
    Transcript now, none;
    now.add(receiver.front_end()), none.add(FrontEndLevels());
    EXPECT_EQ(now.difference(none), "");
}

// --- signals that may leave a state ----------------------------------------------------------------------------------

/// State that a first use may leave in a receiver.
struct Disturbance {
    double dc = 0, image = 0, tone = 0, noise = 0;  ///< amplitudes
    double tone_carrier = 33.4;                     ///< place of the tone
    double fading_hz = 0;                           ///< two paths whose phases turn against each other by this much
    double sender_image = 0;                        ///< of uplink bursts, over the signal
};

void disturb(Samples& samples, const Disturbance& d, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> gauss(0, 1);
    const Samples clean = samples;
    for (size_t n = 0; n < samples.size(); ++n) {
        const auto t = static_cast<double>(n);
        std::complex<double> x = clean[n];
        if (d.fading_hz != 0 && n >= 7)
            x = 0.8 * x + std::polar(0.6, 2 * std::numbers::pi * d.fading_hz * t / kSampleRate) *
                              std::complex<double>(clean[n - 7]);
        x += d.image * std::conj(x) + d.dc * std::complex<double>(0.8, 0.6);
        x += d.tone * std::polar(1.0, 2 * std::numbers::pi * d.tone_carrier * t / kFftSize);
        samples[n] = Complex(x + d.noise * std::complex<double>(gauss(random), gauss(random)));
    }
}

/// A front end, a carrier within the band, a channel that moves, noise that destroys blocks.
const std::vector<Disturbance>& disturbances() {
    static const std::vector<Disturbance> all{
        {},
        {.dc = 0.2, .image = 0.1},
        {.tone = 0.1},
        {.fading_hz = 600},
        {.noise = 0.12},
        {.noise = 1},
        {.sender_image = 0.05},
        {.dc = 0.1, .image = 0.05, .tone = 0.05, .noise = 0.05, .fading_hz = 300}};
    return all;
}

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
    t.add("start", decoder.start(format, burst_randomizer(format)));
    for (size_t i = 0; i < std::min(most_symbols, symbols.size()); ++i) {
        t.add("fed", decoder.feed(symbols[i]));
        t.add("payload", decoder.payload());
        t.add("failed", decoder.failed_blocks()), t.add("corrected", decoder.corrected_bytes());
        t.add("complete", decoder.complete()), t.add("ok", decoder.fec_ok());
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

Samples modulated(Modulator& modulator, const BurstFormat& format, uint64_t seed) {
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
    Samples out(static_cast<size_t>(format.total_symbols() * modulator.numerology().symbol_samples()) +
                modulator.tail_samples());
    EXPECT_EQ(modulator.uplink({format, payload}, out), out.size());
    return out;
}

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

// --- the receiver of the downlink ------------------------------------------------------------------------------------

/// Frames of 2.5 ms; some are silent, some have a prefix that cannot be read.
struct Frames {
    enum class Kind : uint8_t { good, silent, bad_prefix, zone };
    Samples samples;
    size_t frame_samples = static_cast<size_t>(a_numerology().frame_samples(0));
    FramePlan plan{{{1, 2, false, 1}, {4, 6, false, 5}, {6, 5, true, 7}}, 0, 3};
    Modulator modulator{a_numerology()};
    StcModulator stc{a_numerology()};

    void add(int count, Kind kind = Kind::good) {
        for (int i = 0; i < count; ++i) {
            const size_t begin = samples.size();
            samples.resize(begin + frame_samples);
            auto frame = kind == Kind::silent ? Samples() : kind == Kind::zone ? with_zone() : plan.modulate(modulator);
            if (kind == Kind::bad_prefix)
                std::fill_n(frame.begin() + 2 * a_numerology().symbol_samples(), a_numerology().symbol_samples(),
                            Complex{});
            std::copy(frame.begin(), frame.end(), samples.begin() + static_cast<ptrdiff_t>(begin));
            plan.frame_lsb = (plan.frame_lsb + 1) & 15;
        }
    }
    /// Both antennas' signals, each through its channel.
    Samples with_zone() {
        const size_t symbol = static_cast<size_t>(a_numerology().symbol_samples());
        FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = plan.frame_lsb;
        prefix.entries[0] = {1, false, 3};
        prefix.entries[1] = stc_zone_entry(8);
        prefix.entry_count = 2;
        const auto payload = random_bytes(60, plan.frame_lsb);
        DownlinkBurst plain{{1, 0, 5, plan.frame_lsb, Preamble::none, 3}, 3, true, payload};
        BurstFormat format{3, 0, 5, plan.frame_lsb, Preamble::none, 4};
        format.stc = true;
        const DownlinkBurst coded{format, 11, true, payload};
        FramePrefix own = prefix;
        own.entries[0] = {3, false, 4};
        own.entry_count = 1;
        Samples first(15 * symbol), second(15 * symbol);
        EXPECT_TRUE(modulator.downlink(prefix, {&plain, 1}, first));
        EXPECT_TRUE(stc.zone({8, own, {&coded, 1}}, std::span(first).subspan(8 * symbol),
                             std::span(second).subspan(8 * symbol)));
        for (size_t n = 0; n < first.size(); ++n) first[n] += Complex(0.3F, 0.8F) * second[n];
        return first;
    }
    Samples received(const Disturbance& disturbance, const Channel& channel, uint64_t seed) const {
        auto out = pass(samples, channel, kSampleRate, samples.size() + 400, seed);
        disturb(out, disturbance, seed);
        return out;
    }
};

struct TranscribingListener : DownlinkListener, SymbolObserver {
    explicit TranscribingListener(DownlinkReceiver& r) : receiver(r) { receiver.set_observer(this); }
    ~TranscribingListener() override { receiver.set_observer(nullptr); }
    SampleFlow on_frame(const FrameSync& sync) override {
        transcript.add(sync), transcript.add(receiver.front_end());
        return SampleFlow::go_on;
    }
    SampleFlow on_burst(const FrameSync& sync, ReceivedBurst& burst) override {
        transcript.add(sync), transcript.add(burst), transcript.add(receiver.front_end());
        if (burst.index == 3) {  // requested late: from the state after the frame prefix
            DownlinkReceiver::Expected again{{4, 5, 5, sync.prefix.frame_lsb, Preamble::none, 6}, 5, 9};
            receiver.expect({&again, 1});
        }
        return SampleFlow::go_on;
    }
    SampleFlow on_stc_zone(const FrameSync& sync, const StcZoneSync& zone) override {
        transcript.add(sync), transcript.add(zone);
        return SampleFlow::go_on;
    }
    void on_sync_lost(int64_t sample) override {
        transcript.add("lost", sample);
        if (at_loss) at_loss(sample);
    }
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen); }

    DownlinkReceiver& receiver;
    Transcript transcript;
    std::function<void(int64_t)> at_loss;
};

Transcript receive(DownlinkReceiver& receiver, const Samples& samples, size_t from, size_t to,
                   const std::function<void(int64_t)>& at_loss = {}) {
    TranscribingListener listener(receiver);
    listener.at_loss = at_loss;
    receiver.process(std::span(samples).subspan(from, to - from), static_cast<int64_t>(from), listener);
    listener.transcript.add("synchronised", receiver.synchronised());
    listener.transcript.add(receiver.front_end());
    return listener.transcript;
}

using Kind = Frames::Kind;

/// Frames with events that a receiver may count: missing preambles and unreadable prefixes, one fewer in a row than
/// needed to lose synchronisation.
Samples second_frames(int bad_prefixes) {
    Frames frames;
    frames.add(3);
    frames.add(4, Kind::silent);
    frames.add(2, Kind::zone);
    frames.add(bad_prefixes, Kind::bad_prefix);
    frames.add(2);
    Channel channel;
    channel.snr_db = 24;
    channel.frequency_hz = 3e3;
    channel.clock_ppm = 4;
    channel.delay_samples = 77.4;
    channel.paths = {{0, 0.9F}, {6.2, {0.1F, 0.3F}}};
    return frames.received({}, channel, 11);
}

TEST(SecondLife, ADownlinkReceiverThatWasResetIsAFreshOne) {
    const auto second = second_frames(15);
    DownlinkReceiver fresh({});
    const auto expected = receive(fresh, second, 0, second.size());
    EXPECT_TRUE(fresh.synchronised());
    for (const auto& disturbance : disturbances()) {
        Frames frames;
        frames.add(5);
        frames.add(3, Kind::bad_prefix);
        frames.add(1, Kind::zone);
        frames.add(6);
        Channel channel;
        channel.frequency_hz = -9e3;
        channel.clock_ppm = -15;
        channel.delay_samples = 900;
        channel.snr_db = 30;
        const auto first = frames.received(disturbance, channel, 5);
        // Ends within a burst, a prefix, a zone, a preamble, a gap.
        for (const size_t end : {size_t{40'000}, size_t{73'800}, size_t{116'900}, size_t{187'700}, first.size()}) {
            DownlinkReceiver receiver({});
            receive(receiver, first, 0, end);
            receiver.reset();
            expect_no_front_end(receiver);
            ASSERT_EQ(receive(receiver, second, 0, second.size()).difference(expected), "")
                << "noise " << disturbance.noise << ", left at " << end;
        }
    }
}

TEST(SecondLife, ADownlinkReceiverThatLostItsBaseStationIsAFreshOne) {
    // If it loses the base station, for lack of preambles or of prefixes, only the state of the front end remains.
    for (const Kind cause : {Kind::silent, Kind::bad_prefix})
        for (const auto& disturbance : disturbances()) {
            if (disturbance.noise > 0.5 || disturbance.tone == 0) continue;  // kinds that leave least and most state
            Frames frames;
            frames.add(6);
            frames.add(18, cause);
            frames.add(2, Kind::silent);
            Channel channel;
            channel.frequency_hz = -9e3;
            channel.delay_samples = 900;
            channel.snr_db = 33;
            auto samples = frames.received(disturbance, channel, 5);
            const size_t begin_second = samples.size();
            const auto second = second_frames(15);
            samples.insert(samples.end(), second.begin(), second.end());
            DownlinkReceiver receiver({});
            int64_t lost = -1;
            // The rest of the first use is silence for both, and the front end is unknown.
            receive(receiver, samples, 0, begin_second, [&](int64_t sample) { lost = lost < 0 ? sample : lost; });
            ASSERT_GE(lost, 0) << static_cast<int>(cause);
            receiver.forget_front_end();
            DownlinkReceiver fresh({});
            // A fresh one that has searched the same end of the first use.
            receive(fresh, samples, static_cast<size_t>(lost), begin_second);
            fresh.forget_front_end();
            ASSERT_EQ(receive(receiver, samples, begin_second, samples.size())
                          .difference(receive(fresh, samples, begin_second, samples.size())),
                      "")
                << static_cast<int>(cause) << ' ' << disturbance.noise << ' ' << disturbance.fading_hz;
        }
}

TEST(SecondLife, AfterAGapOnlyTheFrontEndStays) {
    const auto second = second_frames(15);
    for (const auto& disturbance : disturbances()) {
        Frames frames;
        frames.add(7);
        const auto first = frames.received(disturbance, Channel{.snr_db = 30, .delay_samples = 900}, 5);
        DownlinkReceiver receiver({}), fresh({});
        receive(receiver, first, 0, 80'000);
        receiver.forget_front_end();
        expect_no_front_end(receiver);
        // The first sample is not consecutive: the loss is reported, and nothing else differs.
        const auto shifted = [&](DownlinkReceiver& r) {
            TranscribingListener listener(r);
            r.process({}, 1'000'000, listener);
            listener.transcript = {};
            r.process(second, 1'000'000, listener);
            return listener.transcript;
        };
        ASSERT_EQ(shifted(receiver).difference(shifted(fresh)), "") << disturbance.noise;
    }
}

// --- events that lose synchronisation or do not ----------------------------------------------------------------------

/// Losses of synchronisation in frames of these kinds, the first of which are good.
size_t losses(std::initializer_list<std::pair<int, Kind>> runs) {
    Frames frames;
    frames.add(3);
    for (const auto& [count, kind] : runs) frames.add(count, kind);
    Recorder recorder;
    DownlinkReceiver receiver({});
    receiver.process(frames.received({}, Channel{.snr_db = 25, .delay_samples = 100}, 3), 0, recorder);
    return recorder.losses.size();
}

TEST(LossOfSynchronisation, FiveMissingPreamblesInARowAndNotFiveInAll) {
    using enum Frames::Kind;
    EXPECT_EQ(losses({{4, silent}, {1, good}, {4, silent}, {1, good}, {4, silent}, {1, good}}), 0U);
    EXPECT_EQ(losses({{4, silent}, {1, bad_prefix}, {4, silent}, {1, good}}), 0U);
    EXPECT_EQ(losses({{5, silent}, {2, good}}), 1U);
    EXPECT_EQ(losses({{5, silent}, {2, good}, {4, silent}, {2, good}}), 1U);
    EXPECT_EQ(losses({{5, silent}, {3, good}, {4, silent}, {2, good}, {5, silent}, {3, good}}), 2U);
}

TEST(LossOfSynchronisation, SixteenBadPrefixesInARowAndNotSixteenInAll) {
    using enum Frames::Kind;
    EXPECT_EQ(losses({{15, bad_prefix}, {1, good}, {15, bad_prefix}, {1, good}, {15, bad_prefix}, {1, good}}), 0U);
    EXPECT_EQ(losses({{8, bad_prefix}, {2, silent}, {7, bad_prefix}, {1, good}}), 0U);
    EXPECT_EQ(losses({{8, bad_prefix}, {2, silent}, {8, bad_prefix}, {1, good}}), 1U);
    EXPECT_EQ(losses({{16, bad_prefix}, {3, good}, {15, bad_prefix}, {1, good}}), 1U);
}

}  // namespace
}  // namespace gr::wimax::phy::test
