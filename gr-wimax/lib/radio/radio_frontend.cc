// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/radio_frontend.h>

#include "radio/burst_sender.h"
#include "radio/device_cores.h"
#include "radio/device_gains.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/radio_tuning.h"
#include "radio/sample_receiver.h"
#include "radio/vrf_nodes.h"

#include <algorithm>

namespace gr::wimax {

namespace {

constexpr int64_t kBeatsPerSecond = 100;

}  // namespace

struct RadioFrontend::Impl {
    explicit Impl(const RadioConfig& c)
        : config(c),
          device(open_radio_device(config)),
          gains(device, config),
          receiver(device, config, gains, tally),
          sender(device, config, receiver.now(), gains, receiver.peak(), tally),
          beat_samples(device.plan.channel_rate_hz / kBeatsPerSecond) {}

    const RadioConfig config;
    RadioTally tally;
    RadioDevice device;
    DeviceGains gains;
    SampleReceiver receiver;
    BurstSender sender;
    const int64_t beat_samples;
    int64_t last_beat = kNothingReceived;

    /// Signals the gate that the host is alive, because it takes received samples.
    void beat(int64_t sample) {
        if (!device.gate || (sample >= last_beat && sample < last_beat + beat_samples)) return;
        device.gate->beat();
        last_beat = sample;
    }
};

RadioFrontend::RadioFrontend(const RadioConfig& config) : impl_(std::make_unique<Impl>(config)) {}

RadioFrontend::~RadioFrontend() { stop(); }

std::shared_ptr<RadioFrontend> RadioFrontend::open(const RadioConfig& config) {
    return std::shared_ptr<RadioFrontend>(new RadioFrontend(config));
}

void RadioFrontend::start() { impl_->receiver.start(); }
void RadioFrontend::stop() { impl_->receiver.stop(); }

RadioFrontend::Received RadioFrontend::receive(std::span<std::complex<float>> out, double timeout_s) {
    const Received received = impl_->receiver.receive(out, timeout_s);
    if (received.samples > 0) impl_->beat(received.first_sample);
    return received;
}

tl::expected<void, PieceFault> RadioFrontend::transmit(int64_t start_sample, const TransmitPiece& piece) {
    return impl_->sender.transmit(start_sample, piece);
}

bool RadioFrontend::change_receive_gain(int64_t sample, double gain_db) {
    return impl_->receiver.change_gain(sample, gain_db);
}

/// A resampler's filters look at more samples than its caller: then all are received.
void RadioFrontend::skip_received(int64_t from, int64_t until) {
    const auto& device = impl_->device;
    if (device.lock_step() && device.plan.exact()) vrf_skip(device.usrp->get_tree(), from, until);
}

void RadioFrontend::commit(int64_t sample) { impl_->sender.commit(sample); }

int RadioFrontend::antennas() const { return impl_->config.tx_channels; }
bool RadioFrontend::lock_step() const { return impl_->device.lock_step(); }
int64_t RadioFrontend::chunk_samples() const {
    // Commits reach the device minus the lead, and time has to continue nevertheless.
    return lock_step() ? impl_->device.least_lead() + impl_->sender.lead_samples() : 0;
}
int64_t RadioFrontend::now() const { return impl_->receiver.now().load(std::memory_order_relaxed); }
int64_t RadioFrontend::sample_rate_hz() const { return impl_->device.plan.channel_rate_hz; }
double RadioFrontend::tx_reference_dbm() const { return impl_->gains.tx_dbm(); }
double RadioFrontend::rx_reference_dbm() const { return impl_->gains.rx_dbm(); }
double RadioFrontend::headroom_db() const { return impl_->device.levels.headroom_db; }
TurnTimes RadioFrontend::turn_times() const {
    const auto& config = impl_->config;
    return gr::wimax::turn_times(config.amplifier, 1e6 * config.burst_edge_samples / impl_->device.plan.tick_rate_hz);
}
RadioPlug RadioFrontend::plug() const {
    auto& usrp = *impl_->device.usrp;
    return {usrp.get_usrp_rx_info(0).get("mboard_serial", ""), usrp.get_tx_antenna(), usrp.get_rx_antenna()};
}
RadioCorePtr RadioFrontend::core(const std::string& block) const {
    const auto& device = impl_->device;
    return device.plan.exact() ? find_core(*device.usrp, device.plan, block) : nullptr;
}
std::optional<std::string> RadioFrontend::lost() const { return impl_->tally.lost(); }

void RadioFrontend::set_gains(double tx_gain_db, double rx_gain_db) {
    auto& gains = impl_->gains;
    gains.check(tx_gain_db, rx_gain_db);
    // The guard uses the higher of the two levels until the gains are set.
    impl_->sender.set_reference(gains.tx_dbm() + std::max(0.0, tx_gain_db - gains.tx_gain_db()));
    gains.ask(tx_gain_db, rx_gain_db);
    impl_->sender.set_reference(gains.tx_dbm());
}
double RadioFrontend::tx_gain_db() const { return impl_->gains.tx_gain_db(); }
double RadioFrontend::rx_gain_db() const { return impl_->gains.rx_gain_db(); }
RadioFrontend::Gains RadioFrontend::gains_now() const {
    return {impl_->gains.tx_gain_now_db(), impl_->gains.rx_gain_now_db()};
}
GainRange RadioFrontend::tx_gains() const { return gain_range(impl_->device.usrp->get_tx_gain_range()); }
GainRange RadioFrontend::rx_gains() const { return gain_range(impl_->device.usrp->get_rx_gain_range()); }

RadioCounters RadioFrontend::counters() const {
    auto counters = impl_->tally.counters();
    counters.refused = impl_->sender.refusals();
    if (!impl_->device.gate) return counters;
    counters.gate = impl_->device.gate->counters();
    const auto& plan = impl_->device.plan;
    auto& last = counters.gate->last_late;
    last = {plan.sample_at(last.sample), plan.sample_at(last.by_samples)};
    counters.late += counters.gate->late;
    counters.underflows += counters.gate->underflows;
    return counters;
}
double RadioFrontend::peak_dbfs() const { return impl_->receiver.peak().dbfs(); }
AnswerTimes RadioFrontend::answer_times() const { return impl_->tally.answers.times(); }
std::string RadioFrontend::describe() const { return gr::wimax::describe(impl_->device, impl_->config); }

}  // namespace gr::wimax
