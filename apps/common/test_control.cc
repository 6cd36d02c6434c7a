// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/connections.h"
#include "common/control.h"
#include "common/log.h"
#include "common/scratch.h"
#include "common/stop.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace wimax {
namespace {

using nlohmann::json;

size_t resident_kb() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
    return 0;
}

/// Replies for clients that never read them are not kept.
TEST(Control, ClientsThatNeverReadCostLittleMemory) {
    constexpr int kClients = 10, kRequests = 200;
    const std::string endpoint = "ipc://" + Scratch::path("deaf.ctl");
    ControlServer server;
    ASSERT_TRUE(server.open(endpoint));
    int asked = 0;
    server.on_get("status", "", [&] {
        ++asked;
        return std::string(50'000, 'x');
    });
    zmq::context_t context;
    std::vector<zmq::socket_t> clients;
    const size_t before = resident_kb();
    for (int i = 0; i < kClients; ++i) {
        auto& client = clients.emplace_back(context, zmq::socket_type::dealer);
        client.set(zmq::sockopt::rcvhwm, 1);
        client.set(zmq::sockopt::sndhwm, kRequests);
        client.set(zmq::sockopt::linger, 0);
        client.connect(endpoint);
        for (int k = 0; k < kRequests; ++k) {
            client.send(zmq::const_buffer(), zmq::send_flags::sndmore);
            client.send(zmq::str_buffer(R"({"get": "status"})"));
        }
    }
    for (int rounds = 0; asked < kClients * kRequests && rounds < 20'000; ++rounds) {
        pollfd fd{server.fd(), POLLIN, 0};
        ::poll(&fd, 1, 1);
        server.poll();
    }
    EXPECT_EQ(asked, kClients * kRequests);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need more
    EXPECT_LT(resident_kb(), before + 32 * 1024);  // all replies are 100 MB
#endif
}

/// A client that sends requests and reads the replies.
class Client {
public:
    Client(zmq::context_t& context, const std::string& endpoint) : socket_(context, zmq::socket_type::req) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.connect(endpoint);
    }
    /// The reply, "" if there is none.
    std::string asks(ControlServer& server) {
        socket_.send(zmq::str_buffer(R"({"get":"status"})"));
        zmq::message_t reply;
        eventually(server, [&] { return socket_.recv(reply, zmq::recv_flags::dontwait).has_value(); });
        return reply.to_string();
    }
    /// Serves until the condition holds; the limit only ends a failed test. `later`: added to the time of the server.
    template <typename Condition>
    static bool eventually(ControlServer& server, const Condition& condition, std::chrono::seconds later = {}) {
        for (int rounds = 0; rounds < 20'000; ++rounds) {
            server.poll(std::chrono::steady_clock::now() + later);
            if (condition()) return true;
            pollfd fd{server.fd(), POLLIN, 0};
            ::poll(&fd, 1, 1);
        }
        return false;
    }

private:
    zmq::socket_t socket_;
};

/// A connection with its handshake done (ZMTP 3.0, NULL), which nothing but the server ends.
int connect_to(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::string hello = "\xff" + std::string(8, '\0') + "\x7f\x03" + '\0' + "NULL";
    hello.resize(64);
    hello += std::string("\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03REQ", 27);
    EXPECT_EQ(::send(fd, hello.data(), hello.size(), MSG_NOSIGNAL), ssize_t(hello.size()));
    return fd;
}

bool closed_by_peer(int fd) {
    char greeting[200];
    ssize_t n;
    while ((n = ::recv(fd, greeting, sizeof greeting, 0)) > 0) continue;
    return n == 0 || (errno != EAGAIN && errno != EINTR);
}

TEST(Control, ClientsBeyondTheLimitAreDisconnected) {
    const std::string kAnswer = R"({"status":1})";
    const std::string path = Scratch::path("crowd.ctl"), endpoint = "ipc://" + path;
    ControlServer server;
    ASSERT_TRUE(server.open(endpoint));
    server.on_get("status", "", [] { return 1; });
    zmq::context_t context;
    std::vector<std::unique_ptr<Client>> clients;
    while (clients.size() < ControlServer::kMaxClients) {
        clients.push_back(std::make_unique<Client>(context, endpoint));
        ASSERT_EQ(clients.back()->asks(server), kAnswer) << clients.size();
    }
    EXPECT_EQ(server.clients(), ControlServer::kMaxClients);
    for (int wave = 0; wave < 4; ++wave) {
        std::vector<int> surplus;
        for (int i = 0; i < 10; ++i) surplus.push_back(connect_to(path));
        const auto gone = [&] { return std::count_if(surplus.begin(), surplus.end(), closed_by_peer); };
        ASSERT_TRUE(Client::eventually(server, [&] { return gone() >= 10 - ptrdiff_t(Connections::kNewcomers); }));
        ASSERT_TRUE(Client::eventually(
            server, [&] { return gone() == 10; }, std::chrono::seconds(2)))
            << wave;
        for (const int fd : surplus) ::close(fd);
    }
    EXPECT_TRUE(Client::eventually(server, [&] { return server.clients() == ControlServer::kMaxClients; }));
    for (const auto& client : clients) EXPECT_EQ(client->asks(server), kAnswer);
    // The place of a client that disconnects is free again.
    clients.pop_back();
    EXPECT_TRUE(Client::eventually(server, [&] { return server.clients() == ControlServer::kMaxClients - 1; }));
    EXPECT_EQ(Client(context, endpoint).asks(server), kAnswer);
}

TEST(Control, AnswersAndReportsAllFaults) {
    log::layer("mac");
    ControlServer server;
    bool stopped = false;
    int level = 0;
    server.on_get("status", "", [] { return json{{"frames", 5}}; });
    server.on_set("level", "", [&](const json& v) -> Faults {
        if (!v.is_number_integer()) return Fault{.allowed = "integers"};
        level = v.get<int>();
        return Faults();
    });
    server.on_stop([&] { stopped = true; });
    server.serve_log_levels();
    EXPECT_EQ(json::parse(server.answer(R"({"get":"status"})")), json::parse(R"({"status":{"frames":5}})"));
    EXPECT_EQ(json::parse(server.answer(R"({"set":{"level":3,"log.mac":"debug"}})")), json::parse(R"({"ok":true})"));
    EXPECT_EQ(level, 3);
    EXPECT_EQ(log::layer("mac").level(), log::Level::debug);
    const auto faulty = json::parse(server.answer(R"({"set":{"level":"x","log.mac":"loud","nope":1}})"));
    EXPECT_EQ(faulty["ok"], false);
    EXPECT_EQ(faulty["error"], json({R"(level: value "x": allowed integers)",
                                     R"(log.mac: value "loud": allowed trace, debug, info, warning, error, off)",
                                     "nope: value 1: allowed a known key: level, log.mac"}));
    for (const char* bad : {"", "[]", "{\"get\":5}", "{\"get\":\"x\"}", "{\"bogus\":1}", "\xff\xfe", "{\"\xff\":1}"})
        EXPECT_TRUE(json::parse(server.answer(bad)).contains("error")) << bad;
    EXPECT_FALSE(stopped);
    EXPECT_EQ(json::parse(server.answer(R"({"stop":true})")), json::parse(R"({"ok":true})"));
    EXPECT_TRUE(stopped);
}

/// As deep as 64 KB allow: functions that write, copy or compare such a value recurse for each level.
TEST(Control, RequestsOfManyLevelsAreRefused) {
    ControlServer server;
    json taken;
    server.on_set("value", "", [&](const json& v) {
        taken = v;
        return Faults();
    });
    const auto lists = [](size_t n) { return std::string(n, '[') + "1" + std::string(n, ']'); };
    EXPECT_EQ(server.answer(R"({"set":{"value":)" + lists(14) + "}}"), R"({"ok":true})");
    EXPECT_EQ(taken.dump(), lists(14));
    std::string objects = "1";
    for (int i = 0; i < 10'000; ++i) objects = R"({"a":)" + objects + "}";
    std::vector<std::string> deep{objects};
    for (const size_t n : {15, 1000, 32'000}) {
        deep.push_back(R"({"set":{"value":)" + lists(n) + "}}");
        deep.push_back(R"({"bogus":{"value":)" + lists(n) + "}}");
        deep.push_back(lists(n + 2));
    }
    for (const auto& text : deep) {
        const std::string why = json::parse(server.answer(text))["error"][0];
        EXPECT_TRUE(why.ends_with(": allowed a JSON object of at most 16 levels")) << why;
        EXPECT_LT(why.size(), 200U);
    }
    EXPECT_EQ(taken.dump(), lists(14));
}

TEST(Control, WhatIsWrongWithAllKeysTogether) {
    ControlServer server;
    int set = 0, asked = 0;
    const auto count = [&](const json&) {
        ++set;
        return Faults();
    };
    server.on_set("a", "", count);
    server.on_set("b", "", count);
    server.on_all_set([&] {
        ++asked;
        return set == 1 ? Faults(Fault{.key = "b", .allowed = "missing"}) : Faults();
    });
    EXPECT_EQ(json::parse(server.answer(R"({"set":{"a":1}})")), json::parse(R"({"ok":false,"error":["b: missing"]})"));
    EXPECT_EQ(json::parse(server.answer(R"({"set":{"a":1,"b":1}})")), json::parse(R"({"ok":true})"));
    EXPECT_EQ(asked, 2);
}

TEST(Control, OverItsSocket) {
    const std::string endpoint = "ipc://" + Scratch::path("control.sock");
    ControlServer server;
    ASSERT_TRUE(server.open(endpoint));
    server.on_get("status", "", [] { return json(1); });
    zmq::context_t context;
    EXPECT_EQ(Client(context, endpoint).asks(server), R"({"status":1})");
    const auto wrong = ControlServer().open("tcp://256.0.0.1:1");
    EXPECT_EQ(wrong.error().str(), "control.endpoint: tcp://256.0.0.1:1: No such device");
    EXPECT_EQ(wrong.error().status, ExitStatus::configuration_refused);
    EXPECT_EQ(ControlServer().open(endpoint).error().status, ExitStatus::served_already);
    EXPECT_EQ(ControlServer().open("ipc:///no/such/folder/x").error().status, ExitStatus::configuration_refused);
}

TEST(Control, OverTcpThatIsServedAlready) {
    zmq::context_t context;
    zmq::socket_t other(context, zmq::socket_type::rep);
    other.bind("tcp://127.0.0.1:*");
    const auto endpoint = other.get(zmq::sockopt::last_endpoint);
    const auto second = ControlServer().open(endpoint);
    EXPECT_EQ(second.error().str(), "control.endpoint: " + endpoint + ": Address already in use");
    EXPECT_EQ(second.error().status, ExitStatus::served_already);
}

TEST(StopSignal, IsAFlagAndADescriptor) {
    StopSignal stop(10);
    pollfd p{stop.fd(), POLLIN, 0};
    EXPECT_FALSE(stop.raised());
    EXPECT_EQ(::poll(&p, 1, 0), 0);
    ::raise(SIGTERM);
    EXPECT_TRUE(stop.raised());
    EXPECT_EQ(::poll(&p, 1, 0), 1);
    stop.raise();  // no second signal: the process lives
    EXPECT_TRUE(stop.raised());
}

}  // namespace
}  // namespace wimax
