// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/radio_worker.h"

#include "common/realtime.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wimax::vrf {
namespace {

using namespace std::chrono_literals;

// The longest 802.16 frame is 20 ms; the TX queue must hold two of them or a host that sends ahead blocks.
constexpr double kQueueSeconds = 0.1;

constexpr int kLivenessPeriodMs = 50;
constexpr double kNowhereHz = 1e12;  // a port without cable: tuned where no station is

size_t queue_samples(const Welcome& welcome) {
    return std::max(size_t(welcome.rate_hz * kQueueSeconds), size_t(16) * welcome.chunk_samples);
}

/// One for all radios of a process, so that it stays in the cache.
std::span<const Sample> silence(uint32_t samples) {
    static const std::vector<Sample> zeros(kMaxChunkSamples);
    return std::span(zeros).first(samples);
}

RadioOptions with_rate(RadioOptions options, double rate_hz) {
    options.habits.event_delay_samples = std::llround(options.event_delay_s * rate_hz);
    options.rx_habits.restart_samples = std::llround(options.restart_s * rate_hz);
    options.hello.rate_hz = rate_hz;
    return options;
}

}  // namespace

RadioParts::RadioParts(RadioOptions with, const Welcome& welcome)
    : options(with_rate(std::move(with), welcome.rate_hz)),
      clock(welcome.rate_hz, options.wall),
      rf(options.rf.ideal() ? nullptr : std::make_unique<RadioRf>(options.rf, options.hello.tx_channels)),
      tx(
          queue_samples(welcome), options.hello.tx_channels, [this] { pace.host_transmits(); }, options.habits),
      rx(queue_samples(welcome), options.rx_habits),
      pace(clock, tx, rx) {
    rx.set_packet_samples(welcome.chunk_samples);
}

void RadioParts::move_time(int64_t delta) {
    clock.move(delta);
    tx.rebase(delta);
    unused.forget();
}

bool RadioParts::omits(int64_t tick, uint32_t count) const {
    return ideal() && clock.mode() == TimeMode::commit && unused.include(tick, count);
}

bool RadioParts::idle() const { return clock.mode() == TimeMode::commit && !pace.held() && !pace.host_streams(); }

VirtualRadioCounters RadioParts::counters() const {
    VirtualRadioCounters counters;
    tx.count(counters);
    counters.overflow = rx.overflows();
    counters.stalls = pace.stalls();
    if (rf) rf->count(counters);
    return counters;
}

RadioWorker::RadioWorker(RadioParts& parts, std::unique_ptr<RadioLink> link) : parts_(parts) {
    join(std::move(link));
    thread_ = std::thread([this] { run(); });
}

RadioWorker::~RadioWorker() {
    stop_ = true;
    parts_.pace.wake();
    resumed_.notify_one();
    thread_.join();
}

void RadioWorker::join(std::unique_ptr<RadioLink> link) {
    const Welcome& welcome = link->welcome();
    if (parts_.rf) parts_.rf->join(welcome, parts_.options.hello.name);
    parts_.settings.use(welcome);
    parts_.clock.use(welcome);
    parts_.rx.set_real_time(welcome.mode == TimeMode::rt);
    parts_.pace.hold(welcome.hold != 0);
    rx_count_.join(welcome, parts_.clock.count());
    next_tx_ = parts_.clock.count();
    silence(welcome.chunk_samples);  // made now, before it is needed
    link_ = std::move(link);
    parts_.clock.attach();
}

void RadioWorker::inject(RadioFault fault, size_t samples) {
    constexpr double kJitterS = 2e-3, kLongestS = 1;
    const double rate_hz = parts_.clock.rate_hz();
    samples = std::min(samples, size_t(kLongestS * rate_hz));
    switch (fault) {
        case RadioFault::none: break;
        case RadioFault::overflow: parts_.rx.overflow(samples); break;
        case RadioFault::underflow: parts_.tx.lose(TxEvent::Kind::underflow, samples); break;
        case RadioFault::lost_rx_packet: parts_.rx.lose(samples); break;
        case RadioFault::lost_tx_packet: parts_.tx.lose(TxEvent::Kind::sequence, samples); break;
        case RadioFault::jitter:
            parts_.rx.hold(std::chrono::duration<double>(samples != 0 ? double(samples) / rate_hz : kJitterS));
            break;
        case RadioFault::unplug:
            unplugged_ = true;
            parts_.pace.wake();
            resumed_.notify_one();
            break;
    }
}

bool RadioWorker::reattach() {
    if (unplugged_) return false;
    const auto& options = parts_.options;
    auto link = attach(options.address, options.hello, kAttachTimeoutMs);
    if (link && 2 * (*link)->welcome().chunk_samples > parts_.rx.capacity())
        link = failure(kRefused, "chunks of " + std::to_string((*link)->welcome().chunk_samples) +
                                     " samples, the radio holds " + std::to_string(parts_.rx.capacity()));
    if (link) {
        options.say("attached again");
        join(std::move(*link));
        return true;
    }
    const bool answered = link.error().key == kRefused || link.error().key == kMalformed;
    if (answered && link.error() != last_refusal_) options.say((last_refusal_ = link.error()).str());
    parts_.pace.rest(100ms, [this] { return stop_.load(); });
    return false;
}

void RadioWorker::run() {
    if (parts_.clock.mode() == TimeMode::rt && !go_as_hardware())
        parts_.options.say("no right to real-time priority (CAP_SYS_NICE): more lates on a busy machine");
    const auto lost = [this] { return stop_ || unplugged_ || !link_->alive(); };
    std::unique_lock lock(exchange_);
    while (!stop_) {
        if (unplugged_) leave("unplugged");
        else if (link_ && !link_->alive()) leave("the channel is gone");
        if (!link_) parts_.pace.rest(kLookAgain, [this] { return stop_.load(); });
        if (!link_ && !reattach()) continue;
        if (in_host()) {
            rest(lock);
            continue;
        }
        const int64_t count = parts_.clock.count();
        next_tx_ = std::max(next_tx_, count);
        if (next_tx_ == count) {
            if (!parts_.pace.wait(next_tx_, lost)) continue;
            transmit();
        }
        while (may_run_ahead()) transmit();
        link_->wake();
        wait_for_chunks();
    }
}

int RadioWorker::poll_descriptor() {
    parts_.rx.on_empty([this] { host_looks(); });
    polled_ = true;
    return poll_.fd();
}

/// The host's thread exchanges: it polls, and has promised something, so that it does not wait for the radio.
bool RadioWorker::in_host() const {
    return polled_ && !stop_ && !unplugged_ && link_ && !link_->descriptors().empty() &&
           parts_.clock.mode() == TimeMode::commit && parts_.pace.committed().first != INT64_MAX &&
           !parts_.tx.blocked();
}

/// The thread's: until the host can no longer exchange.
void RadioWorker::rest(std::unique_lock<std::mutex>& lock) {
    poll_.follow(link_->descriptors());
    poll_.report();  // what has come before
    const auto* const followed = link_.get();
    while (in_host() && link_->alive()) resumed_.wait_for(lock, std::chrono::milliseconds(kLivenessPeriodMs));
    if (link_.get() == followed) poll_.leave(link_->descriptors());
}

void RadioWorker::host_looks() {
    poll_.settle();
    do {
        const std::unique_lock lock(exchange_, std::try_to_lock);
        if (!lock || !in_host()) return;
        changed_ = false;
        send_promised();
        if (receive_chunks(0)) send_promised();
        if (!link_ || !link_->alive()) resumed_.notify_one();
    } while (changed_);
}

void RadioWorker::host_changes() {
    if (!polled_) return;
    changed_ = true;
    const std::unique_lock lock(exchange_, std::try_to_lock);
    if (!lock) return;  // the other thread looks again
    changed_ = false;
    if (in_host()) send_promised();
    else resumed_.notify_one();
}

void RadioWorker::send_promised() {
    const int64_t count = parts_.clock.count();
    next_tx_ = std::max(next_tx_, count);
    const int64_t before = next_tx_;
    if (next_tx_ == count) {
        if (!parts_.pace.allows(next_tx_)) return;
        transmit();
    }
    while (may_run_ahead()) transmit();
    if (next_tx_ != before) link_->wake();
}

/// The next TX chunk may be sent before the RX chunk of the last one arrives: it cannot change, and there is room for
/// samples received meanwhile.
bool RadioWorker::may_run_ahead() const {
    const auto ahead = size_t(next_tx_ - parts_.clock.count());
    const uint32_t chunk = parts_.clock.chunk_samples();
    if (parts_.clock.mode() == TimeMode::rt || ahead >= kAheadChunks * chunk) return false;
    if (parts_.rx.unread() + ahead + chunk > parts_.rx.capacity()) return false;
    return parts_.pace.promised(next_tx_);
}

void RadioWorker::transmit() {
    const int64_t tick = parts_.clock.tick_of(next_tx_);
    const uint32_t length = parts_.clock.chunk_samples();
    const auto& cores = parts_.options.cores;
    TxChunk chunk = link_->tx_chunk();
    next_tx_ += length;
    if (!chunk) return;  // impossible in lock-step: the channel has consumed a chunk before it responds
    TxHeader& header = *chunk.header;
    header = {};
    header.index = rx_count_.index_of(next_tx_ - length);
    const Tuning tuning = parts_.settings.before(tick + int64_t(length));
    note(header, tuning);
    const std::span samples(chunk.samples, parts_.options.hello.tx_channels * length);
    BurstSpans on;
    header.sending = cores ? uint8_t(cores->transmit(tick, parts_.tx, samples, on))
                           : parts_.tx.assemble(tick, samples, parts_.clock.tick_of(assembled_until_), &on);
    if (parts_.rf) parts_.rf->transmit(header, tuning, on, samples);
    assembled_until_ = std::max(assembled_until_, next_tx_);
    header.streaming = parts_.pace.host_streams();
    header.unused = parts_.omits(tick, length);
    header.counters = parts_.counters();
    link_->send();
}

/// The settings of a chunk.
void RadioWorker::note(TxHeader& header, const Tuning& tuning) const {
    const bool deaf = !parts_.options.rf.port_isolation_db;
    header.tx_frequency_hz = tuning.tx_connected || !deaf ? tuning.tx_frequency_hz : kNowhereHz;
    header.rx_frequency_hz = tuning.rx_connected || !deaf ? tuning.rx_frequency_hz : -kNowhereHz;
    std::copy(tuning.tx_gain_db.begin(), tuning.tx_gain_db.end(), header.tx_gain_db.begin());
    header.rx_gain_db = float(tuning.rx_gain_db);
    if (parts_.rf) parts_.rf->note(header, tuning);
}

/// Takes all chunks that have arrived. The host is woken once.
void RadioWorker::wait_for_chunks() {
    while (!receive_chunks(kLivenessPeriodMs))
        if (stop_ || !link_ || !link_->alive() || in_host()) return;
    parts_.rx.announce();
    if (polled_) poll_.report();
}

/// False: none came.
bool RadioWorker::receive_chunks(int timeout_ms) {
    RxChunk chunk = link_->receive(timeout_ms);
    const bool any(chunk);
    while (chunk && take(chunk) && !stop_) chunk = link_->next();
    return any;
}

/// False: the channel's count cannot be right, and the radio has left it.
bool RadioWorker::take(const RxChunk& chunk) {
    const RxHeader header = *chunk.header;  // the channel may still write to it
    const auto arrival = rx_count_.take(header);
    if (!arrival) {
        leave("the channel counts to " + std::to_string(header.index) + ", which no channel does");
        return false;
    }
    RadioClock& clock = parts_.clock;
    const auto& cores = parts_.options.cores;
    const bool omitted = header.omitted != 0 && parts_.ideal();
    const std::span samples(chunk.samples, clock.chunk_samples());
    if (header.fault != RadioFault::none) inject(header.fault, header.fault_samples);
    if (arrival->lost_tx) parts_.tx.lost(clock.tick_of(arrival->first));
    clock.count_to(arrival->first);
    if (parts_.rf) parts_.rf->receive(header.index, samples);
    if (cores) cores->receive(clock.tick_of(arrival->first), samples);
    parts_.rx.deliver(clock.tick_of(arrival->first), omitted ? silence(clock.chunk_samples()) : samples, arrival->gap);
    clock.count_to(arrival->first + clock.chunk_samples());
    if (arrival->pulse) pass_pps(*arrival->pulse);
    link_->release();
    return true;
}

/// A pulse per second, at this count of the radio.
void RadioWorker::pass_pps(int64_t count) {
    if (const auto wanted = parts_.pulses.take_request()) parts_.move_time(*wanted - parts_.clock.tick_of(count));
    parts_.pulses.pass(parts_.clock.tick_of(count));
}

/// Temporary: run() attaches again.
void RadioWorker::leave(const std::string& why) {
    if (std::exchange(link_, nullptr)) parts_.options.say(why + ", time has stopped");
    parts_.clock.detach();
}

}  // namespace wimax::vrf
