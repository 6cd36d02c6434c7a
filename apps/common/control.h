// SPDX-License-Identifier: GPL-3.0-or-later
// Control socket of a daemon: ZeroMQ REP, one JSON object in, one out. Polled by the program's own loop; never blocks
// it. A client that does not read costs a few replies of memory, then its replies are dropped. The number of clients is
// limited, and clients that ask nothing are disconnected (common/connections.h).
//
//     {"get": "status"}                      -> {"status": {...}}
//     {"get": ""}                            -> {"get": [names], "set": [names],
//                                                "help": {"get": {name: text}, "set": {name: text}}}
//     {"set": {"log.mac": "debug", ...}}     -> {"ok": true}
//     {"stop": true}                         -> {"ok": true}
// Faults, all at once: {"error": ["key: value X: allowed ..."]}; valid parts of the same request are applied.
#pragma once

#include "common/exit_status.h"
#include "common/faults.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace wimax {

class ControlServer {
public:
    static constexpr size_t kMaxClients = 32;  ///< each costs a descriptor and memory

    ControlServer();
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

    /// `endpoint` as ZeroMQ writes it, "tcp://127.0.0.1:5701" or "ipc:///run/x". Without it poll() does nothing.
    tl::expected<void, DaemonFault> open(const std::string& endpoint);
    /// Takes the socket and its files away; poll() does nothing from then on.
    void close();

    using Get = std::function<nlohmann::json()>;
    /// Keys of faults are relative to the setting's key; without a key, the value is the given one.
    using Set = std::function<Faults(const nlohmann::json& value)>;
    /// `help`: description with unit and range.
    void on_get(std::string name, std::string help, Get get) {
        gets_[std::move(name)] = {std::move(help), std::move(get)};
    }
    void on_set(std::string name, std::string help, Set set) {
        sets_[std::move(name)] = {std::move(help), std::move(set)};
    }
    /// Called when all keys of a request are set: returns faults of their combination.
    void on_all_set(std::function<Faults()> check) { all_set_ = std::move(check); }
    void on_stop(std::function<void()> stop) { stop_ = std::move(stop); }
    /// "log" to read and "log.<layer>" to set, for every layer there is at the time of the call.
    void serve_log_levels();

    /// Answers waiting requests, at most a few per call.
    void poll(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
    /// For ::poll (edge-triggered, as ZMQ_FD is: call poll() at least now and then regardless); -1 without socket.
    int fd() const;
    /// Number of connections, as of the last poll().
    size_t clients() const;
    /// Reply to one request, as in poll().
    std::string answer(const std::string& request);

private:
    struct Socket;
    void report_refused(std::chrono::steady_clock::time_point now);
    void set(const std::string& key, const nlohmann::json& value, Faults& faults);

    std::unique_ptr<Socket> socket_;
    std::chrono::steady_clock::time_point report_refused_at_{};
    uint64_t reported_refused_ = 0;
    template <class F> struct Described {
        std::string help;
        F call;
    };
    std::map<std::string, Described<Get>> gets_;
    std::map<std::string, Described<Set>> sets_;
    std::function<Faults()> all_set_;
    std::function<void()> stop_;
};

}  // namespace wimax
