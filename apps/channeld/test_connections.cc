// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to the channel that do not behave like radios, or exceed its number of radios.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <random>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "channeld/test_channel.h"
#include "common/test_flood.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

TEST(Channel, RefusesWhatDoesNotFitAndNamesBoth) {
    const auto config = test_config(address_for("shm"), {"bs"});
    Channel channel(config);
    const auto refusal = [&](const std::function<void(vrf::Hello&)>& change) {
        vrf::RadioOptions options{.address = config.listen[0], .hello = {}, .attach_timeout_s = 0, .say = [](auto&) {}};
        vrf::copy_text(options.hello.name, "bs");
        change(options.hello);
        const auto radio = vrf::Radio::open(options);
        return radio ? std::string() : radio.error().str();
    };
    const auto contains = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    const auto rate = refusal([](auto& hello) { hello.rate_hz = 4e6; });
    EXPECT_TRUE(contains(rate, "4000000 Hz") && contains(rate, "5760000 Hz")) << rate;
    const auto chunk = refusal([](auto& hello) { hello.chunk_samples = 1440; });
    EXPECT_TRUE(contains(chunk, "1440") && contains(chunk, "2880")) << chunk;
    const auto mode = refusal([](auto& hello) { hello.mode = vrf::TimeMode::rt; });
    EXPECT_TRUE(contains(mode, "rt") && contains(mode, "commit")) << mode;
    const auto version = refusal([](auto& hello) { hello.version = 99; });
    EXPECT_TRUE(contains(version, "99")) << version;
    const auto name = refusal([](auto& hello) { vrf::copy_text(hello.name, "\xff\x1b[2J"); });
    EXPECT_TRUE(contains(name, "ASCII")) << name;
    const auto first = open_radio(config.listen[0], "bs");
    const auto busy = refusal([](auto&) {});
    EXPECT_TRUE(contains(busy, "'bs' is attached")) << busy;
}

/// A radio whose messages the test writes.
class RawRadio {
public:
    explicit RawRadio(const std::string& address) : socket_(context_, zmq::socket_type::dealer) {
        socket_.set(zmq::sockopt::rcvtimeo, int(1e3 * kTimeoutS));
        socket_.set(zmq::sockopt::linger, 0);
        socket_.connect(address);
    }
    template <typename T> void send(uint8_t kind, const T& body) {
        send_parts({std::string(1, char(kind)), {reinterpret_cast<const char*>(&body), sizeof body}, ""});
    }
    void send_parts(const std::vector<std::string>& parts) {
        std::vector<zmq::const_buffer> all;
        for (const auto& part : parts) all.push_back(zmq::buffer(part));
        zmq::send_multipart(socket_, all);
    }
    /// The next Welcome.
    vrf::Welcome welcome() {
        vrf::Welcome welcome;
        std::vector<zmq::message_t> parts;
        while (zmq::recv_multipart(socket_, std::back_inserter(parts))) {
            if (parts.size() == 3 && parts[0].to_string() == std::string(1, kWelcome) &&
                parts[1].size() == sizeof welcome) {
                std::memcpy(&welcome, parts[1].data(), sizeof welcome);
                return welcome;
            }
            parts.clear();
        }
        ADD_FAILURE() << "no Welcome";
        return welcome;
    }
    static constexpr uint8_t kHello = 0, kWelcome = 1, kTx = 2;

private:
    zmq::context_t context_;
    zmq::socket_t socket_;
};

TEST(Channel, ZeroMqRadioThatDoesNotAwaitItsWelcome) {
    const auto config = test_config(address_for("ipc"), {"bs"});
    Channel channel(config);
    // Usually the channel reads both messages at once, before it has reported the length of chunks.
    for (const std::string name : {"wild1", "wild2", "wild3", "wild4", "wild5"}) {
        RawRadio radio(config.listen[0]);
        vrf::Hello hello;
        vrf::copy_text(hello.name, name);
        vrf::TxHeader header;
        header.sending = 1;  // and no samples follow
        radio.send(RawRadio::kHello, hello);
        radio.send(RawRadio::kTx, header);
        EXPECT_TRUE(radio.welcome().accepted);
    }
    EXPECT_LE(channel.join()["radios"]["wild1"]["active_tx_chunks"], 1);
}

/// Messages with any number of parts, of existing and unknown kinds, and of any length, from a peer that is no radio
/// and from one that is.
TEST(Channel, RubbishOverZeroMqStopsNobody) {
    auto config = test_config(address_for("ipc"), {"bs"});
    config.give_up_s = 0;
    Channel channel(config);
    RawRadio stranger(config.listen[0]), wild(config.listen[0]);
    vrf::Hello hello;
    vrf::copy_text(hello.name, "wild");
    wild.send(RawRadio::kHello, hello);
    EXPECT_TRUE(wild.welcome().accepted);
    std::mt19937 random(5);
    const size_t lengths[] = {0, 1, sizeof hello - 1, sizeof hello + 1, sizeof(vrf::TxHeader), 5000};
    for (int i = 0; i < 400; ++i) {
        std::vector<std::string> parts(1 + random() % 12);
        for (auto& part : parts) {
            part.resize(lengths[random() % std::size(lengths)]);
            for (char& octet : part) octet = static_cast<char>(random());
        }
        if (random() % 4 != 0) parts.resize(3), parts[0] = std::string(1, static_cast<char>(random() % 5));
        stranger.send_parts(parts);
        wild.send_parts(parts);
    }
    const std::string bye(1, 5);
    wild.send_parts({bye, "", ""});
    vrf::copy_text(hello.name, "tamed");
    stranger.send(RawRadio::kHello, hello);  // accepted as if it had sent nothing before
    EXPECT_TRUE(stranger.welcome().accepted);
    stranger.send_parts({bye, "", ""});
    auto bs = open_radio(config.listen[0], "bs");
    ASSERT_TRUE(bs);
    bs->commit(10 * int64_t{bs->chunk_samples()}, 0);
    bs->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = 0});
    EXPECT_TRUE(comes([&] { return bs->now() == 10 * int64_t{bs->chunk_samples()}; })) << bs->now();
    const auto radios = channel.join()["radios"];
    EXPECT_EQ(radios.size(), 3U) << radios;  // malformed input made no radios
    EXPECT_EQ(radios["wild"]["chunks"], 0);
}

TEST(Channel, ZeroMqRadioThatSaysHelloTwiceStopsNobody) {
    const auto config = test_config(address_for("ipc"), {"bs"});
    Channel channel(config);
    RawRadio radio(config.listen[0]);
    vrf::Hello hello;
    for (const char* name : {"wild", "wilder"}) {
        vrf::copy_text(hello.name, name);
        radio.send(RawRadio::kHello, hello);
        EXPECT_TRUE(radio.welcome().accepted);
    }
    // The old radio is gone, and the present one can be replaced: a name that cannot respond does not block time.
    auto again = open_radio(config.listen[0], "wild");
    EXPECT_TRUE(again);
    EXPECT_EQ(channel.join()["radios"]["wild"]["died"], 1);
}

TEST(Channel, ARadioThatOnlySaysHelloStopsTimeNoLongerThanStated) {
    auto config = test_config(address_for("ipc"), {"bs"});
    config.give_up_s = 0.2;
    Channel channel(config);
    RawRadio mute(config.listen[0]);
    vrf::Hello hello;
    vrf::copy_text(hello.name, "ss1");
    mute.send(RawRadio::kHello, hello);
    EXPECT_TRUE(mute.welcome().accepted);
    auto bs = open_radio(config.listen[0], "bs");
    ASSERT_TRUE(bs);
    bs->commit(10 * int64_t{bs->chunk_samples()}, 0);
    bs->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = 0});
    EXPECT_TRUE(comes([&] { return bs->now() == 10 * int64_t{bs->chunk_samples()}; })) << bs->now();
    const auto status = channel.join();
    EXPECT_EQ(status["radios"]["ss1"]["given_up"], 1);
    EXPECT_EQ(status["radios"]["ss1"]["silent"], true);
}

TEST(Channel, RadiosBeyondTheLimitAreRefusedWithTheReason) {
    for (const char* scheme : {"shm", "ipc"}) {
        const auto config = test_config(address_for(scheme), {"bs"});
        Channel channel(config);
        std::vector<std::unique_ptr<vrf::RadioLink>> links;
        const auto attach = [&](const std::string& name) {
            vrf::Hello hello;
            vrf::copy_text(hello.name, name);
            auto link = vrf::attach(config.listen[0], hello, int(1e3 * kTimeoutS));
            if (link) links.push_back(std::move(*link));
            for (const auto& other : links) EXPECT_TRUE(other->alive());  // and reports it
            return link ? "" : link.error().str();
        };
        for (size_t i = 0; i < vrf::kMaxRadios; ++i) ASSERT_EQ(attach("r" + std::to_string(i)), "") << scheme << i;
        EXPECT_EQ(attach("r0"), "refused: busy: 80 radios are here, more are not taken") << scheme;
        links.pop_back();
        std::string answer;  // its place is free when the channel has noticed that it left
        EXPECT_TRUE(comes([&] { return (answer = attach("r79")).empty(); })) << scheme << answer;
        for (const auto& link : links) EXPECT_TRUE(link->alive());
        EXPECT_EQ(channel.join()["radios"]["r79"]["died"], 1) << scheme;
    }
}

/// A silent connection that only the channel closes.
class Stranger {
public:
    Stranger(const std::string& path, int type) : fd_(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        vrf::copy_text(address.sun_path, path);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    Stranger(Stranger&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    ~Stranger() {
        if (fd_ >= 0) ::close(fd_);
    }
    bool sent_away() const {
        char said[200];
        ssize_t n;
        while ((n = ::recv(fd_, said, sizeof said, MSG_DONTWAIT)) > 0) continue;  // ZeroMQ greets
        return n == 0 || (errno != EAGAIN && errno != EINTR);
    }

private:
    int fd_;
};

TEST(Channel, ConnectionsThatSayNothingAreSentAwayAndStopNoRadio) {
    constexpr size_t kStrangers = 200, kKept = 64;
    for (const std::string scheme : {"shm", "ipc"}) {
        const auto config = test_config(address_for(scheme), {"bs"});
        Channel channel(config);
        const std::string path = scheme == "shm" ? config.listen[0] : config.listen[0].substr(6);
        std::vector<Stranger> strangers;
        for (size_t i = 0; i < kStrangers; ++i)
            strangers.emplace_back(path, scheme == "shm" ? SOCK_SEQPACKET : SOCK_STREAM);
        const auto gone = [&] {
            return std::count_if(strangers.begin(), strangers.end(), [](auto& s) { return s.sent_away(); });
        };
        EXPECT_TRUE(comes([&] { return gone() >= ptrdiff_t(kStrangers - kKept); })) << scheme << gone();
        EXPECT_TRUE(comes([&] { return gone() == kStrangers; })) << scheme << gone();
        EXPECT_TRUE(open_radio(config.listen[0], "bs"));
    }
}

TEST(LineLimit, SomeAtOnceThenOnePerSecond) {
    LineLimit limit(3);
    LineLimit::Clock::time_point now{std::chrono::hours(1)};
    const auto pass = [&] { return limit.pass("line", now).value_or(""); };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(pass(), "line");
    for (int i = 0; i < 7; ++i) EXPECT_EQ(pass(), "");
    now += std::chrono::milliseconds(999);
    EXPECT_EQ(pass(), "");
    now += std::chrono::milliseconds(1);
    EXPECT_EQ(pass(), "line (8 more of this kind before)");
    EXPECT_EQ(pass(), "");
    now += std::chrono::hours(1);
    EXPECT_EQ(pass(), "line (1 more of this kind before)");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(pass(), "line");
    EXPECT_EQ(pass(), "");
}

/// Refused any number of times; successful ones are reported nevertheless.
TEST(Channel, RefusedRadiosDoNotFillTheLog) {
    const auto config = test_config(address_for("shm"), {"bs"});
    testing::internal::CaptureStderr();
    {
        Channel channel(config);
        vrf::Hello hello;
        hello.version = 99;
        for (int i = 0; i < 100; ++i) EXPECT_FALSE(vrf::attach(config.listen[0], hello, int(1e3 * kTimeoutS)));
        EXPECT_TRUE(open_radio(config.listen[0], "bs"));
    }
    const std::string log = testing::internal::GetCapturedStderr();
    const auto lines = std::count(log.begin(), log.end(), '\n');
    EXPECT_GE(lines, 10) << log;
    EXPECT_LT(lines, 50) << log;
    EXPECT_NE(log.find("radio bs attached"), std::string::npos) << log;
}

/// The same with more of them than descriptors: the channel continues, and a radio can attach.
TEST(Channel, ConnectionsThatTakeAllDescriptorsNeitherEndItNorKeepRadiosOut) {
    for (const std::string transport : {"shm", "ipc", "tcp"}) {
        const std::string address = transport == "shm" ? address_for("shm") : free_address(transport);
        LimitedServer process(64, [&](const auto& stopped) {
            auto config = test_config(address, {"bs"});
            ControlServer control;
            StatusWriter status(false);
            Server server(config, control, status);
            if (!server.open()) ::_exit(2);
            server.run(stopped, -1);
        });
        Flood flood(address, transport == "shm" ? SOCK_SEQPACKET : SOCK_STREAM);
        EXPECT_TRUE(flood.connect(300)) << transport;
        EXPECT_TRUE(open_radio(address, "bs")) << transport;  // during the flood
        EXPECT_EQ(process.end(), 0) << transport;
    }
}

}  // namespace
