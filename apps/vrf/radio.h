/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The virtual radio without UHD: one worker thread that exchanges chunks with the channel, a TX and an RX queue, the
 * radio's clock. The radio's time is its number of received samples plus a settable offset. It continues after a
 * restart of the channel and stops while there is none.
 *
 * When may the worker send a TX chunk? (time mode of the channel, and behaviour of the host)
 *   commit, host commits        when the host has promised: no more TX before tick T, B bursts in all (see nodes.h); up
 *                               to kAheadChunks at once; or while it waits for room in its queue
 *   commit, host never commits  when the host has read all but two RX chunks, and an open burst has samples;
 *                               limited, so that an idle host does not stop time
 *   rt                          at once
 */
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "vrf/core_path.h"
#include "vrf/link.h"
#include "vrf/radio_rf.h"
#include "vrf/rx_count.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"

namespace wimax::vrf {

struct RadioOptions {
    std::string address = kDefaultAddress;
    Hello hello;  ///< name, TX channels, and the host's requirements
    TxHabits habits{};
    RxHabits rx_habits{};
    double event_delay_s = 0, restart_s = 0;  ///< in seconds; the habits get them in samples when the rate is known
    RfModel rf{};
    std::shared_ptr<CorePath> cores{};  ///< none: samples pass unchanged in both directions
    double attach_timeout_s = 5;
    std::function<void(const std::string&)> say = [](const std::string&) {};
    std::function<std::chrono::steady_clock::time_point()> wall = std::chrono::steady_clock::now;  ///< called by any
                                                                                                   ///< thread
};

class Radio {
public:
    /// Waits for the channel, then attaches. An error names the address, or the mismatch.
    static tl::expected<std::unique_ptr<Radio>, Fault> open(RadioOptions options);
    ~Radio();

    double rate_hz() const { return rate_hz_; }
    uint32_t chunk_samples() const { return chunk_samples_; }
    TimeMode mode() const { return mode_; }
    size_t tx_channels() const { return options_.hello.tx_channels; }
    double tx_reference_dbm() const;  ///< at the first antenna for 0 dBFS, at the present gain
    double rx_reference_dbm() const;
    bool attached() const { return attached_; }
    std::chrono::steady_clock::time_point wall() const { return options_.wall(); }

    int64_t now() const { return count_ + offset_; }
    void set_now(int64_t tick);
    /// Both are for hosts that time pulses by their own clock. UHD's multi_usrp sleeps a second after the first and
    /// polls the second for 1.1 s, which may miss a pulse if time is stretched. In lock-step set_at_next_pps()
    /// therefore returns after the pulse, and last_pps(), called again before another pulse, waits for it. They do not
    /// wait while time is held or stopped, nor once the host streams, which may be the same thread.
    void set_at_next_pps(int64_t tick);
    int64_t last_pps();

    /// Changes settings at once, or from the chunk that contains `tick` on.
    void tune(std::function<void(Tuning&)> change, std::optional<int64_t> tick = {});
    Tuning tuning() const;

    size_t send(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout);
    /// Timeouts of this and of receive() also count in the radio's time if that is stretched: 0.1 s with hardware is as
    /// many samples here. While time is stopped the wall clock counts, from 3 s on.
    bool next_event(TxEvent& event, std::chrono::duration<double> timeout);
    /// A new or ended TX stream: empties the queue and withdraws the promise.
    void clear_tx();

    void command(const RxCommand& command);
    size_t receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet);
    void clear_rx() { rx_.clear(); }
    /// Sets the bits per sample between host and radio. An ideal radio's samples are unchanged.
    void set_wire_bits(bool tx, int bits);
    void set_packet_samples(size_t samples) { rx_.set_packet_samples(samples); }
    size_t packet_samples() const { return rx_.packet_samples(); }

    /// All TX before `tick` has been sent, `bursts` in total. INT64_MAX withdraws the promise.
    void commit(int64_t tick, uint64_t bursts);
    std::pair<int64_t, uint64_t> committed() const;
    RadioCounters counters() const;
    std::vector<TxRun> tx_runs() const { return tx_.runs(); }

    /// Causes a fault on request, like those of the channel; see RadioFault. Any thread.
    void inject(RadioFault fault, size_t samples);
    /// True after a simulated loss of its cable: it has left the channel for good.
    bool unplugged() const { return unplugged_; }

private:
    Radio(RadioOptions options, std::unique_ptr<RadioLink> link);
    void run();
    bool reattach();
    void join(std::unique_ptr<RadioLink> link);
    bool wait_for_host();
    bool host_ready(std::chrono::steady_clock::time_point& since);
    bool promised() const;
    bool may_run_ahead() const;
    int64_t next_tx_tick() const { return next_tx_ + offset_; }
    void transmit();
    void note(TxHeader& header, const Tuning& tuning) const;
    void receive_chunk();
    void pass_pps(int64_t count);
    void wait_for_pulse(uint64_t seen);
    void leave(const std::string& why);
    void move_time(int64_t delta);
    void transmits();
    void wake();

    RadioOptions options_;
    double rate_hz_ = 0, tx_power_dbm_ = 0, rx_full_scale_dbm_ = 0;
    std::atomic<uint32_t> chunk_samples_{0};
    std::atomic<TimeMode> mode_{TimeMode::commit};
    std::unique_ptr<RadioLink> link_;  ///< used by the worker only
    std::atomic<bool> attached_{false}, stop_{false}, hold_{false}, used_{false}, unplugged_{false};
    Fault last_refusal_;

    std::unique_ptr<RadioRf> rf_;  ///< none: ideal
    TxFifo tx_;
    RxFifo rx_;
    std::atomic<int64_t> count_{0}, offset_{0}, last_pps_{0};
    RxCount rx_count_;             ///< used by the worker only
    int64_t next_tx_ = 0;          ///< own count up to which TX chunks were sent; used by the worker only
    int64_t assembled_until_ = 0;  ///< own count up to which TX has left the queue

    mutable std::mutex mutex_;
    std::condition_variable host_, pulse_;
    int64_t commit_tick_ = INT64_MAX;
    uint64_t commit_bursts_ = 0;
    std::optional<int64_t> pending_pps_;
    uint64_t pulses_ = 0;                   ///< number of pulses so far
    std::optional<uint64_t> pulses_asked_;  ///< the same at the last query of last_pps()
    Tuning tuning_;
    std::multimap<int64_t, std::function<void(Tuning&)>> timed_tuning_;
    std::optional<uint64_t> given_up_reads_;   ///< host did not read for long: wait again after its next read
    bool stands_ = false;                      ///< reception has stopped and the host was waited for; used by the
                                               ///< worker only
    std::atomic<bool> reader_awaited_{false};  ///< the worker waits until the host has read
    std::atomic<uint64_t> stalls_{0};
    std::thread worker_;
};

}  // namespace wimax::vrf
