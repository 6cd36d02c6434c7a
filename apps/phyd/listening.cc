// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/listening.h"

#include "mac/pdu/pdu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wimax::phyd {
namespace {

namespace phy = gr::wimax::phy;

constexpr int kBlock = 256;
constexpr double kNothing = 1e-20;  // -200 dBFS

float dbfs(double power) { return static_cast<float>(10 * std::log10(std::max(power, kNothing))); }

phy::DownlinkReceiverConfig receiver_config(int64_t bandwidth_hz) {
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = bandwidth_hz;
    config.decode_prefix_bursts = false;
    return config;
}

/// Base station ID of a DL-MAP at the head of the broadcast burst (type, DCD count, ID). Requires a valid CRC, so that
/// no invented station is reported to the operator.
std::optional<uint64_t> bsid_of(std::span<const uint8_t> payload) {
    constexpr size_t kIdAt = 2, kIdOctets = 6;
    const auto pdu = mac::PduReader(payload).next();
    if (!pdu || pdu->is_request || !pdu->header.ci || pdu->body.size() < kIdAt + kIdOctets) return std::nullopt;
    if (pdu->body[0] != static_cast<uint8_t>(mac::DlMap::kType)) return std::nullopt;
    uint64_t id = 0;
    for (const uint8_t octet : pdu->body.subspan(kIdAt, kIdOctets)) id = id << 8 | octet;
    return id;
}

}  // namespace

Listening::Listening(int64_t bandwidth_hz, int64_t sample_rate_hz)
    : wanted_(sample_rate_hz * kListenMs / 1000), receiver_(receiver_config(bandwidth_hz)) {}

void Listening::restart() { restart_ = true; }

std::optional<Heard> Listening::heard() const {
    const std::lock_guard guard(mutex_);
    return restart_ ? std::nullopt : heard_;
}

void Listening::take(std::span<const std::complex<float>> samples) {
    if (restart_) {
        const std::lock_guard guard(mutex_);
        heard_.reset();
        cell_.reset();
        taken_ = 0;
        sum_ = block_ = loudest_ = 0;
        in_block_ = 0;
        position_ += 1;  // a gap: the receiver searches again
        restart_ = false;
    }
    if (taken_ >= wanted_) return;
    samples = samples.first(std::min(samples.size(), static_cast<size_t>(wanted_ - taken_)));
    measure(samples);
    receiver_.process(samples, position_, *this);
    position_ += static_cast<int64_t>(samples.size());
    taken_ += static_cast<int64_t>(samples.size());
    if (taken_ >= wanted_) finish();
}

void Listening::measure(std::span<const std::complex<float>> samples) {
    for (const auto s : samples) {
        block_ += std::norm(s);
        if (++in_block_ < kBlock) continue;
        sum_ += block_;
        loudest_ = std::max(loudest_, block_);
        block_ = 0;
        in_block_ = 0;
    }
}

void Listening::finish() {
    const std::lock_guard guard(mutex_);
    heard_ = {dbfs((sum_ + block_) / static_cast<double>(taken_)), dbfs(loudest_ / kBlock), cell_};
}

phy::SampleFlow Listening::on_frame(const phy::FrameSync& sync) {
    if (!sync.fch_ok || (cell_ && cell_->whole)) return phy::SampleFlow::go_on;
    cell_ = HeardCell{sync.prefix.bsid_lsb, false, sync.rssi_dbfs, sync.snr_db, sync.frequency_offset_hz};
    return phy::SampleFlow::go_on;
}

phy::SampleFlow Listening::on_burst(const phy::FrameSync& sync, phy::ReceivedBurst& burst) {
    if (burst.index != 1 || !burst.fec_ok) return phy::SampleFlow::go_on;
    if (const auto id = bsid_of(burst.payload); id && (*id & 0xF) == sync.prefix.bsid_lsb)
        cell_ = HeardCell{*id, true, sync.rssi_dbfs, sync.snr_db, sync.frequency_offset_hz};
    return phy::SampleFlow::go_on;
}

std::string bsid_text(const HeardCell& cell) {
    return cell.whole ? fmt::format("{:012X}", cell.bsid) : fmt::format("...{:X}", cell.bsid);
}

std::string words_of(const Heard& heard, double reference_dbm) {
    std::string words = fmt::format("{:.1f} dBm, at most {:.1f} dBm; ", heard.mean_dbfs + reference_dbm,
                                    heard.highest_dbfs + reference_dbm);
    if (!heard.cell) return words + "no other cell";
    const auto& c = *heard.cell;
    return words + fmt::format("ANOTHER CELL: BSID {}, {:.1f} dBm, CINR {:.1f} dB, {:.0f} Hz off", bsid_text(c),
                               c.rssi_dbfs + reference_dbm, c.snr_db, c.frequency_offset_hz);
}

}  // namespace wimax::phyd
