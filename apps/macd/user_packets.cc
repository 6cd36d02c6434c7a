// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/user_packets.h"

#include "common/log.h"
#include "mac/flow/sdu_queue.h"
#include "macd/ipv4.h"

#include <utility>

namespace wimax::macd {

UserPackets::UserPackets(const MacdConfig& config, mac::PacketService& station, std::unique_ptr<Tun> tun)
    : config_(config), station_(station), tun_(std::move(tun)), source_(config.traffic) {}

void UserPackets::take(const sap::FrameTick& tick) {
    source_.run(tick.frame_start_sample, tick.sample_rate_hz, [&](auto packet) { push(packet, tick); });
    if (!tun_) return;
    // Takes all packets that the kernel has queued: a full queue would lose packets of flows with little traffic.
    for (uint32_t i = 0; i < config_.tun.txqueuelen; ++i) {
        const auto packet = tun_->read();
        if (packet.empty()) break;
        push(packet, tick);
    }
}

void UserPackets::push(std::span<const uint8_t> packet, const sap::FrameTick& tick) {
    ++count_.in;
    if (packet.size() > mac::kMaxSduOctets) push_too_long(packet, tick);
    else hand_over(packet);
}

void UserPackets::hand_over(std::span<const uint8_t> packet) {
    if (station_.push_sdu(packet)) count_.in_bytes += packet.size();
    else ++count_.refused;
}

/// Fragments the packet. If that is not allowed, reports the MTU to the sender.
void UserPackets::push_too_long(std::span<const uint8_t> packet, const sap::FrameTick& tick) {
    if (count_.too_long++ == 0)
        log::layer("cs").warn(tick.frame_number.value(),
                              "a packet of {} bytes, carried whole are at most {}: the MTU of {} was changed",
                              packet.size(), mac::kMaxSduOctets, config_.tun.name);
    if (config_.tun.kind == mac::UserLink::ethernet || !is_ipv4(packet)) return;
    if (!must_not_fragment(packet)) {
        count_.fragmented += fragment(packet, mac::kMaxSduOctets, [this](auto piece) { hand_over(piece); });
        return;
    }
    const auto answer = fragmentation_needed(packet, mac::kMaxSduOctets);
    if (answer.empty() || !tun_ || !too_long_answers_.allow(tick.frame_start_sample, tick.sample_rate_hz)) return;
    count_.frag_needed += tun_->write(answer);
}

void UserPackets::deliver(std::span<const uint8_t> packet) {
    ++count_.out;
    count_.out_bytes += packet.size();
    if (!config_.traffic.empty() || !tun_) sink_.take(packet);
    if (tun_) tun_->write(packet);
}

std::optional<TunFigures> UserPackets::tun() const {
    if (!tun_) return std::nullopt;
    return TunFigures{config_.tun.name, tun_->counters()};
}

}  // namespace wimax::macd
