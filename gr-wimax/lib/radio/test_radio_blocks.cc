// SPDX-License-Identifier: GPL-3.0-or-later
// radio_source and radio_sink in a flowgraph on a mock USRP: gaps in reception filled or reported, samples sent or
// refused.
#include "radio/test_mock_usrp.h"

#include <gnuradio/io_signature.h>
#include <gnuradio/top_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/radio_sink.h>
#include <gnuradio/wimax/radio_source.h>

#include <gtest/gtest.h>

namespace gr::wimax {
namespace {

using test::MockUsrp;
using test::Samples;

/// Keeps stream, tags and messages; wait_for() waits until all have arrived.
class Collector : public gr::sync_block {
public:
    static std::shared_ptr<Collector> make() { return gnuradio::make_block_sptr<Collector>(); }
    Collector()
        : gr::sync_block("collector", io_signature::make(0, 1, sizeof(gr_complex)), io_signature::make(0, 0, 0)) {
        message_port_register_in(pmt::mp("in"));
        set_msg_handler(pmt::mp("in"), [this](const pmt::pmt_t& pdu) {
            const std::lock_guard lock(mutex_);
            errors.push_back(*parse_error_report(pdu));
            moved_.notify_all();
        });
    }
    int work(int n, gr_vector_const_void_star& in, gr_vector_void_star&) override {
        const std::lock_guard lock(mutex_);
        std::vector<tag_t> found;
        get_tags_in_window(found, 0, 0, static_cast<uint64_t>(n));
        for (const auto& t : found) tags.emplace_back(t.offset, pmt::to_long(t.value));
        const auto* x = static_cast<const gr_complex*>(in[0]);
        samples.insert(samples.end(), x, x + n);
        moved_.notify_all();
        return n;
    }
    bool wait_for(size_t items, size_t messages) {
        std::unique_lock lock(mutex_);
        return moved_.wait_for(lock, test::kPatience,
                               [&] { return samples.size() >= items && errors.size() >= messages; });
    }
    Samples samples;
    std::vector<std::pair<uint64_t, int64_t>> tags;
    std::vector<ErrorReport> errors;

private:
    std::mutex mutex_;
    std::condition_variable moved_;
};

class RadioBlocks : public testing::Test {
protected:
    void SetUp() override { open(1); }
    void open(int tx_channels) {
        radio.reset();  // UHD makes no second device while there is a first
        device.reset();
        RadioConfig config;
        config.tx_channels = tx_channels;
        config.device_args = "type=mock";
        config.limits = test::any_transmission();
        config.headroom_db = 0;
        config.burst_edge_samples = 0;
        MockUsrp::next = {};
        MockUsrp::next.tx_channels = static_cast<size_t>(tx_channels);
        radio = RadioFrontend::open(config);
        device = MockUsrp::latest.lock();
        ASSERT_TRUE(device);
    }
    /// A packet whose samples are their own ticks.
    void receives(int64_t tick, size_t n) {
        Samples x(n);
        for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(tick + static_cast<int64_t>(i));
        device->rx->packets.push_back({tick, x, {}});
    }
    void run(size_t items, radio_source::Tap tap = {}) {
        auto top = gr::make_top_block("test");
        top->connect(radio_source::make(radio, std::move(tap)), 0, collected, 0);
        top->start();
        EXPECT_TRUE(collected->wait_for(items, 0));
        top->stop();
        top->wait();
        ASSERT_EQ(collected->samples.size(), items);
    }
    std::shared_ptr<RadioFrontend> radio;
    std::shared_ptr<MockUsrp> device;
    std::shared_ptr<Collector> collected = Collector::make();
};

TEST_F(RadioBlocks, AShortGapIsFilledWithZeros) {
    receives(1000, 100);
    receives(1100, 100);
    receives(1250, 3000);
    receives(4250, 10);
    ASSERT_NO_FATAL_FAILURE(run(3260));
    using Tags = std::vector<std::pair<uint64_t, int64_t>>;
    EXPECT_EQ(collected->tags, (Tags{{0, 1000}}));
    for (size_t i = 0; i < 3260; ++i)
        ASSERT_EQ(collected->samples[i].real(), i < 200 || i >= 250 ? 1000.0F + static_cast<float>(i) : 0.0F) << i;
    EXPECT_EQ(radio->counters().lost_samples, 50u);
    EXPECT_EQ(device->rx->commands.size(), 2u);  // started, stopped
}

/// Samples are their own numbers, or the zeros of a short gap.
TEST_F(RadioBlocks, ATapSeesEverySampleWithItsNumber) {
    receives(1000, 100);
    receives(1150, 3000);
    receives(4'000'000, 100);
    std::vector<int64_t> numbers;
    const auto tap = [&numbers](int64_t first, std::span<const gr_complex> samples) {
        for (const auto s : samples) {
            EXPECT_TRUE(s.real() == 0 || s.real() == static_cast<float>(first)) << first;
            numbers.push_back(first++);
        }
    };
    ASSERT_NO_FATAL_FAILURE(run(3250, tap));
    ASSERT_EQ(numbers.size(), 3250U);
    EXPECT_EQ(numbers.front(), 1000);
    EXPECT_EQ(numbers[3149], 4149);
    EXPECT_EQ(numbers[3150], 4'000'000);
}

/// Packets that have already arrived are delivered together, up to a jump.
TEST_F(RadioBlocks, WhatHasComeLeavesTogether) {
    for (int i = 0; i < 8; ++i) receives(1000 + 50 * i, 50);
    receives(5'000'000, 50);
    receives(5'000'050, 50);
    std::vector<std::pair<int64_t, size_t>> pieces;
    ASSERT_NO_FATAL_FAILURE(
        run(500, [&pieces](int64_t first, auto samples) { pieces.emplace_back(first, samples.size()); }));
    // The first sample has its number as a tag, and so has the first after the jump.
    using Pieces = std::vector<std::pair<int64_t, size_t>>;
    EXPECT_EQ(pieces, (Pieces{{1000, 50}, {1050, 350}, {5'000'000, 50}, {5'000'050, 50}}));
    using Tags = std::vector<std::pair<uint64_t, int64_t>>;
    EXPECT_EQ(collected->tags, (Tags{{0, 1000}, {400, 5'000'000}}));
}

TEST_F(RadioBlocks, TwentyMillisecondsAreFilledAndNoMore) {
    using Tags = std::vector<std::pair<uint64_t, int64_t>>;
    receives(0, 100);
    receives(100 + 115'200, 100);
    receives(200 + 115'200 + 115'201, 100);
    receives(50, 30);  // a clock that was set back
    ASSERT_NO_FATAL_FAILURE(run(330 + 115'200));
    EXPECT_EQ(collected->tags, (Tags{{0, 0}, {115'400, 230'601}, {115'500, 50}}));
    EXPECT_EQ(collected->samples[115'299].real(), 0);
    EXPECT_EQ(collected->samples[115'300].real(), 115'300);
    EXPECT_EQ(collected->samples[115'400].real(), 230'601);
    EXPECT_EQ(collected->samples.back().real(), 79);
}

TEST_F(RadioBlocks, SamplesAreSentOrRefusedWithTheReason) {
    device->rx->packets.push_back({10'000, Samples(5760), {}});
    Samples buffer(5760);
    radio->receive(buffer, 0);
    const auto sink = radio_sink::make(radio);
    auto top = gr::make_top_block("test");
    top->msg_connect(sink, "error", collected, "in");
    const auto post = [&](int64_t start, size_t n) {
        const Samples x(n, {0.5F, 0});
        sink->_post(pmt::mp(port::samples),
                    pmt::cons(pmt::dict_add(pmt::make_dict(), pmt::mp(key::start_sample), pmt::from_long(start)),
                              pmt::init_c32vector(n, x.data())));
    };
    post(20'000, 70);
    post(15'760 - 576, 70);
    sink->_post(pmt::mp(port::samples), pmt::PMT_NIL);
    post(30'000, (1 << 20) + 1);
    top->start();
    EXPECT_TRUE(collected->wait_for(0, 3));
    EXPECT_TRUE(device->tx->wait_for_pieces(1));
    top->stop();
    top->wait();
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].md.time_spec.to_ticks(5.76e6), 20'000);
    EXPECT_EQ(calls[0].samples, Samples(70, {0.5F, 0}));
    ASSERT_EQ(collected->errors.size(), 3u);
    EXPECT_EQ(collected->errors[0].kind, ErrorKind::late);
    EXPECT_EQ(collected->errors[0].microseconds, 100);
    EXPECT_EQ(collected->errors[1].detail, "samples: not a PDU of c32vector with start_sample");
    EXPECT_EQ(collected->errors[2].detail, "samples: transmit queue full or too long");
}

/// Antenna 0's message waits for antenna 1's where it announces that; both leave as one piece.
TEST_F(RadioBlocks, MessagesOfBothAntennasAreOnePiece) {
    open(2);
    const auto sink = radio_sink::make(radio);
    auto top = gr::make_top_block("test");
    top->msg_connect(sink, "error", collected, "in");
    const auto post = [&](int64_t start, size_t n, float value, int antenna, int antennas) {
        const Samples x(n, {value, 0});
        auto meta = pmt::dict_add(pmt::make_dict(), pmt::mp(key::start_sample), pmt::from_long(start));
        meta = pmt::dict_add(meta, pmt::mp(key::antenna), pmt::from_long(antenna));
        if (antennas > 1) meta = pmt::dict_add(meta, pmt::mp(key::antennas), pmt::from_long(antennas));
        sink->_post(pmt::mp(port::samples), pmt::cons(meta, pmt::init_c32vector(n, x.data())));
    };
    post(20'000, 70, 1, 0, 2);
    post(20'030, 40, 2, 1, 1);
    post(30'000, 50, 3, 0, 1);
    post(40'000, 10, 4, 1, 1);  // alone
    post(50'000, 10, 5, 0, 2);
    post(60'000, 20, 6, 0, 1);  // in place of antenna 1's
    post(70'000, 10, 7, 0, 2);
    post(69'999, 10, 8, 1, 1);
    top->start();
    EXPECT_TRUE(collected->wait_for(0, 3));
    EXPECT_TRUE(device->tx->wait_for_pieces(3));
    top->stop();
    top->wait();
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].md.time_spec.to_ticks(5.76e6), 20'000);
    EXPECT_EQ(calls[0].samples, Samples(70, {1, 0}));
    Samples second(70);
    std::fill(second.begin() + 30, second.end(), std::complex<float>{2, 0});
    EXPECT_EQ(calls[0].second, second);
    EXPECT_EQ(calls[1].samples, Samples(50, {3, 0}));
    EXPECT_EQ(calls[2].samples, Samples(20, {6, 0}));
    ASSERT_EQ(collected->errors.size(), 3u);
    EXPECT_EQ(collected->errors[0].detail, "samples: antenna 1's without antenna 0's");
    EXPECT_EQ(collected->errors[1].detail, "samples: antenna 1's missing");
    EXPECT_EQ(collected->errors[2].detail, "samples: antenna 1's begin before antenna 0's");
}

}  // namespace
}  // namespace gr::wimax
