// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/dhcp_client.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr uint32_t kLeastRenewalWaitS = 60;

/// Bits of both numbers, mixed (the finalizer of SplitMix64).
uint32_t mixed_transaction(const MacAddress& mac, uint32_t counter) {
    uint64_t x = counter;
    for (const uint8_t octet : mac) x = (x << 8 | x >> 56) ^ octet;
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return static_cast<uint32_t>((x ^ x >> 31) >> 16);
}

uint32_t host_or_none(uint32_t address) { return is_host_address(address) ? address : 0; }

}  // namespace

DhcpClient::DhcpClient(const ManagedSubscriber& config, const MacAddress& mac, Dependencies dependencies)
    : config_(config),
      mac_(mac),
      clock_(dependencies.clock),
      send_(std::move(dependencies.send)),
      wait_(config_, clock_) {}

void DhcpClient::start() {
    forget();
    started_ = clock_.now;
    discover();
}

void DhcpClient::forget() {
    state_ = DhcpState::off;
    why_ = "";
    lease_ = {};
    transaction_.reset();
    tries_ = requests_ = 0;
    wait_.reset();
    wait_.stop();
    renewal_.stop();
}

bool DhcpClient::receive(const UdpDatagram& datagram) {
    if (!transaction_ || datagram.source_port != kDhcpServerPort || datagram.destination_port != kDhcpClientPort)
        return false;
    const auto message = read_dhcp(datagram.payload);
    if (!message || !fits(*message, datagram)) return false;
    switch (message->kind) {
        case DhcpKind::offer: return take_offer(*message);
        case DhcpKind::ack: return take_acknowledgement(*message);
        case DhcpKind::nak: return take_refusal(*message);
        default: return false;
    }
}

bool DhcpClient::fits(const DhcpMessage& message, const UdpDatagram& datagram) const {
    const uint32_t own = has_lease() ? lease_.address : message.your_address;
    return !message.from_client && message.transaction == transaction_ && message.mac == mac_ &&
           is_host_address(message.server) &&
           (datagram.destination == kLimitedBroadcast || datagram.destination == own);
}

bool DhcpClient::take_offer(const DhcpMessage& offer) {
    if (state_ != DhcpState::selecting || !is_host_address(offer.your_address)) return false;
    lease_ = {};
    lease_.address = offer.your_address;
    lease_.server = offer.server;
    state_ = DhcpState::requesting;
    requests_ = 0;
    wait_.reset();
    request(true);
    return true;
}

bool DhcpClient::take_acknowledgement(const DhcpMessage& ack) {
    const bool asked = state_ == DhcpState::requesting || state_ == DhcpState::renewing;
    if (!asked && state_ != DhcpState::rebinding) return false;
    if (asked && ack.server != lease_.server) return false;
    if (ack.your_address != lease_.address) return false;
    bind(ack);
    return true;
}

bool DhcpClient::take_refusal(const DhcpMessage& nak) {
    if (state_ == DhcpState::selecting || (state_ != DhcpState::rebinding && nak.server != lease_.server)) return false;
    if (has_lease()) {
        lose("the DHCP server refused to renew the lease");
        return true;
    }
    // The next search begins after a wait, so that a server that refuses each request is not asked in each frame.
    state_ = DhcpState::selecting;
    transaction_.reset();
    why_ = "the DHCP server refused the address that it had offered";
    wait_.start();
    return true;
}

void DhcpClient::bind(const DhcpMessage& ack) {
    lease_.server = ack.server;
    lease_.subnet_mask = ack.subnet_mask;
    lease_.router = host_or_none(ack.router);
    lease_.time_servers = ack.time_servers;
    std::erase_if(lease_.time_servers, [](uint32_t server) { return !is_host_address(server); });
    lease_.next_server = host_or_none(ack.next_server);
    lease_.server_name = ack.server_name;
    lease_.file = ack.file;
    lease_.lease_s.reset();
    if (ack.lease_s != kInfiniteLeaseS) lease_.lease_s = std::max(ack.lease_s, kLeastLeaseS);
    state_ = DhcpState::bound;
    why_ = "";
    transaction_.reset();
    wait_.stop();
    renewal_.stop();
    if (!lease_.lease_s) return;
    const uint32_t lease_s = *lease_.lease_s;
    uint32_t renew_s = lease_s / 2, rebind_s = lease_s - lease_s / 8;
    const bool plausible = ack.renew_s >= kLeastLeaseS / 2 && ack.renew_s < ack.rebind_s && ack.rebind_s < lease_s;
    if (plausible) {
        renew_s = ack.renew_s;
        rebind_s = ack.rebind_s;
    }
    const auto samples = [this](uint32_t s) { return s * clock_.sample_rate_hz; };
    rebind_ = requested_ + samples(rebind_s);
    expiry_ = requested_ + samples(lease_s);
    renewal_.start(requested_, samples(renew_s));
}

void DhcpClient::run_timers() {
    if (has_lease()) {
        if (!renewal_.expired(clock_.now)) return;
        if (clock_.now >= expiry_) return lose("the lease has ended and no DHCP server renewed it");
        return renew();
    }
    if (!wait_.over()) return;
    if (state_ == DhcpState::selecting) return try_again(transaction_ ? "no DHCP server responded" : why_);
    if (requests_ < kRequestsPerOffer && tries_ < config_.address_tries) return request(false);
    try_again("the DHCP server did not acknowledge the address that it had offered");
}

void DhcpClient::try_again(const char* why) {
    if (tries_ < config_.address_tries) return discover();
    state_ = DhcpState::failed;
    transaction_.reset();
    why_ = why;
}

void DhcpClient::lose(const char* why) {
    forget();
    state_ = DhcpState::lost;
    why_ = why;
}

void DhcpClient::begin_transaction() { transaction_ = mixed_transaction(mac_, ++transactions_); }

void DhcpClient::discover() {
    ++tries_;
    state_ = DhcpState::selecting;
    begin_transaction();
    DhcpMessage message;
    message.broadcast = true;
    send(message, 0, kLimitedBroadcast);
    wait_.start();
}

void DhcpClient::request(bool first) {
    if (!first) ++tries_;
    ++requests_;
    DhcpMessage message;
    message.kind = DhcpKind::request;
    message.broadcast = true;
    message.server = lease_.server;
    message.requested_address = lease_.address;
    requested_ = clock_.now;
    send(message, 0, kLimitedBroadcast);
    wait_.start();
}

void DhcpClient::renew() {
    const DhcpState next = clock_.now >= rebind_ ? DhcpState::rebinding : DhcpState::renewing;
    if (next != state_) {
        state_ = next;
        started_ = clock_.now;
    }
    begin_transaction();
    DhcpMessage message;
    message.kind = DhcpKind::request;
    message.client_address = lease_.address;
    requested_ = clock_.now;
    send(message, lease_.address, state_ == DhcpState::renewing ? lease_.server : kLimitedBroadcast);
    wait_for_renewal();
}

void DhcpClient::wait_for_renewal() {
    const Samples end = state_ == DhcpState::renewing ? rebind_ : expiry_;
    const Samples next = clock_.now + std::max((end - clock_.now) / 2, kLeastRenewalWaitS * clock_.sample_rate_hz);
    renewal_.start(std::min(next, end), 0);
}

void DhcpClient::send(const DhcpMessage& message, uint32_t source, uint32_t destination) {
    DhcpMessage complete = message;
    complete.mac = mac_;
    complete.transaction = *transaction_;
    const Samples elapsed_s = (clock_.now - started_) / clock_.sample_rate_hz;
    complete.elapsed_s = static_cast<uint16_t>(std::clamp<Samples>(elapsed_s, 0, UINT16_MAX));
    write_dhcp(complete, payload_);
    // Without room the packet is lost, as others are on their way.
    (void)send_({source, destination, kDhcpClientPort, kDhcpServerPort, payload_});
}

}  // namespace wimax::mac
