// SPDX-License-Identifier: GPL-3.0-or-later
// The front end on virtual radios that are as unforgiving as USRPs (personalities): what would break first with each
// model. docs/radio-models.md lists these tests with the fault that each stands for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <uhd/usrp/multi_usrp.hpp>
#include <vector>

#include "phy/base/decibels.h"
#include "phyd/test_radio_models.h"

namespace wimax::test {
namespace {

using gr::wimax::phy::decibels;
using gr::wimax::phy::power_of_db;
using testing::HasSubstr;

Samples noise(size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.7F);
    Samples x(n);
    for (auto& s : x) s = {normal(random), normal(random)};
    return x;
}

/// Position of a piece in the received samples: by its first samples.
size_t find(const Samples& heard, const Samples& piece) {
    constexpr size_t kLength = 64;
    size_t best = 0;
    double highest = 0;
    for (size_t at = 0; at + piece.size() <= heard.size(); ++at) {
        std::complex<float> sum;
        for (size_t i = 0; i < kLength; ++i) sum += heard[at + i + kSymbol] * std::conj(piece[i + kSymbol]);
        if (std::norm(sum) > highest) {
            highest = std::norm(sum);
            best = at;
        }
    }
    return best;
}

/// Error against the transmitted samples in dB; gain, image and constant are estimated over the whole piece. The rest
/// is phase noise (0.6 degrees at either end: -36.6 dB together), noise and converters.
double evm_db(const Samples& heard, size_t at, const Samples& piece, size_t from, size_t to) {
    using Wide = std::complex<double>;
    Wide straight, mirrored, square, constant;
    double power = 0, error = 0, part = 0;
    for (size_t i = 0; i < piece.size(); ++i) {
        const Wide x(piece[i]), y(heard[at + i]);
        straight += y * std::conj(x);
        mirrored += y * x;
        square += x * x;
        power += std::norm(x);
    }
    const double both = power * power - std::norm(square);
    const Wide gain = (straight * power - mirrored * std::conj(square)) / both,
               image = (mirrored * power - straight * square) / both;
    const auto rest = [&](size_t i) {
        const Wide x(piece[i]);
        return Wide(heard[at + i]) - gain * x - image * std::conj(x);
    };
    for (size_t i = 0; i < piece.size(); ++i) constant += rest(i) / double(piece.size());
    for (size_t i = from; i < to; ++i) {
        error += std::norm(rest(i) - constant) / std::norm(gain);
        part += std::norm(piece[i]);
    }
    return 10 * std::log10(error / part);
}

TEST_F(RadioModels, FiveMegahertzOnAB210) {
    start_channel(5.76e6);
    const auto radio = RadioFrontend::open(config("bs", "b210"));
    EXPECT_EQ(radio->sample_rate_hz(), 5'760'000);
    EXPECT_THAT(radio->describe(), HasSubstr("5759999.99"));
}

TEST_F(RadioModels, TheReferenceOfItsOwnClockIsNotAskedFor) {
    start_channel(8e6);
    auto c = config("bs", "b210");
    EXPECT_NO_THROW(RadioFrontend::open(c));
    c.clock_source = "external";
    EXPECT_NO_THROW(RadioFrontend::open(c));
}

/// The cable is at TX/RX; the default of the models is RX2.
TEST_F(RadioModels, ReceptionIsWhereTransmissionIs) {
    start_channel(8e6);
    open("b210");
    EXPECT_THAT(ss->describe(), HasSubstr("tx TX/RX, rx TX/RX"));
    const Samples piece = noise(4 * kSymbol, 1);
    ASSERT_TRUE(send(800'000, piece));
    const Samples heard = hear(500'000);
    EXPECT_LT(evm_db(heard, find(heard, piece), piece, kSymbol, 2 * kSymbol), -30);
}

/// Transmit filters keep the end of a burst and let it out with the next one.
TEST_F(RadioModels, TheLastSymbolIsAsGoodAsTheOthers) {
    constexpr unsigned kBursts = 16;
    start_channel(8e6);
    open("b210");
    for (unsigned burst = 0; burst < kBursts; ++burst)
        ASSERT_TRUE(send(800'000 + burst * 20'000, noise(10 * kSymbol, 5 + burst)));
    const Samples heard = hear(460'000 + 20'000 * kBursts);
    double first = 0, last = 0;  // of one burst they differ by up to 4 dB: their phase noise is not the same
    for (unsigned burst = 0; burst < kBursts; ++burst) {
        const Samples piece = noise(10 * kSymbol, 5 + burst);
        const size_t at = find(heard, piece);
        first += power_of_db(evm_db(heard, at, piece, 0, kSymbol)) / kBursts;
        last += power_of_db(evm_db(heard, at, piece, 9 * kSymbol, 10 * kSymbol)) / kBursts;
    }
    std::printf("EVM of first symbols %.2f dB, of last ones %.2f dB\n", decibels(first), decibels(last));
    EXPECT_LT(decibels(first), -30);
    EXPECT_NEAR(decibels(first), decibels(last), 1);
}

/// Counterpart of the test before: without zeros after them, bursts lose their end.
TEST_F(RadioModels, WithoutEdgesTheEndIsMissing) {
    edge = 0;
    start_channel(8e6);
    open("b210");
    const Samples piece = noise(10 * kSymbol, 5);
    ASSERT_TRUE(send(800'000, piece));
    const Samples heard = hear(480'000);
    const size_t at = find(heard, piece);
    const double last = evm_db(heard, at, piece, 9 * kSymbol, 10 * kSymbol);
    std::printf("EVM of the last symbol %.1f dB\n", last);
    EXPECT_GT(last, -20);
    EXPECT_LT(evm_db(heard, at, piece, 0, kSymbol), -30);
}

/// Packets last a tenth of a millisecond: no response is possible before the end of a packet.
TEST_F(RadioModels, PacketsAreShort) {
    start_channel(8e6, "mode: rt");
    open("b210");
    hear(50'000);
    EXPECT_GT(longest_packet, 100u);
    EXPECT_LE(longest_packet, 800u);
}

/// A host that pauses: packets of 0.1 ms, of which a B210 buffers 16 by default.
TEST_F(RadioModels, FramesForTwelveMilliseconds) {
    start_channel(8e6, "mode: rt");
    open("b210");
    const auto tree = uhd::usrp::multi_usrp::make(config("ss", "b210").device_args)->get_tree();
    const auto overflows = [&] { return tree->access<uint64_t>("/mboards/0/vrf/counters/overflow").get(); };
    ss->start();
    while (overflows() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Samples packet(1000);
    size_t heard = 0;
    while (ss->counters().overflows == 0) heard += ss->receive(packet, 10).samples;
    EXPECT_GE(heard, 96'000u);
    EXPECT_LE(heard, 128u * 800);
    EXPECT_EQ(ss->counters().sequence_errors, 0u);
}

/// After an overflow the stream of an X310 pauses for 50 ms, and restarts off the grid of samples.
TEST_F(RadioModels, AnOverflowIsAGapAndNoSampleIsCountedTwice) {
    start_channel(6.25e6);
    tx_gain_db = 31;
    open("x310-ubx");
    const auto tree = uhd::usrp::multi_usrp::make(config("ss", "x310-ubx").device_args)->get_tree();
    ASSERT_TRUE(send(1'000'000, noise(kSymbol, 1)));
    hear(10'000);
    Samples packet(100'000);
    for (uint64_t i = 1; i <= 3; ++i) {
        tree->access<std::string>("/mboards/0/vrf/inject").set("overflow");
        const auto lost = [&] { return ss->counters().lost_samples >= i * 312'000; };
        // Samples that the channel has sent ahead arrive first. Their number varies.
        for (int n = 0; n < 10'000 && !lost(); ++n) ss->receive(packet, 10);
        EXPECT_EQ(ss->counters().overflows, i);
        EXPECT_NEAR(static_cast<double>(ss->counters().lost_samples), static_cast<double>(i) * 0.05 * 6.25e6, 1.5);
    }
}

/// Before both radios stream, the channel holds the time.
TEST_F(RadioModels, TimeIsSetAtOnce) {
    start_channel(8e6);
    const auto device = uhd::usrp::multi_usrp::make(config("bs", "ideal").device_args);
    for (const double seconds : {5.0, 2.5}) {
        device->set_time_now(uhd::time_spec_t(seconds));
        EXPECT_EQ(device->get_time_now().get_real_secs(), seconds);
    }
}

TEST_F(RadioModels, FaultsOfOpeningAreToldApart) {
    start_channel(8e6);
    const auto refusal = [&](const std::string& personality, const std::string& fault) -> std::pair<bool, std::string> {
        auto c = config("bs", personality);
        c.device_args += ",fault=" + fault;
        try {
            RadioFrontend::open(c);
        } catch (const gr::wimax::DeviceUnavailable& e) {
            return {true, e.what()};
        } catch (const std::exception& e) {
            return {false, e.what()};
        }
        return {};
    };
    for (const auto& [personality, fault, again, line] :
         std::vector<std::tuple<const char*, const char*, bool, const char*>>{
             {"b210", "no_image", false, "usrp_b200_fw.hex; images are missing; type: sudo uhd_images_downloader"},
             {"b210", "firmware", false, "sudo uhd_images_downloader"},
             {"b210", "rights", false, "uhd-usrp.rules"},
             {"b210", "busy", true, "another program has the device"},
             {"b210", "no_device", true, "'uhd_find_devices' lists"},
             {"n210-sbx", "fpga", false, "uhd_image_loader --args 'type=vrf"},
             {"x310-ubx", "fpga", false, "uhd_image_loader"},
             {"n310", "mpm", false, "mender install"},
             {"n310", "no_answer", true, "rpc timeout"}}) {
        const auto [retry, text] = refusal(personality, fault);
        EXPECT_EQ(retry, again) << text;
        EXPECT_THAT(text, HasSubstr(line));
    }
}

/// The cable is pulled while it streams, and put in again.
TEST_F(RadioModels, AnUnpluggedRadioIsToldAndOpensAgain) {
    start_channel(8e6);
    open("b210");
    ASSERT_TRUE(send(800'000, noise(kSymbol, 1)));
    hear(10'000);
    const std::string args = config("ss", "b210").device_args;
    uhd::usrp::multi_usrp::make(args)->get_tree()->access<bool>("/mboards/0/vrf/unplug").set(true);
    Samples packet(1000);
    EXPECT_TRUE(ss->receive(packet, 1).timed_out);
    ASSERT_TRUE(ss->lost());
    EXPECT_THAT(*ss->lost(), HasSubstr("unplugged"));
    ss.reset();
    ss = RadioFrontend::open(config("ss", "b210"));
    EXPECT_GE(hear(10'000).size(), 10'000u);
    EXPECT_FALSE(ss->lost());
}

using Levels = std::vector<std::pair<int64_t, uint32_t>>;

constexpr int64_t kAlways = std::numeric_limits<int64_t>::min();

/// Levels of the base station's lines until now.
Levels lines_of(const std::string& device_args) {
    const auto tree = uhd::usrp::multi_usrp::make(device_args)->get_tree();
    return tree->access<Levels>("/mboards/0/vrf/gpio_lines").get();
}

/// On from the lead before each burst's first sample to the lag after its last one, else off. Edges are 32.
TEST_F(RadioModels, AnAmplifierIsOnWhileBurstsAre) {
    amplifier = {"FP0", 0b110, true, 100, 50, 0};  // 800 and 400 samples
    longest_burst_ms = 0.5;
    for (const char* personality : {"ideal", "b210"}) {
        SCOPED_TRACE(personality);
        start_channel(8e6);
        open(personality);
        const std::string args = config("bs", personality).device_args;
        const auto device = uhd::usrp::multi_usrp::make(args);  // lives longer than the front end
        EXPECT_EQ(lines_of(args), (Levels{{kAlways, 0}}));
        ASSERT_TRUE(send(800'000, noise(576, 1)));
        ASSERT_TRUE(send(802'000, noise(576, 2)));
        ASSERT_TRUE(send(803'100, noise(576, 3)));   // 524 later: no time to be off
        ASSERT_TRUE(send(810'000, noise(5000, 4)));  // cut off at 4000
        bs->commit(kPromised);
        ASSERT_TRUE(listen_until(830'000));
        Levels expected{{kAlways, 0}};
        for (const auto& [first, last] :
             {std::pair<int64_t, int64_t>{800'000, 800'576}, {802'000, 803'676}, {810'000, 814'000}}) {
            expected.emplace_back(first - 800 - 32, 0b110);
            expected.emplace_back(last + 400 + 32, 0);
        }
        EXPECT_EQ(lines_of(args), expected);
        bs.reset();
        EXPECT_EQ(lines_of(args), expected);  // off, and stays so
        ss.reset();
        channel_.reset();
    }
}

/// As if the program had died: the current burst ends, and the line is off with it.
TEST_F(RadioModels, AnAmplifierIsOffWhenNobodySendsAnyMore) {
    amplifier = {"FP0", 1, false, 100, 50, 0};
    start_channel(8e6);
    open("b210");
    const std::string args = config("bs", "b210").device_args;
    const auto device = uhd::usrp::multi_usrp::make(args);
    EXPECT_EQ(lines_of(args), (Levels{{kAlways, 1}}));  // low is on
    bs.reset();
    uhd::stream_args_t stream("fc32");
    const auto tx = device->get_tx_stream(stream);
    uhd::tx_metadata_t md;
    md.start_of_burst = md.has_time_spec = true;
    md.time_spec = uhd::time_spec_t::from_ticks(810'000, device->get_tx_rate());
    ASSERT_EQ(tx->send(noise(2000, 1).data(), 2000, md), 2000U);
    ASSERT_TRUE(listen_until(830'000));
    EXPECT_EQ(lines_of(args), (Levels{{kAlways, 1}, {810'000, 0}, {812'000, 1}}));
}

}  // namespace
}  // namespace wimax::test
