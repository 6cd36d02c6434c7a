// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange of chunks between a virtual radio and the channel, and the components that host and exchange share. A
// thread of the radio exchanges. While a host that polls commits, its own thread does it, and the radio's rests: that
// saves a change of threads and a copy for each chunk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "vrf/core_path.h"
#include "vrf/host_pace.h"
#include "vrf/link.h"
#include "vrf/poll_descriptor.h"
#include "vrf/radio_clock.h"
#include "vrf/radio_rf.h"
#include "vrf/radio_settings.h"
#include "vrf/rx_count.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"
#include "vrf/unused_samples.h"

namespace wimax::vrf {

inline constexpr int kAttachTimeoutMs = 1000;  ///< of one attempt

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

/// Components of one radio. Each locks for itself.
struct RadioParts {
    RadioParts(RadioOptions options, const Welcome& welcome);
    void move_time(int64_t delta);
    /// Samples pass unchanged.
    bool ideal() const { return !rf && !options.cores; }
    /// The host will not look at these received samples. A radio that changes samples needs all.
    bool omits(int64_t tick, uint32_t count) const;
    /// Time runs, or could run, without a stream of the host.
    bool idle() const;
    VirtualRadioCounters counters() const;

    const RadioOptions options;
    RadioClock clock;
    Pulses pulses;
    RadioSettings settings;
    const std::unique_ptr<RadioRf> rf;  ///< none: ideal
    TxFifo tx;
    RxFifo rx;
    HostPace pace;
    UnusedSamples unused;
};

class RadioWorker {
public:
    RadioWorker(RadioParts& parts, std::unique_ptr<RadioLink> link);
    ~RadioWorker();

    /// See Radio. Any thread.
    void inject(RadioFault fault, size_t samples);
    bool unplugged() const { return unplugged_; }

    // The host's thread.
    /// From now on the host polls: the descriptor is readable when it should receive.
    int poll_descriptor();
    bool polled() const { return polled_; }
    /// A new promise or its end, or a command.
    void host_changes();
    /// Exchanges what can be exchanged now.
    void host_looks();

private:
    void run();
    bool in_host() const;
    void rest(std::unique_lock<std::mutex>& lock);
    void send_promised();
    bool reattach();
    void join(std::unique_ptr<RadioLink> link);
    bool may_run_ahead() const;
    void transmit();
    void note(TxHeader& header, const Tuning& tuning) const;
    void wait_for_chunks();
    bool receive_chunks(int timeout_ms);
    bool take(const RxChunk& chunk);
    void pass_pps(int64_t count);
    void leave(const std::string& why);

    RadioParts& parts_;
    std::atomic<bool> stop_{false}, unplugged_{false};
    std::atomic<bool> polled_{false};
    std::atomic<bool> changed_{false};  ///< the host has, perhaps during an exchange
    PollDescriptor poll_;
    std::condition_variable resumed_;
    std::mutex exchange_;  ///< held by the thread that uses what follows
    std::unique_ptr<RadioLink> link_;
    Fault last_refusal_;
    RxCount rx_count_;
    int64_t next_tx_ = 0;          ///< own count up to which TX chunks were sent
    int64_t assembled_until_ = 0;  ///< own count up to which TX has left the queue
    std::thread thread_;
};

}  // namespace wimax::vrf
