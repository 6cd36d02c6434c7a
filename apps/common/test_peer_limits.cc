// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of listening sockets: closed peers, and connections that remain when descriptors run out.
#include "common/accept_gate.h"
#include "common/connections.h"
#include "common/control.h"
#include "common/scratch.h"
#include "common/test_flood.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace wimax {
namespace {

using std::chrono::milliseconds;

/// A ROUTER with limits, and peers identified by their descriptor at its end.
struct Limited : testing::Test {
    static constexpr Connections::Limits kLimits{6, milliseconds(1000)};
    Limited() { socket.bind(address); }

    /// Connects; the descriptor at the server's end.
    int connect() {
        auto& peer = peers.emplace_back(std::make_unique<zmq::socket_t>(context, zmq::socket_type::dealer));
        peer->set(zmq::sockopt::linger, 0);
        peer->set(zmq::sockopt::reconnect_ivl, -1);
        peer->connect(address);
        peer->send(zmq::str_buffer("hello"));
        zmq::message_t part;
        int fd = -1;
        for (bool more = true; more; more = part.more()) {
            (void)socket.recv(part);
            fd = source_of(part);
        }
        connections.update(now);
        return fd;
    }
    int guest() {
        const int fd = connect();
        connections.heard(fd, now);
        return fd;
    }
    /// Those of `fds` that are still there when the connections in excess have ended.
    std::vector<int> left(std::vector<int> fds, size_t count) {
        connections.enforce(now);
        for (int rounds = 0; rounds < 10'000 && connections.count() > count; ++rounds) {
            zmq::pollitem_t events{connections.events().handle(), 0, ZMQ_POLLIN, 0};
            wait_for({&events, 1}, milliseconds(1));
            connections.update(now);
        }
        EXPECT_EQ(connections.count(), count);
        std::erase_if(fds, [&](int fd) { return !connections.knows(fd); });
        return fds;
    }
    void pass(int ms) { now += milliseconds(ms); }

    const std::string address = free_address("ipc");
    Connections::Clock::time_point now{std::chrono::hours(1)};
    zmq::context_t context;
    zmq::socket_t socket{context, zmq::socket_type::router};
    Connections connections{context, socket, kLimits};
    std::vector<std::unique_ptr<zmq::socket_t>> peers;
};

using Fds = std::vector<int>;

TEST_F(Limited, ANewcomerIsClosedWhenItHasSaidNothingForLong) {
    const int early = connect();
    pass(1);
    const int late = connect(), speaks = guest();
    pass(998);
    EXPECT_EQ(left({early, late, speaks}, 3), Fds({early, late, speaks}));
    pass(1);
    EXPECT_EQ(left({early, late, speaks}, 2), Fds({late, speaks}));
    pass(1);
    EXPECT_EQ(left({late, speaks}, 1), Fds({speaks}));
    pass(100'000);
    EXPECT_EQ(left({speaks}, 1), Fds({speaks}));
}

TEST_F(Limited, TheNewcomerThatCameFirstMakesWay) {
    Fds all;
    for (size_t i = 0; i < kLimits.most + 3; ++i, pass(1)) all.push_back(connect());
    EXPECT_EQ(left(all, kLimits.most), Fds(all.begin() + 3, all.end()));
}

TEST_F(Limited, TheGuestThatWasHeardLastLongestAgoMakesWay) {
    Fds all;
    for (size_t i = 0; i < kLimits.most; ++i, pass(1)) all.push_back(guest());
    EXPECT_EQ(left(all, kLimits.most), all);
    connections.heard(all[0], now);
    pass(1);
    const int next = guest();
    EXPECT_EQ(left({all[0], all[1], all[2], next}, kLimits.most), Fds({all[0], all[2], next}));
}

TEST_F(Limited, GuestsLeaveAFewPlacesToNewcomersAlways) {
    for (size_t i = 0; i < kLimits.most; ++i, pass(1)) guest();
    Fds newcomers;
    for (size_t i = 0; i < Connections::kNewcomers + 2; ++i, pass(1)) newcomers.push_back(connect());
    EXPECT_EQ(left(newcomers, kLimits.most + Connections::kNewcomers), Fds(newcomers.begin() + 2, newcomers.end()));
}

TEST_F(Limited, OneThatIsKeptNeverMakesWay) {
    const int kept = connect();
    connections.keep(kept);
    pass(10'000);
    Fds others;
    for (size_t i = 0; i < 2 * kLimits.most; ++i, pass(1)) others.push_back(guest());
    left(others, kLimits.most + 1);
    EXPECT_TRUE(connections.keeps(kept));
    connections.heard(kept, now);
    EXPECT_TRUE(connections.keeps(kept));
    connections.release(kept, now);  // a newcomer again
    EXPECT_FALSE(connections.keeps(kept));
    pass(999);
    EXPECT_EQ(left({kept}, kLimits.most + 1), Fds({kept}));
    pass(1);
    EXPECT_EQ(left({kept}, kLimits.most), Fds());
}

/// Acts like the gate when another socket of the program has taken the descriptors.
void refuse_one() {
    const std::string address = free_address("ipc");
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    address.substr(6).copy(path.sun_path, sizeof path.sun_path - 1);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&path), sizeof path), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    Flood peer(address);
    ASSERT_TRUE(peer.connect(1));
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{1, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const uint64_t refused = refused_connections();
    EXPECT_LT(accept_connection(listener, nullptr, nullptr, 0), 0);
    EXPECT_EQ(refused_connections(), refused + 1);
    ::setrlimit(RLIMIT_NOFILE, &before);
    guard_descriptors();
    ::close(listener);
}

TEST_F(Limited, WithoutDescriptorsASocketWithManyPeersClosesOne) {
    const int first = guest(), second = guest();
    Fds newcomers{connect(), connect()};
    refuse_one();
    EXPECT_EQ(left({first, second}, 4), Fds({first, second}));  // few: a peer of this socket took nothing
    pass(1);
    newcomers.push_back(connect());
    refuse_one();
    EXPECT_EQ(left(newcomers, 4), Fds(newcomers.begin() + 1, newcomers.end()));
    EXPECT_EQ(left(newcomers, 4), Fds(newcomers.begin() + 1, newcomers.end()));  // and one alone
}

/// The places reserved for newcomers stay free: only a connection that is not about to be closed can be kept.
TEST_F(Limited, WithoutDescriptorsAFewConnectionsStay) {
    Fds all;
    for (size_t i = 0; i < Connections::kNewcomers; ++i, pass(1)) all.push_back(connect());
    refuse_one();
    connections.enforce(now);
    for (const int fd : all) {
        connections.keep(fd);
        EXPECT_TRUE(connections.keeps(fd));
    }
}

TEST_F(Limited, ADescriptorThatIsUsedAgainIsANewcomer) {
    std::set<int> used;
    for (size_t rounds = 0; used.size() == rounds; ++rounds) {  // until a descriptor is reused
        const int fd = connect();
        EXPECT_FALSE(connections.keeps(fd)) << rounds;
        used.insert(fd);
        connections.keep(fd);
        EXPECT_TRUE(connections.keeps(fd));
        peers.clear();
        EXPECT_EQ(left({fd}, 0), Fds());
    }
}

TEST(AcceptGate, LeavesDescriptorsToTheProgram) {
    const std::string address = free_address("ipc");
    LimitedServer server(64, [&](const auto& stopped) {
        zmq::context_t context;
        zmq::socket_t socket(context, zmq::socket_type::router);
        Connections connections(context, socket, {1000, milliseconds(100'000)});
        socket.bind(address);
        while (!stopped() || refused_connections() < 100) {
            ::usleep(1000);
            connections.update(Connections::Clock::now());
        }
        for (int i = 0; i < 7; ++i)  // an eighth of 64, of which the gate uses one for a moment
            if (::open("/dev/null", O_RDONLY) < 0) ::_exit(10 + i);
        if (connections.count() < 16) ::_exit(2);
    });
    Flood flood(address);
    EXPECT_TRUE(flood.connect(200));
    EXPECT_EQ(server.end(), 0);
}

TEST(AcceptGate, RefusesWhenNoDescriptorIsLeft) {
    const std::string path = Scratch::path("full");
    LimitedServer server(64, [&](const auto& stopped) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
        guard_descriptors();
        while (::open("/dev/null", O_RDONLY) >= 0) continue;
        if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::_exit(2);
        if (::listen(listener, 4) != 0) ::_exit(3);
        while (!stopped()) {
            if (accept_connection(listener, nullptr, nullptr, 0) >= 0) ::_exit(4);
            if (errno != ECONNABORTED && errno != EINTR) ::_exit(5);  // EMFILE would be there again at once
        }
    });
    Flood flood(path);
    EXPECT_TRUE(flood.connect(20));
    EXPECT_EQ(server.end(), 0);
}

/// Reply to a request, which is repeated without a reply: the server may have closed the connection.
std::string ask_again(const std::string& address) {
    zmq::context_t context;
    for (int tries = 0; tries < 40; ++tries) {
        zmq::socket_t client(context, zmq::socket_type::req);
        client.set(zmq::sockopt::linger, 0);
        client.set(zmq::sockopt::rcvtimeo, 500);
        client.connect(address);
        client.send(zmq::str_buffer(R"({"get":"status"})"));
        zmq::message_t reply;
        if (client.recv(reply)) return reply.to_string();
    }
    return "";
}

TEST(Control, ClientsThatSayNothingNeitherEndItNorKeepOthersOut) {
    for (const std::string transport : {"ipc", "tcp"}) {
        const std::string address = free_address(transport);
        LimitedServer process(64, [&](const auto& stopped) {
            ControlServer server;
            if (!server.open(address)) ::_exit(2);
            server.on_get("status", "", [] { return 1; });
            while (!stopped()) {
                pollfd fd{server.fd(), POLLIN, 0};
                ::poll(&fd, 1, 10);
                server.poll();
            }
        });
        Flood flood(address);
        EXPECT_TRUE(flood.connect(300)) << transport;
        EXPECT_EQ(ask_again(address), R"({"status":1})") << transport;  // while the flood is there
        EXPECT_EQ(process.end(), 0) << transport;
    }
}

}  // namespace
}  // namespace wimax
