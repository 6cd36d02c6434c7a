// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/time_client.h"

#include <utility>

namespace wimax::mac {
namespace {

/// 1 January 1970, in seconds since 1900.
constexpr int64_t kUnixEpochS = 2'208'988'800;
constexpr int64_t kTimeEraS = int64_t{1} << 32;
constexpr size_t kTimeOctets = 4;

/// The 32 bits wrap in 2036: values before 1970 are of the next era.
int64_t since_1970_s(uint32_t since_1900_s) {
    return since_1900_s - kUnixEpochS + (since_1900_s < kUnixEpochS ? kTimeEraS : 0);
}

}  // namespace

TimeClient::TimeClient(const ManagedSubscriber& config, Dependencies dependencies)
    : config_(config), clock_(dependencies.clock), send_(std::move(dependencies.send)), wait_(config_, clock_) {}

void TimeClient::start(uint32_t own_address, const std::vector<uint32_t>& servers) {
    forget();
    own_address_ = own_address;
    servers_ = servers;
    if (servers_.empty()) {
        state_ = State::failed;
        why_ = "the DHCP server has given no time server";
        return;
    }
    state_ = State::asking;
    ask();
}

void TimeClient::forget() {
    state_ = State::off;
    why_ = "";
    servers_.clear();
    tries_ = 1;
    wait_.reset();
    wait_.stop();
}

void TimeClient::ask() {
    // Without room the packet is lost, as others are on their way.
    (void)send_({own_address_, server(), kClientPort, kServerPort, {}});
    wait_.start();
}

bool TimeClient::receive(const UdpDatagram& datagram) {
    if (state_ != State::asking || datagram.source != server() || datagram.destination != own_address_ ||
        datagram.source_port != kServerPort || datagram.destination_port != kClientPort ||
        datagram.payload.size() != kTimeOctets)
        return false;
    state_ = State::known;
    time_s_ = since_1970_s(BitReader(datagram.payload).get32());
    known_at_ = clock_.now;
    wait_.stop();
    return true;
}

void TimeClient::run_timers() {
    if (state_ != State::asking || !wait_.over()) return;
    if (tries_ < config_.time_tries) {
        ++tries_;
        return ask();
    }
    state_ = State::failed;
    why_ = "no time server responded";
}

std::optional<int64_t> TimeClient::now_s() const {
    if (state_ != State::known) return std::nullopt;
    return time_s_ + (clock_.now - known_at_) / clock_.sample_rate_hz;
}

}  // namespace wimax::mac
