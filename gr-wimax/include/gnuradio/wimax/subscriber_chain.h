// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/burst_transmitter.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include <gnuradio/wimax/ss_receiver.h>
#include <gnuradio/wimax/transmit_path.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gr::wimax {

/// Receiver and transmitter of a subscriber station in the caller's thread: the logic of ss_receiver and
/// burst_transmitter without a flowgraph, for programs with many stations. The same samples and responses give the same
/// reports and transmissions as the blocks. No display ports, and `Config::signal` is not used.
///
/// Call it from one thread, but for status() and counters(). Reports leave through `Config::reports`, which is required
/// and must not call this object.
class WIMAX_API SubscriberChain {
public:
    /// Throws std::invalid_argument naming the faulty setting.
    static std::unique_ptr<SubscriberChain> make(const ss_receiver::Config& config, const phy::TransmitShape& shape,
                                                 TransmitPathPtr radio);
    virtual ~SubscriberChain() = default;

    /// Number of samples that receive() accepts now; 0 while a response is awaited and the buffer is full.
    virtual size_t room() const = 0;
    /// At most room() samples; the first one is number `first_sample`. A gap or jump is reported (time_jump).
    virtual void receive(int64_t first_sample, std::span<const std::complex<float>> samples) = 0;
    virtual void expect(const Expectation& expectation) = 0;
    virtual void transmit(const TransmitFrame& frame) = 0;
    virtual void control(const Control& control) = 0;

    virtual ss_receiver::Status status() const = 0;
    virtual burst_transmitter::Counters counters() const = 0;
};

}  // namespace gr::wimax
