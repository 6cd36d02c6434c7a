/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/radio_frontend.h>

#include "radio/burst_sender.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/radio_tuning.h"
#include "radio/refusal.h"
#include "radio/sample_receiver.h"
#include "radio/transmit_guard.h"

#include <algorithm>
#include <atomic>

namespace gr::wimax {

struct RadioFrontend::Impl {
    explicit Impl(const RadioConfig& c)
        : config(c),
          device(open_radio_device(config)),
          receiver(device, config, tally),
          sender(device, config, receiver.now(), tally) {
        note_levels();
    }

    void note_levels() {
        const RadioLevels levels = radio_levels(*device.usrp, config, device.levels.headroom_db);
        tx_dbm = levels.tx_dbm;
        rx_dbm = levels.rx_dbm;
    }

    const RadioConfig config;
    RadioTally tally;
    RadioDevice device;
    SampleReceiver receiver;
    BurstSender sender;
    std::atomic<double> tx_dbm{0}, rx_dbm{0};  // with the gains of the moment
};

RadioFrontend::RadioFrontend(const RadioConfig& config) : impl_(std::make_unique<Impl>(config)) {}

RadioFrontend::~RadioFrontend() { stop(); }

std::shared_ptr<RadioFrontend> RadioFrontend::open(const RadioConfig& config) {
    return std::shared_ptr<RadioFrontend>(new RadioFrontend(config));
}

void RadioFrontend::start() { impl_->receiver.start(); }
void RadioFrontend::stop() { impl_->receiver.stop(); }

RadioFrontend::Received RadioFrontend::receive(std::span<std::complex<float>> out, double timeout_s) {
    return impl_->receiver.receive(out, timeout_s);
}

bool RadioFrontend::transmit(int64_t start_sample, const TransmitPiece& piece, int64_t& deficit_samples) {
    return impl_->sender.transmit(start_sample, piece, deficit_samples);
}

void RadioFrontend::commit(int64_t sample) { impl_->sender.commit(sample); }

int RadioFrontend::antennas() const { return impl_->config.tx_channels; }
bool RadioFrontend::lock_step() const { return impl_->device.lock_step(); }
int64_t RadioFrontend::chunk_samples() const {
    // Commits are told to the device with the lead taken off, and time has to go on all the same.
    return lock_step() ? impl_->device.least_lead() + impl_->sender.lead_samples() : 0;
}
int64_t RadioFrontend::now() const { return impl_->receiver.now().load(std::memory_order_relaxed); }
int64_t RadioFrontend::sample_rate_hz() const { return impl_->device.plan.channel_rate_hz; }
double RadioFrontend::tx_reference_dbm() const { return impl_->tx_dbm; }
double RadioFrontend::rx_reference_dbm() const { return impl_->rx_dbm; }
double RadioFrontend::headroom_db() const { return impl_->device.levels.headroom_db; }
TurnTimes RadioFrontend::turn_times() const {
    const auto& config = impl_->config;
    return gr::wimax::turn_times(config.amplifier, 1e6 * config.burst_edge_samples / impl_->device.plan.tick_rate_hz);
}
RadioPlug RadioFrontend::plug() const {
    auto& usrp = *impl_->device.usrp;
    return {usrp.get_usrp_rx_info(0).get("mboard_serial", ""), usrp.get_tx_antenna(), usrp.get_rx_antenna()};
}
std::optional<std::string> RadioFrontend::lost() const { return impl_->tally.lost(); }

void RadioFrontend::set_gains(double tx_gain_db, double rx_gain_db) {
    auto& usrp = *impl_->device.usrp;
    const auto& limits = impl_->config.limits;
    // The scale of what is sent stays, for pieces that are on their way have it already.
    const double peak_dbm = impl_->tx_dbm + (tx_gain_db - usrp.get_tx_gain()) + TransmitGuard::kPreambleDb;
    constexpr double kRounding = 1e-6;
    if (limits.enable && limits.max_power_dbm && peak_dbm > *limits.max_power_dbm + kRounding)
        refuse("tx gain: " + number_text(tx_gain_db) + " dB, which is " + number_text(peak_dbm) +
               " dBm, above max_power_dbm");
    const size_t channels = limits.enable ? impl_->device.tx_channels : 0;
    check_gains(usrp, channels, tx_gain_db, rx_gain_db);
    impl_->sender.set_reference(std::max(impl_->tx_dbm.load(), peak_dbm - TransmitGuard::kPreambleDb));
    gr::wimax::set_gains(usrp, channels, tx_gain_db, rx_gain_db);
    impl_->note_levels();
    impl_->sender.set_reference(impl_->tx_dbm);
}
double RadioFrontend::tx_gain_db() const { return impl_->device.usrp->get_tx_gain(); }
double RadioFrontend::rx_gain_db() const { return impl_->device.usrp->get_rx_gain(); }
GainRange RadioFrontend::tx_gains() const { return gain_range(impl_->device.usrp->get_tx_gain_range()); }
GainRange RadioFrontend::rx_gains() const { return gain_range(impl_->device.usrp->get_rx_gain_range()); }

RadioCounters RadioFrontend::counters() const {
    auto counters = impl_->tally.counters();
    counters.refused = impl_->sender.refusals();
    return counters;
}
AnswerTimes RadioFrontend::answer_times() const { return impl_->tally.answers.times(); }
std::string RadioFrontend::describe() const { return gr::wimax::describe(impl_->device, impl_->config); }

}  // namespace gr::wimax
