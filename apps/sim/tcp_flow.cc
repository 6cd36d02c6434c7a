// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/tcp_flow.h"

#include <algorithm>
#include <cmath>

namespace wimax::sim {
namespace {

constexpr uint8_t kEct0 = 2, kCongestion = 3;

}  // namespace

// --- the receiving end -----------------------------------------------------------------------------------------------

bool TcpReceiver::receive(uint32_t segment, uint8_t ecn, uint8_t flags, Samples now) {
    if (flags & tcp_flag::kCwr) congestion_seen_ = false;
    if (ecn == kCongestion) congestion_seen_ = true;
    latest_ = segment;
    const bool known = segment < next_ || beyond_.contains(segment);
    if (known || segment != next_) {
        if (!known) beyond_.insert(segment);
        ++owed_;  // segments out of order are acknowledged at once
        return !known;
    }
    ++next_;
    const bool filled = !beyond_.empty();
    while (!beyond_.empty() && *beyond_.begin() == next_) {
        beyond_.erase(beyond_.begin());
        ++next_;
    }
    if (filled || ++unacknowledged_ >= kEvery) ++owed_;
    else due_ = now + delay_;
    return true;
}

std::optional<PacketWriter::Segment> TcpReceiver::acknowledge(Samples now) {
    if (owed_ > 0) --owed_;
    else if (now < due_) return std::nullopt;
    due_ = INT64_MAX;
    unacknowledged_ = 0;
    PacketWriter::Segment ack;
    ack.flags = static_cast<uint8_t>(tcp_flag::kAck | (congestion_seen_ ? tcp_flag::kEce : 0));
    ack.acknowledgement = next_;
    fill(ack);
    return ack;
}

/// The block of the latest segment first, then those at the end.
void TcpReceiver::fill(PacketWriter::Segment& ack) const {
    const auto block_of = [this](uint32_t segment) {
        uint32_t from = segment, to = segment + 1;
        while (from > next_ && beyond_.contains(from - 1)) --from;
        while (beyond_.contains(to)) ++to;
        return std::pair(from, to);
    };
    const auto add = [&ack](std::pair<uint32_t, uint32_t> block) {
        const auto end = ack.selective.begin() + ack.selective_count;
        if (std::find(ack.selective.begin(), end, block) == end) ack.selective[ack.selective_count++] = block;
    };
    if (beyond_.contains(latest_)) add(block_of(latest_));
    for (auto at = beyond_.rbegin(); at != beyond_.rend() && ack.selective_count < ack.selective.size();) {
        const auto block = block_of(*at);
        add(block);
        at = std::make_reverse_iterator(beyond_.lower_bound(block.first));
    }
}

// --- the sending end -------------------------------------------------------------------------------------------------

TcpSender::TcpSender(int64_t sample_rate_hz, uint32_t window_segments)
    : rate_(sample_rate_hz), limit_(std::max(window_segments, 2U)), timeout_(rate_ * kFirstTimeoutMs / 1000) {}

void TcpSender::measure(Samples round_trip) {
    const auto r = static_cast<double>(round_trip);
    if (smoothed_ == 0) {
        smoothed_ = r;
        variation_ = r / 2;
    } else {
        variation_ = 0.75 * variation_ + 0.25 * std::abs(smoothed_ - r);
        smoothed_ = 0.875 * smoothed_ + 0.125 * r;
    }
    timeout_ = std::clamp(static_cast<Samples>(smoothed_ + 4 * variation_), rate_ * kLeastTimeoutMs / 1000,
                          rate_ * kMostTimeoutMs / 1000);
}

void TcpSender::restart_timer(Samples now) { deadline_ = out_.empty() ? INT64_MAX : now + timeout_; }

void TcpSender::delivered(const Segment& segment, Samples now) {
    if (!segment.selected && !segment.lost) --in_flight_;
    newest_sent_ = std::max(newest_sent_, segment.sent);
    if (!segment.repeated && !segment.selected) measure(now - segment.sent);
}

void TcpSender::mark_selected(const PacketWriter::Segment& ack, Samples now) {
    for (size_t i = 0; i < ack.selective_count; ++i) {
        const auto [from, to] = ack.selective[i];
        for (uint32_t s = std::max(from, first_); s < std::min(to, end()); ++s) {
            auto& segment = out_[s - first_];
            if (segment.selected) continue;
            if (!segment.lost) --in_flight_;
            segment.selected = true;
            segment.lost = false;
            if (!segment.repeated) measure(now - segment.sent);
            newest_sent_ = std::max(newest_sent_, segment.sent);
        }
    }
}

/// A segment is lost if three later ones have arrived, or one that was sent clearly later.
void TcpSender::find_losses() {
    const auto patience = static_cast<Samples>(smoothed_ / 4);
    uint32_t above = 0;
    for (size_t i = out_.size(); i-- > 0;) {
        auto& s = out_[i];
        if (s.selected) {
            ++above;
            continue;
        }
        const bool passed = !s.repeated && above >= kDuplicates;
        if (s.lost || !(passed || (above > 0 && s.sent + patience < newest_sent_))) continue;
        s.lost = true;
        --in_flight_;
    }
}

void TcpSender::lower_threshold() {
    // A window reduced before it was full again competes with others: it aims lower (fast convergence).
    full_ = window_ < full_ ? window_ * (1 + kReduction) / 2 : window_;
    threshold_ = std::max(window_ * kReduction, kLeastWindow);
    epoch_.reset();
}

void TcpSender::reduce() {
    lower_threshold();
    window_ = threshold_;
}

/// Congestion avoidance: a cubic of the time since the last reduction, level where that was; never slower than Reno.
void TcpSender::grow(double news, Samples now) {
    if (!epoch_) {
        epoch_ = now;
        full_ = std::max(full_, window_);
        until_full_s_ = std::cbrt((full_ - window_) / kCubic);
        friendly_ = window_;
    }
    const double s = (static_cast<double>(now - *epoch_) + smoothed_) / static_cast<double>(rate_) - until_full_s_;
    const double target = std::clamp(full_ + kCubic * s * s * s, window_, 1.5 * window_);
    friendly_ += 3 * (1 - kReduction) / (1 + kReduction) * news / window_;
    window_ = std::max(window_ + (target - window_) / window_ * news, friendly_);
}

void TcpSender::acknowledged(const PacketWriter::Segment& ack, Samples now) {
    const uint32_t before = first_;
    while (first_ < ack.acknowledgement && !out_.empty()) {
        delivered(out_.front(), now);
        out_.pop_front();
        ++first_;
    }
    mark_selected(ack, now);
    find_losses();
    if (recovering_ && first_ >= recover_) recovering_ = false;
    const bool lost = std::any_of(out_.begin(), out_.end(), [](const auto& s) { return s.lost && !s.repeated; });
    if (!recovering_ && lost) {
        reduce();
        recovering_ = true;
        recover_ = end();
        ++counters_.recoveries;
    } else if ((ack.flags & tcp_flag::kEce) && first_ >= ecn_until_ && !recovering_) {
        reduce();
        ecn_until_ = end();
        tell_reduced_ = true;
        ++counters_.ecn_reductions;
    } else if (!recovering_) {
        const double news = first_ - before;
        if (window_ < threshold_) window_ += news;
        else grow(news, now);
        window_ = std::min(window_, static_cast<double>(limit_));
    }
    if (first_ != before) restart_timer(now);
}

bool TcpSender::run_timer(Samples now) {
    if (now < deadline_ || out_.empty()) return false;
    ++counters_.timeouts;
    lower_threshold();
    window_ = 1;
    recovering_ = true;
    recover_ = end();
    in_flight_ = 0;
    for (auto& s : out_) s.lost = !s.selected;
    timeout_ = std::min(2 * timeout_, rate_ * kMostTimeoutMs / 1000);
    restart_timer(now);
    return true;
}

std::optional<TcpSender::Send> TcpSender::next(Samples now) {
    if (static_cast<double>(in_flight_) >= std::floor(window_)) return std::nullopt;
    Send send;
    const auto lost = std::find_if(out_.begin(), out_.end(), [](const auto& s) { return s.lost; });
    if (lost != out_.end()) {
        *lost = {now, false, false, true};
        send = {first_ + static_cast<uint32_t>(lost - out_.begin()), true, false};
        ++counters_.retransmissions;
        if (lost == out_.begin()) deadline_ = now + timeout_;  // no acknowledgement can arrive earlier
    } else {
        if (out_.size() >= limit_) return std::nullopt;
        if (out_.empty()) deadline_ = now + timeout_;
        send = {end(), false, std::exchange(tell_reduced_, false)};
        out_.push_back({now, false, false, false});
        ++counters_.segments;
    }
    ++in_flight_;
    return send;
}

// --- both ------------------------------------------------------------------------------------------------------------

TcpFlow::TcpFlow(const TrafficConfig& config, Ends ends, const FlowFrame& frame, uint64_t seed)
    : TrafficFlow(config, ends, frame, seed),
      sender_(frame.sample_rate_hz, config.window_bytes / config.packet_bytes),
      receiver_(frame.sample_rate_hz) {}

void TcpFlow::send(bool source, Samples now, Outlet& outlet) {
    if (!source) {
        while (const auto ack = receiver_.acknowledge(now))
            outlet.push(writer_.tcp(addresses(false), {ends_.id, 0, now}, *ack));
        return;
    }
    if (now < first()) return;
    if (sender_.run_timer(now)) woken_ = now;
    const Samples at = std::max(woken_, first());
    while (!over(now)) {
        const auto send = sender_.next(now);
        if (!send) break;
        PacketWriter::Segment segment;
        segment.sequence = send->segment;
        segment.flags = static_cast<uint8_t>(tcp_flag::kAck | (send->reduced ? tcp_flag::kCwr : 0));
        segment.data_octets = data_octets();
        auto where = addresses(true);
        where.tos = config_.ecn ? kEct0 : 0;
        record_.sent(at, frame_.window, outlet.push(writer_.tcp(where, {ends_.id, number_++, at}, segment)));
    }
}

void TcpFlow::receive(bool source, const ReadPacket& packet, Samples now) {
    if (!packet.segment) return;
    if (source) {
        woken_ = now;
        return sender_.acknowledged(*packet.segment, now);
    }
    const bool news = receiver_.receive(packet.segment->sequence, packet.ecn, packet.segment->flags, now);
    record_.received(packet.tag, packet.octets, now, frame_.window, frame_.samples_per_us(), news);
}

}  // namespace wimax::sim
