// SPDX-License-Identifier: GPL-3.0-or-later
// The radio's cores in series, each compared with its model: a frame of golden vectors through gate, detector and front
// end; fading frames through the front end, the host's receiver and equalizer, and the decoder.
#include "fpga/model/burst_words.h"
#include "fpga/model/demap_viterbi_rs.h"
#include "fpga/model/soft_carrier.h"
#include "fpga/model/test_ofdm_support.h"
#include "fpga/sim/burst_gate_core.h"
#include "fpga/sim/demap_viterbi_rs_core.h"
#include "fpga/sim/ofdm_frontend_core.h"
#include "fpga/sim/preamble_detect_core.h"
#include "phy/base/test_vectors.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>

#include <gtest/gtest.h>

#include <map>

namespace wimax::fpga::test {
namespace {

using phy::test::complex_of;
using phy::test::vectors;

constexpr int kPrefix = 64;
constexpr size_t kSymbol = phy::kFftSize + kPrefix;

/// Both symbols of the long preamble and all bursts of the golden vectors, prefix 1/4.
class GoldenFrame {
public:
    GoldenFrame() {
        for (const auto* name : {"p_4x64", "p_even_2x128"}) {
            const auto& carriers = vectors().at("preambles").at(name).at("carriers");
            append([&](auto&& bin) {
                for (const auto& [offset, value] : carriers.items()) bin(std::stoi(offset)) = complex_of(value);
            });
        }
        for (const auto& burst : vectors().at("bursts"))
            for (size_t s = 0; s < burst.at("labels").size(); ++s) append_data(burst, s);
    }
    struct Data {
        int bits;
        std::vector<uint8_t> labels;
        std::vector<float> pilots;
    };
    Samples samples;
    std::vector<Data> data;  ///< of each symbol after the preamble

private:
    template <class Fill> void append(Fill fill) {
        auto bins = transform_.carriers();
        std::ranges::fill(bins, Complex{});
        fill([&](int offset) -> Complex& { return bins[static_cast<size_t>(phy::bin_of(offset))]; });
        samples.resize(samples.size() + kSymbol);
        transform_.modulate(kPrefix, std::span(samples).last(kSymbol));
    }
    void append_data(const nlohmann::json& burst, size_t s) {
        const Data& now = data.emplace_back(Data{phy::kRateTable[burst.at("rate_id").get<size_t>()].bits_per_carrier,
                                                 burst.at("labels").at(s).get<std::vector<uint8_t>>(),
                                                 burst.at("pilots").at(s).get<std::vector<float>>()});
        std::array<Complex, phy::kDataCarriers> points;
        phy::map_labels(now.bits, now.labels, points);
        append([&](auto&& bin) {
            for (size_t i = 0; i < points.size(); ++i) bin(phy::kDataOffsets[i]) = points[i];
            for (size_t i = 0; i < now.pilots.size(); ++i) bin(phy::kPilotOffsets[i]) = now.pilots[i];
        });
    }

    phy::OfdmTransform transform_;
};

/// Output of the gate for a burst at `time`, a word per sample; before and after it nothing is sent.
template <class Gate> std::vector<AxisWord> sent_by(Gate& gate, std::vector<AxisWord> words, uint64_t time) {
    gate.write(burst_gate::kEnable, 1);
    words.front().time = time;
    words.front().has_time = words.back().end_of_burst = true;
    std::vector<AxisWord> out;
    std::vector<uint8_t> line;
    gate.process(words, time - 1000, words.size() + 2000, out, line);
    return out;
}

/// As in a receiver's radio: silence around, a time with the first word.
std::vector<AxisWord> on_air(const std::vector<AxisWord>& sent, size_t around, uint64_t first_time) {
    std::vector<AxisWord> words(around);
    for (const auto& word : sent) words.push_back({word.data, 0, false, false, false});
    words.resize(words.size() + around);
    words.front().has_time = true;
    words.front().time = first_time;
    return words;
}

TEST(ReceivingCores, AGoldenFrameThroughGateDetectorAndFrontEnd) {
    const GoldenFrame golden;
    BurstGate gate;
    BurstGateCore gate_core({0.3, 1}, {0.3, 2}, {0.3, 3});
    const auto burst = radio_words(golden.samples, kHeadroom, 0);
    const auto sent = sent_by(gate_core, burst, kFirstTime);
    EXPECT_EQ(sent, sent_by(gate, burst, kFirstTime));
    ASSERT_EQ(sent.size(), burst.size());
    EXPECT_EQ(sent.front().time, kFirstTime);
    EXPECT_TRUE(sent.back().end_of_burst);

    constexpr size_t kAround = 1100;
    const auto heard = on_air(sent, kAround, kFirstTime - kAround);
    PreambleDetect detector;
    PreambleDetectCore detector_core({0.3, 4}, {0.3, 5}, {0.3, 6});
    std::vector<Detection> expected, found;
    std::vector<AxisWord> passed;
    detector.process(heard, passed, expected);
    passed.clear();
    detector_core.process(heard, passed, found);
    EXPECT_EQ(passed, heard);
    EXPECT_EQ(found, expected);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].time, kFirstTime);
    EXPECT_EQ(found[0].cp_samples, kPrefix);
    EXPECT_LE(std::abs(found[0].offset), 1);  // never 0: 2^-16 cycles per sample

    const ofdm_frontend::Order order{.time = found[0].time + 2 * kSymbol,
                                     .symbols = static_cast<uint16_t>(golden.data.size()),
                                     .prefix_samples = static_cast<uint16_t>(found[0].cp_samples)};
    OfdmFrontend front;
    OfdmFrontendCore front_core({0.3, 7}, {0.3, 8});
    front.order(order);
    front_core.order(order);
    std::vector<AxisWord> wanted, packets;
    front.process(heard, wanted);
    front_core.process(heard, packets);
    EXPECT_EQ(packets, wanted);
    const auto read = read_packets(packets);
    ASSERT_EQ(read.size(), golden.data.size());
    for (size_t s = 0; s < read.size(); ++s) {
        const auto at = [&](int offset) { return read[s].carriers[static_cast<size_t>(offset + 100)] / kHeadroom; };
        const auto& data = golden.data[s];
        for (size_t i = 0; i < data.labels.size(); ++i)
            EXPECT_EQ(phy::hard_label(data.bits, at(phy::kDataOffsets[i])), data.labels[i]) << s;
        for (size_t i = 0; i < data.pilots.size(); ++i)
            EXPECT_LT(std::abs(at(phy::kPilotOffsets[i]) - data.pilots[i]), 3e-3F) << s;
    }
}

/// The equalizer's points and signal-to-noise ratios of each burst, in the decoder's format.
struct Equalized : phy::SymbolObserver {
    std::map<int, std::vector<uint32_t>> bursts;
    void on_symbol(const phy::SymbolObservation& seen) override {
        auto& words = bursts[seen.burst_index];
        for (size_t i = 0; i < seen.points.size(); ++i) {
            const Complex h = seen.response[static_cast<size_t>(phy::kDataOffsets[i] + phy::kEdgeCarrier)];
            words.push_back(soft_carrier(seen.points[i], std::norm(h) / seen.noise_variance));
        }
    }
};

std::vector<AxisWord> decoder_words(const phy::DownlinkBurst& burst, const std::vector<uint32_t>& carriers) {
    BurstHeader header;
    header.rate_id = burst.format.rate_id;
    header.data_symbols = burst.format.data_symbols;
    header.randomizer = phy::burst_randomizer(burst.format, burst.first);
    auto words = burst_words(header, {});
    words.back().last = words.back().end_of_burst = false;
    for (const uint32_t carrier : carriers) words.push_back({carrier, 0, false, false, false});
    words.back().end_of_burst = true;
    return words;
}

/// A frame with its own fading and noise `noise_db` below the mean of the transmitted signal, as the radio's words.
std::vector<AxisWord> fading_frame(const FrameOnAir& clean, double noise_db, uint64_t seed) {
    phy::Modulator modulator(clean.num);
    const auto sent = clean.frame.samples(modulator);
    channel::PathConfig path;
    path.sample_rate_hz = static_cast<double>(clean.num.sample_rate_hz);
    path.delay_samples = kLead;
    path.carrier_offset_hz = 4'300;
    path.profile = *channel::named_profile("sui3");
    path.seed = seed;
    Samples samples(clean.samples.size());
    std::mt19937_64 random(seed);
    std::normal_distribution<float> gauss(0, static_cast<float>(std::pow(10, -noise_db / 20) / std::numbers::sqrt2));
    for (auto& x : samples) x = {gauss(random), gauss(random)};
    channel::PropagationPath(path).accumulate(0, samples, {0, sent});
    return radio_words(samples, kHeadroom, kFirstTime);
}

/// Lost bursts of a frame, by the host's decoder and by the core's.
std::pair<int, int> lost_in(const FrameOnAir& air, double noise_db, uint64_t seed, DemapViterbiRsCore& core) {
    OfdmFrontendCore front;
    const auto order = air.order(4'000 / 5.76e6, 12);
    front.order(order);
    std::vector<AxisWord> packets;
    front.process(fading_frame(air, noise_db, seed), packets);
    const auto read = read_packets(packets);
    EXPECT_EQ(read.size(), static_cast<size_t>(air.frame.symbols));

    Equalized equalized;
    phy::CarrierReceiver receiver(air.num, phy::Direction::downlink);
    receiver.set_observer(&equalized);
    receiver.set_second_chance(false);  // the core has none
    if (!receiver.begin({static_cast<int64_t>(read.at(0).time), order.increment / 4294967296.0}, read[0].carriers,
                        read[1].carriers)) {
        ADD_FAILURE() << "no preamble, seed " << seed;
        return {};
    }
    std::pair<int, int> lost;
    int index = 0;
    for (const auto& burst : air.frame.bursts) {
        EXPECT_TRUE(receiver.start(burst.format, burst.start_symbol, phy::burst_randomizer(burst.format, burst.first),
                                   ++index));
        while (receiver.wants_symbol()) {
            const auto& symbol = read[static_cast<size_t>(receiver.next_symbol())];
            receiver.take(static_cast<int64_t>(symbol.time), symbol.carriers);
        }
        phy::ReceivedBurst host;
        receiver.finish(host);
        lost.first += !std::ranges::equal(host.payload, burst.payload);

        const auto words = decoder_words(burst, equalized.bursts[index]);
        DemapViterbiRs model;
        std::vector<AxisWord> expected;
        for (const auto& word : words) model.push(word, expected);
        const auto decoded = core.run(words);
        EXPECT_EQ(decoded, expected) << "rate " << int{burst.format.rate_id} << ", seed " << seed;
        auto bytes = bytes_of(std::span(decoded).first(decoded.size() - 1));
        bytes.pop_back();  // the tail
        lost.second += !std::ranges::equal(bytes, burst.payload);
    }
    return lost;
}

/// Little noise: everything is decoded. More: as many losses as in the host, except for borderline cases.
TEST(ReceivingCores, FadingFramesThroughTheHostsEqualizer) {
    const FrameOnAir air;
    DemapViterbiRsCore core;
    for (const double noise_db : {30.0, 18.0, 12.0}) {
        int host = 0, fpga = 0;
        constexpr int kFrames = 12;
        for (uint64_t seed = 1; seed <= kFrames; ++seed) {
            const auto [by_host, by_core] = lost_in(air, noise_db, seed, core);
            host += by_host;
            fpga += by_core;
        }
        std::printf("SUI-3, noise %.0f dB below: of %d bursts of all rates the host loses %d, the core %d\n", noise_db,
                    kFrames * phy::kRates, host, fpga);
        EXPECT_LE(std::abs(fpga - host), noise_db < 30 ? 3 : 0);
    }
}

}  // namespace
}  // namespace wimax::fpga::test
