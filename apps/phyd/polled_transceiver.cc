// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/polled_transceiver.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

namespace wimax::phyd {
namespace {

using namespace gr::wimax;

constexpr size_t kSamplesAtOnce = 16384;  // of one call of the radio; more would only leave the cache

/// One for all stations of the thread, so that it stays in the cache.
std::span<std::complex<float>> workspace() {
    thread_local std::vector<std::complex<float>> samples(kSamplesAtOnce);
    return samples;
}

}  // namespace

tl::expected<std::unique_ptr<Transceiver>, Fault> PolledTransceiver::open(const PhydConfig& config,
                                                                          const sap::ConfigRequest& request,
                                                                          Outbox& outbox,
                                                                          const std::function<void(int)>& watch) {
    const auto numerology = phy::Numerology::make(request.bandwidth_hz, phy::CyclicPrefix::g1_8);
    if (!numerology) return tl::unexpected(phy::bandwidth_fault(request.bandwidth_hz));
    return std::unique_ptr<Transceiver>(new PolledTransceiver(config, request, *numerology, outbox, watch));
}

PolledTransceiver::PolledTransceiver(const PhydConfig& config, const sap::ConfigRequest& request,
                                     const phy::Numerology& numerology, Outbox& outbox,
                                     const std::function<void(int)>& watch)
    : StationRadio(config, request, numerology, watch),
      chain_(SubscriberChain::make(receiver(config, outbox), config.transmit, shared_front())) {}

/// Only a ring for captures looks at samples between the bursts and the next frame.
ss_receiver::Config PolledTransceiver::receiver(const PhydConfig& config, Outbox& outbox) const {
    auto receiver = subscriber(config, outbox);
    receiver.skip_unused = ring()->capacity() == 0;
    return receiver;
}

void PolledTransceiver::process() {
    const auto space = workspace();
    while (const size_t room = std::min(chain_->room(), space.size())) {
        const auto received = front().receive(space.first(room), 0);
        if (received.samples == 0) return;
        const auto samples = std::span<const std::complex<float>>(space).first(received.samples);
        if (const auto kept = ring(); kept->capacity() > 0) kept->take(received.first_sample, samples);
        chain_->receive(received.first_sample, samples);
    }
}

Transceiver::Status PolledTransceiver::status() const {
    Status s = radio_status();
    s.tx = chain_->counters();
    add(s, chain_->status());
    return s;
}

}  // namespace wimax::phyd
