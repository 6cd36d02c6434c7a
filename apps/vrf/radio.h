// SPDX-License-Identifier: GPL-3.0-or-later
// The virtual radio without UHD, as its host uses it: one worker thread that exchanges chunks with the channel, a TX
// and an RX queue, the radio's clock. The radio's time is its number of received samples plus a settable offset. It
// continues after a restart of the channel and stops while there is none.
//
// When may the worker send a TX chunk? (time mode of the channel, and behaviour of the host)
//   commit, host commits        when the host has promised: no more TX before tick T, B bursts in all (see nodes.h); up
//                               to kAheadChunks at once; or while it waits for room in its queue
//   commit, host never commits  when the host has read all but two RX chunks, and an open burst has samples;
//                               limited, so that an idle host does not stop time
//   rt                          at once
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "vrf/radio_worker.h"

namespace wimax::vrf {

class Radio {
public:
    /// Waits for the channel, then attaches. An error names the address, or the mismatch.
    static tl::expected<std::unique_ptr<Radio>, Fault> open(RadioOptions options);

    double rate_hz() const { return parts_.clock.rate_hz(); }
    uint32_t chunk_samples() const { return parts_.clock.chunk_samples(); }
    TimeMode mode() const { return parts_.clock.mode(); }
    size_t tx_channels() const { return parts_.options.hello.tx_channels; }
    /// At the first antenna for 0 dBFS, at the present gain.
    double tx_reference_dbm() const { return parts_.settings.tx_reference_dbm(); }
    double rx_reference_dbm() const { return parts_.settings.rx_reference_dbm(); }
    bool attached() const { return parts_.clock.attached(); }

    int64_t now() const { return parts_.clock.now(); }
    void set_now(int64_t tick) { parts_.move_time(tick - now()); }
    /// Both are for hosts that time pulses by their own clock. UHD's multi_usrp sleeps a second after the first and
    /// polls the second for 1.1 s, which may miss a pulse if time is stretched. In lock-step set_at_next_pps()
    /// therefore returns after the pulse, and last_pps(), called again before another pulse, waits for it. They do not
    /// wait while time is held or stopped, nor once the host streams, which may be the same thread.
    void set_at_next_pps(int64_t tick);
    int64_t last_pps();

    /// Changes settings at once, or from the chunk that contains `tick` on.
    void tune(std::function<void(Tuning&)> change, std::optional<int64_t> tick = {}) {
        parts_.settings.tune(std::move(change), tick, now());
    }
    Tuning tuning() const { return parts_.settings.tuning(); }

    size_t send(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout);
    /// Timeouts of this and of receive() also count in the radio's time if that is stretched: 0.1 s with hardware is as
    /// many samples here. While time is stopped the wall clock counts, from 3 s on.
    bool next_event(TxEvent& event, std::chrono::duration<double> timeout);
    /// A new or ended TX stream: empties the queue and withdraws the promise.
    void clear_tx();

    void command(const RxCommand& command);
    size_t receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet);
    void clear_rx() { parts_.rx.clear(); }
    /// The host will not look at samples received in [from, until): zeros may come instead. Replaces the range before.
    void skip(int64_t from, int64_t until) { parts_.unused.set(from, until); }
    /// The descriptor is readable when receive() with a timeout of 0 may have samples, or has work: for a host that
    /// waits for several radios. Before the first stream; from then on one thread receives.
    int poll_descriptor() { return worker_.poll_descriptor(); }
    /// Sets the bits per sample between host and radio. An ideal radio's samples are unchanged.
    void set_wire_bits(bool tx, int bits);
    void set_packet_samples(size_t samples) { parts_.rx.set_packet_samples(samples); }
    size_t packet_samples() const { return parts_.rx.packet_samples(); }

    /// All TX before `tick` has been sent, `bursts` in total. INT64_MAX withdraws the promise.
    void commit(int64_t tick, uint64_t bursts);
    std::pair<int64_t, uint64_t> committed() const { return parts_.pace.committed(); }
    VirtualRadioCounters counters() const { return parts_.counters(); }
    std::vector<TxRun> tx_runs() const { return parts_.tx.runs(); }

    /// Causes a fault on request, like those of the channel; see RadioFault. Any thread.
    void inject(RadioFault fault, size_t samples) { worker_.inject(fault, samples); }
    /// True after a simulated loss of its cable: it has left the channel for good.
    bool unplugged() const { return worker_.unplugged(); }

private:
    Radio(RadioOptions options, std::unique_ptr<RadioLink> link);
    std::chrono::duration<double> first_wait(std::chrono::duration<double> timeout) const;

    RadioParts parts_;
    RadioWorker worker_;  ///< uses the parts
};

}  // namespace wimax::vrf
