// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/scratch.h"
#include "common/test_flood.h"
#include "sap/codec.h"
#include "sap/transport.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include <algorithm>
#include <csignal>
#include <functional>
#include <limits>
#include <utility>

namespace wimax::sap {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct Transport : testing::Test {
    const std::string endpoint = "ipc://" + Scratch::path("sap.sock");
    std::unique_ptr<Port> open_phy() {
        auto port = open_phy_port(endpoint);
        EXPECT_TRUE(port) << (port ? "" : port.error().str());
        return std::move(*port);
    }
    std::unique_ptr<Port> open_mac() { return std::move(*open_mac_port(endpoint)); }
};

ConfigRequest request() {
    ConfigRequest r;
    r.bandwidth_hz = 5'000'000;
    r.carriers.downlink_hz = 3'500'000'000;
    return r;
}

/// Both ends take turns in one thread until one returns true. False after more turns than any test here may need. A
/// turn without news takes 5 ms.
bool turn(std::initializer_list<std::function<bool()>> parties) {
    for (int round = 0; round < 1000; ++round)
        for (const auto& party : parties)
            if (party()) return true;
    return false;
}

/// A PHY program's way with requests: accepts, notes the session.
std::function<bool()> accepting(Port& phy, uint64_t& session) {
    return [&phy, &session] {
        const auto m = phy.poll(milliseconds(5));
        const auto* r = m ? std::get_if<ConfigRequest>(&*m) : nullptr;
        if (r == nullptr) return false;
        session = r->mac_session;
        ConfigConfirm confirm;
        confirm.sample_rate_hz = 5'760'000;
        EXPECT_TRUE(phy.send(confirm));
        return false;
    };
}
std::function<bool()> confirmed(Port& mac) {
    return [&mac] {
        const auto m = mac.poll(milliseconds(5));
        return m && std::holds_alternative<ConfigConfirm>(*m);
    };
}

/// The MAC requests a session, and both ends have it.
bool in_session(Port& phy, Port& mac) {
    mac.send(request());
    uint64_t session = 0;
    return turn({accepting(phy, session), confirmed(mac)});
}

void expect_quiet(Port& port) { EXPECT_FALSE(port.poll(milliseconds(5))); }

FrameTick tick(uint32_t n) {
    FrameTick t;
    t.frame_number = FrameNumber(n);
    t.sample_rate_hz = 5'760'000;
    return t;
}

TEST_F(Transport, SessionAndExchange) {
    auto phy = open_phy();
    auto mac = open_mac();
    EXPECT_FALSE(phy->peer_alive());
    EXPECT_FALSE(phy->send(tick(0)));
    EXPECT_FALSE(mac->send(TxFrame{}));
    EXPECT_EQ(phy->counters().unsent, 1U);
    EXPECT_EQ(mac->counters().unsent, 1U);
    EXPECT_FALSE(phy->send(ConfigConfirm{}));  // no MAC has sent a request
    mac->send(request());                      // may be too early: poll() repeats it
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    EXPECT_EQ(session, mac->mac_session());
    EXPECT_EQ(phy->mac_session(), session);
    EXPECT_EQ(mac->phy_session(), phy->phy_session());
    EXPECT_TRUE(phy->peer_alive());
    EXPECT_TRUE(mac->peer_alive());
    for (uint32_t n = 0; n < 50; ++n) {
        ASSERT_TRUE(phy->send(tick(n)));
        const auto t = mac->poll(milliseconds(60000));
        ASSERT_TRUE(t);
        EXPECT_EQ(std::get<FrameTick>(*t).frame_number, n);
        EXPECT_EQ(std::get<FrameTick>(*t).phy_session, phy->phy_session());
        TxFrame tx;
        tx.frame_number = FrameNumber(n);
        tx.bursts.resize(n % 4);
        for (auto& burst : tx.bursts) {
            burst.format.data_symbols = 100;
            burst.payload.assign(n * 10, static_cast<uint8_t>(n));
        }
        ASSERT_TRUE(mac->send(tx));
        const auto back = phy->poll(milliseconds(60000));
        ASSERT_TRUE(back);
        const auto& got = std::get<TxFrame>(*back);
        ASSERT_EQ(got.bursts.size(), tx.bursts.size());
        for (size_t i = 0; i < got.bursts.size(); ++i) EXPECT_EQ(got.bursts[i].payload, tx.bursts[i].payload);
    }
    EXPECT_EQ(mac->counters().lost + phy->counters().lost, 0U);
    EXPECT_EQ(mac->counters().stale + phy->counters().stale, 0U);
}

TEST_F(Transport, RefusedRequestLeavesThePeerAlone) {
    auto phy = open_phy();
    auto good = open_mac();
    ASSERT_TRUE(in_session(*phy, *good));

    auto bad = open_mac();
    bad->send(request());
    std::vector<std::string> faults;
    ASSERT_TRUE(turn({[&] {
                          const auto m = phy->poll(milliseconds(5));
                          if (m && std::holds_alternative<ConfigRequest>(*m)) {
                              ConfigConfirm refusal;
                              refusal.faults = {"role: value ss, allowed bs"};
                              phy->send(refusal);
                          }
                          return false;
                      },
                      [&] {
                          const auto m = bad->poll(milliseconds(5));
                          if (m) faults = std::get<ConfigConfirm>(*m).faults;
                          return m.has_value();
                      }}));
    EXPECT_EQ(faults, std::vector<std::string>{"role: value ss, allowed bs"});
    EXPECT_EQ(phy->mac_session(), good->mac_session());
    EXPECT_EQ(bad->phy_session(), 0U);
    EXPECT_TRUE(phy->send(tick(1)));
}

TEST_F(Transport, NewestMacWinsAndTheOldOneWaitsAndTakesOverAgain) {
    auto phy = open_phy();
    auto first = open_mac();
    first->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*first)}));
    auto second = open_mac();
    second->send(request());
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*second)}));
    EXPECT_EQ(phy->mac_session(), second->mac_session());

    // Messages of the old MAC are dropped. When it repeats its request it receives the reason.
    EXPECT_TRUE(first->send(TxFrame{}));
    ASSERT_TRUE(turn({[&] { return phy->poll(milliseconds(5)), phy->counters().stale == 1; }}));
    ConfigConfirm refusal;
    ASSERT_TRUE(turn({accepting(*phy, session), [&] {
                          const auto m = first->poll(milliseconds(5));
                          if (m && std::holds_alternative<ConfigConfirm>(*m)) refusal = std::get<ConfigConfirm>(*m);
                          return m.has_value();
                      }}));
    EXPECT_TRUE(refusal.superseded);
    EXPECT_EQ(refusal.faults, std::vector<std::string>{"mac_session: a newer MAC has taken this PHY, allowed one at a "
                                                       "time; waiting until it disconnects"});
    EXPECT_EQ(phy->mac_session(), second->mac_session());
    EXPECT_FALSE(first->peer_alive());
    EXPECT_EQ(first->phy_session(), 0U);

    // It repeats its request and gets no further confirmation. Neither program notices.
    const auto asked = first->counters().sent;
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                      [&] { return expect_quiet(*first), first->counters().sent >= asked + 3; }}));
    EXPECT_EQ(phy->mac_session(), second->mac_session());

    // The newer MAC disconnects: the first one has the PHY again. A third one displaces it as the second did.
    const uint64_t gone = second->mac_session();
    second.reset();
    ASSERT_TRUE(turn({accepting(*phy, session), [&] { return phy->peer_alive(), false; }, confirmed(*first)}));
    EXPECT_EQ(session, first->mac_session());
    EXPECT_NE(session, gone);
    EXPECT_EQ(first->phy_session(), phy->phy_session());
    const auto again = first->counters().sent;  // it is the newest now, and may ask after it
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                      [&] { return expect_quiet(*first), first->counters().sent >= again + 2; }}));
    EXPECT_EQ(phy->mac_session(), first->mac_session());
    ASSERT_TRUE(phy->send(tick(9)));
    const auto t = first->poll(milliseconds(60000));
    ASSERT_TRUE(t && std::holds_alternative<FrameTick>(*t));
    EXPECT_EQ(std::get<FrameTick>(*t).frame_number, 9U);
    auto third = open_mac();
    third->send(request());
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*third)}));
    EXPECT_EQ(phy->mac_session(), third->mac_session());
    third.reset();
    ASSERT_TRUE(turn({accepting(*phy, session), [&] { return phy->peer_alive(), false; }, confirmed(*first)}));
    EXPECT_EQ(phy->mac_session(), first->mac_session());
}

TEST_F(Transport, RestartedPhyIsFoundAndStaleMessagesAreDropped) {
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    uint64_t old_session = 0;
    {
        auto phy = open_phy();
        ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
        old_session = phy->phy_session();
    }
    auto phy = open_phy();
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    EXPECT_NE(mac->phy_session(), old_session);
    EXPECT_EQ(mac->phy_session(), phy->phy_session());
    EXPECT_EQ(session, mac->mac_session());
    ASSERT_TRUE(phy->send(tick(3)));
    const auto t = mac->poll(milliseconds(60000));
    ASSERT_TRUE(t);
    EXPECT_TRUE(std::holds_alternative<FrameTick>(*t));
    EXPECT_EQ(mac->counters().lost, 0U);  // each session counts its messages from 0
}

TEST_F(Transport, SilenceIsNoRestart) {
    auto phy = open_phy();
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    // After several repeated requests: the port has answered them, both programs have not seen them.
    const auto sent = mac->counters().sent;
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                      [&] { return expect_quiet(*mac), mac->counters().sent >= sent + 3; }}));
    EXPECT_TRUE(phy->peer_alive());
}

/// A MAC changes the channel: the PHY program sees the request once, and the MAC sees the new session once.
TEST_F(Transport, AnotherRequestOfTheSameSessionIsNews) {
    auto phy = open_phy();
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    ASSERT_TRUE(phy->send(tick(7)));
    ASSERT_TRUE(mac->poll(milliseconds(60000)));
    auto other = request();
    other.carriers.downlink_hz += 5'000'000;
    mac->send(other);
    const auto asked = phy->poll(milliseconds(60000));
    ASSERT_TRUE(asked);
    EXPECT_EQ(std::get<ConfigRequest>(*asked).carriers, other.carriers);
    EXPECT_TRUE(phy->send(ConfigConfirm{}));
    ASSERT_TRUE(turn({confirmed(*mac)}));
    // Repeated requests are known again.
    const auto sent = mac->counters().sent;
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                      [&] { return expect_quiet(*mac), mac->counters().sent >= sent + 2; }}));
    EXPECT_EQ(mac->counters().stale + phy->counters().stale + mac->counters().lost + phy->counters().lost, 0U);
}

/// After a refusal the program also judges the previous request again, and restarts its session.
TEST_F(Transport, BackFromARefusedRequest) {
    auto phy = open_phy();
    auto mac = open_mac();
    ASSERT_TRUE(in_session(*phy, *mac));
    ASSERT_TRUE(phy->send(tick(7)));
    ASSERT_TRUE(mac->poll(milliseconds(60000)));
    auto other = request();
    other.carriers.downlink_hz += 5'000'000;
    mac->send(other);
    ASSERT_TRUE(phy->poll(milliseconds(60000)));
    ConfigConfirm refusal;
    refusal.faults = {"radio.frequency_hz"};
    EXPECT_TRUE(phy->send(refusal));
    const auto told = mac->poll(milliseconds(60000));
    ASSERT_TRUE(told);
    EXPECT_EQ(std::get<ConfigConfirm>(*told).faults, refusal.faults);
    EXPECT_TRUE(phy->send(tick(8))) << "the PHY goes on with what it has";
    mac->send(request());
    const auto asked = phy->poll(milliseconds(60000));
    ASSERT_TRUE(asked);
    EXPECT_EQ(std::get<ConfigRequest>(*asked).carriers, request().carriers);
    EXPECT_TRUE(phy->send(ConfigConfirm{}));
    ASSERT_TRUE(turn({confirmed(*mac)}));
}

/// The port refuses a request that no PHY can satisfy: the MAC would wait without end.
TEST_F(Transport, AMalformedRequestIsRefused) {
    auto phy = open_phy();
    for (const uint64_t hz : {uint64_t{0}, kMinFrequencyHz - 1, kMaxFrequencyHz + 1, uint64_t{4'294'967'295'000}}) {
        auto mac = open_mac();
        auto wrong = request();
        wrong.carriers.downlink_hz = hz;
        mac->send(wrong);
        std::vector<std::string> faults;
        ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                          [&] {
                              const auto m = mac->poll(milliseconds(5));
                              if (m) faults = std::get<ConfigConfirm>(*m).faults;
                              return m.has_value();
                          }}));
        ASSERT_EQ(faults.size(), 1U);
        EXPECT_TRUE(faults[0].starts_with("ConfigRequest.frequency_hz: ")) << faults[0];
        EXPECT_EQ(mac->phy_session(), 0U);
        EXPECT_FALSE(phy->peer_alive());
    }
    // A wrong request of the current MAC is refused, too, and its session continues.
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    auto wrong = request();
    wrong.carriers.downlink_hz = 0;
    mac->send(wrong);
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), false; },
                      [&] {
                          const auto m = mac->poll(milliseconds(5));
                          return m && !std::get<ConfigConfirm>(*m).faults.empty();
                      }}));
    EXPECT_TRUE(phy->peer_alive());
    mac->send(request());
    session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
}

TEST_F(Transport, MalformedMessagesAreCounted) {
    auto phy = open_phy();
    zmq::context_t context;
    zmq::socket_t raw(context, zmq::socket_type::dealer);
    raw.connect(endpoint);
    for (const std::string text : {"", "garbage", "\x08\x01"}) raw.send(zmq::buffer(text));
    zmq::send_multipart(raw, std::vector<zmq::const_buffer>(2001, zmq::str_buffer("x")));
    ASSERT_TRUE(turn({[&] { return expect_quiet(*phy), phy->counters().malformed >= 4; }}));
    EXPECT_EQ(phy->counters().malformed, 4U);
}

/// One end without a port: sends whatever a test wants.
class Raw {
public:
    Raw(zmq::socket_type type, const std::string& endpoint) : socket_(context_, type) {
        socket_.set(zmq::sockopt::linger, 0);
        type == zmq::socket_type::router ? socket_.bind(endpoint) : socket_.connect(endpoint);
    }
    /// `extra`: parts beyond those of the message.
    template <typename M>
    void say(const M& m, uint32_t sequence, uint64_t mac_session, uint64_t phy_session, int extra = 0) {
        codec_.encode(MessageRef(&m), sequence, mac_session, phy_session);
        std::vector<zmq::const_buffer> parts;
        if (!peer_.empty()) parts.push_back(zmq::buffer(peer_));
        const auto add = [&](Part part) { parts.push_back(zmq::buffer(part.data(), part.size())); };
        add(codec_.header());
        for (const Part part : codec_.payloads()) add(part);
        parts.resize(parts.size() + static_cast<size_t>(extra));
        zmq::send_multipart(socket_, parts);
    }
    /// The sender of a message becomes the peer.
    bool has_peer() {
        std::vector<zmq::message_t> parts;
        if (!zmq::recv_multipart(socket_, std::back_inserter(parts), zmq::recv_flags::dontwait)) return false;
        peer_ = parts[0].to_string();
        return true;
    }

private:
    zmq::context_t context_;
    zmq::socket_t socket_;
    Codec codec_;
    std::string peer_;
};

/// A peer that sends malformed messages continuously does not extend poll().
TEST_F(Transport, MalformedMessagesDoNotHoldThePhy) {
    constexpr uint64_t kMessages = 2000;
    auto phy = open_phy();
    zmq::context_t context;
    zmq::socket_t raw(context, zmq::socket_type::dealer);
    raw.set(zmq::sockopt::sndhwm, 0);
    raw.connect(endpoint);
    for (uint64_t i = 0; i < kMessages; ++i) raw.send(zmq::str_buffer("garbage"));
    uint64_t before = 0, most = 0;
    ASSERT_TRUE(turn({[&] {
        ::usleep(1000);  // more arrive
        EXPECT_FALSE(phy->poll(milliseconds(0)));
        most = std::max(most, phy->counters().malformed - std::exchange(before, phy->counters().malformed));
        return before == kMessages;
    }}));
    EXPECT_LE(most, 64U);
}

/// Peers that connect and send nothing, and more than there are descriptors, neither end the PHY nor keep a MAC out.
TEST(PhyPort, PeersThatSayNothingNeitherEndItNorKeepTheMacOut) {
    for (const std::string transport : {"ipc", "tcp"}) {
        const std::string address = free_address(transport);
        LimitedServer process(64, [&](const auto& stopped) {
            const auto phy = open_phy_port(address);
            if (!phy) ::_exit(2);
            while (!stopped()) {
                const auto m = (*phy)->poll(milliseconds(20));
                if (m && std::holds_alternative<ConfigRequest>(*m)) (*phy)->send(ConfigConfirm());
                (*phy)->peer_alive();  // probes
            }
        });
        Flood flood(address), second(address);
        EXPECT_TRUE(flood.connect(300)) << transport;
        auto mac = *open_mac_port(address);
        mac->send(request());
        EXPECT_TRUE(turn({confirmed(*mac)})) << transport;  // while the flood is there
        const auto lost = mac->counters().lost;
        EXPECT_TRUE(second.connect(300)) << transport;
        for (int i = 0; i < 450; ++i) mac->poll(milliseconds(5));  // longer than a peer without a message is kept
        EXPECT_TRUE(mac->peer_alive()) << transport;
        EXPECT_EQ(mac->counters().lost, lost) << transport;
        EXPECT_EQ(process.end(), 0) << transport;
    }
}

/// The program does not see messages, valid or not, unless both session numbers are current.
TEST_F(Transport, MessagesOfOtherSessionsAreStale) {
    auto phy = open_phy();
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    Raw raw(zmq::socket_type::dealer, endpoint);
    const auto say = [&](uint32_t frame, float power_dbm, uint64_t mac_session, uint64_t phy_session) {
        TxFrame m;
        m.frame_number = FrameNumber(frame);
        m.power_dbm = power_dbm;
        raw.say(m, frame, mac_session, phy_session);
    };
    const uint64_t mac_session = mac->mac_session(), phy_session = phy->phy_session();
    constexpr float kInvalid = std::numeric_limits<float>::infinity();
    say(1, 0, mac_session, phy_session + 1);
    say(2, 0, mac_session + 1, phy_session);
    say(3, kInvalid, mac_session, phy_session + 1);
    say(4, kInvalid, mac_session + 1, phy_session);
    say(5, 0, mac_session, phy_session);
    std::optional<Message> got;
    ASSERT_TRUE(turn({[&] { return (got = phy->poll(milliseconds(5))).has_value(); }}));
    ASSERT_TRUE(std::holds_alternative<TxFrame>(*got));
    EXPECT_EQ(std::get<TxFrame>(*got).frame_number, 5U);
    EXPECT_EQ(phy->counters().stale, 2U);
    EXPECT_EQ(phy->counters().malformed, 2U);
}

/// Messages that only one air interface has are dropped in a session of another one. The others are not.
TEST_F(Transport, MessagesOfAnotherAirInterfaceAreDropped) {
    auto phy = open_phy();
    auto mac = open_mac();
    auto other = request();
    other.phy = static_cast<AirInterface>(1);
    mac->send(other);
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    EXPECT_TRUE(mac->send(ProfilesRequest{}));
    EXPECT_TRUE(mac->send(TxFrame{}));
    std::optional<Message> got;
    ASSERT_TRUE(turn({[&] { return (got = phy->poll(milliseconds(5))).has_value(); }}));
    EXPECT_TRUE(std::holds_alternative<TxFrame>(*got));
    EXPECT_EQ(phy->counters().malformed, 1U);
}

/// A message that only a PHY sends, a request without session, more parts than any message has.
TEST_F(Transport, NoMacSaysThat) {
    auto phy = open_phy();
    auto mac = open_mac();
    mac->send(request());
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*mac)}));
    Raw raw(zmq::socket_type::dealer, endpoint);
    raw.say(tick(1), 0, mac->mac_session(), phy->phy_session());
    raw.say(request(), 0, 0, phy->phy_session());
    TxFrame full;
    full.bursts.resize(kMaxBursts);
    for (auto& burst : full.bursts) burst.format.data_symbols = 1, burst.payload = {1};
    raw.say(full, 0, mac->mac_session(), phy->phy_session(), 1);
    full.frame_number = FrameNumber(7);
    raw.say(full, 0, mac->mac_session(), phy->phy_session());
    std::vector<TxFrame> got;
    ASSERT_TRUE(turn({[&] {
        if (auto m = phy->poll(milliseconds(5))) got.push_back(std::get<TxFrame>(*m));
        return got.size() == 2;
    }}));
    EXPECT_TRUE(got[0].bursts.empty());  // an invalid response counts as an empty one
    EXPECT_EQ(got[1].frame_number, 7U);
    EXPECT_EQ(got[1].bursts.size(), kMaxBursts);
    EXPECT_EQ(phy->counters().malformed, 3U);
    EXPECT_EQ(phy->mac_session(), mac->mac_session());
}

/// A message that only a MAC sends, and a PHY of another session.
TEST_F(Transport, NoPhySaysThat) {
    Raw raw(zmq::socket_type::router, endpoint);
    auto mac = open_mac();
    mac->send(request());
    ASSERT_TRUE(turn({[&] { return mac->poll(milliseconds(5)), raw.has_peer(); }}));
    raw.say(ConfigConfirm{}, 0, mac->mac_session(), 77);
    ASSERT_TRUE(turn({confirmed(*mac)}));
    EXPECT_EQ(mac->phy_session(), 77U);
    raw.say(TxFrame{}, 1, mac->mac_session(), 77);
    raw.say(tick(1), 2, mac->mac_session(), 78);
    raw.say(tick(2), 2, mac->mac_session() + 1, 77);
    raw.say(tick(3), 4, mac->mac_session(), 77);
    std::optional<Message> got;
    ASSERT_TRUE(turn({[&] { return (got = mac->poll(milliseconds(5))).has_value(); }}));
    ASSERT_TRUE(std::holds_alternative<FrameTick>(*got));
    EXPECT_EQ(std::get<FrameTick>(*got).frame_number, 3U);
    EXPECT_EQ(mac->counters().malformed, 1U);
    EXPECT_EQ(mac->counters().stale, 2U);
    EXPECT_EQ(mac->counters().lost, 3U);  // sequence numbers 1 to 3 were none of this session's
    EXPECT_EQ(mac->counters().received, 2U);
}

/// A confirmation without a request: there is another radio with another time base.
TEST_F(Transport, ASecondVerdictBeginsTheSessionAnew) {
    auto phy = open_phy();
    auto mac = open_mac();
    ASSERT_TRUE(in_session(*phy, *mac));
    for (uint32_t n = 0; n < 3; ++n) {
        ASSERT_TRUE(phy->send(tick(n)));
        ASSERT_TRUE(mac->poll(milliseconds(60000)));
        ASSERT_TRUE(mac->send(TxFrame{}));
        ASSERT_TRUE(phy->poll(milliseconds(60000)));
    }
    ConfigConfirm again;
    again.sample_rate_hz = 4'000'000;
    EXPECT_TRUE(phy->send(again));
    ASSERT_TRUE(phy->send(tick(0)));
    const auto told = mac->poll(milliseconds(60000));
    ASSERT_TRUE(told);
    ASSERT_TRUE(std::holds_alternative<ConfigConfirm>(*told));
    EXPECT_EQ(std::get<ConfigConfirm>(*told).sample_rate_hz, 4'000'000U);
    const auto ticked = mac->poll(milliseconds(60000));
    ASSERT_TRUE(ticked);
    EXPECT_TRUE(std::holds_alternative<FrameTick>(*ticked));
    ASSERT_TRUE(mac->send(TxFrame{}));
    EXPECT_TRUE(phy->poll(milliseconds(60000)));
    EXPECT_EQ(mac->counters().lost + phy->counters().lost, 0U);
    EXPECT_EQ(mac->counters().stale + phy->counters().stale, 0U);
}

/// The program that waits for a response gets an empty one. The MAC is informed about the fault.
TEST_F(Transport, AnInvalidAnswerCountsAsAnEmptyOne) {
    auto phy = open_phy();
    auto mac = open_mac();
    ASSERT_TRUE(in_session(*phy, *mac));
    TxFrame loud;
    loud.frame_number = FrameNumber(5);
    loud.bursts.resize(1);
    loud.power_dbm = std::numeric_limits<float>::infinity();
    TxFrame full;
    full.frame_number = FrameNumber(0x1000006);
    full.bursts.resize(1);
    full.bursts[0].format.data_symbols = 1;
    full.bursts[0].payload.resize(12);  // one octet too many
    RxExpect expect;
    expect.frame_number = FrameNumber(7);
    expect.allocations.resize(2);
    expect.allocations[1].format.rate_id = 7;
    mac->send(loud);
    mac->send(full);
    mac->send(expect);
    std::vector<Message> got;
    std::vector<ErrorIndication> told;
    ASSERT_TRUE(turn({[&] {
                          if (auto m = phy->poll(milliseconds(5))) got.push_back(*m);
                          return false;
                      },
                      [&] {
                          const auto m = mac->poll(milliseconds(5));
                          if (m) told.push_back(std::get<ErrorIndication>(*m));
                          return told.size() == 3;
                      }}));
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(std::get<TxFrame>(got[0]).frame_number, 5U);
    EXPECT_TRUE(std::get<TxFrame>(got[0]).bursts.empty());
    EXPECT_EQ(std::get<TxFrame>(got[1]).frame_number, 6U);
    EXPECT_TRUE(std::get<TxFrame>(got[1]).bursts.empty());
    EXPECT_EQ(std::get<RxExpect>(got[2]).frame_number, 7U);
    EXPECT_TRUE(std::get<RxExpect>(got[2]).allocations.empty());
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(told[i].kind, ErrorKind::invalid);
        EXPECT_EQ(told[i].frame_number, 5 + i);
    }
    EXPECT_EQ(told[0].detail, "TxFrame.power_dbm: value inf: allowed -400..400");
    EXPECT_EQ(told[2].detail, "RxExpect.allocations[1].rate_id: value 7: allowed 0..6");
    EXPECT_EQ(phy->counters().malformed, 3U);
    EXPECT_EQ(phy->counters().lost, 0U);
}

/// A MAC in a separate process, which ends with the test even if that fails. confirmed() once the PHY has accepted it.
class OtherMac {
public:
    explicit OtherMac(Transport& test) {
        EXPECT_EQ(::pipe2(ready_, O_NONBLOCK | O_CLOEXEC), 0);
        child_ = ::fork();
        if (child_ != 0) return;
        auto mac = test.open_mac();
        mac->send(request());
        for (;;) {
            const auto m = mac->poll(milliseconds(1000));
            if (m && std::holds_alternative<ConfigConfirm>(*m) && ::write(ready_[1], "x", 1) != 1) ::_exit(1);
        }
    }
    OtherMac(const OtherMac&) = delete;
    ~OtherMac() {
        kill();
        ::close(ready_[0]);
        ::close(ready_[1]);
    }
    bool confirmed() const {
        char x;
        return ::read(ready_[0], &x, 1) == 1;
    }
    void kill() {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(std::exchange(child_, 0), nullptr, 0);
    }

private:
    int ready_[2] = {-1, -1};
    pid_t child_ = 0;
};

/// The MAC is killed while the PHY waits for its response: the probe notices.
TEST_F(Transport, KilledMacIsNoticed) {
    OtherMac other(*this);
    auto phy = open_phy();
    uint64_t session = 0;
    ASSERT_TRUE(turn({accepting(*phy, session), [&] { return other.confirmed(); }}));
    EXPECT_TRUE(phy->peer_alive());
    other.kill();
    const auto killed = Clock::now();
    ASSERT_TRUE(turn({[&] { return phy->poll(milliseconds(10)), !phy->peer_alive(); }}));
    RecordProperty("noticed_after_ms", static_cast<int>((Clock::now() - killed) / milliseconds(1)));
    std::printf("noticed after %d ms\n", static_cast<int>((Clock::now() - killed) / milliseconds(1)));
    EXPECT_FALSE(phy->send(tick(1)));
    EXPECT_EQ(phy->mac_session(), 0U);

    auto again = open_mac();
    again->send(request());
    ASSERT_TRUE(turn({accepting(*phy, session), confirmed(*again)}));
    EXPECT_TRUE(phy->peer_alive());
}

/// Any of the descriptors wakes poll(), wherever it is in the list, at either end.
TEST_F(Transport, PollWakesForOtherDescriptors) {
    auto phy = open_phy();
    auto mac = open_mac();
    int readable[2], quiet[2];
    ASSERT_EQ(::pipe(readable), 0);
    ASSERT_EQ(::pipe(quiet), 0);
    ASSERT_EQ(::write(readable[1], "x", 1), 1);
    for (Port* port : {phy.get(), mac.get()})
        for (const auto& also : {std::vector{readable[0]}, std::vector{readable[0], quiet[0]},
                                 std::vector{quiet[0], readable[0]}, std::vector{-1, readable[0], quiet[0], -1}})
            EXPECT_FALSE(port->poll(milliseconds(-1), also));
    for (const int fd : {readable[0], readable[1], quiet[0], quiet[1]}) ::close(fd);
    EXPECT_FALSE(open_phy_port("nonsense"));
    EXPECT_FALSE(open_mac_port("nonsense"));
}
/// Repeated requests and dropped messages do not end a poll early.
TEST_F(Transport, APollLastsItsTime) {
    constexpr milliseconds kTime{60};
    const auto lasts = [&](Port& port) {
        const auto begin = Clock::now();
        EXPECT_FALSE(port.poll(kTime));
        return Clock::now() - begin >= kTime;
    };
    {
        auto alone = open_mac();
        alone->send(request());
        EXPECT_TRUE(lasts(*alone)) << "it asks every 10 ms";
        EXPECT_EQ(alone->counters().unsent, 0U);
    }
    auto phy = open_phy();
    auto mac = open_mac();
    ASSERT_TRUE(in_session(*phy, *mac));
    mac->send(request());  // is confirmed, and no news
    EXPECT_TRUE(lasts(*phy));
    EXPECT_TRUE(lasts(*mac));
    EXPECT_TRUE(phy->peer_alive());  // a probe is none, either
    EXPECT_TRUE(lasts(*mac));
}

TEST(Endpoint, ThatIsServedAlreadyIsAFaultOfItsOwn) {
    const auto served = "ipc://" + Scratch::path("served.sap");
    const auto first = open_phy_port(served);
    ASSERT_TRUE(first);
    EXPECT_EQ(open_phy_port(served).error().status, ExitStatus::served_already);
    zmq::context_t context;
    zmq::socket_t other(context, zmq::socket_type::router);
    other.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(open_phy_port(other.get(zmq::sockopt::last_endpoint)).error().status, ExitStatus::served_already);
    EXPECT_EQ(open_phy_port("nonsense").error().status, ExitStatus::configuration_refused);
    EXPECT_EQ(open_mac_port("nonsense").error().status, ExitStatus::configuration_refused);
}

}  // namespace
}  // namespace wimax::sap
