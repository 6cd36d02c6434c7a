/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <common/control.h>
#include <common/log.h>
#include <common/yaml_tree.h>
#include <common/zmq_monitor.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace wimax {
namespace {

using nlohmann::json;
constexpr int64_t kMaxRequestBytes = 64 * 1024;
constexpr int kMaxLevels = 16;  // of objects and lists in a request: who writes or copies JSON calls itself for each
constexpr int kRequestsPerPoll = 4;
constexpr int kQueuedPerClient = 4;  // each way; replies to one that does not read are dropped
constexpr int kHandshakeMs = 5000;   // who connects and says nothing does not keep a place

void destroy_context(void* context) { zmq_ctx_term(context); }
void destroy_socket(void* socket) { zmq_close(socket); }

template <typename Map>
std::string names(const Map& map) {
    std::string all;
    for (const auto& [name, f] : map) all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "nothing" : all;
}

/// Not an object where the text is none, or one of too many levels.
json parse(const std::string& text) {
    bool fits = true;
    const auto keep = [&fits](int around, json::parse_event_t event, const json&) {
        const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        return fits = fits && !(opens && around >= kMaxLevels);
    };
    return json::parse(text, keep, false);
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

ControlServer::ControlServer(const std::string& endpoint)
    : context_(nullptr, destroy_context), socket_(nullptr, destroy_socket), monitor_(nullptr, destroy_socket) {
    if (endpoint.empty()) return;
    context_.reset(zmq_ctx_new());
    socket_.reset(zmq_socket(context_.get(), ZMQ_REP));
    const int linger = 100;
    zmq_setsockopt(socket_.get(), ZMQ_LINGER, &linger, sizeof linger);
    for (const int queue : {ZMQ_SNDHWM, ZMQ_RCVHWM})
        zmq_setsockopt(socket_.get(), queue, &kQueuedPerClient, sizeof kQueuedPerClient);
    zmq_setsockopt(socket_.get(), ZMQ_MAXMSGSIZE, &kMaxRequestBytes, sizeof kMaxRequestBytes);
    zmq_setsockopt(socket_.get(), ZMQ_HANDSHAKE_IVL, &kHandshakeMs, sizeof kHandshakeMs);
    monitor_.reset(monitor_connections(context_.get(), socket_.get()));
    if (zmq_bind(socket_.get(), endpoint.c_str()) != 0) {
        fault_ = endpoint + ": " + zmq_strerror(errno);
        monitor_.reset();
        socket_.reset();
    }
}

ControlServer::~ControlServer() {
    if (socket_) zmq_socket_monitor(socket_.get(), nullptr, 0);
    monitor_.reset();
    socket_.reset();
    context_.reset();
}

void ControlServer::limit_connections() {
    std::vector<int> surplus;
    for (ConnectionEvent event; next_connection_event(monitor_.get(), event);) {
        if (event.closed) {
            clients_.erase(event.fd);
            std::erase(surplus, event.fd);
        } else if (clients_.insert(event.fd).second && clients_.size() > kMaxClients) {
            surplus.push_back(event.fd);
        }
    }
    for (const int fd : surplus) close_connection(fd);
}

void ControlServer::serve_log_levels() {
    on_get("log", [] {
        json all = json::object();
        for (const auto& [name, level] : log::levels()) all[name] = log::to_string(level);
        return all;
    });
    for (const auto& entry : log::levels()) {
        on_set("log." + entry.first, [name = entry.first](const json& value) -> std::string {
            log::Level level{};
            if (!value.is_string() || !log::parse_level(value.get<std::string>(), level))
                return "allowed trace, debug, info, warning, error, off";
            log::set_level(name, level);
            return {};
        });
    }
}

int ControlServer::fd() const {
    int fd = -1;
    size_t size = sizeof fd;
    if (socket_) zmq_getsockopt(socket_.get(), ZMQ_FD, &fd, &size);
    return fd;
}

void ControlServer::poll() {
    if (!socket_) return;
    limit_connections();
    for (int i = 0; i < kRequestsPerPoll; ++i) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, socket_.get(), ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&message);
            return;
        }
        const std::string request(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
        // A request is one part; what follows is dropped.
        while (zmq_msg_more(&message))
            if (zmq_msg_recv(&message, socket_.get(), ZMQ_DONTWAIT) < 0) break;
        zmq_msg_close(&message);
        const std::string reply = answer(request);
        zmq_send(socket_.get(), reply.data(), reply.size(), ZMQ_DONTWAIT);
    }
}

std::string ControlServer::answer(const std::string& text) {
    json reply = json::object();
    json errors = json::array();
    const json request = parse(text);
    if (!request.is_object()) {
        reply["error"] = {"request: value " + config::shorten(text) + ": allowed a JSON object of at most " +
                          std::to_string(kMaxLevels) + " levels"};
        return dump(reply);
    }
    for (const auto& [verb, argument] : request.items()) {
        if (verb == "get" && argument.is_string()) {
            const auto name = argument.get<std::string>();
            const auto it = gets_.find(name);
            if (it != gets_.end()) {
                reply[name] = it->second();
            } else if (name.empty()) {
                reply["get"] = json::array();
                reply["set"] = json::array();
                for (const auto& [key, f] : gets_) reply["get"].push_back(key);
                for (const auto& [key, f] : sets_) reply["set"].push_back(key);
            } else {
                errors.push_back("get: value " + config::shorten(name) + ": allowed " + names(gets_));
            }
        } else if (verb == "set" && argument.is_object()) {
            for (const auto& [key, value] : argument.items()) {
                const auto it = sets_.find(key);
                const std::string why = it == sets_.end() ? "unknown key, allowed " + names(sets_) : it->second(value);
                if (!why.empty())
                    errors.push_back(config::shorten(key) + ": value " + config::shorten(dump(value)) + ": " + why);
            }
            const std::string why = all_set_ ? all_set_() : "";
            if (!why.empty()) errors.push_back(why);
            reply["ok"] = errors.empty();
        } else if (verb == "stop" && argument == true) {
            if (stop_) stop_();
            reply["ok"] = true;
        } else {
            errors.push_back(config::shorten(verb) + ": value " + config::shorten(dump(argument)) +
                             R"(: allowed {"get": "NAME"}, {"set": {"KEY": VALUE}}, {"stop": true})");
        }
    }
    if (!errors.empty()) reply["error"] = errors;
    return dump(reply);
}

}  // namespace wimax
