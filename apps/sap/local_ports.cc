// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/local_ports.h"

#include "sap/random_session.h"

#include <deque>
#include <utility>

namespace wimax::sap {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRepeatRefused{1};  // after a refusal

/// What both ends share.
struct Link {
    const uint64_t mac_session = random_session(), phy_session = random_session();
    bool accepted = false;  ///< the PHY has confirmed a request of the MAC
    std::deque<Message> to_phy, to_mac;
};

class LocalPort : public Port {
public:
    LocalPort(std::shared_ptr<Link> link, std::deque<Message>& out, std::deque<Message>& in)
        : link_(std::move(link)), out_(out), in_(in) {}

    uint64_t phy_session() const override { return link_->accepted ? link_->phy_session : 0; }
    bool peer_alive() override { return link_->accepted; }
    const PortCounters& counters() const override { return counters_; }

protected:
    bool put(const MessageRef& message) {
        out_.push_back(std::visit([](const auto* m) { return Message(*m); }, message));
        std::visit(
            [this]<typename M>(M& m) {
                if constexpr (requires { m.mac_session; }) m.mac_session = link_->mac_session;
                if constexpr (requires { m.phy_session; }) m.phy_session = link_->phy_session;
            },
            out_.back());
        ++counters_.sent;
        return true;
    }
    bool unsent() {
        ++counters_.unsent;
        return false;
    }
    std::optional<Message> take() {
        if (in_.empty()) return std::nullopt;
        std::optional<Message> message(std::move(in_.front()));
        in_.pop_front();
        ++counters_.received;
        return message;
    }

    const std::shared_ptr<Link> link_;

private:
    std::deque<Message>&out_, &in_;
    PortCounters counters_;
};

class LocalMacPort final : public LocalPort {
public:
    explicit LocalMacPort(const std::shared_ptr<Link>& link) : LocalPort(link, link->to_phy, link->to_mac) {}

    using Port::send;
    bool send(const MessageRef& message) override {
        if (const auto* const* request = std::get_if<const ConfigRequest*>(&message)) {
            request_ = **request;
            ask_at_.reset();
            return put(message);
        }
        return link_->accepted ? put(message) : unsent();
    }

    std::optional<Message> poll(std::chrono::milliseconds, std::span<const int>) override {
        if (ask_at_ && Clock::now() >= *ask_at_) send(request_);
        auto message = take();
        if (const auto* confirm = message ? std::get_if<ConfigConfirm>(&*message) : nullptr) {
            if (confirm->faults.empty()) ask_at_.reset();
            else ask_at_ = Clock::now() + kRepeatRefused;
        }
        return message;
    }

    uint64_t mac_session() const override { return link_->mac_session; }

private:
    ConfigRequest request_;                    ///< the last one
    std::optional<Clock::time_point> ask_at_;  ///< it was refused
};

class LocalPhyPort final : public LocalPort {
public:
    explicit LocalPhyPort(const std::shared_ptr<Link>& link) : LocalPort(link, link->to_mac, link->to_phy) {}

    using Port::send;
    bool send(const MessageRef& message) override {
        if (const auto* const* confirm = std::get_if<const ConfigConfirm*>(&message)) {
            if ((*confirm)->faults.empty()) link_->accepted = true;
            return put(message);
        }
        return link_->accepted ? put(message) : unsent();
    }

    std::optional<Message> poll(std::chrono::milliseconds, std::span<const int>) override { return take(); }

    uint64_t mac_session() const override { return link_->accepted ? link_->mac_session : 0; }
};

}  // namespace

LocalPorts make_local_ports() {
    const auto link = std::make_shared<Link>();
    return {std::make_unique<LocalMacPort>(link), std::make_unique<LocalPhyPort>(link)};
}

}  // namespace wimax::sap
