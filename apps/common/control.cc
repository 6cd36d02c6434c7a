// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/control.h"
#include "common/accept_gate.h"
#include "common/address.h"
#include "common/connections.h"
#include "common/log.h"
#include "common/yaml_tree.h"
#include "common/zmq_socket.h"

namespace wimax {
namespace {

using nlohmann::json;
constexpr int64_t kMaxRequestBytes = 64 * 1024;
constexpr int kMaxLevels = 16;  // nested objects and lists in a request: functions that write or copy JSON recurse
constexpr int kRequestsPerPoll = 4;
constexpr int kQueuedPerClient = 4;  // each way; replies to a client that does not read are dropped
constexpr int kLingerMs = 100;
constexpr const char* kLevels = "trace, debug, info, warning, error, off";
constexpr auto kRefusedReportInterval = std::chrono::seconds(60);

template <typename Map> std::string names(const Map& map) {
    std::string all;
    for (const auto& [name, f] : map) all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "nothing" : all;
}

/// The available keys and their help texts.
template <typename Map> void list(json& reply, const char* verb, const Map& map) {
    auto& all = reply[verb] = json::array();
    auto& help = reply["help"][verb] = json::object();
    for (const auto& [name, key] : map) {
        all.push_back(name);
        help[name] = key.help;
    }
}

/// Returns no object if the text is none, or has too many levels.
json parse(const std::string& text) {
    bool fits = true;
    const auto keep = [&fits](int around, json::parse_event_t event, const json&) {
        const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        return fits = fits && !(opens && around >= kMaxLevels);
    };
    return json::parse(text, keep, false);
}

std::string dump(const json& value) { return value.dump(-1, ' ', true, json::error_handler_t::replace); }

}  // namespace

struct ControlServer::Socket {
    explicit Socket(AddressClaim held) : claim(std::move(held)) {
        socket.set(zmq::sockopt::linger, kLingerMs);
        socket.set(zmq::sockopt::sndhwm, kQueuedPerClient);
        socket.set(zmq::sockopt::rcvhwm, kQueuedPerClient);
        socket.set(zmq::sockopt::maxmsgsize, kMaxRequestBytes);
        const ActingAs owner(claim.acting_for());
        socket.bind(claim.address());
    }
    AddressClaim claim;  // destroyed last: removes the socket's file
    zmq::context_t context;
    zmq::socket_t socket{context, zmq::socket_type::rep};
    Connections connections{context, socket, {kMaxClients}};
};

ControlServer::ControlServer() = default;
ControlServer::~ControlServer() = default;

tl::expected<void, DaemonFault> ControlServer::open(const std::string& endpoint) {
    const auto refused = [](const DaemonFault& fault) {
        return tl::unexpected(DaemonFault{{"control.endpoint", {}, fault.str()}, fault.status});
    };
    const auto address = expand_address(endpoint);
    auto claim = AddressClaim::take(address);
    if (!claim) return refused(claim.error());
    auto socket = attempt(address, [&] { return std::make_unique<Socket>(std::move(*claim)); });
    if (!socket) return refused(socket.error());
    socket_ = std::move(*socket);
    return {};
}

void ControlServer::close() { socket_.reset(); }

size_t ControlServer::clients() const { return socket_ ? socket_->connections.count() : 0; }

void ControlServer::report_refused(std::chrono::steady_clock::time_point now) {
    const uint64_t refused = refused_connections();
    if (refused == reported_refused_ || now < report_refused_at_) return;
    log::layer("control").warn(log::kNoFrame, "{} connections closed: too few descriptors are left (see ulimit -n)",
                               refused - reported_refused_);
    reported_refused_ = refused;
    report_refused_at_ = now + kRefusedReportInterval;
}

void ControlServer::serve_log_levels() {
    on_get("log", "level of each layer of the log", [] {
        json all = json::object();
        for (const auto& [name, level] : log::levels()) all[name] = log::to_string(level);
        return all;
    });
    for (const auto& entry : log::levels()) {
        on_set("log." + entry.first, std::string("level of layer ") + entry.first + ": " + kLevels,
               [name = entry.first](const json& value) -> Faults {
                   const auto level = value.is_string() ? log::parse_level(value.get<std::string>()) : std::nullopt;
                   if (!level) return Fault{.allowed = kLevels};
                   log::set_level(name, *level);
                   return Faults();
               });
    }
}

int ControlServer::fd() const { return socket_ ? socket_->socket.get(zmq::sockopt::fd) : -1; }

void ControlServer::poll(std::chrono::steady_clock::time_point now) {
    if (!socket_) return;
    auto& connections = socket_->connections;
    report_refused(now);
    connections.update(now);
    for (int i = 0; i < kRequestsPerPoll; ++i) {
        zmq::message_t part;
        if (!receive_part(socket_->socket, part)) break;
        connections.update(now);
        connections.heard(source_of(part), now);
        const std::string request = part.to_string();
        while (part.more() && receive_part(socket_->socket, part)) continue;  // a request is one part
        const std::string reply = answer(request);
        send_part(socket_->socket, zmq::buffer(reply), false);
    }
    connections.enforce(now);
}

void ControlServer::set(const std::string& key, const json& value, Faults& faults) {
    const auto it = sets_.find(key);
    if (it == sets_.end())
        return faults.add(config::shorten(key), config::shorten(dump(value)), "a known key: " + names(sets_));
    faults.add_all(it->second.call(value), [&](Fault fault) {
        if (fault.key.empty() && fault.value.empty()) fault.value = config::shorten(dump(value));
        fault.key = fault.key.empty() ? key : key + "." + fault.key;
        return fault;
    });
}

std::string ControlServer::answer(const std::string& text) {
    json reply = json::object();
    Faults faults;
    const json request = parse(text);
    if (!request.is_object()) {
        const Fault fault{"request", config::shorten(text),
                          "a JSON object of at most " + std::to_string(kMaxLevels) + " levels"};
        return dump({{"error", {fault.str()}}});
    }
    for (const auto& [verb, argument] : request.items()) {
        if (verb == "get" && argument.is_string()) {
            const auto name = argument.get<std::string>();
            const auto it = gets_.find(name);
            if (it != gets_.end()) {
                reply[name] = it->second.call();
            } else if (name.empty()) {
                list(reply, "get", gets_);
                list(reply, "set", sets_);
            } else {
                faults.add("get", config::shorten(name), names(gets_));
            }
        } else if (verb == "set" && argument.is_object()) {
            for (const auto& [key, value] : argument.items()) set(key, value, faults);
            if (all_set_) faults.add_all(all_set_());
            reply["ok"] = faults.empty();
        } else if (verb == "stop" && argument == true) {
            if (stop_) stop_();
            reply["ok"] = true;
        } else {
            faults.add(config::shorten(verb), config::shorten(dump(argument)),
                       R"({"get": "NAME"}, {"set": {"KEY": VALUE}}, {"stop": true})");
        }
    }
    if (!faults.empty()) reply["error"] = faults.lines();
    return dump(reply);
}

}  // namespace wimax
