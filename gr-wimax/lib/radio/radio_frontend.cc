/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/radio_frontend.h>

#include "radio/burst_sender.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/sample_receiver.h"

namespace gr::wimax {

struct RadioFrontend::Impl {
    explicit Impl(const RadioConfig& c)
        : config(c),
          device(open_radio_device(config)),
          receiver(device, config, tally),
          sender(device, config, receiver.now(), tally) {}

    const RadioConfig config;
    RadioTally tally;
    RadioDevice device;
    SampleReceiver receiver;
    BurstSender sender;
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
int64_t RadioFrontend::chunk_samples() const { return impl_->device.chunk; }
int64_t RadioFrontend::now() const { return impl_->receiver.now().load(std::memory_order_relaxed); }
int64_t RadioFrontend::sample_rate_hz() const { return impl_->device.plan.channel_rate_hz; }
double RadioFrontend::tx_reference_dbm() const { return impl_->device.levels.tx_dbm; }
double RadioFrontend::rx_reference_dbm() const { return impl_->device.levels.rx_dbm; }
RadioCounters RadioFrontend::counters() const {
    auto counters = impl_->tally.counters();
    counters.refused = impl_->sender.refusals();
    return counters;
}
std::string RadioFrontend::describe() const { return gr::wimax::describe(impl_->device, impl_->config); }

}  // namespace gr::wimax
