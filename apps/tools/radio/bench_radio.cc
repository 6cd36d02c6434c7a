// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/bench_radio.h"

#include "fpga/host/burst_gate_driver.h"
#include "fpga/rfnoc/control/blocks.h"

#include <algorithm>

namespace wimax::radio {
namespace {

constexpr double kLeadS = 0.02;  // of a burst ahead of what was received: any host manages that
constexpr int64_t kLeadChunks = 4;
constexpr size_t kPacketSamples = 1 << 16;

/// The one channel, once the user has said that it may be sent.
gr::wimax::TransmitLimits limits_of(const RadioChoice& choice) {
    gr::wimax::TransmitLimits limits;
    limits.enable = choice.transmit;
    const double half = static_cast<double>(choice.bandwidth_hz) / 2;
    limits.allowed_bands = {{choice.frequency_hz - half, choice.frequency_hz + half}};
    limits.max_power_dbm = choice.max_power_dbm;
    limits.longest_burst_ms = choice.longest_burst_ms;
    limits.max_duty_cycle = 1;
    return limits;
}

}  // namespace

BenchRadio::BenchRadio(RadioChoice choice, phy::Numerology numerology)
    : choice_(std::move(choice)), numerology_(numerology), packet_(kPacketSamples) {}

Outcome BenchRadio::attempt(const std::function<void()>& work) const {
    try {
        work();
    } catch (const std::exception& error) {
        return failure("", error.what());
    }
    return {};
}

tl::expected<std::unique_ptr<BenchRadio>, Fault> BenchRadio::open(const RadioChoice& choice) {
    const auto numerology = phy::Numerology::make(choice.bandwidth_hz, phy::CyclicPrefix::g1_8);
    if (!numerology)
        return tl::unexpected(
            phy::out_of_range("--bandwidth-hz", choice.bandwidth_hz, phy::kMinBandwidthHz, phy::kMaxBandwidthHz));
    std::unique_ptr<BenchRadio> bench(new BenchRadio(choice, *numerology));
    gr::wimax::RadioConfig config;
    config.device_args = choice.device;
    config.sample_rate_hz = static_cast<double>(numerology->sample_rate_hz);
    config.tx_frequency_hz = config.rx_frequency_hz = choice.frequency_hz;
    config.channel_bandwidth_hz = static_cast<double>(choice.bandwidth_hz);
    config.limits = limits_of(choice);
    config.gate = fpga::make_burst_gate;
    config.tx_antenna = choice.tx_antenna;
    config.rx_antenna = choice.rx_antenna;
    config.clock_source = choice.clock_source;
    config.calibration = choice.calibration;
    config.tx_gain_db = choice.tx_gain_db;
    config.rx_gain_db = choice.rx_gain_db;
    rfnoc::register_blocks();
    const auto opened = bench->attempt([&] {
        bench->radio_ = gr::wimax::RadioFrontend::open(config);
        bench->radio_->start();
    });
    if (!opened) return tl::unexpected(opened.error());
    const auto& radio = *bench->radio_;
    bench->lead_ = std::max(static_cast<int64_t>(kLeadS * static_cast<double>(bench->rate_hz())),
                            kLeadChunks * radio.chunk_samples());
    return bench;
}

Outcome BenchRadio::listen(double timeout_s) {
    gr::wimax::RadioFrontend::Received got;
    newest_ = 0;
    if (const auto heard = attempt([&] { got = radio_->receive(packet_, timeout_s); }); !heard) return heard;
    if (const auto lost = radio_->lost()) return failure(choice_.device, "the radio is lost: " + *lost);
    if (got.samples == 0) return {};
    newest_ = got.samples;
    note_gap(got.first_sample);
    if (kept_.empty()) kept_from_ = got.first_sample;
    if (kept_.size() > 2 * kept_most_) {
        const size_t old = kept_.size() - kept_most_;
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(old));
        kept_from_ += static_cast<int64_t>(old);
    }
    kept_.insert(kept_.end(), packet_.begin(), packet_.begin() + static_cast<std::ptrdiff_t>(got.samples));
    promised_ = std::max(promised_, now() + lead_ / 2);
    radio_->commit(promised_);
    return {};
}

void BenchRadio::note_gap(int64_t first_sample) {
    const int64_t gap = first_sample - kept_from_ - static_cast<int64_t>(kept_.size());
    if (kept_.empty() || gap == 0) return;
    if (gap > 0) lost_ += static_cast<uint64_t>(gap);
    if (gap > 0 && static_cast<size_t>(gap) < kept_most_) kept_.resize(kept_.size() + static_cast<size_t>(gap));
    else kept_.clear();
}

int64_t BenchRadio::next_start() const { return std::max(now() + lead_, promised_); }

bool BenchRadio::send(int64_t start, std::span<const Complex> samples) {
    sent_until_ = start + static_cast<int64_t>(samples.size());
    return radio_->transmit(start, gr::wimax::TransmitPiece(samples)).has_value();
}

std::span<const Complex> BenchRadio::heard(int64_t from, size_t count) const {
    if (from < kept_from_ || from + static_cast<int64_t>(count) > kept_from_ + static_cast<int64_t>(kept_.size()))
        return {};
    return std::span(kept_).subspan(static_cast<size_t>(from - kept_from_), count);
}

Outcome BenchRadio::set_gains(double tx_db, double rx_db) {
    return attempt([&] { radio_->set_gains(tx_db, rx_db); });
}

}  // namespace wimax::radio
