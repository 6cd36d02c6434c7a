// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/channel_station.h"
#include "phy/base/decibels.h"

#include <algorithm>
#include <cmath>

namespace wimax::channeld {
namespace {

using gr::wimax::phy::decibels, gr::wimax::phy::power_of_db;

// 256 carriers, 200 of them with power: noise in all samples over that on one used carrier.
constexpr double kNoiseToCarrierRatio = 256.0 / 200.0;
// Channels are 1/n of the sampling rate wide (n = 8/7 .. 144/125): none is received more than half of one away.
constexpr double kHalfChannelOfRate = 0.5 / 1.152;

size_t longest_history(const ChannelConfig& config) {
    return size_t(kMaxLinkDelaySamples + channel::kMaxTapDelayS * config.sample_rate_hz) + 4 * config.chunk() + 4096;
}

}  // namespace

uint64_t seed_of(uint64_t seed, const std::string& text) {
    uint64_t hash = 0xcbf29ce484222325 ^ (seed * 0x9e3779b97f4a7c15);
    for (const char c : text) hash = (hash ^ uint8_t(c)) * 0x100000001b3;
    return hash ^ (hash >> 29);
}

ChannelStation::ChannelStation(const ChannelConfig& all, const std::string& station_name)
    : name(station_name),
      config(radio_config(all, station_name)),
      nominal_rate_hz(all.sample_rate_hz),
      rate_hz(all.sample_rate_hz * (1 + config.clock_ppm * 1e-6)),
      history_samples(longest_history(all)),
      unused(all.chunk()),
      noise(seed_of(all.seed, "noise " + station_name), 0),
      faults(seed_of(all.seed, "faults " + station_name), config.fault_rates_hz),
      transmitters(vrf::kMaxTxChannels,
                   channel::RadioFront(channel::RadioFront::End::transmitter, config.transmitter, all.sample_rate_hz,
                                       seed_of(all.seed, "transmitter " + station_name))),
      receiver(channel::RadioFront::End::receiver, config.receiver, all.sample_rate_hz,
               seed_of(all.seed, "receiver " + station_name)) {}

void ChannelStation::attach(std::unique_ptr<vrf::RadioPort> radio) {
    port = std::move(radio);
    unannounced = 0;
    const size_t count = port->hello().tx_channels;
    antennas.resize(std::min(count, antennas.size()), channel::TransmitHistory(0));
    while (antennas.size() < count) antennas.emplace_back(history_samples);
}

void ChannelStation::append(const vrf::TxHeader& header, std::span<vrf::Sample> samples, size_t chunk) {
    for (size_t a = 0; a < antennas.size(); ++a) {
        if ((header.sending >> a & 1) == 0) {
            antennas[a].append_silence(header.index, chunk);
            continue;
        }
        const auto sent = samples.subspan(a * chunk, chunk);
        transmitters[a].pass(header.index, sent);
        antennas[a].append(header.index, sent);
    }
}

void ChannelStation::append_silence(int64_t index, size_t count) {
    for (auto& antenna : antennas) antenna.append_silence(index, count);
}

double ChannelStation::noise_figure_db() const {
    return tuning.noise_figure_db >= 0 ? double(tuning.noise_figure_db) : config.noise_figure_db;
}

uint64_t ChannelStation::tx_clipped() const {
    uint64_t clipped = tuning.counters.tx_clipped;
    for (const auto& front : transmitters) clipped += front.clipped();
    return clipped;
}

double ChannelStation::noise_dbm() const { return -174 + decibels(nominal_rate_hz) + noise_figure_db(); }

AirLink::AirLink(const ChannelConfig& config, const LinkConfig& link, const ChannelStation& sender,
                 const ChannelStation& receiver)
    : from(sender),
      to(receiver),
      config_(config),
      link_(link),
      interference_(seed_of(config.seed, "interference " + sender.name + "->" + receiver.name), 0) {
    rebuild();
}

void AirLink::change(const LinkConfig& link) {
    link_ = link;
    rebuild();
}

channel::PathConfig AirLink::path_config(size_t antenna) const {
    channel::PathConfig path;
    path.sample_rate_hz = config_.sample_rate_hz;
    path.delay_samples = link_.delay_samples;
    path.clock_offset_ppm = ((1 + to.config.clock_ppm * 1e-6) / (1 + from.config.clock_ppm * 1e-6) - 1) * 1e6;
    const std::string sender = antenna == 0 ? from.name : from.name + "#" + std::to_string(antenna);
    path.seed = seed_of(config_.seed, sender + "->" + to.name);
    // Tap files are read with the configuration or the request that names them, not at this point.
    path.profile = link_.profile ? *link_.profile : channel::named_profile(link_.channel).value_or(path.profile);
    if (link_.doppler_hz)
        for (auto& tap : path.profile.taps) tap.doppler_hz = *link_.doppler_hz;
    return path;
}

void AirLink::rebuild() {
    for (size_t antenna = 0; antenna < paths_.size(); ++antenna) {
        auto path = path_config(antenna);
        paths_[antenna] = std::make_unique<channel::PropagationPath>(path);
        // Lock-step: a chunk may not need samples that its transmitter sends later. An interpolating path is delayed by
        // them.
        constexpr int64_t kFar = 1 << 20;
        const bool look_ahead = path.clock_offset_ppm != 0 || paths_[antenna]->tx_end_needed(kFar) > kFar;
        if (!look_ahead) continue;
        path.delay_samples += channel::kMinCausalDelaySamples;
        paths_[antenna] = std::make_unique<channel::PropagationPath>(path);
    }
}

bool AirLink::in_band() const {
    return std::abs(from.tuning.tx_frequency_hz - to.tuning.rx_frequency_hz) <
           kHalfChannelOfRate * config_.sample_rate_hz;
}

double AirLink::path_loss_db() const {
    if (link_.path_loss_db) return *link_.path_loss_db;
    const double wanted_dbm = to.noise_dbm() + *link_.snr_db - decibels(kNoiseToCarrierRatio);
    return from.tx_reference_dbm() - wanted_dbm;
}

void AirLink::add(int64_t rx_index, ReceivedChunk& out) {
    if (link_.interference.power_dbm) add_interference(rx_index, out);
    if (!in_band()) return;
    for (size_t antenna = 0; antenna < from.antennas.size(); ++antenna) add_antenna(antenna, rx_index, out);
}

void AirLink::add_antenna(size_t antenna, int64_t rx_index, ReceivedChunk& out) {
    auto& path = *paths_[antenna];
    const auto window = from.antennas[antenna].window(path.tx_first_needed(rx_index),
                                                      path.tx_end_needed(rx_index + int64_t(out.size())));
    if (window.samples.empty()) return;
    const double ports_db = from.tuning.tx_port_loss_db + to.tuning.rx_port_loss_db;
    const double gain_db = from.tx_reference_dbm(antenna) - path_loss_db() - ports_db - to.rx_reference_dbm();
    if (gain_db != path.config().gain_db) path.set_gain_db(gain_db);
    const double offset_hz = link_.cfo_hz + from.tuning.tx_frequency_hz * (1 + from.config.carrier_ppm * 1e-6) -
                             to.tuning.rx_frequency_hz * (1 + to.config.carrier_ppm * 1e-6);
    if (offset_hz != path.config().carrier_offset_hz) path.set_carrier_offset_hz(offset_hz);
    path.accumulate(rx_index, out.sum(), window);
}

void AirLink::add_interference(int64_t rx_index, ReceivedChunk& out) {
    const auto& i = link_.interference;
    const auto samples = [&](double ms) { return int64_t(ms * 1e-3 * config_.sample_rate_hz + 0.5); };
    const int64_t start = samples(i.start_ms), length = samples(i.duration_ms), period = samples(i.period_ms);
    interference_.set_variance(power_of_db(*i.power_dbm - to.rx_reference_dbm()));
    const int64_t end = rx_index + int64_t(out.size());
    int64_t burst = start;
    if (period > 0 && rx_index > start + length) burst += (rx_index - start - length) / period * period;
    for (; burst < end; burst += period) {
        const int64_t first = std::max(burst, rx_index), last = std::min(burst + length, end);
        if (first < last) interference_.add(first, out.sum().subspan(size_t(first - rx_index), size_t(last - first)));
        if (period <= 0) break;
    }
}

}  // namespace wimax::channeld
